"""Random kernels, as `python -m tests.rules.generated.composites` writes and compares them; here, a few."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.generated.composites import CHECKERS, Kernel, Line, compare, kernels, told

MEMORY = "mgpu.FragmentedArray.load_strided(g_single)"


@pytest.fixture(scope="module")
def written() -> list[Kernel]:
    return kernels(30, 25, seed=0)


@pytest.mark.parametrize("checker", CHECKERS)
def test_checkers_agree_with_mosaic_gpu(checker: str, written: list[Kernel], tmp_path: Path) -> None:
    found = compare(written, CHECKERS[checker], tmp_path)
    assert not found.disagreements
    assert found.counts["lowers, accepted"] > 100
    assert found.counts["refused, rejected"] > 100
    # each difference has its reason, and both are told
    for outcome in ("refused, accepted", "lowers, rejected"):
        assert sum(number for (way, _), number in found.reasons.items() if way == outcome) == found.counts[outcome]
    said = "\n".join(told(found, checker))
    assert f"{found.counts['refused, accepted']:7} lines: refused at lowering, {checker} accepts\n" in said
    assert "at a site of which sites.toml says `values`" in said


def test_the_same_seed_writes_the_same_kernels() -> None:
    assert kernels(3, 10, seed=5) == kernels(3, 10, seed=5) != kernels(3, 10, seed=6)


def test_a_disagreement_is_told_with_what_it_uses(tmp_path: Path) -> None:
    refused = Line("v2 = v0 + v0", words="ValueError: no", for_checkers=True)
    rejected = Line("v3 = v0.no_such()")
    lines = [Line(f"v0 = {MEMORY}"), Line("v1 = index + 1"), refused, rejected, Line("s.one.wait()")]
    found = compare([Kernel(False, lines)], CHECKERS["mypy"], tmp_path)
    accepted, second = found.disagreements
    assert accepted == f"v0 = {MEMORY}\nv2 = v0 + v0\n    accepted, and refused: ValueError: no"
    assert second.startswith(f"v0 = {MEMORY}\nv3 = v0.no_such()\n    rejected, and lowers: ")
    assert found.counts == {"lowers, accepted": 3, "refused, accepted": 1, "lowers, rejected": 1}
    assert told(found, "mypy")[-1] == "      2 disagreements, which have none of these reasons"
