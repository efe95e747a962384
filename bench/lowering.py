"""What lowering through safegpu costs: each example and its raw twin, alternating, in one process.

JAX_PLATFORMS=cpu python -m bench.lowering [--rounds 30]
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

from safegpu.offline.lowering import lowered
from tests.test_examples import TWINS


def seconds(build: Callable[[], Any], arch: tuple[int, int], peers: int) -> float:
    start = time.process_time()
    lowered(build, arch, peers=peers)
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    print(f"{'kernel':24}{'raw':>9}{'safegpu':>9}{'ratio':>7}   median CPU time of {rounds} lowerings each")
    for name, (typed, raw, arch, peers) in TWINS.items():
        times: list[tuple[float, float]] = []
        for number in range(rounds + 2):
            order = (raw, typed) if number % 2 else (typed, raw)
            taken = {build: seconds(build, arch, peers) for build in order}
            times.append((taken[raw], taken[typed]))
        without, through = (statistics.median(column) for column in zip(*times[2:], strict=True))
        print(f"{name:24}{without * 1e3:6.1f} ms{through * 1e3:6.1f} ms{through / without:7.3f}")


if __name__ == "__main__":
    main()
