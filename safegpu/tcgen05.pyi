"""Blackwell's tensor cores: tensor memory by what it holds, the MMA, and the copies between SMEM and TMEM."""

from typing import Any, Generic, Literal, Never, Self, overload

from jaxlib.mlir import ir
from typing_extensions import TypeVar

from safegpu import layouts
from safegpu.architectures import Elsewhere, HasTcgen05, HasTMEMLoadReduce
from safegpu.barriers import BarrierRef
from safegpu.dtypes import (
    DType,
    ForeignDType,
    Tcgen05Accumulates,
    Token,
    UnknownDType,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e5m2,
    float8_e8m0fnu,
    float16,
    float32,
    int2,
    int32,
    uint2,
    uint32,
)
from safegpu.fragmented_array import TMEM_NATIVE_LAYOUT as TMEM_NATIVE_LAYOUT
from safegpu.fragmented_array import FragmentedArray, Replicated, TiledLayout, Tiling, Unreduced
from safegpu.launch_context import LaunchContext
from safegpu.refs import DynamicSlice, Scratch, SmemRef, Swizzle
from safegpu.scalars import I32, IndexValue, IntegerValue

TMEM_ROWS: int
TMEM_MAX_COLS: int
LAYOUT: TiledLayout[layouts.TCGEN05]
TRANSPOSED_LAYOUT: TiledLayout[layouts.TCGEN05_TRANSPOSED]
ROW_LAYOUT: TiledLayout[layouts.TCGEN05_ROW]
COL_LAYOUT: TiledLayout[layouts.WGMMA_COL]

_D = TypeVar("_D", default=Any)
_T_co = TypeVar("_T_co", covariant=True, default=Any)
_D_co = TypeVar("_D_co", covariant=True)
_P = TypeVar("_P", default=Any)
# Tensor memory is of an architecture that has it: what else is stated is rejected where the memory is named.
_A_co = TypeVar("_A_co", bound=HasTcgen05, covariant=True, default=Any)

# Of the MMA: the dtypes of its operands, of an accumulator of 8-bit floats and of the scales of 4-bit ones; the swizzles of A and B.
_O = TypeVar("_O", default=Any)
# The architecture of B: of which dtypes it multiplies, the accumulator's dtype says.
_On = TypeVar("_On", bound=HasTcgen05, default=Any)
_C = TypeVar("_C", float16, float32)
_A8 = TypeVar("_A8", float8_e4m3fn, float8_e5m2, default=float8_e4m3fn)
_B8 = TypeVar("_B8", float8_e4m3fn, float8_e5m2, default=float8_e4m3fn)
_Meta = TypeVar("_Meta", int2, uint2)
_S4 = TypeVar("_S4", float8_e8m0fnu, float8_e4m3fn, default=float8_e8m0fnu)
# Whether two blocks share the work: of an operation, and of the memory that it uses. One block where it is not said.
Pair = TypeVar("Pair", bool, Literal[False], Literal[True], default=bool)
ASwizzle = TypeVar("ASwizzle", int, Literal[16], Literal[32], Literal[64], Literal[128], default=int)
BSwizzle = TypeVar("BSwizzle", int, Literal[16], Literal[32], Literal[64], Literal[128], default=int)

type LoadReduceOp = Literal["min", "max", "absmin", "absmax"]
type _AnyDType = type[DType] | ir.Type | ForeignDType
type _Window = slice | DynamicSlice[int | IndexValue | IntegerValue]

type _Dense = layouts.TMEM_DEFAULT[Any] | layouts.TMEM_HALF_LANE[Any] | layouts.TMEM_M64_COLLECTIVE[Any]

# --- layouts

class TMEMLayout(TiledLayout[Any], Generic[_T_co]):
    """How a buffer lies in tensor memory; one built by hand is unknown."""

    def __new__(
        cls,
        tiling: Tiling,
        warp_dims: tuple[int | Replicated | Unreduced, ...],
        lane_dims: tuple[int | Replicated | Unreduced, ...],
        vector_dim: int,
        # By position, what is fifth is `_check_canonical` in jax 0.11.2.
        unreduced_operation: str | bool | None = ...,
        _check_canonical: bool = ...,
    ) -> TMEMLayout[Any]: ...
    def check_type(self, shape: tuple[int, ...], bitwidth: int) -> None:
        """Raises ValueError where a shape does not divide into tiles of this layout, or elements of this width do not fit its packing."""
    def cols_in_shape(self, shape: tuple[int, int], bitwidth: int) -> int:
        """How many columns of tensor memory an array of this shape takes. Raises as `check_type`."""
    def canonicalize(self) -> Self:
        """The same layout, written in the one way that compares."""
    @overload
    def as_tiled_layout(
        self: TMEMLayout[layouts.TMEM_DEFAULT[Literal[1]]],
    ) -> TiledLayout[layouts.TMEM_NATIVE_1]: ...
    @overload
    def as_tiled_layout(self: TMEMLayout[layouts.TMEM_DEFAULT[Literal[2]]]) -> TiledLayout[layouts.TMEM_NATIVE]: ...
    @overload
    def as_tiled_layout(
        self: TMEMLayout[layouts.TMEM_DEFAULT[Literal[4]]],
    ) -> TiledLayout[layouts.TMEM_NATIVE_4]: ...
    @overload
    def as_tiled_layout(
        self: TMEMLayout[layouts.TMEM_DEFAULT[Literal[8]]],
    ) -> TiledLayout[layouts.TMEM_NATIVE_8]: ...
    @overload
    def as_tiled_layout(
        self: TMEMLayout[layouts.TMEM_DEFAULT[Literal[16]]],
    ) -> TiledLayout[layouts.TMEM_NATIVE_16]: ...
    @overload
    def as_tiled_layout(self: TMEMLayout[layouts.TMEM_HALF_LANE[Any]]) -> TiledLayout[layouts.HALF_LANE_NATIVE]: ...
    @overload
    def as_tiled_layout(
        self: TMEMLayout[layouts.TMEM_M64_COLLECTIVE[Any]],
    ) -> TiledLayout[layouts.M64_COLLECTIVE_NATIVE]: ...
    @overload
    def as_tiled_layout(self: TMEMLayout[layouts.TMEM_SCALES]) -> TiledLayout[layouts.SCALES]: ...
    @overload
    def as_tiled_layout(self) -> TiledLayout[Any]:
        """The register layout in which a thread holds whole cells of a TMEM lane, the nearest to this layout."""

