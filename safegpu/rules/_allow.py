"""The rules of lowering that an author has taken back, for a block of code or for a process."""

import contextlib
import functools
import os
from collections.abc import Iterable, Iterator
from contextvars import ContextVar

VARIABLE = "SAFEGPU_ALLOW"

_allowed: ContextVar[frozenset[str]] = ContextVar("safegpu_allowed", default=frozenset())


@contextlib.contextmanager
def allow(*codes: str) -> Iterator[None]:
    """Inside the block lowering does not refuse what breaks these rules: `with mgpu.allow("SG902"):`.

    It stands around the calls that a rule is wrong about, or around `as_gpu_kernel` for all of a kernel. The
    environment variable `SAFEGPU_ALLOW=SG902,SG905` holds for a whole process, and `SAFEGPU_ALLOW=all` for all of them,
    which saves what they take of lowering. Checkers have `# type: ignore[CODE]`.

    Raises ValueError for what is no code of a rule that lowering decides.
    """
    token = _allowed.set(_allowed.get() | _checked("allow", codes))
    try:
        yield
    finally:
        _allowed.reset(token)


def allows(code: str) -> bool:
    """Whether what breaks this rule is to pass."""
    return allows_here(code) or code in of_environment()


def allows_here(code: str) -> bool:
    """Whether a block of `allow` around the call takes the rule back.

    For rules that refuse when the body has returned, and the block has been left; what the environment says, `refuse`
    asks then.
    """
    return code in _allowed.get()


def allows_all() -> bool:
    """Whether the environment variable is "all": then no call is looked at."""
    return _is_all(_said())


def of_environment() -> frozenset[str]:
    """The codes of the environment variable. Raises ValueError as `allow` does."""
    return _of_text(_said())


def _said() -> str:
    return os.environ[VARIABLE] if VARIABLE in os.environ else ""  # `get` raises and catches a KeyError inside


@functools.lru_cache(maxsize=8)
def _of_text(text: str) -> frozenset[str]:
    if _is_all(text):
        return frozenset(code for code, gate in _gates().items() if gate != "types")
    return _checked(VARIABLE, text.replace(",", " ").split())


def _is_all(text: str) -> bool:
    return text.strip(", ") == "all"


def _gates() -> dict[str, str]:
    """What sees each rule, by code; the catalogue is read where somebody allows one."""
    from safegpu.rules.catalogue import CATALOGUE

    return {rule.code: rule.gate for rule in CATALOGUE}


def _checked(where: str, codes: Iterable[str]) -> frozenset[str]:
    given = frozenset(codes)
    gates = _gates() if given else {}
    for code in sorted(given):
        if code not in gates:
            raise ValueError(f"{where}: {code!r} is no code of a rule; `safegpu rules` lists them")
        if gates[code] == "types":
            raise ValueError(f"{where}: {code} is decided by checkers alone; write # type: ignore[CODE] on its line")
    return given
