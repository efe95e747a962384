"""Layout types: what the second parameter of `FragmentedArray` and `DenseTMEM` can be.

These classes exist for the checker alone and are never instantiated; the layout *values* (`mgpu.WGMMA_LAYOUT`,
`tcgen05.tmem_default_layout()`, ...) are Mosaic GPU's own. Each distinct layout has one type, and layouts that
are equal at run time share one.

Register layouts, by how a warpgroup holds an array:

- `Strided`, `Splat`: not tiled (`WGStridedFragLayout`, `WGSplatFragLayout`);
- subclasses of `Tiled`: tiled, every element in one register of the warpgroup;
- subclasses of `Replicated`: tiled, elements held by several threads at once.

What `FragmentedArray.reduce` makes of a layout is in its bases: `RowsAre[...]` for axis 1,
`ColumnsAre[...]` for axis 0.

TMEM layouts (subclasses of `TMEM`) are named after Mosaic GPU's functions, the width of an element in bits, and
`_PACKED` where a 32-bit TMEM cell holds several elements. Their base says which register layouts they exchange with.
"""

from typing import TYPE_CHECKING, Any, Literal, TypeVar

from safegpu._generic import Generic
from safegpu.dtypes import Supports

if TYPE_CHECKING:
    import typing_extensions
    from jaxlib.mlir import ir

_L_co = TypeVar("_L_co", covariant=True)
_L_contra = TypeVar("_L_contra", contravariant=True)
if TYPE_CHECKING:
    P = typing_extensions.TypeVar("P", default=Any)
else:
    P = TypeVar("P")  # which takes a default since Python 3.13

# --- register layouts


class RowsAre(Generic[_L_co]):
    """Register layouts that a reduction along axis 1 leaves in this one."""


class ColumnsAre(Generic[_L_co]):
    """Register layouts that a reduction along axis 0 leaves in this one."""


class OneAxis:
    """Register layouts of arrays with one axis, of which a reduction leaves a `Splat`."""


class Layout:
    """Base of the register layouts."""


# What `FragmentedArray` does with a layout is asked in the way in which it is asked of dtypes.


class Strided(Layout, Supports[Literal["elements in registers", "leading axes", "turns"]]):
    """`WGStridedFragLayout`: threads take turns along the flattened array."""


class Splat(Layout, Supports[Literal["parts", "leading axes"]]):
    """`WGSplatFragLayout`: one scalar stands for the whole array."""


class Tiled(Layout, Supports[Literal["elements in registers", "parts", "tiles"]]):
    """Base of the tiled layouts in which each element lies in exactly one register of the warpgroup."""


class Replicated(Layout, Supports[Literal["elements in registers", "parts", "tiles"]]):
    """Base of the tiled layouts in which an element lies in the registers of several threads."""


class WGMMA_ROW(Replicated, OneAxis):
    """`WGMMA_ROW_LAYOUT`: one value a row of a `WGMMA` array, what `reduce(..., axis=1)` gives."""


class WGMMA_COL(Replicated, OneAxis):
    """`WGMMA_COL_LAYOUT`, which is also `TCGEN05_COL_LAYOUT`: one value a column of a `WGMMA` or `TCGEN05` array."""


class TCGEN05_ROW(Replicated, OneAxis):
    """`TCGEN05_ROW_LAYOUT`: one value a row of a `TCGEN05` array."""


class TMEM_NATIVE_ROW(Tiled, OneAxis):
    """One value a row of an array in a `tmem_native_layout`, what a TMEM load with `reduce=` gives beside the array."""


class M64_COLLECTIVE_ROW(Replicated, OneAxis):
    """One value a row of an `M64_COLLECTIVE` array; Mosaic GPU has no name for it."""


class TMA_INDICES(Replicated, OneAxis):
    """`TMA_INDICES_LAYOUT`: row indices of a TMA gather or scatter."""


class TMA_INDICES_4(Replicated, OneAxis):
    """`TMA_INDICES_4_LAYOUT`: row indices of a TMA gather or scatter, four at a time."""


