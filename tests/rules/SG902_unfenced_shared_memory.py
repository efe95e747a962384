"""Shared memory that threads have written is read by TMA or the tensor core behind a fence, `commit_shared`."""

from typing import Any

from _twins import legal, refused

import safegpu as mgpu
from safegpu import fragmented_array, tcgen05, utils

X = mgpu.Dimension.x
IN = mgpu.GMEM((64, 64), mgpu.float16)
OUT = mgpu.GMEM((64, 64), mgpu.float16)
WIDE = mgpu.GMEM((64, 64), mgpu.float32)


class Tiles(mgpu.Scratch):
    """Tiles of shared memory."""

    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    other = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    pair = mgpu.SMEM((2, 64, 64), mgpu.float16, swizzle=128)
    plain = mgpu.SMEM((64, 64), mgpu.float16)
    arrived = mgpu.Barrier(1)


class Blackwell(mgpu.Scratch):
    """What a product on Blackwell takes."""

    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    scales = mgpu.SMEM((1, 1, 32, 16), mgpu.float8_e8m0fnu)
    meta = mgpu.SMEM((1, 1, 128, 64), mgpu.uint2)
    packed = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    done = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    copied = mgpu.TMEM((128, 64), mgpu.float16, packing=2)
    scales_tmem = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())
    meta_tmem = mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout())


def loaded(x: mgpu.GmemRef[mgpu.float16]) -> mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)


# --- copies


@legal(IN, OUT, Tiles, arch="sm_90a")
def copy(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles) -> None:
    loaded(x).store_tiled(s.tile, swizzle=128)
    mgpu.commit_shared()
    ctx.async_copy(src_ref=s.tile, dst_ref=o, gmem_transform=mgpu.TileTransform((8, 64)), swizzle=128)
    ctx.await_async_copy(0)


