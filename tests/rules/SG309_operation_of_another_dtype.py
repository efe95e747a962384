"""Operations of an array are those that its dtype has; a function that is generic over dtypes may use any of them."""

from typing import Any

from _twins import illegal, legal, silent

import safegpu as mgpu
from safegpu import layouts as ll

OUT = mgpu.GMEM((64, 64), mgpu.float32)
NARROW = "Pointwise operations on 8-bit types are unsupported"
UNSUPPORTED = "TypeError: unsupported operand type(s) for"

type Array[D] = mgpu.FragmentedArray[D, ll.WGMMA_UPCAST_4X]
type Splat[D] = mgpu.FragmentedArray[D, ll.Splat]


def full[D: (
    mgpu.bool_, mgpu.int8, mgpu.int32, mgpu.uint8, mgpu.uint32, mgpu.float8_e4m3fn, mgpu.float16, mgpu.bfloat16,
    mgpu.float32, mgpu.float64,
)](dtype: type[D]) -> Array[D]:  # fmt: skip
    token: Any = dtype
    array: Any = mgpu.FragmentedArray.splat(mgpu.c(1, token), (64, 64), LAYOUT, is_signed=dtype.is_signed)
    return mgpu.FragmentedArray.wrap(array, dtype, LAYOUT)


LAYOUT = mgpu.WGMMA_LAYOUT_UPCAST_4X


# --- generic over dtypes: legal, whatever they do


def remainder[D, L](x: mgpu.FragmentedArray[D, L], y: mgpu.FragmentedArray[D, L]) -> mgpu.FragmentedArray[D, L]:
    x %= 7
    x += y
    return x % y + 2 % y


def softened[D: mgpu.DType, L](x: mgpu.FragmentedArray[D, L], sharp: bool) -> mgpu.FragmentedArray[D, L]:
    x = 2.0 * x + 1.0
    return x.exp2(approx=sharp) / (1 + x.exp(approx=True)) - x.tanh(approx=sharp)


def clamped[D: (mgpu.float16, mgpu.float32), L](
    x: mgpu.FragmentedArray[D, L], mask: mgpu.FragmentedArray[mgpu.bool_, L]
) -> mgpu.FragmentedArray[D, L]:
    low: mgpu.FragmentedArray[D, L] = x.max(0.0).min(1.0).sqrt()
    return mask.select(low, x.copysign(low))


def bits[D: (mgpu.int8, mgpu.uint8, mgpu.int32, mgpu.bool_), L](
    x: mgpu.FragmentedArray[D, L],
) -> mgpu.FragmentedArray[D, L]:
    x &= 1
    return ~x | (x ^ 1)


def largest[D: mgpu.DType](xs: list[Array[D]]) -> Array[D]:
    first, *rest = xs
    for x in rest:
        first = first.max(x)
    return first


def of_one_of_two(x: Array[mgpu.float16] | Array[mgpu.float32]) -> None:
    x.exp() * 2.0


def of_unknown(x: Any, y: mgpu.FragmentedArray[Any, ll.WGMMA], z: mgpu.FragmentedArray) -> None:
    a: mgpu.FragmentedArray[Any, ll.WGMMA] = (y % y).exp(approx=True) ** y
    b: mgpu.FragmentedArray[Any, ll.WGMMA] = (2 % a + 1.0).select(y, y)
    x % y, y % x, ~z, z.trunc_div(2), a + b


