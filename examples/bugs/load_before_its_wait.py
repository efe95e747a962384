"""A tile is read right after the copy that brings it: the wait is there, and one line too late.

The copy has only been started: the threads read what the last kernel left in shared memory, or parts of the tile.

safegpu says, when the kernel is lowered:

    examples/bugs/load_before_its_wait.py:24: SG908: FragmentedArray.load_strided reads shared memory that the copy at load_before_its_wait.py:23 is filling, with no wait between: the load may see what was there before; call barrier.wait() on the copy's barrier

Wait for the barrier of the copy first: `scratch.loaded.wait()`.
"""

import safegpu as mgpu


class Scratch(mgpu.Scratch[mgpu.sm_90a]):
    tile = mgpu.SMEM((64, 64), mgpu.float16)
    loaded = mgpu.Barrier(1)


def double(
    ctx: mgpu.LaunchContext, source: mgpu.GmemRef[mgpu.float16], result: mgpu.GmemRef[mgpu.float16], scratch: Scratch
) -> None:
    ctx.async_copy(src_ref=source, dst_ref=scratch.tile, barrier=scratch.loaded)
    tile = mgpu.FragmentedArray.load_strided(scratch.tile)
    scratch.loaded.wait()
    (tile * 2.0).store_untiled(result)


def kernel() -> mgpu.Kernel:
    matrix = mgpu.GMEM((64, 64), mgpu.float16)
    return mgpu.as_gpu_kernel(double, (1, 1, 1), (128, 1, 1), matrix, matrix, Scratch)
