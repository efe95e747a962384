"""The registry of rules: `RULES[code]`.

To add a rule: an entry in `catalogue.py`, a page `pages/SGnnn.md` with its line in `pages/README.md`, twins
in `tests/rules`, and what recognises it: a keyword `SGnnn_advice: Never` in a `.pyi` where a receiver forbids the call
altogether, otherwise a row in `check/table.py`.
"""

from safegpu.rules._allow import allow, allows
from safegpu.rules._error import RuleError
from safegpu.rules._rule import FAMILIES, Rule
from safegpu.rules.catalogue import CATALOGUE

__all__ = ["FAMILIES", "RULES", "Rule", "RuleError", "allow", "allows", "find"]

RULES: dict[str, Rule] = {rule.code: rule for rule in CATALOGUE}


def find(name: str) -> Rule | None:
    """The rule of this code, or its number alone, or kebab-case name, in any case."""
    wanted = name.lower()
    return next((rule for rule in CATALOGUE if wanted in (rule.code.lower(), rule.code[2:], rule.name)), None)
