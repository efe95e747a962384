"""A block-scaled MMA takes the scales of both operands."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import tcgen05

OUT = mgpu.GMEM((128, 128), mgpu.float32)
ONE = "Either none or both scales should be provided"


class S(mgpu.Scratch):
    a = mgpu.SMEM((128, 128), mgpu.float8_e4m3fn, swizzle=128)
    b = mgpu.SMEM((128, 128), mgpu.float8_e4m3fn, swizzle=128)
    acc = mgpu.TMEM((128, 128), mgpu.float32)
    scales = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())


def transposed(ref: mgpu.SmemRef[mgpu.float8_e4m3fn, Any]) -> mgpu.SmemRef[mgpu.float8_e4m3fn]:
    return mgpu.memref_transpose(ref, (1, 0, 3, 2))


@legal(OUT, S, one_thread=True)
def both_or_none(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.a, transposed(s.b), accumulate=False)
    tcgen05.mma(s.acc, s.a, transposed(s.b), a_scale=None, b_scale=None)
    tcgen05.mma(s.acc, s.a, transposed(s.b), a_scale=s.scales, b_scale=s.scales)


@illegal(OUT, S, raises=ONE, one_thread=True)
def of_a(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.a, transposed(s.b), a_scale=s.scales)  # E: SG804


@illegal(OUT, S, raises=ONE, one_thread=True)
def of_b(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.a, transposed(s.b), b_scale=s.scales)  # E: SG804