@overload
def tmem_default_layout(packing: Literal[1] = ...) -> TMEMLayout[layouts.TMEM_DEFAULT[Literal[1]]]: ...
@overload
def tmem_default_layout(packing: Literal[2]) -> TMEMLayout[layouts.TMEM_DEFAULT[Literal[2]]]: ...
@overload
def tmem_default_layout(packing: Literal[4]) -> TMEMLayout[layouts.TMEM_DEFAULT[Literal[4]]]: ...
@overload
def tmem_default_layout(packing: Literal[8]) -> TMEMLayout[layouts.TMEM_DEFAULT[Literal[8]]]: ...
@overload
def tmem_default_layout(packing: Literal[16]) -> TMEMLayout[layouts.TMEM_DEFAULT[Literal[16]]]: ...
@overload
def tmem_default_layout(packing: int) -> TMEMLayout[layouts.TMEM_DEFAULT[Any]]:
    """128 rows, a row a TMEM lane (PTX ISA, "Data path layout D"): of M=128, and of M=256 over two blocks.

    `packing` elements share a 32-bit cell. Raises ValueError unless it is a power of 2.
    """

@overload
def tmem_half_lane_layout(
    columns: int, packing: Literal[1] = ...
) -> TMEMLayout[layouts.TMEM_HALF_LANE[Literal[1]]]: ...
@overload
def tmem_half_lane_layout(columns: int, packing: Literal[2]) -> TMEMLayout[layouts.TMEM_HALF_LANE[Literal[2]]]: ...
@overload
def tmem_half_lane_layout(columns: int, packing: Literal[4]) -> TMEMLayout[layouts.TMEM_HALF_LANE[Literal[4]]]: ...
@overload
def tmem_half_lane_layout(columns: int, packing: Literal[8]) -> TMEMLayout[layouts.TMEM_HALF_LANE[Literal[8]]]: ...
@overload
def tmem_half_lane_layout(columns: int, packing: int) -> TMEMLayout[layouts.TMEM_HALF_LANE[Any]]:
    """64 rows, of M=64 on one block. Raises ValueError unless `columns` is a multiple of 16 and the packing a power of 2."""

@overload
def tmem_m64_collective_layout(
    columns: int, packing: Literal[1] = ...
) -> TMEMLayout[layouts.TMEM_M64_COLLECTIVE[Literal[1]]]: ...
@overload
def tmem_m64_collective_layout(
    columns: int, packing: Literal[2]
) -> TMEMLayout[layouts.TMEM_M64_COLLECTIVE[Literal[2]]]: ...
@overload
def tmem_m64_collective_layout(
    columns: int, packing: Literal[4]
) -> TMEMLayout[layouts.TMEM_M64_COLLECTIVE[Literal[4]]]: ...
@overload
def tmem_m64_collective_layout(
    columns: int, packing: Literal[8]
) -> TMEMLayout[layouts.TMEM_M64_COLLECTIVE[Literal[8]]]: ...
@overload
def tmem_m64_collective_layout(columns: int, packing: int) -> TMEMLayout[layouts.TMEM_M64_COLLECTIVE[Any]]:
    """64 rows a block, of M=128 over two blocks. Raises ValueError as `tmem_half_lane_layout`."""

def fa_m64_collective_layout(columns: int) -> TiledLayout[layouts.M64_COLLECTIVE]:
    """The register layout that TMEM in the `tmem_m64_collective_layout` of so many columns loads into."""

def scales_layout() -> TMEMLayout[layouts.TMEM_SCALES]:
    """Block scales, of A or of B (PTX ISA, "Scale factor A layout in Tensor Memory", `.scale_vec::1X`)."""

def b_scales_m64_collective_layout() -> TMEMLayout[layouts.TMEM_SCALES]:
    """Block scales of B where two blocks compute M=128."""

def sparse_meta_layout() -> TMEMLayout[layouts.TMEM_SPARSE_META]:
    """The metadata of a 2:4 sparse A (PTX ISA, "Sparsity selector"). It stands for itself: no elements are found by it."""

# --- tensor memory

