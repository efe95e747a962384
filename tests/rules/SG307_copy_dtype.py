"""A copy moves elements as they are, so both of its ends have one dtype."""

from _twins import illegal, legal

import safegpu as mgpu

SAME = "Expected same element type"
IN = mgpu.GMEM((64, 64), mgpu.float16)
OUT = mgpu.GMEM((64, 64), mgpu.float32)


class S(mgpu.Scratch):
    halves = mgpu.SMEM((64, 64), mgpu.float16)
    floats = mgpu.SMEM((64, 64), mgpu.float32)
    barrier = mgpu.Barrier(1)


@legal(IN, OUT, S, arch="sm_90a")
def same_dtype(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.halves, barrier=s.barrier)
    ctx.async_copy(src_ref=s.floats, dst_ref=o)


@illegal(IN, OUT, S, arch="sm_90a", raises=SAME)
def into_shared_memory(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: S
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.floats, barrier=s.barrier)  # E: SG307


@illegal(IN, OUT, S, arch="sm_90a", raises=SAME)
def into_global_memory(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: S
) -> None:
    ctx.async_copy(src_ref=s.halves, dst_ref=o)  # E: SG307


def copy(ctx: mgpu.LaunchContext, src: mgpu.GmemRef[mgpu.float16], dst: mgpu.SmemRef[mgpu.float32], to) -> None:
    ctx.async_copy(src_ref=mgpu.memref_slice(src, slice(0, 64)), dst_ref=dst, barrier=to)  # E: SG307


@illegal(IN, OUT, S, arch="sm_90a", raises=SAME)
def helper(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    copy(ctx, x, s.floats, s.barrier)
