"""Kernels on a Hopper GPU, on random inputs, with poisoned outputs, against numpy."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import safegpu as mgpu
from examples import cluster_exchange
from examples.bugs import reinterpreted_dtype

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("hopper")]

ROWS, COLUMNS = cluster_exchange.ROWS, cluster_exchange.COLUMNS


def swapped(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1, 2, ROWS, COLUMNS)[:, ::-1].reshape(array.shape)


@pytest.mark.parametrize("pairs", [1, 3, 66, 200])
def test_cluster_exchange(poisoned: Callable[..., np.ndarray], pairs: int) -> None:
    rng = np.random.default_rng()
    tiles = rng.standard_normal((2 * pairs * ROWS, COLUMNS)).astype(np.float16)
    result = poisoned(cluster_exchange.exchange(pairs), jax.numpy.asarray(tiles), poison=np.nan)
    np.testing.assert_array_equal(result, swapped(tiles))


@pytest.mark.parametrize("pairs", [1, 3, 66, 200])
def test_cluster_reduce(poisoned: Callable[..., np.ndarray], pairs: int) -> None:
    rng = np.random.default_rng()
    tiles = rng.integers(-(2**30), 2**30, (2 * pairs * ROWS, COLUMNS), dtype=np.int32)
    result = poisoned(cluster_exchange.reduce(pairs), jax.numpy.asarray(tiles), poison=np.int32(-(2**31)))
    np.testing.assert_array_equal(result, tiles + swapped(tiles))


def test_the_first_kernel_of_the_docs(poisoned: Callable[..., np.ndarray]) -> None:
    page = (Path(cluster_exchange.__file__).parents[1] / "docs" / "first_kernel.md").read_text()
    names: dict[str, Any] = {}
    exec(re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)[0], names)
    source = np.random.default_rng().standard_normal((16 * 64, 64)).astype(np.float16)
    result = poisoned(names["kernel"](16), jax.numpy.asarray(source), poison=np.nan)
    np.testing.assert_array_equal(result, source * np.float16(2))


# What SG302 stands for: no gate after the types sees these, and the bits come out under another dtype.


def test_stores_to_global_memory_reinterpret(poisoned: Callable[..., np.ndarray]) -> None:
    tile = np.random.default_rng().standard_normal((ROWS, COLUMNS)).astype(np.float16)
    result = poisoned(reinterpreted_dtype.kernel(), jax.numpy.asarray(tile), poison=np.nan)
    np.testing.assert_array_equal(result.view(np.uint16), tile.view(np.uint16))
    assert not np.allclose(result.astype(np.float32), tile.astype(np.float32))
    ones = poisoned(reinterpreted_dtype.kernel(), jax.numpy.ones((ROWS, COLUMNS), np.float16), poison=np.nan)
    assert set(ones.astype(np.float32).ravel().tolist()) == {0.0078125}


@pytest.mark.parametrize(
    ("stored", "read"), [(mgpu.float16, mgpu.bfloat16), (mgpu.int32, mgpu.float32)], ids=["f16", "i32"]
)
def test_stores_to_shared_memory_reinterpret(poisoned: Callable[..., np.ndarray], stored: Any, read: Any) -> None:
    def reinterpret(ctx: Any, source: Any, result: Any, smem: Any) -> None:
        tile = mgpu.FragmentedArray.load_untiled(source, layout=mgpu.WGMMA_LAYOUT, optimized=False)
        tile.store_tiled(smem, swizzle=128)
        mgpu.commit_shared()
        mgpu.warpgroup_barrier()
        other = mgpu.FragmentedArray.load_tiled(smem, swizzle=128)
        other.store_untiled(result, optimized=False)

    kernel = mgpu.as_gpu_kernel(
        reinterpret,
        grid=(1, 1, 1),
        block=(128, 1, 1),
        in_shape=mgpu.GMEM((ROWS, COLUMNS), stored),
        out_shape=mgpu.GMEM((ROWS, COLUMNS), read),
        smem_scratch_shape=mgpu.SMEM((ROWS, COLUMNS), read, swizzle=128),
    )
    bits = np.dtype(f"uint{stored.bits}")
    tile = np.random.default_rng().integers(0, 2**15, (ROWS, COLUMNS)).astype(stored.dtype)
    result = poisoned(kernel, jax.numpy.asarray(tile), poison=np.nan)
    np.testing.assert_array_equal(result.view(bits), tile.view(bits))
    assert not np.allclose(result.astype(np.float32), tile.astype(np.float32))
