"""The tensor core takes an accumulator with one element a TMEM cell, and a left operand that fills the cells."""

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import tcgen05

OUT = mgpu.GMEM((128, 128), mgpu.float32)


class S(mgpu.Scratch):
    a = mgpu.SMEM((128, 128), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((128, 128), mgpu.float16, swizzle=128)
    acc = mgpu.TMEM((128, 128), mgpu.float16)
    packed_acc = mgpu.TMEM((128, 128), mgpu.float16, packing=2)
    lhs = mgpu.TMEM((128, 128), mgpu.float16, packing=2)
    unpacked_lhs = mgpu.TMEM((128, 128), mgpu.float16)


@legal(OUT, S, one_thread=True)
def as_they_are_taken(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.a, s.b, accumulate=False)
    tcgen05.mma(s.acc, s.lhs, s.b)
    tcgen05.async_copy_smem_to_tmem(s.a, s.lhs, 128)


@illegal(OUT, S, raises="Accumulator layout mismatch", one_thread=True)
def packed_accumulator(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.packed_acc, s.a, s.b)  # E: SG210


@illegal(OUT, S, raises="A layout mismatch", one_thread=True)
def unpacked_operand(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.unpacked_lhs, s.b)  # E: SG210


@illegal(OUT, S, raises="only supports fully packed TMEM references")
def copy_to_unpacked(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.async_copy_smem_to_tmem(s.a, s.unpacked_lhs, 128)  # E: SG210
