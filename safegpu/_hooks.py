"""What Mosaic GPU's own arrays do otherwise in a safegpu kernel.

`astype` and `bitcast` take dtype tokens, `foreach` calls its function with typed scalars, and `safegpu.watch` sees
the methods that a rule asks for. Arrays stay Mosaic GPU's objects: some thirty of its methods make the class by name,
so a subclass would be lost at the next step. So these methods are replaced, and do something else in the threads that
trace through safegpu alone. They stay replaced after the first trace of a process: a change of a class invalidates
Python's inline caches for it, and to change it for each trace costs more than all that is done here.
"""

import functools
import inspect
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from safegpu._dtype import ir_type, is_token, signedness
from safegpu._gate import needing, require, truth
from safegpu._jax import fa, ir, mgpu
from safegpu._trace import tracing
from safegpu._value import raw
from safegpu.architectures import HasClusters, HasFloat8
from safegpu.refs import is_float8  # type: ignore[attr-defined]  # of the runtime half
from safegpu.scalars import wrap_scalar  # type: ignore[attr-defined]  # of the runtime half
from safegpu.watch import names, watched

_Array = fa.FragmentedArray
_astype, _bitcast, _foreach = _Array.astype, _Array.bitcast, _Array.foreach
_store_tiled_async = _Array.store_tiled_async


def _is_wide_float(element_type: Any) -> bool:
    return isinstance(element_type, ir.FloatType) and element_type.width > 8


@functools.wraps(_astype)
def _astype_token(self: Any, new_dtype: Any, *, is_signed: bool | None = None, **kwargs: Any) -> Any:
    if not tracing():
        return _astype(self, new_dtype, is_signed=is_signed, **kwargs)
    if is_token(new_dtype):
        is_signed = signedness("astype", new_dtype, is_signed)
        new_dtype = ir_type(new_dtype)
    if any(map(is_float8, (self.mlir_dtype, new_dtype))) and any(map(_is_wide_float, (self.mlir_dtype, new_dtype))):
        require(HasFloat8, "astype from or to 8-bit floats")
    return _astype(self, new_dtype, is_signed=is_signed, **kwargs)


@functools.wraps(_bitcast)
def _bitcast_token(self: Any, elt: Any, *, output_is_signed: bool | None = None) -> Any:
    if tracing() and is_token(elt):
        output_is_signed = signedness("bitcast", elt, output_is_signed, "output_is_signed")
        elt = ir_type(elt)
    return _bitcast(self, elt, output_is_signed=output_is_signed)


@functools.wraps(_foreach)
def _foreach_scalar(self: Any, fn: Callable[[Any, Any], Any], **kwargs: Any) -> Any:
    if not tracing():
        return _foreach(self, fn, **kwargs)
    return _foreach(self, lambda value, index: raw(fn(wrap_scalar(value), wrap_scalar(index))), **kwargs)


def _truth(self: Any) -> bool:
    if not tracing() or sys._getframe(1).f_code.co_filename.startswith(_MOSAIC_GPU):  # which asks if there is an array
        return True
    return truth(f"an array of {self.mlir_dtype}")


_OURS: dict[str, Any] = {
    "FragmentedArray.astype": _astype_token,
    "FragmentedArray.bitcast": _bitcast_token,
    "FragmentedArray.foreach": _foreach_scalar,
    "FragmentedArray.store_tiled_async": needing(HasClusters, "store_tiled_async")(_store_tiled_async),
}
_MOSAIC_GPU = str(Path(fa.__file__).parent)
_CLASSES = {"FragmentedArray": _Array, "WGMMAAccumulator": mgpu.WGMMAAccumulator}


_lock, _installed = threading.Lock(), False


def install() -> None:
    """Puts ours in the place of Mosaic GPU's methods, the first time that it is called."""
    global _installed
    with _lock:
        if not _installed:
            for cls, name, ours in _replacements():
                setattr(cls, name, ours)
            _installed = True


def _replacements() -> list[tuple[type, str, Any]]:
    """Class, name and our method, of each that is replaced; constructors are the mirrors'."""
    found: list[tuple[type, str, Any]] = [(_Array, "__bool__", _truth)]
    for name in sorted(_OURS.keys() | names()):
        class_name, _, attribute = name.partition(".")
        if (cls := _CLASSES.get(class_name)) is None:
            continue
        theirs = inspect.getattr_static(cls, attribute)
        if isinstance(theirs, property) and theirs.fget:
            found.append((cls, attribute, property(watched(name)(theirs.fget))))
        elif inspect.isfunction(theirs):
            found.append((cls, attribute, watched(name)(_OURS.get(name, theirs))))
    return found
