"""The benchmarks' statistics, projects and files. Nothing here is timed."""

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import pytest

from bench import attention, check, contenders, device, lowering, matmul, report, sass, start, timing

ROOT = Path(__file__).parent.parent


# --- statistics


def test_every_name_is_everywhere_alike() -> None:
    orders = list(report.palindromes(["a", "b", "c"], 6))
    assert orders[:2] == [["a", "b", "c", "c", "b", "a"], ["b", "c", "a", "a", "c", "b"]]
    assert all(order == order[::-1] for order in orders)
    for places in zip(*orders, strict=True):
        assert sorted(places) == ["a", "a", "b", "b", "c", "c"]


class Clock:
    """Functions of which each call takes longer than the one before, as on a GPU that becomes warm."""

    def __init__(self, drift: float) -> None:
        self.drift, self.calls = drift, 0

    def of(self, cost: float) -> Callable[[], float]:
        def call() -> float:
            self.calls += 1
            return cost + self.drift * self.calls

        return call


def test_an_even_drift_cancels() -> None:
    clock = Clock(drift=0.05)
    samples = report.alternating({name: clock.of(1.0) for name in ("raw", "safegpu", "null")}, rounds=7)
    assert report.ratios(samples, "safegpu", "raw") == pytest.approx([1.0] * 7)
    assert report.ratios(samples, "null", "raw") == pytest.approx([1.0] * 7)


def test_without_the_palindrome_it_would_not() -> None:
    clock = Clock(drift=0.05)
    raw, safegpu = clock.of(1.0), clock.of(1.0)
    assert min(other / one for one, other in ((raw(), safegpu()) for _ in range(7))) > 1.03


def test_a_difference_is_found() -> None:
    clock = Clock(drift=0.001)
    samples = report.alternating({"raw": clock.of(1.0), "safegpu": clock.of(1.02)}, rounds=9, uncounted=2)
    assert len(samples["raw"]) == 9
    assert report.ratio(samples, "safegpu", "raw").median == pytest.approx(1.02, abs=2e-3)


def test_spread() -> None:
    assert report.Spread.of([5.0, 1.0, 2.0, 4.0, 3.0]) == report.Spread(3.0, 2.0, 4.0)
    assert report.Spread.of([2.0]) == report.Spread(2.0, 2.0, 2.0)
    assert str(report.Spread(1.0, 0.9996, 1.0123)) == "1.000 (1.000 to 1.012)"
    # of ratios of a round, and not of the medians
    assert report.ratio({"a": [2.0, 20.0, 200.0], "b": [1.0, 10.0, 100.0]}, "a", "b") == report.Spread(2.0, 2.0, 2.0)
    assert report.overall([0.5, 2.0, 1.0]) == "1.0000, farthest from 1: 0.5000"


# --- tables and files


def test_table() -> None:
    assert report.table(["name", "ms"], [["a", "1.25"], ["longer", "10"]]) == (
        "| name   |   ms |\n|--------|-----:|\n| a      | 1.25 |\n| longer |   10 |"
    )


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    rows = [{"kernel": "k", "seconds": {"raw": [0.1]}}]
    options = report.arguments("").parse_args(["--json", str(path)])
    assert report.results("lowering", options, lambda: rows, str) == rows
    assert {"date", "commit", "gpu", "cpu", "python", "jax", "mypy"} <= report.load(path, "lowering")[
        "environment"
    ].keys()
    saved = report.arguments("").parse_args(["--from", str(path)])
    assert report.results("lowering", saved, lambda: pytest.fail("is measured again"), str) == rows
    with pytest.raises(SystemExit, match=r"figures\.json: expected results of bench.device, got those of lowering"):
        report.load(path, "device")
    with pytest.raises(SystemExit, match="No such file"):
        report.load(tmp_path / "none.json", "device")
    report.save(None, {})


# --- the device, with a CPU in its place


