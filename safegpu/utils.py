"""Mirror of `jax.experimental.mosaic.gpu.utils`, with typed references, barriers and scalars in place."""

import functools
from collections.abc import Callable
from typing import Any, Literal

from safegpu._facade import mirror
from safegpu._jax import gpu, jax, nvvm, utils
from safegpu._value import Value, like
from safegpu.barriers import BarrierRef, CollectiveBarrierRef, DialectBarrierRef
from safegpu.refs import (
    MultimemRef,
    get_cluster_ref,
    memref_fold,
    memref_reshape,
    memref_slice,
    memref_transpose,
    memref_unfold,
    memref_unsqueeze,
)
from safegpu.scalars import (
    c,
    giving_scalars,
    thread_idx,
    warp_idx,
    warpgroup_idx,
    wrap_scalar,
)

__all__ = [
    "BarrierRef", "CollectiveBarrierRef", "DialectBarrierRef", "MultimemRef", "block_barrier", "block_idx",
    "c", "clock", "cluster_idx", "fori", "get_cluster_ref", "globaltimer", "memref_fold", "memref_reshape",
    "memref_slice", "memref_transpose", "memref_unfold", "memref_unsqueeze", "query_cluster_cancel",
    "set_max_registers", "single_thread_predicate", "smid", "thread_idx", "warp_idx", "warpgroup_barrier_idx",
    "warpgroup_idx",
]  # fmt: skip

__getattr__, __dir__ = mirror(utils, globals())

block_idx = giving_scalars(utils.block_idx)
clock = giving_scalars(utils.clock)
cluster_idx = giving_scalars(utils.cluster_idx)
globaltimer = giving_scalars(utils.globaltimer)
query_cluster_cancel = giving_scalars(utils.query_cluster_cancel)
single_thread_predicate = giving_scalars(utils.single_thread_predicate)
smid = giving_scalars(utils.smid)
warpgroup_barrier_idx = giving_scalars(utils.warpgroup_barrier_idx)


@functools.wraps(utils.fori)
def fori(bound: Any, carrys: Any) -> Callable[[Callable[[Any, Any], Any]], utils.ForResult]:
    templates = jax.tree.leaves(carrys)
    ours = any(isinstance(template, Value) for template in templates)

    def typed(carried: Any) -> Any:
        """What the loop carries, in the classes that it went in with."""
        if not ours:
            return carried
        leaves, tree = jax.tree.flatten(carried)
        return jax.tree.unflatten(tree, map(like, templates, leaves))

    loop = utils.fori(bound, carrys)

    def run(body: Callable[[Any, Any], Any]) -> utils.ForResult:
        result = loop(lambda i, carried: body(wrap_scalar(i), typed(carried)))
        return utils.ForResult(result.op, typed(result.results))

    return run


def block_barrier() -> None:
    """Waits for all threads of the block."""
    gpu.barrier()


def set_max_registers(n: int, *, action: Literal["increase", "decrease"]) -> None:
    """Sets the number of registers of each thread of the warpgroup, which all of its warps call."""
    nvvm.setmaxregister(n, getattr(nvvm.SetMaxRegisterAction, action))
