"""A Hopper kernel is lowered for a Blackwell GPU: wgmma was taken out again, and tcgen05 came in its place.

Mosaic GPU lowers the instruction for any architecture, and ptxas refuses it on the machine that has the GPU.

safegpu says:

    examples/bugs/wgmma_on_blackwell.py:22:58: SG601 operation-the-architecture-lacks: the architecture that the kernel is for does not have this operation: sm_100a has no wgmma; sm_90a has it  [arg-type]
        fix: use tcgen05.mma with an accumulator in TMEM

Write the product as `tcgen05.mma` with an accumulator in tensor memory, or state `sm_90a`.
"""

import safegpu as mgpu


class Scratch(mgpu.Scratch[mgpu.sm_100a]):
    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)


def multiply(ctx: mgpu.LaunchContext[mgpu.sm_100a], result: mgpu.GmemRef[mgpu.float32], scratch: Scratch) -> None:
    acc = mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), scratch.a, scratch.b, swizzle=128)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(result, optimized=False)


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(multiply, (1, 1, 1), (128, 1, 1), (), mgpu.GMEM((64, 64), mgpu.float32), Scratch)
