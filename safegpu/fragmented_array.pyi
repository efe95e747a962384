"""Arrays in the registers of a warpgroup: `FragmentedArray[D, L]`, its layouts, and what moves it."""

import enum
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Literal, Never, Protocol, overload

from jaxlib.mlir import ir
from typing_extensions import TypeVar

from safegpu import layouts
from safegpu.barriers import BarrierRef
from safegpu.dtypes import (
    Token,
    UnknownDType,
    bfloat16,
    bool_,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from safegpu.layouts import Replicated as _ReplicatedLayout
from safegpu.layouts import Splat, Strided, Tiled
from safegpu.refs import ClusterSmemRef, GmemRef, MultimemRef, SmemRef, Swizzle
from safegpu.scalars import BF16, F16, F32, F64, I1, I8, I16, I32, I64, Dim, Index, IndexValue
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

# --- layouts

class FragmentedLayout(Generic[_L_co]):
    """How an array lies in the registers of a warpgroup; `L` is its type in `safegpu.layouts`."""

    def registers_element_type(self, t: ir.Type) -> ir.Type: ...
    def registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]: ...
    def shape_from_registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]: ...
    def thread_idxs(self, shape: tuple[int, ...]) -> Iterable[tuple[ir.Value[ir.IndexType], ...]]:
        """The index in `shape` of the first element of each register of this thread: one plain MLIR value an axis."""
    # Of some layouts alone, but the layout of an array may be asked for them.
    @property
    def vec_size(self) -> int: ...
    @property
    def base_tile_shape(self) -> tuple[int, ...]: ...
    @property
    def vector_length(self) -> int: ...
    def reduce(self, axes: Sequence[int]) -> TiledLayout[Any]: ...
    def remove_dimension(self, dim: int) -> TiledLayout[Any]: ...

class Tiling:
    """Tiles of the last dimensions, one after the other: each splits the tile before it."""

    tiles: tuple[tuple[int, ...], ...]
    def __init__(self, tiles: tuple[tuple[int, ...], ...]) -> None: ...
    def canonicalize(self) -> Tiling: ...
    def tile_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]: ...
    def untile_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]: ...
    def tile_strides(self, strides: tuple[int, ...]) -> tuple[int, ...]: ...
    def tile_indices(self, indices: tuple[int, ...]) -> tuple[int, ...]: ...
    def untile_indices(self, indices: tuple[int, ...]) -> tuple[int, ...]: ...
    def tile_dimension(self, dim: int) -> tuple[bool, ...]:
        """Which dimensions of the tiled shape come of dimension `dim`."""
    def remove_dimension(self, dim: int) -> Tiling: ...
    def tile_nested_shape_strides(
        self, shape: tuple[tuple[int, ...], ...], strides: tuple[tuple[int, ...], ...]
    ) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]: ...

class Replicated:
    """In place of a dimension in `warp_dims` or `lane_dims`: so many warps or lanes hold the same elements."""

    times: int
    def __init__(self, times: int) -> None: ...

