"""The sum goes into an input.

Mosaic GPU gives the body pointers and compares none of them with where they came from. The kernel runs, and the array
that JAX passed, which never changes, has changed: for whoever else holds it, before or after they looked.

safegpu says, when the kernel is lowered:

    examples/bugs/input_written.py:25: SG110: FragmentedArray.store_untiled: ref is an input of the kernel, and JAX counts on inputs to stay what they are; give the spec as out_shape=, or as inout_shape= where the kernel reads it, too

Give the spec as `inout_shape=`, and JAX gives the kernel a buffer of its own and returns it.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 64


def accumulate(
    ctx: mgpu.LaunchContext[mgpu.sm_90a],
    values: mgpu.GmemRef[mgpu.float32],
    total: mgpu.GmemRef[mgpu.float32],
    _scratch: tuple[()],
) -> None:
    tile = mgpu.FragmentedArray.load_untiled(values, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    tile.store_untiled(total, optimized=False, atomic="add")


def kernel() -> mgpu.Kernel:
    matrix = mgpu.GMEM((ROWS, COLUMNS), mgpu.float32)
    return mgpu.as_gpu_kernel(
        accumulate,
        grid=(1, 1, 1),
        block=(128, 1, 1),
        in_shape=(matrix, matrix),
        out_shape=(),
        smem_scratch_shape=(),
    )
