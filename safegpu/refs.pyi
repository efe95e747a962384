"""References to memory: one class for each memory space, and the views that keep their parameters."""

from builtins import type as _type
from collections.abc import Sequence
from typing import Any, Generic, Literal, Self, overload

from jaxlib.mlir import ir
from typing_extensions import TypeVar

from safegpu.architectures import Architecture, Elsewhere, HasClusters, States
from safegpu.dtypes import Token, UnknownDType
from safegpu.scalars import Dim, IndexValue

_D = TypeVar("_D", default=Any)
_W = TypeVar("_W", default=Any)
_B_co = TypeVar("_B_co", bound=int | ir.Value[Any], covariant=True, default=Any)
_W0 = TypeVar("_W0", bound=Literal[16, 32, 64, 128])
_D_co = TypeVar("_D_co", covariant=True)
_A_co = TypeVar("_A_co", bound=Architecture, covariant=True, default=Any)

class DynamicSlice(Generic[_B_co]):
    """`length` elements from `base` on; `ds(base, length)`. A base that is known must be positive: ValueError."""

    @property
    def base(self) -> _B_co:
        """The first element."""
    length: int
    def __init__(self, base: _B_co, length: int) -> None: ...

# The swizzle that a call names, in bytes: a literal stays one, also in `functools.partial`; an int that is not known goes with
# buffers of unknown swizzle.
Swizzle = TypeVar("Swizzle", int, Literal[16], Literal[32], Literal[64], Literal[128], default=int)

type Along = int | slice | IndexValue | DynamicSlice[int | IndexValue] | ir.OpView | ir.Operation
"""Of one axis: an element, by an index or the operation that gives one, or several."""

type Subscript = Along | tuple[Along, ...]
"""Of a buffer: of its first axes one by one, and of the others all."""

# A kernel states its architecture in its scratch, `Scratch[sm_90a]`, and what it reads there is of that architecture: `__get__`.
# An operation asks for a capability, `SmemRef[D, W, HasWGMMA]`.

class Scratch(Generic[_A_co], States[_A_co]):  # type: ignore[type-var]  # pyright: ignore[reportInvalidTypeArguments]
    """Base of a kernel's scratch: each attribute that is a spec is allocated, in the order of declaration.

    `Scratch[mgpu.sm_90a]` states the architecture that the kernel is for, and `Scratch[mgpu.sm_100a | mgpu.sm_103a]` that it is
    for each of these; without one nothing is said. The body receives an instance whose attributes are the references. Scratch
    that depends on a dtype or a size sets its attributes in `__init__`, and `as_gpu_kernel` is given an object of it in place
    of the class.
    """

# What carries a dtype that is one of several (`safegpu.dtypes`): `InSmem[TMAReduces[...], Literal[128]]` is an SmemRef of any of them.

class InGmem(Generic[_D_co]):
    """A buffer in global memory."""

class GmemRef(ir.Value[ir.MemRefType], InGmem[_D], Generic[_D]):
    """A reference to global memory: a kernel's input, output or `to_remote` reference. `D` is its dtype token."""

    @property
    def dtype(self) -> type[_D]:
        """The dtype token; at run time None where it is not known."""
    @property
    def shape(self) -> tuple[int, ...]:
        """In elements."""
    @property
    def element_type(self) -> ir.Type:
        """The MLIR type of an element."""
    @overload
    @classmethod
    def wrap(
        cls, raw: ir.Value[ir.MemRefType], dtype: type[Token], *, shape: Sequence[int] | None = ...
    ) -> GmemRef[Token]: ...
    @overload
    @classmethod
    def wrap(
        cls, raw: ir.Value[ir.MemRefType], dtype: UnknownDType, *, shape: Sequence[int] | None = ...
    ) -> GmemRef[Any]:
        """`raw` as a reference to global memory, once its memory space, dtype and shape are checked.

        Raises TypeError for another memory space or no reference, ValueError for another dtype or shape.
        """

class InSmem(Generic[_D_co, _W]):
    """A buffer in the block's own shared memory."""

