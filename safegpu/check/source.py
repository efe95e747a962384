"""The author's file: which call or expression a message of mypy is about."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from safegpu.check.matching import POSITIONAL

NO_CONTEXT = (ast.Expr, ast.Attribute, ast.withitem)
"""A call below one of these is checked for itself: nothing tells mypy what it should be."""


@dataclass(frozen=True)
class Given:
    """An argument as it is written."""

    value: ast.expr
    keyword: str = POSITIONAL


@dataclass
class Source:
    """A parsed file. Offsets count characters from the start of the text."""

    text: str
    tree: ast.Module = field(init=False)

    def __post_init__(self) -> None:
        self.tree = ast.parse(self.text)

    @classmethod
    def read(cls, path: str) -> "Source | None":
        try:
            return cls(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError, SyntaxError):
            return None

    def call(self, line: int, column: int, name: str) -> ast.Call | None:
        """The call of `name` that a message at this place is about: it starts there, or one of its arguments does."""
        function = name.rpartition(".")[2]
        calls = [node for node in self._calls if _called(node) == function]
        for node in calls:
            if self.starts(node, line, column):
                return node
        holding = [node for node in calls if any(self.starts(each.value, line, column) for each in arguments(node))]
        return holding[-1] if holding else None

    def starts(self, node: ast.expr, line: int, column: int) -> bool:
        return node.lineno == line and column in columns(self._lines[line - 1], node.col_offset)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around it, the innermost first, up to the statement that it is in."""
        while not isinstance(node, ast.stmt):
            node = self._parents[node]
            yield node

    def statement(self, line: int) -> ast.stmt | None:
        """The innermost statement that the line is part of."""
        around = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
        ]
        return around[-1] if around else None

    def in_context(self, call: ast.Call) -> bool:
        """Whether what stands around the call says what type it should have."""
        parent = self._parents[call]
        if isinstance(parent, ast.Call) and call is parent.func:
            return False
        return not isinstance(parent, NO_CONTEXT) and not self.in_string(call)

    def in_string(self, node: ast.AST) -> bool:
        return any(isinstance(each, ast.JoinedStr) for each in self.ancestors(node))

    def function(self, name: str) -> ast.FunctionDef | None:
        """The function of this name, where the file has one alone."""
        found = [each for each in ast.walk(self.tree) if isinstance(each, ast.FunctionDef) and each.name == name]
        return found[0] if len(found) == 1 else None

    def span(self, node: ast.expr) -> tuple[int, int]:
        return self._offset(node.lineno, node.col_offset), self._offset(
            node.end_lineno or node.lineno, node.end_col_offset or 0
        )

    def _offset(self, line: int, byte: int) -> int:
        before = self._lines[line - 1].encode()[:byte].decode(errors="ignore")
        return self._starts[line - 1] + len(before)

    @cached_property
    def _lines(self) -> list[str]:
        return split(self.text)

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self._lines:
            starts.append(starts[-1] + len(line))
        return starts

    @cached_property
    def _calls(self) -> list[ast.Call]:
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]

    @cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}


def arguments(call: ast.Call) -> list[Given]:
    """The arguments in the order in which mypy lists them; `*args` and `**kwargs` are among them as Starred or None."""
    positional = [Given(each) for each in call.args]
    return positional + [Given(each.value, each.arg or "**") for each in call.keywords]


def unpacks(call: ast.Call) -> bool:
    return any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords)


def columns(line: str, byte: int) -> set[int]:
    """What mypy may call the column of this byte, counted from 0; of ASCII they are one.

    Its own parser takes the extra bytes of a character off twice, the one of Python not at all.
    """
    characters = len(line.encode()[:byte].decode(errors="ignore"))
    return {byte, characters, 2 * characters - byte}


def split(text: str) -> list[str]:
    """The lines as the parser counts them."""
    return [f"{line}\n" for line in text.split("\n")]


def _called(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Subscript):
        function = function.value
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
