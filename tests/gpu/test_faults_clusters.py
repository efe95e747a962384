"""What becomes of a store or an arrival that is addressed to a block outside of the cluster (SG503).

PTX maps an address by the rank of a block in the cluster and says nothing of ranks that none has. What a GPU makes of
them may be the end of its context, so each fault runs in a process of its own, as Mosaic GPU lowers it. Nobody waits:
a kernel asks so many times whether its barrier is complete, and ends.
"""

from collections.abc import Callable
from typing import Any, Literal

import jax
import jax.experimental.mosaic.gpu as raw
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.mosaic.gpu import utils
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, gpu

from safegpu._jax import mlir_context
from tests.gpu.polling import completes
from tests.gpu.processes import alone

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("hopper")]

type Poisoned = Callable[..., np.ndarray]
ROWS, COLUMNS = 64, 64
OTHER = -1
"""The other block of a pair, and no rank."""


def sent(how: Literal["store", "arrive"], blocks: int, rank: int) -> Any:
    """Each block of the cluster sends a tile, or arrives, at the block of a rank; out come what it got and a flag."""
    x_axis = gpu.Dimension.x

    def body(ctx: Any, x: Any, out: Any, scratch: Any) -> None:
        tile, barrier = scratch
        index, half = ir.IndexType.get(), ir.F16Type.get()
        here = gpu.cluster_block_id(x_axis)
        target = arith.subi(utils.c(1, index), here) if rank == OTHER else utils.c(rank, index)
        row = arith.muli(gpu.block_id(x_axis), utils.c(2 * ROWS, index))
        array = raw.FragmentedArray.load_untiled(x, layout=raw.WGMMA_LAYOUT, optimized=False)
        alone = utils.single_thread_predicate()
        if how == "store":
            barrier.arrive_expect_tx(ROWS * COLUMNS * 2, predicate=alone)
            array.store_tiled_async(tile, barrier, x_axis, target, 128)
        else:
            array.store_tiled(tile, 128)
            barrier.remap_to_cluster(x_axis, target).arrive(predicate=alone)
        complete = completes(barrier)
        utils.warpgroup_barrier()
        got = raw.FragmentedArray.load_tiled(tile, 128)
        got.store_untiled(raw.memref_slice(out, raw.ds(row, ROWS)), optimized=False)
        flag = arith.select(complete, utils.c(1.0, half), utils.c(0.0, half))
        below = raw.ds(arith.addi(row, utils.c(ROWS, index)), ROWS)
        raw.FragmentedArray.splat(flag, (ROWS, COLUMNS)).store_untiled(raw.memref_slice(out, below))

    array, out = (jax.ShapeDtypeStruct((rows, COLUMNS), jnp.float16) for rows in (ROWS, 2 * blocks * ROWS))
    tiles = jax.ShapeDtypeStruct((8, 1, 8, 64), jnp.float16)
    build: Any = raw.as_gpu_kernel
    along_x = (blocks, 1, 1)
    with mlir_context():
        return build(body, along_x, (128, 1, 1), array, out, (tiles, raw.Barrier(1)), cluster=along_x)


@pytest.mark.parametrize(("how", "blocks", "rank"), [("arrive", 1, 0), ("store", 2, OTHER), ("arrive", 2, OTHER)])
def test_a_block_of_the_cluster_gets_what_is_sent(
    poisoned: Poisoned, how: Literal["store", "arrive"], blocks: int, rank: int
) -> None:
    x = np.random.default_rng().standard_normal((ROWS, COLUMNS)).astype(np.float16)
    result = poisoned(sent(how, blocks, rank), jnp.asarray(x), poison=np.nan)
    for got, flag in result.reshape(blocks, 2, ROWS, COLUMNS):
        np.testing.assert_array_equal(flag, np.ones_like(flag))
        np.testing.assert_array_equal(got, x)


def what_comes_of(how: Literal["store", "arrive"], blocks: int, rank: int) -> str:
    result = np.asarray(sent(how, blocks, rank)(jnp.ones((ROWS, COLUMNS), jnp.float16)))
    return "complete" if result.reshape(blocks, 2, ROWS, COLUMNS)[:, 1].any() else "not complete"


@pytest.mark.parametrize("how", ["store", "arrive"])
@pytest.mark.parametrize(("blocks", "rank"), [(1, 1), (2, 2)])
def test_a_block_outside_of_the_cluster_gets_nothing(how: str, blocks: int, rank: int) -> None:
    """SG503: the GPU ends the kernel, and the context with it; or what is sent is lost, and the barrier waits on."""
    ended = alone("tests.gpu.test_faults_clusters", f"what_comes_of({how!r}, {blocks}, {rank})")
    if ended.said is None:
        assert ended.errors, ended.output
        assert "CUDA_ERROR_OUT_OF_MEMORY" not in ended.errors, ended.output
    else:
        assert ended.said == "not complete"


def test_without_a_cluster_there_is_no_store_to_another_block() -> None:
    """SG503: `st.async` is an illegal instruction there, even to the block itself."""
    ended = alone("tests.gpu.test_faults_clusters", "what_comes_of('store', 1, 0)")
    assert ended.said is None
    assert "CUDA_ERROR_ILLEGAL_INSTRUCTION" in ended.errors, ended.output