class SmemRef(ir.Value[ir.MemRefType], InSmem[_D, _W], Generic[_D, _W, _A_co]):
    """A reference to the block's own shared memory. `D` is its dtype token, `W` its swizzle (16 is none), `A` its architecture."""

    @overload
    def __get__[A: Architecture](
        self, scratch: Scratch[A], owner: type[object] | None = ..., /
    ) -> SmemRef[_D, _W, A]: ...
    @overload
    def __get__(self, owner: Elsewhere | None, type_: type[object] | None = ..., /) -> Self:
        """As an attribute of scratch, of the architecture that the scratch states."""

    @property
    def dtype(self) -> type[_D]:
        """The dtype token; at run time None where it is not known."""
    @property
    def shape(self) -> tuple[int, ...]:
        """In elements: of a tiled buffer, the tiled shape."""
    @property
    def element_type(self) -> ir.Type:
        """The MLIR type of an element."""
    @property
    def swizzle(self) -> _W:
        """In bytes, 16 for none; at run time None where it is not known."""
    @overload
    @classmethod
    def wrap(
        cls, raw: ir.Value[ir.MemRefType], dtype: type[Token], *, swizzle: _W0, shape: Sequence[int] | None = ...
    ) -> SmemRef[Token, _W0]: ...
    @overload
    @classmethod
    def wrap(
        cls,
        raw: ir.Value[ir.MemRefType],
        dtype: type[Token],
        *,
        swizzle: int | None = ...,
        shape: Sequence[int] | None = ...,
    ) -> SmemRef[Token, Any]: ...
    @overload
    @classmethod
    def wrap(
        cls,
        raw: ir.Value[ir.MemRefType],
        dtype: UnknownDType,
        *,
        swizzle: int | None = ...,
        shape: Sequence[int] | None = ...,
    ) -> SmemRef[Any, Any]:
        """`raw` as a reference to the block's shared memory, once its memory space, dtype and shape are checked.

        No value records its swizzle: `swizzle` is your word. Raises TypeError and ValueError as `GmemRef.wrap`.
        """

class ClusterSmemRef(ir.Value[ir.MemRefType], Generic[_D, _W]):
    """A reference to the shared memory of another block of the cluster (distributed shared memory)."""

    @property
    def dtype(self) -> type[_D]:
        """The dtype token; at run time None where it is not known."""
    @property
    def shape(self) -> tuple[int, ...]:
        """In elements: of a tiled buffer, the tiled shape."""
    @property
    def element_type(self) -> ir.Type:
        """The MLIR type of an element."""
    @property
    def swizzle(self) -> _W:
        """In bytes, 16 for none; at run time None where it is not known."""
    @overload
    @classmethod
    def wrap(
        cls, raw: ir.Value[ir.MemRefType], dtype: type[Token], *, swizzle: _W0, shape: Sequence[int] | None = ...
    ) -> ClusterSmemRef[Token, _W0]: ...
    @overload
    @classmethod
    def wrap(
        cls,
        raw: ir.Value[ir.MemRefType],
        dtype: type[Token],
        *,
        swizzle: int | None = ...,
        shape: Sequence[int] | None = ...,
    ) -> ClusterSmemRef[Token, Any]: ...
    @overload
    @classmethod
    def wrap(
        cls,
        raw: ir.Value[ir.MemRefType],
        dtype: UnknownDType,
        *,
        swizzle: int | None = ...,
        shape: Sequence[int] | None = ...,
    ) -> ClusterSmemRef[Any, Any]:
        """`raw` as a reference to another block's shared memory, checked as by `SmemRef.wrap`."""

class InMultimem(Generic[_D_co]):
    """A buffer on every device of the mesh."""

class MultimemRef(InMultimem[_D], Generic[_D, _A_co]):
    """The same buffer on every device of the mesh at once (PTX ISA, "multimem"): from `ctx.to_remote_multicast`.

    It is an address for multimem instructions alone: store with `FragmentedArray.store_untiled`/`store_tiled`, read
    with `FragmentedArray.load_reduce_untiled`.
    """

    @property
    def ref(self) -> ir.Value[ir.MemRefType]:
        """The multicast address, as a reference that only multimem instructions take."""
    @property
    def type(self) -> ir.MemRefType:
        """The type of `ref`."""
    @property
    def dtype(self) -> _type[_D]:
        """The dtype token; at run time None where it is not known."""
    @property
    def shape(self) -> tuple[int, ...]:
        """In elements."""
    @property
    def element_type(self) -> ir.Type:
        """The MLIR type of an element."""
    def store(self, value: ir.Value[Any], indices: Sequence[IndexValue]) -> None:
        """Stores a vector of 4, 8 or 16 bytes at these indices (PTX ISA, "multimem.st")."""
    @overload
    @classmethod
    def wrap(cls, raw: object, dtype: _type[Token], *, shape: Sequence[int] | None = ...) -> MultimemRef[Token]: ...
    @overload
    @classmethod
    def wrap(cls, raw: object, dtype: UnknownDType, *, shape: Sequence[int] | None = ...) -> MultimemRef[Any]:
        """A raw multimem reference as one of ours, checked as by `GmemRef.wrap`."""

