"""The trace of a kernel's body: what is kept from its first line to its last, and forgotten after."""

from collections.abc import Callable, Iterable
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any

from safegpu._jax import ir
from safegpu.architectures import Architecture


class States(dict[type, Any]):
    """One object of each class that is asked for."""

    def __missing__(self, cls: type) -> Any:
        made = self[cls] = cls()
        return made

    if TYPE_CHECKING:

        def __getitem__[T](self, cls: type[T]) -> T: ...  # type: ignore[override]


class Trace:
    """One call of a body by `as_gpu_kernel`: in a `with` block, the trace that this thread is in."""

    __slots__ = (
        "_token",
        "allocations",
        "arch",
        "barriers",
        "cluster",
        "facts",
        "is_annotated",
        "paths",
        "starts",
        "states",
        "threads",
        "watching",
    )
    _token: "Token[Trace | None]"

    def __init__(
        self,
        arch: type[Architecture] | None = None,
        cluster: tuple[int, ...] | None = None,
        threads: int | None = None,
        allocations: Callable[[], Iterable[Any]] = tuple,
        starts: Callable[[], Iterable[int]] = tuple,
        is_annotated: Callable[[], bool] = lambda: True,
    ) -> None:
        self.arch = arch  # what the kernel is lowered for; None where nobody said
        self.cluster = cluster  # blocks along its axes
        self.threads = threads  # of a block
        self.allocations = allocations  # of the scratch, by `safegpu._placement`
        self.starts = starts  # of the buffers among them
        self.is_annotated = is_annotated  # whether the body has any annotation
        self.barriers: set[ir.Value] = set()  # the addresses of those that specs allocated
        self.facts: dict[ir.Value, Any] = {}  # of `safegpu._facts`
        self.paths: dict[ir.Value, Any] = {}  # of `safegpu._facts`
        self.states = States()  # of `safegpu.watch`
        self.watching = True  # False inside a watched call: what Mosaic GPU calls there is not the author's

    def __enter__(self) -> "Trace":
        self._token = _current.set(self)
        return self

    def __exit__(self, *raised: object) -> None:
        _current.reset(self._token)
        self.states.clear()  # of which some keep calls, which know their trace: a cycle, left to the collector
        self.paths.clear()


_current: ContextVar[Trace | None] = ContextVar("safegpu_trace", default=None)

current = _current.get
"""The trace that this thread is in; None outside."""


def tracing() -> bool:
    """Whether this thread is tracing a kernel that safegpu builds."""
    return current() is not None


def architecture() -> type[Architecture] | None:
    """The architecture that the kernel being traced is lowered for; None where nobody said."""
    this = current()
    return None if this is None else this.arch
