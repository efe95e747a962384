"""Every rule both ways: the checkers reject each marked line and no other, and Mosaic GPU says the same."""

from __future__ import annotations

import collections
import contextlib
import fcntl
import importlib
import os
import re
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from safegpu.check.compare import CAPABILITIES
from safegpu.rules import RULES
from tests.support.checkers import (
    ROOT,
    STUBS,
    Checker,
    Mypy,
    Pyrefly,
    Pyright,
    Report,
    Ty,
    disagreements,
    environment,
    expectations,
    installed_packages,
    load,
    refusals,
    save,
    seen_by_pyright_alone,
)

HERE = Path(__file__).resolve().parent / "rules"
FILES = sorted(HERE.glob("*.py"))
IMPORTS_JAX = re.compile(r"^(?:import|from) jax\b", re.MULTILINE)
WITHOUT_JAX = [file for file in FILES if not IMPORTS_JAX.search(file.read_text(encoding="utf-8"))]

# What authors may leave out, and `--strict` asks for.
UNANNOTATED = [f"--allow-{what}" for what in ("untyped-defs", "untyped-calls", "incomplete-defs", "any-generics")]
CHECKERS = {"mypy": Mypy(), "mypy --strict": Mypy("--strict", *UNANNOTATED), "pyright": Pyright()}
OTHERS = {"pyrefly": Pyrefly(), "ty": Ty()}
BATCHES = {"jax": FILES, "bare": WITHOUT_JAX}
"""The files that are checked in an environment with jax, and in one that has nothing but safegpu."""

every_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


class Disagreement(NamedTuple):
    """Where a checker that nobody promised differs from the marks, and why."""

    checker: str
    how: str
    """A pattern: of the mark on an accepted line, or of the message on a rejected one."""
    reason: str


DISAGREEMENTS = (
    Disagreement(
        "ty",
        r"accepted, but marked SG207",
        "lets `==` fall back to the comparison of any two objects where no overload fits",
    ),
    Disagreement(
        "pyrefly",
        r"accepted, but marked SG207",
        "takes the layout of `__setitem__` for one that is either of the two",
    ),
    Disagreement(
        "pyrefly",
        r"No matching overload found for function `safegpu.tcgen05.mma` called with",
        "takes the literals of `functools.partial(mma, a_swizzle=128)` for any int",
    ),
    Disagreement(
        "pyrefly",
        r"accepted, but marked SG501",
        "takes the literals of `collective` for any bool",
    ),
    Disagreement(
        "ty",
        r"accepted, but marked SG308",
        "takes `Self` of a parameter for the class that declares the method, here that of all integers",
    ),
    Disagreement(
        "pyrefly",
        r"is a read-only descriptor with no `__set__`",
        "takes what has a `__get__` and no `__set__` for read-only, also as a field of a dataclass",
    ),
    Disagreement(
        "ty",
        r"accepted, but marked SG601",
        "takes an attribute as declared where no overload of its `__get__` fits",
    ),
    Disagreement(
        "ty",
        r"No overload of function `as_gpu_kernel` matches arguments",
        "does not see that the class object of an architecture has the method that `arch=` asks for",
    ),
    Disagreement(
        "ty",
        r"accepted, but marked SG(309|310)",
        "lets a dtype be a `Supporting` of anything, whatever its `__format__` takes",
    ),
    Disagreement(
        "ty",
        r"Object of type `Kernel` is not assignable to `def ",
        "lets the name of a function stand for nothing but a function",
    ),
)
assert len(DISAGREEMENTS) <= 10