class TMEMRef:
    """What every TMEM reference records; its constructors make one by the layout, a dense one where that is unknown.

    It has no load or store: those belong to what the memory holds.
    """

    @overload
    def __new__(
        cls, address: IntegerValue, shape: tuple[int, int], dtype: type[Token], layout: TMEMLayout[_Dense]
    ) -> DenseTMEM[Token, Any]: ...
    @overload
    def __new__(
        cls, address: IntegerValue, shape: tuple[int, int], dtype: _AnyDType, layout: TMEMLayout[_Dense]
    ) -> DenseTMEM[Any, Any]: ...
    @overload
    def __new__(
        cls,
        address: IntegerValue,
        shape: tuple[int, int],
        dtype: _AnyDType,
        layout: TMEMLayout[layouts.TMEM_SPARSE_META],
    ) -> SparseMetaTMEM: ...
    @overload
    def __new__(
        cls, address: IntegerValue, shape: tuple[int, int], dtype: type[Token], layout: TMEMLayout[layouts.TMEM_SCALES]
    ) -> ScalesTMEM[Token]: ...
    @overload
    def __new__(
        cls, address: IntegerValue, shape: tuple[int, int], dtype: _AnyDType, layout: TMEMLayout[layouts.TMEM_SCALES]
    ) -> ScalesTMEM[Any]: ...
    @property
    def address(self) -> ir.Value[Any]:
        """The first column, and the first lane in the upper 16 bits: 32 bits."""
    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) in elements."""
    @property
    def dtype(self) -> ir.Type:
        """The MLIR type of an element."""
    @property
    def layout(self) -> TMEMLayout[Any]:
        """How the elements lie."""
    @property
    def packing(self) -> int:
        """How many elements share a 32-bit cell."""
    @overload
    @classmethod
    def from_alloc(
        cls,
        tmem_addr_ref: ir.Value[ir.MemRefType],
        shape: tuple[int, int],
        dtype: type[Token],
        collective: bool,
        layout: TMEMLayout[_Dense] | None = ...,
    ) -> DenseTMEM[Token, Any]: ...
    @overload
    @classmethod
    def from_alloc(
        cls,
        tmem_addr_ref: ir.Value[ir.MemRefType],
        shape: tuple[int, int],
        dtype: type[Token],
        collective: bool | None = ...,
        *,
        layout: TMEMLayout[_Dense],
    ) -> DenseTMEM[Token, Any]: ...
    @overload
    @classmethod
    def from_alloc(
        cls,
        tmem_addr_ref: ir.Value[ir.MemRefType],
        shape: tuple[int, int],
        dtype: _AnyDType,
        collective: bool,
        layout: TMEMLayout[_Dense] | None = ...,
    ) -> DenseTMEM[Any, Any]: ...
    @overload
    @classmethod
    def from_alloc(
        cls,
        tmem_addr_ref: ir.Value[ir.MemRefType],
        shape: tuple[int, int],
        dtype: _AnyDType,
        collective: bool | None = ...,
        *,
        layout: TMEMLayout[_Dense],
    ) -> DenseTMEM[Any, Any]: ...
    @overload
    @classmethod
    def from_alloc(
        cls,
        tmem_addr_ref: ir.Value[ir.MemRefType],
        shape: tuple[int, int],
        dtype: _AnyDType,
        collective: bool | None = ...,
        *,
        layout: TMEMLayout[layouts.TMEM_SPARSE_META],
    ) -> SparseMetaTMEM: ...
    @overload
    @classmethod
    def from_alloc(
        cls,
        tmem_addr_ref: ir.Value[ir.MemRefType],
        shape: tuple[int, int],
        dtype: type[Token],
        collective: bool | None = ...,
        *,
        layout: TMEMLayout[layouts.TMEM_SCALES],
    ) -> ScalesTMEM[Token]: ...
    @overload
    @classmethod
    def from_alloc(
        cls,
        tmem_addr_ref: ir.Value[ir.MemRefType],
        shape: tuple[int, int],
        dtype: _AnyDType,
        collective: bool | None = ...,
        *,
        layout: TMEMLayout[layouts.TMEM_SCALES],
    ) -> ScalesTMEM[Any]:
        """Tensor memory whose address `tmem_alloc` left in this buffer of one 32-bit integer.

        Raises ValueError for another buffer, fewer than 32 rows, or neither `layout` nor `collective`.
        """

class InTmem(Generic[_D_co, _T_co, _P]):
    """A matrix in tensor memory, its dtype one of several: `InTmem[Tcgen05Accumulates[...], layouts.M128Accumulator]`."""

class DenseTMEM(TMEMRef, InTmem[_D, _T_co, _P], Generic[_D, _T_co, _P, _A_co]):
    """Tensor memory that holds a matrix: an accumulator, or the left operand of an MMA.

    `D` is its dtype token, `T` its TMEM layout type in `safegpu.layouts`, `P` whether it is a pair of blocks' (`collective`),
    `A` its architecture.
    """

    @overload
    def __get__[ArchitectureWithTensorMemory: HasTcgen05](
        self, scratch: Scratch[ArchitectureWithTensorMemory], owner: type[object] | None = ..., /
    ) -> DenseTMEM[_D, _T_co, _P, ArchitectureWithTensorMemory]: ...
    @overload
    def __get__(self, owner: Elsewhere | None, type_: type[object] | None = ..., /) -> Self:
        """As an attribute of scratch, of the architecture that the scratch states."""

    @overload
    @classmethod
    def wrap(cls, raw: object, dtype: type[Token], layout: TMEMLayout[Any] | None = ...) -> DenseTMEM[Token, Any]: ...
    @overload
    @classmethod
    def wrap(cls, raw: object, dtype: UnknownDType, layout: TMEMLayout[Any] | None = ...) -> DenseTMEM[Any, Any]:
        """`raw` as dense TMEM. Raises TypeError for what is none, ValueError for another dtype or layout."""
    def slice(self, *idxs: _Window) -> Self:
        """Some of the columns, from a multiple of the layout's tile on; an index takes none away."""
    @overload
    def store(
        self: DenseTMEM[Any, layouts.TMEM_NARROW_UNPACKED],
        *args: object,
        SG201_pack_the_allocation_to_move_narrow_dtypes: Never,
        **kwargs: object,
    ) -> Any: ...
    @overload
    def store[D, L](self: DenseTMEM[D, layouts.Takes[L]], value: FragmentedArray[D, L]) -> None:
        """Stores registers (PTX ISA, "tcgen05.st"), in a register layout that the TMEM layout takes and the dtype of the memory.

        `commit_tmem` makes it visible to an MMA. Raises ValueError for another shape, dtype or layout.
        """
    @overload
    def load(
        self: DenseTMEM[Any, layouts.RowTiles],
        *args: object,
        SG204_allocate_one_row_tile_for_each_load: Never,
        **kwargs: object,
    ) -> Any: ...
    @overload
    def load(
        self: DenseTMEM[Any, layouts.TMEM_NARROW_UNPACKED],
        *args: object,
        SG202_pack_the_allocation_to_move_narrow_dtypes: Never,
        **kwargs: object,
    ) -> Any: ...
    @overload
    def load[D, L](
        self: DenseTMEM[D, layouts.LoadsAs[L]],
        layout: None = ...,
        is_signed: bool | None = ...,
        reduce: None = ...,
    ) -> FragmentedArray[D, L]: ...
    @overload
    def load[D](
        self: DenseTMEM[D, layouts.Gives[layouts.TCGEN05]],
        layout: TiledLayout[layouts.TCGEN05],
        is_signed: bool | None = ...,
        reduce: None = ...,
    ) -> FragmentedArray[D, layouts.TCGEN05]: ...
    @overload
    def load[D](
        self: DenseTMEM[D, layouts.Gives[layouts.TMEM_NATIVE]],
        layout: TiledLayout[layouts.TMEM_NATIVE],
        is_signed: bool | None = ...,
        reduce: None = ...,
    ) -> FragmentedArray[D, layouts.TMEM_NATIVE]: ...
    @overload
    def load[D](
        self: DenseTMEM[D, layouts.Gives[layouts.TMEM_NATIVE_1]],
        layout: TiledLayout[layouts.TMEM_NATIVE_1],
        is_signed: bool | None = ...,
        reduce: None = ...,
    ) -> FragmentedArray[D, layouts.TMEM_NATIVE_1]: ...
    @overload
    def load[D](
        self: DenseTMEM[D, layouts.Gives[layouts.TMEM_NATIVE_4]],
        layout: TiledLayout[layouts.TMEM_NATIVE_4],
        is_signed: bool | None = ...,
        reduce: None = ...,
    ) -> FragmentedArray[D, layouts.TMEM_NATIVE_4]: ...
    @overload
    def load[D](
        self: DenseTMEM[D, layouts.Gives[layouts.TMEM_NATIVE_8]],
        layout: TiledLayout[layouts.TMEM_NATIVE_8],
        is_signed: bool | None = ...,
        reduce: None = ...,
    ) -> FragmentedArray[D, layouts.TMEM_NATIVE_8]: ...
    @overload
    def load[D](
        self: DenseTMEM[D, layouts.Gives[layouts.TMEM_NATIVE_16]],
        layout: TiledLayout[layouts.TMEM_NATIVE_16],
        is_signed: bool | None = ...,
        reduce: None = ...,
    ) -> FragmentedArray[D, layouts.TMEM_NATIVE_16]: ...
    @overload
    def load[D](
        self: DenseTMEM[D, layouts.Gives[layouts.WGMMA]],
        layout: TiledLayout[layouts.WGMMA],
        is_signed: bool | None = ...,
        reduce: None = ...,
    ) -> FragmentedArray[D, layouts.WGMMA]: ...
    @overload
    def load[D](
        self: DenseTMEM[D, layouts.Gives[layouts.M64_COLLECTIVE]],
        layout: TiledLayout[layouts.M64_COLLECTIVE],
        is_signed: bool | None = ...,
        reduce: None = ...,
    ) -> FragmentedArray[D, layouts.M64_COLLECTIVE]: ...
    @overload
    def load[D](
        self: DenseTMEM[D, layouts.Gives[layouts.HALF_LANE_NATIVE]],
        layout: TiledLayout[layouts.HALF_LANE_NATIVE],
        is_signed: bool | None = ...,
        reduce: None = ...,
    ) -> FragmentedArray[D, layouts.HALF_LANE_NATIVE]: ...
    @overload
    def load[D](
        self: DenseTMEM[D, layouts.Gives[layouts.M64_COLLECTIVE_NATIVE]],
        layout: TiledLayout[layouts.M64_COLLECTIVE_NATIVE],
        is_signed: bool | None = ...,
        reduce: None = ...,
    ) -> FragmentedArray[D, layouts.M64_COLLECTIVE_NATIVE]: ...
    @overload
    def load(
        self: DenseTMEM[float32, layouts.TMEM_DEFAULT_32BIT, Any, HasTMEMLoadReduce],
        layout: TiledLayout[layouts.TMEM_NATIVE],
        is_signed: bool | None = ...,
        *,
        reduce: LoadReduceOp,
    ) -> tuple[FragmentedArray[float32, layouts.TMEM_NATIVE], FragmentedArray[float32, layouts.TMEM_NATIVE_ROW]]: ...
    @overload
    def load(
        self: DenseTMEM[float32, layouts.TMEM_DEFAULT_32BIT, Any, HasTMEMLoadReduce],
        layout: TiledLayout[layouts.TMEM_NATIVE],
        is_signed: bool | None,
        reduce: LoadReduceOp,
    ) -> tuple[FragmentedArray[float32, layouts.TMEM_NATIVE], FragmentedArray[float32, layouts.TMEM_NATIVE_ROW]]: ...
    @overload
    def load[I: (int32, uint32)](
        self: DenseTMEM[I, layouts.TMEM_DEFAULT_32BIT, Any, HasTMEMLoadReduce],
        layout: TiledLayout[layouts.TMEM_NATIVE],
        is_signed: bool | None = ...,
        *,
        reduce: Literal["min", "max"],
    ) -> tuple[FragmentedArray[I, layouts.TMEM_NATIVE], FragmentedArray[I, layouts.TMEM_NATIVE_ROW]]: ...
    @overload
    def load[I: (int32, uint32)](
        self: DenseTMEM[I, layouts.TMEM_DEFAULT_32BIT, Any, HasTMEMLoadReduce],
        layout: TiledLayout[layouts.TMEM_NATIVE],
        is_signed: bool | None,
        reduce: Literal["min", "max"],
    ) -> tuple[FragmentedArray[I, layouts.TMEM_NATIVE], FragmentedArray[I, layouts.TMEM_NATIVE_ROW]]:
        """Loads into registers (PTX ISA, "tcgen05.ld"), by default in the layout that fits the TMEM layout.

        `wait_load_tmem` comes before the registers are used. With `reduce` it also gives the reduction of each row; that takes 32-bit
        dtypes, 128 rows and `TMEM_NATIVE_LAYOUT`. Raises NotImplementedError for several row tiles.
        """

