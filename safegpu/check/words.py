"""What the author gave and what would do, which argument it is, and of which call."""

import ast
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from safegpu import layouts
from safegpu.check import kernels, stated
from safegpu.check.closer import Site
from safegpu.check.compare import (
    BARRIERS,
    PARAMETERS,
    RAW,
    REFERENCES,
    SCALARS,
    TENSOR_MEMORY,
    differences,
    is_architecture,
    short,
)
from safegpu.check.compare import argument as type_argument
from safegpu.check.mapping import rows_claim
from safegpu.check.matching import TOLD_APART, Argument, Mismatch, Reading, read_as
from safegpu.check.messages import Complaint, of_call
from safegpu.check.operations import ARRAY, SYMBOLS, having, targets
from safegpu.check.surface import SELF, signatures
from safegpu.check.typeexpr import ANYTHING, UNION, Type

NONE = Type("None")
LONG = 150
"""Beyond this a type says nothing to a reader."""
PREDICATES = ("cond", "predicate", "parity")
SWIZZLES = ("swizzle", "a_swizzle", "b_swizzle")
LACKS, MISMATCH = ARCHITECTURE = "SG601", "SG602"
_WIDE_INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (16, 32, 64))
_WIDE_FLOATS = ("float16", "bfloat16", "float32", "float64")
GROUPS = {
    "all integers": (*_WIDE_INTEGERS, *(f"{sign}int{bits}" for sign in ("", "u") for bits in (2, 4, 8))),
    "integers and floats of 16 bits or more": (*_WIDE_INTEGERS, *_WIDE_FLOATS),
    "integers of 16 bits or more": _WIDE_INTEGERS,
    "floats of 16 bits or more": _WIDE_FLOATS,
}
"""Words for dtypes, the ones that say more first."""
CONTEXT = "LaunchContext"
WRITE = "write the literal, or make the variable Final"


def details(
    code: str,
    complaint: Complaint,
    argument: Mismatch | None,
    given: Sequence[Argument] = (),
    receiver: Type | None = None,
    site: Site | None = None,
) -> str:
    """`argument` is the one that the rule claims; `given` are all, where their types are known."""
    if code == "SG309" and argument and argument.parameter in (SELF, "~D", "~Wide"):
        return _operation(complaint, argument)
    if complaint.operation:
        return complaint.operation
    reading = of_call(complaint.call, given).reading if given else complaint.reading
    if code in ARCHITECTURE:
        say = stated.lacking if code == LACKS else stated.other
        return say(complaint.call, _claimed(code, complaint, argument, reading), _tree(site))
    if complaint.call == "as_gpu_kernel":
        return _kernel(reading, argument, site)
    if code == "SG209":
        return _conversion(receiver, argument)
    if code == "SG310":
        return _dtypes(complaint.call, receiver, argument)
    if code == "SG701" and (said := _swizzle(complaint.call, reading, argument)):
        return said
    if code == "SG501" and reading:
        return _pairs(reading)
    if code == "SG502":
        return "argument `ctx` of tcgen05.commit_arrive is missing"
    if code == "SG804" and argument:
        given = "missing" if argument.parameter.startswith("!") else "given alone"
        return f"argument `{argument.parameter.lstrip('!')}` of {_name(complaint.call)} is {given}"
    if code == "SG404" and argument:
        return f"argument `{argument.parameter}` of {_name(complaint.call)}"
    if code == "SG307" and reading:
        return ", ".join(_is(each) for each in reading.pairs if each.got and each.got.name in REFERENCES)
    if code == "SG208" and reading:
        said = [_argument(reading.signature.name, each) for each in reading.misfits]
        return "; ".join(filter(None, [*said, _receiver(receiver)]))
    if (
        code == "SG304"
        and reading
        and (dtype := next((each.got for each in reading.pairs if each.parameter == "dtype"), None))
    ):
        return f"argument `dtype` of {reading.signature.name}: got {_class(dtype)}, expected int2 | uint2"
    if argument is None or argument.expected == NONE:
        return _receiver(receiver)
    if code == "SG501":
        return _pairs(Reading(signatures(complaint.call)[0], complaint.mismatches, (), ())) if complaint else ""
    if complaint.call == "attribute":
        return f"got {argument.got}"
    claimed = [each for each in reading.misfits if rows_claim(code, complaint.call, each)] if reading else []
    if reading and claimed:
        return "; ".join(_argument(reading.signature.name, each) for each in claimed)
    if not argument.parameter.isidentifier():
        pairs = reading.pairs if reading else complaint.mismatches
        typed = [each for each in pairs if each.got and each.got.name in _TYPED and each.parameter != SELF]
        said = ", ".join([*map(_is, typed), *filter(None, [_receiver(receiver)])])
        return said or (f"got {argument.got}" if argument.got else f"the arguments of {_name(complaint.call)}")
    if code in ("SG201", "SG202") and argument.got and argument.expected and "layout" in argument.differs:
        return _register_layouts(code, complaint.call, argument)
    return _argument(reading.signature.name if reading else _name(complaint.call), argument)


