"""The tensor core multiplies certain pairs of dtypes into certain accumulators."""

from typing import Any

from _twins import illegal, legal, silent

import safegpu as mgpu
from safegpu import tcgen05

F16_ACCUMULATORS = "MMA with element type f16 only supports accumulators of type f32 or f16"
OUT = mgpu.GMEM((128, 64), mgpu.float32)


class S(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b_brain = mgpu.SMEM((64, 64), mgpu.bfloat16, swizzle=128)
    b_wide = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    a_f32 = mgpu.SMEM((128, 64), mgpu.float32, swizzle=128)
    b_f32 = mgpu.SMEM((64, 64), mgpu.float32, swizzle=128)
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    acc16 = mgpu.TMEM((128, 64), mgpu.float16)
    ints = mgpu.TMEM((128, 64), mgpu.int32)
    brain = mgpu.TMEM((128, 64), mgpu.bfloat16)


class E(mgpu.Scratch):
    a = mgpu.SMEM((128, 128), mgpu.float8_e4m3fn, swizzle=128)
    b = mgpu.SMEM((64, 128), mgpu.float8_e5m2, swizzle=128)
    ia = mgpu.SMEM((128, 128), mgpu.int8, swizzle=128)
    ib = mgpu.SMEM((64, 128), mgpu.int8, swizzle=128)
    ub = mgpu.SMEM((64, 128), mgpu.uint8, swizzle=128)
    ua = mgpu.SMEM((128, 128), mgpu.uint8, swizzle=128)
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    acc16 = mgpu.TMEM((128, 64), mgpu.float16)
    ints = mgpu.TMEM((128, 64), mgpu.int32)


class H(mgpu.Scratch):
    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b_brain = mgpu.SMEM((64, 64), mgpu.bfloat16, swizzle=128)
    a_brain = mgpu.SMEM((64, 64), mgpu.bfloat16, swizzle=128)
    a_f32 = mgpu.SMEM((64, 64), mgpu.float32, swizzle=128)
    b_f32 = mgpu.SMEM((64, 64), mgpu.float32, swizzle=128)


@legal(OUT, S, one_thread=True)
def halves(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.a, s.b, a_swizzle=128, b_swizzle=128, accumulate=False)
    tcgen05.mma(s.acc16, s.a, s.b, a_swizzle=128, b_swizzle=128, accumulate=False)


@legal(OUT, E, one_thread=True)
def bytes_(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: E) -> None:
    b = mgpu.memref_transpose(s.b, (1, 0, 3, 2))
    tcgen05.mma(s.acc, s.a, b, a_swizzle=128, b_swizzle=128, accumulate=False)
    tcgen05.mma(s.acc16, s.a, b, a_swizzle=128, b_swizzle=128, accumulate=False)
    ib = mgpu.memref_transpose(s.ib, (1, 0, 3, 2))
    tcgen05.mma(s.ints, s.ia, ib, a_swizzle=128, b_swizzle=128, accumulate=False)


@illegal(OUT, S, raises="MMA requires A and B to have the same element type", one_thread=True)
def two_dtypes(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.a, s.b_brain, a_swizzle=128, b_swizzle=128)  # E: SG303


@illegal(OUT, S, raises=F16_ACCUMULATORS, one_thread=True)
def integer_accumulator(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.ints, s.a, s.b, a_swizzle=128, b_swizzle=128)  # E: SG303


@illegal(OUT, S, raises=F16_ACCUMULATORS, one_thread=True)
def brain_accumulator(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.brain, s.a, s.b, a_swizzle=128, b_swizzle=128)  # E: SG303


@illegal(OUT, S, raises="Unsupported input element type: tf32", one_thread=True)
def floats(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.a_f32, s.b_f32, a_swizzle=128, b_swizzle=128)  # E: SG303


@illegal(OUT, E, raises="s8 only supports s32 accumulators", one_thread=True)
def integers_into_float(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: E) -> None:
    ib = mgpu.memref_transpose(s.ib, (1, 0, 3, 2))
    tcgen05.mma(s.acc, s.ia, ib, a_swizzle=128, b_swizzle=128)  # E: SG303


@silent(OUT, E, because="Mosaic GPU cannot tell uint8 from int8, and multiplies it as signed", one_thread=True)
def signed_by_unsigned(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: E) -> None:
    ub = mgpu.memref_transpose(s.ub, (1, 0, 3, 2))
    tcgen05.mma(s.ints, s.ia, ub, a_swizzle=128, b_swizzle=128, accumulate=False)  # E: SG303


@silent(OUT, E, because="Mosaic GPU cannot tell uint8 from int8, and multiplies both as signed", one_thread=True)
def unsigned(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: E) -> None:
    ub = mgpu.memref_transpose(s.ub, (1, 0, 3, 2))
    tcgen05.mma(s.ints, s.ua, ub, a_swizzle=128, b_swizzle=128, accumulate=False)  # E: SG303


def multiply(acc: tcgen05.DenseTMEM[mgpu.int32], a: mgpu.SmemRef[mgpu.float16], b: mgpu.SmemRef[mgpu.float16]) -> None:
    tcgen05.mma(acc, a, b, a_swizzle=128, b_swizzle=128)  # E: SG303


@illegal(OUT, S, raises=F16_ACCUMULATORS, one_thread=True)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    multiply(s.ints, s.a, s.b)


@legal(OUT, H, arch="sm_90a")
def wgmma(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: H) -> None:
    acc = mgpu.WGMMAAccumulator.zero(64, 64)
    acc = mgpu.wgmma(acc, s.a, s.b, swizzle=128)
    acc = mgpu.wgmma(acc, s.a_brain, s.b_brain, swizzle=128)
    acc16 = mgpu.WGMMAAccumulator.zero(64, 64, mgpu.float16)
    mgpu.wgmma(acc16, s.a, s.b, swizzle=128)


@illegal(OUT, H, arch="sm_90a", raises="WGMMA requires A and B to have the same element type")
def wgmma_of_two_dtypes(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: H) -> None:
    acc = mgpu.WGMMAAccumulator.zero(64, 64)
    mgpu.wgmma(acc, s.a, s.b_brain, swizzle=128)  # E: SG303


@illegal(OUT, H, arch="sm_90a", raises="bf16 only supports accumulators of type f32")
def wgmma_of_brain_into_half(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: H) -> None:
    acc = mgpu.WGMMAAccumulator.zero(64, 64, mgpu.float16)
    mgpu.wgmma(acc, s.a_brain, s.b_brain, swizzle=128)  # E: SG303


@legal(OUT, H, arch="sm_90a")
def wgmma_of_registers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: H) -> None:
    acc = mgpu.WGMMAAccumulator.zero(64, 64)
    acc = mgpu.wgmma(acc, mgpu.FragmentedArray.load_tiled(s.a, 128), s.b, swizzle=128)
    acc = mgpu.wgmma(acc, s.a_f32, mgpu.memref_transpose(s.b_f32, (1, 0, 3, 2)), swizzle=128)


