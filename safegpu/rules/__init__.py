"""The registry of rules: `RULES[code]`.

To add a rule: an entry in `catalogue.py`, a page `pages/SGnnn.md` with its line in `pages/README.md`, twins
in `tests/rules`, and what recognises it: a keyword `SGnnn_advice: Never` in a `.pyi` where a receiver forbids the call
altogether, otherwise a row in `check/table.py`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from safegpu.rules._allow import allow, allows, allows_here
from safegpu.rules._error import RaceWarning, RuleError

if TYPE_CHECKING:
    from safegpu.rules._rule import FAMILIES, Rule
    from safegpu.rules.catalogue import RULES, find

__all__ = ["FAMILIES", "RULES", "RaceWarning", "Rule", "RuleError", "allow", "allows", "allows_here", "find"]

# Lowering does without the words of rules until one is broken: these are imported when they are asked for.
_WORDS = {"FAMILIES": "_rule", "Rule": "_rule", "RULES": "catalogue", "find": "catalogue"}


def __getattr__(name: str) -> Any:
    if name not in _WORDS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WORDS[name]}"), name)
