"""What the benchmarks share: the order of measuring, ratios and their spread, tables, JSON, plots, and where it ran.

Times drift: a GPU at its power limit slows down as it warms, other programs come and go. So things that are compared
are measured in rounds, in each of which every one has its turn twice, in an order that reads the same from both ends:
what drifts evenly adds as much to each. Ratios are of one round; a row shows their median and quartiles.
"""

import argparse
import contextlib
import datetime
import importlib.metadata
import json
import math
import os
import platform
import statistics
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parent.parent

type Samples = Mapping[str, Sequence[float]]
"""Of each thing that is compared, a time for each round."""


# --- measuring


def palindromes(names: Sequence[str], rounds: int) -> Iterator[list[str]]:
    """The order of each round, which begins with the next name, so that over the rounds each is everywhere alike."""
    for number in range(rounds):
        first = number % len(names)
        rotated = [*names[first:], *names[:first]]
        yield rotated + rotated[::-1]


def alternating(
    functions: Mapping[str, Callable[[], float]], rounds: int, uncounted: int = 0
) -> dict[str, list[float]]:
    """What each function returns, the mean of a round's two turns, after rounds that are not counted."""
    samples: dict[str, list[float]] = {name: [] for name in functions}
    for number, order in enumerate(palindromes(list(functions), uncounted + rounds)):
        taken: dict[str, list[float]] = {name: [] for name in functions}
        for name in order:
            taken[name].append(functions[name]())
        if number >= uncounted:
            for name, each in taken.items():
                samples[name].append(statistics.mean(each))
    return samples


@dataclass(frozen=True)
class Spread:
    """The median of some figures, and the quartiles around it."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, figures: Sequence[float]) -> "Spread":
        if len(figures) == 1:
            return cls(figures[0], figures[0], figures[0])
        low, median, high = statistics.quantiles(figures, n=4, method="inclusive")
        return cls(median, low, high)

    def __str__(self) -> str:
        return f"{self.median:.3f} ({self.low:.3f} to {self.high:.3f})"


def ratios(samples: Samples, name: str, by: str) -> list[float]:
    """The time of `name` by that of `by`, of each round."""
    return [one / other for one, other in zip(samples[name], samples[by], strict=True)]


def ratio(samples: Samples, name: str, by: str) -> Spread:
    return Spread.of(ratios(samples, name, by))


def overall(medians: Sequence[float]) -> str:
    """The geometric mean of some ratios, and the one that is farthest from 1."""
    farthest = max(medians, key=lambda each: abs(math.log(each)))
    return f"{statistics.geometric_mean(medians):.4f}, farthest from 1: {farthest:.4f}"


# --- where it ran


def _said(*command: str) -> str | None:
    """The first line that a program prints, None where there is no such program or it fails."""
    try:
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return (ran.stdout.splitlines() or [""])[0]


def _cpu() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def environment() -> dict[str, Any]:
    """What figures depend on; of packages and programs that are not there, None."""
    versions: dict[str, str | None] = {}
    for package in ("jax", "mypy"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = None
    gpu = _said("nvidia-smi", "--query-gpu=name,driver_version,power.limit", "--format=csv,noheader")
    return {
        "date": datetime.date.today().isoformat(),
        "commit": _said("git", "rev-parse", "--short", "HEAD"),
        "gpu": gpu,
        "cpu": f"{_cpu()}, {os.cpu_count()} cores",
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        **versions,
    }


def described(where: Mapping[str, Any]) -> str:
    """An environment in a line."""
    alone = ("date", "gpu", "cpu")
    return ", ".join(f"{value}" if name in alone else f"{name} {value}" for name, value in where.items() if value)


# --- saying it


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, aligned to be read as it is: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        return " | ".join([f"| {first[0]:{first[1]}}", *(f"{cell:>{width}}" for cell, width in others)]) + " |"

    first, *others = widths
    rule = "|".join(["", "-" * (first + 2), *("-" * (width + 1) + ":" for width in others), ""])
    return "\n".join([line(header), rule, *map(line, rows)])


def save(path: Path | None, contents: Mapping[str, Any]) -> None:
    """Writes a benchmark's name, environment and rows as JSON, if there is a path."""
    if path is not None:
        path.write_text(json.dumps(contents, indent=1) + "\n")


def load(path: Path, benchmark: str) -> dict[str, Any]:
    """What `save` wrote. Exits where it is of another benchmark."""
    try:
        contents: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise SystemExit(f"{path}: {error}") from None
    if contents.get("benchmark") != benchmark:
        raise SystemExit(f"{path}: expected results of bench.{benchmark}, got those of {contents.get('benchmark')}")
    return contents


def arguments(doc: str | None, *, rounds: int | None = None, plot: bool = False) -> argparse.ArgumentParser:
    """The options of a benchmark: --rounds where it measures time, --plot where it draws, and those of all."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.add_argument("--from", dest="saved", type=Path, metavar="FILE", help="show what --json wrote before")
    if rounds is not None:
        parser.add_argument("--rounds", type=int, default=rounds, help="how often all is measured (%(default)s)")
    if plot:
        parser.add_argument("--plot", type=Path, metavar="FILE", help="draw it, as SVG or PNG (needs matplotlib)")
    return parser


def results(
    benchmark: str,
    options: argparse.Namespace,
    measure: Callable[[], Sequence[Mapping[str, Any]]],
    shown: Callable[[Sequence[Mapping[str, Any]]], str],
    plot: Callable[[Mapping[str, Any], Path], None] | None = None,
) -> Sequence[Mapping[str, Any]]:
    """The rows, measured and saved or as they were saved, after they have been printed and drawn."""
    if plot and options.plot:
        pyplot()  # before anything is measured
    contents: Mapping[str, Any]
    if options.saved:
        contents = load(options.saved, benchmark)
    else:
        where = environment()  # before, so that the load is that of others
        contents = {"benchmark": benchmark, "environment": where, "rows": measure()}
        save(options.json, contents)
    rows: Sequence[Mapping[str, Any]] = contents["rows"]
    if not rows:
        raise SystemExit("nothing was measured")
    print(shown(rows))
    print(f"\n{described(contents['environment'])}")
    if plot and options.plot:
        plot(contents, options.plot)
    return rows


def pyplot() -> ModuleType:
    """matplotlib, set up to draw the same file from the same figures. Exits where it is not installed."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise SystemExit("--plot needs matplotlib: pip install matplotlib") from None
    matplotlib.use("Agg")
    matplotlib.rcParams |= {
        "svg.hashsalt": "safegpu",
        "svg.fonttype": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.alpha": 0.3,
        "font.size": 9,
    }
    import matplotlib.pyplot as plt

    return plt


def write(figure: Any, path: Path) -> None:
    """A figure as a file, without the date."""
    dated = {"metadata": {"Date": None}} if path.suffix == ".svg" else {}
    figure.savefig(path, bbox_inches="tight", dpi=150, **dated)
    print(f"\ndrawn: {path}")
