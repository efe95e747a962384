"""Kernels that are traced for what their bodies see: nothing is launched, and a body asserts like a test."""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

from collections.abc import Callable
from typing import Any

import safegpu as mgpu
from safegpu.offline.lowering import lowered

HOPPER, BLACKWELL = (9, 0), (10, 0)


def trace(
    body: Callable[..., object],
    inputs: Any = None,
    outputs: Any = None,
    scratch: Any = (),
    *,
    module: Any = mgpu,
    arch: tuple[int, int] = HOPPER,
    peers: int = 1,
    grid: tuple[int, int, int] = (1, 1, 1),
    block: tuple[int, int, int] = (128, 1, 1),
    **options: Any,
) -> str:
    """The module that `body` lowers to, on one warpgroup and with int32 buffers by default."""
    inputs = (mgpu.GMEM((128,), mgpu.int32),) if inputs is None else inputs
    outputs = mgpu.GMEM((128,), mgpu.int32) if outputs is None else outputs
    return lowered(
        lambda: module.as_gpu_kernel(body, grid, block, inputs, outputs, scratch, **options),
        arch,
        peers=peers,
    )


def in_kernel(**options: Any) -> Callable[[Callable[..., object]], Callable[[], None]]:
    """Makes a kernel body a test: it runs while its kernel is traced."""

    def decorate(body: Callable[..., object]) -> Callable[[], None]:
        def test() -> None:
            runs = []

            def traced(*args: Any) -> None:
                body(*args)
                runs.append(None)

            trace(traced, **options)
            assert runs == [None]

        test.__name__, test.__doc__ = body.__name__, body.__doc__
        return test

    return decorate
