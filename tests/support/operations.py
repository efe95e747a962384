"""One kernel for each operation of Mosaic GPU that some architecture may lack, and the capability that it needs.

`python -m tests.support.operations CAPABILITY OUT` compiles those that need it, for an architecture that has it, and
leaves their PTX in the directory OUT. The tests ask ptxas which architectures take it (`tests/test_architectures.py`),
and lowering whether it refuses the others (`tests/runtime/test_architecture.py`).
"""

from __future__ import annotations

import dataclasses
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, memref

import safegpu as mgpu
from safegpu import architectures, tcgen05, utils
from safegpu.architectures import (
    Architecture,
    HasAsyncProxy,
    HasClusterLaunchControl,
    HasClusters,
    HasFloat8,
    HasFloat8Multimem,
    HasLeaderTrackedTMA,
    HasMultimem,
    HasRegisterReallocation,
    HasTcgen05,
    HasTcgen05Int8,
    HasTMA,
    HasTMAGather,
    HasTMAScatter,
    HasTMEMLoadReduce,
    HasWGMMA,
)

X = mgpu.Dimension.x
GENERIC: Any = mgpu  # operations are called with whatever they take


@dataclasses.dataclass(frozen=True)
class Operation:
    """A kernel that performs one operation, and nothing else that an architecture may lack but what it `needs`.

    With `cluster` above 1 it needs clusters too.
    """

    name: str
    needs: type[Architecture]
    body: Callable[..., None]
    scratch: Any
    buffers: tuple[Any, ...]
    cluster: int
    peers: int

    def build(self, **options: Any) -> Any:
        """Makes the kernel; Mosaic GPU lowers it at once."""
        along_x = (self.cluster, 1, 1)
        *inputs, out = self.buffers
        return GENERIC.as_gpu_kernel(
            self.body,
            along_x,
            (128, 1, 1),
            tuple(inputs),
            out,
            self.scratch,
            cluster=along_x,
            kernel_name=self.name,
            **options,
        )


OPERATIONS: dict[str, Operation] = {}
OUT = mgpu.GMEM((128, 64), mgpu.float32)