class SparseMetaTMEM(TMEMRef, Generic[_P]):
    """Tensor memory that holds the 2-bit metadata of a 2:4 sparse A (PTX ISA, "Sparsity selector").

    `tcgen05.async_copy_sparse_metadata_smem_to_tmem` fills it and `tcgen05.mma(..., a_sparse_metadata=)` reads it;
    registers neither store to it nor load from it, because no register layout describes its order.
    """

    @overload
    def __get__[ArchitectureWithTensorMemory: HasTcgen05](
        self, scratch: Scratch[ArchitectureWithTensorMemory], owner: type[object] | None = ..., /
    ) -> Self: ...
    @overload
    def __get__(self, owner: Elsewhere | None, type_: type[object] | None = ..., /) -> Self:
        """As an attribute of scratch, of the architecture that the scratch states."""

    @classmethod
    def wrap(cls, raw: object, dtype: type[int2 | uint2] = ...) -> SparseMetaTMEM:
        """`raw` as the TMEM of metadata. Raises TypeError for what is none, ValueError for another dtype."""
    def slice(self, *idxs: _Window) -> Self:
        """Some of the columns, from a multiple of the layout's tile on; an index takes none away."""
    def store(
        self,
        *args: object,
        SG101_populate_with_async_copy_sparse_metadata_smem_to_tmem: Never,
        **kwargs: object,
    ) -> Any:
        """There is none: `async_copy_sparse_metadata_smem_to_tmem` fills it."""
    def load(
        self,
        *args: object,
        SG102_read_the_metadata_from_the_smem_buffer_it_was_copied_from: Never,
        **kwargs: object,
    ) -> Any:
        """There is none: read the buffer that it was copied from."""

