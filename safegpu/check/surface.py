"""The typed surface as its stubs spell it: the overloads of each callable, read when a message is about one.

The stubs are what mypy checked against, so the names and types of parameters come from them and from nowhere else.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from safegpu.check.rows import spelled_out
from safegpu.check.typeexpr import ANYTHING, UNION, Type, parse

PACKAGE = Path(__file__).parents[1]
MARKED = re.compile(r"SG\d{3}_")
SELF = "self"
"""Of a method that some receivers have: its object, whose type the author cannot choose at the call."""
CARRIER = re.compile(r"In[A-Z]\w+")
OF_SUBMODULE = frozenset(["tcgen05", "profiler"])
"""Modules whose functions are not names of `safegpu` itself."""


@dataclass(frozen=True)
class Parameter:
    name: str
    takes: Type
    required: bool
    positional: bool


@dataclass(frozen=True, eq=False)
class Signature:
    """One overload. `variables` says what each of its type variables can stand for."""

    name: str
    """As an author writes it: `tcgen05.mma`, `FragmentedArray.store_tiled`."""
    parameters: tuple[Parameter, ...]
    variables: Mapping[str, Type]
    takes_anything: bool

    @property
    def positional(self) -> list[Parameter]:
        return [each for each in self.parameters if each.positional]

    @property
    def keywords(self) -> list[Parameter]:
        return [each for each in self.parameters if not each.positional and each.name != SELF]


def signatures(call: str) -> tuple[Signature, ...]:
    """The overloads of `function`, `Class.method`, or of a class that is called; none where it is not ours."""
    known = _surface()
    return known.get(call) or known.get(f"{call}.__init__") or known.get(f"{call}.__new__") or ()


@cache
def bases() -> dict[str, list[Type]]:
    """The bases of each class of the stubs."""
    classes = [node for path in _stubs() for node in _parsed(path).body if isinstance(node, ast.ClassDef)]
    return {node.name: [_written(each) for each in node.bases] for node in classes}


def as_class(written: Type, name: str) -> Type | None:
    """The type as one of the class `name`, which is its own or a base of it; None where it is not."""
    if written.name == name:
        return written
    known = bases().get(written.name, [])
    generic = next((each for each in known if each.name == "Generic"), None) or next(iter(known), None)
    values = dict(zip((each.name for each in generic.args), written.args, strict=False)) if generic else {}
    above = (as_class(each.replaced(values), name) for each in known if each.name != "Generic")
    return next((each for each in above if each), None)


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _surface() -> dict[str, tuple[Signature, ...]]:
    modules = [_Module(path.stem, _parsed(path)) for path in _stubs()]
    aliases = {name: alias for module in modules for name, alias in module.aliases.items()}
    variables = {name: limit for module in modules for name, limit in module.variables.items()}
    found: dict[str, list[Signature]] = {}
    for module in modules:
        # a name means what its own module says; what it imports is found among the others
        module.aliases, module.variables = aliases | module.aliases, variables | module.variables
        for owner, node in module.functions():
            if signature := module.signature(owner, node):
                found.setdefault(f"{owner}.{node.name}" if owner else node.name, []).extend(_spelled_out(signature))
    return {name: tuple(overloads) for name, overloads in found.items()}


def _spelled_out(signature: Signature) -> Iterator[Signature]:
    """The signature, once for each row where its dtypes are those of a table."""
    takes = tuple(each.takes for each in signature.parameters)
    for written, variables in spelled_out(takes, signature.variables, carriers()):
        parameters = zip(signature.parameters, written, strict=True)
        yield replace(
            signature,
            parameters=tuple(replace(each, takes=one) for each, one in parameters),
            variables=variables,
        )


@cache
def carriers() -> dict[str, str]:
    """The class behind each base that carries a dtype of a table (`InTmem`)."""
    return {
        base.name: name for name, above in bases().items() for base in above if base.name.startswith("In") and base.args
    }


def _stubs() -> list[Path]:
    return sorted(PACKAGE.glob("*.pyi"))


@dataclass
class _Module:
    name: str
    tree: ast.Module
    aliases: dict[str, tuple[list[str], Type]] = field(init=False)
    variables: dict[str, Type] = field(init=False)

    def __post_init__(self) -> None:
        self.aliases, self.variables = {}, {}
        for node in self.tree.body:
            if isinstance(node, ast.TypeAlias):
                self.aliases[node.name.id] = _names(node.type_params), _written(node.value)
            elif isinstance(node, ast.ImportFrom):
                renamed = [each for each in node.names if each.asname and each.asname != each.name]
                self.aliases |= {str(each.asname): ([], Type(each.name)) for each in renamed}
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                [target], call = node.targets, node.value
                if isinstance(target, ast.Name) and ast.unparse(call.func) == "TypeVar":
                    bounds = [each.value for each in call.keywords if each.arg == "bound"]
                    self.variables[target.id] = _limit(call.args[1:] or bounds)

    def functions(self) -> Iterator[tuple[str, ast.FunctionDef]]:
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef):
                yield "", node
            elif isinstance(node, ast.ClassDef):
                yield from ((node.name, each) for each in node.body if isinstance(each, ast.FunctionDef))

    def signature(self, owner: str, node: ast.FunctionDef) -> Signature | None:
        """None for an overload that forbids the call."""
        if any(MARKED.match(each.arg) for each in node.args.kwonlyargs):
            return None
        limits = {
            each.name: _limit(
                each.bound.elts if isinstance(each.bound, ast.Tuple) else [each.bound] if each.bound else []
            )
            for each in node.type_params
            if isinstance(each, ast.TypeVar)
        }
        arguments = node.args
        plain = [*arguments.posonlyargs, *arguments.args]
        optional = len(plain) - len(arguments.defaults)
        static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list)
        first = 1 if owner and not static else 0
        parameters = [self._parameter(each, at < optional, True) for at, each in enumerate(plain) if at >= first]
        if first and plain and plain[0].annotation:
            parameters.insert(0, self._parameter(plain[0], False, False))
        for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            parameters.append(self._parameter(each, default is None, False))
        made = node.name in ("__init__", "__new__")
        shown = owner.lstrip("_")
        qualified = shown if made else f"{shown}.{node.name}" if owner else node.name
        if not owner and self.name in OF_SUBMODULE:
            qualified = f"{self.name}.{node.name}"
        variables = {name: self._expanded(limit) for name, limit in (self.variables | limits).items()}
        return Signature(qualified, tuple(parameters), variables, bool(arguments.vararg or arguments.kwarg))

    def _parameter(self, node: ast.arg, required: bool, positional: bool) -> Parameter:
        takes = self._expanded(_written(node.annotation)) if node.annotation else ANYTHING
        return Parameter(node.arg, takes, required, positional)

    def _expanded(self, written: Type) -> Type:
        """The type without aliases; `X | (Y | Z)` is flat."""
        args = tuple(self._expanded(each) for each in written.args)
        if written.name == UNION:
            return Type(UNION, tuple(one for each in args for one in each.alternatives))
        if written.name in self.aliases:
            names, value = self.aliases[written.name]
            substituted = value.replaced(dict(zip(names, args, strict=False))) if names else value
            return self._expanded(substituted)
        return Type(written.name, args)


def _names(parameters: list[ast.type_param]) -> list[str]:
    return [each.name for each in parameters if isinstance(each, ast.TypeVar)]


def _written(node: ast.expr) -> Type:
    return parse(ast.unparse(node))


def _limit(nodes: list[ast.expr]) -> Type:
    limits = [_written(each) for each in nodes]
    if not limits:
        return ANYTHING
    return limits[0] if len(limits) == 1 else Type(UNION, tuple(limits))
