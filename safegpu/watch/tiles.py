"""SG705: the tiles of a matrix lie in shared memory in another order than they are taken in.

TMA puts tiles one after another as `gmem_transform` says; an MMA and a tiled store take them as the shape and strides
of their view say. Nothing compares the two. They disagree for sure where both see the same rows and columns inside of a
tile, and the next tile is to one the next row of tiles and to the other the next column: a matrix that is transposed as
blocks, and not inside, is none. An array may be loaded so on purpose, to be transposed inside or stored as it came.
"""

import functools
import operator
from typing import Any, NamedTuple

import numpy as np

from safegpu import _gate
from safegpu._jax import DYNAMIC, fa, ir, launch_context, utils
from safegpu.watch._addresses import users
from safegpu.watch._core import Call, Place, after, told
from safegpu.watch._program import Window, enclosing, follows, overlap, unseen, window

_TMA = launch_context.AsyncCopyImplementation.TMA
_Tile, _Transpose = launch_context.TileTransform, launch_context.TransposeTransform
_MATRIX, _GRID, _TILED = 2, (0, 1), (2, 3)  # axes: of a matrix, of the grid of tiles, inside of a tile
_FIX = (
    "blocks would be transposed, and not what is inside of them; where the copy has TransposeTransform((1, 0, 2, 3)), "
    "give memref_transpose(ref, (0, 1, 3, 2)), where it has none, ref, or for its transpose (1, 0, 3, 2)"
)

type _Steps = tuple[tuple[type, tuple[int, ...]], ...]


class _Moved(NamedTuple):
    """What has put a matrix into shared memory."""

    window: Window
    block: ir.Block
    place: Place | None
    steps: _Steps | None
    """From the matrix in global memory to the copy's part of shared memory; None where they are not known."""
    array: Any = None
    """What a store has put there in the order of its view; None where that is not known."""


class _Tiles:
    def __init__(self) -> None:
        self.copies: dict[ir.Value, list[_Moved]] = {}
        self.stores: dict[ir.Value, list[_Moved]] = {}
        self.loaded: list[tuple[Any, _Moved]] = []
        """Arrays that were loaded from tiles in another order, and the copy that had put them there."""
        self.may_be_crossed = False
        """Whether an array may hold such a matrix on purpose."""


# --- what puts tiles somewhere, and what takes them


@after("LaunchContext.async_copy")
def _copied(call: Call) -> None:
    tiles = call.states[_Tiles]
    if (to := window(call["dst_ref"])) is not None:
        tiles.copies.setdefault(to.root, []).append(_Moved(to, call.block, call.place, _steps(call)))
    elif tiles.stores and (source := window(call["src_ref"])) is not None and (steps := _steps(call)) is not None:
        _check_copied_out(call, source, steps)


@after("FragmentedArray.store_tiled", "FragmentedArray.store_untiled")
def _stored(call: Call) -> None:
    if (to := window(call.get("ref"))) is None:
        return
    known = call.name == "FragmentedArray.store_tiled" and call.get("atomic") is None
    stores = call.states[_Tiles].stores.setdefault(to.root, [])
    stores.append(_Moved(to, call.block, call.place, None, call["self"] if known else None))


@after(
    "FragmentedArray.load_tiled",
    "FragmentedArray.load_untiled",
    "FragmentedArray.load_strided",
    "FragmentedArray.load_reduce_untiled",
)
def _loaded(call: Call) -> None:
    tiles, ref = call.states[_Tiles], call.get("ref")
    if not isinstance(ref, ir.Value) or not utils.is_smem_ref(ref):
        rank = ref.type.rank if isinstance(ref, ir.Value) and isinstance(ref.type, ir.MemRefType) else None
        tiles.may_be_crossed |= rank not in (0, 1, _MATRIX)  # of which the tiles are no axes
        return
    read = window(ref)
    copies = [] if read is None else [each for each in tiles.copies.get(read.root, ()) if not _are_apart(each, read)]
    if read is None or not copies or any(_crosses(each, read) is not False for each in copies):
        tiles.may_be_crossed = True
    if read is not None and (copy := _another_order(copies, read, call.block)) is not None:
        tiles.loaded.append((call.result, copy))


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
        if copy is not None and not _done_to(copy.window.root) & {"write", "other"}:
            _gate.refuse(
                "SG705",
                f"{call.name}: {name} takes its tiles in another order than the copy at {told(copy.place)} has put "
                f"them in: {_FIX}",
            )


def _check_copied_out(call: Call, source: Window, steps: _Steps) -> None:
    tiles = call.states[_Tiles]
    stores = tiles.stores.get(source.root)
    if not stores or tiles.may_be_crossed or source.root in tiles.copies:
        return
    out = _Moved(source, call.block, call.place, steps)
    store = _store_in_another_order(stores, out)
    if store is None or _done_to(source.root) & {"read", "other"} or unseen(call.block, _BY_HAND, 0):
        return
    _gate.refuse(
        "SG705",
        f"{call.name}: takes the tiles of src_ref in another order than the store at {told(store.place)} has put them "
        f"in: {_FIX}",
    )


_BY_HAND = r"(?<!nvvm\.)ldmatrix|movmatrix"
"""What may transpose tiles in registers."""


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


def _store_in_another_order(stores: list[_Moved], out: _Moved) -> _Moved | None:
    """The last store, if it has put there for sure what is copied out, in another order."""
    for store in reversed(stores):
        if _are_apart(out, store.window):
            continue
        known = store.array is not None and len(set(store.array.registers.flat)) > 1  # or of one value, in any order
        sure = known and overlap(store.window, out.window) and follows(store.block, out.block)
        return store if sure and _crosses(out, store.window) else None
    return None


def _are_apart(one: _Moved, other: Window) -> bool:
    """Whether two windows of a buffer have no element in common for sure."""
    if one.window.extent is None or other.extent is None:
        return False
    (start, stop), (other_start, other_stop) = one.window.extent, other.extent
    return stop <= other_start or other_stop <= start


# --- orders of tiles


def _steps(copy: Call) -> _Steps | None:
    """The transforms of a copy by TMA, hashable; None where there is another, or rows are gathered."""
    transforms, rows = copy.get("gmem_transform", ()), copy.get("gmem_slice", ())
    transforms = transforms if isinstance(transforms, tuple) else (transforms,)
    rows = rows if isinstance(rows, tuple) else (rows,)
    if copy.get("implementation", _TMA) != _TMA or any(isinstance(each, fa.FragmentedArray) for each in rows):
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
    # Where rows and columns are no axes of a tile, it is no part of the matrix: what that is for, nobody knows.
    of_matrix = len(inside_down) == len(inside_right) == 1 and inside_down != inside_right
    return of_matrix and inside_right <= down and inside_down <= right


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
_WRITES = {"llvm.store", "memref.store", "nvvm.stmatrix", "vector.store"}


def _done_to(buffer: ir.Value) -> set[str]:
    """What threads do to a buffer, whoever emitted it: "read", "write", or "other" of what is not known here.

    What is rearranged in place is in another order than it came in.
    """
    done: set[str] = set()
    for operation in users(buffer):
        name = operation.name
        if name in _READS:
            done.add("read")
        elif name in _WRITES:
            done.add("write")
        elif not (name.startswith("nvvm.cp.async.bulk.") or _multiplies(operation)):
            done.add("other")
    return done


def _multiplies(operation: Any) -> bool:
    if operation.name != "llvm.inline_asm":
        return False
    assembly: str = operation.attributes["asm_string"].value
    return "wgmma.mma_async" in assembly or "tcgen05.mma" in assembly
