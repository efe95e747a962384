"""Compiles lowered kernels to PTX and SASS without a GPU.

XLA compiles for a described device as well as for an attached one. This module hands it the kernel with a device of
`devices.py`, and collects what ptxas and nvdisasm leave behind. What they complain of goes to the process's stderr.

A process compiles for one architecture, and only if `JAX_PLATFORMS` said `cpu` when jax first looked for devices: the
CUDA plugin then joins without a driver and cuDNN. `compiling.py` has processes of this kind; see `elsewhere.py`.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from safegpu.offline.compiled import Compiled
from safegpu.offline.devices import device, target_config
from safegpu.offline.errors import CompileError, Refused
from safegpu.offline.lowering import Array, Lowered

DUMP_DIRECTORY = "MOSAIC_GPU_DUMP_TO"


_COMPILED: dict[str, dict[str, str]] = {}
_process_arch: str | None = None


def compile_lowered(lowered: Lowered, arch: str, *, peers: int = 1) -> Compiled:
    """Compiles a kernel that was lowered for `arch` and this number of `peers`."""
    part = device(arch)
    if lowered.arch != part.arch:
        raise ValueError(f"the kernel is lowered for compute capability {lowered.arch}, and {arch} is {part.arch}")
    if lowered.dynamic_shared_bytes > part.shared_bytes_per_block:
        raise CompileError(
            f"the kernel cannot be launched: it asks for {lowered.dynamic_shared_bytes} bytes of shared memory, and a "
            f"block has at most {part.shared_bytes_per_block} on {arch}"
        )
    return Compiled(
        name=lowered.name,
        arch=arch,
        peers=peers,
        grid=lowered.grid,
        cluster=lowered.cluster,
        block=lowered.block,
        dynamic_shared_bytes=lowered.dynamic_shared_bytes,
        shared_limit_bytes=part.shared_bytes_per_block,
        tmem_columns=lowered.tmem_columns,
        **compile_program(lowered.module.program(), lowered.arguments, arch, peers=peers),
    )


def compile_program(
    program: Callable[..., Any], arguments: Iterable[Array], arch: str, *, peers: int = 1
) -> dict[str, str]:
    """The PTX, the SASS and the ptxas report of the one kernel that a function of JAX's runs on such arrays."""
    from jax.experimental import topologies

    from safegpu._jax import jax

    _claim_process(arch)
    topology = topologies.get_topology_desc(platform="cuda", target_config=target_config(arch), topology=f"1x1x{peers}")
    mesh = topologies.make_mesh(topology, (peers,), ("peers",))
    everywhere = jax.sharding.PartitionSpec()
    sharding = jax.sharding.NamedSharding(mesh, everywhere)
    shapes = [jax.ShapeDtypeStruct(each.shape, each.dtype, sharding=sharding) for each in arguments]
    # Every device runs the kernel on buffers of its own, of the shapes that the kernel states.
    on_each = jax.shard_map(program, mesh=mesh, in_specs=everywhere, out_specs=everywhere, check_vma=False)
    lowered = jax.jit(on_each).lower(*shapes)
    # The compiler dumps nothing for a kernel that it has compiled before, so this remembers with it.
    key = lowered.as_text()
    if key not in _COMPILED:
        with tempfile.TemporaryDirectory() as directory, _dumping_to(directory):
            try:
                lowered.compile()
            except Exception as error:
                for file in pathlib.Path(directory).glob("*.ptx"):
                    raise Refused(file.read_text()) from error
                raise
            _COMPILED[key] = _dumped(pathlib.Path(directory))
    return _COMPILED[key]


def _claim_process(arch: str) -> None:
    """Refuses a second architecture: the compiler hands every later kernel to the ptxas of the first."""
    global _process_arch
    if _process_arch not in (None, arch):
        raise RuntimeError(f"this process has compiled for {_process_arch} and cannot compile for {arch} as well")
    _process_arch = arch


@contextlib.contextmanager
def _dumping_to(directory: str) -> Iterator[None]:
    before = os.environ.get(DUMP_DIRECTORY)
    os.environ[DUMP_DIRECTORY] = directory
    try:
        yield
    finally:
        if before is None:
            del os.environ[DUMP_DIRECTORY]
        else:
            os.environ[DUMP_DIRECTORY] = before


def _dumped(directory: pathlib.Path) -> dict[str, str]:
    texts = {}
    for kind, suffix in (("ptx", "ptx"), ("sass", "sass_ctrl"), ("ptxas", "ptxas")):
        files = list(directory.glob(f"*.{suffix}"))
        if len(files) != 1:
            raise RuntimeError(f"the compiler left {len(files)} .{suffix} files, expected the one of one kernel")
        texts[kind] = files[0].read_text()
    return texts