class ScalesTMEM(TMEMRef, Generic[_D, _P]):
    """Tensor memory that holds the block scales of an MMA (PTX ISA, "Scale factor A layout in Tensor Memory")."""

    @overload
    def __get__[ArchitectureWithTensorMemory: HasTcgen05](
        self, scratch: Scratch[ArchitectureWithTensorMemory], owner: type[object] | None = ..., /
    ) -> Self: ...
    @overload
    def __get__(self, owner: Elsewhere | None, type_: type[object] | None = ..., /) -> Self:
        """As an attribute of scratch, of the architecture that the scratch states."""

    @overload
    @classmethod
    def wrap(cls, raw: object, dtype: type[Token]) -> ScalesTMEM[Token]: ...
    @overload
    @classmethod
    def wrap(cls, raw: object, dtype: UnknownDType) -> ScalesTMEM[Any]:
        """`raw` as the TMEM of scales. Raises TypeError for what is none, ValueError for another dtype."""
    def slice(self, *idxs: _Window) -> Self:
        """Some of the columns, from a multiple of the layout's tile on; an index takes none away."""
    def store(self, value: FragmentedArray[_D, layouts.SCALES]) -> None:
        """Stores registers (PTX ISA, "tcgen05.st"); `commit_tmem` makes them visible to an MMA."""
    def load(
        self,
        layout: TiledLayout[layouts.SCALES] | None = ...,
        is_signed: bool | None = ...,
        reduce: None = ...,
    ) -> FragmentedArray[_D, layouts.SCALES]:
        """Loads one tile of 128 rows (PTX ISA, "tcgen05.ld"); `wait_load_tmem` comes before the registers are used."""

# --- the MMA

# Of one block, or of a bool that nobody knows.
type _OneInTmem[D, T] = InTmem[D, T, Literal[False]] | InTmem[D, T, bool]
type _OneDense[D, T] = DenseTMEM[D, T, Literal[False]] | DenseTMEM[D, T, bool]
type _OneSparseMeta = SparseMetaTMEM[Literal[False]] | SparseMetaTMEM[bool]
type _OneScales[D] = ScalesTMEM[D, Literal[False]] | ScalesTMEM[D, bool]

# ruff: noqa: UP047  (type variables that some overloads share)
# Four ways to say the swizzles (what is left out is 128, and must be the buffer's), each for a dense and a sparse A: of one dtype, of the two
# 8-bit floats, which may be mixed, of these with scales, and of 4-bit floats with scales.

