"""`astype` goes where Mosaic GPU converts, `bitcast` to a dtype of the same width; a generic function may do either."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import layouts as ll

OUT = mgpu.GMEM((64, 64), mgpu.float32)
LAYOUT = mgpu.WGMMA_LAYOUT_UPCAST_4X
NARROW = "Unsupported conversion involving narrow float types"
WIDTH = "Only bitcast between types of the same bitwidth supported"

type Array[D] = mgpu.FragmentedArray[D, ll.WGMMA_UPCAST_4X]


def full[D: (
    mgpu.bool_, mgpu.int4, mgpu.int8, mgpu.int16, mgpu.int32, mgpu.uint32, mgpu.int64, mgpu.float4_e2m1fn,
    mgpu.float8_e4m3fn, mgpu.float8_e5m2, mgpu.float8_e8m0fnu, mgpu.float16, mgpu.bfloat16, mgpu.float32, mgpu.float64,
)](dtype: type[D]) -> Array[D]:  # fmt: skip
    token: Any = dtype
    array: Any = mgpu.FragmentedArray.splat(mgpu.c(1, token), (64, 64), LAYOUT, is_signed=dtype.is_signed)
    return mgpu.FragmentedArray.wrap(array, dtype, LAYOUT)


# --- generic over dtypes


def to_float[D, L](x: mgpu.FragmentedArray[D, L]) -> mgpu.FragmentedArray[mgpu.float32, L]:
    return x.astype(mgpu.float32)


def quantized[D: mgpu.DType, L](x: mgpu.FragmentedArray[D, L]) -> mgpu.FragmentedArray[mgpu.float8_e4m3fn, L]:
    return x.astype(mgpu.float8_e4m3fn)


def bits[D, L](x: mgpu.FragmentedArray[D, L]) -> mgpu.FragmentedArray[mgpu.int16, L]:
    return x.bitcast(mgpu.int16)


def to_any[D: mgpu.DType, L](x: mgpu.FragmentedArray[mgpu.int32, L], dtype: type[D]) -> None:
    a: mgpu.FragmentedArray[Any, L] = x.astype(dtype)
    b: mgpu.FragmentedArray[Any, L] = x.bitcast(dtype)


def to_half[D: (mgpu.float16, mgpu.bfloat16), L](
    x: mgpu.FragmentedArray[mgpu.int32, L], y: mgpu.FragmentedArray[mgpu.float8_e4m3fn, L], dtype: type[D]
) -> mgpu.FragmentedArray[D, L]:
    return x.astype(dtype) * y.astype(dtype)


def to_small[D: (mgpu.float16, mgpu.float8_e4m3fn, mgpu.float8_e5m2), L](
    x: mgpu.FragmentedArray[mgpu.float32, L], y: mgpu.FragmentedArray[mgpu.float16, L], dtype: type[D]
) -> mgpu.FragmentedArray[D, L]:
    z: mgpu.FragmentedArray[D, L] = y.astype(dtype)
    return x.astype(dtype)


def from_several[D: (mgpu.int8, mgpu.float16, mgpu.bool_), L](
    x: mgpu.FragmentedArray[D, L],
) -> mgpu.FragmentedArray[mgpu.int32, L]:
    return x.astype(mgpu.int32)


def of_one_width[D: (mgpu.int16, mgpu.float16), E: (mgpu.uint16, mgpu.bfloat16), L](
    x: mgpu.FragmentedArray[D, L], dtype: type[E]
) -> mgpu.FragmentedArray[E, L]:
    return x.bitcast(dtype)


def of_unknown(x: mgpu.FragmentedArray[Any, ll.WGMMA], y: Any, dtype: type[mgpu.DType], z: Array[mgpu.int32]) -> None:
    a: mgpu.FragmentedArray[mgpu.float8_e4m3fn, ll.WGMMA] = x.astype(mgpu.float8_e4m3fn)
    b: mgpu.FragmentedArray[mgpu.int8, ll.WGMMA] = x.bitcast(mgpu.int8)
    c: mgpu.FragmentedArray[Any, ll.WGMMA] = x.astype(dtype)
    d: mgpu.FragmentedArray[Any, ll.WGMMA_UPCAST_4X] = z.astype(y)
    e: mgpu.FragmentedArray[Any, ll.WGMMA_UPCAST_4X] = z.bitcast(dtype)


@legal(OUT, ())
def generic(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    a: Array[mgpu.float32] = to_float(full(mgpu.float8_e4m3fn)) + to_float(full(mgpu.int8))
    b: Array[mgpu.float8_e4m3fn] = quantized(full(mgpu.float16))
    c: Array[mgpu.int16] = bits(full(mgpu.bfloat16))
    d: Array[mgpu.float16] = to_half(full(mgpu.int32), b, mgpu.float16)
    e: Array[mgpu.float8_e5m2] = to_small(a, d, mgpu.float8_e5m2)
    f: Array[mgpu.int32] = from_several(full(mgpu.bool_))
    g: Array[mgpu.bfloat16] = of_one_width(full(mgpu.int16), mgpu.bfloat16)


@legal(OUT, ())
def converted(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    f32 = full(mgpu.float32)
    f32.astype(mgpu.float8_e8m0fnu).astype(mgpu.bfloat16).astype(mgpu.int8).astype(mgpu.float64)
    f32.astype(mgpu.float4_e2m1fn).astype(mgpu.float8_e5m2).astype(mgpu.float8_e4m3fn).astype(mgpu.float16)
    f32.astype(mgpu.int32).astype(mgpu.bool_).astype(mgpu.float16)
    full(mgpu.int4).astype(mgpu.float8_e4m3fn).astype(mgpu.float32, rounding=None).astype(mgpu.uint32)
    full(mgpu.int4).bitcast(mgpu.float4_e2m1fn).astype(mgpu.float8_e8m0fnu).bitcast(mgpu.uint8)
    full(mgpu.float64).bitcast(mgpu.int64).astype(mgpu.int32).bitcast(mgpu.float32)


# --- conversions


@illegal(OUT, (), raises=NARROW)
def narrow_to_integer(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    x = full(mgpu.float8_e4m3fn).astype(mgpu.int32)  # E: SG310


@illegal(OUT, (), raises=NARROW)
def integer_to_narrow(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    x = full(mgpu.int32).astype(mgpu.float8_e4m3fn)  # E: SG310


@illegal(OUT, (), raises=NARROW)
def double_to_narrow(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    x = full(mgpu.float64).astype(mgpu.float8_e5m2)  # E: SG310


@illegal(OUT, (), raises="Hardware has no support for converting from f16 to f8E8M0FNU")
def half_to_scale(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    x = full(mgpu.float16).astype(mgpu.float8_e8m0fnu)  # E: SG310


@illegal(OUT, (), raises="must go through f32, which is expensive")
def scale_to_narrow(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    x = full(mgpu.float8_e8m0fnu).astype(mgpu.float8_e4m3fn)  # E: SG310


@illegal(OUT, (), raises="Unimplemented cast from f64 to f4E2M1FN")
def double_to_four_bits(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    x = full(mgpu.float64).astype(mgpu.float4_e2m1fn)  # E: SG310


@illegal(OUT, (), raises="Unimplemented cast from f4E2M1FN to i8")
def four_bits_to_integer(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    x = full(mgpu.float4_e2m1fn).astype(mgpu.int8)  # E: SG310


@illegal(OUT, (), raises=NARROW)
def with_keywords(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    x = full(mgpu.float8_e5m2).astype(new_dtype=mgpu.int8, is_signed=True)  # E: SG310


# --- bits


@illegal(OUT, (), raises=WIDTH)
def another_width(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    x = full(mgpu.float32).bitcast(mgpu.int16)  # E: SG310


@illegal(OUT, (), raises=WIDTH)
def truth_as_a_byte(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    x = full(mgpu.bool_).bitcast(mgpu.int8)  # E: SG310


# --- ways around


def of_several(x: Array[mgpu.int8 | mgpu.int32]) -> None:
    x.astype(mgpu.float8_e4m3fn)  # E: SG310


def with_unknown(x: Array[mgpu.int8], y: Any) -> None:
    x.bitcast(mgpu.float16, output_is_signed=y)  # E: SG310


@illegal(OUT, (), raises=NARROW)
def several(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    array: Any = full(mgpu.int8)
    of_several(array)


@illegal(OUT, (), raises=WIDTH)
def unknown(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    with_unknown(full(mgpu.int8), None)


@illegal(OUT, (), raises="Unimplemented cast from i16 to f4E2M1FN")
def in_a_loop(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    for each in (full(mgpu.int16), full(mgpu.int64)):
        each.astype(mgpu.float4_e2m1fn)  # E: SG310