class TiledLayout(FragmentedLayout[_L_co]):
    """A tiled register layout. The named constants know their type; one built by hand is unknown."""

    tiling: Tiling
    warp_dims: tuple[int | Replicated, ...]
    lane_dims: tuple[int | Replicated, ...]
    vector_dim: int
    def __new__(
        cls,
        tiling: Tiling,
        warp_dims: tuple[int | Replicated, ...],
        lane_dims: tuple[int | Replicated, ...],
        vector_dim: int,
        _check_canonical: bool = ...,
    ) -> TiledLayout[Any]: ...
    @property
    def base_tile_shape(self) -> tuple[int, ...]: ...
    @property
    def vector_length(self) -> int: ...
    @property
    def replication_factor(self) -> int: ...
    @property
    def tiled_tiling_shape(self) -> tuple[int, ...]: ...
    @property
    def tiled_tiling_rank(self) -> int: ...
    @property
    def partitioned_warp_dims(self) -> tuple[int, ...]: ...
    @property
    def partitioned_lane_dims(self) -> tuple[int, ...]: ...
    def warp_indices(self) -> tuple[ir.Value[ir.IntegerType], ...]: ...
    def lane_indices(self, lane_idx: ir.Value[ir.IntegerType] | None = ...) -> tuple[ir.Value[ir.IntegerType], ...]: ...
    def find_dim_in_tiling(self, dim: int) -> tuple[int, int]: ...
    def subdivide_tile(self, tile_idx: int, new_tile: tuple[int, ...]) -> TiledLayout[Any]: ...
    def thread_idxs(self, shape: tuple[int, ...]) -> Iterable[tuple[ir.Value[ir.IndexType], ...]]: ...
    def registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]: ...
    def shape_from_registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]: ...
    def registers_element_type(self, t: ir.Type) -> ir.Type: ...
    def remove_dimension(self, dim: int) -> TiledLayout[Any]: ...
    def reduce(self, axes: Sequence[int]) -> TiledLayout[Any]: ...
    def canonicalize(self) -> TiledLayout[_L_co]: ...

class WGStridedFragLayout(FragmentedLayout[Strided]):
    shape: tuple[int, ...]
    @property
    def vec_size(self) -> int: ...
    def __init__(self, shape: tuple[int, ...], vec_size: int) -> None: ...
    @classmethod
    def from_shaped_type(cls, shaped_ty: ir.Type) -> WGStridedFragLayout | None: ...
    def linear_thread_idxs(self) -> Iterable[ir.Value[ir.IndexType]]:
        """As `thread_idxs`, of the flattened array."""

class WGSplatFragLayout(FragmentedLayout[Splat]):
    """One scalar stands for an array of this shape."""

    shape: tuple[int, ...]
    def __init__(self, shape: tuple[int, ...] = ...) -> None: ...
    def can_broadcast_to(self, shape: tuple[int, ...]) -> bool: ...

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
def tmem_native_layout(vector_length: int) -> TiledLayout[Any]: ...

class Rounding(enum.Enum):
    TO_NEAREST_EVEN = ...
    TO_POSITIVE_INFINITY = ...
    TO_ZERO = ...
    @property
    def ptx(self) -> str: ...
    @property
    def arith(self) -> enum.IntEnum: ...

# --- arrays

type _Number = int | float
type _Atomic = Literal["add", "max", "min", "and", "or", "xor"]
type _Store[D] = GmemRef[D] | SmemRef[D, Any] | ClusterSmemRef[D, Any]
type _StoreAnywhere[D] = GmemRef[D] | SmemRef[D, Any] | ClusterSmemRef[D, Any] | MultimemRef[D]

type _Visit[S] = Callable[[S, tuple[Index, ...]], object]
type _Map[S] = Callable[[S, tuple[Index, ...]], ir.Value[Any]]

class _Untyped:
    """Nothing is of this class."""

class InRegisters(Generic[_D_co, _L_co]):
    """An array in registers, its dtype one of several: `InRegisters[WgmmaMultiplies16Bit[...], layouts.WGMMA]`."""

