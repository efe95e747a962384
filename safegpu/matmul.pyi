"""Matrix products on Hopper's and older tensor cores: `wgmma` and `mma`."""

from typing import Any, Generic, Literal, overload

from jaxlib.mlir import ir
from typing_extensions import TypeVar

from safegpu import layouts
from safegpu.dtypes import (
    DType,
    ForeignDType,
    Token,
    UnknownDType,
    bfloat16,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    int4,
    int8,
    int32,
    uint4,
    uint8,
)
from safegpu.fragmented_array import FragmentedArray, TiledLayout
from safegpu.refs import SmemRef

_D = TypeVar("_D", default=Any)

class WGMMAAccumulator(Generic[_D]):
    """An accumulator that wgmma writes (PTX ISA, "Asynchronous warpgroup level matrix instructions")."""

    @property
    def value(self) -> FragmentedArray[_D, layouts.WGMMA]: ...
    @overload
    @classmethod
    def zero(cls, m: int, n: int, dtype: None = ..., *, is_signed: None = ...) -> WGMMAAccumulator[float32]: ...
    @overload
    @classmethod
    def zero(cls, m: int, n: int, dtype: type[Token], *, is_signed: bool | None = ...) -> WGMMAAccumulator[Token]: ...
    @overload
    @classmethod
    def zero(
        cls, m: int, n: int, dtype: ir.Type | UnknownDType, *, is_signed: bool | None = ...
    ) -> WGMMAAccumulator[Any]: ...
    @classmethod
    def from_registers[D](
        cls, registers: FragmentedArray[D, layouts.WGMMA | layouts.WGMMA_ACC_32BIT], sync: bool = ...
    ) -> WGMMAAccumulator[D]: ...
    def tree_flatten(self) -> tuple[Any, Any]: ...
    @classmethod
    def tree_unflatten(cls, aux: Any, value: Any) -> WGMMAAccumulator[Any]: ...

@overload
def wgmma[
    D: (float16, bfloat16, float8_e4m3fn, float8_e5m2),
    Swizzle: (int, Literal[16], Literal[32], Literal[64], Literal[128]),
](
    acc: WGMMAAccumulator[float32],
    a: SmemRef[D, Swizzle],
    b: SmemRef[D, Swizzle],
    *,
    swizzle: Swizzle,
) -> WGMMAAccumulator[float32]: ...
@overload
def wgmma[Swizzle: (int, Literal[16], Literal[32], Literal[64], Literal[128])](
    acc: WGMMAAccumulator[float32],
    a: SmemRef[float32, Swizzle],
    b: SmemRef[float32, Swizzle],
    *,
    swizzle: Swizzle,
) -> WGMMAAccumulator[float32]: ...
@overload
def wgmma[
    D: (float16, float8_e4m3fn, float8_e5m2),
    C: (float16, float32),
    Swizzle: (int, Literal[16], Literal[32], Literal[64], Literal[128]),
](
    acc: WGMMAAccumulator[C],
    a: SmemRef[D, Swizzle],
    b: SmemRef[D, Swizzle],
    *,
    swizzle: Swizzle,
) -> WGMMAAccumulator[C]: ...
@overload
def wgmma[D: (float16, bfloat16), Swizzle: (int, Literal[16], Literal[32], Literal[64], Literal[128])](
    acc: WGMMAAccumulator[float32],
    a: FragmentedArray[D, layouts.WGMMA],
    b: SmemRef[D, Swizzle],
    *,
    swizzle: Swizzle,
) -> WGMMAAccumulator[float32]: ...
@overload
def wgmma[C: (float16, float32), Swizzle: (int, Literal[16], Literal[32], Literal[64], Literal[128])](
    acc: WGMMAAccumulator[C],
    a: FragmentedArray[float16, layouts.WGMMA],
    b: SmemRef[float16, Swizzle],
    *,
    swizzle: Swizzle,
) -> WGMMAAccumulator[C]: ...
@overload
def wgmma[
    A: (float8_e4m3fn, float8_e5m2),
    B: (float8_e4m3fn, float8_e5m2),
    C: (float16, float32),
    Swizzle: (int, Literal[16], Literal[32], Literal[64], Literal[128]),
](
    acc: WGMMAAccumulator[C],
    a: SmemRef[A, Swizzle] | FragmentedArray[A, layouts.WGMMA_8BIT],
    b: SmemRef[B, Swizzle],
    *,
    swizzle: Swizzle,
) -> WGMMAAccumulator[C]: ...
@overload
def wgmma[Swizzle: (int, Literal[16], Literal[32], Literal[64], Literal[128])](
    acc: WGMMAAccumulator[int32],
    a: SmemRef[int8, Swizzle] | FragmentedArray[int8, layouts.WGMMA_8BIT],
    b: SmemRef[int8, Swizzle],
    *,
    swizzle: Swizzle,
) -> WGMMAAccumulator[int32]: ...
@overload
def wgmma[D: (float16, bfloat16, float8_e4m3fn, float8_e5m2)](
    acc: WGMMAAccumulator[float32],
    a: SmemRef[D, Literal[128]],
    b: SmemRef[D, Literal[128]],
    *,
    swizzle: Literal[128] = ...,
) -> WGMMAAccumulator[float32]: ...
@overload
def wgmma(
    acc: WGMMAAccumulator[float32],
    a: SmemRef[float32, Literal[128]],
    b: SmemRef[float32, Literal[128]],
    *,
    swizzle: Literal[128] = ...,
) -> WGMMAAccumulator[float32]: ...
@overload
def wgmma[D: (float16, float8_e4m3fn, float8_e5m2), C: (float16, float32)](
    acc: WGMMAAccumulator[C],
    a: SmemRef[D, Literal[128]],
    b: SmemRef[D, Literal[128]],
    *,
    swizzle: Literal[128] = ...,
) -> WGMMAAccumulator[C]: ...
@overload
def wgmma[D: (float16, bfloat16)](
    acc: WGMMAAccumulator[float32],
    a: FragmentedArray[D, layouts.WGMMA],
    b: SmemRef[D, Literal[128]],
    *,
    swizzle: Literal[128] = ...,
) -> WGMMAAccumulator[float32]: ...
@overload
def wgmma[C: (float16, float32)](
    acc: WGMMAAccumulator[C],
    a: FragmentedArray[float16, layouts.WGMMA],
    b: SmemRef[float16, Literal[128]],
    *,
    swizzle: Literal[128] = ...,
) -> WGMMAAccumulator[C]: ...
@overload
def wgmma[A: (float8_e4m3fn, float8_e5m2), B: (float8_e4m3fn, float8_e5m2), C: (float16, float32)](
    acc: WGMMAAccumulator[C],
    a: SmemRef[A, Literal[128]] | FragmentedArray[A, layouts.WGMMA_8BIT],
    b: SmemRef[B, Literal[128]],
    *,
    swizzle: Literal[128] = ...,
) -> WGMMAAccumulator[C]: ...
@overload
def wgmma(
    acc: WGMMAAccumulator[int32],
    a: SmemRef[int8, Literal[128]] | FragmentedArray[int8, layouts.WGMMA_8BIT],
    b: SmemRef[int8, Literal[128]],
    *,
    swizzle: Literal[128] = ...,
) -> WGMMAAccumulator[int32]:
    """Issues acc += A @ B on the tensor core (PTX ISA, "wgmma.mma_async"); a warpgroup calls it.

    A is (M, K) in shared memory or, but for float32, in registers (16-bit dtypes in `WGMMA_LAYOUT`, 8-bit ones in `WGMMA_LAYOUT_8BIT`);
    B is (K, N) in shared memory. Buffers are tiled by `(8, 8 * swizzle // bits)`. Float32 is multiplied as tf32.
    Raises ValueError and NotImplementedError where shapes or dtypes do not go together.
    """

