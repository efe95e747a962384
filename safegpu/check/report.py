"""mypy's messages in safegpu's words."""

import ast
import re
from dataclasses import dataclass, replace

from safegpu.check.closer import Closer
from safegpu.check.compare import without_unstated
from safegpu.check.mapping import UNCLAIMED, claim, fix
from safegpu.check.matching import Argument, literal
from safegpu.check.messages import UNEXPECTED_KEYWORD, Complaint, of_call, read
from safegpu.check.mypy_run import Message
from safegpu.check.source import arguments, unpacks
from safegpu.check.typeexpr import parse
from safegpu.check.words import (
    MISMATCH,
    UNBUNDLE,
    arity,
    bundled,
    details,
    other_architecture,
    unfit,
    wanted_elsewhere,
)
from safegpu.check.words import to_do as to_do_with
from safegpu.rules import RULES

BODY = "SG802"
UNDEFINED = ("attr-defined", "name-defined")
"""mypy's codes for an expression that is not there at all, to which it gives the type Any."""


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
    """mypy's error codes for `# type: ignore[…]`, with commas where the line has several."""

    def __str__(self) -> str:
        rule = f"{self.rule} {RULES[self.rule].name}"
        head = f"{self.path}:{self.line}:{self.column}: {rule}: {self.message}  [{self.mypy_code}]"
        return f"{head}\n    fix: {self.fix}" if self.fix else head


def findings(messages: list[Message], closer: Closer | None = None) -> list[Finding]:
    """One finding for each line and rule, in the order of the files.

    An argument that is wrong for itself has any type, and what is said of its call is a guess: that is left out.
    Beside an argument that a rule claims, mypy may say that a type variable of the call has no value, and beside a
    keyword that no overload has, that none matches: these are left out.
    """
    closer = closer or Closer()
    found: dict[tuple[str, int, str], Finding] = {}
    claimed: dict[tuple[str, int, str], tuple[str, int, str]] = {}
    doubtful: list[tuple[str, Finding]] = []
    guesses: list[tuple[Message, Message]] = []
    places: dict[Message, tuple[str, int, str]] = {}
    misspelt = {(each.path, each.line, each.column) for each in messages if UNEXPECTED_KEYWORD.match(each.text)}
    broken = [each for each in messages if each.code in UNDEFINED]
    for message in messages:
        if wrong := _wrong_inside(message, broken, closer):
            guesses.append((message, wrong))
            continue
        complaint = _complaint(message, closer)
        if complaint and complaint.reading and (message.path, message.line, message.column) in misspelt:
            continue
        finding = _finding(message, complaint, closer)
        if complaint and complaint.of_variable and finding.rule == UNCLAIMED:
            doubtful.append((complaint.call, finding))
            continue
        place = places[message] = _add(finding, found)
        if complaint and finding.rule != UNCLAIMED:
            claimed.setdefault((finding.path, finding.line, complaint.call), place)
    for call, finding in doubtful:
        _add(finding, found, claimed.get((finding.path, finding.line, call)))
    for guess, wrong in guesses:
        if guess.line == wrong.line and wrong in places:
            # a comment that silences the name silences what follows from it
            _add(_finding(guess, None, closer), found, places[wrong])
    return sorted(found.values(), key=lambda each: (each.path, each.line, each.column, each.rule))


def _wrong_inside(message: Message, broken: list[Message], closer: Closer) -> Message | None:
    """What is wrong within the argument that the message is about, or within any where it is about the whole call."""
    site = closer.sites.get(message)
    if site is None or site.call is None or message.code in UNDEFINED:
        return None
    values = [each.value for each in arguments(site.call)]
    blamed = [each for each in values if site.source.starts(each, message.line, message.column - 1)] or values
    inside = [node for each in blamed for node in ast.walk(each) if isinstance(node, ast.expr)]
    for each in broken:
        if each.path == message.path and any(site.source.starts(node, each.line, each.column - 1) for node in inside):
            return each
    return None


