"""The typed surface is whole: every public name of Mosaic GPU, and every parameter under its own name."""

import ast
import importlib
import inspect
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax.experimental.mosaic.gpu as raw
import pytest

import safegpu

PACKAGE = Path(safegpu.__file__).parent
MIRRORS = ("fragmented_array", "launch_context", "profiler", "tcgen05", "utils")


def declared(module: str) -> Iterator[tuple[str, ast.AST]]:
    """The names that a checker finds in this module of the typed surface, with what declares each."""
    for node in ast.parse((PACKAGE / f"{module}.pyi").read_text()).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node
            case ast.ImportFrom(names=names):
                yield from ((alias.asname, node) for alias in names if alias.asname)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.TypeAlias(name=ast.Name(id=name)):
                yield name, node
            case ast.Assign(targets=targets):
                yield from ((target.id, node) for target in targets if isinstance(target, ast.Name))


def public(module: types.ModuleType) -> set[str]:
    """The names that this module of Mosaic GPU defines for others."""
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not isinstance(value, types.ModuleType)
        and getattr(value, "__module__", module.__name__).startswith("jax.experimental.mosaic.gpu")
        and not (module is not raw and getattr(value, "__module__", module.__name__) != module.__name__)
    }


def test_every_public_name_is_typed() -> None:
    assert public(raw) - dict(declared("__init__")).keys() == set()


@pytest.mark.parametrize("name", MIRRORS)
def test_every_public_name_of_a_mirrored_module_is_typed(name: str) -> None:
    module = importlib.import_module(f"jax.experimental.mosaic.gpu.{name}")
    # Constants that a module takes from another by `from . import *`.
    foreign = {"profiler": {n for n in public(module) if n.isupper()}}.get(name, set())
    assert public(module) - foreign - dict(declared(name)).keys() == set()


# --- parameters


def functions(module: str) -> dict[str, list[ast.arguments]]:
    """The arguments of each function and method, one entry an overload."""
    found: dict[str, list[ast.arguments]] = {}
    for name, node in declared(module):
        if isinstance(node, ast.FunctionDef):
            found.setdefault(name, []).append(node.args)
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and not method.name.startswith("__"):
                    found.setdefault(f"{name}.{method.name}", []).append(method.args)
    return found


def mosaic_gpu(path: str) -> list[inspect.Parameter] | None:
    """The parameters of Mosaic GPU's function of this name; None where there is none or they have no names."""
    value: Any = raw
    for part in path.split("."):
        value = inspect.getattr_static(value, part, None)
        value = getattr(value, "__func__", value)
    if not inspect.isfunction(value):
        return None
    given = [each for name, each in inspect.signature(value).parameters.items() if name not in ("self", "cls")]
    if any(each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in given):
        return None
    return [each for each in given if each.kind is not each.POSITIONAL_ONLY]


CASES = {
    f"{module}.{name}": (overloads, expected)
    for module in (*MIRRORS, "barriers", "kernel", "matmul", "refs", "scalars")
    for name, overloads in functions(module).items()
    if (expected := mosaic_gpu(f"{module}.{name}" if module in MIRRORS else name)) is not None
}
"""What has a counterpart in Mosaic GPU."""


@pytest.mark.parametrize(("overloads", "expected"), CASES.values(), ids=CASES)
def test_parameters_are_mosaic_gpus(overloads: list[ast.arguments], expected: list[inspect.Parameter]) -> None:
    positional = [each.name for each in expected if each.kind is each.POSITIONAL_OR_KEYWORD]
    named = set()
    for overload in overloads:
        order = [each.arg for each in overload.args if each.arg not in ("self", "cls")]
        assert order == positional[: len(order)]
        named |= {each.arg for each in [*overload.args, *overload.kwonlyargs]} - {"self", "cls"}
    assert {each for each in named if not each.startswith("SG")} == {each.name for each in expected}
