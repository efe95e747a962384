"""Copies, stores to other blocks and the tensor core arrive at a barrier of one block."""

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import tcgen05

X = mgpu.Dimension.x
OUT = mgpu.GMEM((64, 64), mgpu.float16)


class S(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=16)
    local = mgpu.Barrier(1)
    collective = mgpu.ClusterBarrier(collective_dims=(X,))


def f16() -> mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64), mgpu.WGMMA_LAYOUT)


@legal(OUT, S, cluster=2)
def at_a_local_one(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    ctx.async_copy(src_ref=o, dst_ref=s.tile, barrier=s.local)
    with mgpu.single_thread():
        tcgen05.commit_arrive(s.local)
        tcgen05.commit_arrive(s.collective.barrier)
    s.collective.arrive()
    s.collective.wait()


@illegal(OUT, S, cluster=2, raises="'CollectiveBarrierRef' object has no attribute")
def commit(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    tcgen05.commit_arrive(s.collective)  # E: SG402


@illegal(OUT, S, cluster=2, raises="'CollectiveBarrierRef' object has no attribute")
def copy(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    ctx.async_copy(src_ref=o, dst_ref=s.tile, barrier=s.collective)  # E: SG402
