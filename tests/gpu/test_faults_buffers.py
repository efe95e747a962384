"""What comes out of kernels that take a buffer, or an index, for another: Mosaic GPU lowers them, safegpu refuses to.

Each runs as Mosaic GPU lowers it, and its result is compared with what the rule's page says of the fault.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import safegpu as mgpu

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("hopper", "unguarded")]

TILE = (64, 64)
TILED = mgpu.TileTransform((8, 64))
type Poisoned = Callable[..., np.ndarray]


def kernel(body: Callable[..., None], inputs: Any, out: Any, scratch: Any, **options: Any) -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), inputs, out, scratch, **options)


def halves(shape: tuple[int, int]) -> np.ndarray:
    return np.random.default_rng().standard_normal(shape).astype(np.float16)


def load_in(ctx: Any, source: Any, tile: Any, loaded: Any, **options: Any) -> None:
    ctx.async_copy(src_ref=source, dst_ref=tile, barrier=loaded, **options)
    loaded.wait()


# --- SG701: the swizzle of the copy, and another of the load


@pytest.mark.parametrize("named", [128, 64])
def test_a_load_of_another_swizzle_exchanges_halves_of_rows(poisoned: Poisoned, named: int) -> None:
    class Memory(mgpu.Scratch):
        tile = mgpu.SMEM(TILE, mgpu.float16, swizzle=128)
        loaded = mgpu.Barrier(1)

    def body(ctx: Any, x: Any, out: Any, s: Any) -> None:
        load_in(ctx, x, s.tile, s.loaded, swizzle=128, gmem_transform=TILED)
        mgpu.FragmentedArray.load_tiled(s.tile, named).store_untiled(out, optimized=False)

    spec = mgpu.GMEM(TILE, mgpu.float16)
    x = halves(TILE)
    result = poisoned(kernel(body, (spec,), spec, Memory), jnp.asarray(x), poison=np.nan)
    expected = x.copy()
    if named == 64:
        expected.reshape(8, 2, 4, 2, 32)[:, 1] = x.reshape(8, 2, 4, 2, 32)[:, 1, :, ::-1]
        assert not np.array_equal(result, x)
    np.testing.assert_array_equal(result, expected)


# --- SG703: a view that begins inside of what the swizzle permutes


@pytest.mark.parametrize("start", [8, 4, 6, 1])
def test_a_view_within_a_tile_has_its_chunks_elsewhere(poisoned: Poisoned, start: int) -> None:
    class Memory(mgpu.Scratch):
        tile = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128, tiling=())
        loaded = mgpu.Barrier(1)

    def body(ctx: Any, x: Any, out: Any, s: Any) -> None:
        load_in(ctx, x, s.tile, s.loaded, swizzle=128)
        rows = mgpu.memref_slice(s.tile, slice(start, start + 64))
        array = mgpu.FragmentedArray.load_untiled(rows, swizzle=128, layout=mgpu.WGMMA_LAYOUT)
        array.store_untiled(out, optimized=False)

    x = halves((128, 64))
    build = kernel(body, (mgpu.GMEM((128, 64), mgpu.float16),), mgpu.GMEM(TILE, mgpu.float16), Memory)
    result = poisoned(build, jnp.asarray(x), poison=np.nan)
    # of row r of the view, chunk c of 16 bytes is taken from where chunk c ^ r ^ (r + start) was put
    row, chunk = np.arange(64)[:, None], np.arange(8)
    taken = chunk ^ (row % 8) ^ ((row + start) % 8)
    rows = x[start : start + 64]
    np.testing.assert_array_equal(result, rows.reshape(64, 8, 8)[row, taken].reshape(TILE))
    assert np.array_equal(result, rows) is (start % 8 == 0)


# --- SG303: bytes without a sign


def test_unsigned_bytes_are_multiplied_as_signed(poisoned: Poisoned) -> None:
    class Memory(mgpu.Scratch):
        a = mgpu.SMEM((64, 128), mgpu.uint8, swizzle=128)
        b = mgpu.SMEM((64, 128), mgpu.uint8, swizzle=128)
        loaded = mgpu.Barrier(2)

    def body(ctx: Any, a: Any, b: Any, out: Any, s: Any) -> None:
        tiles = mgpu.TileTransform((8, 128))
        ctx.async_copy(src_ref=a, dst_ref=s.a, barrier=s.loaded, swizzle=128, gmem_transform=tiles)
        ctx.async_copy(src_ref=b, dst_ref=s.b, barrier=s.loaded, swizzle=128, gmem_transform=tiles)
        s.loaded.wait()
        acc = mgpu.WGMMAAccumulator.zero(64, 64, mgpu.int32)
        acc = mgpu.wgmma(acc, s.a, mgpu.memref_transpose(s.b, (1, 0, 3, 2)))
        mgpu.wgmma_commit_group()
        mgpu.wgmma_wait_group(0)
        acc.value.store_untiled(out, optimized=False)

    spec = mgpu.GMEM((64, 128), mgpu.uint8)
    a, b = np.random.default_rng().integers(0, 256, (2, 64, 128), dtype=np.uint8)
    built = kernel(body, (spec, spec), mgpu.GMEM(TILE, mgpu.int32), Memory)
    result = poisoned(built, jnp.asarray(a), jnp.asarray(b), poison=np.int32(-(2**31)))
    signed, unsigned = (a.view(each).astype(np.int32) @ b.view(each).astype(np.int32).T for each in (np.int8, np.uint8))
    np.testing.assert_array_equal(result, signed)
    assert not np.array_equal(result, unsigned)


# --- SG306: the order of another dtype


@pytest.mark.parametrize("operation", ["smax", "umax"])
def test_a_reduction_of_the_other_signedness_orders_otherwise(operation: Any) -> None:
    class Memory(mgpu.Scratch):
        tile = mgpu.SMEM(TILE, mgpu.int32, swizzle=128)

    def body(ctx: Any, x: Any, total: Any, s: Any) -> None:
        tiles = mgpu.TileTransform((8, 32))
        array = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)
        array.store_tiled(s.tile, 128)
        mgpu.commit_shared()
        ctx.async_copy(src_ref=s.tile, dst_ref=total, swizzle=128, gmem_transform=tiles, reduction_op=operation)
        ctx.await_async_copy(0)

    spec = mgpu.GMEM(TILE, mgpu.int32)
    x, total = np.random.default_rng().integers(-(2**31), 2**31, (2, *TILE), dtype=np.int32)
    (result,) = jax.tree.leaves(
        kernel(body, (spec,), (), Memory, inout_shape=(spec,))(jnp.asarray(x), jnp.asarray(total))
    )
    signed = np.maximum(x, total)
    unsigned = np.maximum(x.view(np.uint32), total.view(np.uint32)).view(np.int32)
    np.testing.assert_array_equal(np.asarray(result), signed if operation == "smax" else unsigned)
    assert not np.array_equal(signed, unsigned)


# --- SG110: an input that the kernel writes


def test_an_input_is_not_what_it_was() -> None:
    def body(ctx: Any, x: Any, out: Any, s: Any) -> None:
        array = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)
        array.store_untiled(out, optimized=False)
        (array * 2).store_untiled(x, optimized=False)

    spec = mgpu.GMEM(TILE, mgpu.float32)
    x = np.random.default_rng().standard_normal(TILE).astype(np.float32)
    given = jax.device_put(x, jax.devices()[0])
    out = kernel(body, (spec,), spec, ())(given).block_until_ready()
    np.testing.assert_array_equal(np.asarray(out), x)
    np.testing.assert_array_equal(np.asarray(given), 2 * x)  # an array that never changes


# --- SG806: what lies behind the last row


def test_a_constant_out_of_bounds_is_the_next_buffer(poisoned: Poisoned) -> None:
    class Memory(mgpu.Scratch):
        tile = mgpu.SMEM(TILE, mgpu.float16)
        other = mgpu.SMEM(TILE, mgpu.float16)

    def body(ctx: Any, x: Any, y: Any, out: Any, s: Any) -> None:
        mgpu.FragmentedArray.load_strided(x).store_untiled(s.tile)
        mgpu.FragmentedArray.load_strided(y).store_untiled(s.other)
        mgpu.warpgroup_barrier()
        behind = mgpu.memref_slice(s.tile, mgpu.ds(mgpu.c(64, mgpu.Index), 64))
        mgpu.FragmentedArray.load_strided(behind).store_untiled(out)

    spec = mgpu.GMEM(TILE, mgpu.float16)
    x, y = halves(TILE), halves(TILE)
    result = poisoned(kernel(body, (spec, spec), spec, Memory), jnp.asarray(x), jnp.asarray(y), poison=np.nan)
    np.testing.assert_array_equal(result, y)
