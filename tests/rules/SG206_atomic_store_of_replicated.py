"""An atomic store adds each element once, so no element may lie in the registers of several threads."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu

OUT = mgpu.GMEM((64, 64), mgpu.float32)
ROW = mgpu.GMEM((64,), mgpu.float32)


def splat() -> mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.Splat]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64, 64))


@legal(OUT, (), arch="sm_90a")
def tiled(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    splat().to_layout(mgpu.WGMMA_LAYOUT).store_untiled(o, optimized=False, atomic="add")
    splat().store_untiled(o)
    splat().store_untiled(o, atomic=None)


@legal(ROW, (), arch="sm_90a")
def replicated(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    value = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64,), mgpu.WGMMA_ROW_LAYOUT)
    value.store_untiled(o, optimized=False)


@illegal(OUT, (), arch="sm_90a", raises="Atomic stores not supported for splat layout")
def atomic_splat(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    splat().store_untiled(o, atomic="add")  # E: SG206


@illegal(ROW, (), arch="sm_90a", raises="replicated dims")
def atomic_replicated(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    value = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64,), mgpu.WGMMA_ROW_LAYOUT)
    value.store_untiled(o, optimized=False, atomic="add")  # E: SG206


@illegal(ROW, (), arch="sm_90a", raises="replicated dims")
def atomic_reduced(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    value = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64,), mgpu.TCGEN05_COL_LAYOUT)
    value.store_untiled(o, optimized=False, atomic="max")  # E: SG206


def add(value: mgpu.FragmentedArray[Any, mgpu.layouts.Splat], to: Any) -> None:
    value.store_untiled(to, atomic="add")  # E: SG206


@illegal(OUT, (), arch="sm_90a", raises="Atomic stores not supported for splat layout")
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    add(splat(), o)
