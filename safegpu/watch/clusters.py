"""What a call asks of the other blocks of its cluster: that they exist, and that they work in pairs or alone."""

import math
from typing import Any

from safegpu import _gate
from safegpu._jax import ir
from safegpu._trace import current
from safegpu.architectures import sm_90a
from safegpu.watch._core import Call, before, told

# --- another block's shared memory

_TARGETS = {
    "FragmentedArray.store_tiled_async": ("cluster_dim", "cluster_idx"),
    "utils.get_cluster_ref": ("dim", "idx"),
    "BarrierRef.remap_to_cluster": ("dim", "idx"),
}
_BY_ST_ASYNC = ("FragmentedArray.store_tiled_async",)
_MOST = 127  # beyond which the narrowest integers begin anew
_ARITHMETIC = {
    "arith.addi": int.__add__,
    "arith.subi": int.__sub__,
    "arith.muli": int.__mul__,
    "arith.xori": int.__xor__,
    "arith.index_cast": int,
    "arith.index_castui": int,
}


def _number(value: Any, cluster: tuple[int, ...]) -> int | None:
    """The number that a value is in every block; None where they differ or nobody can say."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    if owner.name == "arith.constant":
        constant = owner.attributes["value"]
        return constant.value if isinstance(constant, ir.IntegerAttr) else None
    if owner.name == "gpu.cluster_block_id":
        axis = "xyz".index(str(owner.attributes["dimension"])[-2])  # #gpu<dim x>
        return 0 if cluster[axis] == 1 else None
    if (operation := _ARITHMETIC.get(owner.name)) is None:
        return None
    operands = [_number(each, cluster) for each in owner.operands]
    number = None if None in operands else operation(*operands)  # type: ignore[operator]
    return None if number is None or abs(number) > _MOST else number


@before(*_TARGETS)
def addressed(call: Call) -> None:
    axis, block = (call.get(parameter) for parameter in _TARGETS[call.name])
    cluster = call.trace.cluster
    if cluster is not None and call.name in _BY_ST_ASYNC and math.prod(cluster) == 1 and call.trace.arch is sm_90a:
        # What the GPUs of other architectures make of it was not tried.
        _gate.refuse(
            "SG503",
            f"{call.name.rpartition('.')[2]} sends by st.async, which a Hopper GPU takes for an illegal instruction "
            "where a kernel has no cluster of several blocks, also to the block itself: give as_gpu_kernel cluster=, "
            "or store with .store_tiled",
        )
    if cluster is None or not isinstance(axis, int) or not isinstance(block, ir.Value):
        return
    number = _number(block, cluster)
    if number is not None and not 0 <= number < cluster[axis]:
        _gate.refuse(
            "SG503",
            f"{call.name.rpartition('.')[2]} addresses block {number} along {'xyz'[axis]}, by "
            f"{_TARGETS[call.name][1]}, which counts from 0, and the cluster has {cluster[axis]} "
            f"block{'s' if cluster[axis] > 1 else ''} there: give as_gpu_kernel cluster=, or correct the index",
        )


# --- tcgen05, of one block or of a pair


class _Group:
    """Whether tcgen05 is of a pair of blocks in this kernel, and what said so first."""

    def __init__(self) -> None:
        trace = current()
        memory = next((each for each in (trace.allocations() if trace else ()) if each.is_tmem), None)
        self.said_by = None if memory is None else memory.name
        self.collective = None if memory is None else bool(memory.spec.collective)


_OF_A_GROUP = (
    "tcgen05.mma", "tcgen05.commit_arrive", "tcgen05.async_copy_smem_to_tmem",
    "tcgen05.async_copy_scales_smem_to_tmem", "tcgen05.async_copy_sparse_metadata_smem_to_tmem", "tcgen05.tmem_alloc",
    "tcgen05.tmem_dealloc", "tcgen05.tmem_relinquish_alloc_permit",
)  # fmt: skip


@before(*_OF_A_GROUP)
def grouped(call: Call) -> None:
    group, collective = call.states[_Group], bool(call.get("collective", False))
    if group.collective is None:
        group.collective, group.said_by = collective, f"{call.name} in {told(call.place)}"
    elif group.collective != collective:
        _gate.refuse(
            "SG501",
            f"{call.name} is of {_blocks(collective)}, and {group.said_by} of {_blocks(group.collective)}: all tcgen05 "
            "of a kernel has one collective=",
        )


def _blocks(collective: bool) -> str:
    return f"{'a pair of blocks' if collective else 'one block'} (collective={collective})"
