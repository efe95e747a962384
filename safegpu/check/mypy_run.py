"""Runs mypy in a process of its own and reads what it prints."""

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from safegpu.check._errors import CannotCheck, SettingsWarning
from safegpu.check.settings import CONFIG, MAIN, read

CACHE = os.path.join(".mypy_cache", "safegpu")
"""Beside the project's own: mypy throws away what was made with other settings, and both would start anew each time."""
NO_CACHE = f"--cache-dir={os.devnull}"
TWO_NAMES = "Source file found twice under different module names"


@dataclass(frozen=True)
class Message:
    """An error that mypy reports, or a note beside it. Lines and columns count from 1."""

    path: str
    line: int
    column: int
    text: str
    code: str
    is_note: bool = False


def run(
    files: list[str],
    *,
    python: str | None = None,
    config: Path = CONFIG,
    extra_args: Sequence[str] = (),
    shadows: Mapping[str, str] | None = None,
) -> list[Message]:
    """What mypy says of the files, in its order.

    `shadows` are files that stand in for others, which keep their names; then notes are said too.
    """
    # -P: a file of the author's called types.py or json.py is not for mypy to import
    command = [python or sys.executable, "-P", "-m", "mypy", "--output", "json", "--no-error-summary"]
    command += ["--config-file", str(config)]
    if "MYPY_CACHE_DIR" not in os.environ and not read(config)[MAIN].get("cache_dir"):
        command += ["--cache-dir", CACHE]
    command += extra_args
    for path, shadow in (shadows or {}).items():
        command += ["--shadow-file", path, shadow]
    done = _start([*command, "--", *files])
    if TWO_NAMES in done.stdout + done.stderr:
        # tests/sub/__init__.py without tests/__init__.py, imported as tests.sub: let the paths be the names
        done = _start([*command, "--explicit-package-bases", "--", *files])
    if "No module named mypy" in done.stderr:
        raise CannotCheck("mypy is not installed here: pip install 'safegpu[check]'")
    if "INTERNAL ERROR" in done.stderr or done.returncode not in (0, 1, 2):
        raise CannotCheck(f"mypy crashed: {_last_line(done.stderr)}; `mypy {' '.join(files)}` shows all of it")
    for line in done.stderr.splitlines():
        if line.startswith(f"{config}: "):  # an option that it does not have, and passes over
            warnings.warn(line.removeprefix(f"{config}: "), SettingsWarning, stacklevel=2)
    messages = [message for line in done.stdout.splitlines() if (message := _message(line))]
    if done.returncode == 2:
        raise CannotCheck(_blocker([each for each in messages if not each.is_note], done.stderr), len(files))
    if _is_of_others(messages, files) and NO_CACHE not in extra_args:
        extra_args = [*extra_args, NO_CACHE]
        return run(files, python=python, config=config, extra_args=extra_args, shadows=shadows)
    return [each for each in messages if shadows or not each.is_note]


def _is_of_others(messages: list[Message], files: list[str]) -> bool:
    """Whether mypy names other files that are called the same.

    Its cache goes by module names. For `b/matmul.py` it repeats what it said of an `a/matmul.py` with the same text.
    """
    given = {os.path.abspath(file) for file in files}
    others = {os.path.abspath(message.path) for message in messages} - given
    return not {os.path.basename(path) for path in others}.isdisjoint(map(os.path.basename, given))


def _start(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
    except OSError as error:
        raise CannotCheck(f"cannot start {command[0]}: {error.strerror}") from error


def _message(line: str) -> Message | None:
    if not line.startswith("{"):
        return None
    said = json.loads(line)
    line, column = max(said["line"], 1), max(said["column"], 0) + 1
    return Message(said["file"], line, column, said["message"], said["code"] or "", said["severity"] != "error")


def _blocker(messages: list[Message], stderr: str) -> str:
    if messages:
        first = messages[0]
        kind = "syntax error: " if first.code == "syntax" else ""
        return f"{first.path}:{first.line}: {kind}{first.text}"
    return _last_line(stderr)


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else "no message"
