"""`astype` and `bitcast` of Mosaic GPU's own arrays take dtype tokens while a safegpu kernel is traced.

Arrays stay Mosaic GPU's objects: some thirty of its methods make the class by name, so a subclass would be
lost at the next step. The two methods whose argument is a dtype are replaced for as long as a trace runs, and
the replacement acts in the threads that trace through safegpu alone.
"""

import contextlib
import functools
import threading
from collections.abc import Iterator
from typing import Any

from safegpu._dtype import ir_type, is_token, signedness
from safegpu._facts import tracing
from safegpu._jax import fa

_Array = fa.FragmentedArray
_astype, _bitcast = _Array.astype, _Array.bitcast


@functools.wraps(_astype)
def _astype_token(self: Any, new_dtype: Any, *, is_signed: bool | None = None, **kwargs: Any) -> Any:
    if tracing() and is_token(new_dtype):
        is_signed = signedness("astype", new_dtype, is_signed)
        new_dtype = ir_type(new_dtype)
    return _astype(self, new_dtype, is_signed=is_signed, **kwargs)


@functools.wraps(_bitcast)
def _bitcast_token(self: Any, elt: Any, *, output_is_signed: bool | None = None) -> Any:
    if tracing() and is_token(elt):
        output_is_signed = signedness("bitcast", elt, output_is_signed, "output_is_signed")
        elt = ir_type(elt)
    return _bitcast(self, elt, output_is_signed=output_is_signed)


_lock = threading.Lock()
_traces = 0


def _install(astype: Any, bitcast: Any) -> None:
    _Array.astype, _Array.bitcast = astype, bitcast


@contextlib.contextmanager
def hooks() -> Iterator[None]:
    """Installs the replacements inside the block; the last of the traces that run at once takes them out."""
    global _traces
    with _lock:
        if not _traces:
            _install(_astype_token, _bitcast_token)
        _traces += 1
    try:
        yield
    finally:
        with _lock:
            _traces -= 1
            if not _traces:
                _install(_astype, _bitcast)
