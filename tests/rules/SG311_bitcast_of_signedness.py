"""Signed and unsigned integers of one width are one MLIR type, and a bitcast to the type that an array has returns it."""

from typing import Any

from _twins import legal, refused

import safegpu as mgpu

OUT = mgpu.GMEM((64, 64), mgpu.uint32)
STILL_SIGNED = "the array is compared, divided and shifted as signed"


def ints() -> mgpu.FragmentedArray[mgpu.int32, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.splat(mgpu.c(-1, mgpu.int32), (64, 64), mgpu.WGMMA_LAYOUT, is_signed=True)


@legal(OUT, ())
def of_the_same_signedness(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.uint32], s: tuple[()]) -> None:
    (ints().astype(mgpu.uint32) >> 1).store_untiled(o, optimized=False)
    ints().bitcast(mgpu.int32)
    ints().bitcast(mgpu.float32).bitcast(mgpu.uint32).store_untiled(o, optimized=False)
    ints().astype(mgpu.uint32).bitcast(mgpu.uint32)


@refused(OUT, (), because=STILL_SIGNED)
def to_unsigned(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.uint32], s: tuple[()]) -> None:
    (ints().bitcast(mgpu.uint32) >> 1).store_untiled(o, optimized=False)  # L: SG311


@refused(OUT, (), because="the array is compared, divided and shifted as unsigned")
def to_signed(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.uint32], s: tuple[()]) -> None:
    ints().astype(mgpu.uint32).bitcast(mgpu.int32)  # L: SG311


@refused(OUT, (), because=STILL_SIGNED)
def untyped(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.uint32], s: tuple[()]) -> None:
    array: Any = ints()
    array.bitcast(array.mlir_dtype, output_is_signed=False)  # L: SG311
