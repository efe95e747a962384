"""That the GPU runs the same instructions: the SASS of each example and of its raw twin, for every architecture.

python -m bench.sass [--json FILE] [--arch sm_90a] [KERNEL ...]

A kernel compiles for the architectures that have its instructions, and the compiler says which. Each side compiles in a
process of its own, since the compiler remembers what it has compiled before. The exit code is 1 where anything differs.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import report
from bench.report import ROOT
from safegpu.offline.codegen import DEVICES, compile_build, missing

SIDES = ("raw", "safegpu")


def compiled(side: str, arch: str, kernels: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Of each kernel the hash of its SASS and what ptxas reports, or what forbids it. Once in a process."""
    from tests.test_examples import TWINS

    results: dict[str, dict[str, Any]] = {}
    for name, (typed, raw, _, peers) in TWINS.items():
        if kernels and not any(each in name for each in kernels):
            continue
        try:
            code = compile_build(raw if side == "raw" else typed, arch, peers=peers)
        except Exception as error:
            results[name] = {"fails": "\n".join(sorted(set(str(error).splitlines())))}
            continue
        results[name] = {
            "sass": hashlib.sha256(code.sass.encode()).hexdigest(),
            "ptx": hashlib.sha256(code.ptx.encode()).hexdigest(),
            "instructions": code.mnemonics.total(),
            "registers": code.registers,
            "spilled": code.spill_store_bytes + code.spill_load_bytes,
        }
    return results


def elsewhere(side: str, arch: str, kernels: Sequence[str]) -> dict[str, dict[str, Any]]:
    command = [sys.executable, "-m", "bench.sass", "--side", side, "--arch", arch, *kernels]
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    ran = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    results: dict[str, dict[str, Any]] = json.loads(ran.stdout.splitlines()[-1])
    return results


def verdict(raw: Mapping[str, Any], safegpu: Mapping[str, Any]) -> str:
    """Whether the sides of a kernel are the `same`; `-` where neither compiles, and for the same reason."""
    if raw != safegpu:
        return "DIFFERS"
    return "same" if "sass" in raw else "-"


def shown(rows: Sequence[Mapping[str, Any]]) -> str:
    archs = list(dict.fromkeys(row["arch"] for row in rows))
    by_kernel: dict[str, dict[str, str]] = {}
    for row in rows:
        said = verdict(row["raw"], row["safegpu"])
        if said == "same":
            said = f"same, {row['raw']['instructions']}"
        by_kernel.setdefault(row["kernel"], {})[row["arch"]] = said
    lines = [[kernel, *(said.get(arch, "") for arch in archs)] for kernel, said in by_kernel.items()]
    return report.table(["SASS, and its instructions", *archs], lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="those with this in their name, and no others")
    parser.add_argument("--arch", action="append", choices=DEVICES, help="this one, and no others")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if absent := missing():
        raise SystemExit(f"bench.sass compiles, which needs {', '.join(absent)}: pip install 'safegpu[codegen]'")
    if options.side:
        print(json.dumps(compiled(options.side, options.arch[0], options.kernels)))
        return 0
    rows = []
    for arch in options.arch or DEVICES:
        sides: dict[str, Any] = {side: elsewhere(side, arch, options.kernels) for side in SIDES}
        rows += [{"kernel": name, "arch": arch, **{side: sides[side][name] for side in SIDES}} for name in sides["raw"]]
        print(f"{arch}: {len(sides['raw'])} kernels", file=sys.stderr, flush=True)
    if not rows:
        parser.error(f"no kernel has {' or '.join(options.kernels)} in its name")
    report.save(options.json, "sass", rows)
    verdicts = [verdict(row["raw"], row["safegpu"]) for row in rows]
    print(shown(rows))
    print(
        f"\n{verdicts.count('same')} are the same, {verdicts.count('DIFFERS')} differ, {verdicts.count('-')} cannot be"
    )
    print(f"\n{report.described(report.environment())}")
    return 1 if "DIFFERS" in verdicts or "same" not in verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
