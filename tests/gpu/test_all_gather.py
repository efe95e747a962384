"""The all-gather on the GPUs of this machine, on random inputs, with poisoned outputs, against numpy."""

from typing import Any

import jax
import numpy as np
import pytest

from examples.run import all_gather_over

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("hopper")]

# Rows, columns, blocks: one tile; tiles that the blocks share unevenly; more tiles of a block than slots of its ring.
SHAPES = [(64, 128, 1), (192, 384, 4), (1024, 2048, 24), (1024, 4096, 128)]


def gathered(devices: list[Any], shape: tuple[int, int, int], rounds: int = 1) -> None:
    """Gathers `rounds` times, one call after the other with nothing in between, and compares what each left."""
    rows, columns, blocks = shape
    count = len(devices)
    sharding = jax.sharding.NamedSharding(
        jax.sharding.Mesh(np.array(devices), ("gpus",)), jax.sharding.PartitionSpec("gpus")
    )
    gather = all_gather_over(devices, rows, columns, blocks)
    # The poisoned buffers are donated, so XLA gives their memory to the results.
    in_its_place = jax.jit(lambda _, *given: gather(*given), donate_argnums=0, keep_unused=True, out_shardings=sharding)
    rng = np.random.default_rng()
    sources = [rng.standard_normal((count * rows, columns)).astype(jax.numpy.bfloat16) for _ in range(rounds)]
    placed = [jax.device_put(source, sharding) for source in sources]
    poisoned = [
        jax.device_put(np.full((count * count * rows, columns), np.nan, jax.numpy.bfloat16), sharding)
        for _ in range(rounds)
    ]
    addresses = [pointers(buffer) for buffer in poisoned]
    semaphores = jax.device_put(np.zeros(count, np.int32), sharding)
    jax.block_until_ready((placed, poisoned, semaphores))

    results = []
    for buffer, source in zip(poisoned, placed, strict=True):
        result, semaphores = in_its_place(buffer, source, semaphores)
        results.append(result)
    np.testing.assert_array_equal(semaphores, 0)
    for result, source, before in zip(results, sources, addresses, strict=True):
        assert pointers(result) == before, "a result does not lie in its poisoned buffer"
        for copy in np.split(np.asarray(result), count):
            np.testing.assert_array_equal(copy, source)


def pointers(array: jax.Array) -> list[int]:
    return [shard.data.unsafe_buffer_pointer() for shard in array.addressable_shards]


@pytest.mark.parametrize("shape", SHAPES)
def test_over_all_gpus(shape: tuple[int, int, int]) -> None:
    gathered(jax.devices(), shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_alone(shape: tuple[int, int, int]) -> None:
    gathered(jax.devices()[:1], shape)


@pytest.mark.parametrize("count", [2, 4, 8])
def test_calls_that_follow_each_other(count: int) -> None:
    """Each call finds what the last one must leave: semaphores of zero, and peers that write nothing more."""
    devices = jax.devices()
    if len(devices) < count:
        pytest.skip(f"needs {count} GPUs of one host, found {len(devices)}")
    gathered(devices[:count], (256, 1024, 7), rounds=20)
