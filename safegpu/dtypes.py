# pyright: reportIncompatibleVariableOverride=false
# The number of bits of a token is a literal, which says that the token is known.
"""Dtype tokens: one class for each dtype that a Mosaic GPU kernel can name, under jnp's name.

A token is a type and a value at once. As a type it is the first parameter of a reference or an array
(`SmemRef[float16]`); as a value it goes wherever JAX takes a dtype (`jax.ShapeDtypeStruct((8,), float16)`),
because its `dtype` is the numpy dtype. Signed and unsigned integers differ, so signedness is never passed by hand.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeVar, final

from safegpu._generic import Generic
from safegpu.architectures import HasTcgen05, HasTcgen05Int8

__all__ = [
    "DType",
    "bfloat16",
    "bool_",
    "float4_e2m1fn",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e8m0fnu",
    "float16",
    "float32",
    "float64",
    "int2",
    "int4",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint2",
    "uint4",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]  # fmt: skip


class _DTypeMeta(type):
    """Gives the token classes a `dtype` that is looked up at its first use: the command line starts without numpy."""

    @property
    def dtype(cls) -> Any:
        """The numpy dtype of this token."""
        try:
            import ml_dtypes
            import numpy as np
        except ImportError:
            raise ImportError(f"the dtype of safegpu.{cls.__name__} needs jax: pip install 'safegpu[jax]'") from None
        return np.dtype(getattr(ml_dtypes, cls.__name__, None) or getattr(np, cls.__name__))

    def __repr__(cls) -> str:
        return f"safegpu.{cls.__name__}"


class DType(metaclass=_DTypeMeta):
    """Base of the dtype tokens. Tokens are never instantiated."""

    bits: ClassVar[int]
    """Width of one element in bits."""
    is_signed: ClassVar[bool | None]
    """Signedness of an integer dtype, None for the others: Mosaic GPU's `is_signed`."""

    def __new__(cls, *args: object) -> "DType":
        raise TypeError(f"{cls.__name__} names a dtype and makes no values; use safegpu.c(value, {cls.__name__})")

    def __init_subclass__(cls) -> None:
        if not hasattr(cls, "bits"):
            return
        if cls.__name__ not in __all__:
            raise TypeError("dtype tokens are a closed set; annotate with one of safegpu's own")


# --- what the hardware does with a dtype: bases of the tokens, for checkers alone
#
# Each is a table of Mosaic GPU's, and a token that has a row there derives from it: `Tcgen05Accumulates[float16]` is
# any dtype into which `tcgen05.mma` accumulates products of float16. A row lists what it goes with, so that a type
# variable of several dtypes is matched as well.

_D = TypeVar("_D")
_With_contra = TypeVar("_With_contra", contravariant=True)
_On_contra = TypeVar("_On_contra", contravariant=True)


class Tcgen05Accumulates(Generic[_With_contra, _On_contra]):
    """The accumulator of `tcgen05.mma`: of these dtypes, on these architectures (PTX ISA, "tcgen05.mma", `.kind`)."""


class TMAReduces(Generic[_D, _With_contra]):
    """Itself, and what `async_copy` can do with `reduction_op` (PTX ISA, "cp.reduce.async.bulk.tensor").

    The signedness of a minimum or maximum is the dtype's.
    """


class AtomicallyReduces(Generic[_D, _With_contra]):
    """Itself, and the `atomic` of stores to global memory (PTX ISA, "red")."""


class AtomicallyReducesShared(Generic[_D, _With_contra]):
    """Itself, and the `atomic` of stores to shared memory and multimem (PTX ISA, "red", "multimem.red")."""


# What arrays of a dtype can do is asked of the dtype in a way that a type variable passes: a helper that is generic
# over dtypes, bounded or not, is legal, and a checker knows of its dtype what it knows of `object`. So the set of
# operations stands where `object` has something, and narrows it: a format of `object` may be any string, a format of a
# token is the name of an operation that it has. Nobody formats tokens.