def to_do(
    code: str,
    complaint: Complaint,
    argument: Mismatch | None,
    given: Sequence[Argument] = (),
    site: Site | None = None,
) -> str:
    """What to do, where that depends on the arguments."""
    if code != LACKS:
        return ""
    reading = of_call(complaint.call, given).reading if given else complaint.reading
    return stated.instead(complaint.call, _claimed(code, complaint, argument, reading), _tree(site))


def _claimed(code: str, complaint: Complaint, argument: Mismatch | None, reading: Reading | None) -> Sequence[Mismatch]:
    """The arguments that the rule is about."""
    claimed = [each for each in reading.misfits if rows_claim(code, complaint.call, each)] if reading else []
    return claimed or ([argument] if argument else [])


def _tree(site: Site | None) -> ast.Module | None:
    return site.source.tree if site else None


def other_architecture(complaint: Complaint, given: Sequence[Argument], site: Site | None) -> str:
    """Where a kernel's specs and its body go together, and the architecture alone does not."""
    reading = of_call(complaint.call, given).reading if given else complaint.reading
    types = {each.parameter: each.got for each in reading.pairs if each.got} if reading else {}
    return kernels.other_architecture(types, _body(site), lambda name: stated.of_scratch(name, _tree(site)))


_TYPED = REFERENCES | SCALARS | {"FragmentedArray", "WGMMAAccumulator"}


def _pairs(reading: Reading) -> str:
    """Whose each TMEM is, and whose the operation."""
    said = {"Literal[False]": "one block", "Literal[True]": "a pair of blocks"}
    whose = {
        each.parameter: of
        for each in reading.pairs
        if each.got and "TMEM" in each.got.name and (of := type_argument(each.got, "collective"))
    }
    parts = [f"`{name}` is TMEM of {said[str(each)]}" for name, each in whose.items() if str(each) in said]
    name = reading.signature.name
    named = any(each.parameter == "collective" for each in reading.pairs)
    if not named and {str(each) for each in whose.values()} == {"Literal[True]"}:
        return ", ".join([*parts, f"{name} without `collective=True` is of one block"])
    operation = f"`collective` of {name} says otherwise" if named and len(parts) == 1 else f"{name} takes them together"
    return ", ".join([*parts, operation if named or len(parts) > 1 else f"{name} is of one block"])


UNBUNDLE = "write the keywords out, annotate the bundle as dict[str, Any], or use functools.partial"


def bundled(call: ast.Call) -> str:
    """Which keywords of a call no checker sees; empty where all are seen."""
    names = [f"`**{ast.unparse(each.value)}`" for each in call.keywords if each.arg is None]
    return f"the keywords in {_listed(names)} are not seen, only that their values are of one type" if names else ""


def arity(reading: Reading | None) -> str:
    """What is missing or superfluous."""
    if reading is None:
        return ""
    name, positional = reading.signature.name, reading.signature.positional
    if extra := [each for each in reading.superfluous if not each.keyword]:
        if not positional:
            return f"{name} takes keyword arguments only"
        names = _listed(f"`{each.name}`" for each in positional)
        verb = "is" if len(positional) + len(extra) == 1 else "are"
        return (
            f"{name} takes {len(positional)} positional argument{'s' * (len(positional) > 1)} ({names}),"
            f" {len(positional) + len(extra)} {verb} given; the others are given by keyword"
        )
    if reading.missing:
        names = _listed(f"`{each.name}`" for each in reading.missing)
        several = len(reading.missing) > 1
        return f"argument{'s' * several} {names} of {name} {'are' if several else 'is'} missing"
    return ""


