"""From a complaint to the rule that claims it."""

from safegpu.check.compare import differences, satisfies
from safegpu.check.matching import Mismatch
from safegpu.check.messages import MARKER, Complaint, read
from safegpu.check.table import ANY, ROWS, Row
from safegpu.check.typeexpr import Type, parse

UNCLAIMED = "SG000"


def identify(mypy_message: str, mypy_code: str = "") -> str:
    """The code of the rule that a message of mypy is about, `SG000` where there is none."""
    return claim(mypy_message, read(mypy_message, mypy_code))[0]


def claim(message: str, complaint: Complaint | None) -> tuple[str, Mismatch | None]:
    """The rule of the marker or of the first row that matches, and the argument that the row matches."""
    if marker := MARKER.search(message):
        return marker[1], None
    for row in ROWS:
        if complaint and _names(row.call, complaint.call):
            for argument in complaint.mismatches:
                if _matches(row, argument):
                    return row.rule, argument
    return UNCLAIMED, None


def fix(rule: str, call: str, argument: Mismatch | None) -> str:
    """What to do about this argument, where its row knows more than the rule."""
    rows = (row for row in ROWS if row.rule == rule and _names(row.call, call))
    return next((row.fix for row in rows if argument and _matches(row, argument)), "")


def rows_claim(rule: str, call: str, argument: Mismatch) -> bool:
    """Whether the rule is about this argument of the call."""
    return any(row.rule == rule and _names(row.call, call) and _matches(row, argument) for row in ROWS)


def _matches(row: Row, argument: Mismatch) -> bool:
    got, expected = argument.got, argument.expected
    if not _names(row.parameter, argument.parameter):
        return False
    if row.differs and not (got and expected and row.differs in differences(got, expected)):
        return False
    if row.got and not (got and any(_is(each, row.got) for each in got.alternatives)):
        return False
    return not row.expected or bool(expected and _all_are(expected, row.expected))


def _is(got: Type, wanted: str) -> bool:
    return got.name != "Any" and satisfies(got, parse(wanted))


def _all_are(expected: Type, wanted: str) -> bool:
    # a literal argument may be called an int by mypy, but a parameter that takes any int takes no literal alone
    literals = wanted != "Literal" or all(each.name == "Literal" for each in expected.alternatives)
    return literals and satisfies(expected, parse(wanted))


def _names(pattern: str, name: str) -> bool:
    if pattern == ANY:
        return not name.startswith(("~", "!")) and name != "()"
    return name in pattern.split(" | ")
