"""Kernels on a Hopper GPU, on random inputs, with poisoned outputs, against numpy."""

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import safegpu as mgpu
from examples import cluster_exchange, flash_attention, hopper_matmul
from examples.bugs import reinterpreted_dtype

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("hopper")]

F16, BF16, F32 = mgpu.float16, mgpu.bfloat16, mgpu.float32
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


def attention(*inputs: jax.Array, scale: float | None = None) -> np.ndarray:
    """Of Q, K and V as they are, in float32."""
    q, k, v = (np.asarray(each).astype(np.float32).swapaxes(1, 2) for each in inputs)
    k, v = (each.repeat(q.shape[1] // k.shape[1], axis=1) for each in (k, v))
    scores = q @ k.swapaxes(2, 3) * (q.shape[-1] ** -0.5 if scale is None else scale)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights @ v / weights.sum(axis=-1, keepdims=True)).swapaxes(1, 2)


def assert_close(result: np.ndarray, expected: np.ndarray, dtype: type[mgpu.DType]) -> None:
    """Weights and results are rounded to `dtype`: half a unit in the last place each, of the largest there are."""
    assert np.isfinite(result.astype(np.float32)).all()
    unit = float(jax.numpy.finfo(dtype.dtype).eps)
    difference = np.abs(result.astype(np.float32) - expected).max()
    assert difference <= 2 * unit * np.abs(expected).max()


ATTENTIONS = {
    "one block": (1, 128, 128, 1, 1),
    "long keys": (1, 128, 8192, 2, 2),
    "long queries": (1, 2048, 256, 2, 2),
    "grouped heads": (2, 512, 1024, 8, 2),
    "keys in 192s": (1, 384, 3072, 2, 1),
    "queries cut": (1, 1000, 512, 2, 2),
    "one key head": (3, 256, 512, 6, 1),
    "all multiprocessors, several times": (2, 4096, 1024, 8, 8),
    "64 keys": (1, 64, 64, 2, 2),
    "192 keys, queries cut": (2, 200, 192, 2, 1),
}

FOUR = flash_attention.CONFIGS[64][0]
OTHERWISE_64 = {
    "warp-specialized": flash_attention.Config(128, consumers=3),
    "warp-specialized, no turns": flash_attention.Config(128, turns=False),
    "four in turns": dataclasses.replace(FOUR, turns=True),
    "four, a ring of two": dataclasses.replace(FOUR, stages=2),
    "two that load": dataclasses.replace(FOUR, stages=2, consumers=2),
    "64 keys a step": flash_attention.CONFIGS[64][1],
}
"""Of head_dim 64, the ways that are not its first."""


def assert_attends(poisoned: Callable[..., np.ndarray], shape: Any, head_dim: int, dtype: Any, config: Any) -> None:
    batch, q_len, kv_len, q_heads, kv_heads = shape
    rng = np.random.default_rng()
    q, k, v = (
        jax.numpy.asarray(rng.standard_normal((batch, length, heads, head_dim), np.float32)).astype(dtype.dtype)
        for length, heads in ((q_len, q_heads), (kv_len, kv_heads), (kv_len, kv_heads))
    )
    kernel = flash_attention.kernel(batch, q_len, kv_len, q_heads, kv_heads, head_dim, dtype, config)
    assert_close(poisoned(kernel, q, k, v, poison=np.nan), attention(q, k, v), dtype)


@pytest.mark.parametrize("dtype", [mgpu.float16, mgpu.bfloat16], ids=["f16", "bf16"])
@pytest.mark.parametrize("head_dim", [64, 128, 256])
@pytest.mark.parametrize("shape", ATTENTIONS.values(), ids=ATTENTIONS)
def test_flash_attention(poisoned: Callable[..., np.ndarray], shape: Any, head_dim: int, dtype: Any) -> None:
    assert_attends(poisoned, shape, head_dim, dtype, None)


@pytest.mark.parametrize("dtype", [mgpu.float16, mgpu.bfloat16], ids=["f16", "bf16"])
@pytest.mark.parametrize("config", OTHERWISE_64.values(), ids=OTHERWISE_64)
@pytest.mark.parametrize("steps", [1, 2, 3, 16])
def test_flash_attention_in_another_way(
    poisoned: Callable[..., np.ndarray], steps: int, config: flash_attention.Config, dtype: Any
) -> None:
    assert_attends(poisoned, (2, 1000, steps * config.block_kv, 6, 2), 64, dtype, config)


@pytest.mark.parametrize("config", [FOUR, *OTHERWISE_64.values()], ids=["four", *OTHERWISE_64])
def test_flash_attention_gives_the_same_bits_each_time(config: flash_attention.Config) -> None:
    """A race over a slot of the ring would show sooner or later."""
    rng = np.random.default_rng()
    inputs = [jax.numpy.asarray(rng.standard_normal((1, 2048, 16, 64), np.float32)).astype(F16.dtype) for _ in range(3)]
    kernel = flash_attention.kernel(1, 2048, 2048, 16, 16, 64, F16, config)
    first = kernel(*inputs)
    same = jax.jit(lambda one, other: (one == other).all())
    assert all(bool(same(first, kernel(*inputs))) for _ in range(100))


@pytest.mark.parametrize("masked", ["first", "last"])
@pytest.mark.parametrize(
    ("head_dim", "config"), [(64, None), (64, OTHERWISE_64["warp-specialized"]), (128, None), (256, None)]
)
def test_flash_attention_of_scores_of_minus_infinity(
    poisoned: Callable[..., np.ndarray], head_dim: int, config: flash_attention.Config | None, masked: str
) -> None:
    """They weigh nothing, be it all scores of a step."""
    rng = np.random.default_rng()
    q = np.ones((1, 256, 2, head_dim), np.float32)
    k, v = rng.standard_normal((2, 1, 1024, 2, head_dim), np.float32)
    k[:, slice(256) if masked == "first" else slice(-256, None)] = -np.inf
    inputs = [jax.numpy.asarray(each).astype(F16.dtype) for each in (q, k, v)]
    kernel = flash_attention.kernel(1, 256, 1024, 2, 2, head_dim, F16, config)
    assert_close(poisoned(kernel, *inputs, poison=np.nan), attention(*inputs), F16)


@pytest.mark.parametrize("order", ["rising", "falling"])
@pytest.mark.parametrize("head_dim", [64, 128, 256])
def test_flash_attention_to_a_peak(poisoned: Callable[..., np.ndarray], head_dim: int, order: str) -> None:
    """Scores that rise from block to block, as far as 2**100 in the exponential, or fall."""
    rng = np.random.default_rng()
    rising = np.linspace(-35, 35, 2048, dtype=np.float32)[:: 1 if order == "rising" else -1]
    q = np.ones((1, 256, 2, head_dim), np.float32)
    k = np.broadcast_to(rising[None, :, None, None] / head_dim, (1, 2048, 2, head_dim))
    v = rng.standard_normal(k.shape, np.float32)
    inputs = [jax.numpy.asarray(each).astype(np.float16) for each in (q, k, v)]
    kernel = flash_attention.kernel(1, 256, 2048, 2, 2, head_dim, mgpu.float16, scale=1.0)
    assert_close(poisoned(kernel, *inputs, poison=np.nan), attention(*inputs, scale=1.0), mgpu.float16)


Config = hopper_matmul.Config

MATMULS: dict[str, tuple[tuple[int, int, int], Any, Any, bool, Config]] = {
    "one step": ((256, 256, 64), F16, F16, False, Config()),
    "ring longer than k": ((512, 768, 192), F16, F16, False, Config()),
    "tiles over k": ((4352, 8192, 320), F16, F16, False, Config()),  # 544 tiles for 66 clusters, 5 steps over 4 slots
    "large": ((2048, 2304, 1024), F16, F16, False, Config()),
    "f16 to f32": ((512, 512, 1024), F16, F32, False, Config()),
    "f16 transposed": ((512, 768, 1024), F16, F16, True, Config()),
    "bf16": ((512, 512, 1024), BF16, BF16, False, Config()),
    "bf16 to f32 transposed": ((512, 512, 1024), BF16, F32, True, Config()),
    "e4m3 to f16": ((512, 768, 1024), mgpu.float8_e4m3fn, F16, True, Config()),
    "e5m2 to f32": ((512, 768, 1024), mgpu.float8_e5m2, F32, True, Config()),
    "e4m3 to bf16": ((512, 1024, 1024), mgpu.float8_e4m3fn, BF16, True, Config(split="n", cluster_m=1, cluster_n=2)),
    "no cluster": ((384, 768, 320), F16, F16, False, Config(cluster_m=1)),
    "no cluster, transposed, by columns": ((384, 768, 320), F16, F16, True, Config(cluster_m=1, split="n")),
    "multicast A": ((2432, 2560, 320), F16, F16, False, Config(cluster_m=1, cluster_n=2)),
    "clusters of 2x2": ((2560, 2560, 320), F16, F16, False, Config(cluster_n=2, blocks=96)),
    "clusters of 2x2, transposed": ((512, 1024, 320), BF16, F32, True, Config(cluster_n=2, blocks=96)),
    "clusters of 4x1": ((2560, 2304, 320), F16, F16, False, Config(cluster_m=4, blocks=96)),
    "delayed": ((4352, 8192, 320), F16, F16, False, Config(release_delay=1)),
    "few blocks": ((1024, 1024, 320), F16, F16, False, Config(blocks=6)),
    "by columns": ((2560, 2304, 320), F16, F16, False, Config(split="n")),
    "multicast A, by columns": (
        (2432, 2560, 320),
        F16,
        F16,
        False,
        Config(cluster_m=1, cluster_n=2, split="n", grid_minor="n"),
    ),
    "256x128": (
        (2560, 2304, 320),
        F16,
        F16,
        False,
        Config(tile_m=256, tile_n=128, cluster_m=1, cluster_n=2, grid_minor="n", grid_width=5),
    ),
    "128x128": ((2560, 2304, 320), F16, F16, False, Config(tile_n=128, stages=6, grid_minor="m", grid_width=3)),
    "64 columns": ((2560, 2304, 320), F16, F16, False, Config(tile_n=64, stages=8, grid_width=1)),
    "one copy for each consumer": ((256, 128, 320), F16, F16, False, Config(tile_n=128, epilogue_n=128, stages=3)),
    "deep steps": (
        (512, 768, 384),
        F16,
        F32,
        False,
        Config(tile_n=192, tile_k=128, stages=2, cluster_m=1, cluster_n=2),
    ),
}


@pytest.mark.parametrize(("size", "dtype", "out_dtype", "transposed", "config"), MATMULS.values(), ids=MATMULS)
def test_hopper_matmul(
    poisoned: Callable[..., np.ndarray],
    size: tuple[int, int, int],
    dtype: Any,
    out_dtype: Any,
    transposed: bool,
    config: Config,
) -> None:
    m, n, k = size
    rng = np.random.default_rng()
    a = rng.standard_normal((m, k), np.float32).astype(dtype.dtype)
    b = rng.standard_normal((n, k) if transposed else (k, n), np.float32).astype(dtype.dtype)
    kernel = hopper_matmul.kernel(m, n, k, dtype, out_dtype, config, b_transposed=transposed)
    result = poisoned(kernel, jax.numpy.asarray(a), jax.numpy.asarray(b), poison=np.nan).astype(np.float32)
    expected = a.astype(np.float32) @ (b.T if transposed else b).astype(np.float32)
    # The tensor core adds products of 8-bit floats with fewer bits than float32 has.
    tolerance = {16: 1e-5, 8: 1e-2}[dtype.bits] + {F16: 1e-3, BF16: 8e-3, F32: 0.0}[out_dtype]
    assert np.abs(result - expected).max() <= tolerance * np.abs(expected).max()


def test_hopper_matmul_gives_the_same_bits_each_time() -> None:
    """A race over a slot or an output buffer would show sooner or later; sums are taken in one order."""
    m, n, k = 4352, 4096, 320
    rng = np.random.default_rng()
    a, b = (jax.numpy.asarray(rng.standard_normal(shape, np.float32).astype(np.float16)) for shape in ((m, k), (k, n)))
    kernel = hopper_matmul.kernel(m, n, k, F16, F16)
    first = kernel(a, b)
    same = jax.jit(lambda one, other: (one == other).all())
    assert all(bool(same(first, kernel(a, b))) for _ in range(100))


def test_the_first_kernel_of_the_docs(poisoned: Callable[..., np.ndarray]) -> None:
    page = (Path(cluster_exchange.__file__).parents[1] / "docs" / "first_kernel.md").read_text()
    names: dict[str, Any] = {}
    exec(re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)[0], names)
    source = np.random.default_rng().standard_normal((16 * 64, 64)).astype(np.float16)
    result = poisoned(names["kernel"](16), jax.numpy.asarray(source), poison=np.nan)
    np.testing.assert_array_equal(result, source * np.float16(2))


# What SG302 stands for: where nothing refuses these, the bits come out under another dtype.


@pytest.mark.usefixtures("unguarded")
def test_stores_to_global_memory_reinterpret(poisoned: Callable[..., np.ndarray]) -> None:
    tile = np.random.default_rng().standard_normal((ROWS, COLUMNS)).astype(np.float16)
    result = poisoned(reinterpreted_dtype.kernel(), jax.numpy.asarray(tile), poison=np.nan)
    np.testing.assert_array_equal(result.view(np.uint16), tile.view(np.uint16))
    assert not np.allclose(result.astype(np.float32), tile.astype(np.float32))
    ones = poisoned(reinterpreted_dtype.kernel(), jax.numpy.ones((ROWS, COLUMNS), np.float16), poison=np.nan)
    assert set(ones.astype(np.float32).ravel().tolist()) == {0.0078125}


@pytest.mark.usefixtures("unguarded")
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
