"""Specs: what a kernel takes, gives and allocates.

A checker sees each spec as the reference that the kernel's body receives for it, so that the annotations of a body and
the specs of its inputs, outputs and scratch cannot disagree.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, overload

from typing_extensions import TypeVar

from safegpu import layouts
from safegpu.barriers import (
    BarrierArray,
    BarrierRef,
    CollectiveBarrierArray,
    CollectiveBarrierRef,
    CtaBarrierArray,
    CtaBarrierRef,
)
from safegpu.dtypes import (
    Token,
    UnknownDType,
    bfloat16,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e5m2,
    float8_e8m0fnu,
    float16,
    float32,
    int2,
    int4,
    int8,
    int16,
    int32,
    uint2,
    uint4,
    uint8,
    uint16,
    uint32,
)
from safegpu.refs import GmemRef, SmemRef
from safegpu.refs import Scratch as Scratch
from safegpu.scalars import Dim
from safegpu.tcgen05 import DenseTMEM, ScalesTMEM, SparseMetaTMEM, TMEMLayout

@overload
def GMEM(shape: Sequence[int], dtype: type[Token]) -> GmemRef[Token]: ...
@overload
def GMEM(shape: Sequence[int], dtype: UnknownDType) -> GmemRef[Any]:
    """A buffer in global memory: an input or an output of the kernel, of this shape (in elements) and dtype."""

@overload
def SMEM(
    shape: Sequence[int], dtype: type[Token], *, swizzle: Literal[128], tiling: Sequence[int] | None = ...
) -> SmemRef[Token, Literal[128]]: ...
@overload
def SMEM(
    shape: Sequence[int], dtype: type[Token], *, swizzle: Literal[16], tiling: Sequence[int] | None = ...
) -> SmemRef[Token, Literal[16]]: ...
@overload
def SMEM(
    shape: Sequence[int], dtype: type[Token], *, swizzle: Literal[32], tiling: Sequence[int] | None = ...
) -> SmemRef[Token, Literal[32]]: ...
@overload
def SMEM(
    shape: Sequence[int], dtype: type[Token], *, swizzle: Literal[64], tiling: Sequence[int] | None = ...
) -> SmemRef[Token, Literal[64]]: ...
@overload
def SMEM(
    shape: Sequence[int], dtype: type[Token], *, swizzle: int | None = ..., tiling: Sequence[int] | None = ...
) -> SmemRef[Token, Any]: ...
@overload
def SMEM(
    shape: Sequence[int], dtype: UnknownDType, *, swizzle: Literal[128], tiling: Sequence[int] | None = ...
) -> SmemRef[Any, Literal[128]]: ...
@overload
def SMEM(
    shape: Sequence[int], dtype: UnknownDType, *, swizzle: Literal[16], tiling: Sequence[int] | None = ...
) -> SmemRef[Any, Literal[16]]: ...
@overload
def SMEM(
    shape: Sequence[int], dtype: UnknownDType, *, swizzle: Literal[32], tiling: Sequence[int] | None = ...
) -> SmemRef[Any, Literal[32]]: ...
@overload
def SMEM(
    shape: Sequence[int], dtype: UnknownDType, *, swizzle: Literal[64], tiling: Sequence[int] | None = ...
) -> SmemRef[Any, Literal[64]]: ...
@overload
def SMEM(
    shape: Sequence[int], dtype: UnknownDType, *, swizzle: int | None = ..., tiling: Sequence[int] | None = ...
) -> SmemRef[Any, Any]:
    """A buffer in the block's shared memory.

    `shape` is the logical shape in elements. With a swizzle (bytes: 32, 64 or 128; 16 is none) the buffer is tiled by
    `(8, 8 * swizzle // bits)`, the tile that wgmma, tcgen05.mma and TMA read (PTX ISA, "Shared memory matrix layout");
    `tiling` names another tile, and `tiling=()` none. Raises ValueError where the shape does not divide into tiles.
    """

class ShapeDtypeStruct:
    """JAX's own spec, for what has no spec here: to a checker, unknown."""

    shape: tuple[int, ...]
    dtype: Any
    weak_type: Any
    def __init__(self, shape: Sequence[int], dtype: Any, *, sharding: Any = ..., weak_type: bool = ...) -> None: ...

# Which register layouts an allocation exchanges with follows from its rows, the width of its dtype and its packing
# (`TMEMRef.store`, `TMEMRef.load`). Rows and packing that are not literals leave it unknown.

