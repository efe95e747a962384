"""The two halves of safegpu against each other: `mypy.stubtest` imports the package and compares it with its stubs.

What a stub leaves out, and each overload of a function, which it joins into one, are `test_complete.py` and
`test_signatures.py`: a star import gives the modules that Mosaic GPU's own leak, too, which no stub has.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from safegpu._jax import LACKING
from tests.support.checkers import ROOT

ALLOWED = Path(__file__).with_name("stubtest.txt")
LATER = Path(__file__).with_name("stubtest_later.txt")


def stubtest(root: Path) -> str:
    """What stubtest says of the package in `root`."""
    command = [sys.executable, "-m", "mypy.stubtest", "safegpu", "--concise", f"--allowlist={ALLOWED}"]
    options = ["--ignore-missing-stub", f"--mypy-config-file={ROOT / 'mypy.ini'}"]
    if LACKING:
        options.append(f"--allowlist={LATER}")
    environment = {**os.environ, "PYTHONPATH": str(root), "MYPYPATH": str(root)}
    run = subprocess.run([*command, *options], cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert run.stderr == ""
    return run.stdout


def test_the_halves_agree() -> None:
    assert stubtest(ROOT) == ""


def test_it_sees_a_difference(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "safegpu", tmp_path / "safegpu", ignore=shutil.ignore_patterns("__pycache__"))
    stub = tmp_path / "safegpu" / "utils.pyi"
    text = stub.read_text()
    assert "def nanosleep(nanos: " in text
    stub.write_text(text.replace("def nanosleep(nanos: ", "def nanosleep(duration: "))
    said = 'safegpu.utils.nanosleep is inconsistent, stub parameter "duration" differs from runtime parameter "nanos"'
    assert stubtest(tmp_path).strip() == said
