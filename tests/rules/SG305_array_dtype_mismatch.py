"""Two arrays of different dtypes are not combined; `astype` says which dtype the result has."""

from typing import Any

from _twins import illegal, legal, silent

import safegpu as mgpu
from safegpu import layouts as ll

SAME_TYPE = "op requires the same type for all operands and results"
OUT = mgpu.GMEM((64, 64), mgpu.float32)
INTS = mgpu.GMEM((64, 64), mgpu.int32)


def f32() -> mgpu.FragmentedArray[mgpu.float32, ll.WGMMA]:
    return mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float32), (64, 64), mgpu.WGMMA_LAYOUT)


def f16() -> mgpu.FragmentedArray[mgpu.float16, ll.WGMMA]:
    return mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float16), (64, 64), mgpu.WGMMA_LAYOUT)


def i32() -> mgpu.FragmentedArray[mgpu.int32, ll.WGMMA]:
    return mgpu.FragmentedArray.splat(mgpu.c(1, mgpu.int32), (64, 64), mgpu.WGMMA_LAYOUT, is_signed=True)


def u32() -> mgpu.FragmentedArray[mgpu.uint32, ll.WGMMA]:
    return mgpu.FragmentedArray.splat(mgpu.c(1, mgpu.uint32), (64, 64), mgpu.WGMMA_LAYOUT, is_signed=False)


@legal(OUT, (), arch="sm_90a")
def converted(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    a: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA] = f32() + f16().astype(mgpu.float32)
    b: mgpu.FragmentedArray[mgpu.int32, ll.WGMMA] = i32() + i32() * 2
    c: mgpu.FragmentedArray[mgpu.uint32, ll.WGMMA] = (u32() & u32()) | 1
    d: mgpu.FragmentedArray[mgpu.bool_, ll.WGMMA] = u32() < u32()
    e: mgpu.FragmentedArray[mgpu.bool_, ll.WGMMA] = d & (i32() == 3)
    f: mgpu.FragmentedArray[mgpu.int32, ll.WGMMA] = e.select(b, i32())
    g: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA] = f.astype(mgpu.float32) + a


@illegal(OUT, (), arch="sm_90a", raises=SAME_TYPE)
def half_and_float(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    f16() + f32()  # E: SG305


@illegal(OUT, (), arch="sm_90a", raises="but got 'vector<2xf32>'")
def int_and_float(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    i32() * f32()  # E: SG305


@illegal(OUT, (), arch="sm_90a", raises="requires all operands to have the same type")
def compared(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    f16() <= f32()  # E: SG305


@illegal(OUT, (), arch="sm_90a", raises="AssertionError")
def maximum(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    f16().max(f32())  # E: SG305


@illegal(OUT, (), arch="sm_90a", raises=SAME_TYPE)
def splat_of_another_dtype(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    half = mgpu.FragmentedArray.splat(mgpu.c(0.5, mgpu.float16), (64, 64))
    f32() * half  # E: SG305


@silent(OUT, (), arch="sm_90a", because="the left operand's sign decides how the right one's bits compare")
def signed_and_unsigned(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    i32() < u32()  # E: SG305


@silent(OUT, (), arch="sm_90a", because="it divides signed")
def signed_splat_by_unsigned(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    splat = mgpu.FragmentedArray.splat(mgpu.c(-7, mgpu.int32), (64, 64), is_signed=True)
    splat // u32()  # E: SG305


def add(a: mgpu.FragmentedArray[mgpu.float16], b: mgpu.FragmentedArray[mgpu.float32]) -> Any:
    return a - b  # E: SG305


@illegal(OUT, (), arch="sm_90a", raises=SAME_TYPE)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    add(f16(), f32())
