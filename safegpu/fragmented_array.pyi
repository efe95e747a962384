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
from safegpu.refs import ClusterSmemRef, GmemRef, MultimemRef, SmemRef
from safegpu.scalars import BF16, F16, F32, F64, I1, I8, I16, I32, I64, Dim
from safegpu.utils import MultimemReductionOp

_D = TypeVar("_D", default=Any)
_L = TypeVar("_L")
_L_co = TypeVar("_L_co", covariant=True, default=Any)

# For parameters that are unions of references: a reference of type Any leaves them unknown.
_Dtype = TypeVar("_Dtype", default=Any)
_Layout = TypeVar("_Layout", default=Any)
_Swizzle = TypeVar("_Swizzle", default=Any)

# --- layouts

class FragmentedLayout(Generic[_L_co]):
    """How an array lies in the registers of a warpgroup; `L` is its type in `safegpu.layouts`."""

    def registers_element_type(self, t: ir.Type) -> ir.Type: ...
    def registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]: ...
    def shape_from_registers_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]: ...
    def thread_idxs(self, shape: tuple[int, ...]) -> Any: ...
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
    tiles: tuple[tuple[int, ...], ...]
    def __init__(self, tiles: tuple[tuple[int, ...], ...]) -> None: ...
    def tile_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]: ...
    def untile_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]: ...
    def tile_strides(self, strides: tuple[int, ...]) -> tuple[int, ...]: ...

class Replicated:
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
    def thread_idxs(self, shape: tuple[int, ...]) -> Any: ...
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

class WGSplatFragLayout(FragmentedLayout[Splat]):
    shape: tuple[int, ...]
    def __init__(self, shape: tuple[int, ...] = ...) -> None: ...

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

# --- arrays

type _Number = int | float
type _Atomic = Literal["add", "max", "min", "and", "or", "xor"]
type _Store[D] = GmemRef[D] | SmemRef[D, Any] | ClusterSmemRef[D, Any]
type _StoreAnywhere[D] = GmemRef[D] | SmemRef[D, Any] | ClusterSmemRef[D, Any] | MultimemRef[D]

class _Untyped:
    """Nothing is of this class."""

class FragmentedArray(Generic[_D, _L_co]):
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
        ref: GmemRef[_Dtype] | SmemRef[_Dtype, _Swizzle] | ClusterSmemRef[_Dtype, _Swizzle],
        swizzle: _Swizzle | None,
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
        ref: GmemRef[_Dtype] | SmemRef[_Dtype, _Swizzle] | ClusterSmemRef[_Dtype, _Swizzle],
        swizzle: _Swizzle | None,
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
    def store_tiled[D, Swizzle](
        self: FragmentedArray[D, Tiled],
        ref: GmemRef[D] | SmemRef[D, Swizzle] | ClusterSmemRef[D, Swizzle] | MultimemRef[D],
        swizzle: Swizzle | None,
        optimized: bool = ...,
        tiling_rank: int | None = ...,
        atomic: _Atomic | None = ...,
    ) -> None: ...
    @overload
    def store_tiled[D, Swizzle](
        self: FragmentedArray[D, _ReplicatedLayout],
        ref: GmemRef[D] | SmemRef[D, Swizzle] | ClusterSmemRef[D, Swizzle] | MultimemRef[D],
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
    def store_tiled_async[D, Swizzle](
        self: FragmentedArray[D, Tiled],
        ref: SmemRef[D, Swizzle],
        barrier: BarrierRef,
        cluster_dim: Dim,
        cluster_idx: ir.Value[Any],
        swizzle: Swizzle | None,
        optimized: bool = ...,
        tiling_rank: int | None = ...,
        atomic: None = ...,
    ) -> None: ...
    @overload
    def store_tiled_async[I: (int32, uint32), Swizzle](
        self: FragmentedArray[I, Tiled],
        ref: SmemRef[I, Swizzle],
        barrier: BarrierRef,
        cluster_dim: Dim,
        cluster_idx: ir.Value[Any],
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
    # Without scratch, axis 1 is the columns of an array of two axes: rows lie in several warps.
    @overload
    def reduce[D, L](
        self: FragmentedArray[D, layouts.ReducesTo[L]],
        op: str | Callable[[ir.Value[Any], ir.Value[Any]], ir.Value[Any]],
        axis: Literal[1] | tuple[Literal[1]],
        scratch: None = ...,
        *,
        acc_ilp: int | None = ...,
    ) -> FragmentedArray[D, L]: ...
    @overload
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
    def broadcast_minor[D, L](self: FragmentedArray[D, layouts.BroadcastsTo[L]], n: int) -> FragmentedArray[D, L]:
        """Repeats an array of one value a row along `n` columns."""
    def broadcast_in_dim[L](
        self, shape: tuple[int, ...], source_dimensions: tuple[int, ...], layout: FragmentedLayout[L]
    ) -> FragmentedArray[_D, L]:
        """Repeats an array along new axes: axis i becomes axis `source_dimensions[i]` of `shape`."""

    # Elementwise functions of the author's own, and access by thread.

    @overload
    def foreach(
        self,
        fn: Callable[[ir.Value[Any], tuple[ir.Value[Any], ...]], ir.Value[Any] | None],
        *,
        create_array: Literal[False] = ...,
        is_signed: bool | None = ...,
    ) -> None: ...
    @overload
    def foreach(
        self,
        fn: Callable[[ir.Value[Any], tuple[ir.Value[Any], ...]], ir.Value[Any] | None],
        *,
        create_array: Literal[True],
        is_signed: bool | None = ...,
    ) -> FragmentedArray[Any, _L_co]: ...
    @overload
    def foreach(
        self,
        fn: Callable[[ir.Value[Any], tuple[ir.Value[Any], ...]], ir.Value[Any] | None],
        *,
        create_array: bool,
        is_signed: bool | None = ...,
    ) -> Any:
        """Calls `fn(value, index)` for each element; with `create_array` its results make an array."""
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
def copy_tiled[D, Swizzle](src: GmemRef[D], dst: SmemRef[D, Swizzle], swizzle: Swizzle) -> None: ...
@overload
def copy_tiled[D, Swizzle](src: SmemRef[D, Swizzle], dst: GmemRef[D], swizzle: Swizzle) -> None: ...
@overload
def copy_tiled[D](src: GmemRef[D], dst: SmemRef[D, Literal[16]], swizzle: Literal[16] = ...) -> None: ...
@overload
def copy_tiled[D](src: SmemRef[D, Literal[16]], dst: GmemRef[D], swizzle: Literal[16] = ...) -> None:
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

class TransferPlan(Protocol):
    @property
    def tile_index_transforms(self) -> tuple[Any, ...]: ...
    def select(self, group_elems: Sequence[ir.Value[Any]], /) -> ir.Value[Any]: ...
    def select_if_group(self, group_idx: int, old: ir.Value[Any], new: ir.Value[Any], /) -> ir.Value[Any]: ...

class TrivialTransferPlan(TransferPlan): ...
class StaggeredTransferPlan(TransferPlan): ...

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
def addf(a: ir.Value[Any], b: ir.Value[Any]) -> ir.Value[Any]: ...
def subf(a: ir.Value[Any], b: ir.Value[Any]) -> ir.Value[Any]: ...
def mulf(a: ir.Value[Any], b: ir.Value[Any]) -> ir.Value[Any]: ...
