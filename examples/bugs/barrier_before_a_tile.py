"""A barrier declared before the buffer that TMA fills.

Shared memory is allocated in the order of the declarations, without gaps: the barrier takes 8 bytes, and the tile begins
behind them, where no copy of TMA can begin. The GPU stops the kernel with a misaligned address.

safegpu says:

    examples/bugs/barrier_before_a_tile.py:26: SG812: dst_ref of async_copy, Scratch.tile, lies at byte 8 of the block's shared memory, and what TMA copies begins at a multiple of 128: declare it first in the scratch, and barriers, TMEM and small buffers last

Declare buffers first, those with a swizzle before the others, and barriers last.
"""

import safegpu as mgpu

MATRIX = mgpu.GMEM((64, 64), mgpu.float16)


class Scratch(mgpu.Scratch[mgpu.sm_90a]):
    loaded = mgpu.Barrier(1)
    tile = mgpu.SMEM((64, 64), mgpu.float16)


def copy_through(
    ctx: mgpu.LaunchContext, source: mgpu.GmemRef[mgpu.float16], result: mgpu.GmemRef[mgpu.float16], scratch: Scratch
) -> None:
    ctx.async_copy(src_ref=source, dst_ref=scratch.tile, barrier=scratch.loaded)
    scratch.loaded.wait()
    mgpu.FragmentedArray.load_strided(scratch.tile).store_untiled(result)


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(copy_through, (1, 1, 1), (128, 1, 1), MATRIX, MATRIX, Scratch)
