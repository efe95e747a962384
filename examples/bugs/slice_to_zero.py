"""What is before the block's rows, of which the first round has none.

Mosaic GPU takes a stop that is false for one that is left out: `slice(0, 0)` is the whole matrix, and the first round reads
and writes all of it.

safegpu says, when the kernel is lowered:

    examples/bugs/slice_to_zero.py:25: SG808: memref_slice: slice(0, 0) along axis 0 is empty, and Mosaic GPU takes it for 0:64, to the end of shape (64, 64): write slice(0, None) to mean that

Leave the round out that has nothing to do: `if done:`.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 64


def copy(
    ctx: mgpu.LaunchContext[mgpu.sm_90a],
    source: mgpu.GmemRef[mgpu.float16],
    result: mgpu.GmemRef[mgpu.float16],
    _scratch: tuple[()],
) -> None:
    for done in range(0, ROWS, 16):
        before = mgpu.memref_slice(source, slice(0, done))
        mgpu.FragmentedArray.load_strided(before).store_untiled(mgpu.memref_slice(result, slice(0, done)))


def kernel() -> mgpu.Kernel:
    matrix = mgpu.GMEM((ROWS, COLUMNS), mgpu.float16)
    return mgpu.as_gpu_kernel(
        copy, grid=(1, 1, 1), block=(128, 1, 1), in_shape=matrix, out_shape=matrix, smem_scratch_shape=()
    )
