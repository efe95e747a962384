"""`store_tiled` writes tiles, so the array must be tiled; `store_untiled` takes strided and splat arrays."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import layouts as ll

OUT = mgpu.GMEM((64, 64), mgpu.float16)


class S(mgpu.Scratch):
    smem = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    plain = mgpu.SMEM((64, 64), mgpu.float16)


def anything(value: Any) -> Any:
    return value


@legal(OUT, S, arch="sm_90a")
def tiled(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    splat = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64))
    splat.to_layout(mgpu.WGMMA_LAYOUT).store_tiled(s.smem, 128)
    value = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    value.store_tiled(s.smem, s.smem.swizzle)
    anything(value).store_tiled(s.smem, swizzle=128)


@legal(OUT, S, arch="sm_90a")
def untiled(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64)).store_untiled(s.plain)
    mgpu.FragmentedArray.load_strided(o).store_untiled(s.plain)


@illegal(OUT, S, arch="sm_90a", raises="WGSplatFragLayout")
def splat(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64)).store_tiled(s.smem, 128)  # E: SG205


@illegal(OUT, S, arch="sm_90a", raises="WGStridedFragLayout")
def strided(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    mgpu.FragmentedArray.load_strided(o).store_tiled(s.smem, swizzle=128)  # E: SG205


@illegal(OUT, S, arch="sm_90a", raises="WGStridedFragLayout")
def sum_of_both(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    value = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64))
    (value + mgpu.FragmentedArray.load_strided(o)).store_tiled(s.smem, 128)  # E: SG205


@illegal(OUT, S, arch="sm_90a", raises="WGStridedFragLayout")
def any_reference(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    mgpu.FragmentedArray.load_strided(o).store_tiled(anything(s.smem), anything(128))  # E: SG205


def put(value: mgpu.FragmentedArray[Any, ll.Splat], to) -> None:
    value.store_tiled(to, 128)  # E: SG205


@illegal(OUT, S, arch="sm_90a", raises="WGSplatFragLayout")
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    put(mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64)), s.smem)