# ruff: noqa: UP047  (type variables that some overloads share)
_Bits32 = TypeVar("_Bits32", float32, int32, uint32)
_Bits16 = TypeVar("_Bits16", float16, bfloat16, int16, uint16)
_Bits8 = TypeVar("_Bits8", float8_e4m3fn, float8_e5m2, float8_e8m0fnu, int8, uint8)
_Bits4 = TypeVar("_Bits4", float4_e2m1fn, int4, uint4)
_Narrow = TypeVar(
    "_Narrow", float8_e4m3fn, float8_e5m2, float8_e8m0fnu, int8, uint8, float4_e2m1fn, int4, uint4, int2, uint2
)
_Bits2 = TypeVar("_Bits2", int2, uint2)
Pair = TypeVar("Pair", bool, Literal[False], Literal[True], default=Literal[False])

@overload
def TMEM(
    shape: tuple[Literal[128], int],
    dtype: type[_Bits32],
    *,
    layout: TMEMLayout[layouts.TMEM_DEFAULT[Literal[1]]] | None = ...,
    collective: Pair = ...,
    packing: Literal[1] | None = ...,
) -> DenseTMEM[_Bits32, layouts.TMEM_DEFAULT_32BIT, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[128], int],
    dtype: type[_Bits16],
    *,
    layout: TMEMLayout[layouts.TMEM_DEFAULT[Literal[1]]] | None = ...,
    collective: Pair = ...,
    packing: Literal[1] | None = ...,
) -> DenseTMEM[_Bits16, layouts.TMEM_DEFAULT_16BIT, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[128], int],
    dtype: type[_Bits16],
    *,
    layout: None = ...,
    collective: Pair = ...,
    packing: Literal[2],
) -> DenseTMEM[_Bits16, layouts.TMEM_DEFAULT_16BIT_PACKED, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[128], int],
    dtype: type[_Bits16],
    *,
    layout: TMEMLayout[layouts.TMEM_DEFAULT[Literal[2]]],
    collective: Pair = ...,
    packing: None = ...,
) -> DenseTMEM[_Bits16, layouts.TMEM_DEFAULT_16BIT_PACKED, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[128], int],
    dtype: type[_Bits8],
    *,
    layout: None = ...,
    collective: Pair = ...,
    packing: Literal[4],
) -> DenseTMEM[_Bits8, layouts.TMEM_DEFAULT_8BIT_PACKED, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[128], int],
    dtype: type[_Bits8],
    *,
    layout: TMEMLayout[layouts.TMEM_DEFAULT[Literal[4]]],
    collective: Pair = ...,
    packing: None = ...,
) -> DenseTMEM[_Bits8, layouts.TMEM_DEFAULT_8BIT_PACKED, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[128], int],
    dtype: type[_Bits4],
    *,
    layout: None = ...,
    collective: Pair = ...,
    packing: Literal[8],
) -> DenseTMEM[_Bits4, layouts.TMEM_DEFAULT_4BIT_PACKED, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[128], int],
    dtype: type[_Bits4],
    *,
    layout: TMEMLayout[layouts.TMEM_DEFAULT[Literal[8]]],
    collective: Pair = ...,
    packing: None = ...,
) -> DenseTMEM[_Bits4, layouts.TMEM_DEFAULT_4BIT_PACKED, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[128], int],
    dtype: type[_Narrow],
    *,
    layout: TMEMLayout[layouts.TMEM_DEFAULT[Literal[1]]] | None = ...,
    collective: Pair = ...,
    packing: Literal[1] | None = ...,
) -> DenseTMEM[_Narrow, layouts.TMEM_NARROW_UNPACKED, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits32],
    *,
    layout: TMEMLayout[layouts.TMEM_HALF_LANE[Literal[1]]] | None = ...,
    collective: Literal[False] = ...,
    packing: Literal[1] | None = ...,
) -> DenseTMEM[_Bits32, layouts.TMEM_HALF_LANE_32BIT, Literal[False]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits16],
    *,
    layout: TMEMLayout[layouts.TMEM_HALF_LANE[Literal[1]]] | None = ...,
    collective: Literal[False] = ...,
    packing: Literal[1] | None = ...,
) -> DenseTMEM[_Bits16, layouts.TMEM_HALF_LANE_16BIT, Literal[False]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits16],
    *,
    layout: None = ...,
    collective: Literal[False] = ...,
    packing: Literal[2],
) -> DenseTMEM[_Bits16, layouts.TMEM_HALF_LANE_16BIT_PACKED, Literal[False]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits16],
    *,
    layout: TMEMLayout[layouts.TMEM_HALF_LANE[Literal[2]]],
    collective: Literal[False] = ...,
    packing: None = ...,
) -> DenseTMEM[_Bits16, layouts.TMEM_HALF_LANE_16BIT_PACKED, Literal[False]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits8],
    *,
    layout: None = ...,
    collective: Literal[False] = ...,
    packing: Literal[4],
) -> DenseTMEM[_Bits8, layouts.TMEM_HALF_LANE_NARROW_PACKED, Literal[False]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits8],
    *,
    layout: TMEMLayout[layouts.TMEM_HALF_LANE[Literal[4]]],
    collective: Literal[False] = ...,
    packing: None = ...,
) -> DenseTMEM[_Bits8, layouts.TMEM_HALF_LANE_NARROW_PACKED, Literal[False]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits4],
    *,
    layout: None = ...,
    collective: Literal[False] = ...,
    packing: Literal[8],
) -> DenseTMEM[_Bits4, layouts.TMEM_HALF_LANE_NARROW_PACKED, Literal[False]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits4],
    *,
    layout: TMEMLayout[layouts.TMEM_HALF_LANE[Literal[8]]],
    collective: Literal[False] = ...,
    packing: None = ...,
) -> DenseTMEM[_Bits4, layouts.TMEM_HALF_LANE_NARROW_PACKED, Literal[False]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Narrow],
    *,
    layout: TMEMLayout[layouts.TMEM_HALF_LANE[Literal[1]]] | None = ...,
    collective: Literal[False] = ...,
    packing: Literal[1] | None = ...,
) -> DenseTMEM[_Narrow, layouts.TMEM_NARROW_UNPACKED, Literal[False]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits32],
    *,
    layout: TMEMLayout[layouts.TMEM_M64_COLLECTIVE[Literal[1]]] | None = ...,
    collective: Literal[True],
    packing: Literal[1] | None = ...,
) -> DenseTMEM[_Bits32, layouts.TMEM_M64_COLLECTIVE_32BIT, Literal[True]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits16],
    *,
    layout: TMEMLayout[layouts.TMEM_M64_COLLECTIVE[Literal[1]]] | None = ...,
    collective: Literal[True],
    packing: Literal[1] | None = ...,
) -> DenseTMEM[_Bits16, layouts.TMEM_M64_COLLECTIVE_16BIT, Literal[True]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits16],
    *,
    layout: None = ...,
    collective: Literal[True],
    packing: Literal[2],
) -> DenseTMEM[_Bits16, layouts.TMEM_M64_COLLECTIVE_16BIT_PACKED, Literal[True]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits16],
    *,
    layout: TMEMLayout[layouts.TMEM_M64_COLLECTIVE[Literal[2]]],
    collective: Literal[True],
    packing: None = ...,
) -> DenseTMEM[_Bits16, layouts.TMEM_M64_COLLECTIVE_16BIT_PACKED, Literal[True]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits8],
    *,
    layout: None = ...,
    collective: Literal[True],
    packing: Literal[4],
) -> DenseTMEM[_Bits8, layouts.TMEM_M64_COLLECTIVE_NARROW_PACKED, Literal[True]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits8],
    *,
    layout: TMEMLayout[layouts.TMEM_M64_COLLECTIVE[Literal[4]]],
    collective: Literal[True],
    packing: None = ...,
) -> DenseTMEM[_Bits8, layouts.TMEM_M64_COLLECTIVE_NARROW_PACKED, Literal[True]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits4],
    *,
    layout: None = ...,
    collective: Literal[True],
    packing: Literal[8],
) -> DenseTMEM[_Bits4, layouts.TMEM_M64_COLLECTIVE_NARROW_PACKED, Literal[True]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Bits4],
    *,
    layout: TMEMLayout[layouts.TMEM_M64_COLLECTIVE[Literal[8]]],
    collective: Literal[True],
    packing: None = ...,
) -> DenseTMEM[_Bits4, layouts.TMEM_M64_COLLECTIVE_NARROW_PACKED, Literal[True]]: ...
@overload
def TMEM(
    shape: tuple[Literal[64], int],
    dtype: type[_Narrow],
    *,
    layout: TMEMLayout[layouts.TMEM_M64_COLLECTIVE[Literal[1]]] | None = ...,
    collective: Literal[True],
    packing: Literal[1] | None = ...,
) -> DenseTMEM[_Narrow, layouts.TMEM_NARROW_UNPACKED, Literal[True]]: ...
@overload
def TMEM(
    shape: tuple[Literal[256, 384, 512, 640, 768, 896, 1024], int],
    dtype: type[_Bits32],
    *,
    layout: TMEMLayout[layouts.TMEM_DEFAULT[Literal[1]]],
    collective: Pair = ...,
    packing: None = ...,
) -> DenseTMEM[_Bits32, layouts.TMEM_ROW_TILES_32BIT, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[256, 384, 512, 640, 768, 896, 1024], int],
    dtype: type[_Bits16],
    *,
    layout: TMEMLayout[layouts.TMEM_DEFAULT[Literal[1]]],
    collective: Pair = ...,
    packing: None = ...,
) -> DenseTMEM[_Bits16, layouts.TMEM_ROW_TILES_16BIT, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[256, 384, 512, 640, 768, 896, 1024], int],
    dtype: type[_Bits16],
    *,
    layout: TMEMLayout[layouts.TMEM_DEFAULT[Literal[2]]],
    collective: Pair = ...,
    packing: None = ...,
) -> DenseTMEM[_Bits16, layouts.TMEM_ROW_TILES_16BIT, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[256, 384, 512, 640, 768, 896, 1024], int],
    dtype: type[_Narrow],
    *,
    layout: TMEMLayout[layouts.TMEM_DEFAULT[Literal[1]]],
    collective: Pair = ...,
    packing: None = ...,
) -> DenseTMEM[_Narrow, layouts.TMEM_NARROW_UNPACKED, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[128, 192, 256, 320, 384, 448, 512], int],
    dtype: type[Token],
    *,
    layout: TMEMLayout[layouts.TMEM_HALF_LANE[Any] | layouts.TMEM_M64_COLLECTIVE[Any]],
    collective: Pair = ...,
    packing: None = ...,
) -> DenseTMEM[Token, layouts.TMEM_ROW_TILES, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[256, 384, 512, 640, 768, 896, 1024], int],
    dtype: type[_Bits8],
    *,
    layout: TMEMLayout[layouts.TMEM_DEFAULT[Literal[4]]],
    collective: Pair = ...,
    packing: None = ...,
) -> DenseTMEM[_Bits8, layouts.TMEM_ROW_TILES, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[256, 384, 512, 640, 768, 896, 1024], int],
    dtype: type[_Bits4],
    *,
    layout: TMEMLayout[layouts.TMEM_DEFAULT[Literal[8]]],
    collective: Pair = ...,
    packing: None = ...,
) -> DenseTMEM[_Bits4, layouts.TMEM_ROW_TILES, Pair]: ...
@overload
def TMEM(
    shape: tuple[Literal[256, 384, 512, 640, 768, 896, 1024], int],
    dtype: type[_Bits2],
    *,
    layout: TMEMLayout[layouts.TMEM_DEFAULT[Literal[16]]],
    collective: Pair = ...,
    packing: None = ...,
) -> DenseTMEM[_Bits2, layouts.TMEM_ROW_TILES, Pair]: ...
@overload
def TMEM(
    shape: tuple[int, ...],
    dtype: type[_Bits2],
    *,
    layout: TMEMLayout[layouts.TMEM_SPARSE_META],
    collective: Pair = ...,
    packing: None = ...,
) -> SparseMetaTMEM[Pair]: ...
@overload
def TMEM(
    shape: tuple[int, ...],
    dtype: type[_Bits8],
    *,
    layout: TMEMLayout[layouts.TMEM_SCALES],
    collective: Pair = ...,
    packing: None = ...,
) -> ScalesTMEM[_Bits8, Pair]: ...
@overload
def TMEM(
    shape: tuple[int, ...],
    dtype: UnknownDType,
    *,
    layout: TMEMLayout[layouts.TMEM_SPARSE_META],
    collective: Pair = ...,
    packing: None = ...,
) -> SparseMetaTMEM[Pair]: ...
@overload
def TMEM(
    shape: tuple[int, ...],
    dtype: UnknownDType,
    *,
    layout: TMEMLayout[layouts.TMEM_SCALES],
    collective: Pair = ...,
    packing: None = ...,
) -> ScalesTMEM[Any, Pair]: ...
@overload
def TMEM(
    shape: tuple[int, ...],
    dtype: type[Token],
    *,
    layout: TMEMLayout[layouts.TMEM_DEFAULT[Any] | layouts.TMEM_HALF_LANE[Any] | layouts.TMEM_M64_COLLECTIVE[Any]]
    | None = ...,
    collective: bool = ...,
    packing: int | None = ...,
) -> DenseTMEM[Token, Any]: ...
@overload
def TMEM(
    shape: tuple[int, ...],
    dtype: UnknownDType,
    *,
    layout: TMEMLayout[layouts.TMEM_DEFAULT[Any] | layouts.TMEM_HALF_LANE[Any] | layouts.TMEM_M64_COLLECTIVE[Any]]
    | None = ...,
    collective: bool = ...,
    packing: int | None = ...,
) -> DenseTMEM[Any, Any]:
    """Tensor memory of (rows, columns) elements (PTX ISA, "Tensor Memory").

    The layout decides what it becomes: `tcgen05.sparse_meta_layout()` a `SparseMetaTMEM`, `tcgen05.scales_layout()` and
    `tcgen05.b_scales_m64_collective_layout()` a `ScalesTMEM`, every other a `DenseTMEM`. Raises ValueError at the
    kernel's lowering where rows, dtype and layout do not go together.
    """

