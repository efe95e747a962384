"""SG705: the tiles of a matrix lie in shared memory in another order than an MMA takes them in.

TMA puts tiles one after another as `gmem_transform` says; an MMA takes them as the shape and strides of its operand
say. Nothing compares the two. They disagree for sure where both see the same rows and columns inside of a tile, and the
next tile is to one the next row of tiles and to the other the next column: a matrix that is transposed as blocks, and
not inside, is none. An array may be loaded so on purpose, to be transposed inside or stored as it came, and stored so
to be copied out in another order.
"""

import functools
import operator
import re
from typing import Any

import numpy as np

from safegpu import _gate
from safegpu._jax import DYNAMIC, fa, ir, launch_context
from safegpu.watch._addresses import users
from safegpu.watch._copies import copy_of
from safegpu.watch._core import Call, Place, after, told
from safegpu.watch._program import Window, enclosing, follows, overlap, ptx_of, window

_TMA = launch_context.AsyncCopyImplementation.TMA
_Tile, _Transpose = launch_context.TileTransform, launch_context.TransposeTransform
_MATRIX, _GRID, _TILED = 2, (0, 1), (2, 3)  # axes: of a matrix, of the grid of tiles, inside of a tile


def _fix(copy: "_Moved") -> str:
    transposed = copy.steps is not None and any(kind is _Transpose for kind, _ in copy.steps)
    return "blocks would be transposed, and not what is inside of them; " + (
        "the copy has a TransposeTransform, so give memref_transpose(ref, (0, 1, 3, 2))"
        if transposed
        else "the copy has no TransposeTransform, so give the buffer as it is, or one to the copy as well"
    )


type _Steps = tuple[tuple[type, tuple[int, ...]], ...]


class _Moved:
    """A copy of a matrix into shared memory."""

    def __init__(self, window: Window, block: ir.Block, place: Place | None, call: Call) -> None:
        self.window, self.block, self.place, self.call = window, block, place, call

    @functools.cached_property
    def steps(self) -> _Steps | None:
        """From the matrix in global memory to the copy's part of shared memory; None where they are not known."""
        return _steps(self.call)


class _Tiles:
    def __init__(self) -> None:
        self.copies: dict[ir.Value, list[_Moved]] = {}
        self.loaded: list[tuple[Any, _Moved]] = []
        """Arrays that were loaded from tiles in another order, and the copy that had put them there."""


# --- what puts tiles somewhere, and what takes them


@after("LaunchContext.async_copy")
def _copied(call: Call) -> None:
    tiles = call.states[_Tiles]
    if (to := copy_of(call).written) is not None:
        tiles.copies.setdefault(to.root, []).append(_Moved(to, call.block, call.place, call))


@after("FragmentedArray.load_tiled", "FragmentedArray.load_untiled")
def _loaded(call: Call) -> None:
    tiles = call.states[_Tiles]
    if not tiles.copies or (read := window(call.get("ref"))) is None:
        return
    if (copy := _another_order(tiles.copies.get(read.root, []), read, call.block)) is not None:
        tiles.loaded.append((call.result, copy))


@after("FragmentedArray.__setitem__")
def _changed(call: Call) -> None:
    """What is set in an array may put its blocks right."""
    tiles = call.states[_Tiles]
    tiles.loaded = [each for each in tiles.loaded if each[0] is not call["self"]]


@after("wgmma", "tcgen05.mma")
def _multiplied(call: Call) -> None:
    tiles = call.states[_Tiles]
    if not tiles.copies:
        return
    for name in ("a", "b"):
        operand, copy = call.get(name), None
        if isinstance(operand, fa.FragmentedArray):
            copy = next((copy for array, copy in tiles.loaded if array is operand), None)
        elif (read := window(operand)) is not None:
            copy = _another_order(tiles.copies.get(read.root, []), read, call.block)
        if copy is not None and _is_filled_by(tiles.copies[copy.window.root], copy.window.root):
            _gate.refuse(
                "SG705",
                f"{call.name}: {name} takes its tiles in another order than the copy at {told(copy.place)} has put "
                f"them in: {_fix(copy)}",
            )


def _another_order(copies: list[_Moved], read: Window, block: ir.Block) -> _Moved | None:
    """The last of the copies that may have put there what is read, where each of these was in another order."""
    last = None
    for copy in reversed(copies):
        if _are_apart(copy, read):
            continue
        if not _crosses(copy, read):
            return None
        last = last or copy
        if overlap(copy.window, read) and follows(copy.block, block):  # and what was there before is gone
            return last
    # In its first pass a loop reads what came before it, whoever has copied that under which condition.
    return last if all(each.name == "scf.for" for each in [*enclosing(block)][:-1]) else None


def _are_apart(one: _Moved, other: Window) -> bool:
    """Whether two windows of a buffer have no element in common for sure."""
    if one.window.extent is None or other.extent is None:
        return False
    (start, stop), (other_start, other_stop) = one.window.extent, other.extent
    return stop <= other_start or other_stop <= start


# --- orders of tiles


def _steps(copy: Call) -> _Steps | None:
    """The transforms of a copy by TMA, hashable; None of another, of gathered rows, and of what may not be copied."""
    transforms, rows = copy.get("gmem_transform", ()), copy.get("gmem_slice", ())
    transforms = transforms if isinstance(transforms, tuple) else (transforms,)
    rows = rows if isinstance(rows, tuple) else (rows,)
    if copy.get("predicate") is not None or copy.get("implementation", _TMA) is not _TMA:
        return None
    if any(isinstance(each, fa.FragmentedArray) for each in rows):
        return None
    if any(type(each) not in (_Tile, _Transpose) for each in transforms):
        return None
    return tuple(
        (type(each), tuple(each.tiling if isinstance(each, _Tile) else each.permutation)) for each in transforms
    )


