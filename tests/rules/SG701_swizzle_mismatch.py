"""An operation names the swizzle of the buffer that it reads or writes; another one permutes its elements."""

from typing import Any, Final, Literal

from _twins import illegal, legal, refused

import safegpu as mgpu
from safegpu import tcgen05

X = mgpu.Dimension.x
SWIZZLE: Final = 128
HALF: Final = 64
PERMUTED = "the elements land where the buffer's readers do not look for them"
OUT = mgpu.GMEM((64, 64), mgpu.float16)


class S(mgpu.Scratch):
    wide = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    narrow = mgpu.SMEM((64, 64), mgpu.float16, swizzle=64)
    final = mgpu.SMEM((64, 64), mgpu.float16, swizzle=SWIZZLE)
    barrier = mgpu.Barrier(1)


def f16() -> mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.broadcasted_iota(mgpu.float16, (64, 64), 1, mgpu.WGMMA_LAYOUT)


def anything(value: Any) -> Any:
    return value


@legal(OUT, S, arch="sm_90a", cluster=2)
def same_swizzle(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    f16().store_tiled(s.wide, 128)
    f16().store_tiled(s.wide, swizzle=s.wide.swizzle)
    f16().store_tiled(s.narrow, 64)
    f16().store_tiled(s.final, SWIZZLE)
    f16().store_tiled(s.narrow, anything(64))
    mgpu.FragmentedArray.load_tiled(s.wide, 128)
    mgpu.FragmentedArray.load_tiled(s.narrow, 64, layout=mgpu.WGMMA_LAYOUT)
    f16().store_tiled_async(s.wide, s.barrier, X, mgpu.c(1, mgpu.Index), 128)


@legal(OUT, S, arch="sm_90a")
def constant(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    zeros = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64), mgpu.WGMMA_LAYOUT)
    zeros.store_tiled(s.narrow, anything(32))  # in whatever order, they are zeros


