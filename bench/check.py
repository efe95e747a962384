"""What checking kernels costs: mypy over kernels in safegpu and over their raw twins, in a project of one or many.

python -m bench.check [--rounds 3] [--json FILE] [--plot check.svg] [--counts 1 10 50 100 200]

- cold: without a cache; warm: with the cache of the last run; one more: with it, and a kernel that is new.
- daemon: dmypy, after a line of a kernel has changed, and is now wrong or right again.

mypy runs in its default configuration, which is what one has on the first day, and once more as `safegpu check`, which
has no daemon. Every time is that of the whole process, from start to end. Files of the operating system are cached.

The bars, of safegpu in mypy by its raw twin: hopper_matmul cold a quarter and warm no more, and its daemon below 0.3 s
where the twin's is; one more kernel of 200 no more. The exit code is 1 where one is missed, and not by noise: where the
lower quartile is above it.
"""

import collections
import contextlib
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import report
from bench.report import ROOT, Spread

ALONE = ("cluster_exchange", "hopper_matmul", "sparse_matmul", "multimem_all_reduce")
"""The examples that are checked alone, and `GROWTH` the one of which there are many."""
GROWTH = "sparse_matmul"
COUNTS = (1, 10, 50, 100, 200)
MYPY = ("--config-file=", "--no-error-summary")
MYPY_ALONE = ("raw", "safegpu")
SUBJECTS = (*MYPY_ALONE, "safegpu check")
STATES = ("cold", "warm", "one more", "daemon")
CACHE = ".mypy_cache"
BARS = (("hopper_matmul", 1, "cold", 0.25), ("hopper_matmul", 1, "warm", 1.0), (GROWTH, 200, "one more", 1.0))
"""Example, number of kernels, state, and the most by the raw twin."""
MOST_SECONDS_OF_DAEMON = 0.3
COMPLAINT = 'has type "str", variable has type "int"'


def source(example: str, subject: str) -> Path:
    return ROOT / ("tests/raw" if subject == "raw" else "examples") / f"{example}.py"


class Project:
    """A folder with kernels, each a copy of one file."""

    def __init__(self, folder: Path, kernel: Path, count: int) -> None:
        self.folder, self.code, self.count = folder, kernel.read_text(), 0
        for _ in range(count):
            self.add()

    def path(self, number: int) -> Path:
        return self.folder / f"kernel_{number:03}.py"

    def add(self) -> None:
        """One more kernel."""
        self.path(self.count).write_text(self.code)
        self.count += 1

    def remove(self) -> None:
        """Takes the last one away."""
        self.count -= 1
        self.path(self.count).unlink()

    def edit(self, wrong: bool) -> None:
        """Writes the first kernel with one more line, which mypy rejects or not."""
        self.path(0).write_text(f"{self.code}\nedited: int = {'"wrong"' if wrong else 0}\n")

    def forget(self) -> None:
        """Removes what mypy remembers."""
        shutil.rmtree(self.folder / CACHE, ignore_errors=True)


def seconds(project: Project, *command: str, wrong: bool = False) -> float:
    """The time of a check. SystemExit where it does not say what it should."""
    start = time.perf_counter()
    ran = subprocess.run([sys.executable, "-m", *command], cwd=project.folder, capture_output=True, text=True)
    taken = time.perf_counter() - start
    if ran.returncode not in (0, 1) or (COMPLAINT in ran.stdout) != wrong:
        raise SystemExit(f"{' '.join(command)} in a project of {project.count} kernels:\n{ran.stdout}{ran.stderr}")
    return taken


@contextlib.contextmanager
def daemon(project: Project) -> Iterator[tuple[str, ...]]:
    """A running dmypy that has checked the project, as the command that asks it again."""
    with tempfile.TemporaryDirectory() as folder:
        dmypy = ("mypy.dmypy", "--status-file", f"{folder}/status.json")
        check = (*dmypy, "check", ".")
        seconds(project, *dmypy, "start", "--timeout", "600", "--", *MYPY)
        try:
            seconds(project, *check)
            yield check
        finally:
            seconds(project, *dmypy, "stop")


def measure(example: str, count: int, rounds: int) -> dict[str, dict[str, list[float]]]:
    """Of each subject the seconds of each state, in rounds in which they take turns."""
    with contextlib.ExitStack() as stack:
        projects = {}
        for subject in SUBJECTS:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            projects[subject] = Project(folder, source(example, subject), count)
        times: dict[str, dict[str, list[float]]] = {subject: collections.defaultdict(list) for subject in SUBJECTS}
        for number in range(rounds):
            for subject, project in list(projects.items())[:: -1 if number % 2 else 1]:
                command = ("safegpu", "check", ".") if subject == "safegpu check" else ("mypy", *MYPY, ".")
                project.forget()
                times[subject]["cold"].append(seconds(project, *command))
                times[subject]["warm"].append(seconds(project, *command))
                project.add()
                times[subject]["one more"].append(seconds(project, *command))
                project.remove()
        checks = {subject: stack.enter_context(daemon(projects[subject])) for subject in MYPY_ALONE}
        for _ in range(rounds):
            for wrong in (True, False):
                for subject in MYPY_ALONE[:: 1 if wrong else -1]:
                    projects[subject].edit(wrong)
                    times[subject]["daemon"].append(seconds(projects[subject], *checks[subject], wrong=wrong))
    return times


