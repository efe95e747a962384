"""SG908: shared memory is read while the copy that fills it is still under way.

A copy runs on beside the threads that have started it. It arrives at its barrier when it is done, and who has not
waited for that does not see what it brings.
"""

from typing import Any

from safegpu import _gate
from safegpu.watch._copies import copy_of
from safegpu.watch._core import Call, after, told
from safegpu.watch._program import follows, overlap, unseen, window

_WAIT = r"mbarrier\.(try|test)\.wait|mbarrier\.wait"


class _Copy:
    """A copy into shared memory that nobody has waited for."""

    def __init__(self, call: Call) -> None:
        self.block, self.place, self.filled = call.block, call.place, copy_of(call).written


class _Copies:
    def __init__(self) -> None:
        self.waits = 0
        self.under_way: list[_Copy] = []


@after("LaunchContext.async_copy")
def _started(call: Call) -> None:
    # Under a predicate it may not be started, and of several with one barrier the author may announce less.
    if call.get("barrier") is not None and "predicate" not in call and copy_of(call).by_tma:
        call.states[_Copies].under_way.append(_Copy(call))


@after(
    "BarrierRef.wait",
    "BarrierRef.wait_parity",
    "BarrierRef.test",
    "BarrierRef.test_parity",
    "CollectiveBarrierRef.wait",
    "CollectiveBarrierRef.wait_parity",
    "utils.block_barrier",
    "utils.warpgroup_barrier",
)
def _waited(call: Call) -> None:
    """Whatever is waited for may be the copy: others may have waited for it before they arrive there."""
    copies = call.states[_Copies]
    copies.waits += call.name.startswith(("BarrierRef", "CollectiveBarrierRef"))
    copies.under_way.clear()


@after("FragmentedArray.load_tiled", "FragmentedArray.load_untiled", "FragmentedArray.load_strided")
def _loaded(call: Call) -> None:
    _check(call, "the load", call.get("ref"))


@after("wgmma", "tcgen05.mma")
def _multiplied(call: Call) -> None:
    _check(call, "the tensor core", call.get("a"), call.get("b"))


@after("LaunchContext.async_copy")
def _copied(call: Call) -> None:
    _check(call, "the copy", call.get("src_ref"))


def _check(call: Call, reader: str, *refs: Any) -> None:
    copies = call.states[_Copies]
    if not copies.under_way:
        return
    for ref in refs:
        if (read := window(ref)) is None:
            continue
        for copy in copies.under_way:
            if copy.filled is None or not overlap(copy.filled, read) or not follows(copy.block, call.block):
                continue
            if unseen(call.block, _WAIT, copies.waits):
                copies.under_way.clear()
                return
            _gate.refuse(
                "SG908",
                f"{call.name} reads shared memory that the copy at {told(copy.place)} is filling, with no wait "
                f"between: {reader} may see what was there before; call barrier.wait() on the copy's barrier",
            )
