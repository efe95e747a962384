"""A block of 64 threads, and an array.

Mosaic GPU spreads an array over the 128 threads of a warpgroup. 64 of them store their half, and the other half of the
result keeps what was there. Nothing is raised.

safegpu says:

    examples/bugs/block_of_two_warps.py:24: SG810: store_untiled stores what each thread of the warpgroup holds, and of its 128 threads this block of 64 has 64: give as_gpu_kernel a block of a multiple of 128

Give the block 128 threads: `(128, 1, 1)`.
"""

import safegpu as mgpu

MATRIX = mgpu.GMEM((64, 64), mgpu.float32)


def double(
    ctx: mgpu.LaunchContext[mgpu.sm_90a],
    source: mgpu.GmemRef[mgpu.float32],
    result: mgpu.GmemRef[mgpu.float32],
    _scratch: tuple[()],
) -> None:
    (mgpu.FragmentedArray.load_strided(source) * 2.0).store_untiled(result)


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(double, (1, 1, 1), (64, 1, 1), MATRIX, MATRIX, ())
