"""A splat array has no registers that multimem instructions could store."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu

UNSUPPORTED = "Splat layout does not support multimem"
OUT = mgpu.GMEM((64, 64), mgpu.float32)


def splat() -> mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.Splat]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64, 64))


@legal(OUT, (), arch="sm_90a", peers=2)
def global_memory(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    splat().store_untiled(o)


@legal(OUT, (), arch="sm_90a", peers=2)
def with_a_layout(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    splat().to_layout(mgpu.WGMMA_LAYOUT).store_untiled(ctx.to_remote_multicast(o), optimized=False)
    strided = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64, 64), mgpu.WGStridedFragLayout((64, 64), 4))
    strided.store_untiled(ctx.to_remote_multicast(o))


@illegal(OUT, (), arch="sm_90a", peers=2, raises=UNSUPPORTED)
def multimem(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    splat().store_untiled(ctx.to_remote_multicast(o))  # E: SG105


@illegal(OUT, (), arch="sm_90a", peers=2, raises=UNSUPPORTED)
def arithmetic_on_splats(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    (splat() * 2.0 + splat()).store_untiled(ctx.to_remote_multicast(o), optimized=False)  # E: SG105


def send(value: mgpu.FragmentedArray[Any, mgpu.layouts.Splat], to: mgpu.MultimemRef) -> None:
    value.store_untiled(to)  # E: SG105


@illegal(OUT, (), arch="sm_90a", peers=2, raises=UNSUPPORTED)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    send(splat(), ctx.to_remote_multicast(o))
