"""mypy's sentences, taken apart: which callable, and which of its arguments was got and which expected."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from safegpu.check.compare import differences, short
from safegpu.check.matching import POSITIONAL, UNKNOWN, Argument, Mismatch, Reading, best
from safegpu.check.operations import ARRAY, SYMBOLS, lacking, operator
from safegpu.check.rows import of_all_rows
from safegpu.check.surface import carriers, signatures
from safegpu.check.typeexpr import ANYTHING, UNION, Type, parse

SPLAT = Type("Splat")
INT = Type("int")

MARKER = re.compile(r'"(SG\d{3})_\w+"')
UNEXPECTED_KEYWORD = re.compile(r'^Unexpected keyword argument "\w+" for (?:overloaded function )?"(?P<function>\w+)"')


@dataclass(frozen=True)
class Complaint:
    """A message of mypy: the callable as `table.py` names it, and its arguments."""

    call: str
    mismatches: tuple[Mismatch, ...] = ()
    operation: str = ""
    """An operator with the types of its operands, as the author wrote it."""
    reading: Reading | None = None
    """The overload that the call is nearest to, where mypy lists the types of all arguments."""
    given: tuple[Argument, ...] = ()
    """These arguments."""

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
    expected = of_all_rows(parse(match["expected"]), carriers())
    parameter = match["name"] or _parameter(call, int(match["position"]), expected)
    got = parse(match["got"])
    if got == INT and any(each.name == "Literal" for each in expected.alternatives):
        got = Type("Literal", (INT,))  # here, and only here, mypy means an int that is no literal
    return Complaint(call, (Mismatch(parameter, got, expected),))


def _variable(match: re.Match[str]) -> Complaint:
    got = match.groupdict().get("got")
    return Complaint(_call(match), (Mismatch(f"~{match['variable'].lstrip('_')}", parse(got) if got else None),))


def _type_argument(match: re.Match[str]) -> Complaint:
    return Complaint(match["owner"], (Mismatch("[]", parse(match["got"]), parse(match["expected"])),))


def _attribute(match: re.Match[str]) -> Complaint:
    return Complaint("attribute", (Mismatch(match["attribute"], parse(match["got"])),))


def _operator(match: re.Match[str]) -> Complaint:
    left, right = parse(match["left"]), parse(match["right"])
    operation = f"{short(left)} {match['operator']} {short(right)}"
    decides = operator(match["operator"], left, right)
    if decides and lacking(*decides):
        array, method = decides
        return Complaint(f"{ARRAY}.{method}", (Mismatch("self", array),), operation)
    if decides == (right, "__rtruediv__") and right.args[1:] == (SPLAT,):
        return Complaint(f"{ARRAY}.__rtruediv__", (Mismatch("self", right),), operation)
    if right.name == ARRAY and left.name != ARRAY:
        left, right = right, left
    if match["operator"] == "**" and left.name == ARRAY and not differences(right, _combinable(left)):
        return Complaint(f"{ARRAY}.__pow__", (Mismatch("other", right),), operation)
    return Complaint("operator", (Mismatch("other", right, _combinable(left)),), operation)


def _operand(match: re.Match[str]) -> Complaint:
    got, method = parse(match["got"]), match["function"]
    operation = f"{ARRAY} {SYMBOLS.get(method, method)} {short(got)}"
    call = f"{ARRAY}.{method}" if method == "__pow__" else "operator"
    return Complaint(call, (Mismatch("other", got, Type(ARRAY, (ANYTHING, ANYTHING))),), operation)


def _item_assignment(match: re.Match[str]) -> Complaint:
    mismatch = Mismatch("value", parse(match["got"]), parse(match["expected"]))
    return Complaint(f"{ARRAY}.__setitem__", (mismatch,))


def _index(match: re.Match[str]) -> Complaint:
    owner = parse(match["owner"]).name
    parameter = "idx" if owner == ARRAY else "offset"
    return Complaint(f"{owner}.__getitem__", (Mismatch(parameter, parse(match["got"]), parse(match["expected"])),))


def _joined(match: re.Match[str]) -> Complaint:
    return Complaint("concatenate", (Mismatch("arrays", parse(match["got"]), parse(f"{ARRAY}{match['joined']}")),))


def _forbidden(match: re.Match[str]) -> Complaint:
    return Complaint(_call(match))


def _self_argument(match: re.Match[str]) -> Complaint:
    got = parse(match["got"])
    expected = parse(match["expected"]) if match["expected"] else None
    return Complaint(f"{got.name}.{match['function']}", (Mismatch("self", got, expected),))


def _overload(match: re.Match[str]) -> Complaint:
    call = _call(match)
    got = [parse(written) for written in re.findall(r'"([^"]*)"', match["types"])]
    overloads = signatures(call)
    required = (sum(one.required for one in each.positional) for each in overloads)
    positional = min(required, default=len(got))
    keywords = [POSITIONAL if at < positional else UNKNOWN for at in range(len(got))]
    return of_call(call, [Argument(*each) for each in zip(got, keywords, strict=True)])


def of_call(call: str, given: Sequence[Argument]) -> Complaint:
    """The complaint about a call with these arguments, of which none of its overloads takes all."""
    reading = best(signatures(call), given)
    if reading is None:
        return Complaint(call, tuple(Mismatch("", each.got) for each in given))
    rest = [Mismatch("", each.got) for each in reading.superfluous]
    # what could not be paired is still one of the arguments
    paired = [each.got for each in reading.pairs] + [each.got for each in reading.superfluous]
    rest += [Mismatch("", each.got) for each in given if each.got not in paired]
    pairs = (*reading.pairs, *rest)
    if reading.missing or reading.superfluous:
        pairs = (*pairs, *(Mismatch(f"!{each.name}") for each in reading.missing), Mismatch("!"))
    elif not reading.cost:
        pairs = (*pairs, Mismatch("()"))
    return Complaint(call, pairs, reading=reading, given=tuple(given))


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
        ("call-arg",),
        re.compile(rf'^Missing named argument "SG\d{{3}}_\w+" for {_CALLEE}'),
        _forbidden,
    ),
    (
        ("type-var", "misc"),
        re.compile(rf'^Value of type variable "(?P<variable>\w+)" of {_CALLEE} cannot be {_GOT}'),
        _variable,
    ),
    (
        ("type-var",),
        re.compile(rf'^Type argument {_GOT} of "(?P<owner>\w+)" must be a subtype of {_EXPECTED}'),
        _type_argument,
    ),
    (
        ("misc",),
        re.compile(rf'^Cannot infer value of type parameter "(?P<variable>\w+)" of {_CALLEE}'),
        _variable,
    ),
    (
        ("call-overload",),
        re.compile(
            rf"^(?:No overload variant|All overload variants) of {_CALLEE}"
            r" (?:matches argument types? |require )(?P<types>.*)"
        ),
        _overload,
    ),
    (
        ("misc",),
        re.compile(
            rf'^Invalid self argument {_GOT} to (?:attribute|class attribute) function "(?P<function>\w+)"'
            # the context of an architecture that has a capability, in each of mypy's spellings
            r'(?: with type "(?:Callable\[\[|def (?:\[.*?\] )?\w+\((?:self, )?self: )(?P<expected>\w+\[\w+\]))?'
        ),
        _self_argument,
    ),
    (
        ("operator",),
        re.compile(r'^Unsupported operand types for (?P<operator>\S+) \("(?P<left>[^"]*)" and "(?P<right>[^"]*)"\)'),
        _operator,
    ),
    (
        ("operator",),
        re.compile(rf'^No overload variant of "(?P<function>__\w+__)" of "{ARRAY}" matches argument type {_GOT}'),
        _operand,
    ),
    (
        ("assignment",),
        re.compile(rf"^Incompatible types in assignment \(expression has type {_GOT}, target has type {_EXPECTED}\)"),
        _item_assignment,
    ),
    (
        ("index",),
        re.compile(rf'^Invalid index type {_GOT} for "(?P<owner>[^"]*)"; expected type {_EXPECTED}'),
        _index,
    ),
    (
        ("list-item",),
        re.compile(rf'^List item \d+ has incompatible type {_GOT}; expected "_Exactly(?P<joined>\[[^"]*\])"'),
        _joined,
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


def _parameter(call: str, position: int, expected: Type) -> str:
    """The name of the parameter at this position; two functions may have one name and take different classes."""
    there = [each.positional[position - 1] for each in signatures(call) if position <= len(each.positional)]
    classes = {each.name for each in expected.alternatives}
    alike = [each for each in there if classes & {one.name for one in each.takes.alternatives}]
    return (alike or there)[0].name if there else str(position)


def _combinable(left: Type) -> Type:
    """What an array can be combined with: its own dtype in its own layout; a splat array goes with all."""
    if left.name != ARRAY or len(left.args) < 2:
        return left
    dtype, layout = left.args
    if layout == SPLAT:
        return Type(ARRAY, (dtype, ANYTHING))
    return Type(UNION, (left, Type(ARRAY, (dtype, SPLAT))))
