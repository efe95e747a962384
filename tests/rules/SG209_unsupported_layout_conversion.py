"""Few register layouts convert into each other; a splat converts into any."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import layouts as ll

CONVERT = "Cannot convert from"
OUT = mgpu.GMEM((128, 64), mgpu.float32)


def splat[L](layout: mgpu.FragmentedLayout[L]) -> mgpu.FragmentedArray[mgpu.float32, L]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128, 64), layout)


@legal(OUT, ())
def tables(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    everywhere = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128, 64))
    everywhere.to_layout(mgpu.WGMMA_LAYOUT).to_layout(mgpu.WGMMA_TRANSPOSED_LAYOUT).to_layout(mgpu.WGMMA_LAYOUT)
    everywhere.to_layout(mgpu.TCGEN05_LAYOUT).to_layout(mgpu.TCGEN05_TRANSPOSED_LAYOUT)
    everywhere.to_layout(mgpu.TMEM_NATIVE_LAYOUT).to_layout(mgpu.tmem_native_layout(1))
    everywhere.to_layout(mgpu.WGStridedFragLayout((128, 64), vec_size=2)).to_layout(
        mgpu.WGStridedFragLayout((128, 64), vec_size=2)
    )
    wgmma = splat(mgpu.WGMMA_LAYOUT)
    (wgmma.to_layout(wgmma.layout) + everywhere).to_layout(mgpu.WGMMA_LAYOUT)
    wgmma.astype(mgpu.float16).to_layout(mgpu.WGMMA_TRANSPOSED_LAYOUT)


@legal(OUT, ())
def unknown(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    array: mgpu.FragmentedArray[mgpu.float32] = splat(mgpu.TCGEN05_LAYOUT)
    layout: Any = mgpu.TCGEN05_TRANSPOSED_LAYOUT
    array.to_layout(mgpu.TCGEN05_TRANSPOSED_LAYOUT)
    splat(mgpu.TCGEN05_LAYOUT).to_layout(layout)


@illegal(OUT, (), raises=CONVERT)
def wgmma_to_tcgen05(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    splat(mgpu.WGMMA_LAYOUT).to_layout(mgpu.TCGEN05_LAYOUT)  # E: SG209


@illegal(OUT, (), raises=CONVERT)
def tcgen05_to_native(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    splat(mgpu.TCGEN05_LAYOUT).to_layout(mgpu.TMEM_NATIVE_LAYOUT)  # E: SG209


@illegal(OUT, (), raises=CONVERT)
def strided_to_wgmma(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    mgpu.FragmentedArray.load_strided(o).to_layout(mgpu.WGMMA_LAYOUT)  # E: SG209


@illegal(OUT, (), raises=CONVERT)
def two_steps_in_one(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    transposed = splat(mgpu.WGMMA_LAYOUT).to_layout(mgpu.WGMMA_TRANSPOSED_LAYOUT)
    transposed.to_layout(mgpu.WGMMA_LAYOUT)
    transposed.to_layout(mgpu.TCGEN05_LAYOUT)  # E: SG209


def helper(value: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA]) -> mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05]:
    return value.to_layout(mgpu.TCGEN05_LAYOUT)  # E: SG209


@illegal(OUT, (), raises=CONVERT)
def in_a_helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    helper(splat(mgpu.WGMMA_LAYOUT))
