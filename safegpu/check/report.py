"""A message of mypy in safegpu's words."""

import typing
from dataclasses import dataclass

from safegpu import layouts
from safegpu.check.compare import short
from safegpu.check.mapping import UNCLAIMED, claim
from safegpu.check.messages import ANYTHING, Complaint, Mismatch, read
from safegpu.check.mypy_run import Message
from safegpu.check.typeexpr import UNION, Type
from safegpu.rules import RULES

COMBINATIONS = frozenset(["SG303"])
"""Rules that several combinations of dtypes would satisfy: mypy names only the first as what it expected."""

NONE = Type("None")


@dataclass(frozen=True)
class Finding:
    """A rule broken at a place. Lines and columns count from 1."""

    path: str
    line: int
    column: int
    rule: str
    message: str
    fix: str
    mypy_message: str
    mypy_code: str

    def __str__(self) -> str:
        head = f"{self.path}:{self.line}:{self.column}: {self.rule} {RULES[self.rule].name}: {self.message}"
        return f"{head}\n    fix: {self.fix}" if self.fix else head


def findings(messages: list[Message]) -> list[Finding]:
    """One finding for each line and rule, in the order of the files.

    Beside an argument that a rule claims, mypy may say that a type variable of the call has no value: that is
    left out.
    """
    found: dict[tuple[str, int, str], Finding] = {}
    claimed: set[tuple[str, int, str]] = set()
    doubtful: list[tuple[str, Finding]] = []
    for message in messages:
        complaint = read(message.text, message.code)
        rule, argument = claim(message.text, complaint)
        finding = _finding(message, rule, _details(rule, complaint, argument))
        if complaint and complaint.of_variable and rule == UNCLAIMED:
            doubtful.append((complaint.call, finding))
            continue
        found.setdefault((finding.path, finding.line, rule), finding)
        if complaint and rule != UNCLAIMED:
            claimed.add((finding.path, finding.line, complaint.call))
    for call, finding in doubtful:
        if (finding.path, finding.line, call) not in claimed:
            found.setdefault((finding.path, finding.line, finding.rule), finding)
    return sorted(found.values(), key=lambda each: (each.path, each.line, each.column, each.rule))


def _finding(message: Message, rule: str, details: str) -> Finding:
    if rule == UNCLAIMED:
        text, fix = f"{message.text}  [{message.code}]", ""
    else:
        text, fix = RULES[rule].message, RULES[rule].fix
    if details:
        text = f"{text}: {details}"
    return Finding(message.path, message.line, message.column, rule, text, fix, message.text, message.code)


def _details(code: str, complaint: Complaint | None, argument: Mismatch | None) -> str:
    """What the author gave and what would do, where mypy's message tells."""
    if complaint is None or argument is None or code == UNCLAIMED:
        return ""
    got, expected = argument.got, argument.expected
    if complaint.operation:
        return complaint.operation
    if argument.parameter == "()":
        return f"got {', '.join(str(short(each.got)) for each in complaint.mismatches if each.got)}"
    if got is None or expected == NONE:
        return ""
    if expected is None or expected == ANYTHING or code in COMBINATIONS:
        return f"got {short(got)}"
    if code in ("SG201", "SG202"):
        return _register_layouts(code, got, expected)
    return f"got {short(got)}, expected {short(_nearest(got, expected))}"


def _nearest(got: Type, expected: Type) -> Type:
    """The alternatives of the same class, if there are such."""
    alike = tuple(each for each in expected.alternatives if each.name == got.name) or expected.alternatives
    return alike[0] if len(alike) == 1 else Type(UNION, alike)


def _register_layouts(code: str, got: Type, expected: Type) -> str:
    """The register layouts that the TMEM takes or gives.

    A store's error lists them. A load's names one; the layout types say what all TMEM that gives it gives.
    """
    named = {name for each in expected.alternatives if each.args for name in _names(each.args[-1])}
    if code == "SG202" and (given := [each for each in _given() if named <= each]):
        named = set.intersection(*given)
    verb = "takes" if code == "SG201" else "gives"
    return f"got {got.args[-1] if got.args else got}, it {verb} {' or '.join(sorted(named))}"


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
