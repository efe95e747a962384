"""Matrix products on Hopper's and older tensor cores: `wgmma` and `mma`."""

from typing import Any, Generic, Literal, overload

from jaxlib.mlir import ir
from typing_extensions import TypeVar

from safegpu import layouts
from safegpu.architectures import HasWGMMA
from safegpu.dtypes import (
    DType,
    ForeignDType,
    UnknownDType,
    bfloat16,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e5m2,
    float8_e8m0fnu,
    float16,
    float32,
    float64,
    int2,
    int4,
    int8,
    int16,
    int32,
    int64,
    uint4,
    uint8,
    uint16,
)
from safegpu.fragmented_array import FragmentedArray, TiledLayout
from safegpu.refs import SmemRef

_D = TypeVar("_D", default=Any)
_L = TypeVar("_L", default=layouts.WGMMA)
_Lhs = TypeVar("_Lhs", default=Any)
_Rhs = TypeVar("_Rhs", default=Any)
_Acc = TypeVar("_Acc", default=Any)
_Signed = TypeVar(
    "_Signed",
    int2, int4, int8, int16, int32, int64,
    float4_e2m1fn, float8_e4m3fn, float8_e5m2, float8_e8m0fnu, float16, bfloat16, float32, float64,
)  # fmt: skip

type _Bits16 = float16 | bfloat16 | int16 | uint16
type _Bits8 = float8_e4m3fn | float8_e5m2 | float8_e8m0fnu | int8 | uint8
type _Bits4 = float4_e2m1fn | int4 | uint4

class WGMMAAccumulator(Generic[_D, _L]):
    """An accumulator that wgmma writes (PTX ISA, "Asynchronous warpgroup level matrix instructions").

    `D` is its dtype token, `L` the layout of its value: `WGMMA`, or the one of the registers it was made from.
    """

    @property
    def value(self) -> FragmentedArray[_D, _L]:
        """The accumulator as an array, once the wgmma that write it are waited for."""
    @overload
    @classmethod
    def zero(cls, m: int, n: int, dtype: None = ..., *, is_signed: None = ...) -> WGMMAAccumulator[float32]: ...
    @overload
    @classmethod
    def zero(
        cls, m: int, n: int, dtype: type[_Signed], *, is_signed: bool | None = ...
    ) -> WGMMAAccumulator[_Signed]: ...
    @overload
    @classmethod
    def zero(
        cls, m: int, n: int, dtype: ir.Type | UnknownDType, *, is_signed: bool | None = ...
    ) -> WGMMAAccumulator[Any]:
        """An accumulator of (m, n) zeros, float32 where no dtype is named, and of no unsigned one.

        ValueError unless m is a multiple of 64 and n of 8.
        """
    @overload
    @classmethod
    def from_registers[D](
        cls, registers: FragmentedArray[D, layouts.WGMMA], sync: bool = ...
    ) -> WGMMAAccumulator[D, layouts.WGMMA]: ...
    @overload
    @classmethod
    def from_registers[D](
        cls, registers: FragmentedArray[D, layouts.WGMMA_ACC_32BIT], sync: bool = ...
    ) -> WGMMAAccumulator[D, Any]:
        """An accumulator that starts as this array. Raises ValueError for another layout.

        With `sync` the array's writes are ordered before wgmma's (PTX ISA, "wgmma.fence").
        """
    def tree_flatten(self) -> tuple[Any, Any]:
        """For JAX."""
    @classmethod
    def tree_unflatten(cls, aux: Any, value: Any) -> WGMMAAccumulator[Any]:
        """For JAX."""

