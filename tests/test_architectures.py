"""The table of architectures against ptxas, cell by cell: it takes an operation just where the table has it.

A kernel is compiled for the oldest architecture that has its operation, and its PTX handed to the ptxas of every other
one; for Hopper as well where that is Ampere, since Mosaic GPU writes other PTX for what is older than Hopper.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from safegpu import architectures
from safegpu.architectures import ARCHITECTURES, INSTEAD, Architecture, having, of_compute_capability, sm_80
from safegpu.offline.devices import DEVICES
from safegpu.offline.toolchain import cuda_root, is_available

ROOT = Path(__file__).resolve().parents[1]
CAPABILITIES = [each for name, each in vars(architectures).items() if name.startswith("Has")]
needs_codegen = pytest.mark.skipif(not is_available(), reason="needs the CUDA plugin, ptxas and nvdisasm")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[type[Architecture]], dict[str, dict[str, str]]]:
    """The PTX of each operation that needs a capability, by the architecture that it was lowered for."""

    @functools.cache
    def of(capability: type[Architecture]) -> dict[str, dict[str, str]]:
        out = tmp_path_factory.mktemp(capability.__name__)
        environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
        command = [sys.executable, "-m", "tests.support.operations", capability.__name__, str(out)]
        process = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert process.returncode == 0, process.stderr
        found: dict[str, dict[str, str]] = {}
        for file in out.glob("*.ptx"):
            name, arch, _ = file.name.split(".")
            found.setdefault(name, {})[arch] = file.read_text()
        return found

    return of


def complaints(ptx: str, arch: type[Architecture], scratch: Path) -> set[str]:
    """What ptxas says of the kernel; empty where it takes it."""
    file = scratch / "kernel.ptx"
    file.write_text(re.sub(r"^\.target \w+", f".target {arch.__name__}", ptx, count=1, flags=re.MULTILINE))
    command = [cuda_root() / "bin" / "ptxas", f"-arch={arch.__name__}", file, "-o", os.devnull]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    said = set(re.findall(r"error\s*: (.*)", process.stderr))
    assert bool(process.returncode) == bool(said), process.stderr
    return said


@needs_codegen
@pytest.mark.parametrize("capability", [Architecture, *CAPABILITIES], ids=lambda each: each.__name__)
def test_ptxas_takes_an_operation_where_the_table_has_it(
    capability: type[Architecture],
    compiled: Callable[[type[Architecture]], dict[str, dict[str, str]]],
    tmp_path: Path,
) -> None:
    kernels = compiled(capability)
    assert kernels
    # In every kernel for Hopper Mosaic GPU writes what Ampere lacks, and for Ampere something else. An operation is
    # lacking there only if ptxas says more.
    always = complaints(compiled(Architecture)["barrier"]["sm_90a"], sm_80, tmp_path)
    assert 0 < len(always) < 10, always
    wrong = {}
    for name, written in kernels.items():
        for arch in ARCHITECTURES:
            for ptx in [written[arch.__name__]] if arch.__name__ in written else written.values():
                said = complaints(ptx, arch, tmp_path) - (always if arch is sm_80 else set())
                if issubclass(arch, capability) == bool(said):
                    wrong[name, arch.__name__] = said or "taken"
                for each in said:
                    assert re.search("not supported on|requires .target|for arch", each), each
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