class FragmentedArray(InRegisters[_D, _L_co], Generic[_D, _L_co]):
    """An array spread over the registers of a warpgroup.

    `D` is its dtype token and `L` its layout type (`safegpu.layouts`); arrays of two layouts or dtypes do not mix,
    except that a `Splat` array goes with any layout.
    """

    registers: Any
    is_signed: bool | None
    def __init__(self, *, _registers: Any, _layout: FragmentedLayout[_L_co], _is_signed: bool | None) -> None: ...
    @property
    def layout(self) -> TiledLayout[_L_co]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def mlir_dtype(self) -> ir.Type: ...
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
        ref: GmemRef[_Dtype] | SmemRef[_Dtype, Swizzle] | ClusterSmemRef[_Dtype, Swizzle],
        swizzle: Swizzle | None,
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
        ref: GmemRef[_Dtype] | SmemRef[_Dtype, Swizzle] | ClusterSmemRef[_Dtype, Swizzle],
        swizzle: Swizzle | None,
        *,
        is_signed: bool | None = ...,
        layout: TiledLayout[_Layout],
        optimized: bool = ...,
        tiling_rank: int | None = ...,
        _load_fun: Callable[..., Any] = ...,
        _narrow_float_as_int: bool = ...,
    ) -> FragmentedArray[_Dtype, _Layout]:
        """Loads a tiled buffer, by default in `WGMMA_LAYOUT`.

        `swizzle` (bytes; None and 16 are none) is the buffer's own. `tiling_rank` is the number of tile dimensions where it is not
        half the rank. With `optimized` it avoids shared-memory bank conflicts or raises; turn it off for global memory.
        """
    @classmethod
    def load_untiled[D, L](
        cls,
        ref: _Store[D],
        *,
        layout: TiledLayout[L],
        swizzle: int = ...,
        is_signed: bool | None = ...,
        optimized: bool = ...,
    ) -> FragmentedArray[D, L]:
        """Loads a buffer that is not tiled, in the tiled register layout named.

        With `optimized` it avoids shared-memory bank conflicts or raises; turn it off for global memory.
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
    def load_reduce_untiled[F: (float16, bfloat16, float8_e4m3fn, float8_e5m2), L: Tiled | _ReplicatedLayout | Strided](
        cls,
        ref: MultimemRef[F],
        layout: FragmentedLayout[L],
        reduction: Literal["add", "min", "max"],
        swizzle: int = ...,
        is_signed: bool | None = ...,
    ) -> FragmentedArray[F, L]: ...
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
        dtype: type[Token],
        shape: tuple[int, ...],
        dimension: int,
        layout: None = ...,
        *,
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Token, Splat]: ...
    @overload
    @staticmethod
    def broadcasted_iota(
        dtype: type[Token],
        shape: tuple[int, ...],
        dimension: int,
        layout: FragmentedLayout[_L],
        *,
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Token, _L]: ...
    @overload
    @staticmethod
    def broadcasted_iota(
        dtype: ir.Type | UnknownDType,
        shape: tuple[int, ...],
        dimension: int,
        layout: FragmentedLayout[Any] | None = ...,
        *,
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Any, Any]: ...
    @classmethod
    def build[L](
        cls,
        shape: tuple[int, ...],
        layout: FragmentedLayout[L],
        fn: Callable[..., ir.Value[Any]],
        *,
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Any, L]: ...

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
        swizzle: int = ...,
        optimized: bool = ...,
        atomic: _Atomic | None = ...,
    ) -> None: ...
    @overload
    def store_untiled[D](
        self: FragmentedArray[D, Tiled],
        ref: _StoreAnywhere[D],
        *,
        swizzle: int = ...,
        optimized: bool = ...,
        atomic: _Atomic | None = ...,
    ) -> None: ...
    @overload
    def store_untiled[D](
        self: FragmentedArray[D, _ReplicatedLayout],
        ref: _StoreAnywhere[D],
        *,
        swizzle: int = ...,
        optimized: bool = ...,
        atomic: None = ...,
    ) -> None:
        """Stores to a buffer that is not tiled, of the array's own dtype.

        A splat array goes anywhere but to multimem memory. `atomic` adds to what is there, or takes the minimum and so on, and
        needs an array in which no element is replicated (PTX ISA, "red", "multimem.red").
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
        self: FragmentedArray[_Dtype, Tiled],
        ref: GmemRef[_Dtype] | SmemRef[_Dtype, Swizzle] | ClusterSmemRef[_Dtype, Swizzle] | MultimemRef[_Dtype],
        swizzle: Swizzle | None,
        optimized: bool = ...,
        tiling_rank: int | None = ...,
        atomic: _Atomic | None = ...,
    ) -> None: ...
    @overload
    def store_tiled(
        self: FragmentedArray[_Dtype, _ReplicatedLayout],
        ref: GmemRef[_Dtype] | SmemRef[_Dtype, Swizzle] | ClusterSmemRef[_Dtype, Swizzle] | MultimemRef[_Dtype],
        swizzle: Swizzle | None,
        optimized: bool = ...,
        tiling_rank: int | None = ...,
        atomic: None = ...,
    ) -> None:
        """Stores to a tiled buffer, of the array's own dtype; `swizzle` (bytes; None and 16 are none) is the buffer's own."""
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
        ref: SmemRef[_Dtype, Swizzle],
        barrier: BarrierRef,
        cluster_dim: Dim,
        cluster_idx: IndexValue,
        swizzle: Swizzle | None,
        optimized: bool = ...,
        tiling_rank: int | None = ...,
        atomic: None = ...,
    ) -> None: ...
    @overload
    def store_tiled_async(
        self: FragmentedArray[_I, Tiled],
        ref: SmemRef[_I, Swizzle],
        barrier: BarrierRef,
        cluster_dim: Dim,
        cluster_idx: IndexValue,
        swizzle: Swizzle | None,
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
        self: FragmentedArray[D, layouts.WGMMA_UPCAST_2X | layouts.WGMMA_UPCAST_4X],
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
    def astype(
        self, new_dtype: type[Token], *, is_signed: bool | None = ..., rounding: Rounding | None = ...
    ) -> FragmentedArray[Token, _L_co]: ...
    @overload
    def astype(
        self, new_dtype: ir.Type | UnknownDType, *, is_signed: bool | None = ..., rounding: Rounding | None = ...
    ) -> FragmentedArray[Any, _L_co]:
        """Converts each element. Given a dtype token, the signedness is the token's."""
    @overload
    def bitcast(self, elt: type[Token], *, output_is_signed: bool | None = ...) -> FragmentedArray[Token, _L_co]: ...
    @overload
    def bitcast(
        self, elt: ir.Type | UnknownDType, *, output_is_signed: bool | None = ...
    ) -> FragmentedArray[Any, _L_co]:
        """The same bits under another dtype of the same width."""

    # Arithmetic and comparison: a splat array takes the layout of the other operand.

    def __pos__(self) -> FragmentedArray[_D, _L_co]: ...
    def __neg__(self) -> FragmentedArray[_D, _L_co]: ...
    def __invert__(self) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __add__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def __add__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __sub__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def __sub__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __mul__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def __mul__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __truediv__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def __truediv__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __floordiv__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def __floordiv__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __mod__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def __mod__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __pow__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def __pow__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __and__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def __and__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __or__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def __or__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __xor__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def __xor__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __lshift__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def __lshift__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def __rshift__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def __rshift__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | int | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    def __radd__(self, other: _Number | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __rsub__(self, other: _Number | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __rmul__(self, other: _Number | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __rtruediv__(self, other: _Number | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __rfloordiv__(self, other: _Number | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __rmod__(self, other: _Number | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __rpow__(self, other: _Number | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __rand__(self, other: int | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __ror__(self, other: int | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    def __rxor__(self, other: int | ir.Value[Any]) -> FragmentedArray[_D, _L_co]: ...
    @overload  # type: ignore[override]  # Mosaic GPU compares elementwise
    def __eq__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[bool_, L]: ...
    @overload
    def __eq__(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[bool_, _L_co]: ...
    @overload  # type: ignore[override]  # Mosaic GPU compares elementwise
    def __ne__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[bool_, L]: ...
    @overload
    def __ne__(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __lt__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[bool_, L]: ...
    @overload
    def __lt__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __le__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[bool_, L]: ...
    @overload
    def __le__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __gt__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[bool_, L]: ...
    @overload
    def __gt__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def __ge__[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[bool_, L]: ...
    @overload
    def __ge__(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[bool_, _L_co]: ...
    @overload
    def max[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def max(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def min[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def min(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def copysign[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def copysign(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def atan2[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def atan2(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def trunc_div[D, L](self: FragmentedArray[D, Splat], other: FragmentedArray[D, L]) -> FragmentedArray[D, L]: ...
    @overload
    def trunc_div(
        self, other: FragmentedArray[_D, _L_co] | FragmentedArray[_D, Splat] | _Number | ir.Value[Any]
    ) -> FragmentedArray[_D, _L_co]: ...
    def exp(self, *, approx: bool = ...) -> FragmentedArray[_D, _L_co]: ...
    def exp2(self, *, approx: bool = ...) -> FragmentedArray[_D, _L_co]: ...
    def log(self, *, approx: bool = ...) -> FragmentedArray[_D, _L_co]: ...
    def log2(self, *, approx: bool = ...) -> FragmentedArray[_D, _L_co]: ...
    def sin(self, *, approx: bool = ...) -> FragmentedArray[_D, _L_co]: ...
    def cos(self, *, approx: bool = ...) -> FragmentedArray[_D, _L_co]: ...
    def tanh(self, *, approx: bool = ...) -> FragmentedArray[_D, _L_co]: ...
    def rsqrt(self, *, approx: bool = ...) -> FragmentedArray[_D, _L_co]: ...
    def sqrt(self, *, approx: bool = ...) -> FragmentedArray[_D, _L_co]: ...
    def abs(self) -> FragmentedArray[_D, _L_co]: ...
    def round(self) -> FragmentedArray[_D, _L_co]: ...
    def round_even(self) -> FragmentedArray[_D, _L_co]: ...
    def erf(self) -> FragmentedArray[_D, _L_co]: ...
    # The mask, too, is an array in a layout: a splat goes with any, two others must be the same.
    @overload
    def select[D, L](
        self: FragmentedArray[bool_, Splat],
        on_true: FragmentedArray[D, L],
        on_false: FragmentedArray[D, L] | FragmentedArray[D, Splat] | _Number | ir.Value[Any],
    ) -> FragmentedArray[D, L]: ...
    @overload
    def select[D](
        self,
        on_true: FragmentedArray[D, _L_co],
        on_false: FragmentedArray[D, _L_co] | FragmentedArray[D, Splat] | _Number | ir.Value[Any],
    ) -> FragmentedArray[D, _L_co]: ...
    @overload
    def select[D](
        self,
        on_true: FragmentedArray[D, Splat],
        on_false: FragmentedArray[D, _L_co] | FragmentedArray[D, Splat] | _Number | ir.Value[Any],
    ) -> FragmentedArray[D, _L_co]:
        """Elements of `on_true` where this array of `bool_` is true, and of `on_false` elsewhere."""
    def reduce(
        self,
        op: str | Callable[[ir.Value[Any], ir.Value[Any]], ir.Value[Any]],
        axis: int | Sequence[int],
        scratch: SmemRef[Any, Any] | None = ...,
        *,
        acc_ilp: int | None = ...,
    ) -> FragmentedArray[_D, Any]:
        """Reduces along one or several axes: "add", "max", "min" or a function of two values.

        Where elements of several warps meet it needs `scratch` in shared memory.
        """

    # Shape.

    def __getitem__(self, idx: Any) -> FragmentedArray[_D, _L_co]: ...
    def __setitem__[D, L](self: FragmentedArray[D, L], idx: object, value: FragmentedArray[D, L]) -> None: ...
    def copy(self) -> FragmentedArray[_D, _L_co]: ...
    def broadcast(self, shape: tuple[int, ...]) -> FragmentedArray[_D, _L_co]: ...
    def reshape(self, shape: tuple[int, ...]) -> FragmentedArray[_D, _L_co]: ...
    @overload
    def broadcast_minor[D](
        self: FragmentedArray[D, layouts.WGMMA_ROW], n: int
    ) -> FragmentedArray[D, layouts.WGMMA]: ...
    @overload
    def broadcast_minor[D](
        self: FragmentedArray[D, layouts.TCGEN05_ROW], n: int
    ) -> FragmentedArray[D, layouts.TCGEN05]: ...
    def broadcast_in_dim[L](
        self, shape: tuple[int, ...], source_dimensions: tuple[int, ...], layout: FragmentedLayout[L]
    ) -> FragmentedArray[_D, L]:
        """Repeats an array along new axes: axis i becomes axis `source_dimensions[i]` of `shape`."""

    # Elementwise functions of the author's own, and access by thread.

    @overload
    def foreach(
        self: FragmentedArray[float16, Any],
        fn: _Visit[F16],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach(
        self: FragmentedArray[bfloat16, Any],
        fn: _Visit[BF16],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach(
        self: FragmentedArray[float32, Any],
        fn: _Visit[F32],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach(
        self: FragmentedArray[float64, Any],
        fn: _Visit[F64],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach(
        self: FragmentedArray[bool_, Any],
        fn: _Visit[I1],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach[I: (int8, uint8)](
        self: FragmentedArray[I, Any],
        fn: _Visit[I8],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach[I: (int16, uint16)](
        self: FragmentedArray[I, Any],
        fn: _Visit[I16],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach[I: (int32, uint32)](
        self: FragmentedArray[I, Any],
        fn: _Visit[I32],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach[I: (int64, uint64)](
        self: FragmentedArray[I, Any],
        fn: _Visit[I64],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach(
        self: FragmentedArray[float16, _L_co],
        fn: _Map[F16],
        *,
        create_array: Literal[True],
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach(
        self: FragmentedArray[bfloat16, _L_co],
        fn: _Map[BF16],
        *,
        create_array: Literal[True],
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach(
        self: FragmentedArray[float32, _L_co],
        fn: _Map[F32],
        *,
        create_array: Literal[True],
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach(
        self: FragmentedArray[float64, _L_co],
        fn: _Map[F64],
        *,
        create_array: Literal[True],
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach(
        self: FragmentedArray[bool_, _L_co], fn: _Map[I1], *, create_array: Literal[True], is_signed: bool | None = ...
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach[I: (int8, uint8)](
        self: FragmentedArray[I, _L_co], fn: _Map[I8], *, create_array: Literal[True], is_signed: bool | None = ...
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach[I: (int16, uint16)](
        self: FragmentedArray[I, _L_co], fn: _Map[I16], *, create_array: Literal[True], is_signed: bool | None = ...
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach[I: (int32, uint32)](
        self: FragmentedArray[I, _L_co], fn: _Map[I32], *, create_array: Literal[True], is_signed: bool | None = ...
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach[I: (int64, uint64)](
        self: FragmentedArray[I, _L_co], fn: _Map[I64], *, create_array: Literal[True], is_signed: bool | None = ...
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach(
        self, fn: _Visit[ir.Value[Any]], *, create_array: Literal[False] = ..., is_signed: bool | None = ...
    ) -> None: ...
    @overload
    def foreach(
        self, fn: _Map[ir.Value[Any]], *, create_array: Literal[True], is_signed: bool | None = ...
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach(self, fn: _Visit[Any], *, create_array: bool, is_signed: bool | None = ...) -> Any:
        """Calls `fn(value, index)` for each element; with `create_array` its results make an array.

        The value is a scalar of the dtype, a plain MLIR value where there is none, and the index an `Index` for each axis.
        """
    def debug_print(self, fmt: str) -> None: ...
    @classmethod
    def transfer_strided(cls, ref: _StoreAnywhere[Any], vec_size: int) -> Any: ...
    @staticmethod
    def transfer_tiled(
        ref: _Store[Any],
        swizzle: int | None,
        layout: TiledLayout[Any],
        shape: tuple[int, ...],
        optimized: bool = ...,
        ref_tiling_rank: int | None = ...,
        use_txmatrix: bool = ...,
    ) -> Any: ...
    def tree_flatten(self) -> tuple[Any, Any]: ...
    @classmethod
    def tree_unflatten(cls, aux: Any, flat_registers: Any) -> FragmentedArray[Any, Any]: ...

@overload
def optimization_barrier[D, L](a: FragmentedArray[D, L], /) -> FragmentedArray[D, L]: ...
@overload
def optimization_barrier(
    a: FragmentedArray[Any, Any], b: FragmentedArray[Any, Any], /, *arrays: FragmentedArray[Any, Any]
) -> Sequence[FragmentedArray[Any, Any]]:
    """The arrays, behind a point over which the compiler moves no work of theirs."""

def concatenate[D, L](arrays: Sequence[FragmentedArray[D, L]], axis: int = ...) -> FragmentedArray[D, L]:
    """Joins arrays of one dtype and layout along an axis."""

@overload
def copy_tiled(src: GmemRef[_Dtype], dst: SmemRef[_Dtype, Swizzle], swizzle: Swizzle) -> None: ...
@overload
def copy_tiled(src: SmemRef[_Dtype, Swizzle], dst: GmemRef[_Dtype], swizzle: Swizzle) -> None: ...
@overload
def copy_tiled(src: GmemRef[_Dtype], dst: SmemRef[_Dtype, Literal[16]], swizzle: Literal[16] = ...) -> None: ...
@overload
def copy_tiled(src: SmemRef[_Dtype, Literal[16]], dst: GmemRef[_Dtype], swizzle: Literal[16] = ...) -> None:
    """Copies between global memory and shared memory tiled by `(8, 8 * swizzle // bits)`, through registers."""

def tiled_copy_smem_gmem_layout(row_tiles: int, col_tiles: int, swizzle: int, bitwidth: int) -> TiledLayout[Any]: ...

# --- what the transfers are planned with

WARP_SIZE: int
WARPGROUP_SIZE: int
WARPS_IN_WARPGROUP: int
SMEM_BANKS: int
SMEM_BANK_BYTES: int

class TxMatrixIneligible(Exception): ...
class UnsupportedTransferError(Exception): ...
class TransferPlanDerivationError(Exception): ...

type IndexTransform = Callable[[tuple[int, ...]], tuple[int, ...]]

class TransferPlan(Protocol):
    @property
    def tile_index_transforms(self) -> tuple[IndexTransform, ...]: ...
    def select[V: ir.Value[Any]](self, group_elems: Sequence[V], /) -> V: ...
    def select_if_group[V: ir.Value[Any]](self, group_idx: int, old: V, new: V, /) -> V: ...

class TrivialTransferPlan(TransferPlan):
    def select[V: ir.Value[Any]](self, group_elems: Sequence[V]) -> V: ...
    def select_if_group[V: ir.Value[Any]](self, group_idx: int, old: V, new: V) -> V: ...

class StaggeredTransferPlan(TransferPlan):
    stagger: int
    dim: int
    size: int
    group_stride: int
    def __init__(self, stagger: int, dim: int, size: int, group_stride: int) -> None: ...
    @property
    def group_pred(self) -> ir.Value[ir.IntegerType]: ...
    def select[V: ir.Value[Any]](self, group_elems: Sequence[V]) -> V: ...
    def select_if_group[V: ir.Value[Any]](self, group_idx: int, old: V, new: V) -> V: ...

def plan_tiled_transfer(
    nested_ref_shape: Sequence[Sequence[int]],
    nested_ref_strides: Sequence[Sequence[int]],
    layout: TiledLayout[Any],
    element_bits: int,
    swizzle: int,
) -> TransferPlan: ...
def can_relayout_wgmma_4x_to_wgmma_2x(bitwidth: int) -> bool: ...
def can_relayout_wgmma_2x_to_wgmma(bitwidth: int) -> bool: ...
def is_supported_strided_layout_broadcast(
    src: WGStridedFragLayout, dst: WGStridedFragLayout, dims: tuple[int, ...]
) -> bool: ...
def enumerate_negative[T](elems: Sequence[T]) -> Iterable[tuple[int, T]]: ...
def addf[V: ir.Value[Any]](a: V, b: V) -> V: ...
def subf[V: ir.Value[Any]](a: V, b: V) -> V: ...
def mulf[V: ir.Value[Any]](a: V, b: V) -> V: ...
