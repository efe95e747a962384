"""Memory reduces the dtypes that its instructions name."""

from _twins import illegal, legal

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