@overload
def wgmma[
    D: (float16, bfloat16, float8_e4m3fn, float8_e5m2),
    Swizzle: (int, Literal[16], Literal[32], Literal[64], Literal[128]),
    L,
](
    acc: WGMMAAccumulator[float32, L],
    a: SmemRef[D, Swizzle, HasWGMMA],
    b: SmemRef[D, Swizzle, HasWGMMA],
    *,
    swizzle: Swizzle,
) -> WGMMAAccumulator[float32, L]: ...
@overload
def wgmma[Swizzle: (int, Literal[16], Literal[32], Literal[64], Literal[128]), L](
    acc: WGMMAAccumulator[float32, L],
    a: SmemRef[float32, Swizzle, HasWGMMA],
    b: SmemRef[float32, Swizzle, HasWGMMA],
    *,
    swizzle: Swizzle,
) -> WGMMAAccumulator[float32, L]: ...
@overload
def wgmma[
    D: (float16, float8_e4m3fn, float8_e5m2),
    C: (float16, float32),
    Swizzle: (int, Literal[16], Literal[32], Literal[64], Literal[128]),
    L,
](
    acc: WGMMAAccumulator[C, L],
    a: SmemRef[D, Swizzle, HasWGMMA],
    b: SmemRef[D, Swizzle, HasWGMMA],
    *,
    swizzle: Swizzle,
) -> WGMMAAccumulator[C, L]: ...
@overload
def wgmma[D: (float16, bfloat16), Swizzle: (int, Literal[16], Literal[32], Literal[64], Literal[128]), L](
    acc: WGMMAAccumulator[float32, L],
    a: FragmentedArray[D, layouts.WGMMA],
    b: SmemRef[D, Swizzle, HasWGMMA],
    *,
    swizzle: Swizzle,
) -> WGMMAAccumulator[float32, L]: ...
@overload
def wgmma[C: (float16, float32), Swizzle: (int, Literal[16], Literal[32], Literal[64], Literal[128]), L](
    acc: WGMMAAccumulator[C, L],
    a: FragmentedArray[float16, layouts.WGMMA],
    b: SmemRef[float16, Swizzle, HasWGMMA],
    *,
    swizzle: Swizzle,
) -> WGMMAAccumulator[C, L]: ...
@overload
def wgmma[
    A: (float8_e4m3fn, float8_e5m2),
    B: (float8_e4m3fn, float8_e5m2),
    C: (float16, float32),
    Swizzle: (int, Literal[16], Literal[32], Literal[64], Literal[128]),
    L,
](
    acc: WGMMAAccumulator[C, L],
    a: SmemRef[A, Swizzle, HasWGMMA] | FragmentedArray[A, layouts.WGMMA_8BIT],
    b: SmemRef[B, Swizzle, HasWGMMA],
    *,
    swizzle: Swizzle,
) -> WGMMAAccumulator[C, L]: ...
@overload
def wgmma[Swizzle: (int, Literal[16], Literal[32], Literal[64], Literal[128]), L](
    acc: WGMMAAccumulator[int32, L],
    a: SmemRef[int8, Swizzle, HasWGMMA] | FragmentedArray[int8, layouts.WGMMA_8BIT],
    b: SmemRef[int8, Swizzle, HasWGMMA],
    *,
    swizzle: Swizzle,
) -> WGMMAAccumulator[int32, L]: ...
@overload
def wgmma[D: (float16, bfloat16, float8_e4m3fn, float8_e5m2), L](
    acc: WGMMAAccumulator[float32, L],
    a: SmemRef[D, Literal[128], HasWGMMA],
    b: SmemRef[D, Literal[128], HasWGMMA],
    *,
    swizzle: Literal[128] = ...,
) -> WGMMAAccumulator[float32, L]: ...
@overload
def wgmma[L](
    acc: WGMMAAccumulator[float32, L],
    a: SmemRef[float32, Literal[128], HasWGMMA],
    b: SmemRef[float32, Literal[128], HasWGMMA],
    *,
    swizzle: Literal[128] = ...,
) -> WGMMAAccumulator[float32, L]: ...
@overload
def wgmma[D: (float16, float8_e4m3fn, float8_e5m2), C: (float16, float32), L](
    acc: WGMMAAccumulator[C, L],
    a: SmemRef[D, Literal[128], HasWGMMA],
    b: SmemRef[D, Literal[128], HasWGMMA],
    *,
    swizzle: Literal[128] = ...,
) -> WGMMAAccumulator[C, L]: ...
@overload
def wgmma[D: (float16, bfloat16), L](
    acc: WGMMAAccumulator[float32, L],
    a: FragmentedArray[D, layouts.WGMMA],
    b: SmemRef[D, Literal[128], HasWGMMA],
    *,
    swizzle: Literal[128] = ...,
) -> WGMMAAccumulator[float32, L]: ...
@overload
def wgmma[C: (float16, float32), L](
    acc: WGMMAAccumulator[C, L],
    a: FragmentedArray[float16, layouts.WGMMA],
    b: SmemRef[float16, Literal[128], HasWGMMA],
    *,
    swizzle: Literal[128] = ...,
) -> WGMMAAccumulator[C, L]: ...
@overload
def wgmma[A: (float8_e4m3fn, float8_e5m2), B: (float8_e4m3fn, float8_e5m2), C: (float16, float32), L](
    acc: WGMMAAccumulator[C, L],
    a: SmemRef[A, Literal[128], HasWGMMA] | FragmentedArray[A, layouts.WGMMA_8BIT],
    b: SmemRef[B, Literal[128], HasWGMMA],
    *,
    swizzle: Literal[128] = ...,
) -> WGMMAAccumulator[C, L]: ...
@overload
def wgmma[L](
    acc: WGMMAAccumulator[int32, L],
    a: SmemRef[int8, Literal[128], HasWGMMA] | FragmentedArray[int8, layouts.WGMMA_8BIT],
    b: SmemRef[int8, Literal[128], HasWGMMA],
    *,
    swizzle: Literal[128] = ...,
) -> WGMMAAccumulator[int32, L]:
    """Issues acc += A @ B on the tensor core (PTX ISA, "wgmma.mma_async"); a warpgroup calls it.

    A is (M, K) in shared memory or, but for float32, in registers (16-bit dtypes in `WGMMA_LAYOUT`, 8-bit ones in `WGMMA_LAYOUT_8BIT`);
    B is (K, N) in shared memory. Buffers are swizzled, and tiled by `(8, 8 * swizzle // bits)`. Float32 is multiplied as tf32.
    Raises ValueError and NotImplementedError where shapes or dtypes do not go together.
    """