def on_a_cpu(
    monkeypatch: pytest.MonkeyPatch, costs: dict[str, float], drift: float = 0.0, kernels: int = 2
) -> list[list[str]]:
    """Replaces what measures kernels: every call launches some, which take its cost, and longer each time."""
    sessions: list[list[str]] = []
    count = itertools.count()

    def launches(_functions: Any, _arguments: Any, order: Sequence[str]) -> list[tuple[str, float]]:
        sessions.append(list(order))
        launched = []
        for name in order:
            ms = costs[name] + drift * next(count)
            launched += [(f"{name} {number}", ms / kernels) for number in range(kernels)]
        return launched

    monkeypatch.setattr(timing, "launches", launches)
    return sessions


NOTHING: dict[str, Callable[..., Any]] = dict.fromkeys(("raw", "safegpu", "null"), lambda: None)


def test_twins_take_turns_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = on_a_cpu(monkeypatch, {"raw": 2.0, "safegpu": 2.0, "null": 2.0}, drift=1e-4)
    samples = timing.Stopwatch(NOTHING, ()).interleaved(rounds=5, enough_ms=60)
    assert {name: len(each) for name, each in samples.items()} == {"raw": 5, "safegpu": 5, "null": 5}
    for name in ("safegpu", "null"):
        assert report.ratios(samples, name, "raw") == pytest.approx([1.0] * 5, abs=1e-6)
    rounds = sessions[-5:]
    assert rounds[0] == ["raw", "safegpu", "null", "null", "safegpu", "raw"] * 6
    assert rounds[1][0] == "safegpu"


def test_others_take_turns_of_many_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = on_a_cpu(monkeypatch, {"raw": 1.0, "safegpu": 3.0, "null": 100.0})
    samples = timing.Stopwatch(NOTHING, ()).in_turns(rounds=2, enough_ms=60)
    assert samples == {"raw": [1.0] * 2, "safegpu": [3.0] * 2, "null": [100.0] * 2}
    assert [(order[0], len(order)) for order in sessions[-6:]] == [
        ("raw", 40), ("safegpu", 20), ("null", 5), ("null", 5), ("safegpu", 20), ("raw", 40),
    ]  # fmt: skip


def test_a_kernel_too_many_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_cpu(monkeypatch, {"raw": 1.0, "safegpu": 1.0, "null": 1.0})
    stopwatch = timing.Stopwatch(NOTHING, ())
    stopwatch.kernels["raw"] = ["another"]
    with pytest.raises(RuntimeError, match="expected the 3 kernels"):
        stopwatch.ms(["raw", "null"])


def test_an_order_that_is_not_that_of_the_launches_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing.jnp, "zeros", lambda _: 0.0)
    on_a_cpu(monkeypatch, {"short": 0.002, "long": 0.2}, kernels=1)
    timing.check_order()
    in_order = timing.launches
    assert [ms > 0.1 for _, ms in in_order({}, (), ["long", "short"])] == [True, False]
    swapped: Any = lambda kernels: [kernels[0], kernels[2], kernels[1], *kernels[3:]]  # a long and a short one
    for exchanged in (lambda kernels: kernels[::-1], swapped, sorted):
        monkeypatch.setattr(timing, "launches", lambda *given, exchanged=exchanged: exchanged(in_order(*given)))
        with pytest.raises(RuntimeError, match="in another order"):
            timing.check_order()


class Doubling:
    """A problem whose implementations double an array."""

    kernel, label, flop, tolerance = "hopper_matmul", "8 float16", 10**9, 1e-3

    def __init__(self, wrong: str = "") -> None:
        self.size, self.dtype, self.out_dtype = (8, 8, 8), "float16", "float16"
        self.wrong = wrong

    def inputs(self) -> tuple[Any, ...]:
        return (jnp.arange(8.0),)

    def reference(self, inputs: tuple[Any, ...]) -> Any:
        return 2 * inputs[0]

    def error(self, result: Any, expected: Any) -> float:
        return float(jnp.max(jnp.abs(result - expected)))

    def raw(self, config: Any) -> Callable[..., Any]:
        return lambda x: x + x

    def implementations(self, examples: dict[str, Any]) -> dict[str, contenders.Implementation]:
        def build(name: str) -> Callable[[Any], Callable[..., Any]]:
            def built(config: Any) -> Callable[..., Any]:
                if config == "does not fit":
                    raise ValueError("for a reason")
                return lambda x: x * (3 if name == self.wrong else 2)

            return built

        return {
            "safegpu": contenders.Implementation(build("safegpu"), ("slow", "fast", "does not fit")),
            "cuBLAS": contenders.Implementation(build("cuBLAS")),
        }


