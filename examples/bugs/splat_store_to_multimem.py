"""Zeros stored to every GPU at once, straight from a splat.

A splat is one scalar for a whole array, and there is no multimem store of one ("Splat layout does not support
multimem").

safegpu says:

    examples/bugs/splat_store_to_multimem.py:27:25: SG105 splat-store-to-multimem: a splat array cannot be stored to a multimem reference: argument `ref` of FragmentedArray.store_untiled: got MultimemRef[float32], expected GmemRef[float32] | SmemRef[float32] | ClusterSmemRef[float32]  [arg-type]
        fix: give the array a tiled or strided layout first: FragmentedArray.splat(value, shape, layout)

Give the array a layout first: `zeros.to_layout(mgpu.WGStridedFragLayout((ROWS, COLUMNS), vec_size=4))`.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 128


def clear(
    ctx: mgpu.LaunchContext,
    source: mgpu.GmemRef[mgpu.float32],
    result: mgpu.GmemRef[mgpu.float32],
    _scratch: tuple[()],
) -> None:
    everywhere = ctx.to_remote_multicast(result)
    zeros = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (ROWS, COLUMNS))
    zeros.store_untiled(everywhere)


def kernel() -> mgpu.Kernel:
    array = mgpu.GMEM((ROWS, COLUMNS), mgpu.float32)
    return mgpu.as_gpu_kernel(
        clear,
        grid=(1, 1, 1),
        block=(128, 1, 1),
        in_shape=array,
        out_shape=array,
        smem_scratch_shape=(),
    )
