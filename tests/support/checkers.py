"""The type checkers, each behind one class: its command, and what it reported by file and line."""

from __future__ import annotations

import abc
import dataclasses
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

ROOT = Path(__file__).resolve().parents[2]
STUBS = ROOT / "stubs"


@dataclasses.dataclass(frozen=True)
class Message:
    """One error: the checker's sentence and its own code for it."""

    text: str
    code: str


type Report = dict[tuple[str, int], list[Message]]
"""The errors by (file name, line)."""


def environment(root: Path, *paths: Path | str) -> Path:
    """The interpreter of a new environment that imports from `paths` alone, as an editable install does."""
    venv.create(root, with_pip=False, symlinks=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(root), "platbase": str(root)}))
    (site / "paths.pth").write_text("".join(f"{path}\n" for path in paths))
    return root / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def installed_packages() -> Path:
    """Where this environment keeps its packages, jax among them."""
    return Path(sysconfig.get_paths()["purelib"])


class Checker(abc.ABC):
    """A checker runs once over a batch of files of one directory, as in the environment of `python`."""

    name: ClassVar[str]

    def __init__(self, *options: str) -> None:
        self.options = options

    def check(self, files: Sequence[Path], python: Path, cache: Path) -> Report:
        """What it reports for `files`; RuntimeError where it did not get as far as checking them."""
        command = [*self.command(python, cache), *self.options, *(file.name for file in files)]
        (directory,) = {file.parent for file in files}
        run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=directory)
        if run.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(command)}\n{run.stdout}{run.stderr}")
        report: Report = {}
        checked = {file.name for file in files}
        for name, line, message in self.parse(run.stdout):
            if name not in checked:
                raise RuntimeError(f"{self.name} reports {name}:{line}, which it was not given: {message}")
            report.setdefault((name, line), []).append(message)
        return report

    @abc.abstractmethod
    def command(self, python: Path, cache: Path) -> list[str]: ...

    @abc.abstractmethod
    def parse(self, output: str) -> Iterator[tuple[str, int, Message]]: ...


class Mypy(Checker):
    name = "mypy"

    def command(self, python: Path, cache: Path) -> list[str]:
        command = [sys.executable, "-m", "mypy", "--config-file=", "--output=json", "--no-error-summary"]
        return [*command, f"--python-executable={python}", f"--cache-dir={cache / 'mypy'}"]

    def parse(self, output: str) -> Iterator[tuple[str, int, Message]]:
        for found in map(json.loads, output.splitlines()):
            if found["severity"] == "error":
                yield Path(found["file"]).name, found["line"], Message(found["message"], found["code"])


class Pyright(Checker):
    name = "pyright"

    def command(self, python: Path, cache: Path) -> list[str]:
        return [sys.executable, "-m", "pyright", "--outputjson", f"--pythonpath={python}"]

    def parse(self, output: str) -> Iterator[tuple[str, int, Message]]:
        for found in json.loads(output)["generalDiagnostics"]:
            if found["severity"] == "error":
                line = found["range"]["start"]["line"] + 1
                yield Path(found["file"]).name, line, Message(found["message"], found.get("rule", ""))


class Pyrefly(Checker):
    name = "pyrefly"

    def command(self, python: Path, cache: Path) -> list[str]:
        # It does not read the .pth files of `python`, so it is told where they lead.
        script = "import site, sys; print(*sys.path[sys.path.index(site.getsitepackages()[0]) :], sep='\\n')"
        found = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True)
        paths = [f"--search-path={path}" for path in found.stdout.splitlines()]
        command = [beside_interpreter("pyrefly"), "check", "--output-format=json", "--summary=none"]
        return [*command, f"--python-interpreter-path={python}", *paths]

    def parse(self, output: str) -> Iterator[tuple[str, int, Message]]:
        for found in json.loads(output)["errors"]:
            if found.get("severity", "error") == "error":
                yield Path(found["path"]).name, found["line"], Message(found["description"], found["name"])


