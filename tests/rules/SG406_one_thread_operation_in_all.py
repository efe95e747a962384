"""What one thread issues, all threads of the block would issue as often as they are."""

from typing import Any

from _twins import legal, refused

import safegpu as mgpu
from safegpu import tcgen05

F16 = mgpu.GMEM((64, 64), mgpu.float16)
OUT = mgpu.GMEM((128, 64), mgpu.float32)
type Context = mgpu.LaunchContext
type Half = mgpu.GmemRef[mgpu.float16]
type Single = mgpu.GmemRef[mgpu.float32]
BYTES = 64 * 64 * 2


class S(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16)
    full = mgpu.Barrier(1)
    slots = mgpu.Barrier(1, num_barriers=2)
    each = mgpu.Barrier(128)
    of_two_warps = mgpu.Barrier(64)
    pair = mgpu.ClusterBarrier((mgpu.Dimension.x,))


class T(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    done = mgpu.Barrier(1)
    each = mgpu.Barrier(128)
    acc = mgpu.TMEM((128, 64), mgpu.float32)


@legal(F16, S, arch="sm_90a")
def copies(ctx: Context, o: Half, s: S) -> None:
    ctx.async_copy(src_ref=o, dst_ref=s.tile, barrier=s.full)
    ctx.async_copy(src_ref=o, dst_ref=s.tile, barrier=s.full, predicate=mgpu.single_thread_predicate())
    s.full.wait()
    with mgpu.single_thread():
        ctx.async_copy(src_ref=o, dst_ref=s.tile, barrier=s.full, predicate=None)
        ctx.async_copy(src_ref=s.tile, dst_ref=o, predicate=None, reduction_op="add")
    with mgpu.when(mgpu.thread_idx().eq(0)):
        ctx.async_copy(src_ref=o, dst_ref=s.tile, barrier=s.full, predicate=None)
        s.full.arrive_expect_tx(BYTES)
    # each thread writes the same
    ctx.async_copy(src_ref=s.tile, dst_ref=o, predicate=None)
    ctx.await_async_copy(0)
    # nothing is known of the bytes that are awaited
    ctx.async_copy(src_ref=o, dst_ref=s.tile, barrier=s.full, predicate=None, arrive=False)
    ctx.async_copy(src_ref=o, dst_ref=s.tile, barrier=s.each, predicate=None)


@legal(F16, S, arch="sm_90a", cluster=2)
def arrivals(ctx: Context, o: Half, s: S) -> None:
    s.full.arrive_expect_tx(BYTES, predicate=mgpu.single_thread_predicate())
    s.each.arrive_expect_tx(BYTES // 128)
    # two warps may be meant to complete a phase
    s.of_two_warps.arrive_expect_tx(BYTES // 64)
    s.full.remap_to_cluster(mgpu.Dimension.x, mgpu.c(0, mgpu.Index)).arrive_expect_tx(BYTES)
    with mgpu.single_thread():
        s.full.arrive_expect_tx(BYTES)
        s.slots[mgpu.c(1, mgpu.I32)].arrive_expect_tx(BYTES)


@legal(OUT, T)
def products(ctx: Context, o: Single, t: T) -> None:
    with mgpu.single_thread():
        tcgen05.mma(t.acc, t.a, t.b)
        tcgen05.commit_arrive(t.done)
    with mgpu.when(mgpu.warp_idx().eq(0) & mgpu.single_thread_predicate(mgpu.ThreadSubset.WARP)):
        tcgen05.mma(t.acc, t.a, t.b)
        tcgen05.commit_arrive(t.done)
    tcgen05.mma(t.acc, t.a, t.b, accumulate=False)
    tcgen05.mma(t.acc, t.a, t.b, accumulate=mgpu.c(0, mgpu.I1))
    tcgen05.commit_arrive(t.each)
    with mgpu.when(mgpu.thread_idx().eq(0)):
        tcgen05.mma(t.acc, t.a, t.b)
        tcgen05.commit_arrive(t.done)


@legal(arch="sm_90a")
def block_of_one_thread() -> None:
    def body(ctx: Context, o: Half, s: S) -> None:
        s.full.arrive_expect_tx(BYTES)
        ctx.async_copy(src_ref=o, dst_ref=s.tile, barrier=s.full, predicate=None, arrive=False)

    mgpu.as_gpu_kernel(body, (1, 1, 1), (1, 1, 1), (), F16, S)


@refused(F16, S, arch="sm_90a")
def copy(ctx: Context, o: Half, s: S) -> None:
    ctx.async_copy(src_ref=o, dst_ref=s.tile, barrier=s.full, predicate=None)  # L: SG406


@refused(F16, S, arch="sm_90a")
def copy_in_a_loop(ctx: Context, o: Half, s: S) -> None:
    @mgpu.fori(mgpu.c(2, mgpu.I32), ())
    def _(i: mgpu.I32, carried: tuple[()]) -> tuple[()]:
        ctx.async_copy(src_ref=o, dst_ref=s.tile, barrier=s.slots[i], predicate=None)  # L: SG406
        return ()


@refused(F16, S, arch="sm_90a")
def reduction(ctx: Context, o: Half, s: S) -> None:
    ctx.async_copy(src_ref=s.tile, dst_ref=o, predicate=None, reduction_op="add")  # L: SG406


@refused(F16, S, arch="sm_90a")
def announcement(ctx: Context, o: Half, s: S) -> None:
    s.full.arrive_expect_tx(BYTES)  # L: SG406


@refused(F16, S, arch="sm_90a", cluster=2)
def at_a_collective_barrier(ctx: Context, o: Half, s: S) -> None:
    s.pair.barrier.arrive_expect_tx(BYTES)  # L: SG406


@refused(F16, S, arch="sm_90a")
def passed_on(ctx: Context, o: Half, s: S) -> None:
    announce(s.slots[1])


def announce(barrier: Any) -> None:
    barrier.arrive_expect_tx(tx_count=BYTES)  # L: SG406


@refused(OUT, T)
def product(ctx: Context, o: Single, t: T) -> None:
    tcgen05.mma(t.acc, t.a, t.b)  # L: SG406


@refused(OUT, T)
def product_that_may_add(ctx: Context, o: Single, t: T) -> None:
    tcgen05.mma(t.acc, t.a, t.b, accumulate=mgpu.block_id(mgpu.Dimension.x) > 0)  # L: SG406


@refused(OUT, T)
def commit(ctx: Context, o: Single, t: T) -> None:
    tcgen05.commit_arrive(t.done)  # L: SG406