class Supports(Generic[_With_contra]):
    """What `FragmentedArray` does with this dtype, by name."""

    if TYPE_CHECKING:

        def __format__(self, operation: _With_contra, /) -> str: ...  # type: ignore[override]  # pyright: ignore


class Supporting(Protocol[_With_contra]):
    """A dtype that supports this, or one that is not known, a type variable."""

    def __format__(self, operation: _With_contra, /) -> str: ...  # type: ignore[override]  # pyright: ignore


# `+ - * // **`, order, minimum and maximum, choice by a mask
type _Arithmetic = Literal["arithmetic", "equality", "absolute value"]
# a conversion is named by the dtypes that it can go to
type _ToWide = Literal["conversion to integers and wide floats"]
type _ToNarrow = Literal["conversion to narrow floats"]
type _Copied = Literal["copies by the TMA"]
type _RowIndices = Literal["row indices"]
type _Bits = _ToWide | Literal["bitwise operations", "equality"]
type _NarrowInteger = _Bits | _Copied
type _WholeNumbers = _Bits | _Arithmetic | Literal["integer arithmetic"]
type _Integer = _WholeNumbers | _Copied
type _NarrowFloat = _ToNarrow | _Copied | Literal["absolute value"]
type _Float = _Arithmetic | _ToWide | Literal["division and float functions", "reciprocal"]
type _Float16 = _Float | _ToNarrow | _Copied | Literal["tanh(approx=True)", "conversion to all but float8_e8m0fnu"]
type _ToAny = Literal["conversion to any dtype", "conversion of scales"]


type _Add = Literal["add"]
type _MinMax = Literal["add", "min", "max"]
type _Atomic = Literal["add", "max", "min", "and", "or", "xor"]


@final
class bool_(DType, Supports[_WholeNumbers | _RowIndices | Literal["selection", "1 bit"]]):
    bits: ClassVar[Literal[1]] = 1
    is_signed = False


@final
class int2(DType, Supports[_NarrowInteger | Literal["2 bits"]]):
    bits: ClassVar[Literal[2]] = 2
    is_signed = True


@final
class int4(DType, Supports[_NarrowInteger | Literal["conversion to float8_e4m3fn", "4 bits"]]):
    bits: ClassVar[Literal[4]] = 4
    is_signed = True


@final
class int8(DType, Supports[_NarrowInteger | Literal["8 bits"]]):
    bits: ClassVar[Literal[8]] = 8
    is_signed = True


@final
class int16(DType, Supports[_Integer | Literal["16 bits"]]):
    bits: ClassVar[Literal[16]] = 16
    is_signed = True


@final
class int32(
    DType,
    Tcgen05Accumulates["int8", HasTcgen05Int8],
    TMAReduces["int32", Literal["add", "smin", "smax", "inc", "dec", "and", "or", "xor"]],
    AtomicallyReduces["int32", _Atomic],
    AtomicallyReducesShared["int32", _Atomic],
    Supports[_Integer | Literal["32 bits"]],
):
    bits: ClassVar[Literal[32]] = 32
    is_signed = True


@final
class int64(
    DType,
    TMAReduces["int64", Literal["add", "smin", "smax", "and", "or", "xor"]],
    Supports[_Integer | Literal["64 bits"]],
):
    bits: ClassVar[Literal[64]] = 64
    is_signed = True


@final
class uint2(DType, Supports[_NarrowInteger | _RowIndices | Literal["absolute value", "2 bits"]]):
    bits: ClassVar[Literal[2]] = 2
    is_signed = False


@final
class uint4(
    DType,
    Supports[_NarrowInteger | _RowIndices | Literal["conversion to float8_e4m3fn", "absolute value", "4 bits"]],
):
    bits: ClassVar[Literal[4]] = 4
    is_signed = False


@final
class uint8(DType, Supports[_NarrowInteger | _RowIndices | Literal["absolute value", "8 bits"]]):
    bits: ClassVar[Literal[8]] = 8
    is_signed = False


@final
class uint16(DType, Supports[_Integer | _RowIndices | Literal["16 bits"]]):
    bits: ClassVar[Literal[16]] = 16
    is_signed = False


