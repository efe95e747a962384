"""The table of architectures against ptxas, cell by cell: it takes an operation just where the table has it.

A kernel is compiled for an architecture that has its operation, and its PTX handed to the ptxas of every other one.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from safegpu import architectures
from safegpu.architectures import ARCHITECTURES, INSTEAD, Architecture, having, of_compute_capability
from safegpu.offline.codegen import DEVICES, _cuda_root, is_available

ROOT = Path(__file__).resolve().parents[1]
CAPABILITIES = [each for name, each in vars(architectures).items() if name.startswith("Has")]
needs_codegen = pytest.mark.skipif(not is_available(), reason="needs the CUDA plugin, ptxas and nvdisasm")


def compiled(capability: type[Architecture], out: Path) -> dict[str, str]:
    """The PTX of each operation that needs the capability; `Architecture` is what all of them have."""
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "tests.support.operations", capability.__name__, str(out)]
    process = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return {file.stem: file.read_text() for file in out.glob("*.ptx")}


def complaints(ptx: str, arch: type[Architecture], scratch: Path) -> str:
    """What ptxas says of the kernel; empty where it takes it."""
    file = scratch / "kernel.ptx"
    file.write_text(re.sub(r"^\.target \w+", f".target {arch.__name__}", ptx, count=1, flags=re.MULTILINE))
    command = [_cuda_root() / "bin" / "ptxas", f"-arch={arch.__name__}", file, "-o", os.devnull]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert bool(process.returncode) == ("error" in process.stderr), process.stderr
    return process.stderr if process.returncode else ""


@needs_codegen
@pytest.mark.parametrize("capability", [Architecture, *CAPABILITIES], ids=lambda each: each.__name__)
def test_ptxas_takes_an_operation_where_the_table_has_it(capability: type[Architecture], tmp_path: Path) -> None:
    kernels = compiled(capability, tmp_path)
    assert kernels
    wrong = {}
    for name, ptx in kernels.items():
        for arch in ARCHITECTURES:
            said = complaints(ptx, arch, tmp_path)
            if issubclass(arch, capability) == bool(said):
                wrong[name, arch.__name__] = said or "taken"
            elif said:
                assert re.search("not supported on|requires .target|cannot be compiled for arch", said), said
    assert wrong == {}


def test_there_is_a_device_for_each_architecture() -> None:
    assert {each.__name__: each.compute_capability for each in ARCHITECTURES} == {
        name: device.arch for name, device in DEVICES.items()
    }
    assert all(of_compute_capability(each.compute_capability) is each for each in ARCHITECTURES)
    assert of_compute_capability((12, 1)) is None
    assert set(architectures.__all__) == {"Architecture", *(each.__name__ for each in ARCHITECTURES)}


def test_each_lacking_cell_has_its_advice() -> None:
    assert INSTEAD.keys() == set(CAPABILITIES)
    for capability, advice in INSTEAD.items():
        assert 0 < len(having(capability)) < len(ARCHITECTURES)
        lacking = [each for each in ARCHITECTURES if not issubclass(each, capability)]
        used = [next(words for needed, words in advice if issubclass(each, needed)) for each in lacking]
        assert set(used) == {words for _, words in advice}, "advice for nobody"
