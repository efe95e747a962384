"""What becomes of a barrier that counts other arrivals or bytes than come (SG407, SG408): Mosaic GPU's own kernels.

Nobody waits: the threads ask so many times whether the phase is complete, and write the answer into the output. So a
kernel ends by itself whose barrier never completes, and its copies have the time to end before the kernel does.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.experimental.mosaic.gpu as raw
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.mosaic.gpu import utils
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith

from safegpu._jax import mlir_context
from tests.gpu.polling import completes

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("hopper")]

type Poisoned = Callable[..., np.ndarray]
ROWS, COLUMNS, FLAG_ROWS = 64, 64, 64
TILE = ROWS * COLUMNS * 2  # bytes
MANY = 16


def kernel(body: Callable[..., None], tall: int, arrivals: int) -> Any:
    """A kernel of an array and a tile of so many rows; below the array, its output has what the barrier said."""
    build: Any = raw.as_gpu_kernel
    array, out = (jax.ShapeDtypeStruct((rows, COLUMNS), jnp.float16) for rows in (tall, tall + FLAG_ROWS))
    with mlir_context():
        return build(body, (1, 1, 1), (128, 1, 1), array, out, (array, raw.Barrier(arrivals)))


def tell(complete: Any, out: Any, tall: int) -> None:
    half = ir.F16Type.get()
    flag = arith.select(complete, utils.c(1.0, half), utils.c(0.0, half))
    rows = raw.memref_slice(out, raw.ds(tall, FLAG_ROWS))
    raw.FragmentedArray.splat(flag, (FLAG_ROWS, COLUMNS)).store_untiled(rows)


def outlast_the_copies() -> None:
    utils.nanosleep(utils.c(1_000_000, ir.IntegerType.get_signless(32)))
    utils.warpgroup_barrier()


class Outcome(NamedTuple):
    complete: bool
    result: np.ndarray
    x: np.ndarray


def run(poisoned: Poisoned, built: Any, tall: int) -> Outcome:
    x = np.random.default_rng().uniform(1, 2, (tall, COLUMNS)).astype(np.float16)
    result = poisoned(built, jnp.asarray(x), poison=np.nan)
    (flag,) = np.unique(result[tall:])
    return Outcome({0.0: False, 1.0: True}[float(flag)], result[:tall], x)


# --- SG407: more arrivals than come


def arrived(arrivals: int, expected: int) -> Any:
    """The first threads arrive, each once."""

    def body(ctx: Any, x: Any, out: Any, scratch: Any) -> None:
        tile, barrier = scratch
        raw.FragmentedArray.load_strided(x).store_untiled(tile)
        i32 = ir.IntegerType.get_signless(32)
        first = arith.cmpi(arith.CmpIPredicate.ult, utils.thread_idx(), utils.c(arrivals, i32))
        barrier.arrive(predicate=first)
        complete = completes(barrier)
        utils.warpgroup_barrier()
        raw.FragmentedArray.load_strided(tile).store_untiled(raw.memref_slice(out, raw.ds(0, ROWS)))
        tell(complete, out, ROWS)

    return kernel(body, ROWS, expected)


@pytest.mark.parametrize(("arrivals", "expected"), [(128, 128), (127, 128), (128, 129), (1, 1), (1, 2)])
def test_a_barrier_waits_for_as_many_arrivals_as_it_was_declared_with(
    poisoned: Poisoned, arrivals: int, expected: int
) -> None:
    complete, result, x = run(poisoned, arrived(arrivals, expected), ROWS)
    assert complete is (arrivals == expected)
    np.testing.assert_array_equal(result, x)


def copied(expected: int) -> Any:
    """A copy arrives once, of the one thread that issues it, whatever the number of threads that wait."""

    def body(ctx: Any, x: Any, out: Any, scratch: Any) -> None:
        tile, barrier = scratch
        ctx.async_copy(src_ref=x, dst_ref=tile, barrier=barrier)
        complete = completes(barrier)
        outlast_the_copies()
        raw.FragmentedArray.load_strided(tile).store_untiled(raw.memref_slice(out, raw.ds(0, ROWS)))
        tell(complete, out, ROWS)

    return kernel(body, ROWS, expected)


@pytest.mark.parametrize("expected", [1, 2, 128])
def test_a_copy_arrives_once(poisoned: Poisoned, expected: int) -> None:
    """SG407: everything has come, and the barrier of 128 arrivals is not complete."""
    complete, result, x = run(poisoned, copied(expected), ROWS)
    assert complete is (expected == 1)
    np.testing.assert_array_equal(result, x)


# --- SG408: other bytes than come


def announced(announce: int, copies: int) -> Any:
    """So many copies of a tile each, and so many bytes announced; the last is loaded as soon as the barrier says."""
    tall = copies * ROWS

    def body(ctx: Any, x: Any, out: Any, scratch: Any) -> None:
        tile, barrier = scratch
        zero = raw.FragmentedArray.splat(utils.c(0.0, ir.F16Type.get()), (tall, COLUMNS))
        zero.store_untiled(tile)
        utils.commit_shared()
        with raw.single_thread():
            barrier.arrive_expect_tx(announce)
            for copy in range(copies):
                rows = raw.ds(copy * ROWS, ROWS)
                ctx.async_copy(
                    src_ref=x,
                    dst_ref=raw.memref_slice(tile, rows),
                    gmem_slice=rows,
                    barrier=barrier,
                    arrive=False,
                    predicate=None,
                )
        complete = completes(barrier)
        last = raw.ds(tall - ROWS, ROWS)
        loaded = raw.FragmentedArray.load_strided(raw.memref_slice(tile, last))
        outlast_the_copies()
        for copy in range(copies - 1):
            rows = raw.ds(copy * ROWS, ROWS)
            others = raw.FragmentedArray.load_strided(raw.memref_slice(tile, rows))
            others.store_untiled(raw.memref_slice(out, rows))
        loaded.store_untiled(raw.memref_slice(out, last))
        tell(complete, out, tall)

    return kernel(body, tall, 1)


@pytest.mark.parametrize("announce", [TILE, TILE + 16, 2 * TILE])
def test_of_too_many_bytes_the_barrier_never_completes(poisoned: Poisoned, announce: int) -> None:
    """SG408: all of the tile is there, and the barrier waits for more."""
    complete, result, x = run(poisoned, announced(announce, 1), ROWS)
    assert complete is (announce == TILE)
    np.testing.assert_array_equal(result, x)


@pytest.mark.parametrize("announce", [MANY * TILE, TILE])
def test_of_too_few_bytes_the_barrier_completes_before_the_copies(poisoned: Poisoned, announce: int) -> None:
    """SG408: of 128 KiB, 8 are announced, and when these have come the others have not: zeros were there before.

    Or the count of bytes goes past zero in one step, which PTX does not say, and the barrier never completes.
    """
    complete, result, x = run(poisoned, announced(announce, MANY), MANY * ROWS)
    missing = bool(np.any(result == 0))
    if announce == MANY * TILE:
        assert complete
        assert not missing
    else:
        assert missing is complete
    np.testing.assert_array_equal(result[:-ROWS], x[:-ROWS])
    np.testing.assert_array_equal(result[result != 0], x[result != 0])


def test_of_elements_for_bytes_the_barrier_is_not_what_was_meant(poisoned: Poisoned) -> None:
    """SG408: half of the bytes of one copy. It completes halfway, when the rest may or may not be there, or never."""
    complete, result, x = run(poisoned, announced(TILE // 2, 1), ROWS)
    if not complete:
        np.testing.assert_array_equal(result, x)
    np.testing.assert_array_equal(result[result != 0], x[result != 0])
