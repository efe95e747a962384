"""The README tells the truth: its example, what is printed of it, and the output of its first command."""

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from examples.run import KERNELS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_length() -> None:
    assert len(README.splitlines()) <= 80


def test_example_and_what_is_printed_of_it(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(blocks("python")[0])
    says_mypy, says_check = re.findall(r"^\$ .*?\n(.*?)(?=^\$|\Z)", blocks("console")[0], re.M | re.S)
    mypy = run(sys.executable, "-m", "mypy", "kernel.py", cwd=tmp_path)
    assert says_mypy == "".join(line for line in mypy.stdout.splitlines(True) if " error: " in line)
    check = run(sys.executable, "-m", "safegpu", "check", "kernel.py", cwd=tmp_path)
    assert check.stdout.startswith(says_check)
    assert check.returncode == 1


def test_main_job() -> None:
    job = run(sys.executable, "-m", "examples.run", cwd=ROOT)
    assert job.returncode == 0, job.stderr
    _, compiled = job.stdout.split("compiled without a GPU:\n")
    for line, (name, example) in zip(compiled.splitlines(), KERNELS.items(), strict=True):
        assert line.startswith(f"  {name} ")
        assert f" {example.arch} " in line
        assert " 0 bytes spilled, " in line
        assert all(re.search(rf" [1-9]\d* {re.escape(each)}(,|$)", line) for each in example.instructions)


@pytest.mark.skipif(metadata.version("jax") != "0.11.2", reason="the README shows what jax 0.11.2 compiles to")
def test_compile_prints_what_the_readme_shows(tmp_path: Path) -> None:
    command, shown = blocks("console")[1].split("\n", 1)
    compiled = run(sys.executable, *command.split()[2:], "--out", tmp_path / ".safegpu", cwd=ROOT)
    assert compiled.stdout.replace(f"{tmp_path}/", "") == shown


def test_an_example_without_its_gpu_says_so() -> None:
    job = run(sys.executable, "-m", "examples.run", "cluster_exchange", cwd=ROOT)
    assert job.returncode == 2
    assert job.stderr.splitlines() == [
        "cluster_exchange runs on a Hopper GPU, and jax finds none: pip install 'jax[cuda13]'"
    ]


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https:)([^)]+)\)", README):
        assert (ROOT / target).exists(), target
