"""A window that begins one element to the right.

A thread of this layout loads two float16 at a time, 4 bytes. Mosaic GPU compares the row stride with that, and not the
start: the load is `ld.b32 [x+2]`, and the GPU ends the kernel, "misaligned address", without a line.

safegpu says, when the kernel is lowered:

    examples/bugs/misaligned_window.py:25: SG704: FragmentedArray.load_untiled: ref begins at byte 2 of its memory, and the 4 bytes that a thread moves at a time must begin at a multiple of 4; slice it where one begins, or load it with FragmentedArray.load_strided

Begin at an even column, or load by `FragmentedArray.load_strided`, which takes any start.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 64


def window(
    ctx: mgpu.LaunchContext[mgpu.sm_90a],
    source: mgpu.GmemRef[mgpu.float16],
    result: mgpu.GmemRef[mgpu.float16],
    _scratch: tuple[()],
) -> None:
    right = mgpu.memref_slice(source, (slice(0, ROWS), slice(1, 1 + COLUMNS)))
    tile = mgpu.FragmentedArray.load_untiled(right, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    tile.store_untiled(result, optimized=False)


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(
        window,
        grid=(1, 1, 1),
        block=(128, 1, 1),
        in_shape=mgpu.GMEM((ROWS, 2 * COLUMNS), mgpu.float16),
        out_shape=mgpu.GMEM((ROWS, COLUMNS), mgpu.float16),
        smem_scratch_shape=(),
    )