class WGMMA(Tiled, RowsAre[WGMMA_ROW], ColumnsAre[WGMMA_COL]):
    """`WGMMA_LAYOUT`: the accumulator of wgmma (PTX ISA, "Register fragments for wgmma.mma_async.m64nNk16")."""


class WGMMA_8BIT(Tiled, RowsAre[WGMMA_ROW]):
    """`WGMMA_LAYOUT_8BIT`: wgmma's register operand A for 8-bit dtypes."""


class WGMMA_ACC_32BIT(Tiled, RowsAre[WGMMA_ROW]):
    """`WGMMA_LAYOUT_ACC_32BIT`: `WGMMA` with each 32-bit element in a register of its own."""


class WGMMA_UPCAST_2X(Tiled):
    """`WGMMA_LAYOUT_UPCAST_2X`: loads of a dtype half as wide as the one that wgmma then takes."""


class WGMMA_UPCAST_4X(Tiled, RowsAre[WGMMA_ROW]):
    """`WGMMA_LAYOUT_UPCAST_4X`: loads of a dtype a quarter as wide as the one that wgmma then takes."""


class WGMMA_TRANSPOSED(Tiled):
    """`WGMMA_TRANSPOSED_LAYOUT`."""


class TCGEN05(Tiled, RowsAre[TCGEN05_ROW], ColumnsAre[WGMMA_COL]):
    """`TCGEN05_LAYOUT`: what TMEM in its default layout loads by default."""


class TCGEN05_TRANSPOSED(Tiled):
    """`TCGEN05_TRANSPOSED_LAYOUT`."""


class TMEM_NATIVE_1(Tiled, RowsAre[TMEM_NATIVE_ROW]):
    """`tmem_native_layout(1)`: a thread holds a TMEM lane, one element a register."""


class TMEM_NATIVE(Tiled, RowsAre[TMEM_NATIVE_ROW]):
    """`TMEM_NATIVE_LAYOUT`, `tmem_native_layout(2)`: a thread holds a TMEM lane, two elements a register."""


class TMEM_NATIVE_4(Tiled, RowsAre[TMEM_NATIVE_ROW], ColumnsAre[TMA_INDICES_4]):
    """`tmem_native_layout(4)`."""


class TMEM_NATIVE_8(Tiled, RowsAre[TMEM_NATIVE_ROW]):
    """`tmem_native_layout(8)`."""


class TMEM_NATIVE_16(Tiled, RowsAre[TMEM_NATIVE_ROW]):
    """`tmem_native_layout(16)`."""


class M64_COLLECTIVE(Tiled, RowsAre[M64_COLLECTIVE_ROW]):
    """`tcgen05.fa_m64_collective_layout(columns)`: what TMEM in the M=64 collective layout loads by default."""


class MMA_LHS(Tiled, Generic[P]):
    """`MMALayouts(dtype).lhs`: the left operand of `mma`, four warps along M; P is the width of the dtype in bits."""


class MMA_RHS(Replicated, Generic[P]):
    """`MMALayouts(dtype).rhs`: the right operand of `mma`; its accumulator `.acc` is `WGMMA`."""


class MMA_LHS_2(Replicated, Generic[P]):
    """`MMALayouts(dtype, m_warps=2).lhs`."""


class MMA_RHS_2(Replicated, Generic[P]):
    """`MMALayouts(dtype, m_warps=2).rhs`."""


class MMA_ACC_2(Tiled):
    """`MMALayouts(dtype, m_warps=2).acc`, whatever the dtype."""


class MMA_LHS_1(Replicated, Generic[P]):
    """`MMALayouts(dtype, m_warps=1).lhs`."""


class MMA_RHS_1(Tiled, Generic[P]):
    """`MMALayouts(dtype, m_warps=1).rhs`."""


class MMA_ACC_1(Tiled):
    """`MMALayouts(dtype, m_warps=1).acc`, whatever the dtype."""


class SCALES(Replicated):
    """The register layout of block scales that went through `ScalesTMEM` (`scales_layout().as_tiled_layout()`)."""


class HALF_LANE_NATIVE(Tiled):
    """`tmem_half_lane_layout(columns, packing).as_tiled_layout()`: whole 32-bit TMEM cells, M=64."""


