"""A second look at what mypy's message leaves open, by running it again on a copy of the file.

Two things are asked. Which types the arguments of a call have, where the message names none: `reveal_type` around each
of them says so. And whether a call inside another expression is wrong for itself: mypy solves its type variables for
what is expected around it, and then blames it for what does not go together outside. Taken out of its context, as
`(call,)[0]`, it is checked for itself, and the message moves to where it belongs.
"""

import ast
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from safegpu.check._errors import CannotCheck
from safegpu.check.compare import PARAMETERS
from safegpu.check.matching import Argument, literal
from safegpu.check.messages import Complaint, read
from safegpu.check.mypy_run import Message
from safegpu.check.source import Given, Source, arguments, columns, split, unpacks
from safegpu.check.surface import SELF, signatures
from safegpu.check.typeexpr import ANYTHING, Type, parse

REVEALED = re.compile(r'^Revealed type is "(.*)"$')
OF_COMBINATIONS = frozenset([
    "mma", "wgmma", "TMEM", "as_gpu_kernel", "LaunchContext.async_copy", "DenseTMEM.load",
    "FragmentedArray.store_untiled", "FragmentedArray.store_tiled",
])  # fmt: skip
"""Callables of which mypy says what the first overload expected, whatever the others do."""

REVEAL = "reveal_type(\n"
"""On a line of its own: of equal notes about one line mypy says the first alone."""

SAID = frozenset(
    [
        "concatenate",
        *(
            f"FragmentedArray.{each}"
            for each in ("astype", "bitcast", "select", "broadcasted_iota", "build", "broadcast_in_dim")
        ),
    ]
)
"""Callables of whose type variables mypy's words say enough."""

RECEIVERS = ("FragmentedArray.", "DenseTMEM.", "ScalesTMEM.")
COPY = "LaunchContext.async_copy"
NONE = Type("None")


class Rerun(Protocol):
    """Runs mypy with files in the place of others."""

    def __call__(self, *, shadows: Mapping[str, str]) -> list[Message]: ...


@dataclass(frozen=True)
class Site:
    """Where a message of mypy belongs in the source."""

    source: Source
    call: ast.Call | None


@dataclass
class Closer:
    """What is known of each message beside its words."""

    sites: dict[Message, Site] = field(default_factory=dict)
    given: dict[Message, list[Argument]] = field(default_factory=dict)
    """The arguments of the call, with their types."""
    receivers: dict[Message, Type] = field(default_factory=dict)
    """The object whose method is called."""
    instead: dict[Message, Message] = field(default_factory=dict)
    """What mypy says of the statement when the inner call that it blames is checked for itself."""


def look(messages: list[Message], rerun: Rerun) -> Closer:
    """Looks again where a message leaves something open; runs mypy only then."""
    found = Closer()
    copies: dict[str, _Copy] = {}
    sources: dict[str, Source | None] = {}
    for message in messages:
        complaint = read(message.text, message.code)
        if complaint is None:
            continue
        source = sources.setdefault(message.path, Source.read(message.path))
        if source is None:
            continue
        call = source.call(message.line, message.column - 1, complaint.call)
        found.sites[message] = Site(source, call)
        if call is None or not _is_ours(complaint.call):
            continue
        given = arguments(call) if _wants_types(complaint, call) else []
        receiver = call.func.value if isinstance(call.func, ast.Attribute) and _wants_receiver(complaint) else None
        detached = _in_context(source, call)
        if given or receiver or detached:
            copy = copies.setdefault(message.path, _Copy(source))
            copy.ask(message, given, receiver, detached)
    if copies:
        _answer(messages, copies, rerun, found)
    return found


def _is_ours(call: str) -> bool:
    return bool(signatures(call)) or call.partition(".")[0] in PARAMETERS


def _wants_receiver(complaint: Complaint) -> bool:
    """Whether it is the layout, dtype or architecture of the object itself that forbids the call."""
    if complaint.call == COPY:
        return True
    forbidden = not complaint.mismatches or any(each.expected == NONE for each in complaint.mismatches)
    combined = complaint.call in OF_COMBINATIONS and complaint.reading is not None
    decides = combined or complaint.call.endswith((".to_layout", ".load", ".astype", ".bitcast"))
    return complaint.call.startswith(RECEIVERS) and (forbidden or decides)


def _wants_types(complaint: Complaint, call: ast.Call) -> bool:
    combined = complaint.call in OF_COMBINATIONS and (complaint.reading or not complaint.call.startswith(RECEIVERS))
    of_variable = complaint.of_variable and complaint.call not in SAID
    return not unpacks(call) and bool(of_variable or combined)


def _in_context(source: Source, call: ast.Call) -> list[ast.Call]:
    """The call and those around it that stand where a type is expected of them."""
    calls = [call, *(each for each in source.ancestors(call) if isinstance(each, ast.Call))]
    return [each for each in calls if source.in_context(each)] if source.in_context(call) else []