@refused(IN, OUT, Tiles, arch="sm_90a")
def unfenced_copy(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    loaded(x).store_tiled(s.tile, swizzle=128)
    ctx.async_copy(src_ref=s.tile, dst_ref=o, gmem_transform=mgpu.TileTransform((8, 64)), swizzle=128)  # L: SG902
    ctx.await_async_copy(0)


@refused(IN, OUT, Tiles, arch="sm_90a")
def a_barrier_is_no_fence(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    loaded(x).store_untiled(s.plain, optimized=False)
    mgpu.warpgroup_barrier()
    ctx.async_copy(src_ref=s.plain, dst_ref=o)  # L: SG902
    ctx.await_async_copy(0)


@refused(IN, OUT, Tiles, arch="sm_90a")
def fenced_too_early(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    mgpu.commit_shared()
    loaded(x).store_untiled(s.plain, optimized=False)
    ctx.async_copy(src_ref=s.plain, dst_ref=o, reduction_op="add")  # L: SG902
    ctx.await_async_copy(0)


@refused(IN, OUT, Tiles, arch="sm_90a")
def in_an_inner_thread(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    loaded(x).store_untiled(s.plain, optimized=False)
    with mgpu.single_thread():
        ctx.async_copy(src_ref=s.plain, dst_ref=o, predicate=None)  # L: SG902
    ctx.await_async_copy(0)


@refused(IN, OUT, Tiles, arch="sm_90a")
def copied_tile(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    fragmented_array.copy_tiled(x, s.tile, swizzle=128)
    ctx.async_copy(src_ref=s.tile, dst_ref=o, gmem_transform=mgpu.TileTransform((8, 64)), swizzle=128)  # L: SG902
    ctx.await_async_copy(0)


@refused(IN, OUT, Tiles, arch="sm_90a")
def the_same_slot(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    slot = mgpu.block_id(X)
    loaded(x).store_tiled(mgpu.memref_slice(s.pair, slot), swizzle=128)
    again = mgpu.memref_slice(s.pair, slot)
    ctx.async_copy(src_ref=again, dst_ref=o, gmem_transform=mgpu.TileTransform((8, 64)), swizzle=128)  # L: SG902
    ctx.await_async_copy(0)


@legal(IN, OUT, Tiles, arch="sm_90a")
def another_slot(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    """Of indices that are computed nothing is sure, and of two numbers all is."""
    loaded(x).store_tiled(mgpu.memref_slice(s.pair, 0), swizzle=128)
    into = mgpu.TileTransform((8, 64))
    ctx.async_copy(src_ref=mgpu.memref_slice(s.pair, 1), dst_ref=o, gmem_transform=into, swizzle=128)
    ctx.async_copy(src_ref=mgpu.memref_slice(s.pair, mgpu.block_id(X)), dst_ref=o, gmem_transform=into, swizzle=128)
    ctx.async_copy(src_ref=s.tile, dst_ref=o, gmem_transform=into, swizzle=128)
    ctx.await_async_copy(0)


@legal(IN, OUT, Tiles, arch="sm_90a")
def fenced_somewhere(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    """In a conditional, which may be where it is needed."""
    loaded(x).store_untiled(s.plain, optimized=False)
    with mgpu.when(mgpu.block_id(X).eq(0)):
        mgpu.commit_shared()
    ctx.async_copy(src_ref=s.plain, dst_ref=o)
    ctx.await_async_copy(0)


@legal(IN, OUT, Tiles, arch="sm_90a")
def fenced_a_pass_before(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    loaded(x).store_untiled(s.plain, optimized=False)

    @mgpu.fori(mgpu.c(4, mgpu.Index), None)
    def _(i: mgpu.Index, _: None) -> None:
        with mgpu.when(i > 0):
            ctx.async_copy(src_ref=s.plain, dst_ref=o)
        ctx.await_async_copy(0)
        mgpu.commit_shared()


@legal(IN, OUT, Tiles, arch="sm_90a")
def fenced_by_raw_code(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    loaded(x).store_untiled(s.plain, optimized=False)
    utils.inline_ptx("fence.proxy.async.shared::cta;", has_side_effects=True)
    mgpu.warpgroup_barrier()
    ctx.async_copy(src_ref=s.plain, dst_ref=o)
    ctx.await_async_copy(0)


@legal(IN, OUT, Tiles, arch="sm_90a")
def another_warpgroup(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    with mgpu.when(mgpu.warpgroup_idx().eq(0)):
        loaded(x).store_untiled(s.plain, optimized=False)
    with mgpu.when(mgpu.warpgroup_idx().eq(1)):
        ctx.async_copy(src_ref=s.plain, dst_ref=o)
        ctx.await_async_copy(0)


@legal(IN, OUT, Tiles, arch="sm_90a")
def carried(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Any) -> None:
    """What a loop carries may be another buffer in the next pass."""
    loaded(x).store_untiled(s.plain, optimized=False)

    @mgpu.fori(mgpu.c(2, mgpu.Index), s.plain)
    def _(_: mgpu.Index, buffer: Any) -> Any:
        ctx.async_copy(src_ref=buffer, dst_ref=o)
        ctx.await_async_copy(0)
        return buffer


@legal(IN, OUT, Tiles, arch="sm_90a")
def overwritten_by_tma(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    """What is read is what TMA wrote."""
    loaded(x).store_untiled(s.plain, optimized=False)
    mgpu.warpgroup_barrier()
    ctx.async_copy(src_ref=x, dst_ref=s.plain, barrier=s.arrived)
    s.arrived.wait()
    ctx.async_copy(src_ref=s.plain, dst_ref=o)
    ctx.await_async_copy(0)


# Two warpgroups: one may fence what both have written, if the other waits for it.


def two_warpgroups(body: Any) -> None:
    mgpu.as_gpu_kernel(body, (1, 1, 1), (256, 1, 1), (IN,), OUT, Tiles)


@legal(arch="sm_90a")
def fenced_by_the_other_warpgroup() -> None:
    def body(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles) -> None:
        loaded(x).store_untiled(s.plain, optimized=False)
        mgpu.block_barrier()
        with mgpu.when(mgpu.warpgroup_idx().eq(1)):
            s.arrived.wait()
            ctx.async_copy(src_ref=s.plain, dst_ref=o)
            ctx.await_async_copy(0)
        with mgpu.when(mgpu.warpgroup_idx().eq(0)):
            mgpu.commit_shared()
            s.arrived.arrive(predicate=mgpu.single_thread_predicate(mgpu.ThreadSubset.WARPGROUP))

    two_warpgroups(body)


@refused(arch="sm_90a")
def fenced_by_nobody() -> None:
    def body(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles) -> None:
        loaded(x).store_untiled(s.plain, optimized=False)
        with mgpu.when(mgpu.warpgroup_idx().eq(1)):
            ctx.async_copy(src_ref=s.plain, dst_ref=o)  # L: SG902
            ctx.await_async_copy(0)
        mgpu.commit_shared()

    two_warpgroups(body)  # L: SG902


# --- products


@legal(IN, WIDE, Tiles, arch="sm_90a")
def product(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    loaded(x).store_tiled(s.tile, swizzle=128)
    mgpu.commit_shared()
    acc = mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.tile, s.other, swizzle=128)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(o, optimized=False)


@refused(IN, WIDE, Tiles, arch="sm_90a")
def unfenced_product(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    loaded(x).store_tiled(s.tile, swizzle=128)
    acc = mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.tile, s.other, swizzle=128)  # L: SG902
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(o, optimized=False)


@refused(IN, WIDE, Tiles, arch="sm_90a")
def unfenced_in_a_loop(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    @mgpu.fori(mgpu.c(4, mgpu.Index), mgpu.WGMMAAccumulator.zero(64, 64))
    def steps(_: mgpu.Index, acc: mgpu.WGMMAAccumulator[mgpu.float32]) -> mgpu.WGMMAAccumulator[mgpu.float32]:
        loaded(x).store_tiled(s.other, swizzle=128)
        transposed = mgpu.memref_transpose(s.other, (1, 0, 3, 2))
        acc = mgpu.wgmma(acc, s.tile, transposed, swizzle=128)  # L: SG902
        mgpu.wgmma_commit_group()
        mgpu.wgmma_wait_group(0)
        return acc

    steps.result.value.store_untiled(o, optimized=False)


ONES = mgpu.GMEM((128, 64), mgpu.float16)


def ones() -> mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.TCGEN05]:
    one = mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float16), (128, 64))
    return one.broadcast_in_dim((128, 64), (0, 1), mgpu.TCGEN05_LAYOUT)


@legal(ONES, Blackwell)
def product_on_blackwell(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: Blackwell) -> None:
    ones().store_tiled(s.a, swizzle=128)
    mgpu.commit_shared()
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.b, accumulate=False)
        tcgen05.commit_arrive(s.done)
    s.done.wait(orders_tensor_core=True)


@refused(ONES, Blackwell)
def unfenced_on_blackwell(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: Blackwell) -> None:
    ones().store_tiled(s.a, swizzle=128)
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.b, accumulate=False)  # L: SG902
        tcgen05.commit_arrive(s.done)
    s.done.wait(orders_tensor_core=True)


@refused(ONES, Blackwell)
def unfenced_copy_to_tmem(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: Blackwell) -> None:
    ones().store_tiled(s.packed, swizzle=128)
    with mgpu.single_thread():
        tcgen05.async_copy_smem_to_tmem(s.packed, s.copied, 128)  # L: SG902


@refused(ONES, Blackwell)
def unfenced_scales(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: Blackwell) -> None:
    scale = mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float8_e8m0fnu), (1, 1, 32, 16))
    scale.store_untiled(s.scales)
    with mgpu.single_thread():
        tcgen05.async_copy_scales_smem_to_tmem(s.scales, s.scales_tmem)  # L: SG902


def by_name(ctx: mgpu.LaunchContext, tile: mgpu.SmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16]) -> None:
    ctx.async_copy(src_ref=tile, dst_ref=o)  # L: SG902


@refused(IN, OUT, Tiles, arch="sm_90a")
def in_a_helper(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    loaded(x).store_untiled(s.plain, optimized=False)
    by_name(ctx, s.plain, o)
    ctx.await_async_copy(0)