type _Several = Literal[
    2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32
]
"""A number of barriers that is more than one. A number that is not known may be one, and then takes no index."""

@overload
def Barrier(arrival_count: int, num_barriers: Literal[1] = ..., orders_tensor_core: bool = ...) -> BarrierRef: ...
@overload
def Barrier(arrival_count: int, num_barriers: _Several, orders_tensor_core: bool = ...) -> BarrierArray: ...
@overload
def Barrier(arrival_count: int, num_barriers: int, orders_tensor_core: bool = ...) -> Any:
    """One mbarrier (`BarrierRef`), or `num_barriers`, at most 32 (`BarrierArray`), of `arrival_count` arrivals a phase.

    An arrival is a thread's, and a copy's is one. Raises ValueError for a count below 1.
    """

@overload
def TMABarrier(num_barriers: Literal[1] = ...) -> BarrierRef: ...
@overload
def TMABarrier(num_barriers: _Several) -> BarrierArray: ...
@overload
def TMABarrier(num_barriers: int) -> Any:
    """Barriers that one TMA copy completes: `Barrier(1, num_barriers)`."""

@overload
def CtaBarrier(arrival_count: int, num_barriers: Literal[1] = ...) -> CtaBarrierRef: ...
@overload
def CtaBarrier(arrival_count: int, num_barriers: _Several) -> CtaBarrierArray: ...
@overload
def CtaBarrier(arrival_count: int, num_barriers: int) -> Any:
    """Named barriers, of which a block has 16: for `arrival_count` threads, whole warps, else ValueError. Of jax 0.12."""

