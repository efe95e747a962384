"""Every typed signature against Mosaic GPU's own: names, kinds, order, and which parameters have defaults.

An overload may leave out what has a default, or ask for it; together the overloads take every parameter. A keyword that
Mosaic GPU has not is keyword-only and optional, or the `SGnnn_advice: Never` of an overload that forbids the call.
"""

import ast
import enum
import functools
import inspect
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from safegpu._jax import LACKING
from tests.surface.reading import MODULES, Declared, classes, exported, members, mosaic, public

MARKER = re.compile(r"SG\d{3}_\w+")
POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD
KEYWORD = inspect.Parameter.KEYWORD_ONLY
VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

OURS = {
    "BarrierArray": "utils.BarrierRef",
    "CollectiveBarrierArray": "utils.CollectiveBarrierRef",
    "DenseTMEM": "tcgen05.TMEMRef",
    "ScalesTMEM": "tcgen05.TMEMRef",
    "SparseMetaTMEM": "tcgen05.TMEMRef",
}
"""Classes that Mosaic GPU has as one, and that one."""

MADE_ELSEWHERE = {
    "LaunchContext": "`as_gpu_kernel` makes the context",
    "BarrierRef": "barriers come of specs, `initialize` or `wrap`",
    "CollectiveBarrierRef": "barriers come of specs, `initialize` or `wrap`",
    "DialectBarrierRef": "barriers come of specs, `initialize` or `wrap`",
    "WGMMAAccumulator": "its parameters are private: `zero` and `from_registers` make one",
    "utils.MultimemRef": "`LaunchContext.to_remote_multicast` makes one",
    "utils.ForResult": "`fori` makes it",
}
"""The classes whose constructor is not typed, and where their objects come from."""

PASSES_ON = {
    "CollectiveBarrierRef.wait": "BarrierRef.wait",
    "CollectiveBarrierRef.wait_parity": "BarrierRef.wait_parity",
}
"""Methods that hand `*args` and `**kwargs` on, and to which."""


LATER = {
    "__init__.as_gpu_kernel": {"is_multi_process"},
    "tcgen05.commit_arrive": {"predicate"},
    "utils.parse_indices": {"allow_negative"},
    "BarrierRef.arrive_expect_tx": {"tensor_core_order_scope"},
    "FragmentedArray.reduce": {"target_layout"},
    "TiledLayout.reduce": {"local_only", "op"},
    "TiledLayout.remove_dimension": {"local_only", "op"},
    "TiledLayout.__init__": {"unreduced_operation"},
    "tcgen05.TMEMLayout.reduce": {"local_only", "op"},
    "tcgen05.TMEMLayout.remove_dimension": {"local_only", "op"},
    "tcgen05.TMEMLayout.__init__": {"unreduced_operation"},
}
"""Parameters that are typed, and that came with jax 0.12: names are in `safegpu._jax.SINCE`."""


class Parameter(NamedTuple):
    kind: Any
    required: bool


type Signature = dict[str, Parameter]


def own(function: Any, *, bound: bool = False) -> Signature:
    """The parameters of a function of Mosaic GPU."""
    given = list(inspect.signature(function).parameters.values())[bound:]
    return {each.name: Parameter(each.kind, each.default is each.empty) for each in given}


