"""Mirror of `jax.experimental.mosaic.gpu.tcgen05`.

A TMEM reference is of one of three classes, by its layout: dense data, scale factors, or sparsity metadata.
"""

import copy
import functools
import types
from typing import Any, ClassVar, Self

from safegpu import _optimized
from safegpu._dtype import check_dtype, ir_type, token_of
from safegpu._facade import Facade, facade, mirror
from safegpu._gate import needing, require
from safegpu._jax import ir, tcgen05
from safegpu.architectures import HasTcgen05, HasTcgen05Int8, HasTMEMLoadReduce
from safegpu.barriers import promote
from safegpu.dtypes import DType, int2
from safegpu.scalars import giving_scalars
from safegpu.watch import watched

__all__ = ["DenseTMEM", "ScalesTMEM", "SparseMetaTMEM"]

__getattr__, __dir__ = mirror(tcgen05, globals())

_Real = tcgen05.TMEMRef

TMEMLayout = facade(tcgen05.TMEMLayout)

create_instr_descriptor = giving_scalars(tcgen05.create_instr_descriptor)
create_scaled_f8f6f4_instr_descriptor = giving_scalars(tcgen05.create_scaled_f8f6f4_instr_descriptor)
create_scaled_f4_instr_descriptor = giving_scalars(tcgen05.create_scaled_f4_instr_descriptor)


def _tcgen05(name: str) -> Any:
    """A function of Mosaic GPU's tcgen05, which only some architectures have."""
    return watched(f"tcgen05.{name}")(needing(HasTcgen05, f"tcgen05.{name}")(getattr(tcgen05, name)))


async_copy_scales_smem_to_tmem = _tcgen05("async_copy_scales_smem_to_tmem")
async_copy_smem_to_tmem = _tcgen05("async_copy_smem_to_tmem")
async_copy_sparse_metadata_smem_to_tmem = _tcgen05("async_copy_sparse_metadata_smem_to_tmem")
commit_arrive = _tcgen05("commit_arrive")
commit_tmem = _tcgen05("commit_tmem")
tmem_alloc = _tcgen05("tmem_alloc")
tmem_dealloc = _tcgen05("tmem_dealloc")
tmem_relinquish_alloc_permit = _tcgen05("tmem_relinquish_alloc_permit")
wait_load_tmem = _tcgen05("wait_load_tmem")


@watched("tcgen05.mma")
@functools.wraps(tcgen05.mma)
def mma(d: Any, a: Any, b: Any, **kwargs: Any) -> None:
    require(HasTcgen05, "tcgen05.mma")
    if isinstance(getattr(d, "dtype", None), ir.IntegerType):
        require(HasTcgen05Int8, "tcgen05.mma of int8")
    if not __debug__:
        _optimized.in_smem("tcgen05.mma", a=a, b=b)
    tcgen05.mma(d, a, b, **kwargs)


class _TMEM(_Real):
    """What the three kinds share: slicing. Loads and stores of sparsity metadata do not exist."""

    __slots__ = ()
    _kind: ClassVar[str]
    __class_getitem__ = classmethod(types.GenericAlias)

    @property
    def token(self) -> type[DType] | None:
        """The dtype token, which knows the signedness that `dtype` does not; None when unknown."""
        return vars(self).get("_token")

    store = watched("TMEMRef.store")(needing(HasTcgen05, "a store to TMEM")(_Real.store))

    @watched("TMEMRef.slice")
    @functools.wraps(_Real.slice)
    def slice(self, *idxs: Any) -> Any:
        return _promote(_Real.slice(self, *idxs), type(self), self.token)

    @classmethod
    def _checked(cls, raw: Any, dtype: Any) -> Self:
        where = f"{cls.__name__}.wrap"
        if not isinstance(raw, _Real):
            got = raw.type if isinstance(raw, ir.Value) else type(raw).__name__
            raise TypeError(f"{where}: expected a TMEM reference (tcgen05.TMEMRef), got {got}")
        kind = _class_of(raw.layout)
        if kind is not cls:
            raise TypeError(
                f"{where}: expected TMEM that holds {cls._kind}, got TMEM that holds {kind._kind}, "
                f"by its layout {raw.layout}; use {kind.__name__}.wrap"
            )
        check_dtype(where, raw.dtype, dtype)
        # A copy: the raw object stays what its other holders know it as.
        return _promote(copy.copy(raw), cls, token_of(dtype))


