"""What comes out of kernels that mistake who runs a call, where a buffer lies or what is known in Python.

Each runs as Mosaic GPU lowers it, and its result is compared with what the rule's page says of the fault. Nothing here
waits for what may not come: faults of barriers are shown in the PTX (`tests/test_faults_scope.py`).
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import safegpu as mgpu
from safegpu import utils

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("hopper", "unguarded")]

TILE = (64, 64)
HALF = mgpu.GMEM(TILE, mgpu.float16)
SINGLE = mgpu.GMEM(TILE, mgpu.float32)
TILED = mgpu.TileTransform((8, 64))
type Poisoned = Callable[..., np.ndarray]


def kernel(body: Callable[..., None], spec: Any, scratch: Any, threads: int = 128) -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(body, (1, 1, 1), (threads, 1, 1), spec, spec, scratch)


def numbers(dtype: Any) -> np.ndarray:
    return np.random.default_rng().standard_normal(TILE).astype(dtype)


# --- SG405: one thread stores what it holds


def test_one_thread_stores_its_part(poisoned: Poisoned) -> None:
    def body(ctx: Any, x: Any, out: Any, _: Any) -> None:
        array = mgpu.FragmentedArray.load_strided(x)
        with mgpu.single_thread():
            array.store_untiled(out)

    x = numbers(np.float32)
    result = poisoned(kernel(body, SINGLE, ()), jnp.asarray(x), poison=np.nan)
    written = ~np.isnan(result)
    assert written.sum() == x.size // 128
    np.testing.assert_array_equal(result[written], x[written])


# --- SG406: each thread reduces


def test_all_threads_reduce_the_buffer(poisoned: Poisoned) -> None:
    def body(ctx: Any, x: Any, out: Any, tile: Any) -> None:
        mgpu.FragmentedArray.load_strided(x).store_untiled(tile)
        zero = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), TILE)
        zero.store_untiled(out)
        mgpu.commit_shared()
        utils.inline_ptx("fence.proxy.async;")
        mgpu.warpgroup_barrier()
        ctx.async_copy(src_ref=tile, dst_ref=out, reduction_op="add", predicate=None)
        ctx.await_async_copy(0)

    x = np.ones(TILE, np.float32)
    result = poisoned(kernel(body, SINGLE, mgpu.SMEM(TILE, mgpu.float32)), jnp.asarray(x), poison=np.nan)
    np.testing.assert_array_equal(result, np.full(TILE, 128.0))


# --- SG810: a block of half a warpgroup


def test_half_a_warpgroup_stores_half_of_the_array(poisoned: Poisoned) -> None:
    def body(ctx: Any, x: Any, out: Any, _: Any) -> None:
        mgpu.FragmentedArray.load_strided(x).store_untiled(out)

    x = numbers(np.float32)
    result = poisoned(kernel(body, SINGLE, (), threads=64), jnp.asarray(x), poison=np.nan)
    written = ~np.isnan(result)
    assert written.sum() == x.size // 2
    np.testing.assert_array_equal(result[written], x[written])


# --- SG812: a buffer that begins within the pattern of its swizzle


def test_tma_and_arrays_swizzle_a_misaligned_buffer_differently(poisoned: Poisoned) -> None:
    """The row before the tile moves its beginning by two of the eight rows after which the pattern repeats."""

    class Memory(mgpu.Scratch):
        row = mgpu.SMEM((64,), mgpu.float32)
        tile = mgpu.SMEM(TILE, mgpu.float16, swizzle=128)
        loaded = mgpu.Barrier(1)

    def body(ctx: Any, x: Any, out: Any, s: Any) -> None:
        ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.loaded, swizzle=128, gmem_transform=TILED)
        s.loaded.wait()
        mgpu.FragmentedArray.load_tiled(s.tile, 128).store_untiled(out, optimized=False)

    x = numbers(np.float16)
    result = poisoned(kernel(body, HALF, Memory), jnp.asarray(x), poison=np.nan)
    assert not np.array_equal(result, x)
    rows = np.arange(64)[:, None]
    chunks = np.arange(8)[None, :]  # of 16 bytes, which a swizzle permutes within a row
    # an array looks where the pattern would be if the tile began it; TMA has put there what its own pattern says
    there = chunks ^ (rows % 8) ^ ((rows + 2) % 8)
    np.testing.assert_array_equal(result, x.reshape(64, 8, 8)[rows, there].reshape(TILE))


# --- SG811: a condition that Python answers


def test_a_condition_in_python_always_holds(poisoned: Poisoned) -> None:
    def body(ctx: Any, x: Any, out: Any, _: Any) -> None:
        array = mgpu.FragmentedArray.load_strided(x)
        if array > 0.0:
            array = array * 0.5
        array.store_untiled(out)

    x = numbers(np.float32)
    result = poisoned(kernel(body, SINGLE, ()), jnp.asarray(x), poison=np.nan)
    np.testing.assert_array_equal(result, x * np.float32(0.5))
    assert (x < 0).any()


def test_the_greater_of_two_arrays_in_python_is_the_second(poisoned: Poisoned) -> None:
    def body(ctx: Any, x: Any, out: Any, _: Any) -> None:
        array = mgpu.FragmentedArray.load_strided(x)
        # CPython keeps the first unless the second is greater, which it always is
        greater: Any = max(array, array * 0.5)  # type: ignore[call-overload]
        greater.store_untiled(out)

    x = numbers(np.float32)
    result = poisoned(kernel(body, SINGLE, ()), jnp.asarray(x), poison=np.nan)
    np.testing.assert_array_equal(result, x * np.float32(0.5))