COSTS = {"safegpu": 1.0, "raw": 1.0, "null": 1.0, "cuBLAS": 0.9, "safegpu slow": 1.0, "safegpu fast": 0.8}


def test_a_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    on_a_cpu(monkeypatch, COSTS)
    row = device.measure(Doubling(), {}, rounds=3)
    assert row is not None
    assert row["same_bits"]
    assert row["configs"] == {"safegpu": "slow", "cuBLAS": ""}
    assert device.tflops(row) == pytest.approx({"safegpu": 1.0, "cuBLAS": 1 / 0.9})
    path = tmp_path / "device.json"
    report.save(path, {"benchmark": "device", "environment": report.environment(), "rows": [row]})
    capsys.readouterr()
    assert device.main(["--from", str(path)]) == 0
    said = capsys.readouterr().out
    assert device.shown([row]) in said
    assert "| 8 float16 " in said and "| 0.900 (0.900 to 0.900) |" in said
    assert "safegpu/raw over all rows: 1.0000, farthest from 1: 1.0000" in said
    assert "null/raw over all rows: 1.0000" in said


def test_a_problem_that_fails_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    on_a_cpu(monkeypatch, COSTS)
    broken = Doubling()
    monkeypatch.setattr(broken, "inputs", lambda: 1 / 0)
    monkeypatch.setattr(timing, "check_order", lambda: None)
    monkeypatch.setattr("jax.default_backend", lambda: "gpu")
    monkeypatch.setenv("XLA_FLAGS", "")
    monkeypatch.setattr(device, "problems", lambda _: [broken, Doubling(), Doubling("safegpu")])
    path = tmp_path / "device.json"
    assert device.main(["--rounds", "2", "--json", str(path)]) == 0
    assert len(report.load(path, "device")["rows"]) == 1
    said = capsys.readouterr()
    assert "left out: hopper_matmul 8 float16; hopper_matmul 8 float16" in said.out
    assert "ZeroDivisionError" in said.err
    with pytest.raises(SystemExit, match="nothing was measured"):
        device.main(["--seconds", "-1"])


