"""The oracle: what Mosaic GPU itself says of a kernel, asked on a CPU.

Mosaic GPU traces and verifies a kernel on any machine, tcgen05 and TMEM included; the calls it forbids raise
there. It takes the architecture from the default device, which a CPU cannot answer, so `lowered` answers in
its place. An architecture given here is what the kernel is lowered for, and operations that it lacks are refused
(SG601). Without one, a kernel is lowered for what it states, or for (9, 0), Mosaic GPU's own answer on a CPU, and
then nothing is refused.
"""

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from safegpu._jax import architecture, ir, jax, lowered_modules, make_ir_context


@dataclasses.dataclass(frozen=True)
class Lowered:
    """One kernel that `as_gpu_kernel` lowered: its module's text and the specs of its arguments."""

    text: str
    arguments: tuple[Any, ...]


def stand_in_mesh(peers: int) -> jax.sharding.Mesh:
    """A mesh of `peers` devices on a machine with one CPU.

    Lowering reads the size of the current mesh and never its devices, so one CPU stands for all of them.
    """
    return jax.sharding.Mesh(np.array([jax.devices("cpu")[0]] * peers), ("peers",))


@contextlib.contextmanager
def tracing_context(arch: tuple[int, int] | None, peers: int = 1) -> Iterator[None]:
    """An MLIR context in which kernels can be built for `arch`, for one of `peers` devices."""
    if peers < 1:
        raise ValueError(f"peers is the number of devices in the mesh and must be at least 1, got {peers}")
    with contextlib.ExitStack() as stack:
        stack.enter_context(architecture(arch))
        stack.enter_context(make_ir_context())
        stack.enter_context(ir.Location.unknown())
        if peers > 1:
            stack.enter_context(jax.set_mesh(stand_in_mesh(peers)))
        yield


def lower(build: Callable[[], Any], arch: tuple[int, int] | None = None, *, peers: int = 1) -> tuple[Any, Lowered]:
    """What `build()` returns, and the one kernel it lowered for `arch`.

    `build` calls `as_gpu_kernel` once, raw or safegpu. `peers` above 1 lowers as in a mesh of that many
    devices, which `to_remote`, `to_remote_multicast` and `device_id` need; a `build` that sets its own mesh
    needs nothing here. Exceptions of the kernel's trace propagate.
    """
    with tracing_context(arch, peers), lowered_modules() as kernels:
        built = build()
    if len(kernels) != 1:
        raise ValueError(f"build must call as_gpu_kernel exactly once, but it lowered {len(kernels)} kernels")
    return built, Lowered(*kernels[0])


def lowered(build: Callable[[], object], arch: tuple[int, int] | None = None, *, peers: int = 1) -> str:
    """The text of the one module that `build()` lowers for `arch`; see `lower`."""
    return lower(build, arch, peers=peers)[1].text
