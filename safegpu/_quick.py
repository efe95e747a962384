"""What is done otherwise while a kernel is made, so that making it takes less time. What comes out is the same.

It is done in the whole process, in all its threads, while any kernel is being made.
"""

import gc
import threading
from typing import Any

from safegpu._jax import arith, ir


class Quickly:
    """A `with` block in which Python collects no cycles, and constants are made without the class of their dialect.

    The objects of a module under construction are many and none of them is garbage yet: a collection in between costs
    milliseconds and frees nothing. Every fourth operation that Mosaic GPU makes is `arith.constant`, whose class in
    MLIR's Python takes three times as long as the operation by its name. Blocks may overlap, in several threads.
    """

    def __init__(self) -> None:
        self._lock, self._blocks = threading.Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._blocks:
                self._collects, self._constant = gc.isenabled(), arith.constant
                gc.disable()
                arith.constant = _constant_by_name(self._constant)
            self._blocks += 1

    def __exit__(self, *raised: object) -> None:
        with self._lock:
            self._blocks -= 1
            if not self._blocks:
                arith.constant = self._constant
                if self._collects:
                    gc.enable()


quickly = Quickly()

_create = ir.Operation.create
_integer, _float = ir.IntegerAttr, ir.FloatAttr


def constant_of(value: Any) -> ir.Value:
    """The constant that this attribute is."""
    return _create("arith.constant", attributes={"value": value}, infer_type=True).result


def _constant_by_name(theirs: Any) -> Any:
    """An `arith.constant` for numbers and their attributes; other values, and `loc=` or `ip=`, are left to `theirs`."""

    def constant(result: Any, value: Any, **where: Any) -> Any:
        kind = type(value)
        if where:
            return theirs(result, value, **where)
        if kind is int:
            value = _integer.get(result, value)
        elif kind is float:
            value = _float.get(result, value)
        elif kind is not _integer and kind is not _float:
            return theirs(result, value)
        return constant_of(value)

    return constant
