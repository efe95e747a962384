"""Integration tests on a GPU: skipped where there is none."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest


def _capability() -> tuple[int, int] | None:
    try:
        (device, *_) = jax.devices("gpu")
    except RuntimeError:  # no GPU, no driver, or no plugin
        return None
    major, minor = device.compute_capability.split(".")
    return int(major), int(minor)


@pytest.fixture(scope="session")
def hopper() -> None:
    """Skips where the first GPU is no Hopper part."""
    capability = _capability()
    if capability is None or capability[0] != 9:
        pytest.skip(
            f"needs a Hopper GPU, found {'none' if capability is None else f'sm_{capability[0]}{capability[1]}'}"
        )


@pytest.fixture
def unguarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are what Mosaic GPU makes of them: safegpu refuses nothing at lowering."""
    monkeypatch.setattr("safegpu._gate.refuse", lambda code, message: None)


@pytest.fixture
def poisoned() -> Callable[..., Any]:
    """Calls a kernel whose output takes the place of a buffer full of a poison value.

    An element that the kernel does not write is then the poison, and never a right number left over.
    """

    def call(kernel: Callable[..., Any], *arguments: Any, poison: Any) -> np.ndarray:
        out = jax.eval_shape(kernel, *arguments)
        buffer = jax.numpy.full(out.shape, poison, out.dtype).block_until_ready()
        address = buffer.unsafe_buffer_pointer()
        # The buffer is donated, so XLA gives its memory to the output.
        in_its_place = jax.jit(lambda _, *given: kernel(*given), donate_argnums=0, keep_unused=True)
        result = in_its_place(buffer, *arguments).block_until_ready()
        assert result.unsafe_buffer_pointer() == address, "the output does not lie in the poisoned buffer"
        return np.asarray(result)

    return call
