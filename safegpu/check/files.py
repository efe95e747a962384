"""Which files a run checks, and in how many runs of mypy."""

import os
from collections.abc import Sequence
from pathlib import Path

from safegpu._modules import module_name
from safegpu.check._errors import CannotCheck

SUFFIXES = (".py", ".pyi")
SKIPPED = frozenset(["__pycache__", "node_modules", "site-packages"])


def expand(paths: list[str], *, exclude: Sequence[str] = (), kernels_only: bool = False) -> list[str]:
    """The Python files that the paths name: a file itself, a folder's with all that is below it.

    Less those that match a pattern of `exclude`, which is read as in a .gitignore of the current folder, and, for
    `kernels_only`, those in which the word safegpu does not occur.
    """
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
    excluded = _excluded(list(found), exclude) if exclude else ()
    return [path for path in found if path not in excluded and (not kernels_only or _names_safegpu(path))]


def rounds(found: list[str]) -> list[list[str]]:
    """The files in groups in which no two modules share a name.

    mypy refuses two modules of one name in a run, but scripts in two folders may well be called `matmul.py`.
    Files that import each other by these names, those of one folder, stay together.
    """
    folders: dict[tuple[Path, bool], dict[str, str]] = {}
    for path in found:
        base, module = module_name(path)
        known = folders.setdefault((base, False), {})
        first = known.setdefault(module, path)
        if path.endswith(".pyi") != first.endswith(".pyi"):
            # a stub and its source, each given by name: the others see the stub
            stub, source = (path, first) if path.endswith(".pyi") else (first, path)
            known[module] = stub
            folders.setdefault((base, True), {})[module] = source
    groups: list[dict[str, str]] = []
    for modules in folders.values():
        group = next((group for group in groups if group.keys().isdisjoint(modules)), None)
        if group is None:
            groups.append(dict(modules))
        else:
            group.update(modules)
    return [list(group.values()) for group in groups]


def _excluded(found: list[str], patterns: Sequence[str]) -> set[str]:
    try:
        import pathspec  # which mypy brings
    except ModuleNotFoundError as error:
        raise CannotCheck("--exclude needs pathspec: pip install 'safegpu[check]'") from error
    try:
        spec = pathspec.GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise CannotCheck(f"--exclude: {error}") from error
    return {path for path in found if spec.match_file(Path(os.path.relpath(path)).as_posix())}


def _names_safegpu(path: str) -> bool:
    try:
        return b"safegpu" in Path(path).read_bytes()
    except OSError:
        return True  # for mypy to complain about


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
