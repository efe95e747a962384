"""mypy's sentences, taken apart: which callable, and which of its arguments was got and which expected."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from safegpu.check.compare import BARRIERS, RAW, REFERENCES, differences, short
from safegpu.check.table import SIGNATURES
from safegpu.check.typeexpr import UNION, Type, parse

ARRAY = "FragmentedArray"
SPLAT = Type("Splat")
ANYTHING = Type("Any")
TOLD_APART = REFERENCES | BARRIERS

MARKER = re.compile(r'"(SG\d{3})_\w+"')


@dataclass(frozen=True)
class Mismatch:
    """One argument that mypy names. `parameter` is written as in `table.py`, empty where it is unknown."""

    parameter: str
    got: Type | None = None
    expected: Type | None = None


@dataclass(frozen=True)
class Complaint:
    """A message of mypy: the callable as `table.py` names it, and its arguments."""

    call: str
    mismatches: tuple[Mismatch, ...] = ()
    operation: str = ""
    """An operator with the types of its operands, as the author wrote it."""

    @property
    def of_variable(self) -> bool:
        return any(each.parameter.startswith("~") for each in self.mismatches)


def read(message: str, code: str = "") -> Complaint | None:
    """The complaint that a message states, or None where it is none of the forms known here.

    `code` is mypy's error code; where it is given only the forms of that code are tried.
    """
    for codes, pattern, build in _FORMS:
        if (not code or code in codes) and (match := pattern.search(message)):
            return build(match)
    return None


def _argument(match: re.Match[str]) -> Complaint:
    call = _call(match)
    parameter = match["name"] or _parameter(call, int(match["position"]))
    return Complaint(call, (Mismatch(parameter, parse(match["got"]), parse(match["expected"])),))


def _variable(match: re.Match[str]) -> Complaint:
    got = match.groupdict().get("got")
    return Complaint(_call(match), (Mismatch(f"~{match['variable'].lstrip('_')}", parse(got) if got else None),))


def _attribute(match: re.Match[str]) -> Complaint:
    return Complaint("attribute", (Mismatch(match["attribute"], parse(match["got"])),))


def _operator(match: re.Match[str]) -> Complaint:
    left, right = parse(match["left"]), parse(match["right"])
    operation = f"{short(left)} {match['operator']} {short(right)}"
    return Complaint("operator", (Mismatch("other", right, _combinable(left)),), operation)


def _item_assignment(match: re.Match[str]) -> Complaint:
    mismatch = Mismatch("value", parse(match["got"]), parse(match["expected"]))
    return Complaint(f"{ARRAY}.__setitem__", (mismatch,))


def _overload(match: re.Match[str]) -> Complaint:
    call = _call(match)
    got = [parse(written) for written in re.findall(r'"([^"]*)"', match["types"])]
    readings = [_pair(signature, got) for signature in SIGNATURES.get(call, ("",))]
    return Complaint(call, min(readings, key=_misfits))


_CALLEE = r'"(?P<function>[^"]+)"(?: of "(?P<owner>[^"]+)")?'
_GOT = r'"(?P<got>[^"]*)"'
_EXPECTED = r'"(?P<expected>[^"]*)"'

_FORMS: tuple[tuple[tuple[str, ...], re.Pattern[str], Callable[[re.Match[str]], Complaint]], ...] = (
    (
        ("arg-type",),
        re.compile(
            rf'^Argument (?:"(?P<name>\w+)"|(?P<position>\d+)) to {_CALLEE} has incompatible type {_GOT};'
            rf" expected {_EXPECTED}"
        ),
        _argument,
    ),
    (
        ("type-var", "misc"),
        re.compile(rf'^Value of type variable "(?P<variable>\w+)" of {_CALLEE} cannot be {_GOT}'),
        _variable,
    ),
    (
        ("misc",),
        re.compile(rf'^Cannot infer value of type parameter "(?P<variable>\w+)" of {_CALLEE}'),
        _variable,
    ),
    (
        ("call-overload",),
        re.compile(rf"^No overload variant of {_CALLEE} matches argument types? (?P<types>.*)"),
        _overload,
    ),
    (
        ("operator",),
        re.compile(r'^Unsupported operand types for (?P<operator>\S+) \("(?P<left>[^"]*)" and "(?P<right>[^"]*)"\)'),
        _operator,
    ),
    (
        ("assignment",),
        re.compile(rf"^Incompatible types in assignment \(expression has type {_GOT}, target has type {_EXPECTED}\)"),
        _item_assignment,
    ),
    (
        ("attr-defined", "union-attr"),
        re.compile(rf'^(?:Item )?{_GOT}(?: of "[^"]*")? has no attribute "(?P<attribute>\w+)"'),
        _attribute,
    ),
)


def _call(match: re.Match[str]) -> str:
    owner = match["owner"]
    return f"{parse(owner).name}.{match['function']}" if owner else match["function"]


def _parameter(call: str, position: int) -> str:
    positional, _ = _parameters(SIGNATURES.get(call, ("",))[0])
    return positional[position - 1].name if position <= len(positional) else str(position)


def _combinable(left: Type) -> Type:
    """What an array can be combined with: its own dtype in its own layout; a splat array goes with all."""
    if left.name != ARRAY or len(left.args) < 2:
        return left
    dtype, layout = left.args
    if layout == SPLAT:
        return Type(ARRAY, (dtype, ANYTHING))
    return Type(UNION, (left, Type(ARRAY, (dtype, SPLAT))))


# --- overloads


@dataclass(frozen=True)
class _Parameter:
    name: str
    takes: Type
    optional: bool


def _parameters(signature: str) -> tuple[list[_Parameter], list[_Parameter]]:
    """The positional and the keyword-only parameters."""
    positional, _, keywords = signature.partition("*, ")
    return _list(positional), _list(keywords)


def _list(text: str) -> list[_Parameter]:
    pairs = (part.split(": ") for part in text.split(", ") if part)
    return [_Parameter(name.rstrip("?"), parse(takes), name.endswith("?")) for name, takes in pairs]


def _pair(signature: str, got: list[Type]) -> tuple[Mismatch, ...]:
    """The arguments of a call, each with the parameter that it is for.

    mypy lists the types of keyword arguments without their names: these are told apart by what they are.
    """
    positional, keywords = _parameters(signature)
    pairs = [Mismatch(each.name, mine, each.takes) for mine, each in zip(got, positional, strict=False)]
    unpaired = []
    for mine in got[len(positional) :]:
        for each in keywords:
            if not differences(mine, each.takes):
                keywords.remove(each)
                pairs.append(Mismatch(each.name, mine, each.takes))
                break
        else:
            unpaired.append(mine)
    for mine in sorted(unpaired, key=lambda each: each.name not in TOLD_APART):
        if mine.name in TOLD_APART | RAW and keywords:
            each = keywords.pop(0)
            pairs.append(Mismatch(each.name, mine, each.takes))
        else:
            pairs.append(Mismatch("", mine))
    missing = [each for each in (*positional[len(got) :], *keywords) if not each.optional]
    pairs.extend(Mismatch(each.name, None, each.takes) for each in missing)
    if not _misfits(tuple(pairs)):
        pairs.append(Mismatch("()"))
    return tuple(pairs)


def _misfits(pairs: tuple[Mismatch, ...]) -> int:
    return sum(_misfits_one(each) for each in pairs)


def _misfits_one(each: Mismatch) -> bool:
    if each.expected is None:
        return each.got is not None and each.got.name in TOLD_APART
    return each.got is None or bool(differences(each.got, each.expected))
