"""The oracle: what Mosaic GPU itself says of a kernel, asked on a CPU.

Mosaic GPU traces and verifies a kernel on any machine, tcgen05 and TMEM included; the calls it forbids raise
there. It takes the architecture from the default device, which a CPU cannot answer, so `lowered` answers in
its place.
"""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
from jax._src.interpreters import mlir
from jax.experimental.mosaic.gpu import core, utils
from jaxlib.mlir import ir

# The patches below replace module attributes, which all threads share.
_PATCHING = threading.RLock()


@dataclasses.dataclass(frozen=True)
class Lowered:
    """One kernel that `as_gpu_kernel` lowered: its module's text and the shapes of its arguments."""

    text: str
    arguments: tuple[Any, ...]


@contextlib.contextmanager
def architecture(arch: tuple[int, int]) -> Iterator[None]:
    """Makes Mosaic GPU lower for `arch` whatever the default device is."""
    with _PATCHING:
        infer = utils._infer_arch
        utils._infer_arch = lambda: arch
        try:
            yield
        finally:
            utils._infer_arch = infer


@contextlib.contextmanager
def captured() -> Iterator[list[Lowered]]:
    """Collects every kernel that is lowered inside the block."""
    kernels: list[Lowered] = []
    with _PATCHING:
        to_module = core._kernel_to_module

        def capture(*args: Any, **kwargs: Any) -> Any:
            result = to_module(*args, **kwargs)
            module, in_shape, inout_shape, *_ = result
            kernels.append(Lowered(str(module), (*in_shape, *inout_shape)))
            return result

        core._kernel_to_module = capture
        try:
            yield kernels
        finally:
            core._kernel_to_module = to_module


def stand_in_mesh(peers: int) -> jax.sharding.Mesh:
    """A mesh of `peers` devices on a machine with one CPU.

    Lowering reads the size of the current mesh and never its devices, so one CPU stands for all of them.
    """
    return jax.sharding.Mesh(np.array([jax.devices("cpu")[0]] * peers), ("peers",))


@contextlib.contextmanager
def tracing_context(arch: tuple[int, int], peers: int = 1) -> Iterator[None]:
    """An MLIR context in which kernels can be built for `arch`, for one of `peers` devices."""
    if peers < 1:
        raise ValueError(f"peers is the number of devices in the mesh and must be at least 1, got {peers}")
    with contextlib.ExitStack() as stack:
        stack.enter_context(architecture(arch))
        stack.enter_context(mlir.make_ir_context())
        stack.enter_context(ir.Location.unknown())
        if peers > 1:
            stack.enter_context(jax.set_mesh(stand_in_mesh(peers)))
        yield


def lower(build: Callable[[], Any], arch: tuple[int, int] = (9, 0), *, peers: int = 1) -> tuple[Any, Lowered]:
    """What `build()` returns, and the one kernel it lowered for `arch`.

    `build` calls `as_gpu_kernel` once, raw or safegpu. `peers` above 1 lowers as in a mesh of that many
    devices, which `to_remote`, `to_remote_multicast` and `device_id` need; a `build` that sets its own mesh
    needs nothing here. Exceptions of the kernel's trace propagate.
    """
    with tracing_context(arch, peers), captured() as kernels:
        built = build()
    if len(kernels) != 1:
        raise ValueError(f"build must call as_gpu_kernel exactly once, but it lowered {len(kernels)} kernels")
    return built, kernels[0]


def lowered(build: Callable[[], object], arch: tuple[int, int] = (9, 0), *, peers: int = 1) -> str:
    """The text of the one module that `build()` lowers for `arch`; see `lower`."""
    return lower(build, arch, peers=peers)[1].text