def wgmma_commit_group() -> None:
    """Makes a group of the wgmma issued since the last one (PTX ISA, "wgmma.commit_group")."""

def wgmma_wait_group(allow_groups: int) -> None:
    """Waits until at most `allow_groups` groups of wgmma are under way (PTX ISA, "wgmma.wait_group").

    Operands of those that are under way must not be overwritten, nor their accumulators read.
    """

class MMALayouts(Generic[_Lhs, _Rhs, _Acc]):
    """The register layouts of the operands and the accumulator of `mma`, by the width of the operands' dtype.

    `m_warps` of the four warps lie along M and `4 // m_warps` along N: a tile of the accumulator is
    (16 * m_warps, 8 * (4 // m_warps)). Raises ValueError for another number.
    """

    lhs: TiledLayout[_Lhs]
    rhs: TiledLayout[_Rhs]
    acc: TiledLayout[_Acc]
    @overload
    def __new__(
        cls, element_type: type[_Bits16], *, m_warps: Literal[4] = ...
    ) -> MMALayouts[layouts.MMA_LHS[Literal[16]], layouts.MMA_RHS[Literal[16]], layouts.WGMMA]: ...
    @overload
    def __new__(
        cls, element_type: type[_Bits8], *, m_warps: Literal[4] = ...
    ) -> MMALayouts[layouts.MMA_LHS[Literal[8]], layouts.MMA_RHS[Literal[8]], layouts.WGMMA]: ...
    @overload
    def __new__(
        cls, element_type: type[_Bits4], *, m_warps: Literal[4] = ...
    ) -> MMALayouts[layouts.MMA_LHS[Literal[4]], layouts.MMA_RHS[Literal[4]], layouts.WGMMA]: ...
    @overload
    def __new__(
        cls, element_type: type[_Bits16], *, m_warps: Literal[2]
    ) -> MMALayouts[layouts.MMA_LHS_2[Literal[16]], layouts.MMA_RHS_2[Literal[16]], layouts.MMA_ACC_2]: ...
    @overload
    def __new__(
        cls, element_type: type[_Bits8], *, m_warps: Literal[2]
    ) -> MMALayouts[layouts.MMA_LHS_2[Literal[8]], layouts.MMA_RHS_2[Literal[8]], layouts.MMA_ACC_2]: ...
    @overload
    def __new__(
        cls, element_type: type[_Bits4], *, m_warps: Literal[2]
    ) -> MMALayouts[layouts.MMA_LHS_2[Literal[4]], layouts.MMA_RHS_2[Literal[4]], layouts.MMA_ACC_2]: ...
    @overload
    def __new__(
        cls, element_type: type[_Bits16], *, m_warps: Literal[1]
    ) -> MMALayouts[layouts.MMA_LHS_1[Literal[16]], layouts.MMA_RHS_1[Literal[16]], layouts.MMA_ACC_1]: ...
    @overload
    def __new__(
        cls, element_type: type[_Bits8], *, m_warps: Literal[1]
    ) -> MMALayouts[layouts.MMA_LHS_1[Literal[8]], layouts.MMA_RHS_1[Literal[8]], layouts.MMA_ACC_1]: ...
    @overload
    def __new__(
        cls, element_type: type[_Bits4], *, m_warps: Literal[1]
    ) -> MMALayouts[layouts.MMA_LHS_1[Literal[4]], layouts.MMA_RHS_1[Literal[4]], layouts.MMA_ACC_1]: ...
    @overload
    def __new__(
        cls, element_type: ir.Type | type[DType] | ForeignDType, *, m_warps: int = ...
    ) -> MMALayouts[Any, Any, Any]: ...
    @classmethod
    def for_shape(cls, element_type: ir.Type | type[DType] | ForeignDType, m: int, n: int) -> MMALayouts[Any, Any, Any]:
        """The layouts with the most warps along M for an accumulator of (m, n). Raises ValueError where none divides it."""