@overload
def ClusterBarrier(
    collective_dims: Sequence[Dim | Sequence[Dim]],
    arrival_count: int = ...,
    num_barriers: Literal[1] = ...,
    *,
    orders_tensor_core: bool = ...,
    leader_tracked: bool = ...,
) -> CollectiveBarrierRef: ...
@overload
def ClusterBarrier(
    collective_dims: Sequence[Dim | Sequence[Dim]],
    arrival_count: int = ...,
    *,
    num_barriers: _Several,
    orders_tensor_core: bool = ...,
    leader_tracked: bool = ...,
) -> CollectiveBarrierArray: ...
@overload
def ClusterBarrier(
    collective_dims: Sequence[Dim | Sequence[Dim]],
    arrival_count: int,
    num_barriers: _Several,
    *,
    orders_tensor_core: bool = ...,
    leader_tracked: bool = ...,
) -> CollectiveBarrierArray: ...
@overload
def ClusterBarrier(
    collective_dims: Sequence[Dim | Sequence[Dim]],
    arrival_count: int = ...,
    *,
    num_barriers: int,
    orders_tensor_core: bool = ...,
    leader_tracked: bool = ...,
) -> Any: ...
@overload
def ClusterBarrier(
    collective_dims: Sequence[Dim | Sequence[Dim]],
    arrival_count: int,
    num_barriers: int,
    *,
    orders_tensor_core: bool = ...,
    leader_tracked: bool = ...,
) -> Any:
    """Barriers in which the blocks along the cluster's `collective_dims` arrive (`CollectiveBarrierRef`, `…Array`).

    A phase takes `arrival_count` arrivals of each of them. With `leader_tracked` all arrive in the first block's barrier
    alone.
    """

def Many[R](spec: R, n: int) -> tuple[R, ...]:
    """`n` buffers or barriers of the same spec: the body receives a tuple of `n` references."""

class Union[*Members]:
    """Scratch of which one member is used at a time: the members share their memory, as much as the largest takes.

    The body receives a `Union` whose `members` are the references of each; a checker knows them where a tuple is given.
    Keep barriers out of it: what the other members hold overwrites them.
    """

    members: tuple[*Members]
    @overload
    def __new__[*Ts](cls, members: tuple[*Ts]) -> Union[*Ts]: ...
    @overload
    def __new__(cls, members: Sequence[Any]) -> Union[*tuple[Any, ...]]: ...
    def __iter__(self) -> Iterator[Any]: ...
