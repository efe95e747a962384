"""Which threads run a call: one that is elected, all of the block, or nobody can say.

What decides is the region that a call emits into, so `single_thread()` and `when(single_thread_predicate())` are
alike. A condition of another kind says nothing of how many threads it holds in, and what is under it is accepted.
"""

import math
from typing import Any

from safegpu import _gate
from safegpu._jax import fa, ir, launch_context, utils
from safegpu.watch._core import Call, before

WARPGROUP = utils.WARPGROUP_SIZE
_WARPGROUP_SCOPE = utils.ThreadSubset.WARPGROUP
_CP_ASYNC = launch_context.AsyncCopyImplementation.CP_ASYNC
_COPY = "LaunchContext.async_copy"
_STORES = ("FragmentedArray.store_tiled", "FragmentedArray.store_untiled", "FragmentedArray.store_tiled_async")
_TOGETHER = {
    "waits for all threads of the warpgroup": (
        "utils.commit_shared", "utils.warpgroup_barrier", "BarrierRef.test", "BarrierRef.test_parity",
        "LaunchContext.await_async_copy", "LaunchContext.await_cp_async_copy", "tcgen05.commit_tmem",
        "tcgen05.wait_load_tmem",
    ),
    "is an instruction of the whole warpgroup": (
        "wgmma", "wgmma_commit_group", "wgmma_wait_group", "utils.set_max_registers",
    ),
}  # fmt: skip
"""What a warpgroup does together, or waits for ever."""
_IN_PARTS = {
    "stores what each thread of the warpgroup holds": _STORES,
    "copies a part in each thread of the warpgroup": ("fragmented_array.copy_tiled",),
    "with CP_ASYNC copies a part in each thread of the warpgroup": (_COPY,),
}
_OF_OTHERS = {
    "waits for all threads of the block": ("utils.block_barrier",),
    "arrives in each block of the cluster by a thread of its own": ("CollectiveBarrierRef.arrive",),
    "is an instruction of the whole warp": (
        "mma", "TMEMRef.load", "TMEMRef.store", "tcgen05.tmem_alloc", "tcgen05.tmem_dealloc",
        "tcgen05.tmem_relinquish_alloc_permit",
    ),
}  # fmt: skip
_NEEDS = {name: needs for group in (_TOGETHER, _IN_PARTS, _OF_OTHERS) for needs in group for name in group[needs]}


def _elects(condition: Any) -> bool:
    """Whether it holds in at most one thread of a warp."""
    owner = condition.owner
    if isinstance(owner, ir.Block):
        return False
    name = owner.name
    return name == "nvvm.elect.sync" or (name == "arith.andi" and any(map(_elects, owner.operands)))


class _Last:
    """The block that was asked about last, and the answer: calls come one after the other.

    No more is remembered: an operation may be erased, and the block of another one take its address.
    """

    block: Any = None
    alone: bool | None = None


def in_one_thread(call: Call) -> bool | None:
    """True where at most one thread of each warp gets to a call, False where all do, None where nobody can say."""
    last = call.states[_Last]
    block = call.block
    if last.block is None or last.block != block:
        last.block, last.alone = block, _in_one_thread(block)
    return last.alone


def _in_one_thread(block: Any) -> bool | None:
    conditional = False
    while True:
        operation = block.owner
        name = operation.name
        if name == "gpu.launch":
            return None if conditional else False
        if name == "scf.if" and _elects(operation.operands[0]) and operation.operation.regions[0].blocks[0] == block:
            return True
        conditional = conditional or name != "scf.for"
        block = operation.operation.block
        if block is None:
            return None


# --- what needs more threads than run it


@before(*_NEEDS)
def partial(call: Call) -> None:
    name = call.name
    if name == _COPY and call.get("implementation") is not _CP_ASYNC:
        return
    alone, threads = in_one_thread(call), call.trace.threads
    if alone:
        if needs := _needed(call):
            _gate.refuse(
                "SG405",
                f"{called(name)} {needs}, and one thread alone gets here: take it out of single_thread() or of the "
                "when() whose condition elects a thread",
            )
        return
    rest = threads % WARPGROUP if threads else 0
    if not rest or _NEEDS[name] in _OF_OTHERS:
        return
    # Of several warpgroups, those that are whole may be picked by a condition, and what the last one stores twice is
    # the same.
    if threads == rest:
        needs = None if name in _STORES and _in_each_warp(call["self"]) else _needed(call)
    else:
        needs = _needed(call) if alone is False and _NEEDS[name] in _TOGETHER else None
    if needs:
        _gate.refuse(
            "SG810",
            f"{called(name)} {needs}, and of its {WARPGROUP} threads this block of {threads} has {rest}"
            f"{'' if threads == rest else ' in the last one'}: give as_gpu_kernel a block of a multiple of {WARPGROUP}",
        )


