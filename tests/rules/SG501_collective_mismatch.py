"""All tcgen05 of a kernel is of one block, or of a pair of blocks: ptxas refuses one in which both meet."""

from _twins import legal, refused

import safegpu as mgpu
from safegpu import tcgen05

OUT = mgpu.GMEM((128, 128), mgpu.float32)


class S(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    wide = mgpu.TMEM((128, 128), mgpu.float32)
    lhs = mgpu.TMEM((128, 64), mgpu.float16, packing=2)


class C(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    acc = mgpu.TMEM((128, 128), mgpu.float32, collective=True)
    narrow = mgpu.TMEM((128, 64), mgpu.float32, collective=True)
    lhs = mgpu.TMEM((128, 64), mgpu.float16, packing=2, collective=True)
    scales = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout(), collective=True)
    smem_scales = mgpu.SMEM((1, 1, 32, 16), mgpu.float8_e8m0fnu)
    done = mgpu.Barrier(1)


@legal(OUT, S, one_thread=True)
def one_block(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.a, s.b, accumulate=False)
    tcgen05.mma(s.acc, s.lhs, s.b, collective=False)
    tcgen05.async_copy_smem_to_tmem(s.a, s.lhs, 128)


@legal(OUT, C, cluster=2, one_thread=True)
def a_pair(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], c: C) -> None:
    tcgen05.mma(c.acc, c.a, c.b, collective=True, accumulate=False)
    tcgen05.mma(c.acc.slice(slice(None), slice(0, 128)), c.lhs, c.b, collective=True)
    tcgen05.async_copy_smem_to_tmem(c.a, c.lhs, 128, collective=True)
    tcgen05.async_copy_scales_smem_to_tmem(c.smem_scales, c.scales, collective=True)


def either(acc: tcgen05.DenseTMEM[mgpu.float32], a: mgpu.SmemRef[mgpu.float16], b: mgpu.SmemRef, pair: bool) -> None:
    tcgen05.mma(acc, a, b, collective=pair)
    tcgen05.mma(acc, a, b, collective=True)
    tcgen05.mma(acc, a, b)


def built(pair: bool) -> None:
    class Either(mgpu.Scratch):
        a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
        b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
        acc = mgpu.TMEM((128, 128), mgpu.float32, collective=pair)

    def body(s: Either) -> None:
        tcgen05.mma(s.acc, s.a, s.b, collective=pair)
        if pair:
            tcgen05.mma(s.acc, s.a, s.b, collective=True)


@refused(OUT, S, cluster=2, one_thread=True)
def memory_of_one(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.wide, s.a, s.b, collective=True, accumulate=False)  # E: SG501


@refused(OUT, C, cluster=2, one_thread=True)
def memory_of_a_pair(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], c: C) -> None:
    tcgen05.mma(c.narrow, c.a, c.b, collective=False, accumulate=False)  # E: SG501


@refused(OUT, C, cluster=2, one_thread=True)
def nothing_said(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], c: C) -> None:
    tcgen05.mma(c.narrow, c.a, c.b, accumulate=False)  # E: SG501


@refused(OUT, C, cluster=2, one_thread=True)
def nothing_said_of_tmem(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], c: C) -> None:
    tcgen05.mma(c.narrow.slice(slice(None), slice(0, 64)), c.lhs, c.b, a_swizzle=128, accumulate=False)  # E: SG501


@refused(OUT, C, cluster=2)
def copy_of_one(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], c: C) -> None:
    tcgen05.async_copy_smem_to_tmem(c.a, c.lhs, 128)  # E: SG501


@refused(OUT, C, cluster=2)
def scales_of_one(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], c: C) -> None:
    tcgen05.async_copy_scales_smem_to_tmem(c.smem_scales, c.scales)  # E: SG501


@refused(OUT, S, cluster=2)
def copy_of_a_pair(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.async_copy_smem_to_tmem(s.a, s.lhs, 128, True)  # E: SG501


@refused(OUT, C, cluster=2, one_thread=True)
def commit_of_one(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], c: C) -> None:
    tcgen05.commit_arrive(c.done)  # L: SG501


@refused(OUT, mgpu.Barrier(1), cluster=2, one_thread=True)
def commits_without_memory(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], done: mgpu.BarrierRef) -> None:
    tcgen05.commit_arrive(done, collective=True, ctx=ctx)
    tcgen05.commit_arrive(done)  # L: SG501
