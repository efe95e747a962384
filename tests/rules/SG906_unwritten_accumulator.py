"""A product adds to an accumulator in tensor memory that something has written."""

import importlib
from typing import Any

from _twins import legal, refused

import safegpu as mgpu
from safegpu import tcgen05

OUT = mgpu.GMEM((128, 64), mgpu.float32)


class Scratch(mgpu.Scratch):
    """A product's operands, and accumulators."""

    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    done = mgpu.Barrier(1)
    go = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    other = mgpu.TMEM((128, 64), mgpu.float32)


def zeros() -> mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.TCGEN05]:
    zero = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128, 64))
    return zero.broadcast_in_dim((128, 64), (0, 1), mgpu.TCGEN05_LAYOUT)


def finish(o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    with mgpu.single_thread():
        tcgen05.commit_arrive(s.done)
    s.done.wait(orders_tensor_core=True)
    s.acc.load().store_untiled(o, optimized=False)


@legal(OUT, Scratch)
def first(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.b, accumulate=False)
        tcgen05.mma(s.acc, s.a, s.b)
    finish(o, s)


@refused(OUT, Scratch)
def by_default(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.b)  # L: SG906
    finish(o, s)


@refused(OUT, Scratch)
def written_out(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    with mgpu.single_thread():
        tcgen05.mma(s.other, s.a, s.b, accumulate=False)
        tcgen05.mma(s.acc, s.a, s.b, accumulate=True)  # L: SG906
    finish(o, s)


@legal(OUT, Scratch)
def stored(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    s.acc.store(zeros())
    tcgen05.commit_tmem()
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.b)
    finish(o, s)


@legal(OUT, Scratch)
def stored_in_parts(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    for column in (0, 32):
        s.acc.slice(slice(None), mgpu.ds(column, 32)).store(zeros()[:, :32])
    tcgen05.commit_tmem()
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.b)
    finish(o, s)


@refused(OUT, Scratch)
def in_one_thread(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.b)  # L: SG906
    finish(o, s)


@legal(OUT, Scratch)
def loop(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    @mgpu.fori(mgpu.c(4, mgpu.Index), None)
    def _(step: mgpu.Index, _: None) -> None:
        with mgpu.single_thread():
            tcgen05.mma(s.acc, s.a, s.b, accumulate=step > 0)

    finish(o, s)


@refused(OUT, Scratch)
def loop_that_never_begins(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    @mgpu.fori(mgpu.c(4, mgpu.Index), None)
    def _(step: mgpu.Index, _: None) -> None:
        with mgpu.single_thread():
            tcgen05.mma(s.acc, s.a, s.b)  # L: SG906

    finish(o, s)


@legal(OUT, Scratch)
def written_a_pass_before(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    @mgpu.fori(mgpu.c(4, mgpu.Index), None)
    def _(step: mgpu.Index, _: None) -> None:
        with mgpu.when(step > 0), mgpu.single_thread():
            tcgen05.mma(s.acc, s.a, s.b)
        with mgpu.when(step.eq(0)), mgpu.single_thread():
            tcgen05.mma(s.acc, s.a, s.b, accumulate=False)

    finish(o, s)


@legal(OUT, Scratch)
def written_by_another_warpgroup(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    with mgpu.when(mgpu.warp_idx().eq(4)), mgpu.single_thread(mgpu.ThreadSubset.WARP):
        s.go.wait(orders_tensor_core=True)
        tcgen05.mma(s.acc, s.a, s.b)
    with mgpu.when(mgpu.warpgroup_idx().eq(0)):
        s.acc.store(zeros())
        tcgen05.commit_tmem()
        s.go.arrive(orders_tensor_core=True, predicate=mgpu.single_thread_predicate(mgpu.ThreadSubset.WARPGROUP))


@legal(OUT, Scratch)
def decided_elsewhere(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    adds: Any = mgpu.block_id(mgpu.Dimension.x) > 0
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.b, accumulate=adds)
    finish(o, s)


def raw_product(acc: Any, a: Any, b: Any, adds: bool) -> None:
    """Mosaic GPU's own function, which no rule sees."""
    raw: Any = importlib.import_module("jax.experimental.mosaic.gpu")
    raw.tcgen05.mma(acc, a, b, accumulate=adds)


@legal(OUT, Scratch)
def written_by_raw_code(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    with mgpu.single_thread():
        raw_product(s.acc, s.a, s.b, False)
        tcgen05.mma(s.acc, s.a, s.b)
    finish(o, s)


@legal(OUT, Scratch)
def written_by_raw_code_of_another_warp(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    with mgpu.when(mgpu.warp_idx().eq(4)), mgpu.single_thread(mgpu.ThreadSubset.WARP):
        s.go.wait(orders_tensor_core=True)
        tcgen05.mma(s.acc, s.a, s.b)
    with mgpu.when(mgpu.warp_idx().eq(5)), mgpu.single_thread(mgpu.ThreadSubset.WARP):
        raw_product(s.acc, s.a, s.b, False)
        tcgen05.commit_arrive(s.go)
