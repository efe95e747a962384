"""Two arrays are combined register by register, so they must lie alike; a splat array lies as the other does."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import layouts as ll

INCOMPATIBLE = "Incompatible FragmentedArray layouts"
OUT = mgpu.GMEM((128, 64), mgpu.float32)


class S(mgpu.Scratch):
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    parts = mgpu.SMEM((1024,), mgpu.float32)


def f32[L](layout: mgpu.FragmentedLayout[L]) -> mgpu.FragmentedArray[mgpu.float32, L]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128, 64), layout)


@legal(OUT, S)
def same_layout(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    a = s.acc.load()
    b = f32(mgpu.TCGEN05_LAYOUT)
    c: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05] = (a + b - a * b) / b
    d: mgpu.FragmentedArray[mgpu.bool_, ll.TCGEN05] = a < b
    e: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05] = d.select(a, b).max(a)
    e += c
    e.store_untiled(o, optimized=False)


@legal(OUT, S)
def splat_with_any_layout(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    one = mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float32), (128, 64))
    strided: mgpu.FragmentedArray[mgpu.float32, ll.Strided] = mgpu.FragmentedArray.load_strided(o)
    wgmma: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA] = one * f32(mgpu.WGMMA_LAYOUT)
    first: mgpu.FragmentedArray[mgpu.float32, ll.Strided] = one + strided
    second: mgpu.FragmentedArray[mgpu.float32, ll.Strided] = strided + one
    third: mgpu.FragmentedArray[mgpu.float32, ll.Splat] = one + one
    less: mgpu.FragmentedArray[mgpu.bool_, ll.TCGEN05] = one < s.acc.load()
    most: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05] = one.max(s.acc.load()).min(one)
    less.select(most, one)


@legal(OUT, S)
def numbers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    a = s.acc.load()
    b: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05] = 2 * a + 1.5 - a / 3
    c: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05] = a * mgpu.c(2.0, mgpu.float32)
    d: mgpu.FragmentedArray[mgpu.bool_, ll.TCGEN05] = a > 0
    e: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05] = a.max(0.0)


@illegal(OUT, S, raises=INCOMPATIBLE)
def wgmma_and_tcgen05(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    wgmma = f32(mgpu.WGMMA_LAYOUT)
    s.acc.load() + wgmma  # E: SG207


@illegal(OUT, S, raises=INCOMPATIBLE)
def rows_of_wgmma_and_tcgen05(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    peak = f32(mgpu.WGMMA_LAYOUT).reduce("max", axis=1)
    peak.max(s.acc.load().reduce("max", axis=1))  # E: SG207


@illegal(OUT, S, raises=INCOMPATIBLE)
def rows_broadcast(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    peak = f32(mgpu.WGMMA_LAYOUT).reduce("max", axis=1)
    s.acc.load() - peak.broadcast_minor(64)  # E: SG207


@illegal(OUT, S, raises=INCOMPATIBLE)
def native_and_tcgen05(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    a = s.acc.load(mgpu.TMEM_NATIVE_LAYOUT)
    b = s.acc.load() * a  # E: SG207


@illegal(OUT, S, raises=INCOMPATIBLE)
def strided_and_tiled(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    strided = mgpu.FragmentedArray.load_strided(o)
    strided - s.acc.load()  # E: SG207


@illegal(OUT, S, raises=INCOMPATIBLE)
def comparison(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    wgmma = f32(mgpu.WGMMA_LAYOUT)
    wgmma < s.acc.load()  # E: SG207


@illegal(OUT, S, raises=INCOMPATIBLE)
def equality(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    wgmma = f32(mgpu.WGMMA_LAYOUT)
    wgmma == s.acc.load()  # E: SG207


@illegal(OUT, S, raises=INCOMPATIBLE)
def maximum(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    wgmma = f32(mgpu.WGMMA_LAYOUT)
    wgmma.max(s.acc.load())  # E: SG207


@illegal(OUT, S, raises=INCOMPATIBLE)
def in_place(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    total = s.acc.load()
    total += f32(mgpu.WGMMA_LAYOUT)  # E: SG207


@illegal(OUT, S, raises=INCOMPATIBLE)
def row_of_another_layout(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    row = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128,), mgpu.WGMMA_ROW_LAYOUT)
    other = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128,), mgpu.TCGEN05_ROW_LAYOUT)
    row + other  # E: SG207


@illegal(OUT, S, raises=INCOMPATIBLE)
def array_and_its_rows(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    wgmma = f32(mgpu.WGMMA_LAYOUT)
    wgmma + wgmma.reduce("add", 1)  # E: SG207


@illegal(OUT, S, raises=INCOMPATIBLE)
def rows_of_two_layouts(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    f32(mgpu.WGMMA_LAYOUT).reduce("max", 1).max(s.acc.load().reduce("max", 1))  # E: SG207


@illegal(OUT, S, raises=INCOMPATIBLE)
def rows_and_rows_loaded_natively(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    rows = s.acc.load(mgpu.TMEM_NATIVE_LAYOUT).reduce("max", axis=(1,))
    s.acc.load().reduce("max", 1) - rows  # E: SG207


@illegal(OUT, S, raises=INCOMPATIBLE)
def rows_and_columns(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    square = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64, 64), mgpu.WGMMA_LAYOUT)
    square.reduce("add", 1) * square.reduce("add", 0, s.parts)  # E: SG207


@illegal(OUT, S, raises=INCOMPATIBLE)
def rows_brought_back_to_another(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    a = s.acc.load()
    rows = f32(mgpu.WGMMA_LAYOUT).reduce("add", 1)
    a / rows.broadcast_minor(64)  # E: SG207


def add(a: mgpu.FragmentedArray[Any, ll.WGMMA], b: mgpu.FragmentedArray[Any, ll.TCGEN05]) -> Any:
    return a + b  # E: SG207


@illegal(OUT, S, raises=INCOMPATIBLE)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    add(f32(mgpu.WGMMA_LAYOUT), s.acc.load())