type Batch = Callable[[str, Checker, str], Report]


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of this test run, one for all of its processes."""
    base = tmp_path_factory.getbasetemp()
    directory = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "rules"
    directory.mkdir(exist_ok=True)
    return directory


@contextlib.contextmanager
def alone(directory: Path, name: str) -> Iterator[Path]:
    """A path that one process at a time holds."""
    path = directory / re.sub(r"\W+", "_", name)
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield path


def interpreter(shared: Path, kind: str) -> Path:
    if kind == "jax":
        pytest.importorskip("jax")
    with alone(shared, f"environment {kind}") as root:
        if (root / "python").exists():
            return Path((root / "python").read_text())
        paths = [ROOT, STUBS] if kind == "bare" else [installed_packages(), ROOT, STUBS]
        python = environment(root, *paths)
        (root / "python").write_text(str(python))
        return python


@pytest.fixture(scope="session")
def batch(shared: Path) -> Batch:
    """What a checker says of all files together: it runs once, whoever asks."""

    def run(name: str, checker: Checker, kind: str) -> Report:
        python = interpreter(shared, kind)
        with alone(shared, f"{name} {kind}") as path:
            saved = path.with_suffix(".json")
            if not saved.exists():
                save(checker.check(BATCHES[kind], python, shared / f"cache {name} {kind}"), saved)
            return load(saved)

    return run


def of_file[T](file: Path, places: dict[tuple[str, int], T]) -> dict[tuple[str, int], T]:
    return {place: what for place, what in places.items() if place[0] == file.name}


def marks_of(file: Path, name: str) -> dict[tuple[str, int], str]:
    """What this checker must reject in the file."""
    return expectations([file]) | (seen_by_pyright_alone([file]) if name == "pyright" else {})


@every_file
@pytest.mark.parametrize("name", CHECKERS)
def test_checker(file: Path, name: str, batch: Batch) -> None:
    """By line; that `safegpu check` names the marked rule there is in `tests/check/test_findings.py`."""
    report = of_file(file, batch(name, CHECKERS[name], "jax"))
    assert disagreements(marks_of(file, name), report) == {}


@pytest.mark.parametrize("file", WITHOUT_JAX, ids=lambda file: file.stem)
@pytest.mark.parametrize("name", ["mypy", "pyright"])
def test_checker_without_jax(file: Path, name: str, batch: Batch) -> None:
    report = of_file(file, batch(name, CHECKERS[name], "bare"))
    assert disagreements(marks_of(file, name), report) == {}


@pytest.mark.parametrize("name", OTHERS)
def test_other_checker(name: str, batch: Batch) -> None:
    report = batch(name, OTHERS[name], "jax")
    found = disagreements(expectations(FILES), {at: report[at] for at in report.keys() - seen_by_pyright_alone(FILES)})
    mine = [one for one in DISAGREEMENTS if one.checker == name]
    met = collections.Counter(one for how in found.values() for one in mine if re.search(one.how, how, re.DOTALL))
    unreasoned = {
        place: how for place, how in found.items() if not any(re.search(one.how, how, re.DOTALL) for one in mine)
    }
    assert unreasoned == {}
    assert [one for one in mine if not met[one]] == [], "these do not occur any more: take them out"


def test_every_rule_has_its_file() -> None:
    marked: dict[str, set[str]] = collections.defaultdict(set)
    for (name, _line), rule in (expectations(FILES) | refusals(FILES)).items():
        marked[name].add(rule)
    own = {file.name: file.stem.split("_")[0] for file in FILES if file.stem.startswith("SG")}
    assert sorted(own.values()) == sorted(set(RULES) - {"SG000"})
    for name, rule in own.items():
        assert marked[name] - {"SG000"} == {rule}
        assert name == f"{rule}_{RULES[rule].name.replace('-', '_')}.py"
    elsewhere = {name for name in marked if not name.startswith("kernel_")}
    assert elsewhere == own.keys(), "a mark outside the file of its rule, or of a kernel"


# --- the oracle: Mosaic GPU itself


@pytest.fixture
def rule_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The rule files import each other, and `_twins`, as modules of their own directory."""
    monkeypatch.syspath_prepend(str(HERE))
    yield
    for file in FILES:
        sys.modules.pop(file.stem, None)


