"""What an exception of Mosaic GPU is told on its way out of a kernel's body: the rule that it breaks.

The exception stays Mosaic GPU's, its type and its words; the rule, what to do and where to read on go into a note
(PEP 678). Nothing happens, and nothing is read, unless something is raised.
"""

from pathlib import Path

from safegpu._jax import core

_MOSAIC_GPU = Path(core.__file__).parent


def add_rule(error: Exception) -> None:
    """Adds to an exception that a line of Mosaic GPU raised itself what `sites.toml` knows of that line."""
    where = _raised_in(error)
    if where is None:
        return
    from safegpu.rules import RULES, inventory

    site = inventory.site_at(*where)
    verdict = inventory.verdict_of(site) if site is not None else None
    if verdict is None:
        return
    for code in verdict.codes:
        if code in RULES and code != "SG000":  # of which there is nothing to say
            perhaps = "perhaps " if verdict.gate == "partly" else ""
            rule = RULES[code]
            error.add_note(
                f"{perhaps}{code} {rule.name}: {rule.message}\n    fix: {rule.fix}\n    more: safegpu explain {code}"
            )
    if not str(error) and verdict.reason and verdict.gate not in ("internal", "outside"):
        what = verdict.reason.partition("; ")[0] if verdict.gate == "lowering" else verdict.reason
        error.add_note(f"raised for: {what}")


def _raised_in(error: Exception) -> tuple[str, int] | None:
    """The file and line that raised, where it is Mosaic GPU's."""
    step = error.__traceback__
    if step is None:
        return None
    while step.tb_next is not None:
        step = step.tb_next
    path = step.tb_frame.f_code.co_filename
    return (path, step.tb_lineno) if Path(path).parent == _MOSAIC_GPU else None