class M64_COLLECTIVE_NATIVE(Tiled):
    """`tmem_m64_collective_layout(columns, packing).as_tiled_layout()`: whole 32-bit TMEM cells, M=64 collective."""


# --- TMEM layouts


class Takes(Generic[_L_contra]):
    """TMEM into which an array of these register layouts can be stored (`TMEMRef.store`)."""


class Gives(Generic[_L_contra]):
    """TMEM that can be loaded into these register layouts (`TMEMRef.load`)."""


class LoadsAs(Generic[_L_co]):
    """TMEM that loads into this register layout when none is named."""


class TMEM:
    """Base of the TMEM layouts of `DenseTMEM`."""


class M128Accumulator(TMEM):
    """TMEM layouts that `tcgen05.mma` takes as the accumulator of M=128 (PTX ISA, "Data path layout D")."""


class M64Accumulator(TMEM):
    """TMEM layouts that `tcgen05.mma` takes as the accumulator of M=64 (PTX ISA, "Data path layouts E and B")."""


class M64CollectiveAccumulator(M64Accumulator):
    """TMEM layouts that a collective `tcgen05.mma` takes as the accumulator of M=64 (PTX ISA, "Data path layout B")."""


class OperandA(TMEM):
    """TMEM layouts that `tcgen05.mma` takes as its left operand."""


class RowTiles(TMEM):
    """More rows than one tile of the layout: can be stored, but a load takes one row tile at a time."""


class TMEM_DEFAULT_32BIT(
    M128Accumulator,
    OperandA,
    Takes[TCGEN05 | TMEM_NATIVE | TMEM_NATIVE_1],
    Gives[TCGEN05 | TMEM_NATIVE | TMEM_NATIVE_1],
    LoadsAs[TCGEN05],
):
    """`tmem_default_layout()` of a 32-bit dtype."""


class TMEM_DEFAULT_16BIT(M128Accumulator, Takes[TCGEN05 | TMEM_NATIVE], Gives[TCGEN05 | TMEM_NATIVE], LoadsAs[TCGEN05]):
    """`tmem_default_layout(packing=1)` of a 16-bit dtype."""


class TMEM_DEFAULT_16BIT_PACKED(OperandA, Takes[TCGEN05 | TMEM_NATIVE], Gives[TCGEN05 | TMEM_NATIVE], LoadsAs[TCGEN05]):
    """`tmem_default_layout(packing=2)` of a 16-bit dtype."""


class TMEM_DEFAULT_8BIT_PACKED(OperandA, Takes[TMEM_NATIVE_4], Gives[TMEM_NATIVE_4], LoadsAs[TMEM_NATIVE_4]):
    """`tmem_default_layout(packing=4)` of an 8-bit dtype."""


class TMEM_DEFAULT_4BIT_PACKED(OperandA, Takes[TMEM_NATIVE_8], Gives[TMEM_NATIVE_8], LoadsAs[TMEM_NATIVE_8]):
    """`tmem_default_layout(packing=8)` of a 4-bit dtype."""


class TMEM_ROW_TILES_32BIT(RowTiles, Takes[TCGEN05 | TMEM_NATIVE | TMEM_NATIVE_1]):
    """`tmem_default_layout()` of a 32-bit dtype, with a multiple of 128 rows."""


class TMEM_ROW_TILES_16BIT(RowTiles, Takes[TCGEN05 | TMEM_NATIVE]):
    """`tmem_default_layout(packing)` of a 16-bit dtype, with a multiple of 128 rows."""


class TMEM_ROW_TILES(RowTiles, Takes[Any]):
    """`tmem_half_lane_layout` or `tmem_m64_collective_layout`, with a multiple of 64 rows; or a packed narrow dtype."""


class TMEM_HALF_LANE_32BIT(
    M64Accumulator, Takes[WGMMA | HALF_LANE_NATIVE], Gives[WGMMA | HALF_LANE_NATIVE], LoadsAs[WGMMA]
):
    """`tmem_half_lane_layout(columns)` of a 32-bit dtype."""