@legal(OUT, ())
def generic(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    a: Array[mgpu.int32] = remainder(full(mgpu.int32), full(mgpu.int32))
    b: Array[mgpu.uint32] = remainder(full(mgpu.uint32), full(mgpu.uint32))
    c: Array[mgpu.float32] = softened(full(mgpu.float32), sharp=True)
    d: Array[mgpu.float16] = clamped(full(mgpu.float16), full(mgpu.bool_))
    e: Array[mgpu.int8] = bits(full(mgpu.int8))
    f: Array[mgpu.float64] = largest([full(mgpu.float64), full(mgpu.float64)])
    of_one_of_two(d)


@legal(OUT, ())
def each_has(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    i, u, h, f, n = full(mgpu.int32), full(mgpu.uint32), full(mgpu.float16), full(mgpu.float32), full(mgpu.int8)
    mask = i < 2
    i = (i % 3 << 1) // 2 + (2 - i) * i.trunc_div(i) ** 2
    u = u >> 1 & 3 | u ^ 2
    f = f.exp(approx=True) / 2 + 1.0 / f.rsqrt() ** f + f**2.0
    h = h.tanh(approx=True) * 2 - h.exp() * 0.5
    n = ~n & n | 3
    f = mask.select(f.erf(), f.round_even().atan2(f))
    same: Array[mgpu.bool_] = (n == n) & ~mask
    other: Array[mgpu.bool_] = same + mask
    magnitude: Array[mgpu.float8_e4m3fn] = full(mgpu.float8_e4m3fn).abs()


@legal(OUT, ())
def scales(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    scale: Array[mgpu.float8_e8m0fnu] = full(mgpu.float32).astype(mgpu.float8_e8m0fnu)
    inverse: Array[mgpu.float8_e8m0fnu] = 1 / scale


# --- arithmetic of narrow dtypes


@illegal(OUT, (), raises=NARROW)
def narrow_sum(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.int8) + full(mgpu.int8)  # E: SG309


@illegal(OUT, (), raises=NARROW)
def narrow_and_number(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.uint8) * 2  # E: SG309


@illegal(OUT, (), raises=NARROW)
def number_and_narrow(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    2 - full(mgpu.uint8)  # E: SG309


@illegal(OUT, (), raises=NARROW)
def narrow_and_scalar(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.int8) + mgpu.c(1, mgpu.int8)  # E: SG309


@illegal(OUT, (), raises=NARROW)
def narrow_and_splat(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    splat = mgpu.FragmentedArray.splat(mgpu.c(1, mgpu.int8), (64, 64), is_signed=True)
    splat + full(mgpu.int8)  # E: SG309


@illegal(OUT, (), raises=NARROW)
def narrow_in_place(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    total = full(mgpu.float8_e4m3fn)
    total += full(mgpu.float8_e4m3fn)  # E: SG309


@illegal(OUT, (), raises=NARROW)
def narrow_negation(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    -full(mgpu.float8_e4m3fn)  # E: SG309


@illegal(OUT, (), raises=NARROW)
def narrow_order(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.int8) < full(mgpu.int8)  # E: SG309


@illegal(OUT, (), raises=NARROW)
def narrow_maximum(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.int8).max(full(mgpu.int8))  # E: SG309


@illegal(OUT, (), raises=NARROW)
def narrow_choice(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.bool_).select(full(mgpu.int8), full(mgpu.int8))  # E: SG309


@illegal(OUT, (), raises=NARROW)
def narrow_magnitude(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.int8).abs()  # E: SG309


@illegal(OUT, (), raises=NARROW)
def scales_divided(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    scale = full(mgpu.float32).astype(mgpu.float8_e8m0fnu)
    scale / scale  # E: SG309


@silent(OUT, (), because="LLVM has no such type, and the kernel does not compile")
def narrow_equality(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.float8_e4m3fn) == full(mgpu.float8_e4m3fn)  # E: SG309


# --- integers and floats


@illegal(OUT, (), raises=UNSUPPORTED)
def remainder_of_floats(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.float32) % full(mgpu.float32)  # E: SG309


@illegal(OUT, (), raises=UNSUPPORTED)
def remainder_by_floats(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    2 % full(mgpu.float32)  # E: SG309


@illegal(OUT, (), raises=UNSUPPORTED)
def division_of_integers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.int32) / 2  # E: SG309


@illegal(OUT, (), raises=UNSUPPORTED)
def bits_of_floats(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.float32) & 1  # E: SG309


@illegal(OUT, (), raises="AttributeError: 'NotImplementedType' object has no attribute 'registers'")
def inverted_floats(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    (~full(mgpu.float32)).registers  # E: SG309


@illegal(OUT, (), raises=UNSUPPORTED)
def shifted_floats(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.float32) << 1  # E: SG309


@illegal(OUT, (), raises="trunc_div supports only integer types, got f32")
def truncated_floats(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.float32).trunc_div(full(mgpu.float32))  # E: SG309


@illegal(OUT, (), raises="NotImplementedError")
def function_of_integers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.int32).exp()  # E: SG309


@illegal(OUT, (), raises="NotImplementedError")
def angle_of_integers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.int32).atan2(full(mgpu.int32))  # E: SG309


@illegal(OUT, (), raises="NotImplementedError")
def mask_of_integers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.int32).select(full(mgpu.float32), 0.0)  # E: SG309


@illegal(OUT, (), raises="Negative exponent not supported for integers")
def power_of_arrays(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.int32) ** full(mgpu.int32)  # E: SG309


@illegal(OUT, (), raises="TypeError: <class 'float'>")
def float_among_integers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.int32) + 0.5  # E: SG309


@illegal(OUT, (), raises="TypeError: <class 'float'>")
def maximum_of_float(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.int32).max(0.5)  # E: SG309


@illegal(OUT, (), raises="must be LLVM dialect-compatible type, but got 'f8E4M3FN'")
def indices_of_narrow_floats(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    mgpu.FragmentedArray.broadcasted_iota(mgpu.float8_e4m3fn, (64, 64), 0, LAYOUT)  # E: SG309


# --- approximation


@illegal(OUT, (), raises="NotImplementedError: f16")
def approximate_half(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.float16).exp2(approx=True)  # E: SG309


@illegal(OUT, (), raises="NotImplementedError: f64")
def approximate_double(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    full(mgpu.float64).tanh(approx=True)  # E: SG309


# --- ways around


def of_several(x: Array[mgpu.int8 | mgpu.uint8]) -> Any:
    return x + 1  # E: SG309


def of_several_layouts(x: Array[mgpu.int32] | mgpu.FragmentedArray[mgpu.int32, ll.WGMMA]) -> None:
    x.log2()  # E: SG309


def with_unknown(x: Array[mgpu.int8], y: Any) -> None:
    x.max(y)  # E: SG309


@illegal(OUT, (), raises=NARROW)
def several(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    array: Any = full(mgpu.int8)
    of_several(array)


@illegal(OUT, (), raises="NotImplementedError")
def several_layouts(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    of_several_layouts(full(mgpu.int32))


@illegal(OUT, (), raises=NARROW)
def unknown(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    with_unknown(full(mgpu.int8), 2)


@illegal(OUT, (), raises="NotImplementedError")
def in_a_loop(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    for each in (full(mgpu.int32), full(mgpu.uint32)):
        each.exp()  # E: SG309


@illegal(OUT, (), raises=UNSUPPORTED)
def in_a_list(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    rest = [each % 2 for each in (full(mgpu.float16), full(mgpu.float64))]  # E: SG309


@illegal(OUT, (), raises=UNSUPPORTED)
def goes_on(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    array = full(mgpu.float32) % 2  # E: SG309
    array.exp()
