"""What lowering through safegpu costs: each example and its raw twin, alternating in one process, and in several.

JAX_PLATFORMS=cpu python -m bench.lowering [--rounds 15] [--processes 3] [--until {jax,module}] [KERNEL ...]

The time is the CPU's, from the call that builds a kernel to what JAX gives to XLA: the trace of the body, Mosaic GPU's
module, and `jax.jit(kernel).lower(...)`, inside `jax.shard_map` where there are peers. With `--until module` it ends
with `as_gpu_kernel`. null/raw is the same ratio of the raw twin and itself, so it shows what this run cannot tell.
Where things lie in memory differs from process to process, and makes one of two equal twins faster by a per cent or
two: so there are several, and their rounds are pooled. The garbage collector is left on.
"""

import argparse
import functools
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import report
from bench.report import Spread

type Arch = tuple[int, int]


class Lowering:
    """One kernel, and how it is lowered."""

    def __init__(self, build: Callable[[], Any], arch: Arch, peers: int) -> None:
        from safegpu._jax import jax, module_of
        from safegpu.offline.lowering import tracing_context

        self.build, self.context = build, functools.partial(tracing_context, arch, peers)
        with self.context():
            module = module_of(build())
        assert module is not None
        self.arguments = [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in (*module.inputs, *module.inouts)]
        self.on_each = _on_each_of(peers)

    def seconds(self, until: str) -> float:
        start = time.process_time()
        with self.context():
            kernel = self.build()
        if until == "jax":
            self.on_each(kernel).trace(*self.arguments).lower(lowering_platforms=("cuda",))
        return time.process_time() - start


def _on_each_of(peers: int) -> Callable[[Any], Any]:
    """The jitted function that runs a kernel on each of so many devices, on buffers of its own."""
    from safegpu._jax import jax

    if peers == 1:
        return lambda kernel: kernel
    axis = {"axis_names": ("peers",), "axis_types": (jax.sharding.AxisType.Auto,)}
    mesh, everywhere = jax.sharding.AbstractMesh((peers,), **axis), jax.sharding.PartitionSpec()
    spread = functools.partial(jax.shard_map, mesh=mesh, in_specs=everywhere, out_specs=everywhere, check_vma=False)
    return lambda kernel: jax.jit(spread(kernel))


def measure(kernels: Sequence[str], rounds: int, until: str) -> list[dict[str, Any]]:
    from tests.test_examples import TWINS

    rows = []
    for name, (typed, raw, arch, peers) in TWINS.items():
        if kernels and not any(each in name for each in kernels):
            continue
        builds = {"safegpu": typed, "raw": raw, "null": raw}
        functions = {
            each: functools.partial(Lowering(build, arch, peers).seconds, until) for each, build in builds.items()
        }
        times = report.alternating(functions, rounds, uncounted=1)
        rows.append({"kernel": name, "seconds": times})
        print(f"{name}: safegpu/raw {report.ratio(times, 'safegpu', 'raw')}", file=sys.stderr, flush=True)
    return rows


def pooled(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The rows of several processes, their times joined."""
    command = [sys.executable, "-m", "bench.lowering", "--processes", "1", "--rounds", str(options.rounds)]
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.json")
        for _ in range(options.processes):
            subprocess.run(
                [*command, "--until", options.until, "--json", path, *options.kernels],
                stdout=subprocess.DEVNULL, check=True, cwd=report.ROOT,
            )  # fmt: skip
            for number, row in enumerate(report.load(path, "lowering")["rows"]):
                if number == len(rows):
                    rows.append(row)
                else:
                    for name, seconds in row["seconds"].items():
                        rows[number]["seconds"][name] += seconds
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
    parser.add_argument("--until", choices=("jax", "module"), default="jax", help="what is timed last (%(default)s)")
    parser.add_argument("--processes", type=int, default=3, help="of ROUNDS rounds each (%(default)s)")
    options = parser.parse_args(arguments)
    if options.processes > 1:
        measured = functools.partial(pooled, options)
    else:
        measured = functools.partial(measure, options.kernels, options.rounds, options.until)
    report.results("lowering", options, measured, shown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