@overload
def mma(
    d: InTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator | layouts.M64Accumulator, Pair],
    a: SmemRef[_O, ASwizzle, HasTcgen05] | DenseTMEM[_O, layouts.OperandA, Pair],
    b: SmemRef[_O, BSwizzle, _On],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneInTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator | layouts.M64Accumulator],
    a: SmemRef[_O, ASwizzle, HasTcgen05] | _OneDense[_O, layouts.OperandA],
    b: SmemRef[_O, BSwizzle, _On],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: InTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator | layouts.M64Accumulator, Pair],
    a: SmemRef[_O, Literal[128], HasTcgen05] | DenseTMEM[_O, layouts.OperandA, Pair],
    b: SmemRef[_O, Literal[128], _On],
    *,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneInTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator | layouts.M64Accumulator],
    a: SmemRef[_O, Literal[128], HasTcgen05] | _OneDense[_O, layouts.OperandA],
    b: SmemRef[_O, Literal[128], _On],
    *,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: InTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator | layouts.M64Accumulator, Pair],
    a: SmemRef[_O, ASwizzle, HasTcgen05] | DenseTMEM[_O, layouts.OperandA, Pair],
    b: SmemRef[_O, Literal[128], _On],
    *,
    a_swizzle: ASwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneInTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator | layouts.M64Accumulator],
    a: SmemRef[_O, ASwizzle, HasTcgen05] | _OneDense[_O, layouts.OperandA],
    b: SmemRef[_O, Literal[128], _On],
    *,
    a_swizzle: ASwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: InTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator | layouts.M64Accumulator, Pair],
    a: SmemRef[_O, Literal[128], HasTcgen05] | DenseTMEM[_O, layouts.OperandA, Pair],
    b: SmemRef[_O, BSwizzle, _On],
    *,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneInTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator | layouts.M64Accumulator],
    a: SmemRef[_O, Literal[128], HasTcgen05] | _OneDense[_O, layouts.OperandA],
    b: SmemRef[_O, BSwizzle, _On],
    *,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: InTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator, Pair],
    a: SmemRef[_O, ASwizzle, HasTcgen05] | DenseTMEM[_O, layouts.OperandA, Pair],
    b: SmemRef[_O, BSwizzle, _On],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneInTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator],
    a: SmemRef[_O, ASwizzle, HasTcgen05] | _OneDense[_O, layouts.OperandA],
    b: SmemRef[_O, BSwizzle, _On],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: InTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator, Pair],
    a: SmemRef[_O, Literal[128], HasTcgen05] | DenseTMEM[_O, layouts.OperandA, Pair],
    b: SmemRef[_O, Literal[128], _On],
    *,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneInTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator],
    a: SmemRef[_O, Literal[128], HasTcgen05] | _OneDense[_O, layouts.OperandA],
    b: SmemRef[_O, Literal[128], _On],
    *,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: InTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator, Pair],
    a: SmemRef[_O, ASwizzle, HasTcgen05] | DenseTMEM[_O, layouts.OperandA, Pair],
    b: SmemRef[_O, Literal[128], _On],
    *,
    a_swizzle: ASwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneInTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator],
    a: SmemRef[_O, ASwizzle, HasTcgen05] | _OneDense[_O, layouts.OperandA],
    b: SmemRef[_O, Literal[128], _On],
    *,
    a_swizzle: ASwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: InTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator, Pair],
    a: SmemRef[_O, Literal[128], HasTcgen05] | DenseTMEM[_O, layouts.OperandA, Pair],
    b: SmemRef[_O, BSwizzle, _On],
    *,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneInTmem[Tcgen05Accumulates[_O, _On], layouts.M128Accumulator],
    a: SmemRef[_O, Literal[128], HasTcgen05] | _OneDense[_O, layouts.OperandA],
    b: SmemRef[_O, BSwizzle, _On],
    *,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[_C, layouts.M128Accumulator | layouts.M64Accumulator, Pair],
    a: SmemRef[_A8, ASwizzle, HasTcgen05] | DenseTMEM[_A8, layouts.OperandA, Pair],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[_C, layouts.M128Accumulator | layouts.M64Accumulator],
    a: SmemRef[_A8, ASwizzle, HasTcgen05] | _OneDense[_A8, layouts.OperandA],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[_C, layouts.M128Accumulator | layouts.M64Accumulator, Pair],
    a: SmemRef[_A8, Literal[128], HasTcgen05] | DenseTMEM[_A8, layouts.OperandA, Pair],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[_C, layouts.M128Accumulator | layouts.M64Accumulator],
    a: SmemRef[_A8, Literal[128], HasTcgen05] | _OneDense[_A8, layouts.OperandA],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[_C, layouts.M128Accumulator | layouts.M64Accumulator, Pair],
    a: SmemRef[_A8, ASwizzle, HasTcgen05] | DenseTMEM[_A8, layouts.OperandA, Pair],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[_C, layouts.M128Accumulator | layouts.M64Accumulator],
    a: SmemRef[_A8, ASwizzle, HasTcgen05] | _OneDense[_A8, layouts.OperandA],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[_C, layouts.M128Accumulator | layouts.M64Accumulator, Pair],
    a: SmemRef[_A8, Literal[128], HasTcgen05] | DenseTMEM[_A8, layouts.OperandA, Pair],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[_C, layouts.M128Accumulator | layouts.M64Accumulator],
    a: SmemRef[_A8, Literal[128], HasTcgen05] | _OneDense[_A8, layouts.OperandA],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[_C, layouts.M128Accumulator, Pair],
    a: SmemRef[_A8, ASwizzle, HasTcgen05] | DenseTMEM[_A8, layouts.OperandA, Pair],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[_C, layouts.M128Accumulator],
    a: SmemRef[_A8, ASwizzle, HasTcgen05] | _OneDense[_A8, layouts.OperandA],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[_C, layouts.M128Accumulator, Pair],
    a: SmemRef[_A8, Literal[128], HasTcgen05] | DenseTMEM[_A8, layouts.OperandA, Pair],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[_C, layouts.M128Accumulator],
    a: SmemRef[_A8, Literal[128], HasTcgen05] | _OneDense[_A8, layouts.OperandA],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[_C, layouts.M128Accumulator, Pair],
    a: SmemRef[_A8, ASwizzle, HasTcgen05] | DenseTMEM[_A8, layouts.OperandA, Pair],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[_C, layouts.M128Accumulator],
    a: SmemRef[_A8, ASwizzle, HasTcgen05] | _OneDense[_A8, layouts.OperandA],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[_C, layouts.M128Accumulator, Pair],
    a: SmemRef[_A8, Literal[128], HasTcgen05] | DenseTMEM[_A8, layouts.OperandA, Pair],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[_C, layouts.M128Accumulator],
    a: SmemRef[_A8, Literal[128], HasTcgen05] | _OneDense[_A8, layouts.OperandA],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    b_swizzle: BSwizzle,
    a_scale: None = ...,
    b_scale: None = ...,
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator, Pair],
    a: SmemRef[_A8, ASwizzle, HasTcgen05] | DenseTMEM[_A8, layouts.OperandA, Pair],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    b_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator],
    a: SmemRef[_A8, ASwizzle, HasTcgen05] | _OneDense[_A8, layouts.OperandA],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: _OneScales[float8_e8m0fnu],
    b_scale: _OneScales[float8_e8m0fnu],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator, Pair],
    a: SmemRef[_A8, Literal[128], HasTcgen05] | DenseTMEM[_A8, layouts.OperandA, Pair],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    b_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator],
    a: SmemRef[_A8, Literal[128], HasTcgen05] | _OneDense[_A8, layouts.OperandA],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_scale: _OneScales[float8_e8m0fnu],
    b_scale: _OneScales[float8_e8m0fnu],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator, Pair],
    a: SmemRef[_A8, ASwizzle, HasTcgen05] | DenseTMEM[_A8, layouts.OperandA, Pair],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    a_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    b_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator],
    a: SmemRef[_A8, ASwizzle, HasTcgen05] | _OneDense[_A8, layouts.OperandA],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    a_scale: _OneScales[float8_e8m0fnu],
    b_scale: _OneScales[float8_e8m0fnu],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator, Pair],
    a: SmemRef[_A8, Literal[128], HasTcgen05] | DenseTMEM[_A8, layouts.OperandA, Pair],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    b_swizzle: BSwizzle,
    a_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    b_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator],
    a: SmemRef[_A8, Literal[128], HasTcgen05] | _OneDense[_A8, layouts.OperandA],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    b_swizzle: BSwizzle,
    a_scale: _OneScales[float8_e8m0fnu],
    b_scale: _OneScales[float8_e8m0fnu],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator, Pair],
    a: SmemRef[_A8, ASwizzle, HasTcgen05],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    b_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator],
    a: SmemRef[_A8, ASwizzle, HasTcgen05],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: _OneScales[float8_e8m0fnu],
    b_scale: _OneScales[float8_e8m0fnu],
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator, Pair],
    a: SmemRef[_A8, Literal[128], HasTcgen05],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    b_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator],
    a: SmemRef[_A8, Literal[128], HasTcgen05],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_scale: _OneScales[float8_e8m0fnu],
    b_scale: _OneScales[float8_e8m0fnu],
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator, Pair],
    a: SmemRef[_A8, ASwizzle, HasTcgen05],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    a_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    b_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator],
    a: SmemRef[_A8, ASwizzle, HasTcgen05],
    b: SmemRef[_B8, Literal[128], HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    a_scale: _OneScales[float8_e8m0fnu],
    b_scale: _OneScales[float8_e8m0fnu],
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator, Pair],
    a: SmemRef[_A8, Literal[128], HasTcgen05],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    b_swizzle: BSwizzle,
    a_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    b_scale: ScalesTMEM[float8_e8m0fnu, Pair],
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator],
    a: SmemRef[_A8, Literal[128], HasTcgen05],
    b: SmemRef[_B8, BSwizzle, HasTcgen05],
    *,
    b_swizzle: BSwizzle,
    a_scale: _OneScales[float8_e8m0fnu],
    b_scale: _OneScales[float8_e8m0fnu],
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator, Pair],
    a: SmemRef[float4_e2m1fn, ASwizzle, HasTcgen05] | DenseTMEM[float4_e2m1fn, layouts.OperandA, Pair],
    b: SmemRef[float4_e2m1fn, BSwizzle, HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: ScalesTMEM[_S4, Pair],
    b_scale: ScalesTMEM[_S4, Pair],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator],
    a: SmemRef[float4_e2m1fn, ASwizzle, HasTcgen05] | _OneDense[float4_e2m1fn, layouts.OperandA],
    b: SmemRef[float4_e2m1fn, BSwizzle, HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: _OneScales[_S4],
    b_scale: _OneScales[_S4],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator, Pair],
    a: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05] | DenseTMEM[float4_e2m1fn, layouts.OperandA, Pair],
    b: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05],
    *,
    a_scale: ScalesTMEM[_S4, Pair],
    b_scale: ScalesTMEM[_S4, Pair],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator],
    a: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05] | _OneDense[float4_e2m1fn, layouts.OperandA],
    b: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05],
    *,
    a_scale: _OneScales[_S4],
    b_scale: _OneScales[_S4],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator, Pair],
    a: SmemRef[float4_e2m1fn, ASwizzle, HasTcgen05] | DenseTMEM[float4_e2m1fn, layouts.OperandA, Pair],
    b: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    a_scale: ScalesTMEM[_S4, Pair],
    b_scale: ScalesTMEM[_S4, Pair],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator],
    a: SmemRef[float4_e2m1fn, ASwizzle, HasTcgen05] | _OneDense[float4_e2m1fn, layouts.OperandA],
    b: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    a_scale: _OneScales[_S4],
    b_scale: _OneScales[_S4],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator, Pair],
    a: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05] | DenseTMEM[float4_e2m1fn, layouts.OperandA, Pair],
    b: SmemRef[float4_e2m1fn, BSwizzle, HasTcgen05],
    *,
    b_swizzle: BSwizzle,
    a_scale: ScalesTMEM[_S4, Pair],
    b_scale: ScalesTMEM[_S4, Pair],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator | layouts.M64CollectiveAccumulator],
    a: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05] | _OneDense[float4_e2m1fn, layouts.OperandA],
    b: SmemRef[float4_e2m1fn, BSwizzle, HasTcgen05],
    *,
    b_swizzle: BSwizzle,
    a_scale: _OneScales[_S4],
    b_scale: _OneScales[_S4],
    a_sparse_metadata: None = ...,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator, Pair],
    a: SmemRef[float4_e2m1fn, ASwizzle, HasTcgen05],
    b: SmemRef[float4_e2m1fn, BSwizzle, HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: ScalesTMEM[_S4, Pair],
    b_scale: ScalesTMEM[_S4, Pair],
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator],
    a: SmemRef[float4_e2m1fn, ASwizzle, HasTcgen05],
    b: SmemRef[float4_e2m1fn, BSwizzle, HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    b_swizzle: BSwizzle,
    a_scale: _OneScales[_S4],
    b_scale: _OneScales[_S4],
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator, Pair],
    a: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05],
    b: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05],
    *,
    a_scale: ScalesTMEM[_S4, Pair],
    b_scale: ScalesTMEM[_S4, Pair],
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator],
    a: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05],
    b: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05],
    *,
    a_scale: _OneScales[_S4],
    b_scale: _OneScales[_S4],
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator, Pair],
    a: SmemRef[float4_e2m1fn, ASwizzle, HasTcgen05],
    b: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    a_scale: ScalesTMEM[_S4, Pair],
    b_scale: ScalesTMEM[_S4, Pair],
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator],
    a: SmemRef[float4_e2m1fn, ASwizzle, HasTcgen05],
    b: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05],
    *,
    a_swizzle: ASwizzle,
    a_scale: _OneScales[_S4],
    b_scale: _OneScales[_S4],
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None: ...
@overload
def mma(
    d: DenseTMEM[float32, layouts.M128Accumulator, Pair],
    a: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05],
    b: SmemRef[float4_e2m1fn, BSwizzle, HasTcgen05],
    *,
    b_swizzle: BSwizzle,
    a_scale: ScalesTMEM[_S4, Pair],
    b_scale: ScalesTMEM[_S4, Pair],
    a_sparse_metadata: SparseMetaTMEM[Pair],
    accumulate: IntegerValue | bool = ...,
    collective: Pair,
) -> None: ...
@overload
def mma(
    d: _OneDense[float32, layouts.M128Accumulator],
    a: SmemRef[float4_e2m1fn, Literal[128], HasTcgen05],
    b: SmemRef[float4_e2m1fn, BSwizzle, HasTcgen05],
    *,
    b_swizzle: BSwizzle,
    a_scale: _OneScales[_S4],
    b_scale: _OneScales[_S4],
    a_sparse_metadata: _OneSparseMeta,
    accumulate: IntegerValue | bool = ...,
) -> None:
    """Issues D (+)= A @ B on the tensor core (PTX ISA, "tcgen05.mma"); one thread calls it.

    A is (M, K) in SMEM or TMEM, B is (K, N) in SMEM, D is (M, N) in TMEM, twice as many columns with `collective`. M is 128, or 64
    where A is dense, and where it is scaled only if collective. With `a_sparse_metadata` A is 2:4 sparse, and half as wide. A swizzle
    is the buffer's own, 128 bytes unless given; of A in TMEM it says nothing. Raises ValueError and NotImplementedError where
    shapes, dtypes or layouts do not go together.
    """

