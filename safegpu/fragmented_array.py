"""Mirror of `jax.experimental.mosaic.gpu.fragmented_array`.

`FragmentedArray` is a facade: arrays are Mosaic GPU's own objects. Its constructors fill in `is_signed` from
the dtype that a reference or a token is known to have, and are otherwise Mosaic GPU's.
"""

import functools
from collections.abc import Callable
from typing import Any

from safegpu._dtype import check_dtype, ir_type, is_token, signedness
from safegpu._facade import Facade, facade, mirror
from safegpu._facts import facts_of
from safegpu._gate import require
from safegpu._jax import fa, ir, utils
from safegpu._value import raw
from safegpu.architectures import HasFloat8Multimem
from safegpu.refs import MultimemRef, is_float8
from safegpu.scalars import c, giving_scalars, wrap_scalar
from safegpu.watch import watched

__all__ = ["c"]


@watched("fragmented_array.optimization_barrier")
@functools.wraps(fa.optimization_barrier)
def optimization_barrier(*arrays: Any) -> Any:
    behind = fa.optimization_barrier(*arrays)
    return tuple(behind) if isinstance(behind, list) else behind


addf, subf, mulf = map(giving_scalars, (fa.addf, fa.subf, fa.mulf))

__getattr__, __dir__ = mirror(fa, globals())

_Real = fa.FragmentedArray

TiledLayout = facade(fa.TiledLayout)
WGStridedFragLayout = facade(fa.WGStridedFragLayout)
WGSplatFragLayout = facade(fa.WGSplatFragLayout)


class FragmentedLayout(metaclass=Facade):
    """Any of the register layouts."""

    _real = fa.FragmentedLayout


def _known_signedness(ref: Any) -> bool | None:
    token = facts_of(ref.ref if isinstance(ref, MultimemRef) else ref).dtype
    return None if token is None else token.is_signed


def _loading(load: Callable[..., Any]) -> Any:
    """A constructor that loads from a reference, whose own signedness is the default of `is_signed`."""

    @watched(f"FragmentedArray.{load.__name__}")  # type: ignore[attr-defined]
    @functools.wraps(load)
    def loaded(cls: type, ref: Any, *args: Any, is_signed: bool | None = None, **kwargs: Any) -> Any:
        return load(_Real, ref, *args, is_signed=_known_signedness(ref) if is_signed is None else is_signed, **kwargs)

    return classmethod(loaded)


class FragmentedArray(_Real, metaclass=Facade):
    """An array in the registers of a warpgroup."""

    load_strided = _loading(_Real.load_strided.__func__)
    load_tiled = _loading(_Real.load_tiled.__func__)
    load_untiled = _loading(_Real.load_untiled.__func__)

    @classmethod
    @watched("FragmentedArray.load_reduce_untiled")
    @functools.wraps(_Real.load_reduce_untiled.__func__)
    def load_reduce_untiled(
        cls, ref: Any, layout: Any, reduction: Any, swizzle: int = 16, is_signed: bool | None = None
    ) -> Any:
        if isinstance(ref, utils.MultimemRef) and is_float8(ir.MemRefType(ref.ref.type).element_type):
            require(HasFloat8Multimem, "load_reduce_untiled of 8-bit floats")
        is_signed = _known_signedness(ref) if is_signed is None else is_signed
        return _Real.load_reduce_untiled(ref, layout, reduction, swizzle, is_signed)

    @classmethod
    @functools.wraps(_Real.splat.__func__)
    def splat(cls, value: Any, *args: Any, **kwargs: Any) -> Any:
        return _Real.splat(raw(value), *args, **kwargs)

    @staticmethod
    @functools.wraps(_Real.broadcasted_iota)
    def broadcasted_iota(dtype: Any, *args: Any, is_signed: bool | None = None, **kwargs: Any) -> Any:
        is_signed = signedness("broadcasted_iota", dtype, is_signed)
        return _Real.broadcasted_iota(
            ir_type(dtype) if is_token(dtype) else dtype, *args, is_signed=is_signed, **kwargs
        )

    @classmethod
    @functools.wraps(_Real.build.__func__)
    def build(cls, shape: Any, layout: Any, fn: Callable[..., ir.Value], **kwargs: Any) -> Any:
        return _Real.build(shape, layout, lambda *idx: raw(fn(*map(wrap_scalar, idx))), **kwargs)

    @classmethod
    def wrap(cls, array: Any, dtype: Any, layout: Any = None) -> Any:
        """`array`, once its dtype, signedness and layout are checked. It stays the object that it is."""
        where = "FragmentedArray.wrap"
        if not isinstance(array, _Real):
            raise TypeError(f"{where}: expected a FragmentedArray, got {type(array).__name__}")
        check_dtype(where, array.mlir_dtype, dtype)
        if is_token(dtype) and array.is_signed is not dtype.is_signed:
            raise ValueError(
                f"{where}: expected an array of {dtype.__name__} (is_signed={dtype.is_signed}), "
                f"got is_signed={array.is_signed}; pass the dtype of the same width and this signedness"
            )
        if layout is not None and array.layout != layout:
            raise ValueError(
                f"{where}: expected layout {layout}, got {array.layout}; convert with to_layout, or correct layout"
            )
        return array
