"""The wheel, built and installed in an environment with nothing else, checks a user's file somewhere else."""

import importlib.util
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from safegpu.rules import RULES

ROOT = Path(__file__).parent.parent

KERNEL = """\
import safegpu as mgpu
from safegpu import tcgen05
from jaxlib.mlir import ir

class Scratch(mgpu.Scratch):
    acc = mgpu.TMEM((128, 128), mgpu.float32)
    metadata = mgpu.TMEM((128, 128), mgpu.uint2, layout=tcgen05.sparse_meta_layout())

def body(ctx: mgpu.LaunchContext, out: mgpu.GmemRef[mgpu.float32], scratch: Scratch) -> None:
    array = scratch.acc.load()
    array.store_untiled(out, optimized=False)
    scratch.metadata.store(array)  # bad
    number: int = scratch.acc.address  # bad: ir.Value is a type, not Any
    value: ir.Value = out
"""
BAD_LINES = {number for number, line in enumerate(KERNEL.splitlines(), 1) if "# bad" in line}


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    built = run(
        sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", out, ROOT, cwd=out
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    (path,) = out.glob("safegpu-*.whl")
    return path


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that has the wheel and typing-extensions, which it asks for, and no jax and no checker."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    installed = run(
        sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=home
    )  # fmt: skip
    assert installed.returncode == 0, installed.stderr
    spec = importlib.util.find_spec("typing_extensions")
    assert spec is not None and spec.origin is not None
    (site,) = home.glob("lib/python*/site-packages")
    (site / "typing_extensions.py").write_text(Path(spec.origin).read_text())
    return python


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL)
    return path


def test_ships_the_types_and_nothing_of_the_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    needed = ["safegpu/py.typed", "safegpu/__init__.pyi", "safegpu/check/mypy.ini", "jaxlib-stubs/mlir/ir.pyi"]
    pages = [f"safegpu/rules/pages/{code}.md" for code in RULES]
    assert set(needed + pages) <= set(names)
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"safegpu", "jaxlib-stubs"}


def test_mypy_checks_against_the_wheel(python: Path, kernel: Path) -> None:
    checked = run(sys.executable, "-m", "mypy", "--python-executable", python, "kernel.py", cwd=kernel.parent)
    lines = {int(line.split(":")[1]) for line in checked.stdout.splitlines() if " error: " in line}
    assert lines == BAD_LINES, checked.stdout


def test_pyright_checks_against_the_wheel(python: Path, kernel: Path) -> None:
    checked = run(sys.executable, "-m", "pyright", "--pythonpath", python, "kernel.py", cwd=kernel.parent)
    lines = {int(line.split(":")[1]) for line in checked.stdout.splitlines() if " - error: " in line}
    assert lines == BAD_LINES, checked.stdout


def test_command_line_says_what_is_missing(python: Path, kernel: Path) -> None:
    command = python.parent / "safegpu"
    assert "SG101" in run(command, "rules", cwd=kernel.parent).stdout
    assert "sparse" in run(command, "explain", "SG101", cwd=kernel.parent).stdout
    checked = run(command, "check", "kernel.py", cwd=kernel.parent)
    assert checked.returncode == 2
    assert len(checked.stderr.splitlines()) == 1 and "pip install 'safegpu[check]'" in checked.stderr


def test_compile_says_what_is_missing(python: Path, kernel: Path) -> None:
    compiled = run(python.parent / "safegpu", "compile", "kernel.py", cwd=kernel.parent)
    assert compiled.returncode == 2
    assert compiled.stdout == ""
    assert len(compiled.stderr.splitlines()) == 1 and "pip install 'safegpu[codegen]'" in compiled.stderr
    script = "import safegpu; safegpu.compile_kernel(lambda: None)"
    in_python = run(python, "-c", script, cwd=kernel.parent)
    assert in_python.returncode == 1
    assert in_python.stderr.splitlines()[-1].endswith("pip install 'safegpu[codegen]'")


def test_without_jax_the_first_use_says_so(python: Path, kernel: Path) -> None:
    used = run(python, "kernel.py", cwd=kernel.parent)
    assert used.returncode == 1
    assert used.stderr.splitlines()[-1] == (
        "ImportError: safegpu needs jax to lower and run kernels: pip install 'safegpu[jax]'"
    )
    tokens = run(python, "-c", "import safegpu; print(safegpu.float16, safegpu.layouts.WGMMA)", cwd=kernel.parent)
    assert tokens.returncode == 0, tokens.stderr


def test_init_needs_no_library_in_a_project_without_settings(python: Path, wheel: Path, tmp_path: Path) -> None:
    command = python.parent / "safegpu"
    assert run(command, "init", "--diff", cwd=tmp_path).returncode == 1
    assert list(tmp_path.iterdir()) == []
    done = run(command, "init", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "mypy.ini: created\n.pre-commit-config.yaml: created\n")
    assert f'"safegpu[check] @ {wheel.as_uri()}"' in (tmp_path / ".pre-commit-config.yaml").read_text()
    checked = run(sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "-c", "", cwd=tmp_path)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("name", ["mypy.ini", "pyproject.toml", ".pre-commit-config.yaml"])
def test_init_says_what_editing_needs(python: Path, tmp_path: Path, name: str) -> None:
    texts = {".ini": "[mypy]\n", ".toml": "[tool.mypy]\n", ".yaml": "repos: []\n"}
    (tmp_path / name).write_text(texts[Path(name).suffix])
    done = run(python.parent / "safegpu", "init", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1 and done.stderr.endswith("pip install 'safegpu[init]'\n")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_doctor_without_jax_and_checkers(python: Path, tmp_path: Path) -> None:
    command = [python, "-m", "safegpu", "doctor"]
    done = run("env", "PATH=", *command, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    states = {line[8:].partition(":")[0]: line[:8].strip() for line in done.stdout.splitlines()}
    assert states.pop("safegpu") == "ok"
    assert states.pop("Python") in ("ok", "note")
    assert states == dict.fromkeys(["jax", "mypy", "pyright", "safegpu[codegen]", "GPU"], "absent")
    for aspect in ("check", "jax", "codegen", "gpu"):
        assert run("env", "PATH=", *command, aspect, cwd=tmp_path).returncode == 1