def unfit(complaint: Complaint) -> str:
    """The references and barriers that no overload takes, and those that stand where one takes a reference or barrier.

    mypy lists the types of all arguments, where none of several overloads fits.
    """
    overloads = signatures(complaint.call)
    if complaint.reading is None or len(overloads) < 2:
        return ""
    readings = [read_as(each, complaint.given) for each in overloads]
    said = []
    for misfit in complaint.reading.misfits:
        pairs = [each for reading in readings for each in reading.pairs if each.parameter == misfit.parameter]
        names = {one.name for each in pairs if each.expected for one in each.expected.alternatives}
        wanted = tuple(Type(name) for name in sorted(names & TOLD_APART))
        got = {one.name for one in misfit.got.alternatives} if misfit.got else names
        if misfit.parameter != SELF and wanted and not got & names and all(each.differs for each in pairs):
            said.append(_argument(complaint.reading.signature.name, replace(misfit, expected=Type(UNION, wanted))))
    return "; ".join(said)


def _argument(name: str, each: Mismatch) -> str:
    if each.parameter == SELF and each.got:
        return f"the array is {short(each.got)}"
    what = f"argument `{each.parameter}` of {name}: " if each.parameter and name else ""
    if each.got is None:
        return f"{what}it is missing" if what else ""
    if each.expected in (None, NONE, ANYTHING):
        return f"{what}got {_value(short(each.got))}"
    if each.got.name in ("int", "str") and not each.differs:
        return f"{what}got any {each.got}"
    got, expected = _focused(each.got, _nearest(each.got, _scalars(each.expected or ANYTHING, each.parameter)))
    if len(str(expected)) > LONG:
        return f"{what}got {_value(got)}"
    return f"{what}got {_value(got)}, expected {_value(expected)}"


def _scalars(written: Type, parameter: str) -> Type:
    """The type with our scalar in the place of the MLIR value that would do as well."""
    if written.name == "Value" and written.args:
        integer = Type("I1" if parameter in PREDICATES else "I32")
        return {"IndexType": Type("Index"), "IntegerType": integer}.get(written.args[0].name, written)
    return Type(written.name, tuple(_scalars(each, parameter) for each in written.args))


def _focused(got: Type, expected: Type) -> tuple[Type, Type]:
    """Both without the type arguments in which they agree, where the last ones do."""
    got, expected = short(got), short(expected)
    if not {each.name for each in expected.alternatives} & {each.name for each in got.alternatives}:
        # of another class: which swizzle it would have is beside the point
        return got, _without_swizzle(expected)
    if differences(got, expected) == {"dtype"} and got.args:
        one = all(each.name == got.name for each in expected.alternatives)
        if one:
            cut = tuple(dict.fromkeys(Type(each.name, each.args[:1]) for each in expected.alternatives))
            return Type(got.name, got.args[:1]), cut[0] if len(cut) == 1 else Type(UNION, cut)
    return got, expected


def _without_swizzle(expected: Type) -> Type:
    cut = tuple(
        dict.fromkeys(
            Type(each.name, each.args[:1]) if PARAMETERS.get(each.name, ())[1:2] == ("swizzle",) else each
            for each in expected.alternatives
        )
    )
    return cut[0] if len(cut) == 1 else Type(UNION, cut)


def _class(written: Type) -> str:
    """The class that is passed itself."""
    if written.name == "type" and written.args:
        return str(written.args[0])
    return written.name.rpartition(".")[2] or written.name


def _is(each: Mismatch) -> str:
    got = str(short(each.got or ANYTHING))
    return f"`{each.parameter}` is {got}" if each.parameter.isidentifier() else got


def _receiver(receiver: Type | None) -> str:
    """What the object is whose method is called, where its type says more than the method does."""
    if receiver is None:
        return ""
    if receiver.name in BARRIERS:
        return f"the barrier is {short(receiver)}"
    if receiver.name == CONTEXT:
        states = type_argument(receiver, "architecture")
        return f"the context is {receiver}" if states and is_architecture(states) else ""
    what = "array" if receiver.name == ARRAY else "TMEM" if receiver.name in TENSOR_MEMORY else ""
    return f"the {what} is {short(receiver)}" if what and receiver.args else ""


