"""What the rules of buffers and indices hold to be sure, against a count of every element and the module itself."""

import itertools
from typing import Any

import numpy as np
import pytest

import safegpu as mgpu
from safegpu import _gate
from safegpu._facts import Path, path_of
from safegpu._jax import ir, jax, utils
from safegpu.watch._program import overlap
from safegpu.watch.buffers import misplaced
from safegpu.watch.indices import known
from tests.runtime.kernels import in_kernel, trace

TILE = mgpu.GMEM((64, 64), mgpu.float16)


def permuted(swizzle: int, rows: int) -> np.ndarray:
    """Where a swizzle puts each byte of rows of 128, by PTX's picture: chunk c of row r at chunk c ^ r % groups."""
    address = np.empty(rows * 128, np.int64)
    for row, chunk, byte in itertools.product(range(rows), range(8), range(16)):
        # of the address's bits, those of the 128-byte row are xored into those of the 16-byte chunk
        address[row * 128 + chunk * 16 + byte] = row * 128 + (chunk ^ row % (swizzle // 16)) * 16 + byte
    return address


@pytest.mark.parametrize("swizzle", [32, 64, 128])
def test_views_are_misplaced_where_an_element_is(swizzle: int) -> None:
    where = permuted(swizzle, 64)
    found: dict[bool, int] = {True: 0, False: 0}

    def body(ctx: Any, x: Any, o: Any, tile: Any) -> None:
        for row, column, rows, columns in itertools.product((0, 1, 2, 4, 8, 12), (0, 8, 32), (1, 4, 8), (8, 16, 32)):
            view = mgpu.memref_slice(tile, (slice(row, row + rows), slice(column, column + columns)))
            start = row * 128 + column * 2
            offsets = (np.arange(rows)[:, None] * 128 + np.arange(columns * 2)).ravel()
            wrong = not np.array_equal(start + where[offsets], where[start + offsets])
            assert (misplaced(view.type, swizzle) is not None) is wrong, (row, column, rows, columns)
            found[wrong] += 1

    trace(body, TILE, TILE, mgpu.SMEM((64, 64), mgpu.float16, tiling=()))
    assert all(found.values())


@in_kernel(inputs=TILE, outputs=TILE, scratch=mgpu.SMEM((4, 64, 64), mgpu.float16, swizzle=16))
def test_the_path_entered_by_a_view_is_the_one_walked_back(ctx: Any, x: Any, o: Any, tiles: Any) -> None:
    views: list[Any] = [
        tiles,
        x,
        mgpu.memref_slice(tiles, 1),
        mgpu.memref_slice(tiles, mgpu.block_id(mgpu.Dimension.x)),
    ]
    views += [
        mgpu.memref_transpose(views[2], (1, 0)),
        mgpu.memref_unsqueeze(views[2], 0),
        mgpu.memref_reshape(x, (4096,)),
    ]
    for view in views:
        path, walked = path_of(view), Path(view)
        assert path is path_of(view)
        assert (path.root, path.owner, path.name, path.is_view) == (
            walked.root,
            walked.owner,
            walked.name,
            walked.is_view,
        )
        assert (path.facts, path.steps, path.is_exact) == (walked.facts, walked.steps, walked.is_exact)


@in_kernel(inputs=TILE, outputs=TILE, scratch=mgpu.SMEM((64, 64), mgpu.float16, tiling=()))
def test_windows_overlap_where_they_have_an_element_in_common(ctx: Any, x: Any, o: Any, tile: Any) -> None:
    elements = np.arange(64 * 64).reshape(64, 64)
    places = [(slice(row, row + 16), slice(column, column + 16)) for row in (0, 8, 16) for column in (0, 8, 16)]
    for one, other in itertools.product(places, repeat=2):
        windows = [path_of(mgpu.memref_slice(tile, place)) for place in (one, other)]
        assert overlap(*windows) is bool(np.intersect1d(elements[one], elements[other]).size)


@in_kernel(inputs=TILE, outputs=TILE, scratch=mgpu.SMEM((4, 64), mgpu.float16))
def test_slices_by_values_overlap_where_the_value_is_the_same(ctx: Any, x: Any, o: Any, tile: Any) -> None:
    block = mgpu.block_id(mgpu.Dimension.x)
    for one, other, same in (
        (block, block, True),
        (block, block + 1, False),  # nobody knows
        (mgpu.c(1, mgpu.Index), mgpu.c(1, mgpu.Index), False),  # two values, which nobody looks into
    ):
        slices = [mgpu.memref_slice(tile, each) for each in (one, other)]
        assert overlap(*map(path_of, slices)) is same
        assert overlap(*map(Path, slices)) is same  # as without the calls that made them


@in_kernel(inputs=TILE, outputs=TILE, scratch=mgpu.SMEM((64, 64), mgpu.float16, swizzle=128))
def test_facts_are_sure_through_views_alone(ctx: Any, x: Any, o: Any, tile: Any) -> None:
    view = mgpu.memref_transpose(mgpu.memref_slice(tile, slice(1, 2)), (1, 0, 3, 2))
    assert path_of(view).facts.swizzle == 128
    assert path_of(x).facts.role == "input"
    assert path_of(mgpu.memref_slice(x, 0)).facts.role == "input"
    assert path_of(o).facts.role is None
    assert path_of(mgpu.GmemRef.wrap(x, mgpu.float16)).facts.role == "input"

    @mgpu.fori(mgpu.c(2, mgpu.Index), (x, o))
    def _(i: Any, carried: Any) -> Any:
        assert path_of(carried[0]).facts.role is None
        assert path_of(carried[0]).facts.dtype is None
        return carried


@in_kernel()
def test_numbers_are_known_through_casts(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    assert known(3) == 3
    assert known(mgpu.c(-1, mgpu.I32)) == -1
    assert known(mgpu.c(7, mgpu.I32).to_index()) == 7
    assert known(mgpu.thread_idx()) is None
    assert known(mgpu.c(1, mgpu.Index) + mgpu.thread_idx().to_index()) is None
    assert known(None) is None
    assert known(slice(3)) is None


@pytest.mark.parametrize("x64", [False, True])
def test_a_buffer_of_64_bits_has_them_with_x64(x64: bool) -> None:
    spec = mgpu.GMEM((128,), mgpu.float64)

    def body(ctx: Any, x: Any, o: Any, s: Any) -> None:
        array = mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float64), (128,))
        if x64:
            array.store_untiled(o)
            return
        with pytest.raises(mgpu.RuleError, match=r"buffer holds f32 \(of a spec of float64, without jax_enable_x64\)"):
            array.store_untiled(o)

    with jax.enable_x64(x64):
        trace(body, TILE, spec, ())


# --- what the pages say that Mosaic GPU makes of the illegal


def module_text(monkeypatch: pytest.MonkeyPatch, index: Any) -> str:
    monkeypatch.setattr(_gate, "refuse", lambda code, message: None)

    def body(ctx: Any, x: Any, o: Any, s: Any) -> None:
        ctx.async_copy(src_ref=x, dst_ref=s[0], gmem_slice=index, barrier=s[1])
        mgpu.FragmentedArray.load_strided(mgpu.memref_slice(x, index)).store_untiled(o)

    return trace(body, TILE, TILE, (mgpu.SMEM((64, 64), mgpu.float16), mgpu.Barrier(1)))


@pytest.mark.parametrize("index", [slice(0, 0), slice(0), (slice(64), slice(64), 3), (slice(None), slice(0, 0), 5)])
def test_dropped_and_empty_indices_are_the_whole(monkeypatch: pytest.MonkeyPatch, index: Any) -> None:
    assert module_text(monkeypatch, index) == module_text(monkeypatch, slice(None))


def test_the_barrier_from_the_end_is_before_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_gate, "refuse", lambda code, message: None)

    @in_kernel(scratch=mgpu.Barrier(1, num_barriers=4))
    def body(ctx: Any, x: Any, o: Any, barriers: Any) -> None:
        offset = barriers[-1].offset
        assert offset.owner.name == "arith.addi"
        assert [known(each) for each in offset.owner.operands] == [0, -1]

    body()


