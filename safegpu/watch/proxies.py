"""SG902: shared memory that the threads have written is read by a copy or by the tensor core without a fence between.

Threads write through the generic proxy, TMA and the tensor core read through the async proxy, and only a fence orders
the two, `commit_shared`.
"""

import functools
from typing import Any, NamedTuple

from safegpu import _gate
from safegpu._jax import ir
from safegpu.rules import allows_here
from safegpu.watch._copies import copy_of
from safegpu.watch._core import Call, after, at_end, found, told
from safegpu.watch._program import Window, follows, overlap, unseen, window
from safegpu.watch._threads import of_kernel

_WARPGROUP = 128
_FENCE = r"fence\.proxy(?!\.alias)"


class _Write:
    """A write; where it lies is worked out when somebody reads."""

    def __init__(self, call: Call) -> None:
        self.ref = call.get("ref", call.get("dst"))
        self.block, self.place, self.by = call.block, call.place, call.name.partition(".")[2]

    @functools.cached_property
    def window(self) -> Window | None:
        return window(self.ref)


class _Doubt(NamedTuple):
    """A reader of unfenced memory, which another warpgroup may have fenced for it in a branch that comes later."""

    block: ir.Block
    message: str


class _Writes:
    """What threads have written since the last fence."""

    def __init__(self) -> None:
        self.fences = 0
        self.unfenced: list[_Write] = []
        self.doubts: list[_Doubt] = []


@after("FragmentedArray.store_tiled", "FragmentedArray.store_untiled", "fragmented_array.copy_tiled")
def _written(call: Call) -> None:
    call.states[_Writes].unfenced.append(_Write(call))


@after("utils.commit_shared")
def _fenced(call: Call) -> None:
    writes, block = call.states[_Writes], call.block
    writes.fences += 1
    writes.unfenced.clear()
    # What follows the reader, or goes around it, is too late for it; what another branch does may be in time.
    writes.doubts = [each for each in writes.doubts if follows(block, each.block) or follows(each.block, block)]


@after("LaunchContext.async_copy")
def _replaced(call: Call) -> None:
    """What a copy has written over is read no more."""
    writes = call.states[_Writes]
    if writes.unfenced and (over := copy_of(call).written) is not None:
        writes.unfenced = [each for each in writes.unfenced if each.window and each.window.root != over.root]


@after("LaunchContext.async_copy")
def _copied(call: Call) -> None:
    _check(call, "the copy", call.get("src_ref"))


@after("wgmma", "tcgen05.mma")
def _multiplied(call: Call) -> None:
    _check(call, "the tensor core", call.get("a"), call.get("b"))


@after(
    "tcgen05.async_copy_smem_to_tmem",
    "tcgen05.async_copy_scales_smem_to_tmem",
    "tcgen05.async_copy_sparse_metadata_smem_to_tmem",
)
def _copied_to_tmem(call: Call) -> None:
    _check(call, "the copy to tensor memory", call.get("smem_ref"))


def _check(call: Call, reader: str, *refs: Any) -> None:
    writes = call.states[_Writes]
    if not writes.unfenced:
        return
    for ref in refs:
        read = window(ref)
        if read is None:
            continue
        for write in writes.unfenced:
            if write.window is None or not overlap(write.window, read) or not follows(write.block, call.block):
                continue
            if unseen(call.block, _FENCE, writes.fences):
                writes.unfenced.clear()
                return
            alone = write.block == call.block or of_kernel(call.block).number <= _WARPGROUP
            where = "" if alone else f" at {told(call.place)}"
            message = (
                f"{call.name}{where} reads shared memory that {write.by} wrote at {told(write.place)}, with no "
                f"commit_shared() between: {reader} may read what was there before; call it after the store"
            )
            if alone:
                _gate.refuse("SG902", message)
            elif not allows_here("SG902"):
                writes.doubts.append(_Doubt(call.block, message))


@at_end
def _never_fenced() -> None:
    if (writes := found(_Writes)) is None:
        return
    for block, message in writes.doubts:
        if not unseen(block, _FENCE, writes.fences):
            _gate.refuse("SG902", message)
