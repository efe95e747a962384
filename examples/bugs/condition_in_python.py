"""A condition on an array, asked by Python.

The array has no value while the kernel is traced, and to Python every object is true: the body of the `if` is lowered for
all elements, and negative ones are halved too. Nothing is raised.

safegpu says (pyright underlines the condition, too):

    examples/bugs/condition_in_python.py:25: SG811: an array of i1 is true or false on the GPU, and Python asks here, before the kernel runs: use mgpu.when(cond) for `if`, cond.select(a, b) for `a if cond else b`, & | ~ for `and`, `or`, `not`, a.max(b) for `max(a, b)`, and `is None` for what may be missing

Decide on the GPU: `(tile > 0.0).select(tile * 0.5, tile)`.
"""

import safegpu as mgpu

MATRIX = mgpu.GMEM((64, 64), mgpu.float32)


def halve_positive(
    ctx: mgpu.LaunchContext[mgpu.sm_90a],
    source: mgpu.GmemRef[mgpu.float32],
    result: mgpu.GmemRef[mgpu.float32],
    _scratch: tuple[()],
) -> None:
    tile = mgpu.FragmentedArray.load_untiled(source, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    if tile > 0.0:  # pyright: ignore[reportGeneralTypeIssues]
        tile = tile * 0.5
    tile.store_untiled(result, optimized=False)


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(halve_positive, (1, 1, 1), (128, 1, 1), MATRIX, MATRIX, ())
