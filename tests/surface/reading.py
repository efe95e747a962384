"""Two surfaces as data: the typed one from its `.pyi` files, Mosaic GPU's own from its modules and their sources."""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import inspect
import itertools
import textwrap
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import safegpu

PACKAGE = Path(safegpu.__file__).parent
MOSAIC = "jax.experimental.mosaic.gpu"
MODULES = ("__init__", "fragmented_array", "launch_context", "profiler", "tcgen05", "utils")
"""The modules of Mosaic GPU that safegpu has under the same names."""

# --- the typed one


@dataclasses.dataclass(frozen=True)
class Declared:
    """What declares a name: in which stub, and by which statements; several where it is overloaded."""

    stub: str
    nodes: tuple[ast.stmt, ...]

    @property
    def functions(self) -> list[ast.FunctionDef]:
        return [node for node in self.nodes if isinstance(node, ast.FunctionDef)]

    @property
    def of_class(self) -> ast.ClassDef | None:
        return next((node for node in self.nodes if isinstance(node, ast.ClassDef)), None)


@functools.cache
def stubs() -> dict[str, ast.Module]:
    return {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.glob("*.pyi"))}


@functools.cache
def _statements(stub: str) -> dict[str, list[tuple[ast.stmt, str]]]:
    """The statements of a stub that bind each name, with the name's own of those that import."""
    found: dict[str, list[tuple[ast.stmt, str]]] = {}
    for node in stubs()[stub].body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = [(node, alias.name)]
        for name in _bound(node):
            found.setdefault(name, []).append((node, name))
    return found


def declared(stub: str, name: str) -> Declared | None:
    """What declares a name that a stub has, in the end: in the stub that it is imported from."""
    statements = _statements(stub).get(name)
    if not statements:
        return None
    node, original = statements[0]
    if isinstance(node, ast.ImportFrom):
        package, _, module = (node.module or "").partition(".")
        if package == "safegpu" and module in stubs():
            return declared(module, original)
    return Declared(stub, tuple(each for each, _ in statements))


def exported(stub: str) -> dict[str, Declared]:
    """The names that an author can import from this module of the typed surface."""
    imported = [node for node in stubs()[stub].body if isinstance(node, ast.ImportFrom)]
    private = {each.name for node in imported for each in node.names if each.asname is None}
    names = [name for name in _statements(stub) if not name.startswith("_") and name not in private]
    return {name: what for name in names if (what := declared(stub, name))}


def _bound(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.TypeAlias(name=ast.Name(id=name)):
            yield name
        case ast.Assign(targets=targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def members(what: Declared) -> dict[str, Declared]:
    """The attributes and methods of a class of the typed surface, inherited ones too; of no class, nothing."""
    for node in what.nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):  # another name for a class
            other = declared(what.stub, node.value.id)
            return members(other) if other else {}
    if what.of_class is None:
        return {}
    found: dict[str, Declared] = {}
    for base in what.of_class.bases:
        if above := declared(what.stub, ast.unparse(base.value if isinstance(base, ast.Subscript) else base)):
            found |= members(above)
    own: dict[str, tuple[ast.stmt, ...]] = {}
    for node in what.of_class.body:
        for name in _bound(node):
            own[name] = (*own.get(name, ()), node)
    return found | {name: Declared(what.stub, nodes) for name, nodes in own.items()}


# --- Mosaic GPU's own


def mosaic(module: str) -> types.ModuleType:
    return importlib.import_module(MOSAIC if module == "__init__" else f"{MOSAIC}.{module}")


def public(module: str) -> dict[str, Any]:
    """The public names of a module of Mosaic GPU, but those that it imports for its own use."""
    raw = mosaic(module)
    imports = set(_imports(module))
    return {name: value for name, value in vars(raw).items() if not name.startswith("_") and name not in imports}


def _imports(module: str) -> Iterator[str]:
    body = ast.parse(inspect.getsource(mosaic(module))).body
    outside = [node for node in body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    for node in itertools.chain.from_iterable(map(ast.walk, outside)):
        if isinstance(node, ast.Import):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    yield from vars(mosaic(str(node.module)))
                elif alias.asname != alias.name:  # `import x as x` is how a module gives a name to others
                    yield alias.asname or alias.name


def public_members(cls: type) -> set[str]:
    """The public attributes and methods of a class of Mosaic GPU, and the operators that it defines."""
    found = set()
    for each in cls.__mro__:
        if each.__module__.startswith(MOSAIC):
            (node,) = ast.parse(textwrap.dedent(inspect.getsource(each))).body
            found |= set(_attributes(node))
    return {name for name in found if not name.startswith("_") or (name.endswith("__") and name not in _MACHINERY)}


_MACHINERY = {"__init__", "__post_init__", "__repr__", "__str__", "__hash__"}
"""What is called by no name: a constructor is compared as the call of its class."""


def _attributes(cls: ast.stmt) -> Iterator[str]:
    assert isinstance(cls, ast.ClassDef)
    for node in cls.body:
        yield from _bound(node)
        if isinstance(node, ast.FunctionDef):
            for each in ast.walk(node):
                targets = each.targets if isinstance(each, ast.Assign) else [getattr(each, "target", None)]
                for target in targets if isinstance(each, ast.Assign | ast.AnnAssign) else ():
                    if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                        yield target.attr


def classes() -> dict[str, tuple[type, Declared]]:
    """The public classes of Mosaic GPU, each with the class of the typed surface that has its name."""
    found: dict[str, tuple[type, Declared]] = {}
    seen = set()
    for module in MODULES:
        for name, value in public(module).items():
            if isinstance(value, type) and value.__module__.startswith(MOSAIC) and value not in seen:
                seen.add(value)
                if what := exported(module).get(name):
                    found[name if module == "__init__" else f"{module}.{name}"] = value, what
    return found
