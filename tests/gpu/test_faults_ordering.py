"""What comes of the wrong order of copies, stores and products on a Hopper GPU: Mosaic GPU's own kernels, as they are.

Each fault runs beside the same kernel without it, which differs in one call. No wait here can be missed: every barrier
is arrived at as often as it is waited for, so nothing hangs. What is a race is made long: whoever comes too early has
thousands of cycles to do so.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.experimental.mosaic.gpu as raw
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.mosaic.gpu import utils
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, nvvm

from safegpu._jax import mlir_context

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("hopper")]

type Poisoned = Callable[..., np.ndarray]
BLOCKS = 64


def kernel(body: Callable[..., None], inputs: Any, out: Any, scratch: Any, blocks: int = 1) -> Any:
    build: Any = raw.as_gpu_kernel
    with mlir_context():
        return build(body, (blocks, 1, 1), (128, 1, 1), inputs, out, scratch)


def shaped(shape: tuple[int, ...], dtype: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


def halves(*shape: int) -> np.ndarray:
    return np.random.default_rng().uniform(-1, 1, shape).astype(np.float16)


def first_row(number: int) -> Any:
    """Of this block, where each has so many."""
    index = ir.IndexType.get()
    return arith.muli(arith.index_cast(index, utils.block_idx()), utils.c(number, index))


# --- SG902: a copy out of shared memory that not all threads have written yet


def stored_and_copied(fenced: bool) -> Any:
    """Warps 1 to 3 store late; one thread of warp 0 starts the copy."""

    def body(ctx: Any, x: Any, out: Any, tile: Any) -> None:
        i32 = ir.IntegerType.get_signless(32)
        here = raw.ds(first_row(64), 64)
        loaded = raw.FragmentedArray.load_strided(raw.memref_slice(x, here))
        late = arith.cmpi(arith.CmpIPredicate.ne, utils.warp_idx(), utils.c(0, i32))
        with utils.when(late):
            utils.nanosleep(utils.c(20_000, i32))
        loaded.store_untiled(tile)
        if fenced:
            utils.commit_shared()
        ctx.async_copy(src_ref=tile, dst_ref=out, gmem_slice=(here, slice(None)))
        ctx.await_async_copy(0)

    matrix = shaped((64 * BLOCKS, 64), jnp.float16)
    return kernel(body, matrix, matrix, shaped((64, 64), jnp.float16), BLOCKS)


@pytest.mark.parametrize("fenced", [True, False])
def test_a_copy_takes_what_is_not_stored_yet(poisoned: Poisoned, fenced: bool) -> None:
    """SG902: three quarters of the elements are stored by the warps that are late."""
    x = halves(64 * BLOCKS, 64)
    wrong = np.mean(poisoned(stored_and_copied(fenced), jnp.asarray(x), poison=np.nan) != x)
    assert wrong == 0 if fenced else wrong > 0.5


# --- SG908: a tile read before the copy has brought it


def loaded_and_read(waits: bool) -> Any:
    """A tile of 64 KiB; what is read too early is stored once the copy is over, so nothing is left under way."""

    def body(ctx: Any, x: Any, out: Any, scratch: Any) -> None:
        tile, arrived = scratch
        zero = raw.FragmentedArray.splat(utils.c(0.0, ir.F16Type.get()), (512, 64))
        zero.store_untiled(tile)
        utils.commit_shared()
        ctx.async_copy(
            src_ref=x, dst_ref=raw.memref_slice(tile, raw.ds(0, 256)), gmem_slice=raw.ds(0, 256), barrier=arrived
        )
        ctx.async_copy(
            src_ref=x, dst_ref=raw.memref_slice(tile, raw.ds(256, 256)), gmem_slice=raw.ds(256, 256), barrier=arrived
        )
        if waits:
            arrived.wait()
        loaded = raw.FragmentedArray.load_strided(tile)
        if not waits:
            arrived.wait()
        loaded.store_untiled(out)

    matrix = shaped((512, 64), jnp.float16)
    return kernel(body, matrix, matrix, (matrix, raw.Barrier(2)))


@pytest.mark.parametrize("waits", [True, False])
def test_a_load_takes_what_is_not_copied_yet(poisoned: Poisoned, waits: bool) -> None:
    """SG908: the zeros that the threads have stored before are still there."""
    x = halves(512, 64) + np.float16(2)
    result = poisoned(loaded_and_read(waits), jnp.asarray(x), poison=np.nan)
    early = np.mean(result == 0)
    assert early == 0 if waits else early > 0.5
    np.testing.assert_array_equal(result[result != 0], x[result != 0])


# --- SG905: the source of a copy overwritten


def copied_and_overwritten(waits: bool) -> Any:
    """A tile of 128 KiB takes TMA longer to read than the threads to begin with its end."""
    tall, part = 1024, 256
    parts = [raw.ds(first, part) for first in range(0, tall, part)]

    def body(ctx: Any, x: Any, out: Any, scratch: Any) -> None:
        tile, arrived = scratch
        for rows in parts:
            window = (rows, slice(None))
            ctx.async_copy(src_ref=x, dst_ref=raw.memref_slice(tile, rows), gmem_slice=window, barrier=arrived)
        arrived.wait()
        for rows in parts:
            ctx.async_copy(src_ref=raw.memref_slice(tile, rows), dst_ref=out, gmem_slice=(rows, slice(None)))
        if waits:
            ctx.await_async_copy(0, await_read_only=True)
        seven = raw.FragmentedArray.splat(utils.c(7.0, ir.F16Type.get()), (64, 64))
        seven.store_untiled(raw.memref_slice(tile, raw.ds(tall - 64, 64)))
        ctx.await_async_copy(0)

    matrix = shaped((tall, 64), jnp.float16)
    scratch = (shaped((tall, 64), jnp.float16), raw.Barrier(4))
    return kernel(body, matrix, matrix, scratch)


@pytest.mark.parametrize("waits", [True, False])
def test_a_copy_takes_what_is_stored_over_its_source(poisoned: Poisoned, waits: bool) -> None:
    """SG905: the last rows come out as the sevens that are stored while the rows before are copied."""
    x = halves(1024, 64)
    result = poisoned(copied_and_overwritten(waits), jnp.asarray(x), poison=np.nan)
    np.testing.assert_array_equal(result[:-64], x[:-64])
    if waits:
        np.testing.assert_array_equal(result[-64:], x[-64:])
    else:
        assert np.any(result[-64:] == 7.0)


# --- SG904, SG907: products of wgmma


def multiplied(*, waits: bool = True, overwrites: bool = False, keeps: bool = True) -> Any:
    """A product of 64 x 512 and 512 x 128: 32 instructions, of which the last read the end of both operands."""
    deep, wide = 512, 128

    def body(ctx: Any, a: Any, b: Any, out: Any, scratch: Any) -> None:
        a_tile, b_tile, loaded = scratch
        for source, tile in ((a, a_tile), (b, b_tile)):
            tiles = raw.TileTransform((8, 64))
            ctx.async_copy(src_ref=source, dst_ref=tile, gmem_transform=tiles, swizzle=128, barrier=loaded)
        loaded.wait()
        start = raw.WGMMAAccumulator.zero(64, wide)
        acc = raw.wgmma(start, a_tile, b_tile, swizzle=128)
        nvvm.wgmma_commit_group_sync_aligned()
        if waits:
            nvvm.wgmma_wait_group_sync_aligned(0)
        if overwrites:
            zero = raw.FragmentedArray.splat(utils.c(0.0, ir.F16Type.get()), (8, 2, 8, 64))
            zero.store_untiled(raw.memref_slice(b_tile, raw.ds(deep // 8 - 8, 8)))
        nvvm.wgmma_wait_group_sync_aligned(0)
        result = acc if keeps else start
        result.value.store_untiled(out, optimized=False)

    inputs = (shaped((64, deep), jnp.float16), shaped((deep, wide), jnp.float16))
    scratch = (
        shaped((8, deep // 64, 8, 64), jnp.float16),
        shaped((deep // 8, wide // 64, 8, 64), jnp.float16),
        raw.Barrier(2),
    )
    return kernel(body, inputs, shaped((64, wide), jnp.float32), scratch)


def product(poisoned: Poisoned, built: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The result, what it should be, and what it is without the last 64 of the 512 that are summed."""
    a, b = halves(64, 512), halves(512, 128)
    result = poisoned(built, jnp.asarray(a), jnp.asarray(b), poison=np.nan)
    wide_a, wide_b = a.astype(np.float32), b.astype(np.float32)
    return result, wide_a @ wide_b, wide_a[:, :-64] @ wide_b[:-64]


@pytest.mark.parametrize("overwrites", [False, True])
def test_products_that_are_waited_for_are_right(poisoned: Poisoned, overwrites: bool) -> None:
    result, expected, _ = product(poisoned, multiplied(overwrites=overwrites))
    np.testing.assert_allclose(result, expected, atol=1e-2)


def test_a_product_takes_what_is_stored_over_its_operand(poisoned: Poisoned) -> None:
    """SG904: the last 64 rows of B are zero before the tensor core gets there."""
    result, expected, without_the_last = product(poisoned, multiplied(waits=False, overwrites=True))
    assert np.abs(result - expected).max() > 0.1
    assert np.isclose(result, without_the_last, atol=1e-2).mean() > 0.5


def test_a_dropped_product_is_in_no_accumulator(poisoned: Poisoned) -> None:
    """SG907: the accumulator before the product is zero, and stays so."""
    result, _, _ = product(poisoned, multiplied(keeps=False))
    np.testing.assert_array_equal(result, np.zeros_like(result))
