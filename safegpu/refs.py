"""References: the memrefs of a kernel, with one class for each memory space.

An object of these classes is the `ir.Value` that Mosaic GPU would have handed out, so it goes into every
Mosaic GPU and MLIR function as it is. nanobind's types allow no second base, so the classes are made
subscriptable by hand.
"""

import functools
import types
from collections.abc import Callable
from typing import Any, ClassVar, Self

from safegpu._dtype import check_dtype, token_of
from safegpu._facts import NO_SWIZZLE, Facts, facts_of, record, record_view
from safegpu._gate import needing
from safegpu._jax import ir, utils
from safegpu._value import Value, like
from safegpu._value import raw as unwrapped
from safegpu.architectures import HasClusters
from safegpu.dtypes import DType
from safegpu.watch import watched

__all__ = [
    "ClusterSmemRef", "GmemRef", "MultimemRef", "SmemRef", "get_cluster_ref", "memref_fold", "memref_reshape",
    "memref_slice", "memref_transpose", "memref_unfold", "memref_unsqueeze",
]  # fmt: skip

_CLUSTER_ADDRESS_SPACE = 7  # shared::cluster in NVPTX

# Memory spaces in the author's words, and the door for each.
_DOORS = {
    "global-memory": "GmemRef.wrap",
    "shared-memory": "SmemRef.wrap",
    "cluster shared-memory": "ClusterSmemRef.wrap",
    "multimem": "the MultimemRef itself",
    "TMEM": "DenseTMEM.wrap, SparseMetaTMEM.wrap or ScalesTMEM.wrap on the tcgen05.TMEMRef",
}


def space_of(ref_type: ir.MemRefType) -> str:
    """The memory space that a memref's type records. A generic cluster reference reads as global memory."""
    space = ref_type.memory_space
    if space is None:
        return "global-memory"
    if utils.is_smem_ref(ref_type):
        return "shared-memory"
    if utils.is_tmem_ref(ref_type):
        return "TMEM"
    if utils.is_cluster_smem_ref(ref_type) or (
        isinstance(space, ir.IntegerAttr) and space.value == _CLUSTER_ADDRESS_SPACE
    ):
        return "cluster shared-memory"
    return str(space)


class _Ref(Value):
    """What the three kinds of reference share: looking, never loading or storing."""

    __slots__ = ()
    _spaces: ClassVar[tuple[str, ...]]  # the first is the name of the class's own space
    __class_getitem__ = classmethod(types.GenericAlias)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(ir.MemRefType(self.type).shape)

    @property
    def element_type(self) -> ir.Type:
        return ir.MemRefType(self.type).element_type

    @property
    def dtype(self) -> type[DType] | None:
        """The dtype token, which knows the signedness that `element_type` does not; None when unknown."""
        return facts_of(self).dtype

    @classmethod
    def _checked(cls, value: Any, dtype: Any, shape: tuple[int, ...] | None, swizzle: int | None) -> Self:
        where = f"{cls.__name__}.wrap"
        space = cls._spaces[0]
        if not isinstance(value, ir.Value) or not isinstance(value.type, ir.MemRefType):
            got = value.type if isinstance(value, ir.Value) else type(value).__name__
            raise TypeError(f"{where}: expected a {space} reference (an ir.Value of memref type), got {got}")
        ref_type = ir.MemRefType(value.type)
        # The types of a GMEM reference and of a generic cluster reference are equal, their classes are not.
        wrapped = isinstance(value, _Ref)
        actual = value._spaces[0] if wrapped else space_of(ref_type)
        if actual != space if wrapped else actual not in cls._spaces:
            advice = f"; use {_DOORS[actual]}" if actual in _DOORS else ""
            raise TypeError(f"{where}: expected a {space} reference, got a {actual} one: {ref_type}{advice}")
        check_dtype(where, ref_type.element_type, dtype)
        check_shape(where, ref_type.shape, shape)
        check_swizzle(where, swizzle)
        known = facts_of(value)
        if swizzle and known.swizzle not in (None, NO_SWIZZLE, swizzle):
            raise ValueError(
                f"{where}: the buffer was declared with swizzle={known.swizzle}, got swizzle={swizzle}; leave it out"
            )
        said = {"dtype": token_of(dtype) or known.dtype}
        if swizzle:
            said |= {"swizzle": swizzle, "any_swizzle": False}
        record(value, known._replace(**said))
        return cls(value)


class GmemRef(_Ref):
    """A reference to global memory."""

    __slots__ = ()
    _spaces = ("global-memory",)

    @classmethod
    def wrap(cls, raw: ir.Value, dtype: Any, *, shape: tuple[int, ...] | None = None) -> Self:
        """`raw` as a `GmemRef`, once its memory space, dtype and shape are checked."""
        return cls._checked(raw, dtype, shape, None)


