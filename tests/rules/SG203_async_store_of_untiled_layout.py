"""`store_tiled_async` sends whole tiles, so the array must be tiled, and no element held twice."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import layouts as ll

X = mgpu.Dimension.x
OUT = mgpu.GMEM((64, 64), mgpu.float16)
REPLICATED = "Replicated dimensions are not supported"


class S(mgpu.Scratch):
    smem = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    barrier = mgpu.Barrier(1)


def f16[L](layout: mgpu.FragmentedLayout[L]) -> mgpu.FragmentedArray[mgpu.float16, L]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64), layout)


def anything(value: Any) -> Any:
    return value


def untyped(value):
    return value


@legal(OUT, S, arch="sm_90a", cluster=2)
def tiled(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    peer = mgpu.c(1, mgpu.Index)
    f16(mgpu.WGMMA_LAYOUT).store_tiled_async(s.smem, s.barrier, X, peer, 128)
    f16(mgpu.WGMMA_LAYOUT_8BIT).store_tiled_async(s.smem, s.barrier, X, peer, 128)
    f16(mgpu.WGMMA_LAYOUT_UPCAST_2X).store_tiled_async(s.smem, s.barrier, X, peer, 128)
    anything(f16(mgpu.WGMMA_LAYOUT)).store_tiled_async(s.smem, s.barrier, X, peer, 128)
    splat = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64))
    splat.to_layout(mgpu.WGMMA_LAYOUT).store_tiled_async(s.smem, s.barrier, X, peer, 128)


@illegal(OUT, S, arch="sm_90a", cluster=2, raises="WGStridedFragLayout")
def strided(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    value = f16(mgpu.WGStridedFragLayout((64, 64), 2))
    value.store_tiled_async(s.smem, s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG203


@illegal(OUT, S, arch="sm_90a", cluster=2, raises="WGStridedFragLayout")
def loaded_strided(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    value = mgpu.FragmentedArray.load_strided(o)
    value.store_tiled_async(s.smem, s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG203


@illegal(OUT, S, arch="sm_90a", cluster=2, raises="WGSplatFragLayout")
def splat(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    value = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64))
    value.store_tiled_async(s.smem, s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG203


@illegal(OUT, S, arch="sm_90a", cluster=2, raises=REPLICATED)
def replicated(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    value = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64,), mgpu.WGMMA_COL_LAYOUT)
    value.store_tiled_async(s.smem, s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG203


@illegal(OUT, S, arch="sm_90a", cluster=2, raises="WGStridedFragLayout")
def any_reference(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    value = f16(mgpu.WGStridedFragLayout((64, 64), 2))
    value.store_tiled_async(anything(s.smem), s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG203


@illegal(OUT, S, arch="sm_90a", cluster=2, raises="WGSplatFragLayout")
def untyped_reference(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    value = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64))
    value.store_tiled_async(untyped(s.smem), s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG203


@illegal(OUT, S, arch="sm_90a", cluster=2, raises="WGSplatFragLayout")
def everything_any(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    value: mgpu.FragmentedArray[Any, ll.Splat] = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64))
    arguments: Any = (s.smem, s.barrier, X, mgpu.c(1, mgpu.Index), 128)
    value.store_tiled_async(*arguments)  # E: SG203


def send(value: mgpu.FragmentedArray[Any, ll.WGMMA_ROW], to, barrier) -> None:
    value.store_tiled_async(to, barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG203


@illegal(OUT, S, arch="sm_90a", cluster=2, raises=REPLICATED)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    send(mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64,), mgpu.WGMMA_ROW_LAYOUT), s.smem, s.barrier)
