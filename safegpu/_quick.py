"""What is done otherwise while a kernel is made, so that making it takes less time. What comes out is the same.

It is done in the whole process, in all its threads, while any kernel is being made.
"""

import functools
import gc
import threading
from typing import Any

from safegpu._jax import arith, ir

_theirs = arith.constant


def constant_of(value: Any) -> ir.Value:
    """The constant that this attribute is."""
    return _create("arith.constant", attributes={"value": value}, infer_type=True).result


_create = ir.Operation.create
_integer, _float = ir.IntegerAttr, ir.FloatAttr


@functools.wraps(_theirs)
def _constant(result: Any, value: Any, **where: Any) -> Any:
    """`arith.constant` of numbers and their attributes; other values, and `loc=` or `ip=`, are left to jaxlib's."""
    kind = type(value)
    if where:
        return _theirs(result, value, **where)
    if kind is int:
        value = _integer.get(result, value)
    elif kind is float:
        value = _float.get(result, value)
    elif kind is not _integer and kind is not _float:
        return _theirs(result, value)
    return constant_of(value)


class Quickly:
    """A `with` block in which Python collects no cycles, and constants are made without the class of their dialect.

    The objects of a module under construction are many and none of them is garbage yet: a collection in between costs
    milliseconds and frees nothing. Every fourth operation that Mosaic GPU makes is `arith.constant`, whose class in
    MLIR's Python takes three times as long as the operation by its name. Blocks may overlap, in several threads. What
    somebody else has put in the place of `arith.constant` stays there.
    """

    def __init__(self) -> None:
        self._lock, self._blocks = threading.Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            self._blocks += 1
            if self._blocks == 1:
                self._collects = gc.isenabled()
                gc.disable()
                if arith.constant is _theirs:
                    arith.constant = _constant

    def __exit__(self, *raised: object) -> None:
        with self._lock:
            self._blocks -= 1
            if not self._blocks:
                if arith.constant is _constant:
                    arith.constant = _theirs
                if self._collects:
                    gc.enable()


quickly = Quickly()