def _conversion(receiver: Type | None, argument: Mismatch | None) -> str:
    target = argument.got if argument else None
    source = receiver.args[-1] if receiver and len(receiver.args) > 1 else None
    if target is None or target.name == "FragmentedArray":
        return f"from {source}" if source else ""
    layout = target.args[-1] if target.args else target
    return f"from {source} to {layout}" if source else f"to {layout}"


def _operation(complaint: Complaint, argument: Mismatch) -> str:
    """The operation that the dtype lacks, and which dtypes have it."""
    method = complaint.call.rpartition(".")[2]
    what = complaint.operation or f"{SYMBOLS.get(method, method)} of {short(argument.got or ANYTHING)}"
    if argument.parameter != SELF:
        return what
    others = having(complaint.call)
    return f"{what}; {_grouped(others)} {'have' if len(others) > 1 else 'has'} it"


def wanted_elsewhere(code: str, call: str, receiver: Type | None, argument: Mismatch | None) -> str:
    """That a conversion exists and gives what is not wanted: what is wanted of it, mypy demands of its target."""
    source, target = _conversion_of(receiver, argument)
    wanted = argument.expected.args if argument and argument.expected else ()
    if code != "SG310" or not (source and target and wanted) or target.name not in targets(call, source):
        return ""
    return f"{_name(call)} gives an array of {target}, and one of {wanted[0]} is expected"


def _conversion_of(receiver: Type | None, argument: Mismatch | None) -> tuple[Type | None, Type | None]:
    """The dtypes from which and to which an array is converted."""
    target = argument.got if argument else None
    if target is not None and target.name == "type" and target.args:
        [target] = target.args
    return receiver.args[0] if receiver and receiver.args else None, target


def _dtypes(call: str, receiver: Type | None, argument: Mismatch | None) -> str:
    """From which dtype to which an array is converted, and to which it can be."""
    source, target = _conversion_of(receiver, argument)
    to = f"to {target}" if target and target.name != ARRAY else ""
    if source is None or not (others := targets(call, source)):
        return to
    return f"{source} {to}; it converts to {_grouped(others)}"


def _swizzle(call: str, reading: Reading | None, argument: Mismatch | None) -> str:
    pairs = {each.parameter: each.got for each in reading.pairs if each.got} if reading else {}
    if said := _operands(pairs):
        return said
    passed = [got for name in SWIZZLES if (got := pairs.get(name))]
    named = [got for got in passed if got.name == "Literal"]
    swizzles = [type_argument(each, "swizzle") for each in pairs.values()]
    buffers = [each for each in swizzles if each and each.name == "Literal"]
    if argument and argument.got and argument.expected:
        expected = _nearest(argument.got, argument.expected)
        own = f"{argument.parameter}_swizzle"
        keyword = own if _takes(call, own) else "swizzle"
        has, takes = type_argument(argument.got, "swizzle"), type_argument(expected, "swizzle")
        if has and takes and (keyword == own or not named):
            omitted = keyword not in pairs and _takes(call, keyword)
            return _other_buffer(has, takes, keyword if omitted else "")
        if argument.parameter in SWIZZLES and argument.got.name != "int" and not named:
            return f"got swizzle {_value(argument.got)}, the buffer has {_value(_literals(argument.expected))}"
    if not buffers:
        return ""
    other = next((each for each in buffers if each not in named), buffers[0])
    has = f"{'the' if len({*buffers}) == 1 else 'a'} buffer has {_value(other)}"
    if named:
        return f"got swizzle {_value(named[0])}, {has}"
    if any(got.name == "int" for got in passed):
        return f"got any int as the swizzle, {has}: {WRITE}"
    return f"got another swizzle, {has}"


def _other_buffer(has: Type, takes: Type, omitted: str) -> str:
    """`omitted` is the keyword that would say which swizzle the call takes, where the call has none."""
    if not omitted:
        return f"the buffer has swizzle {_value(has)}, the call takes {_value(takes)}"
    means = f"{_value(takes)}{' (none)' * (_value(takes) == '16')}"
    return f"the buffer has swizzle {_value(has)}; no `{omitted}=` is seen here, which means {means}"


