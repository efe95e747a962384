"""Device time of several functions, side by side in one process."""

import functools
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental.mosaic.gpu import profiler

from bench.report import palindromes

type Functions = Mapping[str, Callable[..., Any]]


def launches(functions: Functions, arguments: Sequence[Any], order: Sequence[str]) -> list[tuple[str, float]]:
    """The name and the ms of each kernel of these calls, which are launched without waiting in between.

    `profiler.Cupti` measures one function at a time, and of one function that calls several XLA may drop repetitions.
    """
    library: Any = profiler
    cupti = library.mosaic_gpu_lib._mosaic_gpu_ext
    result = None
    cupti._cupti_init()
    try:
        for name in order:
            result = functions[name](*arguments)
        jax.block_until_ready(result)
    finally:
        kernels: list[tuple[str, float]] = cupti._cupti_get_timings(False)
    return kernels


def check_order(calls: int = 96) -> None:
    """Raises RuntimeError where kernels are not reported in the order of their launches.

    `Stopwatch` relies on it, and of twins, whose kernels have one name, it could not see that they are exchanged.
    """
    increment = jax.jit(lambda x: x + 1)
    sizes = {"short": 2**16, "long": 2**26}
    functions = {name: functools.partial(increment, jnp.zeros(size)) for name, size in sizes.items()}
    jax.block_until_ready([function() for function in functions.values()])
    order = random.Random(0).choices(list(functions), k=calls)
    times = [ms for _, ms in launches(functions, (), order)]
    between = (min(times) * max(times)) ** 0.5
    if ["long" if ms > between else "short" for ms in times] != order:
        raise RuntimeError("CUPTI reports kernels in another order than that of their launches")


class Stopwatch:
    """Measures calls of some functions of the same arguments. They have been called before."""

    def __init__(self, functions: Functions, arguments: Sequence[Any]) -> None:
        self.functions, self.arguments = functions, arguments
        self.kernels = {name: [kernel for kernel, _ in launches(functions, arguments, [name])] for name in functions}
        """Of each function the kernels that it launches."""

    def ms(self, order: Sequence[str]) -> list[float]:
        """The device time of each of these calls: that of all kernels that it launches."""
        launched = launches(self.functions, self.arguments, order)
        expected = [kernel for name in order for kernel in self.kernels[name]]
        if [kernel for kernel, _ in launched] != expected:
            raise RuntimeError(f"expected the {len(expected)} kernels of {order}, got {len(launched)}: {launched}")
        times, taken = [], iter(launched)
        for name in order:
            times.append(sum(next(taken)[1] for _ in self.kernels[name]))
        return times

    def interleaved(self, rounds: int, enough_ms: float = 40) -> dict[str, list[float]]:
        """Of each function and round the mean time, of calls that take turns one by one.

        For functions that run the same code: every call has the same neighbours, the same clock and the same warmth. A
        round is one palindrome that is not counted, since the GPU was idle, and as many as take `enough_ms`.
        """
        names = list(self.functions)
        once = sum(self.ms(names))
        repetitions = max(1, min(16, round(enough_ms / (2 * once))))
        samples: dict[str, list[float]] = {name: [] for name in names}
        for order in palindromes(names, rounds):
            times = self.ms(order * (1 + repetitions))[len(order) :]
            for name in names:
                mine = [ms for each, ms in zip(order * repetitions, times, strict=True) if each == name]
                samples[name].append(statistics.mean(mine))
        return samples

    def in_turns(self, rounds: int, enough_ms: float = 60) -> dict[str, list[float]]:
        """Of each function and round the median time of a call, of turns of many calls.

        For functions that run different code: what a turn draws is its own, and not what the one before left of
        warmth, so it has 5 to 40 calls, of which the first quarter is not counted, and the order reverses every round.
        """
        once = {name: self.ms([name])[0] for name in self.functions}
        samples: dict[str, list[float]] = {name: [] for name in self.functions}
        for number in range(rounds):
            for name in list(self.functions)[:: -1 if number % 2 else 1]:
                calls = max(5, min(40, round(enough_ms / once[name])))
                samples[name].append(statistics.median(self.ms([name] * calls)[calls // 4 :]))
        return samples
