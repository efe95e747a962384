"""A sparse MMA has 128 rows."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import tcgen05

M64 = "Sparse MMA not supported for M=64"
OUT = mgpu.GMEM((128, 64), mgpu.float32)


class S(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    a64 = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((128, 128), mgpu.float16, swizzle=128)
    b_dense = mgpu.SMEM((64, 128), mgpu.float16, swizzle=128)
    acc = mgpu.TMEM((128, 128), mgpu.float32)
    acc64 = mgpu.TMEM((64, 128), mgpu.float32)
    meta = mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout())


class C(mgpu.Scratch):
    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((128, 128), mgpu.float16, swizzle=128)
    acc = mgpu.TMEM((64, 256), mgpu.float32, collective=True)
    meta = mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout(), collective=True)


@legal(OUT, S, one_thread=True)
def m128(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.a, s.b, a_swizzle=128, b_swizzle=128, a_sparse_metadata=s.meta, accumulate=False)


@legal(OUT, S, one_thread=True)
def dense_m64(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc64, s.a64, s.b_dense, a_swizzle=128, b_swizzle=128, accumulate=False)
    tcgen05.mma(s.acc64, s.a64, s.b_dense, a_swizzle=128, b_swizzle=128, a_sparse_metadata=None)


@illegal(OUT, S, raises=M64, one_thread=True)
def m64(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc64, s.a64, s.b, a_swizzle=128, b_swizzle=128, a_sparse_metadata=s.meta)  # E: SG801


@illegal(OUT, C, cluster=2, raises=M64, one_thread=True)
def m64_collective(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: C) -> None:
    on = dict[str, Any](a_swizzle=128, b_swizzle=128, collective=True)
    tcgen05.mma(s.acc, s.a, s.b, a_sparse_metadata=s.meta, **on)  # E: SG801


def multiply(s: S, acc: tcgen05.DenseTMEM[mgpu.float32, mgpu.layouts.TMEM_HALF_LANE_32BIT]) -> None:
    tcgen05.mma(acc, s.a64, s.b, a_swizzle=128, b_swizzle=128, a_sparse_metadata=s.meta)  # E: SG801


@illegal(OUT, S, raises=M64, one_thread=True)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    multiply(s, s.acc64)
