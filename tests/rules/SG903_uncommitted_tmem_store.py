"""What threads store to tensor memory is read behind `commit_tmem`."""

from _twins import legal, refused

import safegpu as mgpu
from safegpu import tcgen05, utils

OUT = mgpu.GMEM((128, 64), mgpu.float32)


class Scratch(mgpu.Scratch):
    """A product whose left operand is in tensor memory."""

    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    wide = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    bytes_a = mgpu.SMEM((128, 128), mgpu.float8_e4m3fn, swizzle=128)
    bytes_b = mgpu.SMEM((64, 128), mgpu.float8_e4m3fn, swizzle=128)
    done = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    a = mgpu.TMEM((128, 64), mgpu.float16, packing=2)
    a_scale = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())
    b_scale = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())


def zeros() -> mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.TCGEN05]:
    zero = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128, 64))
    return zero.broadcast_in_dim((128, 64), (0, 1), mgpu.TCGEN05_LAYOUT)


def finish(o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    with mgpu.single_thread():
        tcgen05.commit_arrive(s.done)
    s.done.wait(orders_tensor_core=True)
    s.acc.load().store_untiled(o, optimized=False)


# --- operands


@legal(OUT, Scratch)
def operand(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    s.a.store(zeros().astype(mgpu.float16))
    tcgen05.commit_tmem()
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.b, accumulate=False)
    finish(o, s)


@refused(OUT, Scratch)
def uncommitted_operand(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    s.a.store(zeros().astype(mgpu.float16))
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.b, accumulate=False)  # L: SG903
    finish(o, s)


@refused(OUT, Scratch)
def committed_too_early(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    tcgen05.commit_tmem()
    s.a.store(zeros().astype(mgpu.float16))
    mgpu.commit_shared()
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.b, accumulate=False)  # L: SG903
    finish(o, s)


@legal(OUT, Scratch)
def committed_by_raw_code(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    s.a.store(zeros().astype(mgpu.float16))
    utils.inline_ptx("tcgen05.wait::st.sync.aligned;", has_side_effects=True)
    mgpu.warpgroup_barrier()
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.b, accumulate=False)
    finish(o, s)


# --- accumulators


@legal(OUT, Scratch)
def accumulator(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    s.acc.store(zeros())
    tcgen05.commit_tmem()
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.wide, s.b)
    finish(o, s)


@refused(OUT, Scratch)
def uncommitted_accumulator(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    s.acc.store(zeros())
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.wide, s.b)  # L: SG903
    finish(o, s)


@legal(OUT, Scratch)
def replaced(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    """A product that adds to nothing reads nothing."""
    s.acc.store(zeros())
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.wide, s.b, accumulate=False)
    finish(o, s)


@legal(OUT, Scratch)
def other_columns(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    s.acc.slice(slice(None), mgpu.ds(0, 32)).store(zeros()[:, :32])
    s.acc.slice(slice(None), mgpu.ds(32, 32)).load()


# --- loads


@legal(OUT, Scratch)
def load(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    s.acc.store(zeros())
    tcgen05.commit_tmem()
    s.acc.load().store_untiled(o, optimized=False)


@refused(OUT, Scratch)
def uncommitted_load(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    s.acc.store(zeros())
    s.acc.load().store_untiled(o, optimized=False)  # L: SG903


@legal(OUT, Scratch)
def loaded_without_a_wait(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    """Registers wait for themselves: PTX ISA, "Register dependencies, same thread"."""
    s.acc.store(zeros())
    tcgen05.commit_tmem()
    (s.acc.load() + 1.0).store_untiled(o, optimized=False)


@legal(OUT, Scratch)
def of_another_warpgroup(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    with mgpu.when(mgpu.warpgroup_idx().eq(0)):
        s.acc.store(zeros())
    with mgpu.when(mgpu.warpgroup_idx().eq(1)):
        s.acc.load().store_untiled(o, optimized=False)


@legal(OUT, Scratch)
def committed_in_a_conditional(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scratch) -> None:
    s.acc.store(zeros())
    with mgpu.when(mgpu.warpgroup_idx().eq(0)):
        tcgen05.commit_tmem()
    s.acc.load().store_untiled(o, optimized=False)