# --- what a check needs not be told


@in_kernel(inputs=TILE, outputs=TILE, scratch=mgpu.SMEM((64, 64), mgpu.float16, swizzle=128))
def test_calls_that_are_wrong_otherwise_are_mosaic_gpus(ctx: Any, x: Any, o: Any, tile: Any) -> None:
    function: Any
    for function, arguments in (
        (mgpu.memref_slice, {}),
        (mgpu.memref_slice, {"ref": 3, "index": 0}),
        (mgpu.FragmentedArray.load_tiled, {"ref": 3, "swizzle": 128}),
        (mgpu.FragmentedArray.load_untiled, {}),
        (ctx.async_copy, {}),
        (ctx.async_copy, {"src_ref": x, "dst_ref": o}),
        (ctx.async_copy, {"src_ref": 1, "dst_ref": o, "gmem_slice": 3}),
        (mgpu.wgmma, {"acc": 1, "a": 2, "b": 3}),
        (mgpu.copy_tiled, {"src": 1, "dst": 2}),
    ):
        with pytest.raises((TypeError, ValueError, AttributeError)) as raised:
            function(**arguments)
        assert not isinstance(raised.value, mgpu.RuleError)
        assert raised.traceback[-1].path.stem not in ("buffers", "indices"), raised.traceback[-1]


def test_rules_see_only_the_functions_they_name() -> None:
    """`utils.memref_slice` of a raw value is the same value, checked the same way."""

    def body(ctx: Any, x: Any, o: Any, tile: Any) -> None:
        with pytest.raises(mgpu.RuleError, match="SG808"):
            mgpu.utils.memref_slice(ir.Value(tile), slice(0, 0))
        utils.memref_slice(tile, slice(0, 0))  # Mosaic GPU's own is not ours to change

    trace(body, TILE, TILE, mgpu.SMEM((64, 64), mgpu.float16))
