"""Barriers and clusters are for copies into shared memory, reductions for copies out of it."""

from _twins import illegal, legal

import safegpu as mgpu

X = mgpu.Dimension.x
ARRAY = mgpu.GMEM((64, 64), mgpu.float16)


class S(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16)
    arrived = mgpu.Barrier(1)


@legal(ARRAY, ARRAY, S, arch="sm_90a", cluster=2)
def each_its_own(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.arrived, collective=X)
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.arrived, reduction_op=None)
    s.arrived.wait()
    ctx.async_copy(src_ref=s.tile, dst_ref=o, reduction_op="add")
    ctx.async_copy(src_ref=s.tile, dst_ref=o, barrier=None, collective=None)
    ctx.await_async_copy(0)


@illegal(ARRAY, ARRAY, S, arch="sm_90a", raises="Barriers are unsupported for SMEM -> GMEM copies")
def barrier(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    ctx.async_copy(src_ref=s.tile, dst_ref=o, barrier=s.arrived)  # E: SG404


@illegal(ARRAY, ARRAY, S, arch="sm_90a", cluster=2, raises="Only GMEM -> SMEM copies can be collective")
def cluster(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    ctx.async_copy(src_ref=s.tile, dst_ref=o, collective=X)  # E: SG404


@illegal(ARRAY, ARRAY, S, arch="sm_90a", raises="")
def reduction(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.arrived, reduction_op="add")  # E: SG404
