"""What the kernels take on a Hopper GPU: examples, their raw twins, cuBLAS or cuDNN, and jax's own, in one process.

python -m bench.device [--json FILE] [--jax-example matmul.py flash_attention.py]
python -m bench.device --from FILE [--plot device.svg]

Every row is one problem. Its safegpu/raw is the ratio of device times of the example and its raw twin, whose calls
take turns one by one; null/raw is the same of the raw twin and the raw twin built once more, so it shows how far equal
code differs in this run. The speeds are of turns of many calls. Every result is compared with a float32 reference.

jax's examples are in a checkout of jax, in jax/experimental/mosaic/gpu/examples, and not in its wheel.
"""

import argparse
import math
import os
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from bench import report
from bench.report import Spread

if TYPE_CHECKING:
    from bench.contenders import Function, Problem

BASELINES = ("cuBLAS", "cuDNN")


# --- measuring; jax is imported here alone, so that saved results need none


def working(problem: "Problem", functions: Mapping[str, "Function"], inputs: Any, expected: Any) -> dict[str, Any]:
    """The functions that run and whose result is right, compiled. What is wrong with the others is printed."""
    import jax

    good = {}
    for name, function in functions.items():
        compiled = jax.jit(function)
        try:
            error = problem.error(compiled(*inputs), expected)
        except Exception as failure:
            said = (str(failure).splitlines() or [""])[0]
            print(f"  {name}: {type(failure).__name__}: {said[:140]}", flush=True)
            continue
        if error <= problem.tolerance:  # and no NaN
            good[name] = compiled
        else:
            print(f"  {name}: WRONG, relative error {error:.1e} above {problem.tolerance:.0e}", flush=True)
    return good


