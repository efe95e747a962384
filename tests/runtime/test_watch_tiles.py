"""In which order tiles lie, as their rule works it out, against Mosaic GPU's own transforms and every element."""

import itertools
from typing import Any

import numpy as np
import pytest

import safegpu as mgpu
from safegpu._facts import path_of
from safegpu.watch import tiles
from tests.runtime.kernels import trace

ROWS, COLUMNS = 32, 64
MATRIX = mgpu.GMEM((ROWS, COLUMNS), mgpu.float16)
GRID = mgpu.TransposeTransform((1, 0, 2, 3))
TRANSFORMS: list[tuple[Any, ...]] = [
    (),
    (mgpu.TransposeTransform((1, 0)),),
    (mgpu.TileTransform((8, 16)),),
    (mgpu.TileTransform((8, 16)), GRID),
    (mgpu.TileTransform((8, 16)), mgpu.TransposeTransform((2, 0, 3, 1))),
    (mgpu.TileTransform((16,)),),
    (mgpu.TransposeTransform((1, 0)), mgpu.TileTransform((16, 8)), GRID),
    (mgpu.TileTransform((16, 32)), mgpu.TileTransform((8, 16)), mgpu.TransposeTransform((2, 3, 1, 0, 4, 5))),
]


def steps(transforms: tuple[Any, ...]) -> Any:
    return tiles._steps(mgpu_call(gmem_transform=transforms))


def mgpu_call(**arguments: Any) -> Any:
    return arguments  # a call is the dict of its arguments


def moved(ref: Any, *transforms: Any, **arguments: Any) -> tiles._Moved:
    call = mgpu_call(gmem_transform=transforms, **arguments)
    return tiles._Moved(path_of(ref), None, None, call)  # type: ignore[arg-type]  # of a block that nobody asks for


@pytest.mark.parametrize("transforms", TRANSFORMS, ids=str)
def test_tiles_lie_where_mosaic_gpu_puts_them(transforms: tuple[Any, ...]) -> None:
    def body(ctx: Any, x: Any, out: Any, _: Any) -> None:
        ref = x
        for transform in transforms:
            ref = transform.apply(ref)
        strides, _offset = ref.type.get_strides_and_offset()
        index = np.indices(ref.type.shape).reshape(len(strides), -1)
        expected = np.divmod(np.tensordot(strides, index, 1), COLUMNS)
        np.testing.assert_array_equal(tiles._matrix(tuple(ref.type.shape), steps(transforms)), expected)

    trace(body, MATRIX, MATRIX)


def is_matrix(seen: np.ndarray) -> bool:
    """Whether each axis goes along rows alone or along columns alone."""
    changes = [[bool(np.diff(each, axis=axis).any()) for each in seen] for axis in (0, 1)]
    return not any(map(all, changes))


def test_tiles_are_crossed_where_the_view_is_no_matrix() -> None:
    """Of the views that a transposition makes, for as many tiles along both axes and for more along one."""
    found: dict[bool, int] = {True: 0, False: 0}

    def body(ctx: Any, x: Any, out: Any, scratch: Any) -> None:
        for ref, transform, permutation in itertools.product(
            scratch, ((), (GRID,)), ((0, 1, 2, 3), (0, 1, 3, 2), (1, 0, 2, 3), (1, 0, 3, 2))
        ):
            tiling = mgpu.TileTransform(tuple(ref.type.shape[2:]))
            view = mgpu.memref_transpose(ref, permutation)
            copy = moved(ref, tiling, *transform)
            (down, right, high, wide), (strides, _) = view.type.shape, view.type.get_strides_and_offset()
            where = np.tensordot(strides, np.indices(view.type.shape).reshape(4, -1), 1)
            matrix: Any = tiles._matrix(tuple(ref.type.shape), copy.steps or ())
            seen = matrix[:, where].reshape(2, down, right, high, wide).transpose(0, 1, 3, 2, 4)
            crossed = tiles._crosses(copy, path_of(view))
            assert crossed is not is_matrix(seen.reshape(2, down * high, right * wide))
            found[bool(crossed)] += 1

    shapes = ((4, 4, 8, 16), (2, 4, 8, 16), (2, 2, 16, 32))
    trace(body, MATRIX, MATRIX, tuple(mgpu.SMEM(shape, mgpu.float16) for shape in shapes))
    assert all(found.values())


def test_of_one_row_of_tiles_all_orders_are_right() -> None:
    def body(ctx: Any, x: Any, out: Any, ref: Any) -> None:
        view = mgpu.memref_transpose(ref, (0, 1, 3, 2))
        copy = moved(ref, mgpu.TileTransform((8, 16)))
        assert tiles._crosses(copy, path_of(view)) is False

    trace(body, MATRIX, MATRIX, mgpu.SMEM((1, 4, 8, 16), mgpu.float16))


def test_what_is_not_known_is_not_crossed() -> None:
    def body(ctx: Any, x: Any, out: Any, scratch: Any) -> None:
        one, other = scratch
        at = mgpu.block_id(mgpu.Dimension.x)

        def crosses(copied: Any, view: Any, **arguments: Any) -> bool | None:
            return tiles._crosses(moved(copied, mgpu.TileTransform((8, 16)), GRID, **arguments), path_of(view))

        ring = [mgpu.memref_slice(other, index) for index in (0, 1, at, at)]
        assert [crosses(ring[0], each) for each in ring] == [True, None, True, True]
        assert [crosses(ring[2], each) for each in ring] == [True, True, True, True]
        assert crosses(ring[2], mgpu.memref_slice(ring[2], (slice(0, 2), slice(0, 2)))) is None
        assert crosses(ring[0], mgpu.memref_slice(ring[0], (slice(0, 2), slice(1, 3)))) is True
        assert crosses(other, ring[2]) is None
        assert crosses(one, one, predicate=at) is None
        assert crosses(one, mgpu.memref_reshape(one, (16, 128))) is None
        assert crosses(mgpu.memref_slice(one, slice(0, 2)), one) is None, "the rest may be anything"

    trace(body, MATRIX, MATRIX, (mgpu.SMEM((4, 4, 8, 16), mgpu.float16), mgpu.SMEM((2, 4, 4, 8, 16), mgpu.float16)))


def test_rows_that_are_gathered_are_in_no_order() -> None:
    def body(ctx: Any, x: Any, out: Any, _: Any) -> None:
        rows = mgpu.FragmentedArray.splat(mgpu.c(0, mgpu.int32), (32,), mgpu.TMA_INDICES_LAYOUT, is_signed=False)
        assert tiles._steps(mgpu_call(gmem_slice=(rows, slice(None)), gmem_transform=GRID)) is None
        assert tiles._steps(mgpu_call(gmem_transform=object())) is None

    trace(body, MATRIX, MATRIX)