# Each view keeps the class of its reference and its parameters.

@overload
def memref_slice[D, W, A: Architecture](ref: SmemRef[D, W, A], index: Subscript) -> SmemRef[D, W, A]: ...
@overload
def memref_slice[D](ref: GmemRef[D], index: Subscript) -> GmemRef[D]: ...
@overload
def memref_slice[D, W](ref: ClusterSmemRef[D, W], index: Subscript) -> ClusterSmemRef[D, W]:
    """Part of a buffer: an index drops its axis, a slice or `ds(base, length)` keeps it."""

@overload
def memref_transpose[D, W, A: Architecture](ref: SmemRef[D, W, A], permutation: Sequence[int]) -> SmemRef[D, W, A]: ...
@overload
def memref_transpose[D](ref: GmemRef[D], permutation: Sequence[int]) -> GmemRef[D]: ...
@overload
def memref_transpose[D, W](ref: ClusterSmemRef[D, W], permutation: Sequence[int]) -> ClusterSmemRef[D, W]:
    """The axes of a buffer in another order."""

@overload
def memref_unfold[D, W, A: Architecture](
    ref: SmemRef[D, W, A], dim: int, factors: Sequence[int | None]
) -> SmemRef[D, W, A]: ...
@overload
def memref_unfold[D](ref: GmemRef[D], dim: int, factors: Sequence[int | None]) -> GmemRef[D]: ...
@overload
def memref_unfold[D, W](ref: ClusterSmemRef[D, W], dim: int, factors: Sequence[int | None]) -> ClusterSmemRef[D, W]:
    """Splits an axis into several; one of `factors` may be None."""

@overload
def memref_unsqueeze[D, W, A: Architecture](ref: SmemRef[D, W, A], dim: int) -> SmemRef[D, W, A]: ...
@overload
def memref_unsqueeze[D](ref: GmemRef[D], dim: int) -> GmemRef[D]: ...
@overload
def memref_unsqueeze[D, W](ref: ClusterSmemRef[D, W], dim: int) -> ClusterSmemRef[D, W]:
    """Adds an axis of length 1."""

@overload
def memref_reshape[D, W, A: Architecture](ref: SmemRef[D, W, A], shape: Sequence[int]) -> SmemRef[D, W, A]: ...
@overload
def memref_reshape[D](ref: GmemRef[D], shape: Sequence[int]) -> GmemRef[D]: ...
@overload
def memref_reshape[D, W](ref: ClusterSmemRef[D, W], shape: Sequence[int]) -> ClusterSmemRef[D, W]: ...
@overload
def memref_reshape[D, A: Architecture](ref: MultimemRef[D, A], shape: Sequence[int]) -> MultimemRef[D, A]:
    """Another shape for the same elements."""

@overload
def memref_fold[D, W, A: Architecture](ref: SmemRef[D, W, A], dim: int, fold_rank: int) -> SmemRef[D, W, A]: ...
@overload
def memref_fold[D](ref: GmemRef[D], dim: int, fold_rank: int) -> GmemRef[D]: ...
@overload
def memref_fold[D, W](ref: ClusterSmemRef[D, W], dim: int, fold_rank: int) -> ClusterSmemRef[D, W]: ...
@overload
def memref_fold[D, A: Architecture](ref: MultimemRef[D, A], dim: int, fold_rank: int) -> MultimemRef[D, A]:
    """Joins `fold_rank` axes from `dim` on."""

def get_cluster_ref[D, W](
    ref: SmemRef[D, W, HasClusters], dim: Dim, idx: IndexValue, generic: bool = ...
) -> ClusterSmemRef[D, W]:
    """The same buffer in another block of the cluster, distributed shared memory."""
