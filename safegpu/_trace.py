"""The trace of a kernel's body: what is kept from its first line to its last, and forgotten after."""

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from safegpu._jax import ir
from safegpu.architectures import Architecture


class Trace:
    """One call of a body by `as_gpu_kernel`."""

    __slots__ = ("allocations", "arch", "cluster", "facts", "states", "threads", "watching")

    def __init__(
        self,
        arch: type[Architecture] | None = None,
        cluster: tuple[int, ...] | None = None,
        threads: int | None = None,
    ) -> None:
        self.arch = arch  # what the kernel is lowered for; None where nobody said
        self.cluster = cluster  # blocks along its axes
        self.threads = threads  # of a block
        self.allocations: Callable[[], Iterator[Any]] = lambda: iter(())  # of the scratch, by `safegpu._placement`
        self.facts: dict[ir.Value, Any] = {}  # of `safegpu._facts`
        self.states: dict[type, Any] = {}  # of `safegpu.watch`
        self.watching = True  # False inside a watched call: what Mosaic GPU calls there is not the author's


_current: ContextVar[Trace | None] = ContextVar("safegpu_trace", default=None)

current = _current.get
"""The trace that this thread is in; None outside."""


@contextlib.contextmanager
def trace(
    arch: type[Architecture] | None = None, cluster: tuple[int, ...] | None = None, threads: int | None = None
) -> Iterator[Trace]:
    """Makes the block a trace of its own."""
    this = Trace(arch, cluster, threads)
    token = _current.set(this)
    try:
        yield this
    finally:
        _current.reset(token)


def tracing() -> bool:
    """Whether this thread is tracing a kernel that safegpu builds."""
    return current() is not None


def architecture() -> type[Architecture] | None:
    """The architecture that the kernel being traced is lowered for; None where nobody said."""
    this = current()
    return None if this is None else this.arch
