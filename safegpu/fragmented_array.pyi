"""Arrays in the registers of a warpgroup: `FragmentedArray[D, L]`, its layouts, and what moves it."""

import enum
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Literal, Never, Protocol, SupportsIndex, overload

from jaxlib.mlir import ir
from typing_extensions import TypeVar

from safegpu import layouts
from safegpu.architectures import HasClusters, HasFloat8Multimem
from safegpu.barriers import BarrierRef
from safegpu.dtypes import (
    AtomicallyReduces,
    AtomicallyReducesShared,
    Supporting,
    Token,
    UnknownDType,
    bfloat16,
    bool_,
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
    uint2,
    uint4,
    uint8,
    uint16,
    uint32,
    uint64,
)
from safegpu.layouts import Replicated as _ReplicatedLayout
from safegpu.layouts import Splat, Strided, Tiled
from safegpu.refs import (
    ClusterSmemRef,
    DynamicSlice,
    GmemRef,
    InGmem,
    InMultimem,
    InSmem,
    MultimemRef,
    SmemRef,
    Subscript,
    Swizzle,
)
from safegpu.scalars import BF16, F16, F32, F64, I1, I8, I16, I32, I64, Dim, Index, IndexValue, NoTruth
from safegpu.scalars import c as c
from safegpu.utils import MultimemReductionOp
from safegpu.utils import ReductionKind as ReductionKind

_D = TypeVar("_D", default=Any)
_L = TypeVar("_L")
_L_co = TypeVar("_L_co", covariant=True, default=Any)
_D_co = TypeVar("_D_co", covariant=True)

# For parameters that are unions of references: a reference of type Any leaves them unknown.
_Dtype = TypeVar("_Dtype", default=Any)
_Layout = TypeVar("_Layout", default=Any)
_I = TypeVar("_I", int32, uint32)
_Added = TypeVar("_Added", float16, bfloat16, float32, int32, uint32)
_Op = TypeVar("_Op", bound=MultimemReductionOp, default=Any)

# What dtypes convert to: all, all but the scales of a block-scaled MMA, and so on.
_Wide = TypeVar(
    "_Wide",
    bool_, int2, int4, int8, int16, int32, int64, uint2, uint4, uint8, uint16, uint32, uint64,
    float16, bfloat16, float32, float64,
)  # fmt: skip
_NotScale = TypeVar(
    "_NotScale",
    bool_, int2, int4, int8, int16, int32, int64, uint2, uint4, uint8, uint16, uint32, uint64,
    float4_e2m1fn, float8_e4m3fn, float8_e5m2, float16, bfloat16, float32, float64,
)  # fmt: skip
_NotWide = TypeVar("_NotWide", float4_e2m1fn, float8_e4m3fn, float8_e5m2, float16, bfloat16, float32)
_OfScale = TypeVar("_OfScale", float4_e2m1fn, float8_e8m0fnu, bfloat16, float32)
_Bits2 = TypeVar("_Bits2", int2, uint2)
_Bits4 = TypeVar("_Bits4", int4, uint4, float4_e2m1fn)
_Bits8 = TypeVar("_Bits8", int8, uint8, float8_e4m3fn, float8_e5m2, float8_e8m0fnu)
_Bits16 = TypeVar("_Bits16", int16, uint16, float16, bfloat16)
_Bits32 = TypeVar("_Bits32", int32, uint32, float32)
_Bits64 = TypeVar("_Bits64", int64, uint64, float64)

# --- layouts

class FragmentedLayout(Generic[_L_co]):
    """How an array lies in the registers of a warpgroup; `L` is its type in `safegpu.layouts`."""

    def registers_element_type(self, t: ir.Type) -> ir.Type:
        """The type of one register: a vector of elements of this type, or the element itself."""
    def registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """How many registers a thread holds of an array of this shape, axis by axis."""
    def shape_from_registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the array whose registers have this shape."""
    def thread_idxs(self, shape: tuple[int, ...]) -> Iterable[tuple[ir.Value[ir.IndexType], ...]]:
        """The index in `shape` of the first element of each register of this thread: one plain MLIR value an axis."""
    # Of some layouts alone, but the layout of an array may be asked for them.
    @property
    def vec_size(self) -> int:
        """Of a strided layout: how many neighbours a thread holds."""
    @property
    def base_tile_shape(self) -> tuple[int, ...]:
        """Of a tiled layout: the shape that the warpgroup holds at a time, which divides the array's."""
    @property
    def vector_length(self) -> int:
        """Of a tiled layout: how many elements a register holds."""
    @overload
    def reduce[R](self: FragmentedLayout[layouts.RowsAre[R]], axes: tuple[Literal[1]]) -> TiledLayout[R]: ...
    @overload
    def reduce[R](self: FragmentedLayout[layouts.ColumnsAre[R]], axes: tuple[Literal[0]]) -> TiledLayout[R]: ...
    @overload
    def reduce(self, axes: Sequence[int], *, local_only: bool = ..., op: str | None = ...) -> TiledLayout[Any]:
        """The layout that a reduction along these axes leaves; `local_only` (jax 0.12), one within each thread by `op`."""
    @overload
    def remove_dimension[R](self: FragmentedLayout[layouts.RowsAre[R]], dim: Literal[1]) -> TiledLayout[R]: ...
    @overload
    def remove_dimension[R](self: FragmentedLayout[layouts.ColumnsAre[R]], dim: Literal[0]) -> TiledLayout[R]: ...
    @overload
    def remove_dimension(self, dim: int, *, local_only: bool = ..., op: str | None = ...) -> TiledLayout[Any]:
        """As `reduce`, along one axis."""

class Tiling:
    """Tiles of the last dimensions, one after the other: each splits the tile before it."""

    tiles: tuple[tuple[int, ...], ...]
    def __init__(self, tiles: tuple[tuple[int, ...], ...]) -> None: ...
    def canonicalize(self) -> Tiling:
        """The same tiling, without tiles that split nothing."""
    def tile_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of an array seen in tiles. Raises ValueError where they do not divide it."""
    def untile_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the array whose tiled shape this is. Raises ValueError where it is none."""
    def tile_strides(self, strides: tuple[int, ...]) -> tuple[int, ...]:
        """The strides of an array seen in tiles."""
    def tile_indices(self, indices: tuple[int, ...]) -> tuple[int, ...]:
        """Where the element at these indices is, seen in tiles."""
    def untile_indices(self, indices: tuple[int, ...]) -> tuple[int, ...]:
        """The indices of the element that is there, seen in tiles."""
    def tile_dimension(self, dim: int) -> tuple[bool, ...]:
        """Which dimensions of the tiled shape come of dimension `dim`."""
    def remove_dimension(self, dim: int) -> Tiling:
        """The tiling without this dimension. Raises ValueError where there is none."""
    def tile_nested_shape_strides(
        self, shape: tuple[tuple[int, ...], ...], strides: tuple[tuple[int, ...], ...]
    ) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
        """As `tile_shape` and `tile_strides`, of an array whose dimensions consist of several each."""

class Replicated:
    """In place of a dimension in `warp_dims` or `lane_dims`: so many warps or lanes hold the same elements."""

    times: int
    def __init__(self, times: int) -> None: ...

class Unreduced:
    """In place of a dimension in `warp_dims` or `lane_dims`: so many warps or lanes hold parts of a result (jax 0.12)."""

    times: int
    def __init__(self, times: int) -> None: ...

