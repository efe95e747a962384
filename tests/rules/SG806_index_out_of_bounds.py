"""A constant outside of what it indexes is other memory; Mosaic GPU compares integers with the bounds, and no values."""

from _twins import legal, refused, since

import safegpu as mgpu

IN = mgpu.GMEM((4, 64, 64), mgpu.float16)
OUT = mgpu.GMEM((64, 64), mgpu.float16)
BY_THREADS = mgpu.AsyncCopyImplementation.CP_ASYNC
PROMISED = mgpu.OOBFillMode.PROMISE_IN_BOUNDS
X = mgpu.Dimension.x
HALF = mgpu.GmemRef[mgpu.float16]


class S(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16)
    bars = mgpu.Barrier(1, num_barriers=4)
    one = mgpu.Barrier(1)
    ours = mgpu.ClusterBarrier((X,), 1, num_barriers=2)


class T(mgpu.Scratch):
    acc = mgpu.TMEM((128, 128), mgpu.float32)


@legal(IN, OUT, S, arch="sm_90a")
def inside(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    mgpu.memref_slice(s.tile, mgpu.c(63, mgpu.Index))
    mgpu.memref_slice(s.tile, mgpu.ds(mgpu.c(32, mgpu.Index), 32))
    mgpu.memref_slice(s.tile, mgpu.c(1, mgpu.I32).to_index())
    s.bars[3]
    s.bars[mgpu.c(3, mgpu.I32)]
    s.ours[1]
    s.one[0]


@since("0.12", raises="Index -1 along axis 0 has negative bounds")
@legal(IN, OUT, S, arch="sm_90a")
def from_the_end(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    mgpu.memref_slice(s.tile, -1)


@since("0.12", raises="Index -1 along axis 0 has negative bounds")
@legal(IN, OUT, S, arch="sm_90a")
def promised_and_from_the_end(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, gmem_slice=-1, barrier=s.one, oob_mode=PROMISED)


@legal(IN, OUT, S, arch="sm_90a")
def computed(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    at = mgpu.c(60, mgpu.Index) + mgpu.thread_idx().to_index()
    mgpu.memref_slice(s.tile, at)
    s.bars[at]

    @mgpu.fori(mgpu.c(64, mgpu.Index), mgpu.c(0, mgpu.Index))
    def last(i: mgpu.Index, at: mgpu.Index) -> mgpu.Index:
        mgpu.memref_slice(s.tile, i)
        mgpu.memref_slice(s.tile, at)
        return i

    mgpu.memref_slice(s.tile, last.result)


@legal(IN, OUT, S, arch="sm_90a")
def what_tma_fills(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    # rows before the first and after the last are zeros, which the edges of a convolution are made of
    ctx.async_copy(src_ref=o, dst_ref=s.tile, gmem_slice=mgpu.ds(mgpu.c(-1, mgpu.Index), 64), barrier=s.one)
    ctx.async_copy(src_ref=o, dst_ref=s.tile, gmem_slice=mgpu.ds(mgpu.c(32, mgpu.Index), 64), barrier=s.one)
    ctx.async_copy(src_ref=x, dst_ref=s.tile, gmem_slice=4, barrier=s.one)


@refused(IN, OUT, S, arch="sm_90a")
def behind_the_last_row(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    mgpu.memref_slice(s.tile, mgpu.c(64, mgpu.Index))  # L: SG806


@refused(IN, OUT, S, arch="sm_90a")
def before_the_first_row(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    mgpu.memref_slice(s.tile, mgpu.c(-1, mgpu.Index))  # L: SG806


@refused(IN, OUT, S, arch="sm_90a")
def partly_behind(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    mgpu.memref_slice(s.tile, mgpu.ds(mgpu.c(60, mgpu.Index), 8))  # L: SG806


@refused(IN, OUT, S, arch="sm_90a")
def converted(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    mgpu.memref_slice(o, (slice(None), mgpu.c(64, mgpu.I32).to_index()))  # L: SG806


@refused(IN, OUT, S, arch="sm_90a")
def last_barrier_from_the_end(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    s.bars[-1].wait()  # L: SG806


@refused(IN, OUT, S, arch="sm_90a")
def barrier_before_them(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    s.bars[-5]  # L: SG806


@refused(IN, OUT, S, arch="sm_90a")
def barrier_behind_them(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    s.bars[mgpu.c(4, mgpu.I32)]  # L: SG806


@refused(IN, OUT, S, arch="sm_90a", cluster=2)
def cluster_barrier(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    s.ours[-1]  # L: SG806


@refused(IN, OUT, S, arch="sm_90a")
def copy_by_threads(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    at = mgpu.c(4, mgpu.Index)
    ctx.async_copy(src_ref=x, dst_ref=s.tile, gmem_slice=at, implementation=BY_THREADS)  # L: SG806


@refused(IN, OUT, S, arch="sm_90a")
def promised(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, gmem_slice=4, barrier=s.one, oob_mode=PROMISED)  # L: SG806


@since("0.12", raises="Index -5 along axis 0 has negative bounds")
@refused(IN, OUT, S, arch="sm_90a")
def promised_before_the_first(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, gmem_slice=-5, barrier=s.one, oob_mode=PROMISED)  # L: SG806


@legal(IN, OUT, S, arch="sm_90a")
def kept_promises(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, gmem_slice=3, barrier=s.one, oob_mode=PROMISED)
    ctx.async_copy(src_ref=x, dst_ref=s.tile, gmem_slice=mgpu.c(3, mgpu.Index), implementation=BY_THREADS)


@legal(OUT, T)
def columns(ctx: mgpu.LaunchContext, o: HALF, t: T) -> None:
    t.acc.slice(slice(None), mgpu.ds(mgpu.c(64, mgpu.Index), 64))


@refused(OUT, T)
def columns_behind_the_last(ctx: mgpu.LaunchContext, o: HALF, t: T) -> None:
    t.acc.slice(slice(None), mgpu.ds(mgpu.c(128, mgpu.Index), 64))  # L: SG806
