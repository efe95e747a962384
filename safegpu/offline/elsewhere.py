"""A process that calls functions of safegpu for this one.

What compiles takes the process with it: it can compile for one architecture alone, it reads the platform when jax
starts, and LLVM ends the process where it meets what it cannot compile.
"""

import contextlib
import importlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from safegpu.offline.errors import BadTarget, CompileError, ImportFailed, Refused

PACKAGE = Path(__file__).parents[1]

# -P and the end of the path: a user's `types.py` in the current folder must not be the one that Python finds.
_START = f"import sys; sys.path.append({str(PACKAGE.parent)!r})\nfrom {__name__} import serve; serve()"


class Ended(Exception):
    """The other process ended in the middle of a call. The text is what it wrote to its standard error."""


class Raised(Exception):
    """A call raised in the other process: the exception in a line or as it words itself, and its traceback."""

    def __init__(self, said: str, kind: str, traceback: str) -> None:
        super().__init__(said)
        self.kind = kind
        self.traceback = traceback


class Elsewhere(contextlib.AbstractContextManager["Elsewhere"]):
    """Another Python, with no GPU to see, in which `path` is importable."""

    def __init__(self, path: Sequence[str] = ()) -> None:
        self._errors = tempfile.NamedTemporaryFile()
        self._said = open(self._errors.name, errors="replace")
        self._one_at_a_time = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=os.environ | {"JAX_PLATFORMS": "cpu"},
        )
        if path:
            self.call(f"{__name__}:import_from", list(path))

    def call(self, function: str, *args: Any, **kwargs: Any) -> Any:
        """What `MODULE:FUNCTION` returns there."""
        assert self._process.stdin and self._process.stdout
        request = pickle.dumps((function, args, kwargs))
        try:
            with self._one_at_a_time:
                self._process.stdin.write(request)
                self._process.stdin.flush()
                outcome, value = pickle.load(self._process.stdout)
        except KeyboardInterrupt:
            self._process.kill()  # its reply would be taken for the next call's
            raise
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            raise Ended(self.said().strip() or _how_it_ended(self._process.wait())) from None
        if outcome == "raised":
            raise Raised(*value)
        return value

    def said(self) -> str:
        """What the other process wrote to its standard output and error since it was last asked."""
        return self._said.read()

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._said.close()
        self._errors.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def _how_it_ended(status: int) -> str:
    return f"exit status {status}" if status >= 0 else f"killed by {signal.Signals(-status).name}"


# --- the other process


def serve() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks, which ends this one
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the called prints
    sys.stdin = open(os.devnull)
    while True:
        try:
            name, args, kwargs = pickle.load(requests)
        except EOFError:
            return
        module, _, function = name.partition(":")
        reply: tuple[str, Any]
        try:
            reply = "returned", getattr(importlib.import_module(module), function)(*args, **kwargs)
        except (Exception, SystemExit) as error:
            reply = "raised", (described(error), type(error).__name__, "".join(traceback.format_exception(error)))
        sys.stdout.flush()
        sys.stderr.flush()
        pickle.dump(reply, replies)
        replies.flush()


def import_from(path: list[str]) -> None:
    from safegpu import _jax  # noqa: F401  # before a user's `types.py` stands in its way

    sys.path[:0] = path


def described(error: BaseException) -> str:
    """An exception with where it comes from in the author's files: the innermost line of none of the libraries."""
    if isinstance(error, BadTarget | CompileError | ImportFailed | Refused):
        return str(error)
    kind, said = type(error).__name__, str(error)
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError):
        return f"{_shown(error.filename or '')}:{error.lineno}: {kind}: {error.msg}"
    if not said and frames:
        said = f"`{frames[-1].line}`"
    theirs = [frame for frame in frames if not _is_library(frame.filename)]
    place = f"{_shown(theirs[-1].filename)}:{theirs[-1].lineno}: " if theirs else ""
    rules = [note for note in getattr(error, "__notes__", ()) if "safegpu explain" in note]
    return "\n".join([f"{place}{kind}: {said}", *rules])


def _is_library(file: str) -> bool:
    return file.startswith(("<", f"{PACKAGE}{os.sep}", sys.base_prefix, sys.prefix)) or "site-packages" in file


def _shown(file: str) -> str:
    relative = os.path.relpath(file)
    return file if relative.startswith("..") else relative
