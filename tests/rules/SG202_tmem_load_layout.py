"""A load names a register layout that this tensor memory can be read into, or none."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import layouts as ll
from safegpu import tcgen05

OUT = mgpu.GMEM((128, 64), mgpu.float32)
UNSUPPORTED = "Loads from TMEM layout"


class S(mgpu.Scratch):
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    halves = mgpu.TMEM((128, 64), mgpu.float16, packing=2)
    bytes_ = mgpu.TMEM((128, 64), mgpu.int8, packing=4)
    unpacked = mgpu.TMEM((128, 64), mgpu.int8)
    unpacked_f8 = mgpu.TMEM((128, 64), mgpu.float8_e4m3fn)
    m64 = mgpu.TMEM((64, 64), mgpu.float32)


class C(mgpu.Scratch):
    m64 = mgpu.TMEM((64, 64), mgpu.float32, collective=True)


class Scales(mgpu.Scratch):
    scales = mgpu.TMEM((128, 64), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())


def anything(value: Any) -> Any:
    return value


@legal(OUT, S)
def layouts_of_the_default(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    a: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05] = s.acc.load()
    b: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05] = s.acc.load(mgpu.TCGEN05_LAYOUT)
    c: mgpu.FragmentedArray[mgpu.float32, ll.TMEM_NATIVE] = s.acc.load(layout=tcgen05.TMEM_NATIVE_LAYOUT)
    d: mgpu.FragmentedArray[mgpu.float32, ll.TMEM_NATIVE_1] = s.acc.load(mgpu.tmem_native_layout(1))
    e: mgpu.FragmentedArray[mgpu.float16, ll.TCGEN05] = s.halves.load(tcgen05.LAYOUT)
    f: mgpu.FragmentedArray[mgpu.int8, ll.TMEM_NATIVE_4] = s.bytes_.load(is_signed=True)
    s.acc.load(tcgen05.tmem_default_layout().as_tiled_layout())
    s.acc.load(anything(mgpu.TCGEN05_LAYOUT)).store_untiled(o, optimized=False)


@legal(OUT, S)
def layout_of_m64(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    a: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA] = s.m64.load()
    b: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA] = s.m64.load(mgpu.WGMMA_LAYOUT)


@legal(OUT, C, cluster=2)
def layout_of_m64_collective(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: C) -> None:
    a: mgpu.FragmentedArray[mgpu.float32, ll.M64_COLLECTIVE] = s.m64.load()
    b: mgpu.FragmentedArray[mgpu.float32, ll.M64_COLLECTIVE] = s.m64.load(tcgen05.fa_m64_collective_layout(64))


@legal(OUT, Scales)
def layout_of_scales(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scales) -> None:
    scales: mgpu.FragmentedArray[mgpu.float8_e8m0fnu, ll.SCALES] = s.scales.load()
    s.scales.store(scales)


@illegal(OUT, S, raises="Loading multiple row tiles")
def m128_as_wgmma(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.acc.load(mgpu.WGMMA_LAYOUT)  # E: SG202


@illegal(OUT, S, raises=UNSUPPORTED)
def halves_one_by_one(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.halves.load(mgpu.tmem_native_layout(1))  # E: SG202


@illegal(OUT, S, raises=UNSUPPORTED)
def bytes_two_by_two(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.bytes_.load(mgpu.TMEM_NATIVE_LAYOUT, is_signed=True)  # E: SG202


@illegal(OUT, S, raises="does not apply to shape (128, 64)")
def rows_alone(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.acc.load(mgpu.TCGEN05_ROW_LAYOUT)  # E: SG202


@illegal(OUT, S, raises=UNSUPPORTED)
def m64_as_m64_collective(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.m64.load(tcgen05.fa_m64_collective_layout(64))  # E: SG202


@illegal(OUT, C, cluster=2, raises=UNSUPPORTED)
def m64_collective_as_wgmma(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: C) -> None:
    s.m64.load(mgpu.WGMMA_LAYOUT)  # E: SG202


@illegal(OUT, S, raises="is not supported")
def unpacked_bytes(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.unpacked.load(is_signed=True)  # E: SG202


@illegal(OUT, S, raises=UNSUPPORTED)
def unpacked_bytes_in_any_layout(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.unpacked_f8.load(anything(mgpu.TCGEN05_LAYOUT))  # E: SG202


@illegal(OUT, Scales, raises=UNSUPPORTED)
def scales_as_matrix(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scales) -> None:
    s.scales.load(mgpu.TCGEN05_LAYOUT)  # E: SG202


def read(ref: tcgen05.DenseTMEM[Any, ll.TMEM_NARROW_UNPACKED], layout) -> Any:
    return ref.load(layout)  # E: SG202


@illegal(OUT, S, raises=UNSUPPORTED)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    read(s.unpacked_f8.slice(slice(None), slice(0, 32)), mgpu.TCGEN05_LAYOUT)