@overload
def commit_arrive(
    barrier: BarrierRef | ir.Value[Any],
    collective: Literal[False] = ...,
    ctx: LaunchContext[HasTcgen05] | None = ...,
    *,
    predicate: IntegerValue | None = ...,
) -> None: ...
@overload
def commit_arrive(
    barrier: BarrierRef | ir.Value[Any],
    collective: bool,
    ctx: LaunchContext[HasTcgen05],
    *,
    predicate: IntegerValue | None = ...,
) -> None:
    """Arrives at `barrier` when the MMAs and copies that this thread issued are done (PTX ISA, "tcgen05.commit").

    With `collective` it arrives at the barriers of both blocks of a pair, which `ctx` knows. `predicate` is of jax 0.12.
    """

@overload
def async_copy_sparse_metadata_smem_to_tmem(
    smem_ref: SmemRef[_Meta, Any, HasTcgen05], tmem_ref: SparseMetaTMEM[Pair], collective: Pair
) -> None: ...
@overload
def async_copy_sparse_metadata_smem_to_tmem(
    smem_ref: SmemRef[_Meta, Any, HasTcgen05], tmem_ref: SparseMetaTMEM[Literal[False]] | SparseMetaTMEM[bool]
) -> None:
    """Copies the metadata of a 2:4 sparse A to where the MMA reads it (PTX ISA, "tcgen05.cp").

    The TMEM has (128, k) two-bit elements, the buffer (1, k // 64, 128, 64), contiguous. An MMA of the same thread needs no wait.
    """

