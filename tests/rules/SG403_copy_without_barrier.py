"""A copy into shared memory completes on a barrier."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu

ARRAY = mgpu.GMEM((64, 64), mgpu.float16)
CP_ASYNC = mgpu.AsyncCopyImplementation.CP_ASYNC


class S(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16)
    wide = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    arrived = mgpu.Barrier(1)


@legal(ARRAY, ARRAY, S, arch="sm_90a")
def with_a_barrier(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    tiles = mgpu.TileTransform((8, 64))
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.arrived)
    ctx.async_copy(src_ref=x, dst_ref=s.wide, barrier=s.arrived, swizzle=128, gmem_transform=tiles)
    s.arrived.wait()
    ctx.async_copy(src_ref=x, dst_ref=s.tile, implementation=CP_ASYNC)
    ctx.async_copy(src_ref=s.tile, dst_ref=o)


def by(implementation: mgpu.AsyncCopyImplementation, ctx: mgpu.LaunchContext, x: mgpu.GmemRef[Any], s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, implementation=implementation)


def unknown(ctx: mgpu.LaunchContext, src: Any, dst: Any) -> None:
    ctx.async_copy(src_ref=src, dst_ref=dst)


@illegal(ARRAY, ARRAY, S, arch="sm_90a", raises="Barriers are required for TMA GMEM -> SMEM copies")
def without(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile)  # E: SG403


@illegal(ARRAY, ARRAY, S, arch="sm_90a", raises="Barriers are required for TMA GMEM -> SMEM copies")
def swizzled(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    tiles = mgpu.TileTransform((8, 64))
    ctx.async_copy(src_ref=x, dst_ref=s.wide, swizzle=128, gmem_transform=tiles)  # E: SG403
