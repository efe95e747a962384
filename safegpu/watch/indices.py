"""Indices that Mosaic GPU takes for others than the author means, or does not compare with the bounds.

It compares integers with the bounds of a dimension, and no values: `c(64, mgpu.Index)` of 64 rows is another buffer's
memory. Negative integers count from the end on jax 0.11 and raise on 0.12, except of barriers, where the one before the
first is data.
"""

from collections.abc import Sequence
from typing import Any

from safegpu import _gate
from safegpu._facts import path_of, path_to
from safegpu._jax import fa, ir, launch_context, utils
from safegpu.watch._copies import copy_of
from safegpu.watch._core import Call, before

_IN_BOUNDS = launch_context.OOBFillMode.PROMISE_IN_BOUNDS


def known(index: Any) -> int | None:
    """The number that an index is: an integer, or the value of a constant; None of one that a kernel computes."""
    if isinstance(index, int):
        return index
    if not isinstance(index, ir.Value):
        return None
    operation = index.owner
    while not isinstance(operation, ir.Block) and operation.name in ("arith.index_cast", "arith.index_castui"):
        operation = operation.operands[0].owner
    if isinstance(operation, ir.Block) or operation.name != "arith.constant":
        return None
    value = operation.attributes["value"]
    return value.value if isinstance(value, ir.IntegerAttr) else None


def _check(
    operation: str, indices: Sequence[Any], shape: Sequence[int], *, bounds: bool, integers: bool = False
) -> None:
    """Refuses what `utils.parse_indices` takes without a word; it compares integers alone, and some not at all."""
    if len(indices) > len(shape):
        _gate.refuse(
            "SG807",
            f"{operation}: got {len(indices)} indices for the {len(shape)} dimensions of shape {tuple(shape)}; Mosaic "
            f"GPU drops the last {len(indices) - len(shape)}: leave them out, or index what has these dimensions",
        )
    for axis, (index, size) in enumerate(zip(indices, shape, strict=False)):
        if isinstance(index, slice):
            if _ends_at_zero(index):
                start = 0 if index.start is None else index.start
                _gate.refuse(
                    "SG808",
                    f"{operation}: slice({index.start}, 0) along axis {axis} is empty, and Mosaic GPU takes it for "
                    f"{start}:{size}, to the end of shape {tuple(shape)}: write slice({start}, None) to mean that",
                )
            elif integers and isinstance(index.stop, int) and index.stop > size:
                _outside(operation, axis, f"{index.start or 0}:{index.stop}", shape)
        elif not bounds:
            continue
        elif isinstance(index, utils.DynamicSlice):
            if (base := known(index.base)) is not None and not 0 <= base <= size - index.length:
                if integers or not isinstance(index.base, int):
                    _outside(operation, axis, f"{base}:{base + index.length}", shape)
        elif isinstance(index, int):
            if integers and not -size <= index < size:
                _outside(operation, axis, str(index), shape)
        elif (at := known(index)) is not None and not 0 <= at < size:
            _outside(operation, axis, str(at), shape)


def _outside(operation: str, axis: int, index: str, shape: Sequence[int]) -> None:
    _gate.refuse(
        "SG806",
        f"{operation}: {index} along axis {axis} is outside of shape {tuple(shape)}, and what lies there belongs to "
        "something else; Mosaic GPU compares no constants with the shape: correct the index",
    )


def _type(ref: Any) -> ir.MemRefType | None:
    """The type of a reference to memory; None of anything else, of which Mosaic GPU speaks."""
    if isinstance(ref, ir.Value):
        return path_of(ref).type
    type_ = getattr(ref, "type", None)
    return type_ if isinstance(type_, ir.MemRefType) else None


def _each(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


@before("utils.memref_slice")
def _slice(call: Call) -> None:
    indices = _each(call.get("index", ()))
    if (type_ := _type(call.get("ref"))) is None:
        return
    if len(indices) > type_.rank or any(map(_is_constant, indices)):  # the shape takes long to list
        _check("memref_slice", indices, type_.shape, bounds=True)


@before("TMEMRef.slice")
def _slice_of_tmem(call: Call) -> None:
    _check("TMEM.slice", call["idxs"], call["self"].shape, bounds=True)


@before("FragmentedArray.__getitem__", "FragmentedArray.__setitem__")
def _slice_of_array(call: Call) -> None:
    indices, array = _each(call["idx"]), call["self"]
    if len(indices) > _rank(array) or any(map(_ends_at_zero, indices)):  # the shape takes long to work out
        _check("an index of an array", indices, array.shape, bounds=False)  # it takes no values


def _rank(array: Any) -> int:
    layout = array.layout
    if not isinstance(layout, fa.TiledLayout):
        return len(array.shape)
    rank: int = array.registers.ndim - sum(map(len, layout.tiling.tiles))
    return rank


def _ends_at_zero(index: Any) -> bool:
    return type(index) is slice and isinstance(index.stop, int) and index.stop == 0


def _is_constant(index: Any) -> bool:
    """Whether bounds are asked of an index: a constant, which Mosaic GPU does not compare with them."""
    if isinstance(index, slice):
        return _ends_at_zero(index)
    if isinstance(index, utils.DynamicSlice):
        index = index.base
    return not isinstance(index, int) and known(index) is not None


@before("LaunchContext.async_copy", "LaunchContext.async_prefetch")
def _slice_of_copy(call: Call) -> None:
    """The part of global memory. What of it is out of bounds, a tiled TMA copy fills with zeros, or leaves."""
    if not (indices := _each(call.get("gmem_slice", ()))):
        return
    by_threads, promised = "gmem_ref" not in call and not copy_of(call).by_tma, call.get("oob_mode") is _IN_BOUNDS
    compared = by_threads or promised
    array = path_to(call["gmem_ref"]) if "gmem_ref" in call else copy_of(call).in_global_memory
    if array is None or array.type is None:
        return
    # The shape takes long to list.
    needed = compared or len(indices) > array.type.rank or any(map(_ends_at_zero, indices))
    if needed and array.type.memory_space is None:
        _check("gmem_slice", indices, array.type.shape, bounds=compared, integers=promised and not by_threads)


@before("BarrierRef.__getitem__", "CollectiveBarrierRef.__getitem__")
def _barrier(call: Call) -> None:
    barrier = call["self"]
    if isinstance(barrier, utils.CollectiveBarrierRef):
        barrier = barrier.barrier
    at, number = known(call["offset"]), barrier.num_barriers
    if at is None or 0 <= at < number or (at >= number and isinstance(call["offset"], int)):
        return  # the last of these Mosaic GPU says itself
    _gate.refuse(
        "SG806",
        f"barriers[{at}]: there are {number} barriers, 0 to {number - 1}, and none counts from the end: this is other "
        "memory, whose bits the hardware would take for a barrier"
        + (f"; the last one is barriers[{number - 1}]" if at < 0 else ""),
    )
