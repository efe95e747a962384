"""Mirror of `jax.experimental.mosaic.gpu.utils`, with typed references, barriers and scalars in place."""

import functools
from collections.abc import Callable
from typing import Any, Literal

from safegpu import _optimized, barriers
from safegpu._facade import mirror
from safegpu._gate import needing, require
from safegpu._jax import LACKING, fa, gpu, ir, jax, mgpu, nvvm, utils
from safegpu._value import Value, like
from safegpu.architectures import (
    HasAsyncProxy,
    HasClusterLaunchControl,
    HasClusters,
    HasFloat8Multimem,
    HasRegisterReallocation,
    HasTMA,
)
from safegpu.barriers import BarrierRef, CollectiveBarrierRef, DialectBarrierRef, promote
from safegpu.refs import (
    MultimemRef,
    get_cluster_ref,
    is_float8,
    memref_fold,
    memref_reshape,
    memref_slice,
    memref_transpose,
    memref_unfold,
    memref_unsqueeze,
)
from safegpu.scalars import (
    c,
    check_integral,
    giving_scalars,
    scalar_type,
    thread_idx,
    warp_idx,
    warpgroup_idx,
    wrap_scalar,
)
from safegpu.watch import watched

__all__ = [
    "BarrierRef", "CollectiveBarrierRef", "DialectBarrierRef", "MultimemRef", "Partition", "Partition1D", "bitcast",
    "block_barrier", "block_idx", "c", "clock", "cluster_collective_mask", "cluster_idx", "commit_shared", "dyn_dot",
    "elements_to_bytes", "fori", "get_cluster_ref", "globaltimer", "inline_ptx", "memref_fold", "memref_reshape",
    "memref_slice", "memref_transpose", "memref_unfold", "memref_unsqueeze", "prmt", "query_cluster_cancel", "redux",
    "set_max_registers", "shfl_bfly", "single_thread_predicate", "smid", "thread_idx", "warp_idx", "warp_tree_reduce",
    "warpgroup_barrier_idx", "warpgroup_idx",
]  # fmt: skip

__getattr__, __dir__ = mirror(utils, globals())

if "CtaBarrierRef" not in LACKING:
    CtaBarrierRef = barriers.CtaBarrierRef

block_idx = giving_scalars(utils.block_idx)
clock = giving_scalars(utils.clock)
cluster_collective_mask = giving_scalars(utils.cluster_collective_mask)
cluster_idx = needing(HasClusters, "cluster_idx")(giving_scalars(utils.cluster_idx))
globaltimer = giving_scalars(utils.globaltimer)
query_cluster_cancel = needing(HasClusterLaunchControl, "query_cluster_cancel")(
    giving_scalars(utils.query_cluster_cancel)
)
single_thread_predicate = giving_scalars(utils.single_thread_predicate)
smid = giving_scalars(utils.smid)
warpgroup_barrier_idx = giving_scalars(utils.warpgroup_barrier_idx)

dyn_dot = giving_scalars(utils.dyn_dot)
elements_to_bytes = giving_scalars(utils.elements_to_bytes)
prmt = giving_scalars(utils.prmt)
redux = giving_scalars(utils.redux)
shfl_bfly = giving_scalars(utils.shfl_bfly)


@functools.wraps(utils.warp_tree_reduce)
def warp_tree_reduce(value: Any, op: Callable[[Any, Any], Any], group_size: int) -> Any:
    if not __debug__:
        _optimized.group_in_warp(group_size)
    return wrap_scalar(utils.warp_tree_reduce(value, lambda a, b: op(wrap_scalar(a), wrap_scalar(b)), group_size))


@functools.wraps(utils.bitcast)
def bitcast(x: Any, new_type: Any) -> Any:
    return wrap_scalar(utils.bitcast(x, scalar_type(new_type)))


