"""Every rule both ways: the checkers reject each marked line and no other, and Mosaic GPU says the same."""

from __future__ import annotations

import collections
import contextlib
import fcntl
import importlib
import itertools
import json
import os
import re
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from safegpu.check import identify
from safegpu.check.compare import CAPABILITIES
from safegpu.rules import RULES, inventory
from safegpu.rules._sites import Site
from safegpu.rules.inventory import Key
from tests.support.cells import Table, compare, lines_of, made, names
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
from tests.support.raised import site_of

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
        "ty",
        r"rejected, but not marked: .*Boolean conversion is not supported",
        "sees the truth of an array in `and`, `or` and chained comparisons, too, which lowering refuses",
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
        r"accepted, but marked SG(000|213|305|309|310|320)",
        "lets a dtype or layout be a `Supporting` of anything, whatever its `__format__` takes, or one of several",
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


@contextlib.contextmanager
def rule_module(file: Path) -> Iterator[tuple[types.ModuleType, Any]]:
    """The module of a rule file, and `_twins`: they import each other as modules of their own directory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(HERE))
        try:
            yield importlib.import_module(file.stem), importlib.import_module("_twins")
        finally:
            for each in FILES:
                sys.modules.pop(each.stem, None)


class Oracle(NamedTuple):
    """What lowering the twins of a file says."""

    wrong: dict[str, str]
    """What is wrong with a twin, by name."""
    unreached: list[int]
    """The marked lines that no twin gets to."""
    claims: list[tuple[Key, str]]
    """At which site of Mosaic GPU a marked line raises, and the rule of the mark."""


@pytest.fixture(scope="session")
def oracle(shared: Path) -> Callable[[Path], Oracle]:
    """What Mosaic GPU says of the twins of a file: it is asked once, whoever asks."""

    def ask(file: Path) -> Oracle:
        with alone(shared, f"oracle {file.stem}") as path:
            saved = path.with_suffix(".json")
            if not saved.exists():
                saved.write_text(json.dumps(asked(file)))
            wrong, unreached, claims = json.loads(saved.read_text())
            return Oracle(wrong, unreached, [((module, name, says), code) for (module, name, says), code in claims])

    return ask


@every_file
def test_oracle(file: Path, oracle: Callable[[Path], Oracle]) -> None:
    """Each illegal twin raises in Mosaic GPU, in the quoted words, safegpu refuses the refused, and the rest lowers."""
    pytest.importorskip("jax")
    if not lowers_here(file):
        pytest.skip("what jax 0.12 added")
    found = oracle(file)
    assert found.wrong == {}
    assert found.unreached == [], "no twin gets to these marked lines"


def lowers_here(file: Path) -> bool:
    """Whether the installed jax has what the file is about."""
    from safegpu._jax import LACKING

    return not LACKING or file.stem != "kernel_jax_0_12"


def asked(file: Path) -> Oracle:
    import jax

    from safegpu.offline.lowering import tracing_context

    wrong: dict[str, str] = {}
    claims: list[tuple[Key, str]] = []
    with rule_module(file) as (module, twins):
        marks = {line: rule for (_, line), rule in (expectations([file]) | refusals([file])).items()}
        with reached_lines(module) as reached:
            for twin in twins.TWINS.get(module.__name__, []):
                with tracing_context(twins.CAPABILITY[twin.arch], twin.peers), jax.enable_x64(twin.x64):
                    if problem := judge_of(twin)(twin, file, marks, claims):
                        wrong[twin.body.__name__] = problem
    return Oracle(wrong, sorted(marks.keys() - reached), claims)


type Judge = Callable[[Any, Path, dict[int, str], list[tuple[Key, str]]], str | None]


def judge_of(twin: Any) -> Judge:
    if twin.refused:
        return refused_by_safegpu
    return of_mosaic_gpu_alone if twin.raises and not was_legal(twin) else verdict


def was_legal(twin: Any) -> bool:
    """Whether it lowers on an earlier jax, so that its lines have no mark."""
    return twin.before is not None and twin.before.is_legal


def refused_by_safegpu(twin: Any, file: Path, marks: dict[int, str], claims: list[tuple[Key, str]]) -> str | None:
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
    return of_mosaic_gpu_alone(twin, file, marks, claims)


def of_mosaic_gpu_alone(twin: Any, file: Path, marks: dict[int, str], claims: list[tuple[Key, str]]) -> str | None:
    """What is wrong with a twin's outcome where safegpu refuses nothing."""
    from safegpu import _gate

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_gate, "refuse", lambda code, message: None)
        return verdict(twin, file, marks, claims)