def measure_all(projects: Sequence[tuple[str, int]], rounds: int) -> list[dict[str, Any]]:
    rows = []
    for example, count in projects:
        rows.append({"kernel": example, "count": count, "seconds": measure(example, count, rounds)})
        print(f"{example}, {count}", file=sys.stderr, flush=True)
    return rows


def labelled(subject: str) -> str:
    return f"mypy, {subject}" if subject in MYPY_ALONE else subject


def shown(rows: Sequence[Mapping[str, Any]]) -> str:
    """Two tables: the kernels alone, and many of one; a column for each project."""
    alone = {row["kernel"]: row for row in rows if row["count"] == 1}
    many = {str(row["count"]): row for row in rows if row["kernel"] == GROWTH}

    def tabled(title: str, projects: Mapping[str, Mapping[str, Any]]) -> str:
        lines = []
        for state in STATES:
            for subject in SUBJECTS:
                times = [row["seconds"][subject].get(state) for row in projects.values()]
                if None not in times:
                    medians = [f"{Spread.of(each).median:.2f}" for each in times]
                    lines.append([f"{state}: {labelled(subject)}", *medians])
        return report.table([title, *projects], lines)

    titles = ("s, one kernel", f"s, of {GROWTH} so many")
    tables = [tabled(title, each) for title, each in zip(titles, (alone, many), strict=True) if each]
    return "\n\n".join(filter(None, [*tables, bars(rows)]))


def compared(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Spread, float]]:
    """What is measured of each bar, and the bar."""
    found = {(row["kernel"], row["count"]): row["seconds"] for row in rows}
    for example, count, state, most in BARS:
        if times := found.get((example, count)):
            by_subject = {subject: times[subject][state] for subject in MYPY_ALONE}
            yield f"{state}, {example}, {count}: safegpu/raw", report.ratio(by_subject, "safegpu", "raw"), most
    times = found.get(("hopper_matmul", 1))
    if times and Spread.of(times["raw"]["daemon"]).median < MOST_SECONDS_OF_DAEMON:
        taken = Spread.of(times["safegpu"]["daemon"])
        yield "daemon, hopper_matmul, 1: safegpu, s", taken, MOST_SECONDS_OF_DAEMON


def bars(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = [[name, str(figure), f"{most:g}"] for name, figure, most in compared(rows)]
    return report.table(["bar", "median (quartiles)", "at most"], lines) if lines else ""


def plot(saved: Mapping[str, Any], path: Path) -> None:
    """The seconds of each state over the number of kernels."""
    plt = report.pyplot()
    rows = sorted((row for row in saved["rows"] if row["kernel"] == GROWTH), key=lambda row: row["count"])
    figure, panels = plt.subplots(1, 4, figsize=(11, 2.8), layout="constrained")
    for axes, state in zip(panels, STATES, strict=True):
        for subject, colour in zip(SUBJECTS, ("C3", "C0", "C9"), strict=True):
            there = [row for row in rows if state in row["seconds"][subject]]
            if there:
                medians = [Spread.of(row["seconds"][subject][state]).median for row in there]
                counts = [row["count"] for row in there]
                axes.plot(counts, medians, "o-", markersize=3, color=colour, label=labelled(subject))
        axes.set_title({"daemon": "daemon, a line changed"}.get(state, state), fontsize=9)
        axes.set_xlabel("kernels")
        axes.set_ylim(bottom=0)
    panels[0].set_ylabel("s")
    panels[0].legend(frameon=False, fontsize=7)
    figure.suptitle(report.described(saved["environment"]), fontsize=7, color="0.4")
    report.write(figure, path)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = report.arguments(__doc__, rounds=3, plot=True)
    parser.add_argument("--kernels", nargs="*", default=ALONE, choices=ALONE, help="examples to check alone")
    parser.add_argument("--counts", type=int, nargs="*", default=COUNTS, help=f"how many of {GROWTH} there are")
    options = parser.parse_args(arguments)
    alone, many = ((name, 1) for name in options.kernels), ((GROWTH, count) for count in options.counts)
    projects = list(dict.fromkeys([*alone, *many]))
    rows = report.results("check", options, lambda: measure_all(projects, options.rounds), shown, plot)
    missed = [f"{name} {figure}, at most {most:g}" for name, figure, most in compared(rows) if figure.low > most]
    for each in missed:
        print(f"above the bar: {each}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