@functools.wraps(utils.inline_ptx)
def inline_ptx(ptx: str, *args: Any, result_types: Any = None, **kwargs: Any) -> Any:
    several = isinstance(result_types, tuple | list)
    types = [scalar_type(each) for each in result_types] if several else scalar_type(result_types)
    return wrap_scalar(utils.inline_ptx(ptx, *args, result_types=types, **kwargs))


commit_shared = watched("utils.commit_shared")(needing(HasAsyncProxy, "commit_shared")(utils.commit_shared))
get_cluster_ptr = needing(HasClusters, "get_cluster_ptr")(utils.get_cluster_ptr)
prefetch_tensormap = needing(HasTMA, "prefetch_tensormap")(utils.prefetch_tensormap)
try_cluster_cancel = needing(HasClusterLaunchControl, "try_cluster_cancel")(utils.try_cluster_cancel)


@functools.wraps(utils.multimem_load_reduce)
def multimem_load_reduce(ty: Any, *args: Any, **kwargs: Any) -> Any:
    if isinstance(ty, ir.VectorType) and is_float8(ty.element_type):
        require(HasFloat8Multimem, "multimem_load_reduce of 8-bit floats")
    return utils.multimem_load_reduce(ty, *args, **kwargs)


class Partition(utils.Partition):
    """How the elements of an array are split over blocks."""

    get_base = giving_scalars(utils.Partition.get_base)


class Partition1D(utils.Partition1D):
    """How elements along one axis are split over blocks."""

    @functools.wraps(utils.Partition1D.__init__)
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        promote(self.partition, Partition)

    @functools.wraps(utils.Partition1D.refine)
    def refine(self, **kwargs: Any) -> Any:
        refined = promote(super().refine(**kwargs), Partition1D)
        promote(refined.partition, Partition)
        return refined


_LEAVES = (ir.Value, fa.FragmentedArray, mgpu.WGMMAAccumulator)  # in which there is nothing of ours to find


def _rewrapping(carrys: Any) -> Callable[[Any], Any]:
    """What gives the values that a loop carries the classes that they went into it with."""
    values = carrys if type(carrys) in (tuple, list) else (carrys,)
    if not all(isinstance(value, _LEAVES) for value in values):  # a tree that has to be walked
        templates = jax.tree.leaves(carrys)
        return functools.partial(_rewrapped, templates) if any(isinstance(t, Value) for t in templates) else _unchanged
    ours = [(number, type(value)) for number, value in enumerate(values) if isinstance(value, Value)]
    return functools.partial(_rewrapped_flat, ours) if ours else _unchanged


def _unchanged(carried: Any) -> Any:
    return carried


def _rewrapped(templates: list[Any], carried: Any) -> Any:
    leaves, tree = jax.tree.flatten(carried)
    return jax.tree.unflatten(tree, map(like, templates, leaves))


def _rewrapped_flat(ours: list[tuple[int, type]], carried: Any) -> Any:
    if isinstance(carried, ir.Value):  # one, and no sequence
        return ours[0][1](carried)
    values = [*carried]
    for number, cls in ours:
        values[number] = cls(values[number])
    return type(carried)(values)


@functools.wraps(utils.fori)
def fori(bound: Any, carrys: Any) -> Callable[[Callable[[Any, Any], Any]], utils.ForResult]:
    check_integral("fori", bound)
    typed = _rewrapping(carrys)
    loop = utils.fori(bound, carrys)

    def run(body: Callable[[Any, Any], Any]) -> utils.ForResult:
        result = loop(lambda i, carried: body(wrap_scalar(i), typed(carried)))
        return utils.ForResult(result.op, typed(result.results))

    return run


@watched("utils.block_barrier")
def block_barrier() -> None:
    """Waits for all threads of the block."""
    gpu.barrier()


@watched("utils.set_max_registers")
@needing(HasRegisterReallocation, "set_max_registers")
def set_max_registers(n: int, *, action: Literal["increase", "decrease"]) -> None:
    """Sets the number of registers of each thread of the warpgroup, which all of its warps call."""
    nvvm.setmaxregister(n, getattr(nvvm.SetMaxRegisterAction, action))