def verdict(twin: Any, file: Path, rules: dict[int, str], claims: list[tuple[Key, str]]) -> str | None:
    """What is wrong with a twin's outcome. Where it raises as it should, the site and the rules go to `claims`."""
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
        if inside and not inside & rules.keys() and not was_legal(twin):
            return f"raises in lines {sorted(line or 0 for line in inside)}, none of which is marked"
        # the operators of scalars are safegpu's own; what MLIR says is in tests/runtime/test_scalars.py
        ours = frames[-1].filename.startswith(str(ROOT / "safegpu")) and Path(frames[-1].filename).stem != "scalars"
        if not twin.takes_nothing and ours:
            return f"safegpu raises it and not Mosaic GPU: {frames[-1]}"
        if (site := site_of(error)) is None:
            return None
        broken = {rules[line] for line in inside & rules.keys()}
        claims += [(site.key, rule) for rule in broken]
        problem = unclaimed(site, broken)
        # what an earlier jax lowers may be wrong in two ways, and safegpu speaks of the one that is wrong on both
        return None if twin.refused and twin.before is not None else problem
    return None if twin.raises is None else f"lowers, and should raise {twin.raises!r}"


def unclaimed(site: Site, broken: set[str]) -> str | None:
    """That the inventory does not name the rule of the marked line at the site where Mosaic GPU raised."""
    claim = inventory.verdict_of(site)
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


# --- tables: all cells of what Mosaic GPU has a table of

CELLS = {
    "architecture": 1_400,
    "copy": 250,
    "layout": 9_000,
    "mma": 1_000,
    "operation": 5_500,
    "reduction": 500,
    "tmem": 10_000,
    "wgmma": 300,
}
"""At least so many cells has each table."""


@pytest.fixture(scope="session")
def table(shared: Path) -> Callable[[str], Table]:
    """A table of cells: Mosaic GPU is asked once, whoever asks."""

    def ask(name: str) -> Table:
        with alone(shared, f"table {name}") as path:
            saved = path.with_suffix(".json")
            if not saved.exists():
                made(name).save(saved)
            return Table.load(saved)

    return ask


@pytest.fixture(scope="session")
def of_cells(shared: Path, table: Callable[[str], Table]) -> Callable[[str, str], Report]:
    """What a checker says of a table's lines."""

    def run(name: str, checker: str) -> Report:
        text = table(name).text
        python = interpreter(shared, "bare")
        with alone(shared, f"cells {name} {checker}") as path:
            saved = path.with_suffix(".json")
            if not saved.exists():
                path.mkdir()
                file = path / "cells.py"
                file.write_text(text)
                save(CHECKERS[checker].check([file], python, path), saved)
            return load(saved)

    return run


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("name", names())
def test_cells(name: str, checker: str, table: Callable[[str], Table], of_cells: Callable[[str, str], Report]) -> None:
    """A checker against Mosaic GPU on every cell; for architectures, against their own table, which ptxas confirms."""
    pytest.importorskip("jax")
    found = compare(table(name), lines_of(of_cells(name, checker)))
    assert found.disagreements == []
    assert len(table(name).answers) >= CELLS[name]
    listed = {because for each in table(name).answers.values() for because in each[3:] if because}
    assert found.exceptions.keys() == listed, "a reason that nothing needs any more"


def test_every_capability_has_its_cells() -> None:
    from tests.rules.generated.architecture_cells import NEEDS

    # which copies are tracked by a leader depends on the size of the cluster, which no type says
    # and what a function does that takes no buffer, lowering refuses
    untold = {"HasLeaderTrackedTMA", "HasAsyncProxy", "HasRegisterReallocation", "HasFloat8"}
    assert {each.__name__ for each in NEEDS} == {"Architecture", *CAPABILITIES} - untold


# --- the inventory: what it claims for a rule is raised


_ATOMIC_DTYPES = (
    "unless isinstance(element_type, (ir.F16Type, ir.BF16Type)): "
    "NotImplementedError: Unsupported element type for atomic stores: …"
)
UNRAISED: dict[tuple[Key, str], str] = {
    (("fragmented_array", "FragmentedArray._store_register_atomic", _ATOMIC_DTYPES), "SG306"): (
        "cells of the table `reduction` raise it and are rejected, in words that mypy has for several rules"
    ),
}
"""Sites that are claimed for a rule and that no line raises that is said to break it, and why."""


def test_every_claim_is_raised(
    oracle: Callable[[Path], Oracle], table: Callable[[str], Table], of_cells: Callable[[str, str], Report]
) -> None:
    """Each site of Mosaic GPU that `sites.toml` claims for a rule is raised by a line that breaks that rule."""
    pytest.importorskip("jax")
    seen = {claim for file in filter(lowers_here, FILES) for claim in oracle(file).claims}
    for name in names():
        report, answers = of_cells(name, "mypy"), table(name).answers
        for (_, line), messages in report.items():
            rules = {identify(message.text, message.code) for message in messages}
            seen |= set(itertools.product(answers[line].sites, rules))
    assert sorted(unraised(seen) - UNRAISED.keys()) == []
    assert sorted(UNRAISED.keys() - unraised(seen)) == [], "these are raised, or claimed no more: take them out"


def unraised(seen: set[tuple[Key, str]]) -> set[tuple[Key, str]]:
    """Site and rule of each claim that is not among these."""
    return {(site, code) for site, verdict in inventory.verdicts().items() for code in verdict.codes} - seen


def test_a_claim_that_nothing_raises_is_found() -> None:
    claims = unraised(set())
    (claim,) = [each for each in claims if each[1] == "SG801"]
    assert unraised(claims) == set()
    assert unraised(claims - {claim}) == {claim}