@illegal(OUT, H, arch="sm_90a", raises="are supported for A in registers, got f32")
def wgmma_of_floats_in_registers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: H) -> None:
    acc = mgpu.WGMMAAccumulator.zero(64, 64)
    a = mgpu.FragmentedArray.load_tiled(s.a_f32, 128)
    mgpu.wgmma(acc, a, mgpu.memref_transpose(s.b_f32, (1, 0, 3, 2)), swizzle=128)  # E: SG303


def registers[D: (mgpu.float16, mgpu.bfloat16, mgpu.int8, mgpu.uint8)](
    dtype: type[D],
) -> tuple[mgpu.FragmentedArray[D, Any], mgpu.FragmentedArray[D, Any]]:
    """The operands of an `mma` of 64 rows and 8 columns."""
    layouts = mgpu.MMALayouts(dtype)
    k = 256 // dtype.bits
    a = mgpu.FragmentedArray.broadcasted_iota(mgpu.int32, (64, k), 0, layouts.lhs)
    b = mgpu.FragmentedArray.broadcasted_iota(mgpu.int32, (k, 8), 0, layouts.rhs)
    return a.astype(dtype), b.astype(dtype)


def zeros() -> mgpu.FragmentedArray[mgpu.float32]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64, 8), mgpu.MMALayouts(mgpu.float16).acc)


def integers() -> mgpu.FragmentedArray[mgpu.int32]:
    acc = mgpu.MMALayouts(mgpu.int8).acc
    return mgpu.FragmentedArray.splat(mgpu.c(1, mgpu.int32), (64, 8), acc, is_signed=True)


@legal(OUT, (), arch="sm_90a")
def mma_of_registers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    half, half_b = registers(mgpu.float16)
    mgpu.mma(zeros(), half, half_b)
    brain, brain_b = registers(mgpu.bfloat16)
    mgpu.mma(zeros(), brain, brain_b)
    i, ib = registers(mgpu.int8)
    u, ub = registers(mgpu.uint8)
    mgpu.mma(integers(), i, ib)
    mgpu.mma(integers(), i, ub)
    mgpu.mma(mgpu.mma(integers(), u, ub), u, ib)


@illegal(OUT, (), arch="sm_90a", raises="Dtype mismatch")
def mma_of_two_dtypes(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    half, _ = registers(mgpu.float16)
    _, brain = registers(mgpu.bfloat16)
    mgpu.mma(zeros(), half, brain)  # E: SG303


@illegal(OUT, (), arch="sm_90a", raises="Only s32 accumulator supported for integer operands")
def mma_of_integers_into_float(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    i, ib = registers(mgpu.int8)
    mgpu.mma(zeros(), i, ib)  # E: SG303


@illegal(OUT, (), arch="sm_90a", raises="Only f32 accumulator supported for floating operands")
def mma_of_halves_into_integers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    half, half_b = registers(mgpu.float16)
    mgpu.mma(integers(), half, half_b)  # E: SG303


# --- bytes that Mosaic GPU cannot tell from signed ones, where the types do not know


class Bytes(mgpu.Scratch):
    a = mgpu.SMEM((64, 128), mgpu.int8, swizzle=128)
    b = mgpu.SMEM((64, 128), mgpu.int8, swizzle=128)
    ub = mgpu.SMEM((64, 128), mgpu.uint8, swizzle=128)


def across(ref: Any) -> Any:
    return mgpu.memref_transpose(ref, (1, 0, 3, 2))


@legal(OUT, Bytes, arch="sm_90a")
def untyped_signed(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Bytes) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64, mgpu.int32), s.a, across(s.b))


@legal(OUT, Bytes, arch="sm_90a")
def untyped_unsigned(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Bytes) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64, mgpu.int32), s.a, across(s.ub))