@final
class uint32(
    DType,
    Tcgen05Accumulates["int8", HasTcgen05Int8],
    TMAReduces["uint32", Literal["add", "umin", "umax", "inc", "dec", "and", "or", "xor"]],
    AtomicallyReduces["uint32", _Atomic],
    AtomicallyReducesShared["uint32", _Atomic],
    Supports[_Integer | _RowIndices | Literal["32 bits"]],
):
    bits: ClassVar[Literal[32]] = 32
    is_signed = False


@final
class uint64(
    DType,
    TMAReduces["uint64", Literal["add", "umin", "umax", "and", "or", "xor"]],
    Supports[_Integer | Literal["64 bits"]],
):
    bits: ClassVar[Literal[64]] = 64
    is_signed = False


@final
class float4_e2m1fn(DType, Supports[_NarrowFloat | Literal["conversion of scales", "4 bits"]]):
    bits: ClassVar[Literal[4]] = 4
    is_signed = None


@final
class float8_e4m3fn(DType, Supports[_NarrowFloat | Literal["8 bits"]]):
    bits: ClassVar[Literal[8]] = 8
    is_signed = None


@final
class float8_e5m2(DType, Supports[_NarrowFloat | Literal["8 bits"]]):
    bits: ClassVar[Literal[8]] = 8
    is_signed = None


@final
class float8_e8m0fnu(DType, Supports[_Copied | Literal["reciprocal", "conversion of scales", "8 bits"]]):
    bits: ClassVar[Literal[8]] = 8
    is_signed = None


@final
class float16(
    DType,
    Tcgen05Accumulates["float16 | float8_e4m3fn | float8_e5m2", HasTcgen05],
    TMAReduces["float16", _MinMax],
    AtomicallyReduces["float16", _MinMax],
    AtomicallyReducesShared["float16", _Add],
    Supports[_Float16 | Literal["16 bits"]],
):
    bits: ClassVar[Literal[16]] = 16
    is_signed = None


@final
class bfloat16(
    DType,
    TMAReduces["bfloat16", _MinMax],
    AtomicallyReduces["bfloat16", _MinMax],
    AtomicallyReducesShared["bfloat16", _Add],
    Supports[_Float16 | _ToAny | Literal["16 bits"]],
):
    bits: ClassVar[Literal[16]] = 16
    is_signed = None


@final
class float32(
    DType,
    Tcgen05Accumulates["float16 | bfloat16 | float8_e4m3fn | float8_e5m2", HasTcgen05],
    TMAReduces["float32", _Add],
    AtomicallyReduces["float32", _Add],
    AtomicallyReducesShared["float32", _Add],
    Supports[_Float16 | _ToAny | Literal["approximation", "32 bits"]],
):
    bits: ClassVar[Literal[32]] = 32
    is_signed = None


@final
class float64(DType, Supports[_Float | Literal["64 bits"]]):
    bits: ClassVar[Literal[64]] = 64
    is_signed = None


# --- what a checker knows of a dtype

Token = TypeVar(
    "Token",
    bool_,
    int2,
    int4,
    int8,
    int16,
    int32,
    int64,
    uint2,
    uint4,
    uint8,
    uint16,
    uint32,
    uint64,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e5m2,
    float8_e8m0fnu,
    float16,
    bfloat16,
    float32,
    float64,
)
"""A token that is known: it becomes the parameter `D` of what is made with it."""


class _UnknownToken(Protocol):
    """A token that is not known, of type `type[DType]`: of those that are, the number of bits is a literal."""

    bits: int


class _Sized(Protocol):
    @property
    def itemsize(self) -> int: ...


type ForeignDType = str | _Sized | Callable[..., _Sized | bool | int | float]
"""A dtype of numpy's or jnp's: its name, an object of `np.dtype`, or a scalar class."""

type UnknownDType = _UnknownToken | ForeignDType
"""A dtype that leaves the parameter `D` of what is made with it unknown."""
