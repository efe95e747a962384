"""Kernels that may end the GPU's context, each in a process of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

_CHILD = """
import importlib, os, sys
try:
    print(eval(sys.argv[2], vars(importlib.import_module(sys.argv[1]))), flush=True)
except Exception as error:
    print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
    os._exit(3)  # what is left of the context hangs some exits
os._exit(0)
"""


class Ended(NamedTuple):
    """How a process ended."""

    said: str | None
    """What it printed; None where an exception ended it."""
    errors: set[str]
    """The errors of CUDA, by name."""
    output: str


def alone(module: str, expression: str) -> Ended:
    """What an expression in a module's names gives, evaluated in a new process."""
    child = subprocess.run(
        [sys.executable, "-c", _CHILD, module, expression],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    output = child.stdout + child.stderr
    print(f"{expression}: exit {child.returncode}\n{output[-2000:]}")
    said = child.stdout.strip().rpartition("\n")[2] if child.returncode == 0 else None
    return Ended(said, set(re.findall(r"CUDA_ERROR_\w+", output)), output)
