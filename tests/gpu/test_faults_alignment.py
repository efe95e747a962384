"""What becomes of `ldmatrix` and `stmatrix` whose rows begin at no multiple of 16 bytes (SG704, SG812).

The GPU ends the kernel, and its context, so each runs in a process of its own, as Mosaic GPU lowers it.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.experimental.mosaic.gpu as raw
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.mosaic.gpu import utils

from safegpu._jax import mlir_context
from tests.gpu.processes import alone

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("hopper")]

ROWS, COLUMNS, WIDE = 64, 64, 128
SPEC = jax.ShapeDtypeStruct((ROWS, COLUMNS), jnp.float16)


def kernel(body: Callable[..., None], scratch: Any) -> Any:
    build: Any = raw.as_gpu_kernel
    with mlir_context():
        return build(body, (1, 1, 1), (128, 1, 1), SPEC, SPEC, scratch)


def moved(x: Any, out: Any, tile: Any) -> None:
    """Through shared memory and back to the same threads."""
    array = raw.FragmentedArray.load_untiled(x, layout=raw.WGMMA_LAYOUT, optimized=False)
    array.store_untiled(tile, optimized=False)
    utils.warpgroup_barrier()
    again = raw.FragmentedArray.load_untiled(tile, layout=raw.WGMMA_LAYOUT, optimized=False)
    again.store_untiled(out, optimized=False)


def of_columns(start: int) -> Any:
    """In a view that begins so many columns, of two bytes, into its buffer."""

    def body(ctx: Any, x: Any, out: Any, tile: Any) -> None:
        moved(x, out, raw.memref_slice(tile, (slice(None), raw.ds(start, COLUMNS))))

    return kernel(body, jax.ShapeDtypeStruct((ROWS, WIDE), jnp.float16))


def behind_barriers(number: int) -> Any:
    """In a buffer that is declared after so many barriers, of eight bytes."""

    def body(ctx: Any, x: Any, out: Any, scratch: Any) -> None:
        moved(x, out, scratch[1])

    return kernel(body, (raw.Barrier(1, num_barriers=number), SPEC))


def what_comes_of(built: Any) -> str:
    x = np.random.default_rng().standard_normal((ROWS, COLUMNS)).astype(np.float16)
    return "right" if np.array_equal(np.asarray(built(jnp.asarray(x))), x) else "wrong"


@pytest.mark.parametrize("start", [0, 8, 32, 2, 4, 12])
def test_a_view_that_begins_between_rows(start: int) -> None:
    """SG704: columns that begin at a multiple of eight come back; others end the kernel."""
    expect(f"of_columns({start})", ends=start % 8 != 0)


@pytest.mark.parametrize("number", [2, 4, 1, 3])
def test_a_buffer_that_begins_between_rows(number: int) -> None:
    """SG812: behind an odd number of barriers."""
    expect(f"behind_barriers({number})", ends=number % 2 != 0)


def expect(kernel: str, *, ends: bool) -> None:
    ended = alone("tests.gpu.test_faults_alignment", f"what_comes_of({kernel})")
    if ends:
        assert "CUDA_ERROR_MISALIGNED_ADDRESS" in ended.errors, ended.output
    else:
        assert ended.said == "right", ended.output
