"""Float16 registers stored into a bfloat16 buffer.

Mosaic GPU compares the widths of no two dtypes in a store: the kernel lowers, compiles and runs, and the bits of each
float16 are read as a bfloat16. 1.0 comes out as 0.0078125.

safegpu says:

    examples/bugs/reinterpreted_dtype.py:26:24: SG302 memory-store-dtype: the array is stored to a buffer of another dtype, which reinterprets its bits: argument `ref` of FragmentedArray.store_untiled: got GmemRef[bfloat16], expected GmemRef[float16]  [arg-type]
        fix: convert the array with .astype first; to mean the bits, use .bitcast

Convert first: `tile.astype(mgpu.bfloat16)`.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 64


def convert(
    ctx: mgpu.LaunchContext,
    source: mgpu.GmemRef[mgpu.float16],
    result: mgpu.GmemRef[mgpu.bfloat16],
    _scratch: tuple[()],
) -> None:
    tile = mgpu.FragmentedArray.load_untiled(source, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    tile.store_untiled(result, optimized=False)


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(
        convert,
        grid=(1, 1, 1),
        block=(128, 1, 1),
        in_shape=mgpu.GMEM((ROWS, COLUMNS), mgpu.float16),
        out_shape=mgpu.GMEM((ROWS, COLUMNS), mgpu.bfloat16),
        smem_scratch_shape=(),
    )