@refused(OUT, S, arch="sm_90a", because=PERMUTED)
def untyped(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    f16().store_tiled(s.narrow, anything(32))  # L: SG701


@refused(OUT, S, arch="sm_90a", because=PERMUTED)
def untyped_load(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    mgpu.FragmentedArray.load_tiled(anything(s.narrow), 32)  # L: SG701


@refused(OUT, S, arch="sm_90a", because=PERMUTED)
def store(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    f16().store_tiled(s.narrow, 32)  # E: SG701


@refused(OUT, S, arch="sm_90a", because=PERMUTED)
def load(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    mgpu.FragmentedArray.load_tiled(s.narrow, 32)  # E: SG701


@refused(OUT, S, arch="sm_90a", because=PERMUTED)
def load_in_a_layout(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    mgpu.FragmentedArray.load_tiled(s.narrow, 32, layout=mgpu.WGMMA_LAYOUT)  # E: SG701


@refused(OUT, S, arch="sm_90a", cluster=2, because=PERMUTED)
def async_store(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    f16().store_tiled_async(s.wide, s.barrier, X, mgpu.c(1, mgpu.Index), 64)  # E: SG701


@refused(OUT, S, arch="sm_90a", because=PERMUTED)
def view(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    half = mgpu.memref_slice(s.narrow, slice(0, 8))
    f16().store_tiled(half, 32)  # E: SG701


def put(value: mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA], to: mgpu.SmemRef[Any, Any]) -> None:
    value.store_tiled(to, 64)


def put_wide(value: mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA], to: mgpu.SmemRef[Any, Literal[64]]) -> None:
    value.store_tiled(to, 32)  # E: SG701


@refused(OUT, S, arch="sm_90a", because=PERMUTED)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    put(f16(), s.narrow)
    put_wide(f16(), s.narrow)


@refused(OUT, S, arch="sm_90a", because=PERMUTED)
def final(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    f16().store_tiled(s.wide, HALF)  # E: SG701


# --- copies and wgmma, whose swizzle has a default


class Copied(mgpu.Scratch):
    wide = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    narrow = mgpu.SMEM((64, 64), mgpu.float16, swizzle=64)
    plain = mgpu.SMEM((64, 64), mgpu.float16, swizzle=16)
    undeclared = mgpu.SMEM((64, 64), mgpu.float16)
    barrier = mgpu.Barrier(1)


WIDE = mgpu.TileTransform((8, 64))
NARROW = mgpu.TileTransform((8, 32))


@legal(OUT, Copied, arch="sm_90a")
def copies(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: Copied) -> None:
    ctx.async_copy(src_ref=o, dst_ref=s.wide, barrier=s.barrier, swizzle=128, gmem_transform=WIDE)
    s.barrier.wait()
    ctx.async_copy(src_ref=s.wide, dst_ref=o, swizzle=s.wide.swizzle, gmem_transform=WIDE)
    ctx.async_copy(src_ref=s.narrow, dst_ref=o, swizzle=64, gmem_transform=NARROW)
    ctx.async_copy(src_ref=o, dst_ref=s.plain, barrier=s.barrier)
    s.barrier.wait()
    ctx.async_copy(src_ref=s.plain, dst_ref=o, swizzle=None)
    ctx.async_copy(src_ref=o, dst_ref=s.undeclared, barrier=s.barrier)
    s.barrier.wait()
    ctx.async_copy(src_ref=s.undeclared, dst_ref=o)
    ctx.async_copy(src_ref=s.wide, dst_ref=o, swizzle=anything(128), gmem_transform=WIDE)
    acc = mgpu.WGMMAAccumulator.zero(64, 64)
    acc = mgpu.wgmma(acc, s.wide, s.wide)
    acc = mgpu.wgmma(acc, s.narrow, s.narrow, swizzle=64)


@refused(OUT, Copied, arch="sm_90a", because=PERMUTED)
def untyped_copy(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: Copied) -> None:
    ctx.async_copy(src_ref=anything(s.wide), dst_ref=o, gmem_transform=WIDE)  # L: SG701


@refused(OUT, Copied, arch="sm_90a", because=PERMUTED)
def copy_out_without_one(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: Copied) -> None:
    ctx.async_copy(src_ref=s.wide, dst_ref=o, gmem_transform=WIDE)  # E: SG701


@illegal(OUT, Copied, arch="sm_90a", raises="require the last dimension of the slice")
def copy_in_with_another(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: Copied) -> None:
    ctx.async_copy(src_ref=o, dst_ref=s.narrow, barrier=s.barrier, swizzle=128, gmem_transform=NARROW)  # E: SG701


@illegal(OUT, Copied, arch="sm_90a", raises="Tiling should be")
def multiply(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: Copied) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.narrow, s.narrow)  # E: SG701


class M(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    a64 = mgpu.SMEM((128, 64), mgpu.float16, swizzle=64)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b64 = mgpu.SMEM((64, 64), mgpu.float16, swizzle=64)
    lhs = mgpu.TMEM((128, 64), mgpu.float16, packing=2)
    acc = mgpu.TMEM((128, 64), mgpu.float32)


@legal(OUT, M, one_thread=True)
def operands(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], m: M) -> None:
    tcgen05.mma(m.acc, m.a, m.b, accumulate=False)
    tcgen05.mma(m.acc, m.a, m.b, a_swizzle=128)
    tcgen05.mma(m.acc, m.a, m.b64, b_swizzle=64)
    tcgen05.mma(m.acc, m.a64, m.b, a_swizzle=64)
    tcgen05.mma(m.acc, m.a64, m.b64, a_swizzle=m.a64.swizzle, b_swizzle=m.b64.swizzle)
    # of a left operand in tensor memory a swizzle says nothing
    tcgen05.mma(m.acc, m.lhs, m.b64, b_swizzle=64)
    tcgen05.mma(m.acc, m.lhs, m.b, a_swizzle=32)


@illegal(OUT, M, raises="Tiling should be (8, swizzle_elems)", one_thread=True)
def left_operand(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], m: M) -> None:
    tcgen05.mma(m.acc, m.a64, m.b, a_swizzle=128, b_swizzle=128)  # E: SG701


@illegal(OUT, M, raises="Tiling should be (8, swizzle_elems)", one_thread=True)
def right_operand(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], m: M) -> None:
    tcgen05.mma(m.acc, m.a, m.b64, a_swizzle=128, b_swizzle=128)  # E: SG701


@illegal(OUT, M, raises="Tiling should be (8, swizzle_elems)", one_thread=True)
def left_operand_of_the_default(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], m: M) -> None:
    tcgen05.mma(m.acc, m.a64, m.b)  # E: SG701


@illegal(OUT, M, raises="Tiling should be (8, swizzle_elems)", one_thread=True)
def right_operand_of_the_default(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], m: M) -> None:
    tcgen05.mma(m.acc, m.a, m.b64, a_swizzle=128)  # E: SG701


@illegal(OUT, M, raises="Tiling should be (8, swizzle_elems)", one_thread=True)
def beside_tensor_memory(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], m: M) -> None:
    tcgen05.mma(m.acc, m.lhs, m.b64, a_swizzle=64, b_swizzle=128)  # E: SG701
