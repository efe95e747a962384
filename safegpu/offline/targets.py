"""What the targets of `safegpu compile` name, found without importing any of it."""

import dataclasses
import os
import re
from pathlib import Path

from safegpu._modules import module_name
from safegpu.offline.errors import BadTarget


@dataclasses.dataclass(frozen=True)
class Source:
    """A module: how it was named, the folder it is imported from, its name there, and its file where that is known."""

    named: str
    base: str
    module: str
    file: str | None

    def __str__(self) -> str:
        return self.named


@dataclasses.dataclass(frozen=True)
class Target:
    """A module, and the one kernel of it that is meant, or all."""

    source: Source
    kernel: str | None = None

    def __str__(self) -> str:
        return str(self.source) if self.kernel is None else f"{self.source}:{self.kernel}"


def targets_of(argument: str) -> list[Target]:
    """What `MODULE:KERNEL`, `FILE:KERNEL`, `FILE` or `FOLDER` names. Raises BadTarget where it names nothing.

    A folder names its own files that speak of kernels: importing a file runs it.
    """
    if os.path.isdir(argument):
        files = sorted(path for path in Path(argument).glob("*.py") if _speaks_of_kernels(path))
        if not files:
            raise BadTarget(f"no kernel in {argument}: none of its files has a Kernel or as_gpu_kernel")
        return [Target(_file(str(path))) for path in files]
    module, colon, kernel = argument.partition(":")
    if colon and not kernel.isidentifier():
        raise BadTarget(f"{argument} names no kernel: write {module}:KERNEL")
    # a module `a` of a folder that has a file `a` too is a module: `a:KERNEL`
    is_file = os.path.isfile(module) and (not colon or "." in module)
    if module.endswith(".py") or os.sep in module or is_file:
        if not os.path.isfile(module):
            raise BadTarget(f"no such file or folder: {module}")
        if not module.endswith(".py"):
            raise BadTarget(f"{module} is not a Python file: its name does not end in .py")
        return [Target(_file(module), kernel or None)]
    if not colon:
        raise BadTarget(f"no such file or folder: {argument}; in a module, name one kernel, {argument}:KERNEL")
    if not all(part.isidentifier() for part in module.split(".")):
        raise BadTarget(f"{module} is no module's name and no Python file")
    return [Target(Source(module, os.getcwd(), module, None), kernel)]


def _file(path: str) -> Source:
    base, name = module_name(path)
    return Source(os.path.normpath(path), str(base), name, os.path.abspath(path))


def _speaks_of_kernels(path: Path) -> bool:
    return re.search(r"\b(Kernel|as_gpu_kernel)\b", path.read_text(errors="replace")) is not None
