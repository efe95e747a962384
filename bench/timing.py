"""Device time of several functions, side by side in one process."""

import statistics
from collections.abc import Callable, Mapping
from typing import Any

from jax.experimental.mosaic.gpu import profiler


def device_ms(
    functions: Mapping[str, Callable[..., Any]], *arguments: Any, rounds: int, calls: int
) -> dict[str, float]:
    """The median device time of a call of each function, in ms: all kernels that it launches, without the host.

    The functions take turns, `calls` calls a turn, in an order that reverses every round, so that clocks and
    temperature are the same for all of them. A turn begins with a call that is not counted.
    """
    measured = {
        name: profiler.Cupti(finalize=False).measure(function, iterations=calls) for name, function in functions.items()
    }
    times: dict[str, list[float]] = {name: [] for name in functions}
    for number in range(rounds):
        for name in list(functions)[:: -1 if number % 2 else 1]:
            _, taken = measured[name](*arguments)
            times[name] += [taken] if calls == 1 else taken
    return {name: statistics.median(each) for name, each in times.items()}
