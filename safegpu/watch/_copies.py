"""The two ends of an `async_copy`, found once for all the rules that ask."""

from safegpu._facts import Path, path_to
from safegpu._jax import launch_context
from safegpu.watch._core import Call
from safegpu.watch._program import Window, is_window

_TMA = launch_context.AsyncCopyImplementation.TMA


class Copy:
    """A call of `async_copy`."""

    __slots__ = ("by_tma", "destination", "source")

    def __init__(self, call: Call) -> None:
        self.by_tma = call.get("implementation", _TMA) is _TMA
        self.source = path_to(call.get("src_ref"))
        self.destination = path_to(call.get("dst_ref"))

    @property
    def ends(self) -> tuple[tuple[str, Path | None], ...]:
        """Each of the two by its parameter."""
        return (("src_ref", self.source), ("dst_ref", self.destination))

    @property
    def read(self) -> Window | None:
        """The part of shared memory that is copied."""
        return self.source if is_window(self.source) else None

    @property
    def written(self) -> Window | None:
        """The part of shared memory that is copied to."""
        return self.destination if is_window(self.destination) else None

    @property
    def in_global_memory(self) -> Path | None:
        """The other end; None where that may be either."""
        source, destination = self.source, self.destination
        if is_window(source):
            return destination
        if is_window(destination):
            return source
        ends = [end for end in (source, destination) if end is not None and end.type and end.type.memory_space is None]
        return ends[0] if len(ends) == 1 else None


def copy_of(call: Call) -> Copy:
    """The ends of this `async_copy`, found by the first rule that asks."""
    copy: Copy | None = call.copied
    if copy is None:
        copy = call.copied = Copy(call)
    return copy