def _needed(call: Call) -> str | None:
    """What the call needs more than one thread for; None where it does not."""
    name = call.name
    if name in _STORES:
        enough = _in_each_lane(call["self"])
    elif name == "CollectiveBarrierRef.arrive":
        barrier = call["self"]
        enough = barrier.cluster_mask is None or barrier.leader_tracked
    else:
        enough = call.get("scope", _WARPGROUP_SCOPE) is not _WARPGROUP_SCOPE
    return None if enough else _NEEDS[name]


def _in_each_lane(array: Any) -> bool:
    """Whether each lane of a warp holds all that the warp does."""
    layout = array.layout
    if isinstance(layout, fa.TiledLayout):
        return not layout.partitioned_lane_dims
    return isinstance(layout, fa.WGSplatFragLayout) and math.prod(layout.shape) == 1


def _in_each_warp(array: Any) -> bool:
    """Whether each warp holds all that the warpgroup does."""
    return isinstance(array.layout, fa.TiledLayout) and not array.layout.partitioned_warp_dims


# --- what needs fewer


@before("tcgen05.mma")
def multiplied(call: Call) -> None:
    # What is not added, each issue writes alike.
    if not _is_false(call.get("accumulate", True)) and (threads := _issuing(call)):
        _gate.refuse(
            "SG406",
            f"tcgen05.mma is issued by each of {threads} threads, so that the product is added {threads} times: "
            "put it under single_thread()",
        )


@before("tcgen05.commit_arrive", "BarrierRef.arrive_expect_tx")
def arrived(call: Call) -> None:
    if call.get("predicate") is None:
        barrier = call.get("barrier") or call.get("self")
        _check_arrivals(call, barrier, "put it under single_thread()")


@before(_COPY)
def copied(call: Call) -> None:
    if call.get("predicate", call) is not None or call.get("implementation") is _CP_ASYNC:
        return
    # Left out, `predicate` elects a thread of each warpgroup.
    one_warpgroup = (call.trace.threads or 0) <= WARPGROUP
    advice = (
        f"{'leave predicate= out, which elects a thread, or ' if one_warpgroup else ''}put it under single_thread()"
    )
    if call.get("reduction_op") is not None:
        if threads := _issuing(call):
            _gate.refuse(
                "SG406",
                f"async_copy with predicate=None is issued by each of {threads} threads, so that reduction_op "
                f"reduces the buffer {threads} times: {advice}",
            )
    elif (barrier := call.get("barrier")) is not None and call.get("arrive") is not False:
        _check_arrivals(call, barrier, advice)


def _is_false(condition: Any) -> bool:
    if not isinstance(condition, ir.Value):
        return not condition
    constant = condition.owner
    return (
        not isinstance(constant, ir.Block)
        and constant.name == "arith.constant"
        and not ir.IntegerAttr(constant.attributes["value"]).value
    )


def _issuing(call: Call) -> int | None:
    """How many threads run the call, where that is known and more than one."""
    threads = call.trace.threads
    return threads if threads and threads > 1 and in_one_thread(call) is False else None


def _check_arrivals(call: Call, barrier: Any, advice: str) -> None:
    # Several warps may be meant to complete a phase each; the threads of one arrive together.
    if (threads := _issuing(call)) and (count := arrival_count(barrier)) and count < min(threads, utils.WARP_SIZE):
        how = " with predicate=None" if call.name == _COPY else ""
        _gate.refuse(
            "SG406",
            f"{called(call.name)}{how} is issued by each of {threads} threads, which all arrive at a barrier of "
            f"arrival_count={count}: {advice}",
        )


def arrival_count(barrier: Any) -> int | None:
    """How many arrivals complete a phase of the barrier, by its initialization; None for one of another block."""
    address = getattr(barrier, "base_address", None)
    if address is None:
        return None
    counts = set()
    for pointer in (use.owner for use in address.uses):
        if pointer.name == "llvm.getelementptr":
            for use in pointer.results[0].uses:
                if use.owner.name == "nvvm.mbarrier.init":
                    constant = use.owner.operands[1].owner
                    if isinstance(constant, ir.Block) or constant.name != "arith.constant":
                        return None
                    counts.add(ir.IntegerAttr(constant.attributes["value"]).value)
    return counts.pop() if len(counts) == 1 else None


def called(name: str) -> str:
    """A function as authors call it."""
    return name if name.startswith("tcgen05.") else name.rpartition(".")[2]
