"""A tile is declared with a swizzle of 64 bytes, and read back with one of 128.

The swizzle is how the rows of a tile are permuted over the banks of shared memory. Memory does not record it, so each
access says it again; an access that says another reads elements of other places, and nothing is raised.

safegpu says:

    examples/bugs/tile_read_in_another_swizzle.py:29:13: SG701 swizzle-mismatch: the swizzle named here is not the swizzle of the buffer: got swizzle 128, the buffer has 64  [misc]
        fix: pass the buffer's own: swizzle=buffer.swizzle

Take it from the buffer, `swizzle=scratch.tile.swizzle`.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 64


class Scratch(mgpu.Scratch):
    tile = mgpu.SMEM((ROWS, COLUMNS), mgpu.float16, swizzle=64)


def transposed(
    ctx: mgpu.LaunchContext, source: mgpu.GmemRef[mgpu.float16], result: mgpu.GmemRef[mgpu.float16], scratch: Scratch
) -> None:
    tile = mgpu.FragmentedArray.load_untiled(source, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    tile.store_tiled(scratch.tile, swizzle=64)
    mgpu.warpgroup_barrier()
    again = mgpu.FragmentedArray.load_tiled(scratch.tile, swizzle=128)
    again.store_untiled(result, optimized=False)


def kernel() -> mgpu.Kernel:
    matrix = mgpu.GMEM((ROWS, COLUMNS), mgpu.float16)
    return mgpu.as_gpu_kernel(transposed, (1, 1, 1), (128, 1, 1), matrix, matrix, Scratch)