def _add(
    finding: Finding, found: dict[tuple[str, int, str], Finding], place: tuple[str, int, str] | None = None
) -> tuple[str, int, str]:
    """Adds the finding; where its line has one of the same rule, or `place` is another's, its code goes to that."""
    place = place or (finding.path, finding.line, finding.rule)
    first = found.setdefault(place, finding)
    codes = {*first.mypy_code.split(", "), finding.mypy_code}
    found[place] = replace(first, mypy_code=", ".join(sorted(codes)))
    return place


def _complaint(message: Message, closer: Closer) -> Complaint | None:
    """What the message states, with the names of the arguments, which the source has and mypy leaves out."""
    complaint = read(message.text, message.code)
    site = closer.sites.get(message)
    given = closer.given.get(message)
    if complaint and given and complaint.call != "as_gpu_kernel":
        # of several overloads mypy measures an argument by the first
        nearest = of_call(complaint.call, given)
        if nearest.reading and nearest.reading.misfits and claim("", nearest)[0] != UNCLAIMED:
            return nearest
        if nearest.reading and complaint.reading:
            return nearest  # mypy says "int" of a Final too
    if complaint is None or complaint.reading is None or site is None or site.call is None or unpacks(site.call):
        return complaint
    written = arguments(site.call)
    types = [each.got for each in complaint.given]
    if len(types) != len(written):
        return complaint
    # mypy says "int" of a literal
    given = [
        Argument(literal(each.value.value) if isinstance(each.value, ast.Constant) else got, each.keyword)
        for got, each in zip(types, written, strict=True)
    ]
    return of_call(complaint.call, given)


def _finding(message: Message, complaint: Complaint | None, closer: Closer) -> Finding:
    text, site = message.text, closer.sites.get(message)
    given, receiver = closer.given.get(message, ()), closer.receivers.get(message)
    rule, argument = claim(text, complaint)
    if instead := closer.instead.get(message):
        outer = _complaint(instead, closer)
        outer_rule, outer_argument = claim(instead.text, outer)
        if outer and outer_rule != UNCLAIMED:
            rule, argument, complaint = outer_rule, outer_argument, outer
            given, receiver, site = (), None, None
        elif rule == UNCLAIMED:
            return _other(message, instead.text)
    if complaint and (said := wanted_elsewhere(rule, complaint.call, receiver, argument)):
        return _other(message, said)
    if rule == BODY and complaint and (said := other_architecture(complaint, given, site)):
        rule = MISMATCH
        said, to_do = f"{RULES[rule].message}: {said}", RULES[rule].fix
        return Finding(message.path, message.line, message.column, rule, said, to_do, text, message.code)
    special = (
        fix(rule, complaint.call, argument) or to_do_with(rule, complaint, argument, given, site) if complaint else ""
    )
    if rule == UNCLAIMED:
        said = unfit(complaint) if complaint else ""
        if said or not complaint or not (site and site.call and unpacks(site.call)):
            return _other(message, said or (arity(complaint.reading) if complaint else ""), special)
        # What is missing may be in what is unpacked, of which mypy complains where its values are of another type.
        seen = bundled(site.call) if _BUNDLE.search(text) else ""
        return _other(message, seen, special or (UNBUNDLE if seen else ""))
    said, to_do = RULES[rule].message, special or RULES[rule].fix
    if complaint and (more := details(rule, complaint, argument, given, receiver, site)):
        said = f"{said}: {more}"
    return Finding(message.path, message.line, message.column, rule, said, to_do, text, message.code)


def _other(message: Message, said: str, to_do: str = "") -> Finding:
    """What no rule is about, in words of ours where there are any."""
    text = said or _QUOTED.sub(_readable, message.text)
    return Finding(message.path, message.line, message.column, UNCLAIMED, text, to_do, message.text, message.code)


_BUNDLE = re.compile(r'"dict\[str, (?!Any\])')
_QUOTED = re.compile(r'"([^"]+)"')


def _readable(match: re.Match[str]) -> str:
    written = parse(match[1])
    return f'"{without_unstated(written)}"' if str(written) == match[1] else match[0]
