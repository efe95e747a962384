"""What comes out where an operand takes the tiles of a matrix in another order than TMA has put them in (SG705).

Mosaic GPU's own kernels, as they are: each fault runs beside the same kernel without it.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.experimental.mosaic.gpu as raw
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.mosaic.gpu import utils
from jaxlib.mlir.dialects import nvvm

from safegpu._jax import mlir_context

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("hopper")]

type Poisoned = Callable[..., np.ndarray]
TALL, WIDE, TILE = 64, 128, 64
INSIDE = (0, 1, 3, 2)


def kernel(body: Callable[..., None], inputs: Any, out: Any, scratch: Any) -> Any:
    build: Any = raw.as_gpu_kernel
    with mlir_context():
        return build(body, (1, 1, 1), (128, 1, 1), inputs, out, scratch)


def halves(*shape: int) -> np.ndarray:
    return np.random.default_rng().uniform(-1, 1, shape).astype(np.float16)


def shaped(shape: tuple[int, ...], dtype: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


def blocks_exchanged(matrix: np.ndarray) -> np.ndarray:
    """The matrix transposed as blocks, and not inside of them."""
    return np.block([[matrix[:TILE, :TILE], matrix[TILE:, :TILE]], [matrix[:TILE, TILE:], matrix[TILE:, TILE:]]])


def transform(transposed: bool) -> tuple[Any, ...]:
    return (raw.TileTransform((TILE, TILE)), *([raw.TransposeTransform((1, 0, 2, 3))] if transposed else []))


def multiplied(*, by_the_copy: bool, inside: bool) -> Any:
    """A product whose second operand is a square of four tiles."""

    def body(ctx: Any, a: Any, b: Any, out: Any, scratch: Any) -> None:
        a_tile, b_tile, loaded = scratch
        for source, tile, how in ((a, a_tile, transform(False)), (b, b_tile, transform(by_the_copy))):
            ctx.async_copy(src_ref=source, dst_ref=tile, gmem_transform=how, swizzle=128, barrier=loaded)
        loaded.wait()
        operand = utils.memref_transpose(b_tile, INSIDE) if inside else b_tile
        acc = raw.wgmma(raw.WGMMAAccumulator.zero(TALL, WIDE), a_tile, operand, swizzle=128)
        nvvm.wgmma_commit_group_sync_aligned()
        nvvm.wgmma_wait_group_sync_aligned(0)
        acc.value.store_untiled(out, optimized=False)

    inputs = shaped((TALL, WIDE), jnp.float16), shaped((WIDE, WIDE), jnp.float16)
    scratch = (
        shaped((1, 2, TILE, TILE), jnp.float16),
        shaped((2, 2, TILE, TILE), jnp.float16),
        raw.Barrier(2),
    )
    return kernel(body, inputs, shaped((TALL, WIDE), jnp.float32), scratch)


@pytest.mark.parametrize("by_the_copy", [False, True])
@pytest.mark.parametrize("inside", [False, True])
def test_an_operand_is_transposed_by_both_or_neither(poisoned: Poisoned, by_the_copy: bool, inside: bool) -> None:
    """SG705: with one of them, the product is that of a matrix whose two blocks off the diagonal changed places."""
    a, b = halves(TALL, WIDE), halves(WIDE, WIDE)
    built = multiplied(by_the_copy=by_the_copy, inside=inside)
    result = poisoned(built, jnp.asarray(a), jnp.asarray(b), poison=np.nan)
    meant = b.T if inside else b
    taken = blocks_exchanged(meant) if by_the_copy is not inside else meant
    np.testing.assert_allclose(result, a.astype(np.float32) @ taken.astype(np.float32), atol=1e-2)
    right = np.isclose(result, a.astype(np.float32) @ meant.astype(np.float32), atol=1e-2).mean()
    assert right == 1 if by_the_copy is inside else right < 0.5


def stored_and_copied_out(*, by_the_copy: bool, inside: bool) -> Any:
    def body(ctx: Any, x: Any, out: Any, tile: Any) -> None:
        array = raw.FragmentedArray.load_untiled(x, layout=raw.WGMMA_LAYOUT, optimized=False)
        array.store_tiled(utils.memref_transpose(tile, INSIDE) if inside else tile, 128)
        utils.commit_shared()
        ctx.async_copy(src_ref=tile, dst_ref=out, gmem_transform=transform(by_the_copy), swizzle=128)
        ctx.await_async_copy(0)

    square = shaped((WIDE, WIDE), jnp.float16)
    return kernel(body, square, square, shaped((2, 2, TILE, TILE), jnp.float16))


@pytest.mark.parametrize("by_the_copy", [False, True])
@pytest.mark.parametrize("inside", [False, True])
def test_a_matrix_comes_out_transposed_by_both_or_neither(poisoned: Poisoned, by_the_copy: bool, inside: bool) -> None:
    """With one of them, blocks come out in each other's places, and what is inside of them is not transposed.

    No rule says so: they may have changed places in registers before.
    """
    x = halves(WIDE, WIDE)
    built = stored_and_copied_out(by_the_copy=by_the_copy, inside=inside)
    result = poisoned(built, jnp.asarray(x), poison=np.nan)
    expected = x.T if inside else x
    if by_the_copy is not inside:
        expected = blocks_exchanged(expected)
        assert not np.array_equal(result, x)
        assert not np.array_equal(result, x.T)
    np.testing.assert_array_equal(result, expected)