def measure(
    problem: "Problem", examples: dict[str, ModuleType], *, rounds: int, tune: bool = False
) -> dict[str, Any] | None:
    """A row: times in ms. None where the example does not work."""
    import jax.numpy as jnp

    from bench.contenders import described
    from bench.timing import Stopwatch

    inputs = problem.inputs()
    expected = problem.reference(inputs)
    chosen: dict[str, Any] = {}
    functions: dict[str, Any] = {}
    tuned: dict[str, dict[str, float]] = {}
    for name, each in problem.implementations(examples).items():
        configs = each.configs if tune or each.must_tune else each.configs[:1]
        built = {}
        for config in configs:
            try:
                built[f"{name} {described(config)}".strip()] = config, each.build(config)
            except Exception as error:  # it does not fit the sizes, or shared memory
                said = (str(error).splitlines() or [""])[0]
                print(f"  {name} {described(config)}: left out, {type(error).__name__}: {said[:120]}", flush=True)
        candidates = working(problem, {key: function for key, (_, function) in built.items()}, inputs, expected)
        if len(candidates) > 1:
            times = Stopwatch(candidates, inputs).in_turns(rounds=3)
            tuned[name] = dict(sorted(((key, min(ms)) for key, ms in times.items()), key=lambda item: item[1]))
        if candidates:
            best = next(iter(tuned.get(name, candidates)))
            chosen[name], functions[name] = built[best][0], candidates[best]
    if "safegpu" not in functions:
        return None

    twins = {"raw": problem.raw(chosen["safegpu"]), "null": problem.raw(chosen["safegpu"])}
    twins = {"safegpu": functions["safegpu"]} | working(problem, twins, inputs, expected)
    if len(twins) < 3:
        return None
    results = [function(*inputs) for function in twins.values()]
    same_bits = all(bool(jnp.array_equal(results[0], result)) for result in results[1:])
    row = {
        "kernel": problem.kernel,
        "label": problem.label,
        "problem": vars(problem),
        "flop": problem.flop,
        "configs": {name: described(config) for name, config in chosen.items()},
        "same_bits": same_bits,
        "twins": Stopwatch(twins, inputs).interleaved(rounds),
        "turns": Stopwatch(functions, inputs).in_turns(max(3, rounds // 4)),
    }
    return row | ({"tuned": tuned} if tuned else {})


# --- showing


def tflops(row: Mapping[str, Any]) -> dict[str, float]:
    """The speed of each implementation."""
    return {name: row["flop"] / Spread.of(ms).median / 1e9 for name, ms in row["turns"].items()}


def baseline(row: Mapping[str, Any]) -> str | None:
    return next((name for name in BASELINES if name in row["turns"]), None)


def in_order(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """By kernel and size, each head_dim of attention for itself."""
    return sorted(
        rows, key=lambda row: (row["kernel"] != "hopper_matmul", row["problem"].get("head_dim", 0), row["flop"])
    )


def shown(rows: Sequence[Mapping[str, Any]]) -> str:
    """The tables, one for each kernel and one of the ratios."""
    rows, texts = in_order(rows), []
    for kernel in dict.fromkeys(row["kernel"] for row in rows):
        of_kernel = [row for row in rows if row["kernel"] == kernel]
        names = list(dict.fromkeys(name for row in of_kernel for name in row["turns"]))
        library = next((name for row in of_kernel if (name := baseline(row))), None)
        header = [f"{kernel}, TFLOP/s", *names, *([f"safegpu by {library}"] if library else [])]
        lines = []
        for row in of_kernel:
            speeds = tflops(row)
            line = [row["label"], *(f"{speeds[name]:.0f}" if name in speeds else "" for name in names)]
            if library:
                # of speeds, so the other way round
                line.append(str(report.ratio(row["turns"], library, "safegpu")) if library in speeds else "")
            lines.append(line)
        texts.append(report.table(header, lines))
    header = [
        "device time, median (quartiles)",
        "raw, ms",
        "safegpu, ms",
        "safegpu/raw",
        "null/raw",
        "rounds",
        "same bits",
    ]
    lines = []
    for row in rows:
        twins = row["twins"]
        ms = [f"{Spread.of(twins[name]).median:.4f}" for name in ("raw", "safegpu")]
        spreads = [str(report.ratio(twins, name, "raw")) for name in ("safegpu", "null")]
        same = "same" if row["same_bits"] else "DIFFER"
        lines.append([f"{row['kernel']} {row['label']}", *ms, *spreads, str(len(twins["raw"])), same])
    texts.append(report.table(header, lines))
    by_raw = {
        name: report.overall([report.ratio(row["twins"], name, "raw").median for row in rows])
        for name in ("safegpu", "null")
    }
    texts.append("\n".join(f"{name}/raw over all rows: {said}" for name, said in by_raw.items()))
    return "\n\n".join(texts)


COLOURS = {"safegpu": "C0", "cuBLAS": "C1", "cuDNN": "C1", "Pallas": "C2", "jax's example": "C3"}


def plot(saved: Mapping[str, Any], path: Path) -> None:
    """Speeds over sizes, a panel for each matmul's dtype and each head_dim, and below them all ratios."""
    plt = report.pyplot()
    rows = in_order(saved["rows"])
    panels: dict[str, list[tuple[float, Mapping[str, Any]]]] = {}
    for row in rows:
        problem = row["problem"]
        if row["kernel"] == "hopper_matmul":
            title = f"{row['kernel']}, {problem['dtype']} to {problem['out_dtype']}"
            panels.setdefault(title, []).append((math.prod(problem["size"]) ** (1 / 3), row))
        else:
            panels.setdefault(f"{row['kernel']}, head_dim {problem['head_dim']}", []).append((problem["seq"], row))
    figure = plt.figure(figsize=(3.2 * max(2, len(panels)), 6.4), layout="constrained")
    grid = figure.add_gridspec(2, len(panels), height_ratios=(3, 2))
    for column, (title, points) in enumerate(panels.items()):
        axes = figure.add_subplot(grid[0, column])
        for name in dict.fromkeys(name for _, row in points for name in row["turns"]):
            there = [(size, tflops(row)[name]) for size, row in points if name in row["turns"]]
            axes.plot(*zip(*there, strict=True), "o-", markersize=3, color=COLOURS.get(name), label=name)
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes := [size for size, _ in points], [f"{size:.0f}" for size in sizes], rotation=30)
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_title(title, fontsize=9)
        axes.set_xlabel("m = n = k" if "matmul" in title else "keys")
        axes.legend(frameon=False, fontsize=7)
        if column == 0:
            axes.set_ylabel("TFLOP/s")
    axes = figure.add_subplot(grid[1, :])
    for shift, name, colour in ((-0.12, "safegpu", "C0"), (0.12, "null", "0.6")):
        spreads = [report.ratio(row["twins"], name, "raw") for row in rows]
        medians = [each.median for each in spreads]
        bars = [[each.median - each.low for each in spreads], [each.high - each.median for each in spreads]]
        places = [number + shift for number in range(len(rows))]
        axes.errorbar(places, medians, bars, fmt="o", markersize=3, color=colour, label=f"{name}/raw")
    lowest, highest = axes.get_ylim()
    axes.set_ylim(min(lowest, 0.985), max(highest, 1.02))
    axes.axhspan(0.99, 1.01, color="0.93", zorder=0)
    axes.set_xticks(range(len(rows)), [row["label"] for row in rows], rotation=30, ha="right", fontsize=7)
    axes.set_ylabel("device time, ratio")
    axes.legend(frameon=False, fontsize=7, ncols=2)
    figure.suptitle(report.described(saved["environment"]), fontsize=7, color="0.4")
    report.write(figure, path)


# --- the command


def size(text: str) -> tuple[int, int, int]:
    try:
        numbers = [int(number) for number in text.split("x")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 3):
        raise argparse.ArgumentTypeError(f"one number, or three as MxNxK, got {text!r}")
    m, n, k = numbers * 3 if len(numbers) == 1 else numbers
    return m, n, k


def example(text: str) -> Path:
    path = Path(text)
    if path.name not in ("matmul.py", "flash_attention.py") or not path.exists():
        raise argparse.ArgumentTypeError(f"a matmul.py or flash_attention.py of jax's examples, got {text}")
    return path


def problems(options: argparse.Namespace) -> list["Problem"]:
    """What to measure, one of each kernel in turn, so that time that runs out is missing from all alike."""
    from bench.attention import HEAD_DIMS, Attention
    from bench.matmul import Matmul

    out_dtype = options.out_dtype or ("float16" if options.dtype.startswith("float8") else options.dtype)
    matmuls = [Matmul(each, options.dtype, out_dtype) for each in options.size]
    attentions = [Attention(seq, head_dim) for seq in options.seq for head_dim in HEAD_DIMS]
    both: Any = zip_longest(*(
        each for name, each in (("matmul", matmuls), ("attention", attentions)) if options.kernel in (None, name)
    ))  # fmt: skip
    return [problem for pair in both for problem in pair if problem is not None]


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_gpu_enable_triton_gemm=false"
    try:
        import jax

        has_gpu = jax.default_backend() == "gpu"
    except (ImportError, RuntimeError) as error:
        raise SystemExit(f"bench.device needs a Hopper GPU, and jax does not start: {error}") from None
    if not has_gpu:
        raise SystemExit("bench.device needs a Hopper GPU, and jax finds none: pip install 'jax[cuda13]'")
    from bench.contenders import load
    from bench.timing import check_order

    check_order()
    examples = {path.stem: load(path) for path in options.jax_example}
    where = report.environment()
    print(report.described(where), flush=True)
    start = time.monotonic()
    rows: list[dict[str, Any]] = []
    left_out: list[str] = []
    for problem in problems(options):
        name, began = f"{problem.kernel} {problem.label}", time.monotonic()
        if began - start > options.seconds:
            left_out.append(name)
            continue
        print(name, flush=True)
        try:
            row = measure(problem, examples, rounds=options.rounds, tune=options.tune)
        except Exception as error:  # of one problem, after which others may well work
            row = None
            traceback.print_exception(error, limit=-4)
        if row is None:
            print("  is left out", flush=True)
            left_out.append(name)
            continue
        for times in row.get("tuned", {}).values():
            for key, ms in times.items():
                print(f"  {ms:9.4f} ms {row['flop'] / ms / 1e9:6.0f} TFLOP/s  {key}", flush=True)
        by_raw = report.ratio(row["twins"], "safegpu", "raw")
        print(f"  {time.monotonic() - began:.0f} s, safegpu/raw {by_raw}", flush=True)
        rows.append(row)
        # after each row, so that what is measured stays if the rest is cut off
        report.save(options.json, {"benchmark": "device", "environment": where, "rows": rows})
    if left_out:
        print(f"\nleft out: {'; '.join(left_out)}")
    print(f"\n{time.monotonic() - start:.0f} s\n")
    return rows


def parser() -> argparse.ArgumentParser:
    parser = report.arguments(__doc__, rounds=30, plot=True)
    parser.add_argument("--kernel", choices=("matmul", "attention"), help="this one alone")
    parser.add_argument(
        "--size", type=size, nargs="+", default=[(2**n,) * 3 for n in (13, 12, 14, 11, 10)], metavar="N",
        help="matmul: N, or MxNxK (1024 to 16384)",
    )  # fmt: skip
    parser.add_argument("--dtype", choices=("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"), default="float16")
    parser.add_argument("--out-dtype", choices=("float16", "bfloat16", "float32"), help="as --dtype, or float16")
    parser.add_argument(
        "--seq", type=int, nargs="+", default=[12288, 4096, 8192, 2048], metavar="KEYS",
        help="attention: queries, and as many keys (2048 to 12288)",
    )  # fmt: skip
    parser.add_argument("--jax-example", type=example, nargs="+", default=[], metavar="PATH", help="as further columns")
    parser.add_argument("--tune", action="store_true", help="first find the fastest configuration of each")
    parser.add_argument("--seconds", type=float, default=300, help="start no more rows after this time (%(default)s)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    report.results("device", options, lambda: run(options), shown, plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
