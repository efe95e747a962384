"""That the GPU runs the same instructions: the SASS of each example and of its raw twin, for every architecture.

python -m bench.sass [--json FILE] [--arch sm_90a] [KERNEL ...]

A kernel compiles for the architectures that have its instructions, and the compiler says which. Each side compiles in a
process of its own, since the compiler remembers what it has compiled before. The exit code is 1 where anything differs.
"""

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from bench import report
from bench.report import ROOT
from safegpu.offline.codegen import DEVICES, compile_build, missing

SIDES = ("raw", "safegpu")


def compile_all(side: str, arch: str, kernels: Sequence[str]) -> None:
    """Prints a line of JSON for each kernel: the hash of its SASS and what ptxas reports, or what forbids it."""
    from tests.test_examples import TWINS

    for name in kernels:
        typed, raw, _, peers = TWINS[name]
        try:
            code = compile_build(raw if side == "raw" else typed, arch, peers=peers)
        except Exception as error:
            result: dict[str, Any] = {"fails": "\n".join(sorted(set(str(error).splitlines())))}
        else:
            result = {
                "sass": hashlib.sha256(code.sass.encode()).hexdigest(),
                "ptx": hashlib.sha256(code.ptx.encode()).hexdigest(),
                "instructions": code.mnemonics.total(),
                "registers": code.registers,
                "spilled": code.spill_store_bytes + code.spill_load_bytes,
            }
        print(json.dumps([name, result]), flush=True)


def elsewhere(side: str, arch: str, kernels: Sequence[str]) -> dict[str, Any]:
    """What `compile_all` prints in a process of its own, and in another one after a kernel that LLVM aborts on."""
    results: dict[str, Any] = {}
    while left := [name for name in kernels if name not in results]:
        command = [sys.executable, "-m", "bench.sass", "--side", side, "--arch", arch, *left]
        environment = os.environ | {"JAX_PLATFORMS": "cpu"}
        ran = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False)
        if ran.returncode > 0:
            raise SystemExit(f"{' '.join(command)} exits with {ran.returncode}")
        results |= dict(json.loads(line) for line in ran.stdout.splitlines())
        if ran.returncode < 0:
            results |= {
                name: {"fails": signal.Signals(-ran.returncode).name} for name in left[ran.stdout.count("\n") :][:1]
            }
    return results


def verdict(raw: Mapping[str, Any], safegpu: Mapping[str, Any]) -> str:
    """Whether the sides of a kernel are the `same`; `-` where neither compiles, and for the same reason."""
    if raw != safegpu:
        return "DIFFERS"
    return "same" if "sass" in raw else "-"


def measure(kernels: Sequence[str], archs: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each kernel and architecture."""
    from tests.test_examples import TWINS

    if absent := missing():
        raise SystemExit(f"bench.sass compiles, which needs {', '.join(absent)}: pip install 'safegpu[codegen]'")
    names = [name for name in TWINS if not kernels or any(each in name for each in kernels)]
    rows: list[dict[str, Any]] = []
    for arch in archs:
        sides = {side: elsewhere(side, arch, names) for side in SIDES}
        rows += [{"kernel": name, "arch": arch, **{side: sides[side][name] for side in SIDES}} for name in names]
        print(f"{arch}: {len(names)} kernels", file=sys.stderr, flush=True)
    return rows


def shown(rows: Sequence[Mapping[str, Any]]) -> str:
    archs = list(dict.fromkeys(row["arch"] for row in rows))
    verdicts: list[str] = []
    by_kernel: dict[str, dict[str, str]] = {}
    for row in rows:
        verdicts.append(said := verdict(row["raw"], row["safegpu"]))
        if said == "same":
            said = f"same, {row['raw']['instructions']}"
        by_kernel.setdefault(row["kernel"], {})[row["arch"]] = said
    lines = [[kernel, *(said.get(arch, "") for arch in archs)] for kernel, said in by_kernel.items()]
    same, differ, neither = (verdicts.count(each) for each in ("same", "DIFFERS", "-"))
    counted = f"{same} are the same, {differ} differ, {neither} compile on neither side"
    return f"{report.table(['SASS, and its instructions', *archs], lines)}\n\n{counted}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = report.arguments(__doc__)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="those with this in their name, and no others")
    parser.add_argument("--arch", action="append", choices=DEVICES, help="this one, and no others")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.side:
        compile_all(options.side, options.arch[0], options.kernels)
        return 0
    rows = report.results("sass", options, lambda: measure(options.kernels, options.arch or list(DEVICES)), shown)
    verdicts = {verdict(row["raw"], row["safegpu"]) for row in rows}
    return 1 if "DIFFERS" in verdicts or "same" not in verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
