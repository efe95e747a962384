"""A window of rows, loaded from the middle of a swizzled tile.

TMA puts each 16 bytes where the bits of the address in shared memory say, and they begin anew every eight rows. Mosaic
GPU's load counts the rows from the start of the view, which is the fourth: the halves of every row change places.

safegpu says, when the kernel is lowered:

    examples/bugs/view_within_a_swizzle.py:29: SG703: FragmentedArray.load_untiled: ref begins 512 bytes into its buffer, no multiple of the 1024 after which swizzle=128 begins anew, and Mosaic GPU takes it to begin with the view: elements would be taken for others; slice whole tiles, or load them and slice the array

Begin the view at a multiple of eight rows, or declare the buffer without a swizzle.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 64


class Memory(mgpu.Scratch[mgpu.sm_90a]):
    rows = mgpu.SMEM((ROWS + 8, COLUMNS), mgpu.float16, swizzle=128, tiling=())
    loaded = mgpu.Barrier(1)


def window(
    ctx: mgpu.LaunchContext, source: mgpu.GmemRef[mgpu.float16], result: mgpu.GmemRef[mgpu.float16], memory: Memory
) -> None:
    ctx.async_copy(src_ref=source, dst_ref=memory.rows, swizzle=128, barrier=memory.loaded)
    memory.loaded.wait()
    middle = mgpu.memref_slice(memory.rows, slice(4, 4 + ROWS))
    tile = mgpu.FragmentedArray.load_untiled(middle, swizzle=128, layout=mgpu.WGMMA_LAYOUT)
    tile.store_untiled(result, optimized=False)


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(
        window,
        grid=(1, 1, 1),
        block=(128, 1, 1),
        in_shape=mgpu.GMEM((ROWS + 8, COLUMNS), mgpu.float16),
        out_shape=mgpu.GMEM((ROWS, COLUMNS), mgpu.float16),
        smem_scratch_shape=Memory,
    )
