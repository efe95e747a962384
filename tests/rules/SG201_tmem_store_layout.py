"""Tensor memory takes the register layouts whose threads reach its lanes, and no other."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import layouts as ll
from safegpu import tcgen05

OUT = mgpu.GMEM((128, 64), mgpu.float32)
UNSUPPORTED = "Storing from register layout"


class S(mgpu.Scratch):
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    rows = mgpu.TMEM((256, 64), mgpu.float32, layout=tcgen05.tmem_default_layout())
    halves = mgpu.TMEM((128, 64), mgpu.float16, packing=2)
    bytes_ = mgpu.TMEM((128, 64), mgpu.int8, packing=4)
    unpacked = mgpu.TMEM((128, 64), mgpu.int8)
    m64 = mgpu.TMEM((64, 64), mgpu.float32)
    several = mgpu.Many(mgpu.TMEM((128, 32), mgpu.float32), 2)


class C(mgpu.Scratch):
    m64 = mgpu.TMEM((64, 64), mgpu.float32, collective=True)


def f32[L](shape: tuple[int, int], layout: mgpu.FragmentedLayout[L]) -> mgpu.FragmentedArray[mgpu.float32, L]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), shape, layout)


def anything(value: Any) -> Any:
    return value


@legal(OUT, S)
def layouts_of_the_default(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.acc.store(f32((128, 64), mgpu.TCGEN05_LAYOUT))
    s.acc.store(f32((128, 64), mgpu.TMEM_NATIVE_LAYOUT))
    s.acc.store(f32((128, 64), mgpu.tmem_native_layout(1)))
    s.acc.store(f32((128, 64), tcgen05.tmem_default_layout().as_tiled_layout()))
    s.acc.store(anything(f32((128, 64), mgpu.TCGEN05_LAYOUT)))
    s.rows.store(f32((256, 64), mgpu.TCGEN05_LAYOUT))
    s.halves.store(f32((128, 64), mgpu.TCGEN05_LAYOUT).astype(mgpu.float16))
    int8 = mgpu.FragmentedArray.splat(mgpu.c(0, mgpu.int8), (128, 64), mgpu.tmem_native_layout(4), is_signed=True)
    s.bytes_.store(int8)


@legal(OUT, S)
def layout_of_m64(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.m64.store(f32((64, 64), mgpu.WGMMA_LAYOUT))


@legal(OUT, C, cluster=2)
def layout_of_m64_collective(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: C) -> None:
    s.m64.store(f32((64, 64), tcgen05.fa_m64_collective_layout(64)))


@legal(OUT, S)
def slices(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.acc.slice(slice(None), slice(0, 32)).store(f32((128, 32), mgpu.TCGEN05_LAYOUT))
    for each in s.several:
        each.store(f32((128, 32), mgpu.TCGEN05_LAYOUT))


@illegal(OUT, S, raises=UNSUPPORTED)
def wgmma_into_m128(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    value = f32((128, 64), mgpu.WGMMA_LAYOUT)
    s.acc.store(value)  # E: SG201


@illegal(OUT, S, raises=UNSUPPORTED)
def transposed(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    value = f32((128, 64), mgpu.TCGEN05_TRANSPOSED_LAYOUT)
    s.acc.store(value)  # E: SG201


@illegal(OUT, S, raises=UNSUPPORTED)
def vectors_too_long(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    value = f32((128, 64), mgpu.tmem_native_layout(4))
    s.acc.store(value)  # E: SG201


@illegal(OUT, S, raises="WGSplatFragLayout")
def splat(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    value = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128, 64))
    s.acc.store(value)  # E: SG201


@illegal(OUT, S, raises="WGStridedFragLayout")
def strided(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    value = f32((128, 64), mgpu.WGStridedFragLayout((128, 64), 4))
    s.acc.store(value)  # E: SG201


@illegal(OUT, S, raises=UNSUPPORTED)
def default_into_m64(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    value = f32((64, 64), tcgen05.fa_m64_collective_layout(64))
    s.m64.store(value)  # E: SG201


@illegal(OUT, C, cluster=2, raises=UNSUPPORTED)
def wgmma_into_m64_collective(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: C) -> None:
    value = f32((64, 64), mgpu.WGMMA_LAYOUT)
    s.m64.store(value)  # E: SG201


@illegal(OUT, S, raises=UNSUPPORTED)
def slice_of_it(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    value = f32((128, 32), mgpu.WGMMA_LAYOUT)
    s.acc.slice(slice(None), slice(0, 32)).store(value)  # E: SG201


@illegal(OUT, S, raises=UNSUPPORTED)
def one_of_many(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    value = f32((128, 32), mgpu.WGMMA_LAYOUT)
    s.several[0].store(value)  # E: SG201


@illegal(OUT, S, raises=UNSUPPORTED)
def unpacked_bytes(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    int8 = mgpu.FragmentedArray.splat(mgpu.c(0, mgpu.int8), (128, 64), mgpu.tmem_native_layout(4), is_signed=True)
    s.unpacked.store(int8)  # E: SG201


@illegal(OUT, S, raises=UNSUPPORTED)
def any_into_unpacked_bytes(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    int8 = mgpu.FragmentedArray.splat(mgpu.c(0, mgpu.int8), (128, 64), mgpu.TCGEN05_LAYOUT, is_signed=True)
    s.unpacked.store(anything(int8))  # E: SG201


def put(
    ref: tcgen05.DenseTMEM[mgpu.float32, ll.TMEM_DEFAULT_32BIT],
    unknown: Any,
    wrong: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA],
) -> None:
    ref.store(unknown)
    ref.store(wrong)  # E: SG201


def put_unpacked(ref: tcgen05.DenseTMEM[Any, ll.TMEM_NARROW_UNPACKED], value) -> None:
    ref.store(value)  # E: SG201


@illegal(OUT, S, raises=UNSUPPORTED)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    put(s.acc, f32((128, 64), mgpu.TCGEN05_LAYOUT), f32((128, 64), mgpu.WGMMA_LAYOUT))


@illegal(OUT, S, raises=UNSUPPORTED)
def helper_of_unpacked_bytes(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    int8 = mgpu.FragmentedArray.splat(mgpu.c(0, mgpu.int8), (128, 64), mgpu.TCGEN05_LAYOUT, is_signed=True)
    put_unpacked(s.unpacked, int8)


# --- the array or reference made in the call: what the store expects never makes it unknown


class Inline(mgpu.Scratch):
    acc = mgpu.TMEM((128, 64), mgpu.float32)


@illegal(mgpu.GMEM((128, 64), mgpu.float32), Inline, raises="Storing from register layout")
def inline_splat(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Inline) -> None:
    zero = mgpu.c(0.0, mgpu.float32)
    s.acc.store(mgpu.FragmentedArray.splat(zero, (128, 64), mgpu.WGMMA_LAYOUT))  # E: SG201


@illegal(mgpu.GMEM((128, 64), mgpu.float32), Inline, raises="Storing from register layout")
def inline_conversion(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Inline) -> None:
    value = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128, 64), mgpu.WGMMA_LAYOUT)
    s.acc.store(value.to_layout(mgpu.WGMMA_LAYOUT))  # E: SG201