def wgmma_commit_group() -> None:
    """Makes a group of the wgmma issued since the last one (PTX ISA, "wgmma.commit_group")."""

def wgmma_wait_group(allow_groups: int) -> None:
    """Waits until at most `allow_groups` groups of wgmma are under way (PTX ISA, "wgmma.wait_group").

    Operands of those that are under way must not be overwritten, nor their accumulators read.
    """

class MMALayouts:
    """The register layouts of the operands and the accumulator of `mma`."""

    lhs: TiledLayout[Any]
    rhs: TiledLayout[Any]
    acc: TiledLayout[Any]
    def __init__(
        self, element_type: ir.Type | type[DType] | ForeignDType, *, m_warps: Literal[1, 2, 4] | int = ...
    ) -> None: ...
    @classmethod
    def for_shape(cls, element_type: ir.Type | type[DType] | ForeignDType, m: int, n: int) -> MMALayouts: ...

@overload
def mma[F: (float16, bfloat16, float8_e4m3fn, float8_e5m2), L](
    acc: FragmentedArray[float32, L], a: FragmentedArray[F, Any], b: FragmentedArray[F, Any]
) -> FragmentedArray[float32, L]: ...
@overload
def mma[A: (int8, uint8), B: (int8, uint8), L](
    acc: FragmentedArray[int32, L], a: FragmentedArray[A, Any], b: FragmentedArray[B, Any]
) -> FragmentedArray[int32, L]: ...
@overload
def mma[A: (int4, uint4), B: (int4, uint4), L](
    acc: FragmentedArray[int32, L], a: FragmentedArray[A, Any], b: FragmentedArray[B, Any]
) -> FragmentedArray[int32, L]:
    """acc + A @ B on the tensor core of Ampere and later (PTX ISA, "mma.sync"); a warpgroup calls it, and the result is there at once.

    A is (M, K) in the layout `MMALayouts(...).lhs`, B (K, N) in `.rhs` and acc (M, N) in `.acc`, all of one `MMALayouts`.
    Raises ValueError and NotImplementedError where shapes, dtypes or layouts do not go together.
    """
