"""`safegpu check`: mypy's findings about a kernel, as rules.

`mypy_run` runs mypy, `messages` takes its sentences apart, `table` says which rule claims what, `report`
puts it in safegpu's words.
"""

from collections.abc import Iterable, Sequence
from os import PathLike, fspath

from safegpu.check import mypy_run, sources
from safegpu.check._errors import CannotCheck
from safegpu.check.mapping import identify
from safegpu.check.report import Finding, findings

__all__ = ["CannotCheck", "Finding", "check", "files_of", "identify"]


def files_of(paths: Iterable[str | PathLike[str]]) -> list[str]:
    """The files that `check(paths)` checks. Raises CannotCheck where a path leads to none."""
    return sources.files([fspath(path) for path in paths])


def check(
    paths: Iterable[str | PathLike[str]], *, python: str | None = None, extra_args: Sequence[str] = ()
) -> list[Finding]:
    """What is wrong in these files and folders. Raises CannotCheck where mypy cannot say.

    `python` is the interpreter whose mypy runs, this one unless given; `extra_args` go to mypy.
    """
    messages = []
    for group in sources.rounds(files_of(paths)):
        messages += mypy_run.run(group, python=python, extra_args=extra_args)
    return findings(messages)