def _crosses(copy: _Moved, view: Window) -> bool | None:
    """Whether tiles follow each other along one axis of the copied matrix in the view, and along the other inside.

    None where nobody knows, as of elements of the view that the copy has not moved.
    """
    start = _start(copy.window, view)
    if copy.steps is None or start is None or copy.window.type is None or view.type is None:
        return None
    strides, _ = view.layout
    if DYNAMIC in strides or len(strides) != len(_GRID + _TILED):
        return None
    return _are_crossed(tuple(copy.window.type.shape), copy.steps, tuple(view.type.shape), tuple(strides), start)


def _start(copied: Window, view: Window) -> int | None:
    """Where the view begins in the copy's part; where only values decide, it is one slot of as many alike."""
    if DYNAMIC not in (copied.offset, view.offset):
        return view.offset - copied.offset
    if copied.of is not None and copied.of is view.of and _is_one_slot(copied.index) and _is_one_slot(view.index):
        return 0
    slices = [[step for step in each.steps if step[0] == "memref.subview"] for each in (copied, view)]
    if any(len(each) != 1 or whole.steps[0] != each[0] for each, whole in zip(slices, (copied, view), strict=True)):
        return None
    ((one,), (other,)) = slices
    if one == other:
        return 0
    (_, starts, sizes, _), (_, other_starts, other_sizes, _) = one, other
    alike = sizes == other_sizes and all(
        size == 1 or (start == other_start != DYNAMIC)
        for size, start, other_start in zip(sizes, starts, other_starts, strict=True)
    )
    return 0 if alike else None


def _is_one_slot(index: Any) -> bool:
    """Whether it picks one element of the first dimension: all such slots have one shape and one stride."""
    return isinstance(index, int | ir.Value)


@functools.lru_cache(256)
def _are_crossed(
    shape: tuple[int, ...], steps: _Steps, view: tuple[int, ...], strides: tuple[int, ...], start: int
) -> bool | None:
    if (matrix := _matrix(shape, steps)) is None:
        return None
    at: Any = start  # of each element of the view
    for index, stride in zip(np.ogrid[tuple(map(slice, view))], strides, strict=True):
        at = at + index * stride
    if at.min() < 0 or at.max() >= matrix.shape[1]:
        return None
    seen = matrix[:, at]  # its row and its column

    def along(axis: int) -> set[int]:
        """Which change along an axis of the view."""
        return {which for which in range(_MATRIX) if np.diff(seen[which], axis=axis).any()}

    (down, right), (inside_down, inside_right) = map(along, _GRID), map(along, _TILED)
    # Where rows and columns are no axes of a tile, or some are left out, it is no part of the matrix, but one of parts.
    if len(inside_down) != 1 or len(inside_right) != 1 or inside_down == inside_right:
        return False
    inside = [
        np.diff(seen[[*which]], axis=axis + 1) for which, axis in zip((inside_down, inside_right), _TILED, strict=True)
    ]
    if any((each != 1).any() for each in inside):
        return False
    return inside_right <= down and inside_down <= right


def _matrix(shape: tuple[int, ...], steps: _Steps) -> np.ndarray[Any, Any] | None:
    """Row and column of each element of a contiguous part of shared memory; None where there are other axes."""
    sizes = shape
    for kind, numbers in reversed(steps):
        if kind is _Transpose:
            sizes = tuple(sizes[numbers.index(axis)] for axis in range(len(sizes)))
        else:
            grid, tile = sizes[-2 * len(numbers) : -len(numbers)], sizes[-len(numbers) :]
            sizes = (*sizes[: -2 * len(numbers)], *map(operator.mul, grid, tile))
    axes = [axis for axis, size in enumerate(sizes) if size > 1]
    if len(axes) != _MATRIX:
        return None
    at = np.indices(sizes)[axes]
    for kind, numbers in steps:
        if kind is _Transpose:
            at = at.transpose(0, *(axis + 1 for axis in numbers))
        else:
            first = at.ndim - len(numbers)
            pairs = [(size // tile, tile) for size, tile in zip(at.shape[first:], numbers, strict=True)]
            at = at.reshape(*at.shape[:first], *(size for pair in pairs for size in pair))
            grid, tile = range(first, at.ndim, 2), range(first + 1, at.ndim, 2)
            at = at.transpose(*range(first), *grid, *tile)
    return at.reshape(_MATRIX, -1)


# --- what else is done to a buffer

_READS = {"llvm.load", "memref.load", "nvvm.ldmatrix", "vector.load"}
_MULTIPLIES = re.compile(r"wgmma\.mma\.async|tcgen05\.mma")
_BULK_COPY = re.compile(r"cp\.async\.bulk\.(tensor\.(\dd\.)?)?(shared\.(?:cta|cluster)\.)?")


def _is_filled_by(copies: list[_Moved], buffer: ir.Value) -> bool:
    """Whether nothing writes a buffer but these copies, whoever emitted it.

    What is rearranged in place is in another order than it came in, and raw code may have copied it anew.
    """
    into = 0
    for operation in users(buffer):
        name = ptx_of(operation)
        if bulk := _BULK_COPY.search(name):
            into += bulk[3] is not None
        elif operation.name not in _READS and not _MULTIPLIES.search(name):
            return False
    return into <= len(copies)
