"""`tcgen05.mma` accumulates in, and reads A from, dense tensor memory; metadata and scales have arguments of their own."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import tcgen05

OUT = mgpu.GMEM((128, 64), mgpu.float32)
ACCUMULATOR = "Accumulator layout mismatch"
PACKING = "Packing must be <= 8 and a power of 2, got: 16"


class S(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 128), mgpu.float16, swizzle=128)
    acc = mgpu.TMEM((128, 128), mgpu.float32)
    lhs = mgpu.TMEM((128, 64), mgpu.float16, packing=2)
    meta = mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout())
    scales = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())
    wide_meta = mgpu.TMEM((128, 128), mgpu.uint2, layout=tcgen05.sparse_meta_layout())
    wide_scales = mgpu.TMEM((128, 128), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())


@legal(OUT, S, one_thread=True)
def dense_operands(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.a, s.b, a_swizzle=128, b_swizzle=128, accumulate=False)
    tcgen05.mma(s.acc, s.lhs, s.b, a_swizzle=128, b_swizzle=128)


@illegal(OUT, S, raises=ACCUMULATOR, one_thread=True)
def metadata_as_accumulator(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.wide_meta, s.a, s.b, a_swizzle=128, b_swizzle=128)  # E: SG106


@illegal(OUT, S, raises=ACCUMULATOR, one_thread=True)
def scales_as_accumulator(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.wide_scales, s.a, s.b, a_swizzle=128, b_swizzle=128)  # E: SG106


@illegal(OUT, S, raises=PACKING, one_thread=True)
def metadata_as_a(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.meta, s.b, a_swizzle=128, b_swizzle=128)  # E: SG106


@illegal(OUT, S, raises="A layout mismatch", one_thread=True)
def scales_as_a(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.scales, s.b, a_swizzle=128, b_swizzle=128)  # E: SG106


@illegal(OUT, S, raises=PACKING, one_thread=True)
def slice_of_metadata_as_a(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.meta.slice(slice(None), slice(0, 64)), s.b, a_swizzle=128, b_swizzle=128)  # E: SG106


def multiply(acc: tcgen05.SparseMetaTMEM, a: Any, b: Any) -> None:
    tcgen05.mma(acc, a, b, a_swizzle=128, b_swizzle=128)  # E: SG106


@illegal(OUT, S, raises=ACCUMULATOR, one_thread=True)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    multiply(s.wide_meta, s.a, s.b)
