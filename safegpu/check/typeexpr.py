"""The type expressions in mypy's messages, parsed: `SmemRef[float16, Literal[128]] | None`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

UNION = "|"
LIST = "[]"

_TOKEN = re.compile(r"\s*('(?:[^'\\]|\\.)*'|\.\.\.|-?[\w.]+\??|[\[\],|*])")


@dataclass(frozen=True)
class Type:
    """A class or literal and its arguments; `UNION` and `LIST` (of a Callable's parameters) are names too."""

    name: str
    args: tuple["Type", ...] = ()

    @property
    def alternatives(self) -> tuple["Type", ...]:
        return self.args if self.name == UNION else (self,)

    def replaced(self, values: Mapping[str, "Type"]) -> "Type":
        """The same with `values` in the place of names."""
        if not self.args and self.name in values:
            return values[self.name]
        return Type(self.name, tuple(each.replaced(values) for each in self.args))

    def __str__(self) -> str:
        if self.name == UNION:
            return " | ".join(map(str, self.args))
        inside = ", ".join(map(str, self.args))
        if self.name == LIST:
            return f"[{inside}]"
        return f"{self.name}[{inside}]" if self.args else self.name


ANYTHING = Type("Any")


@cache
def parse(text: str) -> Type:
    """The type that `text` spells; one that is not of the usual form is a name without arguments."""
    try:
        tokens = _tokens(text)
        parsed = _union(tokens)
    except (IndexError, ValueError):
        return Type(text)
    return Type(text) if tokens else parsed


def _tokens(text: str) -> list[str]:
    tokens, end = [], 0
    text = text.replace("]?", "]")  # the type of a constant that could be wider
    while end < len(text):
        match = _TOKEN.match(text, end)
        if match is None:
            raise ValueError(text)
        tokens.append(match[1])
        end = match.end()
    return tokens[::-1]  # a stack: the next token is the last


def _union(tokens: list[str]) -> Type:
    members = [_item(tokens)]
    while tokens and tokens[-1] == "|":
        tokens.pop()
        members.append(_item(tokens))
    return members[0] if len(members) == 1 else Type(UNION, tuple(members))


def _item(tokens: list[str]) -> Type:
    token = tokens.pop()
    while token == "*":
        token = tokens.pop()
    if token == "[":
        return Type(LIST, _arguments(tokens))
    if token in ("]", ",", "|"):
        raise ValueError(token)
    # mypy qualifies a name when two classes share it; the last part is what the author wrote
    name = token if token == "..." or token[0] in "'-" else token.rstrip("?").rpartition(".")[2]
    if tokens and tokens[-1] == "[":
        tokens.pop()
        return Type(name, _arguments(tokens))
    return Type(name)


def _arguments(tokens: list[str]) -> tuple[Type, ...]:
    arguments = []
    while tokens[-1] != "]":
        arguments.append(_union(tokens))
        if tokens[-1] == ",":
            tokens.pop()
    tokens.pop()
    return tuple(arguments)
