"""SG905: shared memory is overwritten while a copy out of it is still reading."""

from typing import Any

from safegpu import _gate
from safegpu._jax import ir
from safegpu.watch._copies import copy_of
from safegpu.watch._core import Call, after, told
from safegpu.watch._program import Window, follows, overlap, unseen, window

_COMMIT = r"cp\.async\.bulk\.commit\.group"
_WAIT = r"cp\.async\.bulk\.wait\.group"


class _Copy:
    """A copy out of shared memory that may be under way."""

    def __init__(self, call: Call) -> None:
        self.block, self.place, self.source = call.block, call.place, copy_of(call).read
        self.always = call.get("predicate") is None  # and not where a predicate says so
        self.groups_after: int | None = 0  # committed after its own; None where a loop or a conditional decides


class _Copies:
    def __init__(self) -> None:
        self.commits = self.waits = 0
        self.under_way: list[_Copy] = []


@after("LaunchContext.async_copy")
def _started(call: Call) -> None:
    if call.get("barrier") is not None or not copy_of(call).by_tma:
        return  # into shared memory
    copies, block = call.states[_Copies], call.block
    commits = call.get("arrive") is not False
    for copy in copies.under_way:
        if copy.groups_after is not None:
            copy.groups_after = copy.groups_after + 1 if commits and block == copy.block else None
    if commits:
        copies.commits += 1
        copies.under_way.append(_Copy(call))


@after("LaunchContext.await_async_copy")
def _waited(call: Call) -> None:
    copies, allowed = call.states[_Copies], call["allow_groups"]
    copies.waits += 1
    copies.under_way = [each for each in copies.under_way if _is_surely_under_way(each, allowed, call.block)]


def _is_surely_under_way(copy: _Copy, allowed: Any, block: ir.Block) -> bool:
    if not isinstance(allowed, int) or copy.groups_after is None or block != copy.block:
        return False
    return copy.groups_after < allowed


@after("FragmentedArray.store_tiled", "FragmentedArray.store_untiled", "fragmented_array.copy_tiled")
def _overwritten(call: Call) -> None:
    if (copies := call.states[_Copies]).under_way:
        _check(call, copies, window(call.get("ref", call.get("dst"))))


@after("LaunchContext.async_copy")
def _copied_over(call: Call) -> None:
    if (copies := call.states[_Copies]).under_way:
        _check(call, copies, copy_of(call).written)


def _check(call: Call, copies: _Copies, written: Window | None) -> None:
    if written is None:
        return
    apart: Window | None = None
    for copy in copies.under_way:
        if copy.source is None or copy.source is apart:
            continue
        if not overlap(copy.source, written):
            apart = copy.source  # of which there may be several copies
            continue
        if not follows(copy.block, call.block):
            continue
        if not copy.always and (call.block != copy.block or call.get("predicate") is not None):
            continue  # only one of the two, perhaps
        if unseen(call.block, _WAIT, copies.waits) or unseen(call.block, _COMMIT, copies.commits):
            copies.under_way.clear()
            return
        _gate.refuse(
            "SG905",
            f"{call.name} overwrites shared memory that the copy at {told(copy.place)} may still be reading: "
            "call ctx.await_async_copy(0, await_read_only=True) before, or allow fewer copies to be under way there",
        )
