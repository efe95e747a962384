"""The harness of `test_rules` on files and environments that are wrong on purpose: it must see each of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from safegpu.check import identify
from tests.support.checkers import (
    ROOT,
    STUBS,
    Checker,
    Mypy,
    Pyright,
    disagreements,
    environment,
    expectations,
    installed_packages,
)

RULES = ROOT / "tests" / "rules"
SAMPLE = "SG101_store_to_sparse_metadata.py"
SEVERAL = [SAMPLE, *(f"{name}.py" for name in ("SG104_async_store_outside_smem", "SG109_wrong_memory_space"))]

LEGAL = "    tcgen05.async_copy_sparse_metadata_smem_to_tmem(s.smem, s.meta)\n"
ILLEGAL = "    s.meta.store(two_bits())  # E: SG101\n"
ILLEGAL_UNMARKED = "    s.meta.store(two_bits())\n"

# Each changes one line, and nothing that the harness compares may stay as it was.
DOCTORED: dict[str, tuple[str, str, str]] = {
    "accepted": (LEGAL, LEGAL.rstrip() + "  # E: SG101\n", "accepted, but marked SG101"),
    "rejected": (ILLEGAL, ILLEGAL_UNMARKED, "rejected, but not marked"),
    "wrong_rule": (ILLEGAL, ILLEGAL.replace("SG101", "SG102"), "breaks ['SG101'], but marked SG102"),
}

every_kind = pytest.mark.parametrize("kind", ["jax", "bare"])
both_checkers = pytest.mark.parametrize("checker", [Mypy(), Pyright()], ids=["mypy", "pyright"])


def rules_of(checker: Checker) -> Callable[[str, str], str] | None:
    return identify if isinstance(checker, Mypy) else None


def paths(kind: str, *ours: Path) -> list[Path]:
    return [*ours] if kind == "bare" else [installed_packages(), *ours]


def copied(names: list[str], to: Path) -> list[Path]:
    to.mkdir()
    shutil.copy(RULES / "_twins.py", to)
    return [Path(shutil.copy(RULES / name, to)) for name in names]


@every_kind
@both_checkers
def test_doctored_files(kind: str, checker: Checker, tmp_path: Path) -> None:
    (original,) = copied([SAMPLE], tmp_path / "files")
    files = [original]
    changed_at = {}
    for name, (line, instead, _) in DOCTORED.items():
        text = original.read_text(encoding="utf-8")
        assert line in text
        before = text[: text.index(line)].count("\n")
        files.append(original.with_name(f"{name}.py"))
        files[-1].write_text(text.replace(line, instead, 1), encoding="utf-8")
        changed_at[name] = (files[-1].name, before + 1)

    python = environment(tmp_path / "environment", *paths(kind, ROOT, STUBS))
    report = checker.check(files, python, tmp_path / "cache")
    found = disagreements(expectations(files), report, rules_of(checker))

    seen = {place: how for place, how in found.items()}
    for name, (_, _, how) in DOCTORED.items():
        if name == "wrong_rule" and rules_of(checker) is None:
            continue  # the rule is read from mypy's messages alone
        assert seen.pop(changed_at[name]).startswith(how)
    assert seen == {}, "a difference that no canary made"


@every_kind
@both_checkers
def test_package_hidden(kind: str, checker: Checker, tmp_path: Path) -> None:
    """`safegpu` is not found, and the checker is told not to mind: every marked line is accepted."""
    files = copied(SEVERAL, tmp_path / "files")
    for file in files:
        text = file.read_text(encoding="utf-8")
        file.write_text(text.rstrip() + "\n# pyright: reportMissingImports=false\n", encoding="utf-8")
    if isinstance(checker, Mypy):
        checker = Mypy("--ignore-missing-imports")
    python = environment(tmp_path / "environment", *paths(kind, STUBS))
    report = checker.check(files, python, tmp_path / "cache")
    expected = expectations(files)
    found = disagreements(expected, report, rules_of(checker))
    assert expected.keys() <= found.keys()
    assert all(found[place].startswith("accepted") for place in expected)


@every_kind
@both_checkers
def test_stubs_hidden(kind: str, checker: Checker, tmp_path: Path) -> None:
    """`ir.Value`, the base of every reference, is unknown: what the memory space decides is accepted."""
    files = copied(SEVERAL, tmp_path / "files")
    # Where jax is installed, jaxlib's own types would take the place of the stubs.
    stubs = [hollow_stubs(tmp_path / "stubs")] if kind == "jax" else []
    python = environment(tmp_path / "environment", *paths(kind, ROOT, *stubs))
    report = checker.check(files, python, tmp_path / "cache")
    expected = expectations(files)
    found = disagreements(expected, report, rules_of(checker))
    accepted = {place for place in expected if found.get(place, "").startswith("accepted")}
    assert len(accepted) > len(expected) // 3


def hollow_stubs(root: Path) -> Path:
    """Stubs of the same modules, in which every name is of type Any."""
    package = root / "jaxlib-stubs"
    (package / "mlir").mkdir(parents=True)
    shutil.copy(STUBS / "jaxlib-stubs" / "py.typed", package)
    (package / "mlir" / "ir.pyi").write_text("from typing import Any\ndef __getattr__(name: str) -> Any: ...\n")
    return root
