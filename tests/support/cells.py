"""Tables of cells: every way to do one thing, a line each, by Mosaic GPU and by a checker.

A module of `tests/rules/generated` makes a table: a text whose lines a checker reads and Mosaic GPU runs. Where the two
differ, the table lists why, or it is a disagreement. `python -m tests.rules.generated` prints all tables.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import types
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from safegpu.rules.inventory import Key
from tests.support.checkers import Report
from tests.support.raised import Refusal


class Answer(NamedTuple):
    """What a line of a table is about, and what Mosaic GPU says of it."""

    what: str
    refused: str
    """Its words; nothing where it lowers."""
    sites: tuple[Key, ...] = ()
    """Where it says so."""
    accepted_because: str = ""
    """Why a checker may accept it although it is refused."""
    rejected_because: str = ""
    """Why a checker may reject it although it lowers."""

    @classmethod
    def of(
        cls, what: str, refusal: Refusal | None, accepted_because: str | None = "", rejected_because: str | None = ""
    ) -> Answer:
        words, site = refusal or ("", None)
        return cls(what, words, (site,) if site else (), accepted_because or "", rejected_because or "")


@dataclasses.dataclass(frozen=True)
class Table:
    """A module, and the cell that each line of it is about."""

    text: str
    answers: dict[int, Answer]

    def save(self, to: Path) -> None:
        to.write_text(json.dumps({"text": self.text, "answers": self.answers}))

    @classmethod
    def load(cls, saved: Path) -> Table:
        data = json.loads(saved.read_text())
        answers = {
            int(line): Answer(what, refused, tuple((a, b, c) for a, b, c in sites), *reasons)
            for line, (what, refused, sites, *reasons) in data["answers"].items()
        }
        return cls(data["text"], answers)


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A checker's report beside the table."""

    agreements: int
    exceptions: Counter[str]
    """How many cells each reason is listed for."""
    disagreements: list[str]


def compare(table: Table, rejected: Collection[int]) -> Comparison:
    """The table beside the lines that a checker rejects."""
    if stray := set(rejected) - table.answers.keys():
        raise ValueError(f"the module itself has errors, in lines {sorted(stray)}")
    exceptions: Counter[str] = Counter()
    disagreements = []
    for line, answer in table.answers.items():
        if bool(answer.refused) == (line in rejected):
            continue
        if reason := answer.accepted_because if answer.refused else answer.rejected_because:
            exceptions[reason] += 1
        else:
            how = f"accepted, and Mosaic GPU says {answer.refused}" if answer.refused else "rejected, and it lowers"
            disagreements.append(f"{answer.what}: {how}")
    differing = exceptions.total() + len(disagreements)
    return Comparison(len(table.answers) - differing, exceptions, disagreements)


def names() -> list[str]:
    """The tables that there are."""
    folder = Path(__file__).parents[1] / "rules" / "generated"
    return sorted(file.stem.removesuffix("_cells") for file in folder.glob("*_cells.py"))


def made(name: str) -> Table:
    """The table of this name; Mosaic GPU is asked now."""
    table: Table = importlib.import_module(f"tests.rules.generated.{name}_cells").table()
    return table


def lines_of(report: Report) -> set[int]:
    return {line for _, line in report}


def executed(text: str, name: str) -> types.ModuleType:
    """The module of this text."""
    module = types.ModuleType(name)
    exec(compile(text, f"<{name}>", "exec"), vars(module))
    return module
