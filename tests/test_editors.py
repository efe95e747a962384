"""docs/editors.md tells the truth: each checker that the tests have prints what the page says of its file."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from safegpu.cli import main

PAGE = (Path(__file__).parent.parent / "docs" / "editors.md").read_text()
(KERNEL,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
SAID = re.findall(r"^```console\n\$ (.*?)\n(.*?)^```$", PAGE, re.M | re.S)


def test_all_checkers_are_there() -> None:
    assert [command.split()[0] for command, _ in SAID] == ["safegpu", "mypy", "pyright", "ty", "pyrefly", "pyrefly"]


def printed(tmp_path: Path, command: str) -> list[str]:
    (tmp_path / "kernel.py").write_text(KERNEL)
    name, *arguments = command.removesuffix(" | grep error:").split()
    where = {"ty": f"--python={sys.executable}", "pyrefly": f"--python-interpreter-path={sys.executable}"}
    if name in ("safegpu", "mypy", "pyright"):
        program = [sys.executable, "-m", name]
    else:
        from tests.support.checkers import beside_interpreter

        program = [beside_interpreter(name)]
        arguments.append(where[name])
    if name == "pyright":
        arguments.append(f"--pythonpath={sys.executable}")
    if name == "pyrefly":
        root = Path(__file__).parent.parent
        arguments += [f"--search-path={path}" for path in (root, root / "stubs")]
    done = subprocess.run(
        [*program, *arguments],
        cwd=tmp_path,
        env=os.environ | {"MYPY_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    out = done.stdout + (done.stderr if name == "pyrefly" else "")
    lines = [line for line in out.replace(str(tmp_path), "/project").replace("\xa0", " ").splitlines() if line]
    if "grep" in command:
        lines = [line for line in lines if "error:" in line]
    if name == "pyrefly":  # and not how to set it up
        lines = [line for line in lines if line.startswith(("ERROR", " INFO"))]
    return lines


@pytest.mark.parametrize(("command", "said"), SAID, ids=[command for command, _ in SAID])
def test_what_a_checker_prints(tmp_path: Path, command: str, said: str) -> None:
    assert printed(tmp_path, command) == said.splitlines()


@pytest.mark.parametrize("name", ["mypy.ini", "pyproject.toml"])
@pytest.mark.parametrize(("command", "as_printed"), [(1, 1), (4, 5)], ids=["mypy", "pyrefly"])
def test_in_a_project_with_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, command: int, as_printed: int
) -> None:
    """pyrefly, which without them finds nothing, takes mypy's."""
    monkeypatch.chdir(tmp_path)
    if name == "pyproject.toml":
        Path(name).write_text("[tool.mypy]\n")
    assert main(["init", "--no-pre-commit"]) == 0
    assert (tmp_path / name).stat().st_size > 20
    assert printed(tmp_path, SAID[command][0]) == SAID[as_printed][1].splitlines()
