"""What Mosaic GPU says of a kernel that it refuses, and at which site of its sources it says so."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from safegpu.rules import RULES, allow, inventory
from safegpu.rules._sites import Site, folder

OURS = [code for code, rule in RULES.items() if rule.gate != "types" and code[2] != "6"]
"""What lowering would say before Mosaic GPU is asked, of all but architectures."""


class Lowered(Exception):
    """Ends a trace whose module nobody needs."""


class Refusal(NamedTuple):
    """An error that Mosaic GPU, or MLIR below it, raised."""

    words: str
    site: inventory.Key | None = None
    """None where it is no line of Mosaic GPU's that raised."""


def refusal(build: Callable[[], object]) -> Refusal | None:
    """Why the kernel, or what it is asked inside of a trace, is refused; None where it lowers."""
    try:
        with allow(*OURS):
            build()
    except Lowered:
        return None
    except Exception as error:
        site = site_of(error)
        return Refusal(f"{type(error).__name__}: {error}", site.key if site is not None else None)
    return None


def site_of(error: BaseException) -> Site | None:
    """The line of Mosaic GPU's that raised it."""
    raised = traceback.extract_tb(error.__traceback__)[-1]
    if Path(raised.filename).parent != folder():
        return None
    return inventory.site_at(raised.filename, raised.lineno or 0)