class TMEM_HALF_LANE_16BIT(M64Accumulator, Takes[WGMMA], Gives[WGMMA], LoadsAs[WGMMA]):
    """`tmem_half_lane_layout(columns, packing=1)` of a 16-bit dtype."""


class TMEM_HALF_LANE_16BIT_PACKED(
    TMEM, Takes[WGMMA | HALF_LANE_NATIVE], Gives[WGMMA | HALF_LANE_NATIVE], LoadsAs[WGMMA]
):
    """`tmem_half_lane_layout(columns, packing=2)` of a 16-bit dtype."""


class TMEM_HALF_LANE_NARROW_PACKED(TMEM, Takes[HALF_LANE_NATIVE], Gives[HALF_LANE_NATIVE], LoadsAs[HALF_LANE_NATIVE]):
    """`tmem_half_lane_layout(columns, packing)` of an 8- or 4-bit dtype, fully packed."""


class TMEM_M64_COLLECTIVE_32BIT(
    M64CollectiveAccumulator,
    Takes[M64_COLLECTIVE | M64_COLLECTIVE_NATIVE],
    Gives[M64_COLLECTIVE | M64_COLLECTIVE_NATIVE],
    LoadsAs[M64_COLLECTIVE],
):
    """`tmem_m64_collective_layout(columns)` of a 32-bit dtype."""


class TMEM_M64_COLLECTIVE_16BIT(
    M64CollectiveAccumulator, Takes[M64_COLLECTIVE], Gives[M64_COLLECTIVE], LoadsAs[M64_COLLECTIVE]
):
    """`tmem_m64_collective_layout(columns, packing=1)` of a 16-bit dtype."""


class TMEM_M64_COLLECTIVE_16BIT_PACKED(
    TMEM,
    Takes[M64_COLLECTIVE | M64_COLLECTIVE_NATIVE],
    Gives[M64_COLLECTIVE | M64_COLLECTIVE_NATIVE],
    LoadsAs[M64_COLLECTIVE],
):
    """`tmem_m64_collective_layout(columns, packing=2)` of a 16-bit dtype."""


class TMEM_M64_COLLECTIVE_NARROW_PACKED(
    TMEM, Takes[M64_COLLECTIVE_NATIVE], Gives[M64_COLLECTIVE_NATIVE], LoadsAs[M64_COLLECTIVE_NATIVE]
):
    """`tmem_m64_collective_layout(columns, packing)` of an 8- or 4-bit dtype, fully packed."""


class TMEM_NARROW_UNPACKED(TMEM):
    """An 8- or 4-bit dtype with one element a 32-bit TMEM cell: no load or store moves it, the MMA alone uses it."""


# --- TMEM layout values before the dtype is known: the parameter of `tcgen05.TMEMLayout`


class TMEM_DEFAULT(Generic[P]):
    """`tcgen05.tmem_default_layout(packing)`; P is the packing."""


class TMEM_HALF_LANE(Generic[P]):
    """`tcgen05.tmem_half_lane_layout(columns, packing)`; P is the packing."""


class TMEM_M64_COLLECTIVE(Generic[P]):
    """`tcgen05.tmem_m64_collective_layout(columns, packing)`; P is the packing."""


class TMEM_SCALES:
    """`tcgen05.scales_layout()` and `tcgen05.b_scales_m64_collective_layout()`."""


class TMEM_SPARSE_META:
    """`tcgen05.sparse_meta_layout()`."""


# --- Mosaic GPU's functions of this module, for its dialect. They are jax's, which the types above do without.

if TYPE_CHECKING:

    def to_layout_attr(layout: Any) -> ir.Attribute: ...
    def from_layout_attr(attr: ir.Attribute) -> Any: ...
    def splat_is_compatible_with_tiled(l1: Any, l2: Any) -> bool: ...
    def to_transform_attr(transform: Any) -> ir.Attribute: ...
    def from_transform_attr(transform: ir.Attribute) -> Any: ...

else:

    def __getattr__(name: str) -> Any:
        if name.startswith("__"):  # what Python asks of any module
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from safegpu._jax import layouts

        try:
            return getattr(layouts, name)
        except AttributeError:
            raise AttributeError(f"neither {__name__} nor jax's {layouts.__name__} has {name!r}") from None