def _answer(messages: list[Message], copies: Mapping[str, "_Copy"], rerun: Rerun, found: Closer) -> None:
    with tempfile.TemporaryDirectory(prefix="safegpu-") as folder:
        shadows = {}
        for number, (path, copy) in enumerate(copies.items()):
            shadow = Path(folder, f"{number}{Path(path).suffix}")
            shadow.write_text(copy.text(), encoding="utf-8")
            shadows[path] = str(shadow)
        try:
            said = rerun(shadows=shadows)
        except CannotCheck:
            return  # what mypy said the first time stands for itself
    of_path: dict[str, list[Message]] = defaultdict(list)
    for each in said:
        of_path[each.path].append(each)
    for path, copy in copies.items():
        copy.revealed(of_path[path], found)
        before = [each for each in messages if each.path == path]
        copy.moved(before, [each for each in of_path[path] if not each.is_note], found.instead)


@dataclass(frozen=True)
class _Insertion:
    start: int
    end: int
    before: str
    after: str


@dataclass
class _Copy:
    """A file with questions in it."""

    source: Source
    questions: list[tuple[Message, list[Given]]] = field(default_factory=list)
    receivers: list[tuple[Message, ast.expr]] = field(default_factory=list)
    blamed: list[Message] = field(default_factory=list)
    insertions: dict[tuple[int, int, str], _Insertion] = field(default_factory=dict)

    def ask(
        self, message: Message, given: list[Given], receiver: ast.expr | None, detached: Iterable[ast.Call]
    ) -> None:
        for each in detached:
            self._insert(each, "(", ",)[0]")
        if detached:
            self.blamed.append(message)
        if given:
            self.questions.append((message, given))
        if receiver is not None:
            self.receivers.append((message, receiver))
        for value in [*(each.value for each in given), *([receiver] if receiver else [])]:
            if self._can_reveal(value):
                self._insert(value, REVEAL, ")")

    def _can_reveal(self, node: ast.expr) -> bool:
        return not isinstance(node, ast.Constant | ast.GeneratorExp) and not self.source.in_string(node)

    def _insert(self, node: ast.expr, before: str, after: str) -> None:
        start, end = self.source.span(node)
        self.insertions[start, end, before] = _Insertion(start, end, before, after)

    def _events(self) -> list[tuple[int, str]]:
        """What is inserted where: at one place ends come first, then the outer openings."""
        ordered = sorted(self.insertions.values(), key=lambda each: (each.before != "(", each.before))
        events = [(each.start, 1, -each.end, at, each.before) for at, each in enumerate(ordered)]
        events += [(each.end, 0, -each.start, -at, each.after) for at, each in enumerate(ordered)]
        return [(place, text) for place, _, _, _, text in sorted(events)]

    def text(self) -> str:
        parts, last = [], 0
        for place, inserted in self._events():
            parts += [self.source.text[last:place], inserted]
            last = place
        return "".join([*parts, self.source.text[last:]])

    def lines(self) -> list[int]:
        """For each line of the copy, the line of the file that it comes from."""
        text, lines = self.source.text, []
        breaks = [(place, 0) for place, inserted in self._events() if "\n" in inserted]
        breaks += [(place, 1) for place, character in enumerate(text) if character == "\n"]
        number = 1
        for _, step in sorted(breaks):
            lines.append(number)
            number += step
        return [*lines, number]

    def revealed(self, said: list[Message], found: Closer) -> None:
        """The types that were asked for, of which mypy's notes say where they are."""
        notes = [(each, match[1]) for each in said if each.is_note and (match := REVEALED.match(each.text))]
        lines = split(self.text())
        for message, questions in self.questions:
            found.given[message] = [Argument(self._type(each.value, notes, lines), each.keyword) for each in questions]
        for message, receiver in self.receivers:
            found.receivers[message] = self._type(receiver, notes, lines)
            if message in found.given:
                found.given[message].append(Argument(found.receivers[message], SELF))

    def _type(self, value: ast.expr, notes: list[tuple[Message, str]], lines: list[str]) -> Type:
        if isinstance(value, ast.Constant):
            return literal(value.value)
        offset = self._moved(*self.source.span(value))
        line, before = 0, 0
        while before + len(lines[line]) <= offset:
            before += len(lines[line])
            line += 1
        byte = len(lines[line][: offset - before].encode())
        places = columns(lines[line], byte)
        for note, written in notes:
            if note.line == line + 1 and note.column - 1 in places:
                return parse(written)
        return ANYTHING

    def _moved(self, start: int, end: int) -> int:
        """Where in the copy the expression begins that began at `start`."""
        offset = start
        for each in self.insertions.values():
            around = each.start == start and each.end >= end
            offset += len(each.before) * (each.start < start or around) + len(each.after) * (each.end <= start)
        return offset

    def moved(self, before: list[Message], after: list[Message], instead: dict[Message, Message]) -> None:
        """What is said now, statement by statement, in the place of what is not said any more."""
        lines_of = self.lines()
        for message in self.blamed:
            statement = self.source.statement(message.line)
            if statement is None:
                continue
            lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
            old = {(each.text, each.code) for each in before if each.line in lines}
            new = [each for each in after if lines_of[each.line - 1] in lines]
            if (message.text, message.code) in {(each.text, each.code) for each in new}:
                continue
            fresh = [each for each in new if (each.text, each.code) not in old]
            if fresh:
                instead[message] = fresh[0]