@overload
def async_copy_scales_smem_to_tmem(
    smem_ref: SmemRef[_S4, Any, HasTcgen05], tmem_ref: ScalesTMEM[_S4, Pair], collective: Pair
) -> None: ...
@overload
def async_copy_scales_smem_to_tmem(
    smem_ref: SmemRef[_S4, Any, HasTcgen05], tmem_ref: ScalesTMEM[_S4, Literal[False]] | ScalesTMEM[_S4, bool]
) -> None:
    """Copies block scales to where the MMA reads them (PTX ISA, "tcgen05.cp").

    The TMEM has (mn, k) elements, mn a multiple of 128, the buffer (mn // 128, k // 4, 32, 16), contiguous.
    """

@overload
def async_copy_smem_to_tmem(
    smem_ref: SmemRef[_O, Swizzle, HasTcgen05],
    tmem_ref: DenseTMEM[_O, layouts.OperandA, Pair],
    swizzle: Swizzle,
    collective: Pair,
) -> None: ...
@overload
def async_copy_smem_to_tmem(
    smem_ref: SmemRef[_O, Swizzle, HasTcgen05],
    tmem_ref: DenseTMEM[_O, layouts.OperandA, Literal[False]] | DenseTMEM[_O, layouts.OperandA, bool],
    swizzle: Swizzle,
) -> None:
    """Copies a tiled buffer to fully packed TMEM of 128 rows (PTX ISA, "tcgen05.cp")."""

def commit_tmem() -> None:
    """Waits for the warpgroup's TMEM stores (PTX ISA, "tcgen05.wait::st")."""

def wait_load_tmem() -> None:
    """Waits for the warpgroup's TMEM loads (PTX ISA, "tcgen05.wait::ld")."""

def tmem_alloc_exact_ncols(ncols: int, exact: bool) -> int:
    """The number of columns that is allocated: `ncols`, or the next power of 2 from 32 on. ValueError beyond 512, and with `exact`

    for what is none of these.
    """

def tmem_alloc(tmem_addr: ir.Value[Any], ncols: int, collective: bool = ..., exact: bool = ...) -> int:
    """Allocates columns and leaves their address in shared memory (PTX ISA, "tcgen05.alloc"); a warp calls it. Gives their number.

    Kernels declare `mgpu.TMEM` instead. Raises ValueError for an address that is not one 32-bit integer in shared memory.
    """

def tmem_dealloc(tmem_addr: ir.Value[Any], ncols: int, collective: bool = ..., exact: bool = ...) -> None:
    """Frees columns (PTX ISA, "tcgen05.dealloc"). Raises ValueError for an address that is no 32-bit integer."""

def tmem_relinquish_alloc_permit(collective: bool) -> None:
    """The block allocates no more (PTX ISA, "tcgen05.relinquish_alloc_permit")."""

def sparse_group_elems(element_type: ir.Type) -> int:
    """How many elements of a 2:4 sparse A a pair of metadata elements is about: 4, or 8 of 4-bit dtypes where ptxas says so."""

# --- descriptors

TCGEN05_SMEM_DESCRIPTOR_BIT: int

def create_instr_descriptor(
    m: int,
    n: int,
    acc_dtype: ir.Type,
    a_dtype: ir.Type,
    b_dtype: ir.Type,
    transpose_a: bool = ...,
    transpose_b: bool = ...,
    sparsity_selector: int | None = ...,
) -> I32:
    """The instruction descriptor of `mma` (PTX ISA, "Instruction descriptor")."""

def create_scaled_f8f6f4_instr_descriptor(*args: Any, **kwargs: Any) -> I32:
    """The instruction descriptor of a block-scaled `mma` of 8-bit dtypes."""

def create_scaled_f4_instr_descriptor(*args: Any, **kwargs: Any) -> I32:
    """The instruction descriptor of a block-scaled `mma` of 4-bit dtypes."""