def operation[**P](
    needs: type[Architecture],
    scratch: Any = (),
    *buffers: Any,
    cluster: int = 1,
    peers: int = 1,
    name: str | None = None,
) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Registers the body below it. It receives the context, the buffers and the scratch."""

    def register(body: Callable[P, None]) -> Callable[P, None]:
        known = name or body.__name__
        OPERATIONS[known] = Operation(known, needs, body, scratch, buffers or (OUT,), cluster, peers)
        return body

    return register


# --- wgmma


def _wgmma(dtype: Any, accumulator: Any, ctx: Any, o: Any, s: Any) -> None:
    acc = GENERIC.WGMMAAccumulator.zero(64, 64, accumulator)
    GENERIC.wgmma(acc, s[0], mgpu.memref_transpose(s[1], (1, 0, 3, 2)), swizzle=128)


for _dtype, _acc in (
    (mgpu.float16, mgpu.float32),
    (mgpu.bfloat16, mgpu.float32),
    (mgpu.float32, mgpu.float32),
    (mgpu.float8_e4m3fn, mgpu.float32),
    (mgpu.int8, mgpu.int32),
):
    _tile = mgpu.SMEM((64, 1024 // _dtype.bits), _dtype, swizzle=128)
    operation(HasWGMMA, (_tile, _tile), name=f"wgmma_{_dtype.__name__}")(functools.partial(_wgmma, _dtype, _acc))


@operation(HasWGMMA)
def wgmma_accumulator(ctx: Any, o: Any, s: Any) -> None:
    GENERIC.WGMMAAccumulator.from_registers(GENERIC.WGMMAAccumulator.zero(64, 64).value)


@operation(HasWGMMA)
def wgmma_groups(ctx: Any, o: Any, s: Any) -> None:
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)


# --- tcgen05


class _Tmem(mgpu.Scratch):
    acc = mgpu.TMEM((128, 64), mgpu.float32)


@operation(HasTcgen05, _Tmem)
def tmem_allocation(ctx: Any, o: Any, s: Any) -> None: ...


@operation(HasTcgen05, mgpu.TMEM((128, 64), mgpu.float32, collective=True), cluster=2)
def tmem_collective_allocation(ctx: Any, o: Any, s: Any) -> None: ...


@operation(HasTcgen05, _Tmem)
def tmem_load_and_store(ctx: Any, o: Any, s: Any) -> None:
    s.acc.store(s.acc.load())
    tcgen05.commit_tmem()
    tcgen05.wait_load_tmem()


@operation(HasTcgen05)
def tmem_waits(ctx: Any, o: Any, s: Any) -> None:
    tcgen05.commit_tmem()
    tcgen05.wait_load_tmem()


@operation(HasTcgen05, mgpu.SMEM((1,), mgpu.int32))
def tmem_allocation_by_hand(ctx: Any, o: Any, s: Any) -> None:
    with mgpu.when(mgpu.warp_idx().eq(0)):
        GENERIC.tcgen05.tmem_alloc(s, 64)
        GENERIC.tcgen05.tmem_relinquish_alloc_permit(False)
    mgpu.block_barrier()
    with mgpu.when(mgpu.warp_idx().eq(0)):
        GENERIC.tcgen05.tmem_dealloc(utils.c(0, mgpu.int32), 64)


@operation(HasTcgen05, mgpu.Barrier(1))
def tcgen05_commit(ctx: Any, o: Any, s: Any) -> None:
    with mgpu.single_thread():
        tcgen05.commit_arrive(s)


@operation(HasTcgen05, mgpu.Barrier(1), cluster=2)
def tcgen05_collective_commit(ctx: Any, o: Any, s: Any) -> None:
    with mgpu.single_thread():
        tcgen05.commit_arrive(s, collective=True, ctx=ctx)


@operation(HasTcgen05, mgpu.Barrier(1))
def tcgen05_fence_before(ctx: Any, o: Any, s: Any) -> None:
    s.arrive(orders_tensor_core=True)


@operation(HasTcgen05, mgpu.Barrier(1))
def tcgen05_fence_after(ctx: Any, o: Any, s: Any) -> None:
    s.arrive()
    s.wait(True)


@operation(HasTcgen05, mgpu.Barrier(1))
def tcgen05_fence_after_parity(ctx: Any, o: Any, s: Any) -> None:
    s.wait_parity(mgpu.c(0, mgpu.bool_), orders_tensor_core=True)


@operation(HasTcgen05, mgpu.Barrier(1))
def tcgen05_fence_after_test(ctx: Any, o: Any, s: Any) -> None:
    s.test(orders_tensor_core=True)


@operation(HasTcgen05, mgpu.ClusterBarrier((X,)), cluster=2)
def tcgen05_fence_of_a_cluster(ctx: Any, o: Any, s: Any) -> None:
    s.arrive(orders_tensor_core=True)


class _Copied(mgpu.Scratch):
    smem = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    tmem = mgpu.TMEM((128, 64), mgpu.float16, packing=2)
    scales = mgpu.SMEM((1, 1, 32, 16), mgpu.float8_e8m0fnu)
    scales_tmem = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())
    metadata = mgpu.SMEM((1, 1, 128, 64), mgpu.uint2)
    metadata_tmem = mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout())


@operation(HasTcgen05, _Copied)
def tcgen05_copies(ctx: Any, o: Any, s: Any) -> None:
    with mgpu.single_thread():
        GENERIC.tcgen05.async_copy_smem_to_tmem(s.smem, s.tmem, swizzle=128)
        GENERIC.tcgen05.async_copy_scales_smem_to_tmem(s.scales, s.scales_tmem)
        GENERIC.tcgen05.async_copy_sparse_metadata_smem_to_tmem(s.metadata, s.metadata_tmem)


def _mma(
    a: Any,
    acc: Any,
    needs: Any,
    *,
    scale: Any = None,
    block: int = 0,
    sparse: bool = False,
    collective: bool = False,
    in_tmem: bool = False,
) -> None:
    """An MMA of 128 rows and 64 columns (of each block); A and B of one dtype."""
    block *= 1 + sparse
    k = max(1024 // a.bits, 4 * block // (1 + sparse))

    class S(mgpu.Scratch):
        b = mgpu.SMEM((64, k * (1 + sparse)), a, swizzle=128)
        if in_tmem:
            a_ref: Any = mgpu.TMEM((128, k), a, packing=32 // a.bits, collective=collective)
        else:
            a_ref = mgpu.SMEM((128, k), a, swizzle=128)
        d = mgpu.TMEM((128, 64 * (1 + collective)), acc, collective=collective)
        if sparse:
            positions = k // (2 if a.bits == 4 else 1)
            meta = mgpu.TMEM((128, positions), mgpu.uint2, layout=tcgen05.sparse_meta_layout(), collective=collective)
        if scale:
            shape = 128, k * (1 + sparse) // block
            a_scale = mgpu.TMEM(shape, scale, layout=tcgen05.scales_layout(), collective=collective)
            b_scale = mgpu.TMEM(shape, scale, layout=tcgen05.scales_layout(), collective=collective)

    def body(ctx: Any, o: Any, s: Any) -> None:
        options: dict[str, Any] = {"accumulate": False}
        if sparse:
            options["a_sparse_metadata"] = s.meta
        if scale:
            options |= {"a_scale": s.a_scale, "b_scale": s.b_scale}
        with mgpu.single_thread():
            GENERIC.tcgen05.mma(
                s.d, s.a_ref, mgpu.memref_transpose(s.b, (1, 0, 3, 2)), collective=collective, **options
            )

    words = ["mma", a.__name__, "scaled", f"{scale.__name__}_{block}"] if scale else ["mma", a.__name__, acc.__name__]
    words += ["sparse"] * sparse + ["collective"] * collective + ["tmem"] * in_tmem
    operation(needs, S, name="_".join(words), cluster=1 + collective)(body)


for _sparse in (False, True):
    for _collective, _in_tmem in ((False, False), (True, False), (False, True)):
        _options = {"sparse": _sparse, "collective": _collective, "in_tmem": _in_tmem}
        _mma(mgpu.float16, mgpu.float32, HasTcgen05, **_options)
        _mma(mgpu.float8_e4m3fn, mgpu.float16, HasTcgen05, **_options)
        _mma(mgpu.int8, mgpu.int32, HasTcgen05Int8, **_options)
    _mma(mgpu.float8_e5m2, mgpu.float32, HasTcgen05, scale=mgpu.float8_e8m0fnu, block=32, sparse=_sparse)
    _mma(mgpu.float4_e2m1fn, mgpu.float32, HasTcgen05, scale=mgpu.float8_e8m0fnu, block=32, sparse=_sparse)
    _mma(mgpu.float4_e2m1fn, mgpu.float32, HasTcgen05, scale=mgpu.float8_e8m0fnu, block=16, sparse=_sparse)
    _mma(mgpu.float4_e2m1fn, mgpu.float32, HasTcgen05, scale=mgpu.float8_e4m3fn, block=16, sparse=_sparse)
_mma(mgpu.float8_e5m2, mgpu.float32, HasTcgen05, scale=mgpu.float8_e8m0fnu, block=32, collective=True)
_mma(mgpu.float4_e2m1fn, mgpu.float32, HasTcgen05, scale=mgpu.float8_e4m3fn, block=16, collective=True)


for _dtype in (mgpu.float32, mgpu.int32, mgpu.uint32):

    @operation(HasTMEMLoadReduce, mgpu.TMEM((128, 64), _dtype), name=f"tmem_load_reduce_{_dtype.__name__}")
    def _load_reduce(ctx: Any, o: Any, s: Any) -> None:
        s.load(mgpu.TMEM_NATIVE_LAYOUT, reduce="max")


# --- TMA


class _Tile(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    barrier = mgpu.Barrier(1)


HALVES = mgpu.GMEM((64, 64), mgpu.float16)
TILING = mgpu.TileTransform((8, 64))


@operation(HasTMA, _Tile, HALVES, HALVES)
def tma(ctx: Any, x: Any, o: Any, s: Any) -> None:
    ctx.async_prefetch(gmem_ref=x, gmem_transform=TILING, swizzle=128)
    ctx.async_copy(src_ref=x, dst_ref=s.tile, gmem_transform=TILING, swizzle=128, barrier=s.barrier)
    s.barrier.wait()
    ctx.async_copy(src_ref=s.tile, dst_ref=o, gmem_transform=TILING, swizzle=128)
    ctx.await_async_copy(0)


class _Untiled(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16)
    barrier = mgpu.Barrier(1)


@operation(HasTMA, _Tile, HALVES, HALVES)
def tma_load(ctx: Any, x: Any, o: Any, s: Any) -> None:
    implementation: Any = GENERIC.AsyncCopyImplementation.TMA
    options: Any = {"gmem_transform": TILING, "swizzle": 128, "implementation": implementation}
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, **options)


@operation(HasTMA, _Tile, HALVES, HALVES)
def tma_store(ctx: Any, x: Any, o: Any, s: Any) -> None:
    ctx.async_copy(src_ref=s.tile, dst_ref=o, gmem_transform=TILING, swizzle=128)


@operation(HasTMA, _Tile, HALVES, HALVES)
def tma_prefetch(ctx: Any, x: Any, o: Any, s: Any) -> None:
    ctx.async_prefetch(gmem_ref=x, gmem_transform=TILING, swizzle=128)


@operation(HasTMA)
def tma_wait(ctx: Any, o: Any, s: Any) -> None:
    ctx.await_async_copy(0)


@operation(HasTMA)
def tma_descriptor(ctx: Any, o: Any, s: Any) -> None:
    GENERIC.utils.prefetch_tensormap(utils.memref_ptr(o))


@operation(HasAsyncProxy)
def commit_shared(ctx: Any, o: Any, s: Any) -> None:
    mgpu.commit_shared()


@operation(HasTMA, _Untiled, HALVES, HALVES)
def tma_bulk(ctx: Any, x: Any, o: Any, s: Any) -> None:
    oob: Any = GENERIC.OOBFillMode.PROMISE_IN_BOUNDS
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, oob_mode=oob)
    s.barrier.wait()
    ctx.async_copy(src_ref=s.tile, dst_ref=o, oob_mode=oob)


@operation(Architecture, _Untiled, HALVES, HALVES)
def cp_async(ctx: Any, x: Any, o: Any, s: Any) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, implementation=GENERIC.AsyncCopyImplementation.CP_ASYNC)
    ctx.await_cp_async_copy(0)


@operation(Architecture, _Tile, HALVES, HALVES)
def cp_async_tiled(ctx: Any, x: Any, o: Any, s: Any) -> None:
    implementation: Any = GENERIC.AsyncCopyImplementation.CP_ASYNC
    options: Any = {"gmem_transform": TILING, "swizzle": 128, "implementation": implementation}
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, **options)
    s.barrier.wait()
    mgpu.FragmentedArray.load_tiled(s.tile, 128).store_tiled(s.tile, 128)
    mgpu.utils.warpgroup_barrier()


@operation(Architecture, _Untiled)
def barrier(ctx: Any, o: Any, s: Any) -> None:
    with mgpu.single_thread():
        s.barrier.arrive()
    s.barrier.arrive(can_complete=False)
    s.barrier.test()
    s.barrier.wait()


@operation(HasTMA, _Tile, HALVES, HALVES, cluster=2)
def tma_multicast(ctx: Any, x: Any, o: Any, s: Any) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, gmem_transform=TILING, swizzle=128, barrier=s.barrier, collective=X)


for _partition in ("partitioned", "replicated"):

    @operation(
        HasLeaderTrackedTMA, _Tile, mgpu.GMEM((128, 64), mgpu.float16), HALVES, cluster=2, name=f"tma_{_partition}"
    )
    def _paired(ctx: Any, x: Any, o: Any, s: Any, partition: str = _partition) -> None:
        whole = partition == "partitioned"
        ctx.async_copy(
            src_ref=x,
            dst_ref=s.tile,
            gmem_slice=mgpu.ds(0, 128 if whole else 64),
            gmem_transform=TILING,
            swizzle=128,
            barrier=s.barrier,
            collective=X,
            leader_tracked=mgpu.CopyPartition.PARTITIONED(0) if whole else mgpu.CopyPartition.REPLICATED,
        )


def _reductions() -> None:
    for dtype, reductions in (
        (mgpu.float16, ("add", "min", "max")),
        (mgpu.bfloat16, ("add", "min", "max")),
        (mgpu.float32, ("add",)),
        (mgpu.int32, ("add", "smin", "inc", "dec", "and", "or", "xor")),
        (mgpu.uint32, ("umax",)),
    ):

        def body(ctx: Any, o: Any, s: Any, reductions: tuple[str, ...] = reductions) -> None:
            for reduction in reductions:
                ctx.async_copy(src_ref=s, dst_ref=o, reduction_op=reduction)

        buffer = mgpu.SMEM((64, 64), dtype), mgpu.GMEM((64, 64), dtype)
        operation(HasTMA, *buffer, name=f"tma_reductions_{dtype.__name__}")(body)


_reductions()


def _indices() -> Any:
    iota = mgpu.FragmentedArray.broadcasted_iota(mgpu.int32, (64,), 0, GENERIC.TMA_INDICES_LAYOUT)
    return iota.astype(mgpu.uint32)


@operation(HasTMAGather, _Tile, HALVES, HALVES)
def tma_gather(ctx: Any, x: Any, o: Any, s: Any) -> None:
    options = {"gmem_slice": (_indices(), slice(None)), "gmem_transform": TILING, "swizzle": 128}
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, **options)


@operation(HasTMAScatter, _Tile, HALVES, HALVES)
def tma_scatter(ctx: Any, x: Any, o: Any, s: Any) -> None:
    options = {"gmem_slice": (_indices(), slice(None)), "gmem_transform": TILING, "swizzle": 128}
    ctx.async_copy(src_ref=s.tile, dst_ref=o, **options)


# --- clusters


class _Cluster(mgpu.Scratch):
    tile = mgpu.SMEM((128, 64), mgpu.int32, swizzle=128)
    barrier = mgpu.Barrier(1)
    cluster = mgpu.ClusterBarrier((X,))
    answer = mgpu.SMEM((16,), mgpu.int8)


def _ints() -> Any:
    return mgpu.FragmentedArray.broadcasted_iota(mgpu.int32, (128, 64), 0, mgpu.WGMMA_LAYOUT)


@operation(HasClusters, cluster=2)
def cluster_launch(ctx: Any, o: Any, s: Any) -> None: ...


@operation(HasClusters, _Cluster)
def cluster_reference(ctx: Any, o: Any, s: Any) -> None:
    zero = mgpu.c(0, mgpu.Index)
    memref.store(mgpu.c(0, mgpu.int8), mgpu.get_cluster_ref(s.answer, X, zero), [zero])


@operation(HasClusters, _Cluster)
def cluster_pointer(ctx: Any, o: Any, s: Any) -> None:
    pointer = GENERIC.utils.get_cluster_ptr(s.barrier.get_ptr(), mgpu.c(0, mgpu.int32))
    GENERIC.utils.inline_ptx("st.b32 [$0], $1;", pointer, mgpu.c(0, mgpu.int32), has_side_effects=True)


@operation(HasClusters, _Cluster)
def cluster_remapped_barrier(ctx: Any, o: Any, s: Any) -> None:
    s.barrier.remap_to_cluster(X, mgpu.c(0, mgpu.Index)).arrive()


@operation(HasClusters, (), mgpu.GMEM((1,), mgpu.int32))
def cluster_index(ctx: Any, o: Any, s: Any) -> None:
    memref.store(arith.index_cast(ir.IntegerType.get_signless(32), mgpu.cluster_idx(X)), o, [mgpu.c(0, mgpu.Index)])


@operation(HasClusters, _Cluster, cluster=2)
def cluster_barrier(ctx: Any, o: Any, s: Any) -> None:
    s.cluster.arrive()
    s.cluster.wait()


for _blocks in (1, 2):

    @operation(HasClusters, _Cluster, cluster=_blocks, name=f"cluster_stores_of_{_blocks}")
    def _cluster_stores(ctx: Any, o: Any, s: Any) -> None:
        with mgpu.allow("SG503"):  # of a cluster of one, which compiles
            for atomic in (None, "add"):
                _ints().store_tiled_async(s.tile, s.barrier, X, mgpu.c(0, mgpu.Index), swizzle=128, atomic=atomic)


@operation(HasClusterLaunchControl, _Cluster)
def cluster_cancel(ctx: Any, o: Any, s: Any) -> None:
    GENERIC.try_cluster_cancel(s.answer, s.barrier)


@operation(HasClusterLaunchControl, _Cluster)
def cluster_cancel_query(ctx: Any, o: Any, s: Any) -> None:
    GENERIC.query_cluster_cancel(s.answer)


# --- multimem


def _multimem() -> None:
    def loaded(dtype: Any, *reductions: str, needs: Any = HasMultimem) -> None:
        def body(ctx: Any, x: Any, o: Any, s: Any) -> None:
            everywhere = ctx.to_remote_multicast(x)
            for reduction in reductions:
                GENERIC.FragmentedArray.load_reduce_untiled(
                    everywhere, mgpu.WGStridedFragLayout((128, 64), 16 // (dtype.bits // 8)), reduction
                )

        buffer = mgpu.GMEM((128, 64), dtype)
        name = f"multimem_load_reduce_{dtype.__name__}"
        operation(needs, (), buffer, OUT, peers=2, name=name)(body)

    loaded(mgpu.float32, "add")
    loaded(mgpu.float16, "add", "min", "max")
    loaded(mgpu.bfloat16, "add", "min", "max")
    loaded(mgpu.int32, "add", "min", "max", "and", "or", "xor")
    loaded(mgpu.uint32, "add", "min", "max")
    for dtype in (mgpu.float8_e4m3fn, mgpu.float8_e5m2):
        loaded(dtype, "add", "min", "max", needs=HasFloat8Multimem)


_multimem()


@operation(HasFloat8Multimem, (), mgpu.GMEM((128, 64), mgpu.float8_e5m2), OUT, peers=2)
def multimem_load_reduce(ctx: Any, x: Any, o: Any, s: Any) -> None:
    pointer = GENERIC.utils.memref_ptr(ctx.to_remote_multicast(x).ref)
    GENERIC.utils.multimem_load_reduce(ir.VectorType.get((4,), ir.Float8E5M2Type.get()), pointer, "add")


@operation(HasMultimem, (), mgpu.GMEM((128, 64), mgpu.int32), mgpu.GMEM((1,), mgpu.int32), peers=2)
def multimem_store_and_signal(ctx: Any, x: Any, o: Any, s: Any) -> None:
    array = mgpu.FragmentedArray.load_strided(x)
    array.store_untiled(ctx.to_remote_multicast(x), optimized=False)
    GENERIC.SemaphoreRef.signal_multimem(GENERIC.utils.memref_ptr(ctx.to_remote_multicast(o).ref), 1)


# --- arithmetic, registers


def _warp_mma() -> None:
    for dtype in (mgpu.float16, mgpu.bfloat16, mgpu.float8_e4m3fn, mgpu.float8_e5m2, mgpu.int8, mgpu.uint8, mgpu.int4):
        integer = dtype.is_signed is not None
        acc = mgpu.int32 if integer else mgpu.float32

        def body(ctx: Any, o: Any, s: Any, dtype: Any = dtype, acc: Any = acc, integer: bool = integer) -> None:
            layouts = mgpu.MMALayouts(dtype)
            k = 256 // dtype.bits
            a = mgpu.FragmentedArray.splat(mgpu.c(1, mgpu.int32), (64, k), layouts.lhs, is_signed=True)
            b = mgpu.FragmentedArray.splat(mgpu.c(1, mgpu.int32), (k, 8), layouts.rhs, is_signed=True)
            zero: Any = mgpu.c(0, acc) if integer else mgpu.c(0.0, acc)
            d = mgpu.FragmentedArray.splat(zero, (64, 8), layouts.acc, is_signed=True if integer else None)
            if not integer:
                a, b = a.astype(mgpu.float32), b.astype(mgpu.float32)
            GENERIC.mma(d, a.astype(dtype), b.astype(dtype)).store_untiled(o, optimized=False)

        needs = HasFloat8 if dtype.bits == 8 and not integer else Architecture
        operation(needs, (), mgpu.GMEM((64, 8), acc), name=f"warp_mma_{dtype.__name__}")(body)


_warp_mma()


def _float8_mma() -> None:
    for dtype in (mgpu.float8_e4m3fn, mgpu.float8_e5m2):

        def body(ctx: Any, o: Any, s: Any, dtype: Any = dtype) -> None:
            layouts = mgpu.MMALayouts(dtype)
            a, b = (
                mgpu.FragmentedArray.splat(mgpu.c(0, mgpu.int8), shape, layout, is_signed=True).bitcast(dtype)
                for shape, layout in (((64, 32), layouts.lhs), ((32, 8), layouts.rhs))
            )
            d = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64, 8), layouts.acc)
            GENERIC.mma(d, a, b).store_untiled(o, optimized=False)

        operation(HasFloat8, (), mgpu.GMEM((64, 8), mgpu.float32), name=f"warp_mma_alone_{dtype.__name__}")(body)


_float8_mma()


def _conversions() -> None:
    for narrow in (mgpu.float8_e4m3fn, mgpu.float8_e5m2):
        for wide in (mgpu.float32, mgpu.float16):
            for source, target in ((narrow, wide), (wide, narrow)):

                def body(ctx: Any, x: Any, o: Any, s: Any, target: Any = target) -> None:
                    array = GENERIC.FragmentedArray.load_strided(x)
                    array.astype(target).store_untiled(o, optimized=False)

                buffers = mgpu.GMEM((128, 64), source), mgpu.GMEM((128, 64), target)
                name = f"astype_{source.__name__}_{target.__name__}"
                operation(HasFloat8, (), *buffers, name=name)(body)


_conversions()


@operation(HasRegisterReallocation)
def set_max_registers(ctx: Any, o: Any, s: Any) -> None:
    mgpu.set_max_registers(40, action="decrease")


def of(capability: type[Architecture]) -> list[Operation]:
    return [each for each in OPERATIONS.values() if each.needs is capability]


def main() -> None:
    from safegpu import compile_kernel

    capability, out = getattr(architectures, sys.argv[1]), Path(sys.argv[2])
    oldest = architectures.having(capability)[0]
    # Mosaic GPU writes other PTX for what is older than Hopper.
    for arch in {oldest, architectures.sm_90a} if oldest is architectures.sm_80 else {oldest}:
        for each in of(capability):
            ptx = compile_kernel(each.build, arch=arch.__name__, peers=each.peers).ptx
            (out / f"{each.name}.{arch.__name__}.ptx").write_text(ptx)


if __name__ == "__main__":
    main()
