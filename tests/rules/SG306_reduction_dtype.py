"""Memory reduces the dtypes that its instructions name."""

from _twins import illegal, legal, silent

import safegpu as mgpu

X = mgpu.Dimension.x
F32 = mgpu.GMEM((64, 64), mgpu.float32)
F16 = mgpu.GMEM((64, 64), mgpu.float16)
I32 = mgpu.GMEM((64, 64), mgpu.int32)
I8 = mgpu.GMEM((64, 64), mgpu.int8)


class S(mgpu.Scratch):
    ints = mgpu.SMEM((64, 64), mgpu.int32, swizzle=128)
    floats = mgpu.SMEM((64, 64), mgpu.float32, swizzle=128)
    halves = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    barrier = mgpu.Barrier(1)


def zeros[L](layout: mgpu.FragmentedLayout[L]) -> mgpu.FragmentedArray[mgpu.float32, L]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64, 64), layout)


@legal(F32, F16, I32, S, arch="sm_90a", peers=2)
def multimem(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float32],
    y: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.int32],
    s: S,
) -> None:
    layout = mgpu.WGMMA_LAYOUT
    mgpu.FragmentedArray.load_reduce_untiled(ctx.to_remote_multicast(x), layout, "add")
    mgpu.FragmentedArray.load_reduce_untiled(ctx.to_remote_multicast(y), layout, "max")
    mgpu.FragmentedArray.load_reduce_untiled(ctx.to_remote_multicast(o), layout, "and", is_signed=True)


@illegal(F32, S, arch="sm_90a", peers=2, raises="Only add is supported for f32")
def maximum_of_floats(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    everywhere = ctx.to_remote_multicast(x)
    mgpu.FragmentedArray.load_reduce_untiled(everywhere, mgpu.WGMMA_LAYOUT, "max")  # E: SG306


@illegal(F16, S, arch="sm_90a", peers=2, raises="Only add, min and max are supported for floats")
def bitwise_and_of_halves(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    everywhere = ctx.to_remote_multicast(x)
    mgpu.FragmentedArray.load_reduce_untiled(everywhere, mgpu.WGMMA_LAYOUT, "and")  # E: SG306


@illegal(I8, S, arch="sm_90a", peers=2, raises="Only 32-, 64- and 128-bit loads are supported")
def sum_of_bytes(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.int8], s: S) -> None:
    everywhere = ctx.to_remote_multicast(x)
    layout = mgpu.WGMMA_LAYOUT_8BIT
    mgpu.FragmentedArray.load_reduce_untiled(everywhere, layout, "add", is_signed=True)  # E: SG306


@legal(F32, S, arch="sm_90a", cluster=2)
def atomic_on_integers(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    ints = zeros(mgpu.WGMMA_LAYOUT).bitcast(mgpu.int32, output_is_signed=True)
    ints.store_tiled_async(s.ints, s.barrier, X, mgpu.c(1, mgpu.Index), 128, atomic="add")
    zeros(mgpu.WGMMA_LAYOUT).store_tiled_async(s.floats, s.barrier, X, mgpu.c(1, mgpu.Index), 128)


@illegal(F32, S, arch="sm_90a", cluster=2, raises="f32 not supported for async atomics")
def atomic_on_floats(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    value = zeros(mgpu.WGMMA_LAYOUT)
    value.store_tiled_async(s.floats, s.barrier, X, mgpu.c(1, mgpu.Index), 128, atomic="add")  # E: SG306


@illegal(F32, S, arch="sm_90a", cluster=2, raises="f16/bf16 not supported for async atomics")
def atomic_on_halves(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    value = zeros(mgpu.WGMMA_LAYOUT).astype(mgpu.float16)
    value.store_tiled_async(s.halves, s.barrier, X, mgpu.c(1, mgpu.Index), 128, atomic="max")  # E: SG306


class T(mgpu.Scratch):
    floats = mgpu.SMEM((64, 64), mgpu.float32, swizzle=128)
    halves = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    ints = mgpu.SMEM((64, 64), mgpu.int32, swizzle=128)


def halves() -> mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64), mgpu.WGMMA_LAYOUT)


def ints() -> mgpu.FragmentedArray[mgpu.int32, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.splat(mgpu.c(0, mgpu.int32), (64, 64), mgpu.WGMMA_LAYOUT, is_signed=True)


@legal(F32, F16, I32, T, arch="sm_90a")
def copies_out(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float32],
    y: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.int32],
    t: T,
) -> None:
    wide, narrow = mgpu.TileTransform((8, 32)), mgpu.TileTransform((8, 64))
    ctx.async_copy(src_ref=t.floats, dst_ref=x, swizzle=128, gmem_transform=wide, reduction_op="add")
    ctx.async_copy(src_ref=t.halves, dst_ref=y, swizzle=128, gmem_transform=narrow, reduction_op="max")
    ctx.async_copy(src_ref=t.ints, dst_ref=o, swizzle=128, gmem_transform=wide, reduction_op="smax")
    ctx.async_copy(src_ref=t.ints, dst_ref=o, swizzle=128, gmem_transform=wide, reduction_op="xor")


def add_to[D: (mgpu.float16, mgpu.float32)](
    ctx: mgpu.LaunchContext,
    src: mgpu.SmemRef[D],
    dst: mgpu.GmemRef[D],
    array: mgpu.FragmentedArray[D, mgpu.layouts.WGMMA],
) -> None:
    ctx.async_copy(src_ref=src, dst_ref=dst, swizzle=128, reduction_op="add")
    array.store_untiled(dst, atomic="add", optimized=False)
    array.store_tiled(src, 128, atomic="add")


@illegal(F32, T, arch="sm_90a", raises="Reduction op max not supported by the TMA")
def maximum_of_copied_floats(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], t: T) -> None:
    tiles = mgpu.TileTransform((8, 32))
    ctx.async_copy(src_ref=t.floats, dst_ref=x, swizzle=128, gmem_transform=tiles, reduction_op="max")  # E: SG306