@every_file
@pytest.mark.usefixtures("rule_modules")
def test_oracle(file: Path) -> None:
    """Each illegal twin raises in Mosaic GPU, in the quoted words, safegpu refuses the refused, and the rest lowers."""
    pytest.importorskip("jax")
    from safegpu._jax import LACKING
    from safegpu.offline.lowering import tracing_context

    if LACKING and file.stem == "kernel_jax_0_12":
        pytest.skip("what jax 0.12 added")
    module = importlib.import_module(file.stem)
    twins = sys.modules["_twins"]
    marks = {line: rule for (_, line), rule in (expectations([file]) | refusals([file])).items()}
    marked = set(marks)
    wrong = {}
    with reached_lines(module) as reached:
        for twin in twins.TWINS.get(module.__name__, []):
            with tracing_context(twins.CAPABILITY[twin.arch], twin.peers):
                judge = refusal if twin.refused else of_mosaic_gpu_alone if twin.raises else verdict
                if problem := judge(twin, file, marks):
                    wrong[twin.body.__name__] = problem
    assert wrong == {}
    assert marked <= reached, f"no twin gets to the marked lines {sorted(marked - reached)}"


def refusal(twin: Any, file: Path, marks: dict[int, str]) -> str | None:
    """What is wrong with a twin that safegpu refuses and Mosaic GPU lowers."""
    from safegpu import _gate

    try:
        twin.build()
    except _gate.RuleError as error:
        inside = {frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)}
        # scratch is refused before the body is traced
        lines = inside & marks.keys() if inside else marks.keys()
        if error.code not in {marks[line] for line in lines}:
            return f"refused by {error} in lines {sorted(line or 0 for line in inside)}, which are not marked so"
    else:
        return "lowers, and should be refused"
    return of_mosaic_gpu_alone(twin, file, marks)


def of_mosaic_gpu_alone(twin: Any, file: Path, marks: dict[int, str]) -> str | None:
    """What is wrong with a twin's outcome where safegpu refuses nothing."""
    from safegpu import _gate

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_gate, "refuse", lambda code, message: None)
        return verdict(twin, file, marks)


def verdict(twin: Any, file: Path, rules: dict[int, str]) -> str | None:
    """What is wrong with a twin's outcome."""
    try:
        twin.build()
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"
        if twin.raises is None:
            return f"raises {outcome}"
        if twin.raises not in outcome:
            return f"raises {outcome!r}, not {twin.raises!r}"
        frames = traceback.extract_tb(error.__traceback__)
        inside = {frame.lineno for frame in frames if frame.filename == str(file)}
        if inside and not inside & rules.keys():
            return f"raises in lines {sorted(line or 0 for line in inside)}, none of which is marked"
        # the operators of scalars are safegpu's own; what MLIR says is in tests/runtime/test_scalars.py
        ours = frames[-1].filename.startswith(str(ROOT / "safegpu")) and Path(frames[-1].filename).stem != "scalars"
        if not twin.takes_nothing and ours:
            return f"safegpu raises it and not Mosaic GPU: {frames[-1]}"
        return unclaimed(frames[-1], {rules[line] for line in inside & rules.keys()})
    return None if twin.raises is None else f"lowers, and should raise {twin.raises!r}"


def unclaimed(raised: traceback.FrameSummary, broken: set[str]) -> str | None:
    """That the inventory does not name the rule of the marked line at the site where Mosaic GPU raised."""
    from safegpu.rules import inventory

    site = inventory.site_at(raised.filename, raised.lineno or 0)
    claim = inventory.verdict_of(site) if site is not None else None
    if claim is None or broken <= {"SG000", "SG802"}:  # any error at all may be behind these
        return None
    return None if broken & {*claim.codes} else f"raised at {site}, which is not claimed for {broken}"


@contextlib.contextmanager
def reached_lines(module: types.ModuleType) -> Iterator[set[int]]:
    """The lines of the module's functions that run inside the block."""
    lines: set[int] = set()
    monitoring = sys.monitoring
    tool = next(number for number in range(6) if monitoring.get_tool(number) is None)
    monitoring.use_tool_id(tool, "rules")
    monitoring.register_callback(tool, monitoring.events.LINE, lambda _code, line: lines.add(line))
    for code in codes(module):
        monitoring.set_local_events(tool, code, monitoring.events.LINE)
    try:
        yield lines
    finally:
        monitoring.free_tool_id(tool)


def codes(module: types.ModuleType) -> Iterator[types.CodeType]:
    remaining = [value.__code__ for value in vars(module).values() if isinstance(value, types.FunctionType)]
    while remaining:
        code = remaining.pop()
        if code.co_filename == module.__file__:
            yield code
            remaining += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]


