"""What stands behind the rules of ordering: PTX and SASS of twins that differ in one fence, commit or wait."""

from __future__ import annotations

import collections
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import safegpu
from safegpu.offline.toolchain import is_available

HERE = Path(__file__).resolve().parent / "rules"

pytestmark = pytest.mark.skipif(not is_available(), reason="needs the CUDA wheels of the extra `codegen`")

# File, legal twin, refused twin; what the second lacks of the first's PTX, and of the kinds of its SASS.
TWINS = {
    "a wait orders the tensor core": (
        "SG901_unordered_product",
        ("ordered", "unordered"),
        {"tcgen05.fence::after_thread_sync": 1},
        set(),  # ptxas has not moved the load here
    ),
    "a fence before TMA": (
        "SG902_unfenced_shared_memory",
        ("copy", "unfenced_copy"),
        {"fence.proxy.async.shared::cta": 1, "bar.sync": 1},
        {"FENCE.VIEW.ASYNC.S"},
    ),
    "a fence before wgmma": (
        "SG902_unfenced_shared_memory",
        ("product", "unfenced_product"),
        {"fence.proxy.async.shared::cta": 1, "bar.sync": 1},
        {"FENCE.VIEW.ASYNC.S"},
    ),
    "a fence before tcgen05": (
        "SG902_unfenced_shared_memory",
        ("product_on_blackwell", "unfenced_on_blackwell"),
        {"fence.proxy.async.shared::cta": 1, "bar.sync": 1},
        {"FENCE.VIEW.ASYNC.S"},
    ),
    "a commit before tcgen05": (
        "SG903_uncommitted_tmem_store",
        ("operand", "uncommitted_operand"),
        {"tcgen05.wait::st.sync.aligned": 1, "bar.sync": 1},
        {"FENCE.VIEW.ASYNC.T"},
    ),
    "a commit before a load": (
        "SG903_uncommitted_tmem_store",
        ("load", "uncommitted_load"),
        {"tcgen05.wait::st.sync.aligned": 1, "bar.sync": 1},
        {"FENCE.VIEW.ASYNC.T"},
    ),
    "a wait for a product": (
        "SG904_unfinished_product",
        ("waited_for", "not_waited_for"),
        {"wgmma.wait_group.sync.aligned": 1},
        set(),  # ptxas puts it in
    ),
    "a commit of a product": (
        "SG904_unfinished_product",
        ("waited_for", "never_committed"),
        {"wgmma.commit_group.sync.aligned": 1},
        set(),
    ),
    "a wait for a copy": (
        "SG905_overwritten_copy_source",
        ("waited_for", "not_waited_for"),
        {"cp.async.bulk.wait_group.read": 1, "bar.sync": 1},
        {"DEPBAR.LE"},
    ),
}
INSTRUCTION = re.compile(r"^\s*(?:@!?%\w+ )?([a-z][\w.:]+)[ \t;]", re.MULTILINE)
SASS = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?([A-Z][A-Z0-9_.]+)")


@pytest.fixture(autouse=True)
def as_mosaic_gpu_lowers_them(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.setattr("safegpu._gate.refuse", lambda code, message: None)
    yield
    for file in HERE.glob("*.py"):
        sys.modules.pop(file.stem, None)


def compiled(file: str, name: str) -> safegpu.Compiled:
    importlib.import_module(file)
    twins: Any = sys.modules["_twins"]
    (twin,) = (each for each in twins.TWINS[file] if each.body.__name__ == name)
    return safegpu.compile_kernel(twin.build, arch=twin.arch or "sm_90a")


@pytest.mark.parametrize("which", TWINS)
def test_what_the_refused_twin_lacks(which: str) -> None:
    file, (legal, refused), ptx, sass = TWINS[which]
    whole, lacking = compiled(file, legal), compiled(file, refused)
    before, after = (collections.Counter(INSTRUCTION.findall(each.ptx)) for each in (whole, lacking))
    assert before - after == collections.Counter(ptx)
    assert after - before == collections.Counter()
    kinds, left = (set(SASS.findall(each.sass)) for each in (whole, lacking))
    assert "EXIT" in kinds
    assert sass <= kinds - left
    if not sass:
        assert kinds == left


def test_ptxas_waits_for_products_in_registers_alone() -> None:
    """It says that it does; of operands in shared memory it says nothing."""
    injected = "warpgroup.wait is injected"
    assert injected in compiled("SG904_unfinished_product", "not_waited_for").ptxas
    assert injected not in compiled("SG904_unfinished_product", "waited_for").ptxas
    assert injected not in compiled("SG904_unfinished_product", "stored_over").ptxas
