"""The stubs of dialects against the jaxlib that is installed: their names, their signatures, and MLIR's verifier."""

from __future__ import annotations

import ast
import importlib
import json
import os
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

from tests.stubs.test_ir_stub import STUBS, make_environment, mypy
from tests.surface.reading import MOSAIC

pytest.importorskip("jaxlib.mlir")

from safegpu._jax import LACKING

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDER = STUBS / "jaxlib-stubs" / "mlir" / "dialects"
DIALECTS = sorted({path.parent.name if path.stem == "__init__" else path.stem for path in FOLDER.rglob("*.pyi")})
ALLOWED = HERE / "stubtest.txt"

# Of an operation that a later jaxlib adds, nobody asks for the adaptor; and a helper of jaxlib's own.
LEFT_OUT = re.compile(r"\w+Adaptor|get_op_result_or_op_results")


def stub(dialect: str) -> Path:
    path = FOLDER / f"{dialect}.pyi"
    return path if path.is_file() else FOLDER / dialect / "__init__.pyi"


def bound(path: Path) -> set[str]:
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            found.add(ast.unparse(node.target))
        elif isinstance(node, ast.Assign):
            found |= {ast.unparse(target) for target in node.targets}
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names}
    return found


def test_every_dialect_of_mosaic_gpu_is_here() -> None:
    assert set(DIALECTS) >= {"arith", "builtin", "cf", "func", "gpu", "llvm", "math", "memref", "nvvm", "scf", "vector"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_complete(dialect: str) -> None:
    """Every public name that a dialect's modules define."""
    module = importlib.import_module(f"jaxlib.mlir.dialects.{dialect}")
    typed = bound(stub(dialect))
    names = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
        if getattr(value, "__module__", module.__name__).startswith("jaxlib.mlir.dialects")
    }
    missing = {name for name in names - typed if not LEFT_OUT.fullmatch(name)}
    assert missing == set()
    assert len(names) > 3, "the comparison sees the dialect"


def test_a_kernel_pays_for_the_dialects_it_imports() -> None:
    """Nothing of safegpu's, and not `mlir.ir`, imports a dialect; a dialect imports `arith` at most."""
    pattern = re.compile(r"jaxlib\.mlir\.dialects(?:\.(\w+)| import (\w+))")
    for path in [*(ROOT / "safegpu").glob("*.pyi"), FOLDER.parent / "ir.pyi"]:
        assert not pattern.search(path.read_text(encoding="utf-8")), path
    for dialect in DIALECTS:
        found = pattern.findall(stub(dialect).read_text(encoding="utf-8"))
        assert {name for pair in found for name in pair if name} <= {"arith"}, dialect


CLASSES = """\
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, math

class Index(ir.Value[ir.IndexType]): ...
class I32(ir.Value[ir.IntegerType]): ...
class F32(ir.Value[ir.FloatType]): ...
class IntVector(ir.Value[ir.VectorType]): ...
class FloatVector(ir.Value[ir.VectorType]): ...

Index_: Index
I32_: I32
F32_: F32
IntVector_: IntVector
FloatVector_: FloatVector
"""


def test_operands_are_those_that_mlir_takes(tmp_path: Path) -> None:
    """Every such operation, with every type of operands and every pair of types: mypy rejects what MLIR rejects.

    Vectors of integers and of floats are one type to the stubs. They are never rejected where MLIR accepts them.
    """
    command = [sys.executable, str(HERE / "operands.py"), str(FOLDER)]
    ran = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "JAX_PLATFORMS": "cpu"}
    )
    table: dict[str, dict[str, bool]] = json.loads(ran.stdout)
    lines = CLASSES.splitlines()
    cells: dict[int, tuple[str, str, bool]] = {}
    for name, row in table.items():
        for operands, accepted in row.items():
            first, others, count = operands.split()
            arguments = ["0"] * name.startswith("arith.cmp") + [f"{first}_"] + [f"{others}_"] * (int(count) - 1)
            lines.append(f"{name}({', '.join(arguments)})")
            cells[len(lines)] = name, operands, accepted
    file = tmp_path / "cells.py"
    file.write_text("\n".join(lines) + "\n")
    rejected = {line for _, line in mypy(make_environment(tmp_path / "venv", "bare", stubs=True), [file], tmp_path)}
    assert {cells[line] for line in rejected if cells[line][2]} == set(), "legal, and rejected"
    missed = {cells[line] for line in cells.keys() - rejected if not cells[line][2]}
    assert {cell for cell in missed if "Vector" not in cell[1]} == set(), "illegal, and accepted"
    assert len(table) > 70 and sum(not accepted for _, _, accepted in cells.values()) > 900


def stubtest(path: Path, *modules: str) -> list[str]:
    """What stubtest says of the stubs in `path`, and nothing in `stubtest.txt` allows."""
    python = make_environment(path.parent / f"{path.name}-venv", "jaxlib", stubs=False)
    (site,) = python.parent.parent.glob("lib/python*/site-packages")
    paths = site / "paths.pth"
    paths.write_text(f"{ROOT}\n{path}\n{STUBS}\n{paths.read_text()}")
    command = [str(python), "-m", "mypy.stubtest", *modules, "--concise", "--ignore-missing-stub"]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=path)
    said = ran.stdout.splitlines()
    assert ran.returncode == 1 and "not checking stubs" not in ran.stdout, ran.stdout + ran.stderr
    later = [rf"\.{name} is not present at runtime" for name in LACKING]
    return [line for line in said if not any(re.search(one, line) for one in (*allowed(), *later))]


def allowed() -> list[str]:
    lines = ALLOWED.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_stubtest_is_silent_but_for_few_lines() -> None:
    assert len(allowed()) <= 15


def test_stubtest_of_dialects(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    modules = [f"jaxlib.mlir.dialects.{dialect}" for dialect in DIALECTS]
    assert stubtest(tmp_path / "none", "jaxlib.mlir.ir", *modules) == []


def test_stubtest_of_raw_mosaic_gpu(tmp_path: Path) -> None:
    out = tmp_path / "generated"
    subprocess.run([sys.executable, STUBS / "mosaic-gpu" / "generate.py", out], check=True)
    assert stubtest(out, MOSAIC) == []


def test_stubtest_sees_a_difference(tmp_path: Path) -> None:
    """A canary: a keyword of another name in a copy that is found first."""
    copy = tmp_path / "copy"
    target = copy / "jaxlib-stubs" / "mlir" / "dialects"
    target.mkdir(parents=True)
    for path in ("py.typed", "__init__.pyi", "mlir/ir.pyi"):
        (copy / "jaxlib-stubs" / path).write_bytes((STUBS / "jaxlib-stubs" / path).read_bytes())
    text = stub("cf").read_text(encoding="utf-8")
    changed = re.sub(r"(?<=def assert_\()(\s*)arg: ", r"\1condition: ", text)
    assert changed != text
    (target / "cf.pyi").write_text(changed)
    (said,) = stubtest(copy, "jaxlib.mlir.dialects.cf")
    assert 'stub parameter "condition" differs from runtime parameter "arg"' in said
