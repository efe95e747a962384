"""An operation that the kernel's architecture lacks: Mosaic GPU lowers it, and ptxas refuses PTX that nobody wrote."""

from typing import Any

from _twins import legal, refused

import safegpu as mgpu
from safegpu import tcgen05, utils

X = mgpu.Dimension.x
OUT = mgpu.GMEM((128, 64), mgpu.float32)
HALVES = mgpu.GMEM((64, 64), mgpu.float16)
BYTES = mgpu.GMEM((128, 64), mgpu.float8_e4m3fn)


class Tiles(mgpu.Scratch):
    """Scratch of which no architecture is known."""

    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    rows = mgpu.SMEM((64, 64), mgpu.float16)
    barrier = mgpu.Barrier(1)


class Ampere(mgpu.Scratch[mgpu.sm_80]):
    rows = mgpu.SMEM((64, 64), mgpu.float16)
    barrier = mgpu.Barrier(1)


class Hopper(mgpu.Scratch[mgpu.sm_90a]):
    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)


class HopperWithTmem(mgpu.Scratch[mgpu.sm_90a]):
    acc = mgpu.TMEM((128, 64), mgpu.float32)


class HopperWithSparseNibbles(mgpu.Scratch[mgpu.sm_90a]):
    a = mgpu.SMEM((128, 256), mgpu.float4_e2m1fn, swizzle=128)
    b = mgpu.SMEM((128, 512), mgpu.float4_e2m1fn, swizzle=128)
    acc = mgpu.TMEM((128, 128), mgpu.float32)
    metadata = mgpu.TMEM((128, 128), mgpu.uint2, layout=tcgen05.sparse_meta_layout())
    scales = mgpu.TMEM((128, 8), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())


class Blackwell(mgpu.Scratch[mgpu.sm_100a]):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    done = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 64), mgpu.float32)


class Ultra(mgpu.Scratch[mgpu.sm_103a]):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    ints = mgpu.SMEM((128, 128), mgpu.int8, swizzle=128)
    more_ints = mgpu.SMEM((64, 128), mgpu.int8, swizzle=128)
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    int_acc = mgpu.TMEM((128, 64), mgpu.int32)


class BlackwellInts(mgpu.Scratch[mgpu.sm_100a]):
    ints = mgpu.SMEM((128, 128), mgpu.int8, swizzle=128)
    more_ints = mgpu.SMEM((64, 128), mgpu.int8, swizzle=128)
    int_acc = mgpu.TMEM((128, 64), mgpu.int32)


# --- wgmma


@legal(OUT, Hopper, arch=None)
def wgmma(ctx: mgpu.LaunchContext[mgpu.sm_90a], o: mgpu.GmemRef[mgpu.float32], s: Hopper) -> None:
    acc = mgpu.WGMMAAccumulator.zero(64, 64)
    mgpu.wgmma(acc, s.a, s.b, swizzle=128)


@refused(OUT, Blackwell, arch=None)
def wgmma_on_blackwell(ctx: mgpu.LaunchContext[mgpu.sm_100a], o: mgpu.GmemRef[mgpu.float32], s: Blackwell) -> None:
    acc = mgpu.WGMMAAccumulator.zero(64, 64)  # L: SG601
    mgpu.wgmma(acc, mgpu.memref_slice(s.a, mgpu.ds(0, 8)), s.b, swizzle=128)  # E: SG601


@legal(OUT, Tiles, arch="sm_90a")
def wgmma_of_tiles(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.a, s.b, swizzle=128)


@refused(OUT, Tiles, arch="sm_120a")
def wgmma_where_nothing_is_stated(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.a, s.b, swizzle=128)  # L: SG601


# --- tensor memory


@legal(OUT, Blackwell, arch=None)
def tensor_memory(ctx: mgpu.LaunchContext[mgpu.sm_100a], o: mgpu.GmemRef[mgpu.float32], s: Blackwell) -> None:
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.b, accumulate=False)
        tcgen05.commit_arrive(s.done)
    s.done.wait(orders_tensor_core=True)
    s.acc.load().store_untiled(o, optimized=False)


