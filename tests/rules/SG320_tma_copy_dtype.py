"""The TMA names the dtype of what it copies, and has no name for truth values and float64."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu

BOOL = mgpu.GMEM((64, 128), mgpu.bool_)
BYTES = mgpu.GMEM((64, 128), mgpu.uint8)
F32 = mgpu.GMEM((64, 64), mgpu.float32)


class S(mgpu.Scratch):
    mask = mgpu.SMEM((64, 128), mgpu.bool_)
    bytes = mgpu.SMEM((64, 128), mgpu.uint8)
    singles = mgpu.SMEM((64, 64), mgpu.float32)
    barrier = mgpu.Barrier(1)


@legal(BYTES, F32, S, arch="sm_90a")
def of_bytes(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.uint8], o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    ctx.async_prefetch(gmem_ref=x, gmem_slice=(slice(None), slice(None)))
    ctx.async_copy(src_ref=x, dst_ref=s.bytes, barrier=s.barrier)
    ctx.async_copy(src_ref=s.singles, dst_ref=o)


@legal(F32, BYTES, S, arch="sm_90a")
def to_bytes(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], o: mgpu.GmemRef[mgpu.uint8], s: S) -> None:
    ctx.async_copy(src_ref=s.bytes, dst_ref=o)


def copy[D: mgpu.DType](
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[D], to: mgpu.SmemRef[D], b: mgpu.BarrierRef, unknown: Any
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=to, barrier=b)
    ctx.async_copy(src_ref=to, dst_ref=x)
    ctx.async_copy(src_ref=unknown, dst_ref=to, barrier=b)
    ctx.async_copy(src_ref=x, dst_ref=unknown, barrier=b)
    ctx.async_prefetch(gmem_ref=x)


def copies[D](ctx: mgpu.LaunchContext, x: mgpu.GmemRef[D], to: mgpu.SmemRef[D], b: mgpu.BarrierRef) -> None:
    ctx.async_copy(src_ref=x, dst_ref=to, barrier=b)


@legal(BYTES, F32, S, arch="sm_90a")
def of_any_dtype(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.uint8], o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    copies(ctx, x, s.bytes, s.barrier)
    ctx.async_copy(src_ref=o, dst_ref=s.singles, barrier=s.barrier)


@legal(BOOL, F32, S, arch="sm_90a")
def by_threads(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bool_], o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.mask, implementation=mgpu.AsyncCopyImplementation.CP_ASYNC)


@illegal(BOOL, F32, S, arch="sm_90a", raises="Unsupported integer bitwidth: 1")
def load_of_a_mask(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bool_], o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.mask, barrier=s.barrier)  # E: SG320


@illegal(F32, BOOL, S, arch="sm_90a", raises="Unsupported integer bitwidth: 1")
def store_of_a_mask(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], o: mgpu.GmemRef[mgpu.bool_], s: S) -> None:
    ctx.async_copy(src_ref=s.mask, dst_ref=o)  # E: SG320


@illegal(BOOL, F32, S, arch="sm_90a", raises="Unsupported integer bitwidth: 1")
def prefetch(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bool_], o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    ctx.async_prefetch(gmem_ref=x, gmem_slice=(slice(None), slice(None)))  # E: SG320
