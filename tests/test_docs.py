"""The code in docs/ is legal and lowers."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from safegpu.offline.lowering import lowered

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
