"""Where a Python file is imported from, and under which name."""

import os
from pathlib import Path


def module_name(path: str | os.PathLike[str]) -> tuple[Path, str]:
    """The folder that a module is imported from, and its name there: of a package the outermost, otherwise its own."""
    resolved = Path(os.path.abspath(path))
    base = resolved.parent
    for folder in resolved.parents:
        if not folder.name.isidentifier():
            break
        if any((folder / f"__init__{suffix}").exists() for suffix in (".py", ".pyi")):
            base = folder.parent
    parts = resolved.with_suffix("").relative_to(base).parts
    return base, ".".join(part for part in parts if part != "__init__")
