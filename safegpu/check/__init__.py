"""`safegpu check`: mypy's findings about a kernel, as rules.

`files` says what is checked and `settings` how; `mypy_run` runs mypy and `messages` takes its sentences apart.
`surface` has the signatures from the stubs, `matching` reads a call as one of them, and `closer` asks mypy again where
a sentence leaves something open. `table` says which rule claims what; `report` and `words` put it in safegpu's words,
and `output` writes it for people and machines.
"""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from os import PathLike, fspath
from pathlib import Path

from safegpu.check import files, mypy_run, settings
from safegpu.check._errors import CannotCheck, SettingsWarning
from safegpu.check.closer import look
from safegpu.check.mapping import identify
from safegpu.check.report import Finding, findings

__all__ = ["CannotCheck", "Finding", "SettingsWarning", "check", "files_of", "identify"]


def files_of(
    paths: Iterable[str | PathLike[str]], *, exclude: Sequence[str] = (), kernels_only: bool = False
) -> list[str]:
    """The files to check: those that the paths lead to. Raises CannotCheck where a path leads to none.

    `exclude` holds patterns as in a .gitignore; `kernels_only` leaves out what does not name safegpu.
    """
    return files.expand([fspath(path) for path in paths], exclude=exclude, kernels_only=kernels_only)


def check(
    paths: Iterable[str | PathLike[str]],
    *,
    python: str | None = None,
    config: str | PathLike[str] | None = None,
    extra_args: Sequence[str] = (),
) -> list[Finding]:
    """What is wrong in these files and folders. Raises CannotCheck where mypy cannot say.

    `python` is the interpreter whose mypy runs, this one unless given; `config` is a configuration of mypy whose
    settings go before safegpu's; `extra_args` go to mypy.
    """
    found: list[Finding] = []
    groups = files.rounds(files_of(paths))
    with _config(config) as path:
        for group in groups:
            run = partial(mypy_run.run, group, python=python, config=path, extra_args=extra_args)
            try:
                messages = run()
            except CannotCheck as error:
                # mypy stops at the first file that it cannot read, and says nothing of the others
                left = sum(map(len, groups)) - 1 if error.unchecked else 0
                and_more = f"; {left} other {'file was' if left == 1 else 'files were'} not checked" if left else ""
                raise CannotCheck(f"{error}{and_more}") from error
            found += findings(messages, look(messages, run))
    return sorted(found, key=lambda each: (each.path, each.line, each.column, each.rule))


@contextmanager
def _config(project: str | PathLike[str] | None) -> Iterator[Path]:
    """The file that mypy reads: safegpu's, or one with a project's settings over safegpu's."""
    if project is None:
        yield settings.CONFIG
        return
    text = settings.merged(Path(project))
    with tempfile.TemporaryDirectory(prefix="safegpu-") as folder:
        path = Path(folder, "mypy.ini")
        path.write_text(text, encoding="utf-8")
        yield path
