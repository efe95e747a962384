"""`safegpu-mosaic-stubs` as an author has it: both wheels, installed beside jax."""

from __future__ import annotations

import ast
import collections
import importlib
import json
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

from tests.support.checkers import ROOT, environment, installed_packages
from tests.surface.reading import MODULES, mosaic, public

pytest.importorskip("jax")

HERE = Path(__file__).resolve().parent
PROJECT = ROOT / "stubs" / "mosaic-gpu"
CANARY = HERE / "canary_mosaic.py"
TWINS = sorted((ROOT / "tests" / "raw").glob("*.py"))

# Modules that the package imports for its own use, and names that a later jax does.
INCIDENTAL = {
    *(
        f"__init__.{name}"
        for name in ("constraints", "dialect_lowering", "inference_utils", "layout_inference", "mma_utils")
    ),
    "fragmented_array.mgpu_lib",
    "launch_context.jaxlib_version",
}


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def wheel(project: Path, out: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index"]
    built = run(*pip, "--wheel-dir", out, project, cwd=out)
    assert built.returncode == 0, built.stderr
    (path,) = out.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    out = tmp_path_factory.mktemp("wheels")
    (out / "safegpu").mkdir()
    (out / "stubs").mkdir()
    return wheel(ROOT, out / "safegpu"), wheel(PROJECT, out / "stubs")


def installed(home: Path, *given: Path) -> Path:
    """An interpreter that has jax and these wheels."""
    python = environment(home, installed_packages())
    if given:
        pip = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            python,
            "install",
            "--no-deps",
            "--no-index",
            "--ignore-installed",
        ]
        done = run(*pip, *given, cwd=home)
        assert done.returncode == 0, done.stderr
    return python


@pytest.fixture(scope="module")
def python(wheels: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(tmp_path_factory.mktemp("environment") / "with", *wheels)


def mypy(python: Path, cache: Path, *files: Path, options: tuple[str, ...] = ()) -> dict[tuple[str, int], list[str]]:
    """The errors by (file name, line)."""
    command = [sys.executable, "-m", "mypy", "--config-file=", "--output=json", *options]
    command += [f"--cache-dir={cache}", f"--python-executable={python}", *map(str, files)]
    checked = run(*command, cwd=HERE)
    assert checked.returncode in (0, 1), checked.stdout + checked.stderr
    found: dict[tuple[str, int], list[str]] = {}
    for one in map(json.loads, checked.stdout.splitlines()):
        if one["severity"] == "error":
            found.setdefault((Path(one["file"]).name, one["line"]), []).append(one["message"])
    return found


def marked(file: Path) -> set[tuple[str, int]]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return {(file.name, number) for number, line in enumerate(lines, 1) if line.endswith("# error")}


def test_mypy(python: Path, tmp_path: Path) -> None:
    """Every wrong line of the canary is rejected and nothing else: all raw twins of the examples are clean."""
    found = mypy(python, tmp_path, CANARY, *TWINS, options=("--check-untyped-defs",))
    assert found.keys() == marked(CANARY), {place: found[place] for place in found.keys() - marked(CANARY)}
    rules = {
        word.split("_")[0] for texts in found.values() for text in texts for word in text.split('"') if word[:2] == "SG"
    }
    assert {"SG101", "SG102", "SG205"} <= rules


# Complaints about functions without annotations, of the examples and of jax itself.
UNTYPED = {"no-untyped-def", "no-untyped-call", "untyped-decorator"}
TRUE = {
    ("flash_attention.py", "no-redef"): 1,  # two loops of one name
    ("flash_attention.py", "assignment"): 2,  # kernels and scratch of two kinds in one variable without an annotation
    ("matmul.py", "return-value"): 1,  # an accumulator, and the annotation says a dict of them
    ("matmul.py", "assignment"): 1,  # a tuple that grows, in a variable without an annotation
}
"""What else is true of jax's examples, and how often; mypy says so without the stubs, too."""


@pytest.mark.skipif("JAX_SOURCES" not in os.environ, reason="JAX_SOURCES names no checkout of jax")
def test_examples_of_jax(python: Path, tmp_path: Path) -> None:
    """They are no part of jax's wheel."""
    folder = Path(os.environ["JAX_SOURCES"], "jax", "experimental", "mosaic", "gpu", "examples")
    files = [shutil.copy(folder / f"{name}.py", tmp_path) for name in ("matmul", "matmul_blackwell", "flash_attention")]
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file=",
        "--strict",
        "--output=json",
        f"--python-executable={python}",
    ]
    checked = run(*command, f"--cache-dir={tmp_path / 'cache'}", *files, cwd=tmp_path)
    found = [one for one in map(json.loads, checked.stdout.splitlines()) if one["severity"] == "error"]
    other = collections.Counter((one["file"], one["code"]) for one in found if one["code"] not in UNTYPED)
    assert other == TRUE, "\n".join(f"{one['file']}:{one['line']}: {one['message']}" for one in found)


def test_without_the_distribution_nothing_of_it_is_seen(wheels: tuple[Path, Path], tmp_path: Path) -> None:
    """A canary: with jax's own types most of the marked lines are accepted."""
    found = mypy(installed(tmp_path / "without", wheels[0]), tmp_path / "cache", CANARY)
    assert len(found.keys() & marked(CANARY)) < len(marked(CANARY)) // 2


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("generated")
    done = run(sys.executable, PROJECT / "generate.py", out, cwd=out)
    assert done.returncode == 0, done.stderr
    return out / "jax-stubs" / "experimental" / "mosaic" / "gpu"


def test_generation_is_deterministic(stubs: Path, tmp_path: Path) -> None:
    run(sys.executable, PROJECT / "generate.py", tmp_path, cwd=tmp_path)
    again = tmp_path / "jax-stubs" / "experimental" / "mosaic" / "gpu"
    files = sorted(path.name for path in stubs.iterdir())
    assert files == sorted(path.name for path in again.iterdir())
    assert all((stubs / name).read_bytes() == (again / name).read_bytes() for name in files)


def bound(path: Path) -> set[str]:
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                found.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.TypeAlias(name=ast.Name(id=name)):
                found.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                found.add(name)
            case ast.ImportFrom(names=aliases) | ast.Import(names=aliases):
                found |= {alias.asname or alias.name for alias in aliases}
    return found


@pytest.mark.parametrize("module", MODULES)
def test_complete(module: str, stubs: Path) -> None:
    """Every public name that a module of Mosaic GPU defines, or that its package exports."""
    ours = {f"{module}.{name}" for name in public(module)} - INCIDENTAL
    typed = {f"{module}.{name}" for name in bound(stubs / f"{module}.pyi")}
    assert ours - typed == set()


def test_private_modules_are_not_of_mosaic_gpu(stubs: Path) -> None:
    """What the stubs put aside has a name that no module of jax's has."""
    for path in stubs.glob("_[a-z]*.pyi"):
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(f"jax.experimental.mosaic.gpu.{path.stem}")
    assert isinstance(mosaic("utils"), types.ModuleType)
