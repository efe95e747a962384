"""One buffer in shared memory for every tile that is copied out, and no wait between a copy and the next tile.

TMA still reads when the threads store again: tiles of the output have elements of the next tile.

safegpu says, when the kernel is lowered:

    examples/bugs/overwritten_copy_source.py:26: SG905: FragmentedArray.store_untiled overwrites shared memory that the copy at overwritten_copy_source.py:28 may still be reading: call ctx.await_async_copy(0, await_read_only=True) before, or allow fewer copies to be under way there

Wait until it has read, before the store: `ctx.await_async_copy(0, await_read_only=True)`. Or take turns with two buffers.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 64


class Scratch(mgpu.Scratch[mgpu.sm_90a]):
    tile = mgpu.SMEM((ROWS, COLUMNS), mgpu.float16)


def double(
    ctx: mgpu.LaunchContext, source: mgpu.GmemRef[mgpu.float16], result: mgpu.GmemRef[mgpu.float16], scratch: Scratch
) -> None:
    for row in range(0, 4 * ROWS, ROWS):
        tile = mgpu.FragmentedArray.load_strided(mgpu.memref_slice(source, mgpu.ds(row, ROWS)))
        (tile * 2.0).store_untiled(scratch.tile)
        mgpu.commit_shared()
        ctx.async_copy(src_ref=scratch.tile, dst_ref=result, gmem_slice=mgpu.ds(row, ROWS))
    ctx.await_async_copy(0)


def kernel() -> mgpu.Kernel:
    matrix = mgpu.GMEM((4 * ROWS, COLUMNS), mgpu.float16)
    return mgpu.as_gpu_kernel(double, (1, 1, 1), (128, 1, 1), matrix, matrix, Scratch)