def typed(node: ast.FunctionDef, *, bound: bool) -> Signature:
    """The parameters of one overload."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args][bound:]
    found = {}
    for at, each in enumerate(positional):
        kind = inspect.Parameter.POSITIONAL_ONLY if each in arguments.posonlyargs else POSITIONAL
        found[each.arg] = Parameter(kind, at < len(positional) - len(arguments.defaults))
    if arguments.vararg:
        found[arguments.vararg.arg] = Parameter(VARIADIC[0], True)
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found[each.arg] = Parameter(KEYWORD, default is None)
    if arguments.kwarg:
        found[arguments.kwarg.arg] = Parameter(VARIADIC[1], True)
    return found


def forbids(overload: Signature) -> bool:
    return any(MARKER.fullmatch(name) for name in overload)


def complaints(overloads: list[Signature], raw: Signature) -> Iterator[str]:
    """Where the overloads say other than the function of Mosaic GPU."""
    if [each.kind for each in raw.values()] == [VARIADIC[0]]:
        # parameters without names, one by one
        kinds = {each.kind for overload in overloads for each in overload.values()}
        assert kinds <= {inspect.Parameter.POSITIONAL_ONLY, VARIADIC[0]}
        return
    allowed = [each for each in overloads if not forbids(each)]
    for overload in overloads:
        yield from _of_one(overload, raw) if overload in allowed else _of_marker(overload)
    for name, parameter in raw.items() if allowed else ():
        having = [overload[name] for overload in allowed if name in overload]
        if not having:
            yield f"{name}: in no overload"
        elif parameter.kind not in {each.kind for each in having}:
            yield f"{name}: {parameter.kind.description} in no overload"
        elif not parameter.required and len(having) == len(allowed) and all(each.required for each in having):
            yield f"{name}: has a default, and every overload asks for it"


def _of_one(overload: Signature, raw: Signature) -> Iterator[str]:
    mine, theirs = (
        [name for name, each in signature.items() if each.kind is not KEYWORD] for signature in (overload, raw)
    )
    if mine != theirs[: len(mine)]:
        yield f"{mine}: not the first of {theirs}"
    for name, parameter in overload.items():
        if name not in raw:
            if parameter.required or parameter.kind is not KEYWORD:
                yield f"{name}: Mosaic GPU has no such parameter"
        elif raw[name].required and not parameter.required:
            yield f"{name}: Mosaic GPU asks for it"
        elif parameter.kind not in (raw[name].kind, KEYWORD if raw[name].kind is POSITIONAL else raw[name].kind):
            yield f"{name}: {parameter.kind.description}, and in Mosaic GPU {raw[name].kind.description}"
    for name, parameter in raw.items():
        if parameter.required and name not in overload and parameter.kind not in VARIADIC:
            yield f"{name}: Mosaic GPU asks for it, and an overload has it not"


def _of_marker(overload: Signature) -> Iterator[str]:
    """It takes all arguments, so that nothing but the marker is missing."""
    kinds = [each.kind for name, each in overload.items()]
    if kinds != [VARIADIC[0], KEYWORD, VARIADIC[1]]:
        yield f"{list(overload)}: an overload that forbids takes *args, its marker and **kwargs"


# --- what there is to compare


class Case(NamedTuple):
    declared: Declared
    raw: Any
    """As it stands in its module or class: a `classmethod` is one."""
    in_class: bool = False


def cases() -> Iterator[tuple[str, Case]]:
    for module in MODULES:
        for name, value in public(module).items():
            what = exported(module).get(name)
            if what and what.functions:  # a spec, too, is to a checker a function
                yield f"{module}.{name}", Case(what, value)
    for name, (cls, what) in pairs().items():
        mine = members(what)
        for member, declared in mine.items():
            value = inspect.getattr_static(*_defined(cls, f"{name}.{member}"), None)
            if member not in ("__init__", "__new__") and (inspect.isfunction(value) or _kind(value) != "function"):
                yield f"{name}.{member}", Case(declared, value, in_class=True)
        constructor = mine.get("__init__") or mine.get("__new__")
        if constructor and name not in OURS:
            yield f"{name}.__init__", Case(constructor, cls, in_class=True)


def pairs() -> dict[str, tuple[type, Declared]]:
    """The classes of Mosaic GPU, some under several names, each with the class of the typed surface."""
    found = {name: pair for name, pair in classes().items() if pair[1].of_class}
    for name, counterpart in OURS.items():
        module, _, cls = counterpart.partition(".")
        found[name] = getattr(mosaic(module), cls), exported("__init__")[name]
    return found


def _defined(cls: type, path: str) -> tuple[type, str]:
    """The class and the name of the method that takes the parameters of the one at `path`."""
    owner, _, method = PASSES_ON.get(path, path).rpartition(".")
    return (getattr(mosaic("utils"), owner) if path in PASSES_ON else cls), method


def _kind(value: Any) -> str:
    match value:
        case staticmethod() | classmethod() | property():
            return type(value).__name__
        case functools.cached_property():
            return "property"
    return "function"


def _declared_kind(node: ast.FunctionDef) -> str:
    names = [ast.unparse(each) for each in node.decorator_list]
    return next((each for each in names if each in ("staticmethod", "classmethod", "property")), "function")


CASES = dict(cases())


@pytest.mark.parametrize(("name", "case"), CASES.items(), ids=CASES)
def test_signature(name: str, case: Case) -> None:
    kind = _kind(case.raw)
    if kind == "property":
        assert [_declared_kind(node) for node in case.declared.functions] in (["property"], [])
        return
    assert {_declared_kind(node) for node in case.declared.functions} == {kind}
    function = case.raw.__func__ if kind in ("staticmethod", "classmethod") else case.raw
    bound = case.in_class and kind != "staticmethod"
    overloads = [typed(node, bound=bound) for node in case.declared.functions]
    raw = own(function, bound=bound and not isinstance(case.raw, type))
    later = LATER.get(name, set()) - raw.keys()
    assert list(complaints([*without(later, overloads)], raw)) == []


def without(later: set[str], overloads: list[Signature]) -> Iterator[Signature]:
    """The overloads as they are for a jax that lacks these parameters."""
    for overload in overloads:
        if not any(overload[name].required for name in later & overload.keys()):
            yield {name: parameter for name, parameter in overload.items() if name not in later}


def test_later_parameters_came_with_a_later_jax() -> None:
    """On that one they are there, all of them; on the one before, none."""
    there = {name: LATER[name] & own(_raw(CASES[name])).keys() for name in LATER}
    assert there == ({name: set() for name in LATER} if LACKING else LATER)


def _raw(case: Case) -> Any:
    return case.raw.__func__ if _kind(case.raw) in ("staticmethod", "classmethod") else case.raw


def test_there_is_something_to_compare() -> None:
    assert len(CASES) > 300


def test_constructors_that_are_not_typed_have_a_reason() -> None:
    untyped = {
        name
        for name, (cls, what) in classes().items()
        if what.of_class
        and not {"__init__", "__new__"} & members(what).keys()
        and not (issubclass(cls, enum.Enum | Exception) or getattr(cls, "_is_protocol", False))
        and own(cls)
    }
    assert untyped == MADE_ELSEWHERE.keys()


# --- that the comparison sees a difference


def made(number: int, shape: int, layout: int = 0, *, signed: bool = False) -> None: ...


@pytest.mark.parametrize(
    ("stub", "said"),
    [
        ("def made(number, shape, layout=..., *, signed=...): ...", ""),
        ("def made(number, shape, layout, *, signed, ours=...): ...\ndef made(number, shape): ...", ""),
        (
            "def made(number, shape, *, layout, signed): ...\ndef made(number, shape, layout=..., *, signed=...): ...",
            "",
        ),
        ("def made(*args, SG101_write_it_otherwise, **kwargs): ...", ""),
        ("def made(shape, number, layout=..., *, signed=...): ...", "not the first of"),
        ("def made(numbers, shape, layout=..., *, signed=...): ...", "not the first of"),
        ("def made(number, shape, layout=..., signed=...): ...", "signed: "),
        ("def made(number, shape, layout=...): ...", "signed: in no overload"),
        ("def made(number, shape, *, layout=..., signed=...): ...", "layout: positional or keyword in no overload"),
        ("def made(number, shape=..., layout=..., *, signed=...): ...", "shape: Mosaic GPU asks for it"),
        ("def made(number, shape, layout, *, signed=...): ...", "layout: has a default"),
        ("def made(number, shape, layout=..., *, signed=..., more): ...", "more: Mosaic GPU has no such parameter"),
        ("def made(number, *, SG101_write_it_otherwise): ...", "an overload that forbids takes"),
    ],
)
def test_a_difference_is_seen(stub: str, said: str) -> None:
    overloads = [typed(node, bound=False) for node in ast.parse(stub).body if isinstance(node, ast.FunctionDef)]
    found = list(complaints(overloads, own(made)))
    assert any(said in each for each in found) if said else found == []
