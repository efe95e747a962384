"""A product in tensor memory is read behind a wait that orders the tensor core."""

from _twins import legal, refused

import safegpu as mgpu
from safegpu import tcgen05, utils

X = mgpu.Dimension.x
OUT = mgpu.GMEM((128, 64), mgpu.float32)


class Scratch(mgpu.Scratch):
    """A product's operands, two accumulators, and barriers."""

    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    done = mgpu.Barrier(1)
    freed = mgpu.Barrier(1)
    slots = mgpu.Barrier(1, num_barriers=2)
    collective = mgpu.ClusterBarrier((X,))
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    two = mgpu.TMEM((128, 128), mgpu.float32)


def multiply(acc: mgpu.DenseTMEM[mgpu.float32], s: Scratch) -> None:
    with mgpu.single_thread():
        tcgen05.mma(acc, s.a, s.b, accumulate=False)
        tcgen05.commit_arrive(s.done)


@legal(OUT, Scratch)
def ordered(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    multiply(s.acc, s)
    s.done.wait(orders_tensor_core=True)
    s.acc.load().store_untiled(o, optimized=False)


@refused(OUT, Scratch)
def unordered(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    multiply(s.acc, s)
    s.done.wait()
    s.acc.load().store_untiled(o, optimized=False)  # L: SG901


@refused(OUT, Scratch)
def not_waited_for(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    multiply(s.acc, s)
    s.acc.load().store_untiled(o, optimized=False)  # L: SG901


@refused(OUT, Scratch)
def ordered_too_early(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    multiply(s.acc, s)
    s.done.wait(orders_tensor_core=True)
    multiply(s.acc, s)
    s.done.wait(orders_tensor_core=False)
    s.acc.load().store_untiled(o, optimized=False)  # L: SG901


@refused(OUT, Scratch)
def by_parity(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    multiply(s.acc, s)
    s.done.wait_parity(mgpu.c(0, mgpu.I1))
    s.acc.slice(slice(None), mgpu.ds(0, 32)).load()  # L: SG901


@legal(OUT, Scratch)
def ordered_by_parity(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    multiply(s.acc, s)
    s.done.wait_parity(mgpu.c(0, mgpu.I1), orders_tensor_core=True)
    s.acc.load().store_untiled(o, optimized=False)


@legal(OUT, Scratch)
def ordered_by_a_collective_barrier(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    multiply(s.acc, s)
    s.done.wait()
    s.collective.arrive(orders_tensor_core=True)
    s.collective.wait(orders_tensor_core=True)
    s.acc.load().store_untiled(o, optimized=False)


@legal(OUT, Scratch)
def ordered_by_raw_code(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    multiply(s.acc, s)
    s.done.wait()
    utils.inline_ptx("tcgen05.fence::after_thread_sync;", has_side_effects=True)
    s.acc.load().store_untiled(o, optimized=False)


@legal(OUT, Scratch)
def other_columns(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    """What is multiplied beside it does not matter."""
    multiply(s.two.slice(slice(None), mgpu.ds(0, 64)), s)
    s.done.wait(orders_tensor_core=True)
    multiply(s.two.slice(slice(None), mgpu.ds(64, 64)), s)
    s.two.slice(slice(None), mgpu.ds(0, 64)).load().store_untiled(o, optimized=False)


@refused(OUT, Scratch)
def the_same_columns(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    multiply(s.two.slice(slice(None), mgpu.ds(64, 64)), s)
    s.done.wait()
    s.two.slice(slice(None), mgpu.ds(64, 64)).load().store_untiled(o, optimized=False)  # L: SG901


@legal(OUT, Scratch)
def columns_that_an_index_decides(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    slot = mgpu.block_id(X) % 2
    multiply(s.two.slice(slice(None), mgpu.ds(slot * 64, 64)), s)
    s.done.wait()
    s.two.slice(slice(None), mgpu.ds((1 - slot) * 64, 64)).load().store_untiled(o, optimized=False)


# --- other warps


@legal(OUT, Scratch)
def another_warp(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    with mgpu.when(mgpu.warp_idx().eq(4)), mgpu.single_thread(mgpu.ThreadSubset.WARP):
        tcgen05.mma(s.acc, s.a, s.b, accumulate=False)
        tcgen05.commit_arrive(s.done)
    with mgpu.when(mgpu.warpgroup_idx().eq(0)):
        s.done.wait(orders_tensor_core=True)
        s.acc.load().store_untiled(o, optimized=False)


@refused(OUT, Scratch)
def another_warp_unordered(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    with mgpu.when(mgpu.warp_idx().eq(4)), mgpu.single_thread(mgpu.ThreadSubset.WARP):
        tcgen05.mma(s.acc, s.a, s.b, accumulate=False)
        tcgen05.commit_arrive(s.done)
    with mgpu.when(mgpu.warpgroup_idx().eq(0)):
        s.done.wait()
        s.acc.load().store_untiled(o, optimized=False)  # L: SG901


@refused(OUT, Scratch)
def persistent(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    with mgpu.when(mgpu.warp_idx().eq(4)), mgpu.single_thread(mgpu.ThreadSubset.WARP):

        @mgpu.fori(mgpu.c(4, mgpu.Index), None)
        def _(step: mgpu.Index, _: None) -> None:
            s.freed.wait(orders_tensor_core=True)
            tcgen05.mma(s.acc, s.a, s.b, accumulate=False)
            tcgen05.commit_arrive(s.slots[1])

    with mgpu.when(mgpu.warpgroup_idx().eq(0)):

        @mgpu.fori(mgpu.c(4, mgpu.Index), None)
        def _(step: mgpu.Index, _: None) -> None:
            s.slots[1].wait()
            s.acc.load().store_untiled(o, optimized=False)  # L: SG901
            tcgen05.wait_load_tmem()
            s.freed.arrive(orders_tensor_core=True)


@legal(OUT, Scratch)
def before_the_other_warp(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    """The load comes before the product, which waits for it."""
    with mgpu.when(mgpu.warp_idx().eq(4)), mgpu.single_thread(mgpu.ThreadSubset.WARP):
        s.freed.wait(orders_tensor_core=True)
        tcgen05.mma(s.acc, s.a, s.b, accumulate=False)
        tcgen05.commit_arrive(s.done)
    with mgpu.when(mgpu.warpgroup_idx().eq(0)):
        s.acc.load().store_untiled(o, optimized=False)
        tcgen05.wait_load_tmem()
        s.freed.arrive(orders_tensor_core=True)
        s.done.wait(orders_tensor_core=True)


@legal(OUT, Scratch)
def ordered_a_pass_before(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    with mgpu.when(mgpu.warp_idx().eq(4)), mgpu.single_thread(mgpu.ThreadSubset.WARP):
        tcgen05.mma(s.acc, s.a, s.b, accumulate=False)
        tcgen05.commit_arrive(s.done)
        tcgen05.commit_arrive(s.freed)

    @mgpu.fori(mgpu.c(2, mgpu.Index), None)
    def _(step: mgpu.Index, _: None) -> None:
        with mgpu.when(step > 0):
            s.done.wait()
            s.acc.load().store_untiled(o, optimized=False)
        with mgpu.when(step.eq(0)):
            s.freed.wait(orders_tensor_core=True)


@legal(OUT, Scratch)
def another_barrier(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    """The wait in between frees shared memory."""
    multiply(s.acc, s)
    s.done.wait(orders_tensor_core=True)
    s.freed.arrive(predicate=mgpu.single_thread_predicate())
    s.freed.wait()
    s.acc.load().store_untiled(o, optimized=False)
