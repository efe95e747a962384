"""The code in docs/ is legal and lowers."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from safegpu.offline.lowering import lowered
from safegpu.offline.toolchain import is_available

DOCS = Path(__file__).parent.parent / "docs"


def test_the_first_kernel(tmp_path: Path) -> None:
    page = (DOCS / "first_kernel.md").read_text()
    code, _use = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    path = tmp_path / "first_kernel.py"
    path.write_text(code)
    for options in ([], ["--strict"]):
        mypy = subprocess.run(
            [sys.executable, "-m", "mypy", "--config-file=", *options, path],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert mypy.returncode == 0, mypy.stdout
    names: dict[str, Any] = {}
    exec(compile(code, str(path), "exec"), names)
    assert "@scale_mosaic_gpu" in lowered(names["kernel"], arch=(9, 0))


@pytest.mark.skipif(not is_available(), reason="needs the CUDA plugin, ptxas and nvdisasm")
def test_the_first_kernel_is_compiled(tmp_path: Path) -> None:
    code, use = re.findall(r"^```python\n(.*?)^```$", (DOCS / "first_kernel.md").read_text(), re.M | re.S)
    (tmp_path / "first_kernel.py").write_text(code)
    (tmp_path / "use.py").write_text(use)
    assert run("use", cwd=tmp_path).splitlines()[-1] == "24 0"
    assert "registers      24 of 255 a thread, 0 bytes spilled" in run(
        "safegpu", "compile", "first_kernel.py", cwd=tmp_path
    )


def test_its_mistakes_are_found(tmp_path: Path) -> None:
    page = (DOCS / "first_kernel.md").read_text()
    code = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)[0]
    mistakes = {
        "SG307": code.replace("result: mgpu.GmemRef[mgpu.float16]", "result: mgpu.GmemRef[mgpu.bfloat16]"),
        "SG701": code.replace(
            "(tile * 2.0).store_tiled(scratch.tile, swizzle=128)", "(tile * 2.0).store_tiled(scratch.tile, swizzle=64)"
        ),
        "SG701 too": code.replace("gmem_transform=TILES, swizzle=128\n", "gmem_transform=TILES\n"),
    }
    for name, wrong in mistakes.items():
        assert wrong != code, name
        (tmp_path / "kernel.py").write_text(wrong)
        check = subprocess.run(
            [sys.executable, "-m", "safegpu", "check", "kernel.py"], cwd=tmp_path, capture_output=True, text=True
        )
        assert name.split()[0] in check.stdout, check.stdout + check.stderr


@pytest.mark.skipif(not is_available(), reason="needs the CUDA plugin, ptxas and nvdisasm")
def test_compiling_in_python(tmp_path: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", (DOCS / "compile.md").read_text(), re.M | re.S)
    (tmp_path / "use.py").write_text(code)
    assert run("use", cwd=tmp_path) == ""


def test_the_versions_are_what_nox_writes() -> None:
    """Beside its tables the page says what `noxfile.py` writes above them."""
    written = ast.parse((DOCS.parent / "noxfile.py").read_text())
    (head,) = [
        node.value.value
        for node in written.body
        if isinstance(node, ast.Assign)
        and ast.unparse(node.targets[0]) == "HEAD"
        and isinstance(node.value, ast.Constant)
    ]
    above, *tables = re.split(r"^## .*\n\n", (DOCS / "compatibility.md").read_text(), flags=re.M)
    assert above == f"{head}\n"
    assert len(tables) == 2
    assert [line for table in tables for line in table.splitlines() if line and not line.startswith("|")] == []


# --- adopting.md: a raw kernel, and the steps by which it becomes a typed one


def patched(code: str, diff: str) -> str:
    """`code` with the hunks of `diff` applied, each of which fits in one place; `@@` stands between them.

    They are in the order of the file, and what one puts there is not what it takes away.
    """
    end = 0
    for hunk in re.split(r"^@@\n", diff, flags=re.M):
        lines = hunk.splitlines(keepends=True)
        old, new = ("".join(line[1:] for line in lines if line[0] in f" {sign}") for sign in "-+")
        assert code.count(old) == 1, f"{code.count(old)} places for\n{hunk}"
        assert code.index(old) >= end, f"it comes earlier in the file:\n{hunk}"
        taken, put = ({line[1:] for line in lines if line[0] == sign} - {"\n"} for sign in "-+")
        assert not taken & put, f"it takes away what it puts back:\n{hunk}"
        end = code.index(old) + len(new)
        code = code.replace(old, new)
    return code


def states(page: str) -> Iterator[tuple[str, bool, str]]:
    """The kernel after each diff of the page, whether it lowers as the raw one, and what the check says of it.

    A diff that is marked `try` is taken back before the next one. What a page does not say is that the check is clean.
    """
    blocks = re.findall(r"^```(python|diff|diff try|console)\n(.*?)^```$", page, re.M | re.S)
    (_, code), *rest = blocks
    for (kind, diff), (following, said) in zip(rest, [*rest[1:], ("", "")], strict=True):
        if kind.startswith("diff"):
            state = patched(code, diff)
            says = said.partition("\n")[2] if following == "console" else "clean: 1 file\n"
            code = state if kind == "diff" else code
            yield state, kind == "diff" or says == "clean: 1 file\n", says


def run(*command: str, cwd: Path) -> str:
    """What the command writes to its standard output; AssertionError where it writes to the other."""
    ran = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(DOCS.parent), "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
    )
    assert ran.stderr == ""
    return ran.stdout


def built(code: str) -> str:
    names: dict[str, Any] = {}
    exec(code, names)
    return lowered(names["kernel"], arch=(9, 0))


ADOPTING = (DOCS / "adopting.md").read_text()
RAW, WHOLE, COMPARISON = re.findall(r"^```python\n(.*?)^```$", ADOPTING, re.M | re.S)
STATES = list(states(ADOPTING))


def test_the_page_tries_what_is_wrong() -> None:
    assert len(STATES) >= 10
    assert len([says for _, _, says in STATES if says.startswith("matmul.py:")]) >= 5
    *_, (last, _, _) = STATES
    assert last == WHOLE


@pytest.mark.parametrize(("code", "same", "says"), STATES, ids=[str(number) for number in range(len(STATES))])
def test_each_step_of_adopting(tmp_path: Path, code: str, same: bool, says: str) -> None:
    (tmp_path / "matmul.py").write_text(code)
    assert run("safegpu", "check", "matmul.py", cwd=tmp_path) == says
    if same:
        assert built(code) == built(RAW)


def test_the_adopted_kernel(tmp_path: Path) -> None:
    (tmp_path / "matmul.py").write_text(WHOLE)
    (tmp_path / "raw_matmul.py").write_text(RAW)
    (tmp_path / "compare.py").write_text(COMPARISON)
    assert run("compare", cwd=tmp_path) == ""
    assert "Success" in run("mypy", "--strict", "--config-file=", "matmul.py", cwd=tmp_path)
    assert "0 errors" in run("pyright", f"--pythonpath={sys.executable}", "matmul.py", cwd=tmp_path)
