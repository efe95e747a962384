"""A hash of int32, shifted as if it had no sign.

To MLIR, int32 and uint32 are one type, and Mosaic GPU's `bitcast` returns the array as it is when it has the type that
is asked for, with the signedness that it had. The shift then fills negative numbers with ones from the left.

safegpu says, when the kernel is lowered:

    examples/bugs/bitcast_of_signedness.py:24: SG311: FragmentedArray.bitcast: the array has is_signed=True, and Mosaic GPU returns it as it is where the width stays: it would be compared and divided as before; use .astype, which keeps the bits, too

Write `.astype(mgpu.uint32)`, which keeps the bits as well.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 64


def shift(
    ctx: mgpu.LaunchContext[mgpu.sm_90a],
    source: mgpu.GmemRef[mgpu.int32],
    result: mgpu.GmemRef[mgpu.uint32],
    _scratch: tuple[()],
) -> None:
    bits = mgpu.FragmentedArray.load_strided(source).bitcast(mgpu.uint32)
    (bits ^ (bits >> 16)).store_untiled(result)


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(
        shift,
        grid=(1, 1, 1),
        block=(128, 1, 1),
        in_shape=mgpu.GMEM((ROWS, COLUMNS), mgpu.int32),
        out_shape=mgpu.GMEM((ROWS, COLUMNS), mgpu.uint32),
        smem_scratch_shape=(),
    )