class _Swizzled(_Ref):
    __slots__ = ()

    @property
    def swizzle(self) -> int | None:
        """The swizzle that the buffer was declared with, Mosaic GPU's 16 by default; None when unknown."""
        return facts_of(self).swizzle

    @classmethod
    def wrap(
        cls, raw: ir.Value, dtype: Any, *, shape: tuple[int, ...] | None = None, swizzle: int | None = None
    ) -> Self:
        """`raw` as a reference of this class, once its memory space, dtype and shape are checked.

        No value records its swizzle, so `swizzle` is taken as the author's word.
        """
        return cls._checked(raw, dtype, shape, swizzle)


class SmemRef(_Swizzled):
    """A reference to the block's own shared memory."""

    __slots__ = ()
    _spaces = ("shared-memory",)


class ClusterSmemRef(_Swizzled):
    """A reference to the shared memory of another block of the cluster, what `get_cluster_ref` gives."""

    __slots__ = ()
    _spaces = ("cluster shared-memory", "global-memory")


class MultimemAddress(_Ref):
    """The reference inside a `MultimemRef`. Its type is that of a reference to global memory, which it is not."""

    __slots__ = ()
    _spaces = ("multimem", "global-memory")

    @classmethod
    def wrap(cls, raw: ir.Value, dtype: Any, *, shape: tuple[int, ...] | None = None) -> Self:
        return cls._checked(raw, dtype, shape, None)


class MultimemRef(utils.MultimemRef):
    """A multicast reference: a store reaches every device, a load reduces over them."""

    __slots__ = ()
    __class_getitem__ = classmethod(types.GenericAlias)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(ir.MemRefType(self.ref.type).shape)

    @property
    def element_type(self) -> ir.Type:
        return ir.MemRefType(self.ref.type).element_type

    @property
    def dtype(self) -> type[DType] | None:
        return facts_of(self.ref).dtype

    @classmethod
    def wrap(cls, raw: utils.MultimemRef, dtype: Any, *, shape: tuple[int, ...] | None = None) -> Self:
        """`raw` as a `MultimemRef` of ours, once its dtype and shape are checked."""
        if not isinstance(raw, utils.MultimemRef):
            raise TypeError(
                f"{cls.__name__}.wrap: expected a multimem reference, got {type(raw).__name__}; "
                "LaunchContext.to_remote_multicast makes one of a global-memory reference"
            )
        return cls(MultimemAddress.wrap(unwrapped(raw.ref), dtype, shape=shape))


def is_float8(element_type: Any) -> bool:
    return isinstance(element_type, ir.FloatType) and element_type.width == 8


def check_shape(where: str, actual: Any, shape: tuple[int, ...] | None) -> None:
    if shape is not None and tuple(actual) != tuple(shape):
        raise ValueError(f"{where}: expected shape {tuple(shape)}, got {tuple(actual)}; correct or leave out shape")


def check_swizzle(where: str, swizzle: int | None) -> None:
    if swizzle not in (None, 16, 32, 64, 128):
        raise ValueError(f"{where}: swizzle must be 16 (none), 32, 64 or 128 bytes, got {swizzle!r}")


def wrap_ref(value: ir.Value, cls: type[_Ref], facts: Facts) -> ir.Value:
    """A reference that a kernel body receives, in the class of its memory space, with its facts entered."""
    record(value, facts)
    return cls(value)


def _viewing[**P](view: Callable[P, Any]) -> Callable[P, Any]:
    """A view of a reference of ours is of the same class; a view of a raw one is raw."""
    slices = view is utils.memref_slice

    @watched(f"utils.{view.__name__}")  # type: ignore[attr-defined]
    @functools.wraps(view)
    def viewed(ref: Any, *args: Any, **kwargs: Any) -> Any:
        out = view(ref, *args, **kwargs)
        if isinstance(ref, MultimemRef):
            return type(ref)(like(ref.ref, out.ref))
        out = like(ref, out)
        record_view(out, ref, (args[0] if args else kwargs.get("index")) if slices else None)
        return out

    return viewed


memref_slice = _viewing(utils.memref_slice)
memref_transpose = _viewing(utils.memref_transpose)
memref_reshape = _viewing(utils.memref_reshape)
memref_fold = _viewing(utils.memref_fold)
memref_unfold = _viewing(utils.memref_unfold)
memref_unsqueeze = _viewing(utils.memref_unsqueeze)


@watched("utils.get_cluster_ref")
@needing(HasClusters, "get_cluster_ref")
@functools.wraps(utils.get_cluster_ref)
def get_cluster_ref(ref: ir.Value, *args: Any, **kwargs: Any) -> ir.Value:
    out = utils.get_cluster_ref(ref, *args, **kwargs)
    record(out, facts_of(ref))  # the walk back ends at the pointer in between
    return ClusterSmemRef(out) if isinstance(ref, SmemRef) else out