class _Loadable(_TMEM):
    __slots__ = ()

    @watched("TMEMRef.load")
    @functools.wraps(_Real.load)
    def load(self, layout: Any = None, is_signed: bool | None = None, reduce: Any = None) -> Any:
        require(HasTcgen05, "a load from TMEM")
        if reduce is not None:
            require(HasTMEMLoadReduce, "a load from TMEM with reduce=")
        if is_signed is None and self.token is not None:
            is_signed = self.token.is_signed
        return _Real.load(self, layout, is_signed, reduce)


class DenseTMEM(_Loadable):
    """A matrix in tensor memory: an accumulator or an operand."""

    __slots__ = ()
    _kind = "dense data"

    @classmethod
    def wrap(cls, raw: _Real, dtype: Any, layout: Any = None) -> Self:
        """`raw` as a `DenseTMEM`, once its dtype and layout are checked."""
        ref = cls._checked(raw, dtype)
        if layout is not None and raw.layout != layout:
            raise ValueError(f"DenseTMEM.wrap: expected layout {layout}, got {raw.layout}; correct or leave out layout")
        return ref


class ScalesTMEM(_Loadable):
    """Scale factors of a block-scaled matrix, in tensor memory."""

    __slots__ = ()
    _kind = "scale factors"

    @classmethod
    def wrap(cls, raw: _Real, dtype: Any) -> Self:
        """`raw` as a `ScalesTMEM`, once its dtype and layout are checked."""
        return cls._checked(raw, dtype)


class SparseMetaTMEM(_TMEM):
    """Sparsity metadata in tensor memory: written by `async_copy_sparse_metadata_smem_to_tmem` alone."""

    __slots__ = ()
    _kind = "sparsity metadata"

    @classmethod
    def wrap(cls, raw: _Real, dtype: Any = int2) -> Self:
        """`raw` as a `SparseMetaTMEM`, once its dtype and layout are checked."""
        return cls._checked(raw, dtype)


@functools.cache  # making a layout takes longer than comparing with one
def _metadata_and_scales() -> tuple[Any, tuple[Any, ...]]:
    return tcgen05.sparse_meta_layout(), (tcgen05.scales_layout(), tcgen05.b_scales_m64_collective_layout())


def _class_of(layout: Any) -> type[_TMEM]:
    sparse_metadata, scales = _metadata_and_scales()
    if layout == sparse_metadata:
        return SparseMetaTMEM
    return ScalesTMEM if layout in scales else DenseTMEM


def _promote(ref: Any, cls: type[_TMEM], token: type[DType] | None) -> Any:
    object.__setattr__(ref, "_token", token)
    return promote(ref, cls)


def wrap_tmem(ref: Any, dtype: Any) -> Any:
    """A TMEM reference of Mosaic GPU as one of ours, in place."""
    return _promote(ref, _class_of(ref.layout), token_of(dtype))


class TMEMRef(_Real, metaclass=Facade):
    """Any TMEM reference; a call makes a `DenseTMEM`, a `ScalesTMEM` or a `SparseMetaTMEM`, by the layout."""

    @staticmethod
    def _make(address: Any, shape: Any, dtype: Any, layout: Any) -> Any:
        return wrap_tmem(_Real(address, shape, ir_type(dtype), layout), dtype)

    @classmethod
    @functools.wraps(_Real.from_alloc.__func__)
    def from_alloc(cls, tmem_addr_ref: Any, shape: Any, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        return wrap_tmem(_Real.from_alloc(tmem_addr_ref, shape, ir_type(dtype), *args, **kwargs), dtype)