def test_tuning_takes_the_fastest(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    on_a_cpu(monkeypatch, COSTS)
    row = device.measure(Doubling(), {}, rounds=2, tune=True)
    assert row is not None
    assert row["configs"]["safegpu"] == "fast"
    assert list(row["tuned"]["safegpu"].items()) == [("safegpu fast", 0.8), ("safegpu slow", 1.0)]
    assert "safegpu does not fit: left out, ValueError: for a reason" in capsys.readouterr().out


def test_wrong_results_are_not_timed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    on_a_cpu(monkeypatch, COSTS)
    row = device.measure(Doubling("cuBLAS"), {}, rounds=2)
    assert row is not None and list(row["turns"]) == ["safegpu"]
    assert device.measure(Doubling("safegpu"), {}, rounds=2) is None
    assert "WRONG, relative error" in capsys.readouterr().out


def test_configurations_in_words() -> None:
    assert contenders.described(matmul.CONFIGS[0]) == "default"
    assert contenders.described(matmul.Config(tile_n=128, stages=6)) == "tile_n=128, stages=6"
    assert contenders.described(attention.Config(64)) == "block_kv=64"


@pytest.mark.parametrize("head_dim", attention.HEAD_DIMS)
def test_every_implementation_of_attention_has_a_configuration(head_dim: int) -> None:
    found = attention.Attention(2048, head_dim).implementations({"flash_attention": report})
    assert list(found) == ["safegpu", "cuDNN", "Pallas", "jax's example"]
    assert all(each.configs for each in found.values())


def test_defaults_are_of_both_kernels_in_turn() -> None:
    options = device.parser().parse_args([])
    kinds = [problem.kernel for problem in device.problems(options)]
    assert kinds[:4] == ["hopper_matmul", "flash_attention"] * 2
    assert len(kinds) == 5 + 12


@pytest.mark.parametrize(("text", "sizes"), [("1024", (1024,) * 3), ("1x2x3", (1, 2, 3))])
def test_sizes(text: str, sizes: tuple[int, int, int]) -> None:
    assert device.size(text) == sizes


def test_sizes_that_are_none() -> None:
    for text in ("1x2", "large", ""):
        with pytest.raises(device.argparse.ArgumentTypeError, match="one number, or three as MxNxK"):
            device.size(text)


# --- what is not there is said in a line


def run(*command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    return subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True)


def test_without_a_gpu() -> None:
    ran = run("-m", "bench.device")
    assert ran.returncode == 1
    assert ran.stderr == "bench.device needs a Hopper GPU, and jax finds none: pip install 'jax[cuda13]'\n"


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for main in (device.main, check.main):
        with pytest.raises(SystemExit, match="--plot needs matplotlib: pip install matplotlib"):
            main(["--plot", "figure.svg"])


def test_saved_results_need_no_jax(tmp_path: Path) -> None:
    path = tmp_path / "device.json"
    report.save(path, {"benchmark": "device", "environment": {}, "rows": []})
    code = f"import sys; sys.modules['jax'] = None; from bench.device import main; main(['--from', {str(path)!r}])"
    assert run("-c", code).stderr == "nothing was measured\n"


# --- projects of kernels


def kernels(project: check.Project) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(project.folder.glob("*.py"))}


@pytest.mark.parametrize("subject", check.SUBJECTS)
@pytest.mark.parametrize("example", check.ALONE)
def test_sources_are_the_twins(example: str, subject: str) -> None:
    code = check.source(example, subject).read_text()
    assert ("import safegpu" in code) == (subject != "raw")
    assert ("import jax.experimental.mosaic.gpu as mgpu" in code) == (subject == "raw")


def test_project(tmp_path: Path) -> None:
    source = check.source(check.GROWTH, "safegpu")
    code = source.read_text()
    project = check.Project(tmp_path, source, 3)
    assert kernels(project) == {f"kernel_00{number}.py": code for number in range(3)}
    project.add()
    assert len(kernels(project)) == project.count == 4
    project.remove()
    project.edit(wrong=True)
    changed = kernels(project)
    assert changed["kernel_000.py"].removeprefix(code) == '\nedited: int = "wrong"\n'
    assert list(changed) == ["kernel_000.py", "kernel_001.py", "kernel_002.py"]
    (tmp_path / check.CACHE).mkdir()
    project.forget()
    assert not (tmp_path / check.CACHE).exists()


def test_the_edit_is_what_mypy_rejects(tmp_path: Path) -> None:
    project = check.Project(tmp_path, check.source(check.GROWTH, "safegpu"), 2)
    command = ("mypy", *check.MYPY, ".")
    check.seconds(project, *command)
    project.edit(wrong=True)
    check.seconds(project, *command, wrong=True)
    with pytest.raises(SystemExit, match=r"mypy .* in a project of 2 kernels:\nkernel_000\.py:.*variable has type"):
        check.seconds(project, *command)
    project.edit(wrong=False)
    check.seconds(project, *command)
    with pytest.raises(SystemExit):
        check.seconds(project, *command, wrong=True)


def test_table_of_checks() -> None:
    times = {
        subject: {state: [1.0, 3.0, 2.0] for state in check.STATES if state != "daemon" or subject in check.MYPY_ALONE}
        for subject in check.SUBJECTS
    }
    rows = [{"kernel": name, "count": count, "seconds": times} for name, count in (("a", 1), (check.GROWTH, 10))]
    alone, many = check.shown(rows).split("\n\n")
    assert alone.splitlines()[0].split() == "| s, one kernel | a |".split()
    assert many.splitlines()[0].split() == f"| s, of {check.GROWTH} so many | 10 |".split()
    assert len(alone.splitlines()) == len(many.splitlines()) == 2 + 4 * 3 - 1
    assert "| one more: mypy, raw     | 2.00 |" in alone


