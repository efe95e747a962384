"""What checking a kernel costs: mypy over an example and over its raw twin, without a cache and with one.

python -m bench.check [--rounds 5]
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAIRS = {
    name: (f"examples/{name}.py", f"tests/raw/{name}.py")
    for name in ("cluster_exchange", "hopper_matmul", "sparse_matmul", "multimem_all_reduce")
}


def seconds(path: str, cache: str) -> float:
    command = [sys.executable, "-m", "mypy", "--config-file=", "--cache-dir", cache, path]
    start = time.perf_counter()
    subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(f"{'kernel':22}{'cold: raw':>12}{'safegpu':>9}{'ratio':>7}{'warm: raw':>12}{'safegpu':>9}{'ratio':>7}")
    for name, (typed, raw) in PAIRS.items():
        times: dict[tuple[str, str], list[float]] = {}
        for _ in range(rounds):
            for path in (raw, typed):
                with tempfile.TemporaryDirectory() as cache:
                    for state in ("cold", "warm"):
                        times.setdefault((path, state), []).append(seconds(path, cache))
        medians = {key: statistics.median(each) for key, each in times.items()}
        row = f"{name:22}"
        for state in ("cold", "warm"):
            without, through = medians[raw, state], medians[typed, state]
            row += f"{without:10.2f} s{through:7.2f} s{through / without:7.2f}"
        print(row)


if __name__ == "__main__":
    main()
