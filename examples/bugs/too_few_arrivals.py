"""A barrier of 128 arrivals, one for each thread that waits, and a copy that arrives there once.

The number of a barrier is that of arrivals in a phase, and TMA makes one, of the thread that issues the copy. The wait never ends.

safegpu says, when the kernel is lowered:

    examples/bugs/too_few_arrivals.py:33: SG407: the wait at too_few_arrivals.py:26 never ends: the barrier expects 128 arrivals, and there are at most 1 in all; a copy, an arrive_expect_tx and a commit_arrive arrive once for each thread that issues them: declare the barrier with that number, or arrive there

Declare it with one: `mgpu.Barrier(arrival_count=1)`. Any number of threads may wait.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 64


class Scratch(mgpu.Scratch[mgpu.sm_90a]):
    tile = mgpu.SMEM((ROWS, COLUMNS), mgpu.float16)
    arrived = mgpu.Barrier(arrival_count=128)


def double(
    ctx: mgpu.LaunchContext, source: mgpu.GmemRef[mgpu.float16], result: mgpu.GmemRef[mgpu.float16], scratch: Scratch
) -> None:
    ctx.async_copy(src_ref=source, dst_ref=scratch.tile, barrier=scratch.arrived)
    scratch.arrived.wait()
    tile = mgpu.FragmentedArray.load_strided(scratch.tile)
    (tile * 2.0).store_untiled(result)


def kernel() -> mgpu.Kernel:
    matrix = mgpu.GMEM((ROWS, COLUMNS), mgpu.float16)
    return mgpu.as_gpu_kernel(double, (1, 1, 1), (128, 1, 1), matrix, matrix, Scratch)
