"""A copy reduces unsigned numbers in global memory by `smin`, the minimum of signed ones.

MLIR's integers have no sign, so the operation says it. Numbers of 2**31 and more are negative to `smin`, and win.

safegpu says:

    examples/bugs/minimum_of_the_other_sign.py:25:5: SG306 reduction-dtype: that reduction is not defined for this dtype: argument `reduction_op` of LaunchContext.async_copy: got 'smin', expected 'add', 'umin', 'umax', 'inc', 'dec', 'and', 'or', 'xor'  [call-overload]
        fix: use one that the hardware has for the dtype (the rule's page lists them), or convert first

Reduce by `umin`.
"""

import safegpu as mgpu


class Scratch(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.uint32)


def minimum(
    ctx: mgpu.LaunchContext, source: mgpu.GmemRef[mgpu.uint32], result: mgpu.GmemRef[mgpu.uint32], scratch: Scratch
) -> None:
    mgpu.FragmentedArray.load_strided(source).store_untiled(scratch.tile)
    mgpu.commit_shared()
    ctx.async_copy(src_ref=scratch.tile, dst_ref=result, reduction_op="smin")
    ctx.await_async_copy(0)


def kernel() -> mgpu.Kernel:
    matrix = mgpu.GMEM((64, 64), mgpu.uint32)
    return mgpu.as_gpu_kernel(minimum, (1, 1, 1), (128, 1, 1), matrix, matrix, Scratch)
