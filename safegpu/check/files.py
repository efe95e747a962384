"""Which files a run checks, and in how many runs of mypy."""

import os
from pathlib import Path

from safegpu._modules import module_name
from safegpu.check._errors import CannotCheck

SUFFIXES = (".py", ".pyi")
SKIPPED = frozenset(["__pycache__", "node_modules", "site-packages"])


def expand(paths: list[str]) -> list[str]:
    """The Python files that the paths name: a file itself, a folder's with all that is below it."""
    found: dict[str, None] = {}
    for path in paths:
        if os.path.isdir(path):
            below = _below(path)
            if not below:
                raise CannotCheck(f"nothing to check in {path}: it holds no Python file")
            found.update(dict.fromkeys(below))
        elif not os.path.exists(path):
            raise CannotCheck(f"no such file or folder: {path}")
        elif not path.endswith(SUFFIXES):
            raise CannotCheck(f"nothing to check in {path}: it is no Python file")
        else:
            found[path] = None
    return list(found)


def rounds(found: list[str]) -> list[list[str]]:
    """The files in groups in which no two modules share a name.

    mypy refuses two modules of one name in a run, but scripts in two folders may well be called `matmul.py`.
    Files that import each other by these names, those of one folder, stay together.
    """
    folders: dict[Path, dict[str, str]] = {}
    for path in found:
        base, module = module_name(path)
        known = folders.setdefault(base, {})
        if path.endswith(".pyi") or module not in known:
            known[module] = path
    groups: list[dict[str, str]] = []
    for modules in folders.values():
        group = next((group for group in groups if group.keys().isdisjoint(modules)), None)
        if group is None:
            groups.append(dict(modules))
        else:
            group.update(modules)
    return [list(group.values()) for group in groups]


def _below(folder: str) -> list[str]:
    found = []
    for parent, names, members in os.walk(folder):
        names[:] = sorted(name for name in names if not _is_skipped(name))
        stubs = {member[:-1] for member in members if member.endswith(".pyi")}
        found += [
            os.path.normpath(os.path.join(parent, member))
            for member in sorted(members)
            if member.endswith(SUFFIXES) and member not in stubs
        ]
    return found


def _is_skipped(folder: str) -> bool:
    """Whether a walk passes by: what others wrote, and stubs of other packages, whose modules have their names."""
    return folder in SKIPPED or folder.startswith(".") or folder.endswith("-stubs")