# --- the other tables


def test_table_of_lowering() -> None:
    times = {"raw": [0.01] * 3, "safegpu": [0.011] * 3, "null": [0.01] * 3}
    said = lowering.shown([{"kernel": "k", "seconds": times}])
    assert "| k                    |    10.0 |        11.0 |" in said
    assert "safegpu/raw over all kernels: 1.1000, farthest from 1: 1.1000" in said


def test_bars_of_the_start() -> None:
    def missed(whole: float, command: float, *import_jax: str) -> list[str]:
        imports = {"Mosaic GPU": [1.0], "safegpu, all of it": [whole]}
        rows = {"seconds": imports}, {"seconds": {"rules": [command]}, "import_jax": import_jax}
        return start.missed(rows)

    assert missed(1.05, 0.3) == []
    assert missed(1.06, 0.3) == ["importing safegpu takes 1.060 (1.060 to 1.060) of Mosaic GPU's time"]
    assert missed(1.0, 0.3, "rules") == ["safegpu rules imports jax"]
    assert missed(1.0, 0.31) == ["safegpu rules takes 0.310 (0.310 to 0.310) s"]


def test_commands_import_no_jax() -> None:
    assert not any(start.imports_jax(command) for command in start.COMMANDS)


def test_verdicts_on_sass() -> None:
    one, other, none = {"sass": "a", "instructions": 8}, {"sass": "b", "instructions": 8}, {"fails": "why"}
    assert sass.verdict(one, dict(one)) == "same"
    assert sass.verdict(one, other) == sass.verdict(one, none) == sass.verdict(none, one) == "DIFFERS"
    assert sass.verdict(none, dict(none)) == sass.verdict(none, {"fails": "because"}) == "-"
    rows = [{"kernel": "k", "arch": arch, "raw": one, "safegpu": other} for arch in ("sm_90a", "sm_100a")]
    *_, last, _, counted = sass.shown(rows).splitlines()
    assert last.split() == "| k | DIFFERS | DIFFERS |".split()
    assert counted == "0 are the same, 2 differ, 0 compile on neither side"
    assert json.loads(json.dumps(rows)) == rows


def figures(**seconds: list[float]) -> dict[str, dict[str, list[float]]]:
    """What `check.measure` gives of a project in which raw takes a second, and safegpu these."""
    return {
        "raw": {state: [1.0] * len(each) for state, each in seconds.items()},
        "safegpu": seconds,
        "safegpu check": {},
    }


def test_check_says_which_bars_are_missed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    hopper = figures(cold=[0.2, 0.2, 0.2], warm=[1.2, 1.3, 1.2], daemon=[0.5, 0.5, 0.5])
    many = figures(cold=[2.0] * 3, **{"one more": [0.9, 1.2, 0.8]})
    saved = tmp_path / "check.json"
    rows = [
        {"kernel": "hopper_matmul", "count": 1, "seconds": hopper},
        {"kernel": check.GROWTH, "count": 200, "seconds": many},
    ]
    contents = {"benchmark": "check", "environment": {}, "rows": rows}
    report.save(saved, contents)
    assert check.main(["--from", str(saved)]) == 1
    said = capsys.readouterr()
    assert "cold, hopper_matmul, 1: safegpu/raw" in said.out
    assert said.err.splitlines() == [
        "above the bar: warm, hopper_matmul, 1: safegpu/raw 1.200 (1.200 to 1.250), at most 1"
    ]
    # The daemon has a bar where raw Mosaic GPU keeps below it.
    hopper["raw"]["daemon"], hopper["safegpu"]["warm"] = [0.2] * 3, [0.8] * 3
    report.save(saved, contents)
    assert check.main(["--from", str(saved)]) == 1
    assert capsys.readouterr().err.startswith("above the bar: daemon, hopper_matmul, 1: safegpu, s 0.500")