def _operands(pairs: Mapping[str, Type]) -> str:
    """Of operands that have a swizzle each, those that have another one."""
    said = []
    for keyword in SWIZZLES:
        operand, named = keyword.removesuffix("swizzle").rstrip("_"), pairs.get(keyword)
        swizzle = type_argument(pairs.get(operand, ANYTHING), "swizzle")
        if named is None or swizzle is None or swizzle.name != "Literal":
            continue
        has = f"buffer `{operand}` has {_value(swizzle)}"
        if named.name == "int":
            said.append(f"`{keyword}` is any int, {has}: {WRITE}")
        elif named.name == "Literal" and named != swizzle:
            said.append(f"`{keyword}` is {_value(named)}, {has}")
    return "; ".join(said)


def _takes(call: str, name: str) -> bool:
    return any(one.name == name for each in signatures(call) for one in each.parameters)


def _literals(expected: Type) -> Type:
    return next((each for each in expected.alternatives if each.name == "Literal"), expected)


def _value(written: Type) -> str:
    if all(each.name == "Literal" for each in written.alternatives):
        return " or ".join(", ".join(map(str, each.args)) for each in written.alternatives)
    return str(written)


def _kernel(reading: Reading | None, argument: Mismatch | None, site: Site | None) -> str:
    given: dict[str, Type] = {}
    if reading:
        if missing := arity(reading):
            return missing
        given = {each.parameter: each.got for each in reading.pairs if each.got}
    elif argument and argument.parameter == "body" and argument.got:
        given = {"body": argument.got}
    if said := kernels.disagreement(given, _body(site)):
        return said
    return _argument("as_gpu_kernel", argument) if argument else ""


def _body(site: Site | None) -> str:
    if site is None or site.call is None:
        return "the body"
    named = [each.value for each in site.call.keywords if each.arg == "body"]
    body = [*site.call.args[:1], *named]
    return f"`{ast.unparse(body[0])}`" if body and isinstance(body[0], ast.Name | ast.Attribute) else "the body"


def _nearest(got: Type, expected: Type) -> Type:
    """The alternatives of the same class or kind, if there are such."""
    others = [each for each in expected.alternatives if each != NONE and each.name not in RAW]
    if got.name in SCALARS:
        others = [each for each in others if each.name in SCALARS | {"int", "float"}]
    alike = tuple(each for each in others if each.name == got.name) or tuple(others) or expected.alternatives
    return alike[0] if len(alike) == 1 else Type(UNION, alike)


def _register_layouts(code: str, call: str, argument: Mismatch) -> str:
    """The register layouts that the TMEM takes or gives.

    A store's error lists them. A load's names one; the layout types say what all TMEM that gives it gives.
    """
    got, expected = argument.got or ANYTHING, argument.expected or ANYTHING
    named = {name for each in expected.alternatives if each.args for name in _names(each.args[-1])}
    if code == "SG202" and (given := [each for each in _given() if named <= each]):
        named = set.intersection(*given)
    verb = "takes" if code == "SG201" else "gives"
    what = f"argument `{argument.parameter}` of {call}: got {got.args[-1] if got.args else got}"
    return f"{what}, the TMEM {verb} {' or '.join(sorted(named))}"


def _names(layout: Type) -> set[str]:
    return {each.name for each in layout.alternatives}


def _given() -> list[set[str]]:
    """For each TMEM layout that can be loaded, the register layouts that it loads into."""
    given = []
    for member in vars(layouts).values():
        for base in getattr(member, "__orig_bases__", ()):
            if typing.get_origin(base) is layouts.Gives:
                [argument] = typing.get_args(base)
                given.append({layout.__name__ for layout in typing.get_args(argument) or (argument,)})
    return given


def _name(call: str) -> str:
    if call == "operator" or call.endswith("__setitem__"):
        return ""
    return next((each.name for each in signatures(call)), call)


def _grouped(names: Sequence[str]) -> str:
    """Dtypes, those together that a word says."""
    said, left = [], list(names)
    for word, group in GROUPS.items():
        if set(group) <= set(left):
            said.append(word)
            left = [each for each in left if each not in group]
    words = [*left, *said]
    return ", ".join(words) if any(" and " in each for each in words) else _listed(words)


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