@refused(OUT, HopperWithTmem, arch=None)
def tensor_memory_on_hopper(
    ctx: mgpu.LaunchContext[mgpu.sm_90a], o: mgpu.GmemRef[mgpu.float32], s: HopperWithTmem
) -> None:
    s.acc.load().store_untiled(o, optimized=False)  # E: SG601


@refused(OUT, HopperWithSparseNibbles, arch=None, raises="AssertionError", one_thread=True)
def sparse_nibbles_on_hopper(
    ctx: mgpu.LaunchContext[mgpu.sm_90a], o: mgpu.GmemRef[mgpu.float32], s: HopperWithSparseNibbles
) -> None:
    b, scales = mgpu.memref_transpose(s.b, (1, 0, 3, 2)), s.scales  # E: SG601
    tcgen05.mma(s.acc, s.a, b, a_scale=scales, b_scale=scales, a_sparse_metadata=s.metadata)  # E: SG601


@legal(OUT, Tiles, one_thread=True)
def commit(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    tcgen05.commit_arrive(s.barrier)
    s.barrier.wait(orders_tensor_core=True)


@refused(OUT, Tiles, arch="sm_90a")
def commit_on_hopper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    with mgpu.single_thread():
        tcgen05.commit_arrive(s.barrier)  # L: SG601


@refused(OUT, Tiles, arch="sm_90a")
def fence_on_hopper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    s.barrier.wait(orders_tensor_core=True)  # L: SG601


@legal(OUT, BlackwellInts, arch=None, one_thread=True)
def integers(ctx: mgpu.LaunchContext[mgpu.sm_100a], o: mgpu.GmemRef[mgpu.float32], s: BlackwellInts) -> None:
    tcgen05.mma(s.int_acc, s.ints, mgpu.memref_transpose(s.more_ints, (1, 0, 3, 2)), accumulate=False)


@refused(OUT, Ultra, arch=None)
def integers_on_ultra(ctx: mgpu.LaunchContext[mgpu.sm_103a], o: mgpu.GmemRef[mgpu.float32], s: Ultra) -> None:
    tcgen05.mma(s.int_acc, s.ints, mgpu.memref_transpose(s.more_ints, (1, 0, 3, 2)), accumulate=False)  # E: SG601


@legal(OUT, Ultra, arch=None)
def reducing_load(ctx: mgpu.LaunchContext[mgpu.sm_103a], o: mgpu.GmemRef[mgpu.float32], s: Ultra) -> None:
    s.acc.load(mgpu.TMEM_NATIVE_LAYOUT, reduce="max")


@refused(OUT, Blackwell, arch=None)
def reducing_load_on_b200(ctx: mgpu.LaunchContext[mgpu.sm_100a], o: mgpu.GmemRef[mgpu.float32], s: Blackwell) -> None:
    s.acc.load(mgpu.TMEM_NATIVE_LAYOUT, reduce="max")  # E: SG601


# --- TMA


def rows() -> mgpu.FragmentedArray[mgpu.uint32]:
    iota = mgpu.FragmentedArray.broadcasted_iota(mgpu.int32, (64,), 0, mgpu.fragmented_array.TMA_INDICES_LAYOUT)
    return iota.astype(mgpu.uint32)


@legal(HALVES, HALVES, Tiles, arch="sm_120a")
def gather(
    ctx: mgpu.LaunchContext[mgpu.sm_120a], x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    all_columns = slice(None)
    ctx.async_copy(src_ref=x, dst_ref=s.rows, gmem_slice=(rows(), all_columns), barrier=s.barrier)


@refused(HALVES, HALVES, Tiles, arch=None)
def gather_on_hopper(
    ctx: mgpu.LaunchContext[mgpu.sm_90a], x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    at = rows(), slice(None)
    ctx.async_copy(src_ref=x, dst_ref=s.rows, gmem_slice=at, barrier=s.barrier)  # E: SG601


@legal(HALVES, Tiles, arch=None)
def scatter(ctx: mgpu.LaunchContext[mgpu.sm_100a], o: mgpu.GmemRef[mgpu.float16], s: Tiles) -> None:
    at = rows(), slice(None)
    ctx.async_copy(src_ref=s.rows, dst_ref=o, gmem_slice=at)


@refused(HALVES, Tiles, arch=None)
def scatter_on_rtx(ctx: mgpu.LaunchContext[mgpu.sm_120a], o: mgpu.GmemRef[mgpu.float16], s: Tiles) -> None:
    at = rows(), slice(None)
    ctx.async_copy(src_ref=s.rows, dst_ref=o, gmem_slice=at)  # E: SG601


@legal(HALVES, HALVES, Tiles, arch=None, cluster=2)
def multicast_on_hopper(
    ctx: mgpu.LaunchContext[mgpu.sm_90a], x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.rows, barrier=s.barrier, collective=X)


@legal(HALVES, HALVES, Tiles, arch=None)
def leader_of_one_block(
    ctx: mgpu.LaunchContext[mgpu.sm_90a], x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    whole = mgpu.CopyPartition.REPLICATED
    ctx.async_copy(src_ref=x, dst_ref=s.rows, barrier=s.barrier, collective=X, leader_tracked=whole)


@refused(HALVES, HALVES, Tiles, arch=None, cluster=2)
def leader_on_hopper(
    ctx: mgpu.LaunchContext[mgpu.sm_90a], x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    whole = mgpu.CopyPartition.REPLICATED
    ctx.async_copy(src_ref=x, dst_ref=s.rows, barrier=s.barrier, collective=X, leader_tracked=whole)  # L: SG601


# --- Ampere has no TMA, and what came with it


@legal(HALVES, HALVES, Tiles, arch=None)
def tma_on_hopper(
    ctx: mgpu.LaunchContext[mgpu.sm_90a], x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.rows, barrier=s.barrier)
    s.barrier.wait()
    mgpu.commit_shared()
    ctx.async_copy(src_ref=s.rows, dst_ref=o)
    ctx.await_async_copy(0)


@refused(HALVES, HALVES, Tiles, arch=None)
def tma_on_ampere(
    ctx: mgpu.LaunchContext[mgpu.sm_80], x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.rows, barrier=s.barrier)  # E: SG601


@legal(HALVES, HALVES, Tiles, arch=None)
def threads_copy_on_ampere(
    ctx: mgpu.LaunchContext[mgpu.sm_80], x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    threads = mgpu.AsyncCopyImplementation.CP_ASYNC
    ctx.async_copy(src_ref=x, dst_ref=s.rows, implementation=threads)
    ctx.await_cp_async_copy(0)
    ctx.async_copy(src_ref=x, dst_ref=s.rows, implementation=threads, barrier=s.barrier)
    s.barrier.wait()
    mgpu.utils.warpgroup_barrier()


@legal(HALVES, HALVES, Tiles, arch=None)
def threads_copy_on_hopper(
    ctx: mgpu.LaunchContext[mgpu.sm_90a], x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.rows, implementation=mgpu.AsyncCopyImplementation.CP_ASYNC)
    ctx.await_cp_async_copy(0)


@refused(HALVES, Tiles, arch=None)
def tma_store_on_ampere(ctx: mgpu.LaunchContext[mgpu.sm_80], o: mgpu.GmemRef[mgpu.float16], s: Tiles) -> None:
    ctx.async_copy(src_ref=s.rows, dst_ref=o)  # E: SG601


@refused(HALVES, Tiles, arch=None)
def tma_reduction_on_ampere(ctx: mgpu.LaunchContext[mgpu.sm_80], o: mgpu.GmemRef[mgpu.float16], s: Tiles) -> None:
    ctx.async_copy(src_ref=s.rows, dst_ref=o, reduction_op="add")  # E: SG601


@refused(HALVES, HALVES, Tiles, arch=None)
def prefetch_on_ampere(
    ctx: mgpu.LaunchContext[mgpu.sm_80], x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    ctx.async_prefetch(gmem_ref=x)  # E: SG601


@refused(HALVES, Tiles, arch=None)
def tma_wait_on_ampere(ctx: mgpu.LaunchContext[mgpu.sm_80], o: mgpu.GmemRef[mgpu.float16], s: Tiles) -> None:
    ctx.await_async_copy(0)  # E: SG601


@refused(HALVES, HALVES, Tiles, arch="sm_80")
def tma_on_ampere_where_nothing_is_stated(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.rows, barrier=s.barrier)  # L: SG601


@refused(HALVES, HALVES, Tiles, arch=None)
def tma_by_name_on_ampere(
    ctx: mgpu.LaunchContext[mgpu.sm_80], x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    tma = mgpu.AsyncCopyImplementation.TMA
    ctx.async_copy(src_ref=x, dst_ref=s.rows, implementation=tma, barrier=s.barrier)  # L: SG601


@refused(HALVES, Ampere, arch=None)
def fence_on_ampere(ctx: mgpu.LaunchContext[mgpu.sm_80], o: mgpu.GmemRef[mgpu.float16], s: Ampere) -> None:
    mgpu.commit_shared()  # L: SG601


@refused(HALVES, Ampere, arch=None)
def registers_on_ampere(ctx: mgpu.LaunchContext[mgpu.sm_80], o: mgpu.GmemRef[mgpu.float16], s: Ampere) -> None:
    mgpu.set_max_registers(40, action="decrease")  # L: SG601


@legal(HALVES, Hopper, arch=None)
def other_block_on_hopper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: Hopper) -> None:
    mgpu.get_cluster_ref(s.a, X, mgpu.block_id(X))


@refused(HALVES, Ampere, arch=None)
def other_block_on_ampere(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: Ampere) -> None:
    mgpu.get_cluster_ref(s.rows, X, mgpu.block_id(X))  # E: SG601


@legal(HALVES, HALVES, (), arch=None, peers=2)
def all_devices_on_hopper(
    ctx: mgpu.LaunchContext[mgpu.sm_90a], x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: tuple[()]
) -> None:
    ctx.to_remote_multicast(x)


@refused(HALVES, HALVES, (), arch=None, peers=2)
def all_devices_on_ampere(
    ctx: mgpu.LaunchContext[mgpu.sm_80], x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: tuple[()]
) -> None:
    ctx.to_remote_multicast(x)  # E: SG601


# --- multimem, clusters


@legal(BYTES, OUT, (), arch=None, peers=2)
def bytes_of_all_devices(
    ctx: mgpu.LaunchContext[mgpu.sm_120a],
    x: mgpu.GmemRef[mgpu.float8_e4m3fn],
    o: mgpu.GmemRef[mgpu.float32],
    s: tuple[()],
) -> None:
    strided = mgpu.WGStridedFragLayout((128, 64), 16)
    mgpu.FragmentedArray.load_reduce_untiled(ctx.to_remote_multicast(x), strided, "add")


@refused(BYTES, OUT, (), arch=None, peers=2)
def bytes_on_hopper(
    ctx: mgpu.LaunchContext[mgpu.sm_90a],
    x: mgpu.GmemRef[mgpu.float8_e4m3fn],
    o: mgpu.GmemRef[mgpu.float32],
    s: tuple[()],
) -> None:
    strided = mgpu.WGStridedFragLayout((128, 64), 16)
    mgpu.FragmentedArray.load_reduce_untiled(ctx.to_remote_multicast(x), strided, "add")  # E: SG601


class Answer(mgpu.Scratch):
    answer = mgpu.SMEM((16,), mgpu.int8)
    barrier = mgpu.Barrier(1)


@legal(OUT, Answer, arch="sm_120a")
def taking_over(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Answer) -> None:
    mgpu.try_cluster_cancel(s.answer, s.barrier)
    s.barrier.wait()
    mgpu.query_cluster_cancel(s.answer)


@refused(OUT, Answer, arch="sm_90a")
def taking_over_on_hopper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Answer) -> None:
    mgpu.try_cluster_cancel(s.answer, s.barrier)  # L: SG601


# --- nothing is known


@legal(OUT, Tiles, arch=None)
def unknown(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.a, s.b, swizzle=128)
    tcgen05.commit_tmem()
    utils.query_cluster_cancel(s.a)


def either(tile: mgpu.SmemRef[mgpu.float16, Any]) -> None:
    """A helper says no architecture, and serves each."""
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), tile, tile, swizzle=128)


@legal(OUT, Hopper, arch=None)
def helper(ctx: mgpu.LaunchContext[mgpu.sm_90a], o: mgpu.GmemRef[mgpu.float32], s: Hopper) -> None:
    either(s.a)