class TiledLayout(FragmentedLayout[_L_co]):
    """A tiled register layout. The named constants know their type; one built by hand is unknown."""

    tiling: Tiling
    warp_dims: tuple[int | Replicated | Unreduced, ...]
    lane_dims: tuple[int | Replicated | Unreduced, ...]
    vector_dim: int
    unreduced_operation: str | None
    def __new__(
        cls,
        tiling: Tiling,
        warp_dims: tuple[int | Replicated | Unreduced, ...],
        lane_dims: tuple[int | Replicated | Unreduced, ...],
        vector_dim: int,
        # By position, what is fifth is `_check_canonical` in jax 0.11.2.
        unreduced_operation: str | bool | None = ...,
        _check_canonical: bool = ...,
    ) -> TiledLayout[Any]: ...
    @property
    def has_unreduced_dims(self) -> bool:
        """Whether threads hold parts of results, which a reduction has yet to bring together (jax 0.12)."""
    @property
    def base_tile_shape(self) -> tuple[int, ...]:
        """The shape that the warpgroup holds at a time, which divides the array's."""
    @property
    def vector_length(self) -> int:
        """How many elements a register holds."""
    @property
    def replication_factor(self) -> int:
        """How many threads hold each element."""
    @property
    def tiled_tiling_shape(self) -> tuple[int, ...]:
        """The shape of the base tile, seen in tiles."""
    @property
    def tiled_tiling_rank(self) -> int:
        """The length of `tiled_tiling_shape`."""
    @property
    def partitioned_warp_dims(self) -> tuple[int, ...]:
        """The dimensions along which warps hold different elements."""
    @property
    def partitioned_lane_dims(self) -> tuple[int, ...]:
        """The dimensions along which lanes hold different elements."""
    def warp_indices(self) -> tuple[ir.Value[ir.IntegerType], ...]:
        """Where this warp is along each dimension of `tiled_tiling_shape`."""
    def lane_indices(self, lane_idx: ir.Value[ir.IntegerType] | None = ...) -> tuple[ir.Value[ir.IntegerType], ...]:
        """Where this lane is, or the one of this index."""
    def find_dim_in_tiling(self, dim: int) -> tuple[int, int]:
        """In which tile a dimension is, and where in it, both counted from the end. ValueError where there is none."""
    def subdivide_tile(self, tile_idx: int, new_tile: tuple[int, ...]) -> TiledLayout[Any]:
        """The layout with one more tile, behind the one of this (negative) index."""
    def thread_idxs(self, shape: tuple[int, ...]) -> Iterable[tuple[ir.Value[ir.IndexType], ...]]:
        """As `FragmentedLayout.thread_idxs`."""
    def registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """How many registers a thread holds of an array of this shape, axis by axis."""
    def shape_from_registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the array whose registers have this shape."""
    def registers_element_type(self, t: ir.Type) -> ir.Type:
        """A vector of `vector_length` elements."""
    def canonicalize(self) -> TiledLayout[_L_co]:
        """The same layout, written in the one way that compares."""

class WGStridedFragLayout(FragmentedLayout[Strided]):
    """Threads take turns along the flattened array of this shape, `vec_size` elements at a time.

    Raises ValueError where that does not divide it by the 128 threads.
    """

    shape: tuple[int, ...]
    @property
    def vec_size(self) -> int:
        """How many neighbours a thread holds."""
    def __init__(self, shape: tuple[int, ...], vec_size: int) -> None: ...
    @classmethod
    def from_shaped_type(cls, shaped_ty: ir.Type) -> WGStridedFragLayout | None:
        """The strided layout for a reference of this type, up to 64 bits at a time; None where there is none."""
    def linear_thread_idxs(self) -> Iterable[ir.Value[ir.IndexType]]:
        """As `thread_idxs`, of the flattened array."""

class WGSplatFragLayout(FragmentedLayout[Splat]):
    """One scalar stands for an array of this shape."""

    shape: tuple[int, ...]
    def __init__(self, shape: tuple[int, ...] = ...) -> None: ...
    def can_broadcast_to(self, shape: tuple[int, ...]) -> bool:
        """Whether an array of this shape stands for one of `shape`: the last axes are equal, or of length 1."""

WGMMA_LAYOUT: TiledLayout[layouts.WGMMA]
WGMMA_LAYOUT_8BIT: TiledLayout[layouts.WGMMA_8BIT]
WGMMA_LAYOUT_ACC_32BIT: TiledLayout[layouts.WGMMA_ACC_32BIT]
WGMMA_LAYOUT_UPCAST_2X: TiledLayout[layouts.WGMMA_UPCAST_2X]
WGMMA_LAYOUT_UPCAST_4X: TiledLayout[layouts.WGMMA_UPCAST_4X]
WGMMA_TRANSPOSED_LAYOUT: TiledLayout[layouts.WGMMA_TRANSPOSED]
WGMMA_ROW_LAYOUT: TiledLayout[layouts.WGMMA_ROW]
WGMMA_COL_LAYOUT: TiledLayout[layouts.WGMMA_COL]
TCGEN05_LAYOUT: TiledLayout[layouts.TCGEN05]
TCGEN05_TRANSPOSED_LAYOUT: TiledLayout[layouts.TCGEN05_TRANSPOSED]
TCGEN05_ROW_LAYOUT: TiledLayout[layouts.TCGEN05_ROW]
TCGEN05_COL_LAYOUT: TiledLayout[layouts.WGMMA_COL]
TMEM_NATIVE_LAYOUT: TiledLayout[layouts.TMEM_NATIVE]
TMA_INDICES_LAYOUT: TiledLayout[layouts.TMA_INDICES]
TMA_INDICES_4_LAYOUT: TiledLayout[layouts.TMA_INDICES_4]

@overload
def tmem_native_layout(vector_length: Literal[1]) -> TiledLayout[layouts.TMEM_NATIVE_1]: ...
@overload
def tmem_native_layout(vector_length: Literal[2]) -> TiledLayout[layouts.TMEM_NATIVE]: ...
@overload
def tmem_native_layout(vector_length: Literal[4]) -> TiledLayout[layouts.TMEM_NATIVE_4]: ...
@overload
def tmem_native_layout(vector_length: Literal[8]) -> TiledLayout[layouts.TMEM_NATIVE_8]: ...
@overload
def tmem_native_layout(vector_length: Literal[16]) -> TiledLayout[layouts.TMEM_NATIVE_16]: ...
@overload
def tmem_native_layout(vector_length: int) -> TiledLayout[Any]:
    """A thread holds a TMEM lane, `vector_length` elements a register: whole cells of 32 bits are moved as they are."""

class Rounding(enum.Enum):
    """How `astype` rounds to a narrower dtype."""

    TO_NEAREST_EVEN = ...
    TO_POSITIVE_INFINITY = ...
    TO_ZERO = ...
    @property
    def ptx(self) -> str:
        """Its name in PTX."""
    @property
    def arith(self) -> enum.IntEnum:
        """Its name in MLIR's arith dialect."""

# --- arrays

type _Number = int | float
type _Atomic = Literal["add", "max", "min", "and", "or", "xor"]
type _Reduction = str | Callable[[ir.Value[Any], ir.Value[Any]], ir.Value[Any]]
type _Store[D] = GmemRef[D] | SmemRef[D, Any] | ClusterSmemRef[D, Any]
type _StoreAnywhere[D] = GmemRef[D] | SmemRef[D, Any] | ClusterSmemRef[D, Any] | MultimemRef[D]

type _Visit[S] = Callable[[S, tuple[Index, ...]], object]
type _Map[S] = Callable[[S, tuple[Index, ...]], ir.Value[Any]]

type _Static = int | slice[SupportsIndex | None, SupportsIndex | None, SupportsIndex | None] | DynamicSlice[int]

class _Untyped:
    """Nothing is of this class."""

class InRegisters(Generic[_D_co, _L_co]):
    """An array in registers, its dtype one of several: `InRegisters[WgmmaMultiplies16Bit[...], layouts.WGMMA]`."""

# Layouts that have an operation (`safegpu.layouts`): a splat array is one scalar, a strided one has no tiles.
type _Spread = Supporting[Literal["elements in registers"]]
type _Parts = Supporting[Literal["parts"]]
type _Tiles = Supporting[Literal["tiles"]]
type _Turns = Supporting[Literal["turns"]]
type _LeadingAxes = Supporting[Literal["leading axes"]]

# Arrays of the dtypes that have an operation (`safegpu.dtypes`).
type _Arithmetic[L] = InRegisters[Supporting[Literal["arithmetic"]], L]
type _IntegerArithmetic[L] = InRegisters[Supporting[Literal["integer arithmetic"]], L]
type _Bitwise[L] = InRegisters[Supporting[Literal["bitwise operations"]], L]
type _Equality[L] = InRegisters[Supporting[Literal["equality"]], L]
type _Floats[L] = InRegisters[Supporting[Literal["division and float functions"]], L]
type _Reciprocal[L] = InRegisters[Supporting[Literal["reciprocal"]], L]
type _Approximation[L] = InRegisters[Supporting[Literal["approximation"]], L]
type _TanhApproximation[L] = InRegisters[Supporting[Literal["tanh(approx=True)"]], L]
type _Magnitude[L] = InRegisters[Supporting[Literal["absolute value"]], L]
type _Mask[L] = InRegisters[Supporting[Literal["selection"]], L]

class _Exactly(Generic[_Dtype, _Layout]):
    """An array in registers, where its layout is not to be taken for a wider one."""