# --- tensor memory, cell by cell


@pytest.mark.parametrize("name", ["mypy", "pyright"])
def test_tmem_cells(name: str, shared: Path, tmp_path: Path) -> None:
    """The checkers against Mosaic GPU on every TMEM allocation, register layout and operation."""
    pytest.importorskip("jax")
    from safegpu.offline.lowering import tracing_context
    from tests.rules.generated.tmem_cells import OUT_OF_REACH, answers, cases, module

    with tracing_context((10, 0)):
        taken = {case: answers(case) for case in cases()}
    text, places = module({case: list(cells) for case, cells in taken.items() if cells})
    file = tmp_path / "cells.py"
    file.write_text(text)
    report = CHECKERS[name].check([file], interpreter(shared, "bare"), tmp_path)
    rejected = {line for _, line in report}
    assert rejected <= places.keys(), "the module itself has errors"
    assert len(places) > 10_000

    false_rejects = [str(cell) for line, cell in places.items() if taken[cell.case][cell] and line in rejected]
    false_accepts = [cell for line, cell in places.items() if not taken[cell.case][cell] and line not in rejected]
    assert false_rejects == []
    assert [str(cell) for cell in false_accepts if cell.reason is None] == []
    assert {cell.reason for cell in false_accepts} == OUT_OF_REACH.keys(), "a reason that nothing needs any more"


# --- the tensor core, cell by cell


@pytest.mark.parametrize("name", ["mypy", "pyright"])
def test_mma_cells(name: str, shared: Path, tmp_path: Path) -> None:
    """The checkers against Mosaic GPU on `tcgen05.mma`: dtypes, scales, swizzles, M, where A lies."""
    pytest.importorskip("jax")
    from tests.rules.generated.mma_cells import TOO_WIDE, answers, cells, module

    text, places = module(cells())
    file = tmp_path / "cells.py"
    file.write_text(text)
    refused = answers(file, cells())
    report = CHECKERS[name].check([file], interpreter(shared, "bare"), tmp_path)
    rejected = {line for _, line in report}
    assert rejected <= places.keys(), "the module itself has errors"
    assert len(places) > 500

    false_rejects = [
        cell for line, cell in places.items() if not refused[cell] and line in rejected and not cell.unsigned
    ]
    false_accepts = [
        cell
        for line, cell in places.items()
        if refused[cell] and TOO_WIDE not in refused[cell] and line not in rejected
    ]
    assert false_rejects == []
    assert [f"{cell}: {refused[cell]}" for cell in false_accepts] == []


# --- register layouts, two by two


@pytest.mark.parametrize("name", ["mypy", "pyright"])
def test_layout_cells(name: str, shared: Path, tmp_path: Path) -> None:
    """The checkers against Mosaic GPU on every pair of register layouts, every conversion, reduction and `mma`."""
    pytest.importorskip("jax")
    from tests.rules.generated.layout_cells import OUT_OF_REACH, answers, cells, module

    taken, reasons = answers(cells())
    text, places = module(cells())
    file = tmp_path / "cells.py"
    file.write_text(text)
    report = CHECKERS[name].check([file], interpreter(shared, "bare"), tmp_path)
    rejected = {line for _, line in report}
    assert rejected <= places.keys(), "the module itself has errors"
    assert len(places) > 8_000

    false_rejects = [str(cell) for line, cell in places.items() if taken[cell] and line in rejected]
    false_accepts = [cell for line, cell in places.items() if not taken[cell] and line not in rejected]
    assert false_rejects == []
    assert [str(cell) for cell in false_accepts if cell not in reasons] == []
    assert {reasons[cell] for cell in false_accepts} == OUT_OF_REACH, "a reason that nothing needs any more"


# --- reductions, dtype by dtype


