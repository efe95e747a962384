"""From a complaint to the rule that claims it."""

from safegpu.check.compare import differences, satisfies
from safegpu.check.messages import MARKER, Complaint, Mismatch, read
from safegpu.check.table import ANY, ROWS, Row
from safegpu.check.typeexpr import parse

UNCLAIMED = "SG000"


def identify(mypy_message: str, mypy_code: str = "") -> str:
    """The code of the rule that a message of mypy is about, `SG000` where there is none."""
    if marker := MARKER.search(mypy_message):
        return marker[1]
    complaint = read(mypy_message, mypy_code)
    return claim(complaint)[0] if complaint else UNCLAIMED


def claim(complaint: Complaint) -> tuple[str, Mismatch | None]:
    """The rule of the first row that matches, and the argument that it matches."""
    for row in ROWS:
        if _names(row.call, complaint.call):
            for argument in complaint.mismatches:
                if _matches(row, argument):
                    return row.rule, argument
    return UNCLAIMED, None


def _matches(row: Row, argument: Mismatch) -> bool:
    got, expected = argument.got, argument.expected
    if not _names(row.parameter, argument.parameter):
        return False
    if row.differs and not (got and expected and row.differs in differences(got, expected)):
        return False
    if row.got and not (got and any(satisfies(each, parse(row.got)) for each in got.alternatives)):
        return False
    return not row.expected or bool(expected and satisfies(expected, parse(row.expected)))


def _names(pattern: str, name: str) -> bool:
    if pattern == ANY:
        return not name.startswith("~") and name != "()"
    return name in pattern.split(" | ")
