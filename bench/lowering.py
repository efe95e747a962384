"""What lowering through safegpu costs: each example and its raw twin, alternating, in one process.

JAX_PLATFORMS=cpu python -m bench.lowering [--rounds 15] [--json FILE] [KERNEL ...]

The time is the CPU's. null/raw is the same ratio of the raw twin and itself, so it shows what this run cannot tell.
"""

import functools
import gc
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench import report
from bench.report import Spread


def seconds(build: Callable[[], Any], arch: tuple[int, int], peers: int) -> float:
    from safegpu.offline.lowering import lowered

    gc.collect()  # the garbage of the one before is not this one's
    start = time.process_time()
    lowered(build, arch, peers=peers)
    return time.process_time() - start


def measure(kernels: Sequence[str], rounds: int) -> list[dict[str, Any]]:
    from tests.test_examples import TWINS

    rows = []
    for name, (typed, raw, arch, peers) in TWINS.items():
        if kernels and not any(each in name for each in kernels):
            continue
        builds = {"safegpu": typed, "raw": raw, "null": raw}
        functions = {each: functools.partial(seconds, build, arch, peers) for each, build in builds.items()}
        gc.freeze()  # what the imports left is not looked through again
        times = report.alternating(functions, rounds, uncounted=2)
        rows.append({"kernel": name, "seconds": times})
        print(f"{name}: safegpu/raw {report.ratio(times, 'safegpu', 'raw')}", file=sys.stderr, flush=True)
    return rows


def shown(rows: Sequence[Mapping[str, Any]]) -> str:
    header = ["CPU time of lowering", "raw, ms", "safegpu, ms", "safegpu/raw, median (quartiles)", "null/raw"]
    lines = []
    for row in rows:
        times = row["seconds"]
        ms = [f"{Spread.of(times[name]).median * 1e3:.1f}" for name in ("raw", "safegpu")]
        lines.append([row["kernel"], *ms, *(str(report.ratio(times, name, "raw")) for name in ("safegpu", "null"))])
    texts = [report.table(header, lines), ""]
    for name in ("safegpu", "null"):
        medians = [report.ratio(row["seconds"], name, "raw").median for row in rows]
        texts.append(f"{name}/raw over all kernels: {report.overall(medians)}")
    return "\n".join(texts)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = report.arguments(__doc__, rounds=15)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="those with this in their name, and no others")
    options = parser.parse_args(arguments)
    report.results("lowering", options, lambda: measure(options.kernels, options.rounds), shown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