@overload
def mma[F: (float16, bfloat16, float8_e4m3fn, float8_e5m2), W](
    acc: FragmentedArray[float32, layouts.WGMMA],
    a: FragmentedArray[F, layouts.MMA_LHS[W]],
    b: FragmentedArray[F, layouts.MMA_RHS[W]],
) -> FragmentedArray[float32, layouts.WGMMA]: ...
@overload
def mma[A: (int8, uint8), B: (int8, uint8)](
    acc: FragmentedArray[int32, layouts.WGMMA],
    a: FragmentedArray[A, layouts.MMA_LHS[Literal[8]]],
    b: FragmentedArray[B, layouts.MMA_RHS[Literal[8]]],
) -> FragmentedArray[int32, layouts.WGMMA]: ...
@overload
def mma[A: (int4, uint4), B: (int4, uint4)](
    acc: FragmentedArray[int32, layouts.WGMMA],
    a: FragmentedArray[A, layouts.MMA_LHS[Literal[4]]],
    b: FragmentedArray[B, layouts.MMA_RHS[Literal[4]]],
) -> FragmentedArray[int32, layouts.WGMMA]: ...
@overload
def mma[F: (float16, bfloat16, float8_e4m3fn, float8_e5m2), W](
    acc: FragmentedArray[float32, layouts.MMA_ACC_2],
    a: FragmentedArray[F, layouts.MMA_LHS_2[W]],
    b: FragmentedArray[F, layouts.MMA_RHS_2[W]],
) -> FragmentedArray[float32, layouts.MMA_ACC_2]: ...
@overload
def mma[A: (int8, uint8), B: (int8, uint8)](
    acc: FragmentedArray[int32, layouts.MMA_ACC_2],
    a: FragmentedArray[A, layouts.MMA_LHS_2[Literal[8]]],
    b: FragmentedArray[B, layouts.MMA_RHS_2[Literal[8]]],
) -> FragmentedArray[int32, layouts.MMA_ACC_2]: ...
@overload
def mma[A: (int4, uint4), B: (int4, uint4)](
    acc: FragmentedArray[int32, layouts.MMA_ACC_2],
    a: FragmentedArray[A, layouts.MMA_LHS_2[Literal[4]]],
    b: FragmentedArray[B, layouts.MMA_RHS_2[Literal[4]]],
) -> FragmentedArray[int32, layouts.MMA_ACC_2]: ...
@overload
def mma[F: (float16, bfloat16, float8_e4m3fn, float8_e5m2), W](
    acc: FragmentedArray[float32, layouts.MMA_ACC_1],
    a: FragmentedArray[F, layouts.MMA_LHS_1[W]],
    b: FragmentedArray[F, layouts.MMA_RHS_1[W]],
) -> FragmentedArray[float32, layouts.MMA_ACC_1]: ...
@overload
def mma[A: (int8, uint8), B: (int8, uint8)](
    acc: FragmentedArray[int32, layouts.MMA_ACC_1],
    a: FragmentedArray[A, layouts.MMA_LHS_1[Literal[8]]],
    b: FragmentedArray[B, layouts.MMA_RHS_1[Literal[8]]],
) -> FragmentedArray[int32, layouts.MMA_ACC_1]: ...
@overload
def mma[L](
    acc: FragmentedArray[float64, L], a: FragmentedArray[float64, Any], b: FragmentedArray[float64, Any]
) -> FragmentedArray[float64, L]: ...
@overload
def mma[A: (int4, uint4), B: (int4, uint4)](
    acc: FragmentedArray[int32, layouts.MMA_ACC_1],
    a: FragmentedArray[A, layouts.MMA_LHS_1[Literal[4]]],
    b: FragmentedArray[B, layouts.MMA_RHS_1[Literal[4]]],
) -> FragmentedArray[int32, layouts.MMA_ACC_1]:
    """acc + a @ b in registers (PTX ISA, "mma.sync"), each in its layout of one `MMALayouts`.

    A is (M, K), B is (K, N), both of one 16-, 8- or 4-bit dtype; the accumulator is float32, of integers int32. All of float64
    is of jax 0.12, from Hopper on. Raises ValueError where shapes, dtypes or layouts do not go together, NotImplementedError
    for other dtypes.
    """
