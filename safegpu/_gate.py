"""The gate at lowering: what the types let through and Mosaic GPU would lower all the same.

An operation that the kernel's architecture lacks is refused at the author's call, before Mosaic GPU builds
anything, and only where the architecture is known: stated by the kernel, given to `safegpu.offline`, or that of the
GPU. What Mosaic GPU answers on a CPU nobody said, and nothing is checked with it.
"""

import functools
import warnings
from collections.abc import Callable
from typing import Any

from safegpu._jax import NOT_THE_AUTHORS
from safegpu._trace import architecture, current
from safegpu.architectures import ARCHITECTURES, INSTEAD, Architecture, having
from safegpu.rules import RaceWarning, RuleError, allow, allows  # noqa: F401  # a name of the package
from safegpu.rules._allow import of_environment

of_environment()  # so that a mistake in it is told at the start


def refuse(code: str, message: str) -> None:
    """Every refusal at lowering comes through here; it returns where the author allows what breaks the rule.

    A race may come out right, so a body that has no annotations, as before its author came to safegpu, is warned.
    """
    if allows(code):
        return
    trace = current()
    if trace is not None and not trace.is_annotated() and _is_race(code):
        told = f"{code}: {message} (an error where the kernel's body has annotations)"
        warnings.warn(told, RaceWarning, skip_file_prefixes=NOT_THE_AUTHORS)
        return
    raise RuleError(code, message)


def _is_race(code: str) -> bool:
    from safegpu.rules import RULES  # here, because lowering does without the words of rules until one is broken

    return RULES[code].is_race


def require(capability: type[Architecture], operation: str, arch: type[Architecture] | None = None) -> None:
    """Refuses `operation` where the architecture, by default that of the trace, is known and lacks the capability."""
    arch = arch or architecture()
    if arch is None or issubclass(arch, capability):
        return
    advice = _advice(capability, arch)
    alike = [each for each in ARCHITECTURES if _advice(capability, each) == advice]
    refuse(
        "SG601",
        f"{operation} needs {_listed(having(capability), 'or')}, but this kernel is lowered for {arch.__name__}; "
        f"on {_listed(alike, 'and')} {advice}",
    )


def needing(capability: type[Architecture], operation: str) -> Callable[[Callable[..., Any]], Any]:
    """A function of Mosaic GPU that needs the capability wherever it is called."""

    def gated(function: Callable[..., Any]) -> Any:
        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            require(capability, operation)
            return function(*args, **kwargs)

        return checked

    return gated


def truth(what: str) -> bool:
    """Python's question whether a value of the kernel is true, which the GPU alone can answer."""
    # Every object is true to Python where its class does not say otherwise, and a condition that always holds is a
    # kernel that silently errs.
    refuse(
        "SG811",
        f"{what} is true or false on the GPU, and Python asks here, before the kernel runs: use mgpu.when(cond) "
        "for `if`, cond.select(a, b) for `a if cond else b`, & | ~ for `and`, `or`, `not`, a.max(b) for `max(a, b)`, "
        "and `is None` for what may be missing",
    )
    return True


def _advice(capability: type[Architecture], arch: type[Architecture]) -> str | None:
    """What to do on `arch` without the capability; None where it has it."""
    if issubclass(arch, capability):
        return None
    return next(advice for needed, advice in INSTEAD[capability] if issubclass(arch, needed))


def _listed(architectures: list[type[Architecture]], conjunction: str) -> str:
    *first, last = [each.__name__ for each in architectures]
    return f"{', '.join(first)} {conjunction} {last}" if first else last
