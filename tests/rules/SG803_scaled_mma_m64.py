"""A block-scaled MMA of one block has 128 rows; of two blocks it may have 64."""

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import tcgen05

OUT = mgpu.GMEM((128, 128), mgpu.float32)
M64 = "MMA with block scaling is not supported for 1CTA M=64"


class S(mgpu.Scratch):
    a = mgpu.SMEM((128, 128), mgpu.float8_e4m3fn, swizzle=128)
    a64 = mgpu.SMEM((64, 128), mgpu.float8_e4m3fn, swizzle=128)
    b = mgpu.SMEM((128, 128), mgpu.float8_e4m3fn, swizzle=128)
    acc = mgpu.TMEM((128, 128), mgpu.float32)
    acc64 = mgpu.TMEM((64, 128), mgpu.float32)
    scales = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())
    b_scales = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())


class C(mgpu.Scratch):
    a = mgpu.SMEM((64, 128), mgpu.float8_e4m3fn, swizzle=128)
    b = mgpu.SMEM((64, 128), mgpu.float8_e4m3fn, swizzle=128)
    acc = mgpu.TMEM((64, 128), mgpu.float32, collective=True)
    scales = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout(), collective=True)
    b_scales = mgpu.TMEM(
        (256, 4), mgpu.float8_e8m0fnu, layout=tcgen05.b_scales_m64_collective_layout(), collective=True
    )


@legal(OUT, S, one_thread=True)
def one_block(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    b = mgpu.memref_transpose(s.b, (1, 0, 3, 2))
    tcgen05.mma(s.acc, s.a, b, a_scale=s.scales, b_scale=s.b_scales, accumulate=False)


@legal(OUT, C, cluster=2, one_thread=True)
def two_blocks(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: C) -> None:
    b = mgpu.memref_transpose(s.b, (1, 0, 3, 2))
    tcgen05.mma(s.acc, s.a, b, a_scale=s.scales, b_scale=s.b_scales, collective=True, accumulate=False)


@illegal(OUT, S, raises=M64, one_thread=True)
def one_block_of_64(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    b = mgpu.memref_transpose(s.b, (1, 0, 3, 2))
    tcgen05.mma(s.acc64, s.a64, b, a_scale=s.scales, b_scale=s.b_scales)  # E: SG803


def helper(acc: tcgen05.DenseTMEM[mgpu.float32, mgpu.layouts.TMEM_HALF_LANE_32BIT], s: S) -> None:
    b = mgpu.memref_transpose(s.b, (1, 0, 3, 2))
    tcgen05.mma(acc, s.a64, b, a_swizzle=128, a_scale=s.scales, b_scale=s.b_scales)  # E: SG803


@illegal(OUT, S, raises=M64, one_thread=True)
def through_a_helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    helper(s.acc64, s)