@pytest.mark.parametrize("name", ["mypy", "pyright"])
def test_reduction_cells(name: str, shared: Path, tmp_path: Path) -> None:
    """The checkers against Mosaic GPU on every reduction by a copy and by an atomic store."""
    pytest.importorskip("jax")
    from tests.rules.generated.reduction_cells import answers, module

    text, places = module()
    file = tmp_path / "cells.py"
    file.write_text(text)
    refused = answers(file)
    report = CHECKERS[name].check([file], interpreter(shared, "bare"), tmp_path)
    rejected = {line for _, line in report}
    assert rejected <= places.keys(), "the module itself has errors"
    assert len(places) > 400

    false_rejects = [cell for line, cell in places.items() if not refused[cell] and line in rejected]
    assert [cell for cell in false_rejects if not cell.of_other_sign] == []
    assert [f"{cell}: {refused[cell]}" for line, cell in places.items() if refused[cell] and line not in rejected] == []


# --- wgmma, dtype by dtype


@pytest.mark.parametrize("name", ["mypy", "pyright"])
def test_wgmma_cells(name: str, shared: Path, tmp_path: Path) -> None:
    """The checkers against Mosaic GPU on `wgmma`: dtypes of operands and accumulator, and the registers of A."""
    pytest.importorskip("jax")
    from tests.rules.generated.wgmma_cells import answers, module

    text, places = module()
    file = tmp_path / "cells.py"
    file.write_text(text)
    refused = answers(file)
    report = CHECKERS[name].check([file], interpreter(shared, "bare"), tmp_path)
    rejected = {line for _, line in report}
    assert rejected <= places.keys(), "the module itself has errors"
    assert len(places) > 300

    false_rejects = [cell for line, cell in places.items() if not refused[cell] and line in rejected]
    assert [cell for cell in false_rejects if not cell.unsigned] == []
    assert [f"{cell}: {refused[cell]}" for line, cell in places.items() if refused[cell] and line not in rejected] == []


# --- architectures, operation by operation


@pytest.mark.parametrize("name", CHECKERS)
def test_architecture_cells(name: str, shared: Path, tmp_path: Path) -> None:
    """The checkers against the table of architectures, on every operation that one of them lacks."""
    from tests.rules.generated.architecture_cells import NEEDS, module

    text, places = module()
    file = tmp_path / "cells.py"
    file.write_text(text)
    report = CHECKERS[name].check([file], interpreter(shared, "bare"), tmp_path)
    rejected = {line for _, line in report}
    assert rejected <= places.keys(), "the module itself has errors"
    assert len(places) > 700

    assert [str(cell) for line, cell in places.items() if not cell.lacking and line in rejected] == []
    assert [str(cell) for line, cell in places.items() if cell.lacking and line not in rejected] == []
    # which copies are tracked by a leader depends on the size of the cluster, which no type says
    # and what a function does that takes no buffer, lowering refuses
    untold = {"HasLeaderTrackedTMA", "HasAsyncProxy", "HasRegisterReallocation", "HasFloat8"}
    assert {each.__name__ for each in NEEDS} == {"Architecture", *CAPABILITIES} - untold


# --- operations and conversions, dtype by dtype


@pytest.mark.parametrize("name", ["mypy", "pyright"])
def test_operation_cells(name: str, shared: Path, tmp_path: Path) -> None:
    """The checkers against Mosaic GPU on every operation, kind of operand and conversion of every dtype."""
    pytest.importorskip("jax")
    from tests.rules.generated.operation_cells import OUT_OF_REACH, answers, module

    text, places = module()
    file = tmp_path / "cells.py"
    file.write_text(text)
    refused = answers(file)
    report = CHECKERS[name].check([file], interpreter(shared, "bare"), tmp_path)
    rejected = {line for _, line in report}
    assert rejected <= places.keys(), "the module itself has errors"
    assert len(places) > 5_000

    false_rejects = [cell for line, cell in places.items() if not refused[cell] and line in rejected]
    false_accepts = [
        cell for line, cell in places.items() if refused[cell] and line not in rejected and not cell.needs_newer_ptxas
    ]
    assert [cell for cell in false_rejects if not cell.never_compiles] == []
    assert [f"{cell}: {refused[cell]}" for cell in false_accepts if cell.reason is None] == []
    assert {cell.reason for cell in false_accepts} == OUT_OF_REACH.keys(), "a reason that nothing needs any more"