@illegal(F16, T, arch="sm_90a", raises="Reduction op and not supported by the TMA")
def bits_of_copied_halves(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], t: T) -> None:
    tiles = mgpu.TileTransform((8, 64))
    ctx.async_copy(src_ref=t.halves, dst_ref=x, swizzle=128, gmem_transform=tiles, reduction_op="and")  # E: SG306


@silent(I32, T, arch="sm_90a", because="the maximum takes negative numbers for large ones")
def unsigned_maximum_of_signed(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.int32], t: T) -> None:
    tiles = mgpu.TileTransform((8, 32))
    ctx.async_copy(src_ref=t.ints, dst_ref=x, swizzle=128, gmem_transform=tiles, reduction_op="umax")  # E: SG306


@legal(F32, F16, I32, T, arch="sm_90a", peers=2)
def atomic_stores(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float32],
    y: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.int32],
    t: T,
) -> None:
    floats = zeros(mgpu.WGMMA_LAYOUT)
    floats.store_untiled(x, atomic="add", optimized=False)
    floats.store_tiled(t.floats, 128, atomic="add")
    floats.store_tiled(t.floats, 128, True, None, "add")
    halves().store_untiled(y, atomic="max", optimized=False)
    halves().store_tiled(t.halves, 128, atomic="add")
    halves().store_untiled(ctx.to_remote_multicast(y), atomic="add", optimized=False)
    ints().store_untiled(o, atomic="xor", optimized=False)
    ints().store_tiled(t.ints, 128, atomic="min")


@illegal(F32, T, arch="sm_90a", raises="f32 only supports add atomics, got max")
def atomic_maximum_of_floats(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], t: T) -> None:
    zeros(mgpu.WGMMA_LAYOUT).store_untiled(x, atomic="max", optimized=False)  # E: SG306


@illegal(F16, T, arch="sm_90a", raises="f16/bf16 only supports add, min, max atomics, got and")
def atomic_bits_of_halves(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], t: T) -> None:
    halves().store_untiled(x, atomic="and", optimized=False)  # E: SG306


@illegal(F16, T, arch="sm_90a", raises="f16/bf16 SMEM/multimem atomics only support add, got max")
def atomic_maximum_in_shared_memory(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], t: T) -> None:
    halves().store_tiled(t.halves, 128, atomic="max")  # E: SG306


@illegal(F16, T, arch="sm_90a", peers=2, raises="f16/bf16 SMEM/multimem atomics only support add, got max")
def atomic_maximum_in_multimem(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], t: T) -> None:
    everywhere = ctx.to_remote_multicast(x)
    halves().store_untiled(everywhere, atomic="max", optimized=False)  # E: SG306
