"""Indices that a reference has no dimension for are dropped without a word."""

from _twins import legal, refused

import safegpu as mgpu

IN = mgpu.GMEM((4, 64, 64), mgpu.float16)
OUT = mgpu.GMEM((64, 64), mgpu.float16)
BY_THREADS = mgpu.AsyncCopyImplementation.CP_ASYNC
HALF = mgpu.GmemRef[mgpu.float16]


class S(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16)
    ring = mgpu.SMEM((4, 64, 64), mgpu.float16)
    barrier = mgpu.Barrier(1)


class T(mgpu.Scratch):
    acc = mgpu.TMEM((128, 128), mgpu.float32)


def tile(of: HALF) -> mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.load_untiled(of, layout=mgpu.WGMMA_LAYOUT, optimized=False)


@legal(IN, OUT, S, arch="sm_90a")
def one_for_each(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    mgpu.memref_slice(s.ring, (3, slice(8), slice(8)))
    mgpu.memref_slice(s.ring, 3)
    mgpu.memref_slice(s.tile, ())
    ctx.async_copy(src_ref=x, dst_ref=s.tile, gmem_slice=(3, slice(64), slice(64)), barrier=s.barrier)
    ctx.async_copy(src_ref=o, dst_ref=s.tile, barrier=s.barrier)
    tile(o)[:, 0:8]


@refused(IN, OUT, S, arch="sm_90a")
def slot_of_a_tile(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    mgpu.memref_slice(s.tile, (slice(8), slice(8), 3))  # L: SG807


@refused(IN, OUT, S, arch="sm_90a")
def copy(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    ctx.async_copy(src_ref=o, dst_ref=s.tile, gmem_slice=(slice(64), slice(64), 3), barrier=s.barrier)  # L: SG807


@refused(IN, OUT, S, arch="sm_90a")
def copy_out(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    ctx.async_copy(src_ref=s.tile, dst_ref=o, gmem_slice=(slice(64), slice(64), 3))  # L: SG807


@refused(IN, OUT, S, arch="sm_90a")
def copy_by_threads(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    at = slice(64), slice(64), 3
    ctx.async_copy(src_ref=o, dst_ref=s.tile, gmem_slice=at, implementation=BY_THREADS)  # L: SG807


@refused(IN, OUT, S, arch="sm_90a")
def prefetch(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    ctx.async_prefetch(gmem_ref=o, gmem_slice=(slice(64), slice(64), 3))  # L: SG807


@refused(IN, OUT, S, arch="sm_90a")
def array(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    tile(o)[:, 0:8, 3]  # L: SG807


@refused(OUT, T)
def tensor_memory(ctx: mgpu.LaunchContext, o: HALF, t: T) -> None:
    t.acc.slice(slice(None), slice(64), slice(8))  # L: SG807