class Ty(Checker):
    name = "ty"

    _LINE: ClassVar[re.Pattern[str]] = re.compile(r"^(.+?):(\d+):\d+: error\[([\w-]+)\] (.*)$")

    def command(self, python: Path, cache: Path) -> list[str]:
        return [beside_interpreter("ty"), "check", "--output-format=concise", f"--python={python}"]

    def parse(self, output: str) -> Iterator[tuple[str, int, Message]]:
        for line in output.splitlines():
            if match := self._LINE.match(line):
                yield Path(match[1]).name, int(match[2]), Message(match[4], match[3])


def beside_interpreter(program: str) -> str:
    """The program as it is installed in this environment."""
    found = shutil.which(program, path=str(Path(sys.executable).parent))
    if found is None:
        raise FileNotFoundError(f"{program} is not installed beside {sys.executable}")
    return found


# --- expectations


_MARK = re.compile(r"#\s*E:\s*(\w+)\s*$")
_LOWERING_MARK = re.compile(r"#\s*[LP]:\s*(\w+)\s*$")
_PYRIGHT_MARK = re.compile(r"#\s*P:\s*(\w+)\s*$")


def save(report: Report, to: Path) -> None:
    to.write_text(json.dumps([(*place, *dataclasses.astuple(one)) for place, all_ in report.items() for one in all_]))


def load(saved: Path) -> Report:
    report: Report = {}
    for name, line, text, code in json.loads(saved.read_text()):
        report.setdefault((name, line), []).append(Message(text, code))
    return report


def refusals(files: Iterable[Path]) -> dict[tuple[str, int], str]:
    """The rule by which lowering refuses each line marked `# L: SGnnn`, which checkers accept, by (file name, line).

    `# P: SGnnn` is such a line too; pyright rejects it.
    """
    return _marked(files, _LOWERING_MARK)


def _marked(files: Iterable[Path], mark: re.Pattern[str]) -> dict[tuple[str, int], str]:
    lines = ((file.name, *each) for file in files for each in enumerate(file.read_text("utf-8").splitlines(), 1))
    return {(name, number): match[1] for name, number, line in lines if (match := mark.search(line))}


def seen_by_pyright_alone(files: Iterable[Path]) -> dict[tuple[str, int], str]:
    """The rule that each line marked `# P: SGnnn` breaks, which mypy has no way to see, by (file name, line)."""
    return _marked(files, _PYRIGHT_MARK)


def expectations(files: Iterable[Path]) -> dict[tuple[str, int], str]:
    """The rule that each line marked `# E: SGnnn` must break, by (file name, line)."""
    expected = {}
    for file in files:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if match := _MARK.search(line):
                expected[file.name, number] = match[1]
            elif re.search(r"#\s*E\b(?!.*`)", line):
                raise ValueError(f"{file.name}:{number}: a mark reads `# E: SGnnn` and ends its line, got {line!r}")
    return expected


def disagreements(
    expected: dict[tuple[str, int], str], report: Report, identify: Callable[[str, str], str] | None = None
) -> dict[tuple[str, int], str]:
    """Where a checker's report and the marks differ, and how.

    With `identify`, a function of (message, code) that answers with a rule's code, each marked line must break
    its own rule and no other.
    """
    found = {}
    for place in sorted(expected.keys() | report.keys()):
        texts = [message.text for message in report.get(place, ())]
        if place not in report:
            found[place] = f"accepted, but marked {expected[place]}"
        elif place not in expected:
            found[place] = f"rejected, but not marked: {texts}"
        elif identify is not None:
            # mypy may say the same a second time in words that no rule knows
            rules = {identify(message.text, message.code) for message in report[place]}
            if rules not in ({expected[place]}, {expected[place], "SG000"}):
                found[place] = f"breaks {sorted(rules)}, but marked {expected[place]}: {texts}"
    return found
