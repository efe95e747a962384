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

from safegpu._jax import KernelModule, architecture, ir, jax, lowered_modules, make_ir_context


@dataclasses.dataclass(frozen=True)
class Array:
    """The shape and dtype of an argument or a result."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


@dataclasses.dataclass(frozen=True)
class Lowered:
    """One kernel that `as_gpu_kernel` lowered, as another process can take it: its module, and what that says."""

    name: str
    text: str
    bytecode: bytes = dataclasses.field(repr=False)
    inputs: tuple[Array, ...]
    inouts: tuple[Array, ...]
    outputs: tuple[Array, ...]
    arch: tuple[int, int]
    grid: tuple[int, int, int]
    cluster: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared_bytes: int
    tmem_columns: int
    is_multi_device: bool

    @property
    def arguments(self) -> tuple[Array, ...]:
        return (*self.inputs, *self.inouts)

    @property
    def module(self) -> KernelModule:
        """The kernel's module, in a context of its own."""
        shapes = (
            tuple(jax.ShapeDtypeStruct(each.shape, each.dtype) for each in arrays)
            for arrays in (self.inputs, self.inouts, self.outputs)
        )
        return KernelModule.read(self.bytecode, *shapes)

    @classmethod
    def of(cls, kernel: KernelModule) -> "Lowered":
        (launch,) = kernel.operations("gpu.launch")
        (function,) = (each for each in kernel.operations("func.func") if each.name.value.endswith("_mosaic_gpu"))

        def size(what: str) -> tuple[int, int, int]:
            x, y, z = (_constant(getattr(launch, f"{what}Size{axis}"), otherwise=1) for axis in "XYZ")
            return x, y, z

        return cls(
            name=function.name.value.removesuffix("_mosaic_gpu"),
            text=str(kernel.module),
            bytecode=kernel.bytecode(),
            inputs=_arrays(kernel.inputs),
            inouts=_arrays(kernel.inouts),
            outputs=_arrays(kernel.outputs),
            arch=kernel.arch,
            grid=size("grid"),
            cluster=size("cluster"),
            block=size("block"),
            dynamic_shared_bytes=_constant(launch.dynamicSharedMemorySize, otherwise=0),
            tmem_columns=sum(
                _constant(assembly.operands[1], otherwise=0)
                for assembly in kernel.operations("llvm.inline_asm")
                if assembly.asm_string.value.startswith("tcgen05.alloc")
            ),
            is_multi_device=kernel.is_multi_device,
        )


def _arrays(specs: tuple[Any, ...]) -> tuple[Array, ...]:
    return tuple(Array(tuple(each.shape), np.dtype(each.dtype)) for each in specs)


def _constant(value: Any, *, otherwise: int) -> int:
    """The number that an operand of the module is; `otherwise` where there is no operand."""
    return otherwise if value is None else value.owner.attributes["value"].value


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
    built, kernel = _kernel_of(build, arch, peers)
    return built, Lowered.of(kernel)


def lowered(build: Callable[[], object], arch: tuple[int, int] | None = None, *, peers: int = 1) -> str:
    """The text of the one module that `build()` lowers for `arch`; see `lower`."""
    return str(_kernel_of(build, arch, peers)[1].module)


def _kernel_of(build: Callable[[], Any], arch: tuple[int, int] | None, peers: int) -> tuple[Any, KernelModule]:
    with tracing_context(arch, peers), lowered_modules() as kernels:
        built = build()
    if len(kernels) != 1:
        raise ValueError(f"build must call as_gpu_kernel exactly once, but it lowered {len(kernels)} kernels")
    return built, kernels[0]
