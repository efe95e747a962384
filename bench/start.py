"""What safegpu costs where nothing is lowered or checked yet: importing it, and starting its commands.

python -m bench.start [--rounds 15] [--json FILE]

Every figure is the wall time of a Python process from start to end, which finds the bytecode of what it imports, as
that of an installed package. The bars: a process that imports safegpu and all that a kernel uses takes at most 5 % more
than one that imports Mosaic GPU, and a command that imports no jax at most 0.3 s. The exit code is 1 where one is
missed, and not by noise: where the lower quartile is above it.
"""

import functools
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from bench import report
from bench.report import ROOT, Spread

MOSAIC = "import jax.experimental.mosaic.gpu"
IMPORTS = {
    "Mosaic GPU": MOSAIC,
    "null": MOSAIC,
    "safegpu, all of it": "import safegpu as mgpu; [getattr(mgpu, name) for name in mgpu.__all__]",
    "safegpu, its name": "import safegpu as mgpu",
    "nothing": "",
}
COMMANDS = (("--help",), ("--version",), ("check", "--help"), ("explain", "SG101"), ("rules",))
MOST_BY_MOSAIC, MOST_SECONDS = 1.05, 0.3


def seconds(*arguments: str) -> float:
    # Where a shell forbids to write bytecode, jax has its own since it was installed, and safegpu would be compiled.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, check=True, env=environment)
    return time.perf_counter() - start


def imports_jax(command: Sequence[str]) -> bool:
    code = f"""
import sys
from safegpu.cli import main
try:
    main({list(command)})
except SystemExit:
    pass
sys.exit("jax" in sys.modules)"""
    return (
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.DEVNULL, check=False).returncode != 0
    )


def measure(rounds: int) -> list[dict[str, Any]]:
    """A row of the imports, and one of the commands."""
    imports = {name: functools.partial(seconds, "-c", code) for name, code in IMPORTS.items()}
    commands = {" ".join(each): functools.partial(seconds, "-m", "safegpu", *each) for each in COMMANDS}
    import_jax = [" ".join(each) for each in COMMANDS if imports_jax(each)]
    return [
        {"part": "imports", "seconds": report.alternating(imports, rounds, uncounted=1)},
        {"part": "commands", "seconds": report.alternating(commands, rounds, uncounted=1), "import_jax": import_jax},
    ]


def missed(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The bars that these figures are above, in words."""
    imports, commands = rows
    by_mosaic = report.ratio(imports["seconds"], "safegpu, all of it", "Mosaic GPU")
    slow = [f"importing safegpu takes {by_mosaic} of Mosaic GPU's time"] if by_mosaic.low > MOST_BY_MOSAIC else []
    for command, each in commands["seconds"].items():
        if (taken := Spread.of(each)).low > MOST_SECONDS:
            slow.append(f"safegpu {command} takes {taken} s")
    return slow + [f"safegpu {command} imports jax" for command in commands["import_jax"]]


def shown(rows: Sequence[Mapping[str, Any]]) -> str:
    imports, commands = (row["seconds"] for row in rows)
    lines = [
        [name, f"{Spread.of(each).median:.3f}", str(report.ratio(imports, name, "Mosaic GPU"))]
        for name, each in imports.items()
    ]
    starts = [[f"safegpu {name}", str(Spread.of(each))] for name, each in commands.items()]
    return "\n\n".join(
        [
            report.table(["a process that imports", "s", "by Mosaic GPU, median (quartiles)"], lines),
            report.table(["command", "s, median (quartiles)"], starts),
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    options = report.arguments(__doc__, rounds=15).parse_args(arguments)
    rows = report.results("start", options, lambda: measure(options.rounds), shown)
    wrong = missed(rows)
    for each in wrong:
        print(f"above the bar: {each}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
