"""Compiles kernels to PTX and SASS without a GPU.

XLA compiles for a described device as well as for an attached one. This module describes a Hopper and a
Blackwell part, hands the kernel over and collects what ptxas and nvdisasm leave behind.

The CUDA plugin joins jax when jax first looks for devices, and does so without a driver and cuDNN only if
`JAX_PLATFORMS` already says `cpu`. So a program that has not decided that at its start uses
`compile_elsewhere`, which compiles in a process of its own, by way of

    python -m safegpu.offline.codegen MODULE:FUNCTION ARCH OUT [--peers N] [--keywords JSON]

where FUNCTION builds the kernel, ARCH is one of `DEVICES` and the directory OUT receives `kernel.ptx`,
`kernel.sass` and `kernel.ptxas`.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import dataclasses
import functools
import importlib
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

DUMP_DIRECTORY = "MOSAIC_GPU_DUMP_TO"


@dataclasses.dataclass(frozen=True)
class Device:
    """The figures of one GPU model that the compiler reads."""

    name: str
    major: int
    minor: int
    cores: int
    threads_per_core: int
    shared_kib_per_core: int
    l2_mib: int
    memory_gib: int
    bandwidth_gb: int
    clock_ghz: float

    @property
    def arch(self) -> tuple[int, int]:
        return self.major, self.minor


DEVICES = {
    "sm_90a": Device("NVIDIA H100 80GB HBM3", 9, 0, 132, 2048, 228, 50, 80, 3350, 1.98),
    "sm_100a": Device("NVIDIA B200", 10, 0, 148, 2048, 228, 126, 180, 8000, 1.96),
    "sm_103a": Device("NVIDIA B300", 10, 3, 148, 2048, 228, 126, 270, 8000, 1.92),
    "sm_110a": Device("NVIDIA Thor", 11, 0, 20, 1536, 228, 32, 128, 273, 1.57),
    "sm_120a": Device("NVIDIA GeForce RTX 5090", 12, 0, 170, 1536, 100, 96, 32, 1790, 2.41),
}


@dataclasses.dataclass(frozen=True)
class Compiled:
    """A compiled kernel: its code, and what ptxas reports of it."""

    ptx: str
    sass: str
    ptxas: str

    @property
    def registers(self) -> int:
        return self._reported(r"Used (\d+) registers")

    @property
    def stack_frame_bytes(self) -> int:
        return self._reported(r"(\d+) bytes stack frame")

    @property
    def spill_store_bytes(self) -> int:
        return self._reported(r"(\d+) bytes spill stores")

    @property
    def spill_load_bytes(self) -> int:
        return self._reported(r"(\d+) bytes spill loads")

    @property
    def warnings(self) -> list[str]:
        """What ptxas warns of: among others, wgmma or setmaxnreg that it had to serialise or ignore."""
        return [line for line in self.ptxas.splitlines() if "warning" in line or "Potential Performance Loss" in line]

    @functools.cached_property
    def mnemonics(self) -> collections.Counter[str]:
        """How often each SASS instruction occurs, by its name with its modifiers, as `LDG.E.128`."""
        instruction = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")
        return collections.Counter(instruction.findall(self.sass))

    def sass_count(self, *names: str) -> dict[str, int]:
        """How often each of these instructions occurs in the SASS, spelled with all modifiers."""
        return {name: self.mnemonics[name] for name in names}

    def ptx_count(self, *names: str) -> dict[str, int]:
        """How often each of these instructions occurs in the PTX, spelled with all modifiers."""
        return {name: len(re.findall(rf"(?<![\w.:]){re.escape(name)}(?![\w.:])", self.ptx)) for name in names}

    def _reported(self, pattern: str) -> int:
        match = re.search(pattern, self.ptxas)
        if match is None:
            raise ValueError(f"the ptxas report has nothing that matches {pattern!r}:\n{self.ptxas}")
        return int(match[1])

    def save(self, directory: pathlib.Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        for field in dataclasses.fields(self):
            (directory / f"kernel.{field.name}").write_text(getattr(self, field.name))

    @classmethod
    def load(cls, directory: pathlib.Path) -> Compiled:
        return cls(*((directory / f"kernel.{field.name}").read_text() for field in dataclasses.fields(cls)))


_COMPILED: dict[str, Compiled] = {}
_process_arch: str | None = None


def device(arch: str) -> Device:
    """The device that stands for `arch`."""
    try:
        return DEVICES[arch]
    except KeyError:
        raise ValueError(f"arch must be one of {', '.join(DEVICES)}, got {arch!r}") from None


def target_config(arch: str) -> str:
    """The text proto by which XLA knows the device it compiles for."""
    part = device(arch)
    return f"""
    gpu_device_info {{
      threads_per_block_limit: 1024
      threads_per_warp: 32
      shared_memory_per_block: {48 << 10}
      shared_memory_per_core: {part.shared_kib_per_core << 10}
      shared_memory_per_block_optin: {part.shared_kib_per_core - 1 << 10}
      threads_per_core_limit: {part.threads_per_core}
      core_count: {part.cores}
      fpus_per_core: 128
      block_dim_limit_x: {2**31 - 1}
      block_dim_limit_y: {2**16 - 1}
      block_dim_limit_z: {2**16 - 1}
      memory_bandwidth: {part.bandwidth_gb * 10**9}
      l2_cache_size: {part.l2_mib << 20}
      clock_rate_ghz: {part.clock_ghz}
      device_memory_size: {part.memory_gib << 30}
      cuda_compute_capability {{
        major: {part.major}
        minor: {part.minor}
        feature_extension: ACCELERATED_FEATURES
      }}
      registers_per_core_limit: {64 << 10}
      registers_per_block_limit: {64 << 10}
    }}
    platform_name: "CUDA"
    dnn_version_info {{ major: 9 minor: 0 patch: 0 }}
    device_description_str: "{part.name}"
    """


def missing() -> list[str]:
    """What compilation needs and this environment lacks."""
    absent = [name for name in ("jax", "jaxlib") if not _importable(name)]
    if not any(_importable(f"jax_plugins.xla_cuda{version}") for version in (13, 12)):
        absent.append("jax-cuda13-plugin with jax-cuda13-pjrt")
    root = _cuda_root()
    return absent + [tool for tool in ("ptxas", "nvdisasm") if not (root / "bin" / tool).exists()]


def is_available() -> bool:
    """Whether this environment can compile kernels."""
    return not missing()


def _importable(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _cuda_root() -> pathlib.Path:
    """Where jax itself looks for the CUDA tools."""
    if root := os.environ.get("CUDA_ROOT"):
        return pathlib.Path(root)
    for name in ("nvidia.cu13", "nvidia.cuda_nvcc"):
        spec = importlib.util.find_spec(name) if _importable(name) else None
        for location in (spec and spec.submodule_search_locations) or ():
            if (pathlib.Path(location) / "bin" / "ptxas").exists():
                return pathlib.Path(location)
    return pathlib.Path("/usr/local/cuda")


def compile_to_sass(kernel: Callable[..., Any], arg_shapes: Any, arch: str, *, peers: int = 1) -> Compiled:
    """Compiles `kernel`, the result of `as_gpu_kernel`, for arguments of these shapes.

    The kernel must have been built for the same `arch` and number of `peers` (see `lowering.lower`).
    """
    from jax.experimental import topologies

    from safegpu._jax import jax

    if absent := missing():
        raise RuntimeError(f"compilation needs {', '.join(absent)}: install the extra [codegen]")
    _claim_process(arch)
    try:
        topology = topologies.get_topology_desc(
            platform="cuda", target_config=target_config(arch), topology=f"1x1x{peers}"
        )
    except Exception as error:
        raise RuntimeError(
            "jax could not load its CUDA plugin: set JAX_PLATFORMS=cpu before jax looks for devices, or use "
            "compile_elsewhere"
        ) from error
    mesh = topologies.make_mesh(topology, (peers,), ("peers",))
    everywhere = jax.sharding.PartitionSpec()
    sharding = jax.sharding.NamedSharding(mesh, everywhere)
    arguments = [
        jax.ShapeDtypeStruct(shape.shape, shape.dtype, sharding=sharding) for shape in jax.tree.leaves(arg_shapes)
    ]
    # Every device runs the kernel on buffers of its own, of the shapes that the kernel states.
    program = jax.shard_map(kernel, mesh=mesh, in_specs=everywhere, out_specs=everywhere, check_vma=False)
    lowered = jax.jit(program).lower(*arguments)
    # The compiler dumps nothing for a kernel that it has compiled before, so this remembers with it.
    key = lowered.as_text()
    if key not in _COMPILED:
        with tempfile.TemporaryDirectory() as directory, _dumping_to(directory), _native_errors_raised():
            lowered.compile()
            _COMPILED[key] = _dumped(pathlib.Path(directory))
    return _COMPILED[key]


def compile_build(build: Callable[[], Any], arch: str, *, peers: int = 1) -> Compiled:
    """Builds for `arch` the kernel that `build()` returns, and compiles it."""
    from safegpu.offline.lowering import lower

    kernel, lowered = lower(build, device(arch).arch, peers=peers)
    return compile_to_sass(kernel, lowered.arguments, arch, peers=peers)


def compile_elsewhere(target: str, arch: str, *, peers: int = 1, **keywords: Any) -> Compiled:
    """Compiles `MODULE:FUNCTION(**keywords)` in a process of its own."""
    # The other process finds what this one can import, and never waits for a GPU.
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "JAX_PLATFORMS": "cpu",
    }
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", __name__, target, arch, directory]
        command += ["--peers", str(peers), "--keywords", json.dumps(keywords)]
        process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if process.returncode:
            raise RuntimeError(f"{target} does not compile for {arch}:\n{process.stderr}")
        return Compiled.load(pathlib.Path(directory))


def _claim_process(arch: str) -> None:
    """Refuses a second architecture: the compiler hands every later kernel to the ptxas of the first."""
    global _process_arch
    if _process_arch not in (None, arch):
        raise RuntimeError(
            f"this process has compiled for {_process_arch} and cannot compile for {arch} as well: use "
            "compile_elsewhere"
        )
    _process_arch = arch


@contextlib.contextmanager
def _native_errors_raised() -> Iterator[None]:
    """Puts what ptxas and the compiler write to the process's stderr into the exception they cause."""
    sys.stderr.flush()
    with tempfile.TemporaryFile("w+") as captured:
        saved = os.dup(2)
        os.dup2(captured.fileno(), 2)
        try:
            yield
        except Exception as error:
            captured.seek(0)
            raise RuntimeError(f"the kernel does not compile:\n{captured.read()}") from error
        finally:
            os.dup2(saved, 2)
            os.close(saved)


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


def _dumped(directory: pathlib.Path) -> Compiled:
    texts = []
    for suffix in ("ptx", "sass_ctrl", "ptxas"):
        files = list(directory.glob(f"*.{suffix}"))
        if len(files) != 1:
            raise RuntimeError(f"the compiler left {len(files)} .{suffix} files, expected the one of one kernel")
        texts.append(files[0].read_text())
    return Compiled(*texts)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compile a Mosaic GPU kernel to PTX and SASS without a GPU.")
    parser.add_argument("target", metavar="MODULE:FUNCTION", help="the function that builds the kernel")
    parser.add_argument("arch", choices=DEVICES)
    parser.add_argument("out", type=pathlib.Path, help="the directory that receives the results")
    parser.add_argument("--peers", type=int, default=1, help="the number of GPUs the kernel runs on together")
    parser.add_argument("--keywords", type=json.loads, default={}, help="the function's arguments, as a JSON object")
    options = parser.parse_args()
    os.environ["JAX_PLATFORMS"] = "cpu"
    module, _, function = options.target.partition(":")
    build = getattr(importlib.import_module(module), function)
    compile_build(lambda: build(**options.keywords), options.arch, peers=options.peers).save(options.out)


if __name__ == "__main__":
    main()