class FragmentedArray(  # type: ignore[type-var]  # its layout is covariant elsewhere
    InRegisters[_D, _L_co],
    _Exactly[_D, _L_co],  # pyright: ignore[reportInvalidTypeArguments]
    NoTruth,
    Generic[_D, _L_co],
):
    """An array spread over the registers of a warpgroup.

    `D` is its dtype token and `L` its layout type (`safegpu.layouts`); arrays of two layouts or dtypes do not mix,
    except that a `Splat` array goes with any layout.
    """

    registers: Any
    is_signed: bool | None
    def __init__(self, *, _registers: Any, _layout: FragmentedLayout[_L_co], _is_signed: bool | None) -> None: ...
    @property
    def layout(self) -> TiledLayout[_L_co]:
        """How it lies in registers. Written as tiled, which strided and splat arrays are not."""
    @property
    def shape(self) -> tuple[int, ...]:
        """In elements."""
    @property
    def mlir_dtype(self) -> ir.Type:
        """The MLIR type of an element, which knows no sign."""
    @overload
    @classmethod
    def wrap(cls, array: object, dtype: type[Token], layout: FragmentedLayout[_L]) -> FragmentedArray[Token, _L]: ...
    @overload
    @classmethod
    def wrap(cls, array: object, dtype: type[Token], layout: None = ...) -> FragmentedArray[Token, Any]: ...
    @overload
    @classmethod
    def wrap[L](cls, array: object, dtype: UnknownDType, layout: FragmentedLayout[L]) -> FragmentedArray[Any, L]: ...
    @overload
    @classmethod
    def wrap(cls, array: object, dtype: UnknownDType, layout: None = ...) -> FragmentedArray[Any, Any]:
        """`array` as an array of this dtype and layout, once both are checked. It stays the object that it is.

        Raises TypeError for what is no array, ValueError for another dtype, signedness or layout.
        """

    # Loads and constructors.

    @classmethod
    def load_strided[D](
        cls, ref: _Store[D], *, is_signed: bool | None = ..., vec_size: int | None = ...
    ) -> FragmentedArray[D, Strided]:
        """Loads a whole buffer, threads taking turns along its elements, `vec_size` elements at a time.

        Its number of elements is a multiple of 128. Raises ValueError where the shape cannot be read so.
        """
    @overload
    @classmethod
    def load_tiled(
        cls,
        ref: SmemRef[_Dtype, Swizzle] | ClusterSmemRef[_Dtype, Swizzle],
        swizzle: Swizzle,
        *,
        is_signed: bool | None = ...,
        optimized: bool = ...,
        tiling_rank: int | None = ...,
        _load_fun: Callable[..., Any] = ...,
        _narrow_float_as_int: bool = ...,
    ) -> FragmentedArray[_Dtype, layouts.WGMMA]: ...
    @overload
    @classmethod
    def load_tiled(
        cls,
        ref: SmemRef[_Dtype, Swizzle] | ClusterSmemRef[_Dtype, Swizzle],
        swizzle: Swizzle,
        *,
        is_signed: bool | None = ...,
        layout: TiledLayout[_Layout],
        optimized: bool = ...,
        tiling_rank: int | None = ...,
        _load_fun: Callable[..., Any] = ...,
        _narrow_float_as_int: bool = ...,
    ) -> FragmentedArray[_Dtype, _Layout]: ...
    @overload
    @classmethod
    def load_tiled(
        cls,
        ref: GmemRef[_Dtype],
        swizzle: int,
        *,
        is_signed: bool | None = ...,
        optimized: bool,
        tiling_rank: int | None = ...,
        _load_fun: Callable[..., Any] = ...,
        _narrow_float_as_int: bool = ...,
    ) -> FragmentedArray[_Dtype, layouts.WGMMA]: ...
    @overload
    @classmethod
    def load_tiled(
        cls,
        ref: GmemRef[_Dtype],
        swizzle: int,
        *,
        is_signed: bool | None = ...,
        layout: TiledLayout[_Layout],
        optimized: bool,
        tiling_rank: int | None = ...,
        _load_fun: Callable[..., Any] = ...,
        _narrow_float_as_int: bool = ...,
    ) -> FragmentedArray[_Dtype, _Layout]:
        """Loads a tiled buffer, by default in `WGMMA_LAYOUT`.

        `swizzle` (bytes; 16 is none) is the buffer's own. `tiling_rank` is the number of tile dimensions where it is not
        half the rank. With `optimized`, the default, it avoids shared-memory bank conflicts or raises; global memory is loaded with
        `optimized=False`.
        """
    @overload
    @classmethod
    def load_untiled[D, L](
        cls,
        ref: SmemRef[D, Any] | ClusterSmemRef[D, Any],
        *,
        layout: TiledLayout[L],
        swizzle: int = ...,
        is_signed: bool | None = ...,
        optimized: bool = ...,
    ) -> FragmentedArray[D, L]: ...
    @overload
    @classmethod
    def load_untiled[D, L](
        cls,
        ref: GmemRef[D],
        *,
        layout: TiledLayout[L],
        swizzle: int = ...,
        is_signed: bool | None = ...,
        optimized: bool,
    ) -> FragmentedArray[D, L]:
        """Loads a buffer that is not tiled, in the tiled register layout named.

        With `optimized`, the default, it avoids shared-memory bank conflicts or raises; global memory is loaded with
        `optimized=False`.
        """
    @overload
    @classmethod
    def load_reduce_untiled[L: Tiled | _ReplicatedLayout | Strided](
        cls,
        ref: MultimemRef[float32],
        layout: FragmentedLayout[L],
        reduction: Literal["add"],
        swizzle: int = ...,
        is_signed: bool | None = ...,
    ) -> FragmentedArray[float32, L]: ...
    @overload
    @classmethod
    def load_reduce_untiled[F: (float16, bfloat16), L: Tiled | _ReplicatedLayout | Strided](
        cls,
        ref: MultimemRef[F],
        layout: FragmentedLayout[L],
        reduction: Literal["add", "min", "max"],
        swizzle: int = ...,
        is_signed: bool | None = ...,
    ) -> FragmentedArray[F, L]: ...
    @overload
    @classmethod
    def load_reduce_untiled[F8: (float8_e4m3fn, float8_e5m2), L: Tiled | _ReplicatedLayout | Strided](
        cls,
        ref: MultimemRef[F8, HasFloat8Multimem],
        layout: FragmentedLayout[L],
        reduction: Literal["add", "min", "max"],
        swizzle: int = ...,
        is_signed: bool | None = ...,
    ) -> FragmentedArray[F8, L]: ...
    @overload
    @classmethod
    def load_reduce_untiled[I: (int32, uint32, int64, uint64), L: Tiled | _ReplicatedLayout | Strided](
        cls,
        ref: MultimemRef[I],
        layout: FragmentedLayout[L],
        reduction: MultimemReductionOp,
        swizzle: int = ...,
        is_signed: bool | None = ...,
    ) -> FragmentedArray[I, L]:
        """Loads the reduction over all devices of the buffers behind a multimem reference (PTX ISA, "multimem.ld_reduce").

        float32 can be added alone; 16- and 8-bit floats added, or their minimum or maximum taken; integers have 32 or 64 bits.
        The layout is tiled or strided.
        """
    # One overload a scalar type: of a call among the arguments of another, mypy would infer the dtype from there. What a
    # checker cannot type at all (`arith.addi(...)` without types) matches the first.
    @overload
    @classmethod
    def splat(
        cls, value: _Untyped, shape: tuple[int, ...], layout: None = ..., *, is_signed: bool | None = ...
    ) -> FragmentedArray[Any, Splat]: ...
    @overload
    @classmethod
    def splat[L](
        cls, value: _Untyped, shape: tuple[int, ...], layout: FragmentedLayout[L], *, is_signed: bool | None = ...
    ) -> FragmentedArray[Any, L]: ...
    @overload
    @classmethod
    def splat(
        cls, value: F16, shape: tuple[int, ...], layout: None = ..., *, is_signed: None = ...
    ) -> FragmentedArray[float16, Splat]: ...
    @overload
    @classmethod
    def splat(
        cls, value: BF16, shape: tuple[int, ...], layout: None = ..., *, is_signed: None = ...
    ) -> FragmentedArray[bfloat16, Splat]: ...
    @overload
    @classmethod
    def splat(
        cls, value: F32, shape: tuple[int, ...], layout: None = ..., *, is_signed: None = ...
    ) -> FragmentedArray[float32, Splat]: ...
    @overload
    @classmethod
    def splat(
        cls, value: F64, shape: tuple[int, ...], layout: None = ..., *, is_signed: None = ...
    ) -> FragmentedArray[float64, Splat]: ...
    @overload
    @classmethod
    def splat(
        cls, value: I1, shape: tuple[int, ...], layout: None = ..., *, is_signed: Literal[False]
    ) -> FragmentedArray[bool_, Splat]: ...
    @overload
    @classmethod
    def splat(
        cls, value: I8, shape: tuple[int, ...], layout: None = ..., *, is_signed: Literal[True]
    ) -> FragmentedArray[int8, Splat]: ...
    @overload
    @classmethod
    def splat(
        cls, value: I8, shape: tuple[int, ...], layout: None = ..., *, is_signed: Literal[False]
    ) -> FragmentedArray[uint8, Splat]: ...
    @overload
    @classmethod
    def splat(
        cls, value: I16, shape: tuple[int, ...], layout: None = ..., *, is_signed: Literal[True]
    ) -> FragmentedArray[int16, Splat]: ...
    @overload
    @classmethod
    def splat(
        cls, value: I16, shape: tuple[int, ...], layout: None = ..., *, is_signed: Literal[False]
    ) -> FragmentedArray[uint16, Splat]: ...
    @overload
    @classmethod
    def splat(
        cls, value: I32, shape: tuple[int, ...], layout: None = ..., *, is_signed: Literal[True]
    ) -> FragmentedArray[int32, Splat]: ...
    @overload
    @classmethod
    def splat(
        cls, value: I32, shape: tuple[int, ...], layout: None = ..., *, is_signed: Literal[False]
    ) -> FragmentedArray[uint32, Splat]: ...
    @overload
    @classmethod
    def splat(
        cls, value: I64, shape: tuple[int, ...], layout: None = ..., *, is_signed: Literal[True]
    ) -> FragmentedArray[int64, Splat]: ...
    @overload
    @classmethod
    def splat(
        cls, value: I64, shape: tuple[int, ...], layout: None = ..., *, is_signed: Literal[False]
    ) -> FragmentedArray[uint64, Splat]: ...
    @overload
    @classmethod
    def splat(
        cls, value: ir.Value[Any], shape: tuple[int, ...], layout: None = ..., *, is_signed: bool | None = ...
    ) -> FragmentedArray[Any, Splat]: ...
    @overload
    @classmethod
    def splat[L](
        cls, value: F16, shape: tuple[int, ...], layout: FragmentedLayout[L], *, is_signed: None = ...
    ) -> FragmentedArray[float16, L]: ...
    @overload
    @classmethod
    def splat[L](
        cls, value: BF16, shape: tuple[int, ...], layout: FragmentedLayout[L], *, is_signed: None = ...
    ) -> FragmentedArray[bfloat16, L]: ...
    @overload
    @classmethod
    def splat[L](
        cls, value: F32, shape: tuple[int, ...], layout: FragmentedLayout[L], *, is_signed: None = ...
    ) -> FragmentedArray[float32, L]: ...
    @overload
    @classmethod
    def splat[L](
        cls, value: F64, shape: tuple[int, ...], layout: FragmentedLayout[L], *, is_signed: None = ...
    ) -> FragmentedArray[float64, L]: ...
    @overload
    @classmethod
    def splat[L](
        cls, value: I1, shape: tuple[int, ...], layout: FragmentedLayout[L], *, is_signed: Literal[False]
    ) -> FragmentedArray[bool_, L]: ...
    @overload
    @classmethod
    def splat[L](
        cls, value: I8, shape: tuple[int, ...], layout: FragmentedLayout[L], *, is_signed: Literal[True]
    ) -> FragmentedArray[int8, L]: ...
    @overload
    @classmethod
    def splat[L](
        cls, value: I8, shape: tuple[int, ...], layout: FragmentedLayout[L], *, is_signed: Literal[False]
    ) -> FragmentedArray[uint8, L]: ...
    @overload
    @classmethod
    def splat[L](
        cls, value: I16, shape: tuple[int, ...], layout: FragmentedLayout[L], *, is_signed: Literal[True]
    ) -> FragmentedArray[int16, L]: ...
    @overload
    @classmethod
    def splat[L](
        cls, value: I16, shape: tuple[int, ...], layout: FragmentedLayout[L], *, is_signed: Literal[False]
    ) -> FragmentedArray[uint16, L]: ...
    @overload
    @classmethod
    def splat[L](
        cls, value: I32, shape: tuple[int, ...], layout: FragmentedLayout[L], *, is_signed: Literal[True]
    ) -> FragmentedArray[int32, L]: ...
    @overload
    @classmethod
    def splat[L](
        cls, value: I32, shape: tuple[int, ...], layout: FragmentedLayout[L], *, is_signed: Literal[False]
    ) -> FragmentedArray[uint32, L]: ...
    @overload
    @classmethod
    def splat[L](
        cls, value: I64, shape: tuple[int, ...], layout: FragmentedLayout[L], *, is_signed: Literal[True]
    ) -> FragmentedArray[int64, L]: ...
    @overload
    @classmethod
    def splat[L](
        cls, value: I64, shape: tuple[int, ...], layout: FragmentedLayout[L], *, is_signed: Literal[False]
    ) -> FragmentedArray[uint64, L]: ...
    @overload
    @classmethod
    def splat[L](
        cls, value: ir.Value[Any], shape: tuple[int, ...], layout: FragmentedLayout[L], *, is_signed: bool | None = ...
    ) -> FragmentedArray[Any, L]:
        """One scalar for a whole array of this shape. Without a layout it takes little room and goes with any layout.

        `is_signed` says which of the two integer dtypes of its width the array has.
        """
    @overload
    @staticmethod
    def broadcasted_iota(
        dtype: type[_Wide],
        shape: tuple[int, ...],
        dimension: int,
        layout: None = ...,
        *,
        is_signed: bool | None = ...,
    ) -> FragmentedArray[_Wide, Splat]: ...
    @overload
    @staticmethod
    def broadcasted_iota(
        dtype: type[_Wide],
        shape: tuple[int, ...],
        dimension: int,
        layout: FragmentedLayout[_L],
        *,
        is_signed: bool | None = ...,
    ) -> FragmentedArray[_Wide, _L]: ...
    @overload
    @staticmethod
    def broadcasted_iota(
        dtype: ir.Type | UnknownDType,
        shape: tuple[int, ...],
        dimension: int,
        layout: None = ...,
        *,
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Any, Splat]: ...
    @overload
    @staticmethod
    def broadcasted_iota(
        dtype: ir.Type | UnknownDType,
        shape: tuple[int, ...],
        dimension: int,
        layout: FragmentedLayout[_L],
        *,
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Any, _L]:
        """The index of each element along `dimension`, as this dtype. Raises ValueError where there is no such axis.

        The dtype is an integer, or a float of 16 bits or more.
        """
    @classmethod
    def build[L: _Spread](
        cls,
        shape: tuple[int, ...],
        layout: FragmentedLayout[L],
        fn: Callable[..., ir.Value[Any]],
        *,
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Any, L]:
        """An array of `fn(i, j, …)` of the indices of each element, one `Index` an axis. Not right on transposed layouts."""

    # Stores. What the receiver's layout alone forbids is forbidden whatever the arguments are.

    @overload
    def store_untiled[D](
        self: FragmentedArray[D, Splat],
        ref: _Store[D],
        *,
        swizzle: int = ...,
        optimized: bool = ...,
        atomic: None = ...,
    ) -> None: ...
    @overload
    def store_untiled[D](
        self: FragmentedArray[D, Strided],
        ref: _StoreAnywhere[D],
        *,
        swizzle: Literal[16] = ...,
        optimized: bool = ...,
        atomic: None = ...,
    ) -> None: ...
    @overload
    def store_untiled[D](
        self: FragmentedArray[D, Tiled | _ReplicatedLayout],
        ref: SmemRef[D, Any] | ClusterSmemRef[D, Any],
        *,
        swizzle: int = ...,
        optimized: bool = ...,
        atomic: None = ...,
    ) -> None: ...
    @overload
    def store_untiled[D](
        self: FragmentedArray[D, Tiled | _ReplicatedLayout],
        ref: GmemRef[D] | MultimemRef[D],
        *,
        swizzle: int = ...,
        optimized: bool,
        atomic: None = ...,
    ) -> None: ...
    @overload
    def store_untiled(
        self: FragmentedArray[_Dtype, Strided],
        ref: InGmem[AtomicallyReduces[_Dtype, _Op]],
        *,
        swizzle: Literal[16] = ...,
        optimized: bool = ...,
        atomic: _Op,
    ) -> None: ...
    @overload
    def store_untiled(
        self: FragmentedArray[_Dtype, Tiled],
        ref: InGmem[AtomicallyReduces[_Dtype, _Op]],
        *,
        swizzle: int = ...,
        optimized: bool,
        atomic: _Op,
    ) -> None: ...
    @overload
    def store_untiled(
        self: FragmentedArray[_Dtype, Strided],
        ref: InSmem[AtomicallyReducesShared[_Dtype, _Op], Any] | InMultimem[AtomicallyReducesShared[_Dtype, _Op]],
        *,
        swizzle: Literal[16] = ...,
        optimized: bool = ...,
        atomic: _Op,
    ) -> None: ...
    @overload
    def store_untiled(
        self: FragmentedArray[_Dtype, Tiled],
        ref: InSmem[AtomicallyReducesShared[_Dtype, _Op], Any],
        *,
        swizzle: int = ...,
        optimized: bool = ...,
        atomic: _Op,
    ) -> None: ...
    @overload
    def store_untiled(
        self: FragmentedArray[_Dtype, Tiled],
        ref: InMultimem[AtomicallyReducesShared[_Dtype, _Op]],
        *,
        swizzle: int = ...,
        optimized: bool,
        atomic: _Op,
    ) -> None: ...
    @overload
    def store_untiled[D: (float16, bfloat16, float32, int32, uint32)](
        self: FragmentedArray[D, Strided],
        ref: GmemRef[D] | SmemRef[D, Any] | MultimemRef[D],
        *,
        swizzle: Literal[16] = ...,
        optimized: bool = ...,
        atomic: Literal["add"],
    ) -> None: ...
    @overload
    def store_untiled[D: (float16, bfloat16, float32, int32, uint32)](
        self: FragmentedArray[D, Tiled],
        ref: SmemRef[D, Any],
        *,
        swizzle: int = ...,
        optimized: bool = ...,
        atomic: Literal["add"],
    ) -> None: ...
    @overload
    def store_untiled[D: (float16, bfloat16, float32, int32, uint32)](
        self: FragmentedArray[D, Tiled],
        ref: GmemRef[D] | MultimemRef[D],
        *,
        swizzle: int = ...,
        optimized: bool,
        atomic: Literal["add"],
    ) -> None:
        """Stores to a buffer that is not tiled, of the array's own dtype.

        Tiled arrays go to global and multimem memory with `optimized=False`; a splat array goes anywhere but to multimem memory. `atomic` adds to what is there, or takes the minimum and so on, and needs an
        array in which no element is replicated, of 32-bit integers, or floats of 16 or 32 bits that are added; 16-bit ones in
        global memory also take minimum and maximum (PTX ISA, "red", "multimem.red").
        """
    @overload
    def store_tiled(
        self: FragmentedArray[Any, Strided | Splat],
        *args: object,
        SG205_store_strided_and_splat_arrays_with_store_untiled: Never,
        **kwargs: object,
    ) -> Any: ...
    @overload
    def store_tiled(
        self: FragmentedArray[_Dtype, Tiled | _ReplicatedLayout],
        ref: SmemRef[_Dtype, Swizzle] | ClusterSmemRef[_Dtype, Swizzle],
        swizzle: Swizzle,
        optimized: bool = ...,
        tiling_rank: int | None = ...,
        atomic: None = ...,
    ) -> None: ...
    @overload
    def store_tiled(
        self: FragmentedArray[_Dtype, Tiled | _ReplicatedLayout],
        ref: GmemRef[_Dtype] | MultimemRef[_Dtype],
        swizzle: int,
        optimized: bool,
        tiling_rank: int | None = ...,
        atomic: None = ...,
    ) -> None: ...
    @overload
    def store_tiled(
        self: FragmentedArray[_Dtype, Tiled],
        ref: InGmem[AtomicallyReduces[_Dtype, _Op]],
        swizzle: int,
        optimized: bool,
        tiling_rank: int | None = ...,
        atomic: _Op = ...,
    ) -> None: ...
    @overload
    def store_tiled(
        self: FragmentedArray[_Dtype, Tiled],
        ref: InSmem[AtomicallyReducesShared[_Dtype, _Op], Swizzle],
        swizzle: Swizzle,
        optimized: bool = ...,
        tiling_rank: int | None = ...,
        atomic: _Op = ...,
    ) -> None: ...
    @overload
    def store_tiled(
        self: FragmentedArray[_Dtype, Tiled],
        ref: InMultimem[AtomicallyReducesShared[_Dtype, _Op]],
        swizzle: int,
        optimized: bool,
        tiling_rank: int | None = ...,
        atomic: _Op = ...,
    ) -> None: ...
    @overload
    def store_tiled(
        self: FragmentedArray[_Added, Tiled],
        ref: SmemRef[_Added, Swizzle],
        swizzle: Swizzle,
        optimized: bool = ...,
        tiling_rank: int | None = ...,
        atomic: Literal["add"] = ...,
    ) -> None: ...
    @overload
    def store_tiled(
        self: FragmentedArray[_Added, Tiled],
        ref: GmemRef[_Added] | MultimemRef[_Added],
        swizzle: int,
        optimized: bool,
        tiling_rank: int | None = ...,
        atomic: Literal["add"] = ...,
    ) -> None:
        """Stores to a tiled buffer, of the array's own dtype; `swizzle` (bytes; 16 is none) is the buffer's own.

        `optimized` and `atomic` are as in `store_untiled`.
        """
    @overload
    def store_tiled_async(
        self: FragmentedArray[Any, Strided | Splat | _ReplicatedLayout],
        *args: object,
        SG203_convert_with_to_layout_to_a_tiled_layout_first: Never,
        **kwargs: object,
    ) -> Any: ...
    @overload
    def store_tiled_async(
        self: FragmentedArray[_Dtype, Tiled],
        ref: SmemRef[_Dtype, Swizzle, HasClusters],
        barrier: BarrierRef,
        cluster_dim: Dim,
        cluster_idx: IndexValue,
        swizzle: Swizzle,
        optimized: bool = ...,
        tiling_rank: int | None = ...,
        atomic: None = ...,
    ) -> None: ...
    @overload
    def store_tiled_async(
        self: FragmentedArray[_I, Tiled],
        ref: SmemRef[_I, Swizzle, HasClusters],
        barrier: BarrierRef,
        cluster_dim: Dim,
        cluster_idx: IndexValue,
        swizzle: Swizzle,
        optimized: bool = ...,
        tiling_rank: int | None = ...,
        atomic: _Atomic | None = ...,
    ) -> None:
        """Stores to the same buffer in another block of the cluster (PTX ISA, "st.async"; with `atomic`, "red.async").

        `ref` and `barrier` are this block's own; `cluster_idx` along `cluster_dim` says whose are written. The stores complete on that
        block's barrier, which must have been told to expect their bytes. `atomic` takes 32-bit integers.
        """

    # Layout and dtype.

    # Which layouts convert into which (`FragmentedArray.to_layout`); some ask for a width of the dtype, too.

    @overload
    def to_layout[D, L](self: FragmentedArray[D, Splat], new_layout: FragmentedLayout[L]) -> FragmentedArray[D, L]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, Strided], new_layout: FragmentedLayout[Strided]
    ) -> FragmentedArray[D, Strided]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[
            D,
            layouts.WGMMA
            | layouts.WGMMA_TRANSPOSED
            | layouts.WGMMA_ACC_32BIT
            | layouts.WGMMA_UPCAST_2X
            | layouts.WGMMA_UPCAST_4X,
        ],
        new_layout: FragmentedLayout[layouts.WGMMA],
    ) -> FragmentedArray[D, layouts.WGMMA]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.WGMMA_TRANSPOSED | layouts.WGMMA],
        new_layout: FragmentedLayout[layouts.WGMMA_TRANSPOSED],
    ) -> FragmentedArray[D, layouts.WGMMA_TRANSPOSED]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.WGMMA_ACC_32BIT | layouts.WGMMA],
        new_layout: FragmentedLayout[layouts.WGMMA_ACC_32BIT],
    ) -> FragmentedArray[D, layouts.WGMMA_ACC_32BIT]: ...
    @overload
    def to_layout[D](
        # from WGMMA, jax 0.12
        self: FragmentedArray[D, layouts.WGMMA_UPCAST_2X | layouts.WGMMA_UPCAST_4X | layouts.WGMMA],
        new_layout: FragmentedLayout[layouts.WGMMA_UPCAST_2X],
    ) -> FragmentedArray[D, layouts.WGMMA_UPCAST_2X]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.TCGEN05 | layouts.TCGEN05_TRANSPOSED],
        new_layout: FragmentedLayout[layouts.TCGEN05],
    ) -> FragmentedArray[D, layouts.TCGEN05]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.TCGEN05_TRANSPOSED | layouts.TCGEN05],
        new_layout: FragmentedLayout[layouts.TCGEN05_TRANSPOSED],
    ) -> FragmentedArray[D, layouts.TCGEN05_TRANSPOSED]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[
            D,
            layouts.TMEM_NATIVE
            | layouts.TMEM_NATIVE_1
            | layouts.TMEM_NATIVE_4
            | layouts.TMEM_NATIVE_8
            | layouts.TMEM_NATIVE_16,
        ],
        new_layout: FragmentedLayout[layouts.TMEM_NATIVE],
    ) -> FragmentedArray[D, layouts.TMEM_NATIVE]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[
            D,
            layouts.TMEM_NATIVE
            | layouts.TMEM_NATIVE_1
            | layouts.TMEM_NATIVE_4
            | layouts.TMEM_NATIVE_8
            | layouts.TMEM_NATIVE_16,
        ],
        new_layout: FragmentedLayout[layouts.TMEM_NATIVE_1],
    ) -> FragmentedArray[D, layouts.TMEM_NATIVE_1]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[
            D,
            layouts.TMEM_NATIVE
            | layouts.TMEM_NATIVE_1
            | layouts.TMEM_NATIVE_4
            | layouts.TMEM_NATIVE_8
            | layouts.TMEM_NATIVE_16,
        ],
        new_layout: FragmentedLayout[layouts.TMEM_NATIVE_4],
    ) -> FragmentedArray[D, layouts.TMEM_NATIVE_4]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[
            D,
            layouts.TMEM_NATIVE
            | layouts.TMEM_NATIVE_1
            | layouts.TMEM_NATIVE_4
            | layouts.TMEM_NATIVE_8
            | layouts.TMEM_NATIVE_16,
        ],
        new_layout: FragmentedLayout[layouts.TMEM_NATIVE_8],
    ) -> FragmentedArray[D, layouts.TMEM_NATIVE_8]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[
            D,
            layouts.TMEM_NATIVE
            | layouts.TMEM_NATIVE_1
            | layouts.TMEM_NATIVE_4
            | layouts.TMEM_NATIVE_8
            | layouts.TMEM_NATIVE_16,
        ],
        new_layout: FragmentedLayout[layouts.TMEM_NATIVE_16],
    ) -> FragmentedArray[D, layouts.TMEM_NATIVE_16]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.WGMMA_8BIT], new_layout: FragmentedLayout[layouts.WGMMA_8BIT]
    ) -> FragmentedArray[D, layouts.WGMMA_8BIT]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.WGMMA_UPCAST_4X], new_layout: FragmentedLayout[layouts.WGMMA_UPCAST_4X]
    ) -> FragmentedArray[D, layouts.WGMMA_UPCAST_4X]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.WGMMA_ROW], new_layout: FragmentedLayout[layouts.WGMMA_ROW]
    ) -> FragmentedArray[D, layouts.WGMMA_ROW]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.WGMMA_COL], new_layout: FragmentedLayout[layouts.WGMMA_COL]
    ) -> FragmentedArray[D, layouts.WGMMA_COL]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.TCGEN05_ROW], new_layout: FragmentedLayout[layouts.TCGEN05_ROW]
    ) -> FragmentedArray[D, layouts.TCGEN05_ROW]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.TMEM_NATIVE_ROW], new_layout: FragmentedLayout[layouts.TMEM_NATIVE_ROW]
    ) -> FragmentedArray[D, layouts.TMEM_NATIVE_ROW]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.M64_COLLECTIVE], new_layout: FragmentedLayout[layouts.M64_COLLECTIVE]
    ) -> FragmentedArray[D, layouts.M64_COLLECTIVE]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.TMA_INDICES], new_layout: FragmentedLayout[layouts.TMA_INDICES]
    ) -> FragmentedArray[D, layouts.TMA_INDICES]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.TMA_INDICES_4], new_layout: FragmentedLayout[layouts.TMA_INDICES_4]
    ) -> FragmentedArray[D, layouts.TMA_INDICES_4]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.SCALES], new_layout: FragmentedLayout[layouts.SCALES]
    ) -> FragmentedArray[D, layouts.SCALES]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.HALF_LANE_NATIVE], new_layout: FragmentedLayout[layouts.HALF_LANE_NATIVE]
    ) -> FragmentedArray[D, layouts.HALF_LANE_NATIVE]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.M64_COLLECTIVE_NATIVE],
        new_layout: FragmentedLayout[layouts.M64_COLLECTIVE_NATIVE],
    ) -> FragmentedArray[D, layouts.M64_COLLECTIVE_NATIVE]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.M64_COLLECTIVE_ROW], new_layout: FragmentedLayout[layouts.M64_COLLECTIVE_ROW]
    ) -> FragmentedArray[D, layouts.M64_COLLECTIVE_ROW]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.MMA_ACC_2], new_layout: FragmentedLayout[layouts.MMA_ACC_2]
    ) -> FragmentedArray[D, layouts.MMA_ACC_2]: ...
    @overload
    def to_layout[D](
        self: FragmentedArray[D, layouts.MMA_ACC_1], new_layout: FragmentedLayout[layouts.MMA_ACC_1]
    ) -> FragmentedArray[D, layouts.MMA_ACC_1]: ...
    @overload
    def to_layout[D, P](
        self: FragmentedArray[D, layouts.MMA_LHS[P]], new_layout: FragmentedLayout[layouts.MMA_LHS[P]]
    ) -> FragmentedArray[D, layouts.MMA_LHS[P]]: ...
    @overload
    def to_layout[D, P](
        self: FragmentedArray[D, layouts.MMA_RHS[P]], new_layout: FragmentedLayout[layouts.MMA_RHS[P]]
    ) -> FragmentedArray[D, layouts.MMA_RHS[P]]: ...
    @overload
    def to_layout[D, P](
        self: FragmentedArray[D, layouts.MMA_LHS_2[P]], new_layout: FragmentedLayout[layouts.MMA_LHS_2[P]]
    ) -> FragmentedArray[D, layouts.MMA_LHS_2[P]]: ...
    @overload
    def to_layout[D, P](
        self: FragmentedArray[D, layouts.MMA_RHS_2[P]], new_layout: FragmentedLayout[layouts.MMA_RHS_2[P]]
    ) -> FragmentedArray[D, layouts.MMA_RHS_2[P]]: ...
    @overload
    def to_layout[D, P](
        self: FragmentedArray[D, layouts.MMA_LHS_1[P]], new_layout: FragmentedLayout[layouts.MMA_LHS_1[P]]
    ) -> FragmentedArray[D, layouts.MMA_LHS_1[P]]: ...
    @overload
    def to_layout[D, P](
        self: FragmentedArray[D, layouts.MMA_RHS_1[P]], new_layout: FragmentedLayout[layouts.MMA_RHS_1[P]]
    ) -> FragmentedArray[D, layouts.MMA_RHS_1[P]]:
        """The same array in another layout, where Mosaic GPU converts (`unsupported-layout-conversion`); else NotImplementedError."""
    # Which dtypes convert into which, and which widths are equal: a row of targets for all sources that have them.
    @overload
    def astype(
        self: InRegisters[Supporting[Literal["conversion to any dtype"]], Any],
        new_dtype: type[Token],
        *,
        is_signed: bool | None = ...,
        rounding: Rounding | None = ...,
    ) -> FragmentedArray[Token, _L_co]: ...
    @overload
    def astype(
        self: InRegisters[Supporting[Literal["conversion to all but float8_e8m0fnu"]], Any],
        new_dtype: type[_NotScale],
        *,
        is_signed: bool | None = ...,
        rounding: Rounding | None = ...,
    ) -> FragmentedArray[_NotScale, _L_co]: ...
    @overload
    def astype(
        self: InRegisters[Supporting[Literal["conversion to integers and wide floats"]], Any],
        new_dtype: type[_Wide],
        *,
        is_signed: bool | None = ...,
        rounding: Rounding | None = ...,
    ) -> FragmentedArray[_Wide, _L_co]: ...
    @overload
    def astype(
        self: InRegisters[Supporting[Literal["conversion to narrow floats"]], Any],
        new_dtype: type[_NotWide],
        *,
        is_signed: bool | None = ...,
        rounding: Rounding | None = ...,
    ) -> FragmentedArray[_NotWide, _L_co]: ...
    @overload
    def astype(
        self: InRegisters[Supporting[Literal["conversion of scales"]], Any],
        new_dtype: type[_OfScale],
        *,
        is_signed: bool | None = ...,
        rounding: Rounding | None = ...,
    ) -> FragmentedArray[_OfScale, _L_co]: ...
    @overload
    def astype(
        self: InRegisters[Supporting[Literal["conversion to float8_e4m3fn"]], Any],
        new_dtype: type[float8_e4m3fn],
        *,
        is_signed: bool | None = ...,
        rounding: Rounding | None = ...,
    ) -> FragmentedArray[float8_e4m3fn, _L_co]: ...
    @overload
    def astype(
        self, new_dtype: ir.Type | UnknownDType, *, is_signed: bool | None = ..., rounding: Rounding | None = ...
    ) -> FragmentedArray[Any, _L_co]:
        """Converts each element. Given a dtype token, the signedness is the token's.

        Integers and floats of 16 bits or more convert among each other; narrower floats to and from float16, bfloat16, float32
        and mostly each other (`unsupported-dtype-conversion`), else NotImplementedError.
        """
    @overload
    def bitcast(
        self: InRegisters[Supporting[Literal["1 bit"]], Any], elt: type[bool_], *, output_is_signed: bool | None = ...
    ) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def bitcast(
        self: InRegisters[Supporting[Literal["2 bits"]], Any], elt: type[_Bits2], *, output_is_signed: bool | None = ...
    ) -> FragmentedArray[_Bits2, _L_co]: ...
    @overload
    def bitcast(
        self: InRegisters[Supporting[Literal["4 bits"]], Any], elt: type[_Bits4], *, output_is_signed: bool | None = ...
    ) -> FragmentedArray[_Bits4, _L_co]: ...
    @overload
    def bitcast(
        self: InRegisters[Supporting[Literal["8 bits"]], Any], elt: type[_Bits8], *, output_is_signed: bool | None = ...
    ) -> FragmentedArray[_Bits8, _L_co]: ...
    @overload
    def bitcast(
        self: InRegisters[Supporting[Literal["16 bits"]], Any],
        elt: type[_Bits16],
        *,
        output_is_signed: bool | None = ...,
    ) -> FragmentedArray[_Bits16, _L_co]: ...
    @overload
    def bitcast(
        self: InRegisters[Supporting[Literal["32 bits"]], Any],
        elt: type[_Bits32],
        *,
        output_is_signed: bool | None = ...,
    ) -> FragmentedArray[_Bits32, _L_co]: ...
    @overload
    def bitcast(
        self: InRegisters[Supporting[Literal["64 bits"]], Any],
        elt: type[_Bits64],
        *,
        output_is_signed: bool | None = ...,
    ) -> FragmentedArray[_Bits64, _L_co]: ...
    @overload
    def bitcast(
        self, elt: ir.Type | UnknownDType, *, output_is_signed: bool | None = ...
    ) -> FragmentedArray[Any, _L_co]:
        """The same bits under another dtype of the same width, else ValueError."""

    # Arithmetic and comparison: a splat array takes the layout of the other operand. The last overload of each operator is of
    # all dtypes: where none were left, mypy would go on with what the other operand makes of it, of `x * 2` an int.

    def __pos__(self) -> FragmentedArray[_D, _L_co]: ...
    def __neg__(self: _Arithmetic[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __invert__(self: _Bitwise[Any]) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __add__[L](self: _Arithmetic[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def __add__(
        self: _Arithmetic[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __add__(self: _Floats[Any], other: float) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __add__(self, other: _Untyped) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __sub__[L](self: _Arithmetic[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def __sub__(
        self: _Arithmetic[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __sub__(self: _Floats[Any], other: float) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __sub__(self, other: _Untyped) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __mul__[L](self: _Arithmetic[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def __mul__(
        self: _Arithmetic[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __mul__(self: _Floats[Any], other: float) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __mul__(self, other: _Untyped) -> FragmentedArray[_D, _L_co]: ...
    # Of the scales of a block-scaled MMA there is the reciprocal alone: `1 / scales`.
    @overload
    def __truediv__[L](self: _Reciprocal[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def __truediv__(
        self: _Floats[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __truediv__(self, other: _Untyped) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __floordiv__[L](self: _Arithmetic[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def __floordiv__(
        self: _Arithmetic[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __floordiv__(self: _Floats[Any], other: float) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __floordiv__(self, other: _Untyped) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __mod__[L](self: _IntegerArithmetic[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def __mod__(
        self: _IntegerArithmetic[Any],
        other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any],
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __mod__(self, other: _Untyped) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __pow__[L](self: _Floats[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def __pow__(
        self: _Floats[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __pow__(self: _Arithmetic[Any], other: _Number) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __pow__(self, other: _Untyped) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __and__[L](self: _Bitwise[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def __and__(
        self: _Bitwise[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __and__(self, other: _Untyped) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __or__[L](self: _Bitwise[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def __or__(
        self: _Bitwise[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __or__(self, other: _Untyped) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __xor__[L](self: _Bitwise[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def __xor__(
        self: _Bitwise[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __xor__(self, other: _Untyped) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __lshift__[L](self: _IntegerArithmetic[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def __lshift__(
        self: _IntegerArithmetic[Any],
        other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any],
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __lshift__(self, other: _Untyped) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __rshift__[L](self: _IntegerArithmetic[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def __rshift__(
        self: _IntegerArithmetic[Any],
        other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any],
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __rshift__(self, other: _Untyped) -> FragmentedArray[_D, _L_co]: ...
    def __radd__(self: _Arithmetic[Any], other: _Number | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __rsub__(self: _Arithmetic[Any], other: _Number | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __rmul__(self: _Arithmetic[Any], other: _Number | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __rtruediv__(self: _Floats[Any], other: _Number | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __rtruediv__(self: _Reciprocal[_Spread], other: _Number | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __rfloordiv__(self: _Arithmetic[Any], other: _Number | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __rmod__(self: _IntegerArithmetic[Any], other: int | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __rpow__(self: _Floats[Any], other: _Number | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __rand__(self: _Bitwise[Any], other: int | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __ror__(self: _Bitwise[Any], other: int | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __rxor__(self: _Bitwise[Any], other: int | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    @overload  # type: ignore[override]  # Mosaic GPU compares elementwise
    def __eq__[L](self: _Equality[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[bool_, L]: ...
    @overload
    def __eq__(
        self: _Equality[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __eq__(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, other: _Untyped
    ) -> FragmentedArray[bool_, _L_co]: ...
    @overload  # type: ignore[override]  # Mosaic GPU compares elementwise
    def __ne__[L](self: _Equality[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[bool_, L]: ...
    @overload
    def __ne__(
        self: _Equality[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __ne__(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, other: _Untyped
    ) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __lt__[L](self: _Arithmetic[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[bool_, L]: ...
    @overload
    def __lt__(
        self: _Arithmetic[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __lt__(self: _Floats[Any], other: float) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __lt__(self, other: _Untyped) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __le__[L](self: _Arithmetic[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[bool_, L]: ...
    @overload
    def __le__(
        self: _Arithmetic[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __le__(self: _Floats[Any], other: float) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __le__(self, other: _Untyped) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __gt__[L](self: _Arithmetic[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[bool_, L]: ...
    @overload
    def __gt__(
        self: _Arithmetic[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __gt__(self: _Floats[Any], other: float) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __gt__(self, other: _Untyped) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __ge__[L](self: _Arithmetic[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[bool_, L]: ...
    @overload
    def __ge__(
        self: _Arithmetic[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __ge__(self: _Floats[Any], other: float) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __ge__(self, other: _Untyped) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def max[L](self: _Arithmetic[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def max(
        self: _Arithmetic[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def max(self: _Floats[Any], other: float) -> FragmentedArray[_D, _L_co]:
        """The greater elements, NaN where one is NaN."""
    @overload
    def min[L](self: _Arithmetic[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def min(
        self: _Arithmetic[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def min(self: _Floats[Any], other: float) -> FragmentedArray[_D, _L_co]:
        """The lesser elements, NaN where one is NaN."""
    @overload
    def copysign[L](self: _Floats[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def copysign(
        self: _Floats[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]:
        """These magnitudes with the signs of `other`. Of floats, else NotImplementedError."""
    @overload
    def atan2[L](self: _Floats[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def atan2(
        self: _Floats[Any], other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]:
        """The angle of the points (`other`, this array). Of floats, else NotImplementedError."""
    @overload
    def trunc_div[L](self: _IntegerArithmetic[Splat], other: FragmentedArray[_D, L]) -> FragmentedArray[_D, L]: ...
    @overload
    def trunc_div(
        self: _IntegerArithmetic[Any],
        other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any],
    ) -> FragmentedArray[_D, _L_co]:
        """The quotient, rounded to zero. Raises ValueError but for integers."""
    @overload
    def exp(self: _Floats[Any], *, approx: Literal[False] = ...) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def exp(self: _Approximation[Any], *, approx: bool) -> FragmentedArray[_D, _L_co]:
        """e to these powers. Of floats; `approx` (PTX ISA, "ex2.approx") of float32 alone; else NotImplementedError."""
    @overload
    def exp2(self: _Floats[Any], *, approx: Literal[False] = ...) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def exp2(self: _Approximation[Any], *, approx: bool) -> FragmentedArray[_D, _L_co]:
        """2 to these powers. Of floats; `approx` (PTX ISA, "ex2.approx") of float32 alone; else NotImplementedError."""
    @overload
    def log(self: _Floats[Any], *, approx: Literal[False] = ...) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def log(self: _Approximation[Any], *, approx: bool) -> FragmentedArray[_D, _L_co]:
        """The natural logarithm. Of floats; `approx` (PTX ISA, "lg2.approx") of float32 alone; else NotImplementedError."""
    @overload
    def log2(self: _Floats[Any], *, approx: Literal[False] = ...) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def log2(self: _Approximation[Any], *, approx: bool) -> FragmentedArray[_D, _L_co]:
        """The logarithm to base 2. Of floats; `approx` (PTX ISA, "lg2.approx") of float32 alone; else NotImplementedError."""
    @overload
    def sin(self: _Floats[Any], *, approx: Literal[False] = ...) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def sin(self: _Approximation[Any], *, approx: bool) -> FragmentedArray[_D, _L_co]:
        """The sine. Of floats; `approx` (PTX ISA, "sin.approx") of float32 alone; else NotImplementedError."""
    @overload
    def cos(self: _Floats[Any], *, approx: Literal[False] = ...) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def cos(self: _Approximation[Any], *, approx: bool) -> FragmentedArray[_D, _L_co]:
        """The cosine. Of floats; `approx` (PTX ISA, "cos.approx") of float32 alone; else NotImplementedError."""
    @overload
    def tanh(self: _Floats[Any], *, approx: Literal[False] = ...) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def tanh(self: _TanhApproximation[Any], *, approx: bool) -> FragmentedArray[_D, _L_co]:
        """The hyperbolic tangent. Of floats; `approx` (PTX ISA, "tanh.approx") of float32, float16 and bfloat16 alone; else NotImplementedError."""
    @overload
    def rsqrt(self: _Floats[Any], *, approx: Literal[False] = ...) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def rsqrt(self: _Approximation[Any], *, approx: bool) -> FragmentedArray[_D, _L_co]:
        """One by the square root. Of floats; `approx` (PTX ISA, "rsqrt.approx") of float32 alone; else NotImplementedError."""
    @overload
    def sqrt(self: _Floats[Any], *, approx: Literal[False] = ...) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def sqrt(self: _Approximation[Any], *, approx: bool) -> FragmentedArray[_D, _L_co]:
        """The square root. Of floats; `approx` (PTX ISA, "sqrt.approx") of float32 alone; else NotImplementedError."""
    def abs(self: _Magnitude[Any]) -> FragmentedArray[_D, _L_co]:
        """The magnitudes."""
    def round(self: _Floats[Any]) -> FragmentedArray[_D, _L_co]:
        """The nearest whole numbers, halves away from zero. Of floats, else NotImplementedError."""
    def round_even(self: _Floats[Any]) -> FragmentedArray[_D, _L_co]:
        """The nearest whole numbers, halves to even ones. Of floats, else NotImplementedError."""
    def erf(self: _Floats[Any]) -> FragmentedArray[_D, _L_co]:
        """The error function. Of floats, else NotImplementedError."""
    # The mask, too, is an array in a layout: a splat goes with any, two others must be the same.
    @overload
    def select[D: Supporting[Literal["arithmetic"]], L](
        self: _Mask[Splat],
        on_true: FragmentedArray[D, L],
        on_false: FragmentedArray[D, L] | FragmentedArray[D, Splat] | _Number | ir.Value[Any],
    ) -> FragmentedArray[D, L]: ...
    @overload
    def select[D: Supporting[Literal["arithmetic"]]](
        self: _Mask[Any],
        on_true: FragmentedArray[D, _L_co],
        on_false: FragmentedArray[D, _L_co] | FragmentedArray[D, Splat] | _Number | ir.Value[Any],
    ) -> FragmentedArray[D, _L_co]: ...
    @overload
    def select[D: Supporting[Literal["arithmetic"]]](
        self: _Mask[Any],
        on_true: FragmentedArray[D, Splat],
        on_false: FragmentedArray[D, _L_co] | FragmentedArray[D, Splat] | _Number | ir.Value[Any],
    ) -> FragmentedArray[D, _L_co]:
        """Elements of `on_true` where this array of `bool_` is true, and of `on_false` elsewhere."""
    @property
    def is_unreduced(self) -> bool:
        """Whether threads hold parts of results, which a reduction has yet to bring together (jax 0.12)."""
    # The array of a layout that is not known comes first: it would match them all.
    @overload
    def reduce[L](
        self: InRegisters[Any, _Tiles],
        op: _Reduction,
        axis: int | Sequence[int],
        scratch: SmemRef[Any, Any] | None = ...,
        *,
        acc_ilp: int | None = ...,
        target_layout: TiledLayout[L],
    ) -> FragmentedArray[_D, L]: ...
    @overload
    def reduce[D](
        self: FragmentedArray[D, _Untyped],
        op: _Reduction,
        axis: int | Sequence[int],
        scratch: SmemRef[Any, Any] | None = ...,
        *,
        acc_ilp: int | None = ...,
        target_layout: None = ...,
    ) -> FragmentedArray[D, Any]: ...
    @overload
    def reduce[D](
        self: FragmentedArray[D, Splat],
        op: str,
        axis: int | Sequence[int],
        scratch: SmemRef[Any, Any] | None = ...,
        *,
        acc_ilp: int | None = ...,
        target_layout: None = ...,
    ) -> FragmentedArray[D, Splat]: ...
    @overload
    def reduce[D](
        self: FragmentedArray[D, Strided | layouts.OneAxis],
        op: _Reduction,
        axis: int | Sequence[int],
        scratch: SmemRef[Any, Any] | None = ...,
        *,
        acc_ilp: int | None = ...,
        target_layout: None = ...,
    ) -> FragmentedArray[D, Splat]: ...
    @overload
    def reduce[D, R](
        self: FragmentedArray[D, layouts.RowsAre[R]],
        op: _Reduction,
        axis: Literal[1] | tuple[Literal[1]],
        scratch: SmemRef[Any, Any] | None = ...,
        *,
        acc_ilp: int | None = ...,
        target_layout: None = ...,
    ) -> FragmentedArray[D, R]: ...
    @overload
    def reduce[D, R](
        self: FragmentedArray[D, layouts.ColumnsAre[R]],
        op: _Reduction,
        axis: Literal[0] | tuple[Literal[0]],
        scratch: SmemRef[Any, Any] | None = ...,
        *,
        acc_ilp: int | None = ...,
        target_layout: None = ...,
    ) -> FragmentedArray[D, R]: ...
    @overload
    def reduce(
        self: InRegisters[Any, _Spread],
        op: _Reduction,
        axis: tuple[Literal[0], Literal[1]] | tuple[Literal[1], Literal[0]],
        scratch: SmemRef[Any, Any] | None = ...,
        *,
        acc_ilp: int | None = ...,
        target_layout: None = ...,
    ) -> FragmentedArray[_D, Splat]: ...
    @overload
    def reduce(
        self: InRegisters[Any, _Spread],
        op: _Reduction,
        axis: int | Sequence[int],
        scratch: SmemRef[Any, Any] | None = ...,
        *,
        acc_ilp: int | None = ...,
        target_layout: None = ...,
    ) -> FragmentedArray[_D, Any]:
        """Reduces along one or several axes: "add", "max", "min", "prod" or a function of two registers.

        Of an array with two axes, axis 1 leaves a value a row and axis 0 a value a column, in the layouts named for that,
        and both a splat of shape (). Where several warps hold parts of one result, as along axis 0, it needs `scratch`, a buffer in
        shared memory of the array's dtype with one axis, else ValueError. Strided arrays reduce along all axes: NotImplementedError.
        `target_layout` (jax 0.12) may leave the part across threads to a later reduction.
        """

    # Shape.

    @overload
    def __getitem__(  # type: ignore[overload-overlap]  # a splat array takes other indices, too
        self: InRegisters[Any, _Parts], idx: _Static | tuple[_Static, ...]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __getitem__[D](self: FragmentedArray[D, Splat], idx: Subscript) -> FragmentedArray[D, Splat]:
        """Part of an array, by slices known to Python that cut whole tiles; an int drops an axis that is not tiled.

        Raises ValueError for other slices. A strided array has no parts.
        """
    def __setitem__(
        self: InRegisters[Any, _Tiles], idx: _Static | tuple[_Static, ...], value: FragmentedArray[_D, _L_co]
    ) -> None: ...
    def copy(self) -> FragmentedArray[_D, _L_co]:
        """A copy whose parts can be set (`a[0:64] = b`) without changing this array."""
    def broadcast(self: InRegisters[Any, _LeadingAxes], shape: tuple[int, ...]) -> FragmentedArray[_D, _L_co]:
        """A strided or splat array, repeated along new leading axes; a tiled one repeats by `broadcast_in_dim`."""
    def reshape(self, shape: tuple[int, ...]) -> FragmentedArray[_D, _L_co]:
        """The same elements in another shape. Raises ValueError where more than the first tiled axis would change."""
    @overload
    def broadcast_minor[D](self: FragmentedArray[D, _Untyped], n: int) -> FragmentedArray[D, Any]: ...
    @overload
    def broadcast_minor[D](
        self: FragmentedArray[D, layouts.WGMMA_ROW], n: int
    ) -> FragmentedArray[D, layouts.WGMMA]: ...
    @overload
    def broadcast_minor[D](
        self: FragmentedArray[D, layouts.TCGEN05_ROW], n: int
    ) -> FragmentedArray[D, layouts.TCGEN05]:
        """Repeats one value a row along a new last axis of `n` elements, a multiple of 8 (else ValueError)."""
    @overload
    def broadcast_in_dim[L: _Tiles](
        self: InRegisters[Any, _Tiles],
        shape: tuple[int, ...],
        source_dimensions: tuple[int, ...],
        layout: FragmentedLayout[L],
    ) -> FragmentedArray[_D, L]: ...
    @overload
    def broadcast_in_dim[L: _Turns](
        self: InRegisters[Any, Strided],
        shape: tuple[int, ...],
        source_dimensions: tuple[int, ...],
        layout: FragmentedLayout[L],
    ) -> FragmentedArray[_D, L]: ...
    @overload
    def broadcast_in_dim[L](
        self: InRegisters[Any, Splat],
        shape: tuple[int, ...],
        source_dimensions: tuple[int, ...],
        layout: FragmentedLayout[L],
    ) -> FragmentedArray[_D, L]:
        """Repeats an array along new axes: axis i becomes axis `source_dimensions[i]` of `shape`.

        A splat array repeats in any layout, a strided one in a strided one, a tiled one in a layout of which a reduction along the
        new axes leaves its own; ValueError for another.
        """

    # Elementwise functions of the author's own, and access by thread.

    @overload
    def foreach(
        self: InRegisters[float16, _Spread],
        fn: _Visit[F16],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach(
        self: InRegisters[bfloat16, _Spread],
        fn: _Visit[BF16],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach(
        self: InRegisters[float32, _Spread],
        fn: _Visit[F32],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach(
        self: InRegisters[float64, _Spread],
        fn: _Visit[F64],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach(
        self: InRegisters[bool_, _Spread],
        fn: _Visit[I1],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach[I: (int8, uint8)](
        self: InRegisters[I, _Spread],
        fn: _Visit[I8],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach[I: (int16, uint16)](
        self: InRegisters[I, _Spread],
        fn: _Visit[I16],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach[I: (int32, uint32)](
        self: InRegisters[I, _Spread],
        fn: _Visit[I32],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach[I: (int64, uint64)](
        self: InRegisters[I, _Spread],
        fn: _Visit[I64],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach(
        self: InRegisters[float16, _Spread],
        fn: _Map[F16],
        *,
        create_array: Literal[True],
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach(
        self: InRegisters[bfloat16, _Spread],
        fn: _Map[BF16],
        *,
        create_array: Literal[True],
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach(
        self: InRegisters[float32, _Spread],
        fn: _Map[F32],
        *,
        create_array: Literal[True],
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach(
        self: InRegisters[float64, _Spread],
        fn: _Map[F64],
        *,
        create_array: Literal[True],
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach(
        self: InRegisters[bool_, _Spread], fn: _Map[I1], *, create_array: Literal[True], is_signed: bool | None = ...
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach[I: (int8, uint8)](
        self: InRegisters[I, _Spread], fn: _Map[I8], *, create_array: Literal[True], is_signed: bool | None = ...
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach[I: (int16, uint16)](
        self: InRegisters[I, _Spread], fn: _Map[I16], *, create_array: Literal[True], is_signed: bool | None = ...
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach[I: (int32, uint32)](
        self: InRegisters[I, _Spread], fn: _Map[I32], *, create_array: Literal[True], is_signed: bool | None = ...
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach[I: (int64, uint64)](
        self: InRegisters[I, _Spread], fn: _Map[I64], *, create_array: Literal[True], is_signed: bool | None = ...
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach(
        self: InRegisters[Any, _Spread],
        fn: _Visit[ir.Value[Any]],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach(
        self: InRegisters[Any, _Spread],
        fn: _Map[ir.Value[Any]],
        *,
        create_array: Literal[True],
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach(
        self: InRegisters[Any, _Spread], fn: _Map[Any], *, create_array: bool, is_signed: bool | None = ...
    ) -> Any:
        """Calls `fn(value, index)` for each element; with `create_array` its results make an array.

        The value is a scalar of the dtype, a plain MLIR value where there is none, and the index an `Index` for each axis.
        """
    def debug_print(self: InRegisters[Any, _Spread], fmt: str) -> None:
        """Prints each element with its index; `{}` in `fmt` stands for both."""
    @classmethod
    def transfer_strided(cls, ref: _StoreAnywhere[Any], vec_size: int) -> Any:
        """The steps of a load or store between strided registers and a reference."""
    @staticmethod
    def transfer_tiled(
        ref: _Store[Any],
        swizzle: int,
        layout: TiledLayout[Any],
        shape: tuple[int, ...],
        optimized: bool = ...,
        ref_tiling_rank: int | None = ...,
        use_txmatrix: bool = ...,
    ) -> Any:
        """The steps of a load or store between tiled registers and a tiled reference."""
    def tree_flatten(self) -> tuple[Any, Any]:
        """For JAX."""
    @classmethod
    def tree_unflatten(cls, aux: Any, flat_registers: Any) -> FragmentedArray[Any, Any]:
        """For JAX."""

type _InWholeRegisters = (
    InRegisters[Supporting[Literal["32 bits"]], Any]
    | InRegisters[Supporting[Literal["16 bits"]], _Spread]
    | InRegisters[Supporting[Literal["8 bits"]], _Spread]
)

@overload
def optimization_barrier[A: _InWholeRegisters](a: A, /) -> A: ...
@overload
def optimization_barrier[A: _InWholeRegisters, B: _InWholeRegisters](a: A, b: B, /) -> tuple[A, B]: ...
@overload
def optimization_barrier[A: _InWholeRegisters, B: _InWholeRegisters, C: _InWholeRegisters](
    a: A, b: B, c: C, /
) -> tuple[A, B, C]: ...
@overload
def optimization_barrier(
    a: _InWholeRegisters, b: _InWholeRegisters, /, *arrays: _InWholeRegisters
) -> tuple[FragmentedArray[Any, Any], ...]:
    """The arrays, behind a point over which the compiler moves no work of theirs.

    Of 8, 16 or 32 bits; a splat array of 32. Else NotImplementedError.
    """

def concatenate[D, L: _Spread](arrays: Sequence[_Exactly[D, L]], axis: int = ...) -> FragmentedArray[D, L]:
    """Joins arrays of one dtype and layout along an axis; splat arrays do not join."""

@overload
def copy_tiled(src: GmemRef[_Dtype], dst: SmemRef[_Dtype, Swizzle], swizzle: Swizzle) -> None: ...
@overload
def copy_tiled(src: SmemRef[_Dtype, Swizzle], dst: GmemRef[_Dtype], swizzle: Swizzle) -> None: ...
@overload
def copy_tiled(src: GmemRef[_Dtype], dst: SmemRef[_Dtype, Literal[16]], swizzle: Literal[16] = ...) -> None: ...
@overload
def copy_tiled(src: SmemRef[_Dtype, Literal[16]], dst: GmemRef[_Dtype], swizzle: Literal[16] = ...) -> None:
    """Copies between global memory and shared memory tiled by `(8, 8 * swizzle // bits)`, through registers."""

def tiled_copy_smem_gmem_layout(row_tiles: int, col_tiles: int, swizzle: int, bitwidth: int) -> TiledLayout[Any]:
    """The register layout that `copy_tiled` goes through for so many 8-row tiles. Raises NotImplementedError where they are no

    multiple of four.
    """

# --- what the transfers are planned with

WARP_SIZE: int
WARPGROUP_SIZE: int
WARPS_IN_WARPGROUP: int
SMEM_BANKS: int
SMEM_BANK_BYTES: int

class TxMatrixIneligible(Exception):
    """The matrix instructions cannot make this transfer."""

class UnsupportedTransferError(Exception):
    """This layout cannot be moved to or from such a reference."""

class TransferPlanDerivationError(Exception):
    """There is no way known to avoid bank conflicts."""

type IndexTransform = Callable[[tuple[int, ...]], tuple[int, ...]]

class TransferPlan(Protocol):
    """Which tile each group of threads moves in each step, so that they use different banks of shared memory."""

    @property
    def tile_index_transforms(self) -> tuple[IndexTransform, ...]:
        """For each group of threads, which tile it moves when it is one tile's turn."""
    def select[V: ir.Value[Any]](self, group_elems: Sequence[V], /) -> V:
        """Of values for each group, the one for this thread's."""
    def select_if_group[V: ir.Value[Any]](self, group_idx: int, old: V, new: V, /) -> V:
        """`new` in the threads of this group, and `old` in the others."""

class TrivialTransferPlan(TransferPlan):
    """All threads move the tile whose turn it is."""

    def select[V: ir.Value[Any]](self, group_elems: Sequence[V]) -> V:
        """The one value."""
    def select_if_group[V: ir.Value[Any]](self, group_idx: int, old: V, new: V) -> V:
        """`new`."""

class StaggeredTransferPlan(TransferPlan):
    """Half of the threads are `stagger` tiles ahead along dimension `dim`."""

    stagger: int
    dim: int
    size: int
    group_stride: int
    def __init__(self, stagger: int, dim: int, size: int, group_stride: int) -> None: ...
    @property
    def group_pred(self) -> ir.Value[ir.IntegerType]:
        """True in the threads that are ahead."""
    def select[V: ir.Value[Any]](self, group_elems: Sequence[V]) -> V:
        """Of two values, the second in the threads that are ahead."""
    def select_if_group[V: ir.Value[Any]](self, group_idx: int, old: V, new: V) -> V:
        """`new` in the threads of this group, and `old` in the others."""

def plan_tiled_transfer(
    nested_ref_shape: Sequence[Sequence[int]],
    nested_ref_strides: Sequence[Sequence[int]],
    layout: TiledLayout[Any],
    element_bits: int,
    swizzle: int,
) -> TransferPlan:
    """A plan without bank conflicts; raises TransferPlanDerivationError where none is known. Widths in bits, the swizzle in bytes."""

def plan_gmem_transfer(
    nested_ref_shape: Sequence[Sequence[int]],
    nested_ref_strides: Sequence[Sequence[int]],
    layout: TiledLayout[Any],
    element_bits: int,
) -> TransferPlan:
    """A plan for global memory, of whole sectors (jax 0.12)."""

def can_relayout_wgmma_4x_to_wgmma_2x(bitwidth: int) -> bool:
    """Whether `to_layout` converts so, of elements of this width in bits."""

def can_relayout_wgmma_2x_to_wgmma(bitwidth: int) -> bool:
    """Whether `to_layout` converts so, of elements of this width in bits."""

def is_supported_strided_layout_broadcast(
    src: WGStridedFragLayout, dst: WGStridedFragLayout, dims: tuple[int, ...]
) -> bool:
    """Whether `broadcast_in_dim` repeats so: along leading axes alone."""

def enumerate_negative[T](elems: Sequence[T]) -> Iterable[tuple[int, T]]:
    """As `enumerate`, counting from the end: -1 is the last."""

def addf[V: ir.Value[Any]](a: V, b: V) -> V:
    """The sum of two floats, or vectors of them."""

def subf[V: ir.Value[Any]](a: V, b: V) -> V:
    """The difference of two floats, or vectors of them."""

def mulf[V: ir.Value[Any]](a: V, b: V) -> V:
    """The product of two floats, or vectors of them."""
