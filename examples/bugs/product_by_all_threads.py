"""An MMA outside of `single_thread()`.

One thread issues an MMA of tensor memory. Here all 128 do, and each adds the product once more; the commit arrives 128 times
at a barrier that counts to one. Nothing is raised.

safegpu says:

    examples/bugs/product_by_all_threads.py:25: SG406: tcgen05.mma is issued by each of 128 threads, so that the product is added 128 times: put it under single_thread()

Put both under `mgpu.single_thread()`, and wait outside.
"""

import safegpu as mgpu
from safegpu import tcgen05


class Scratch(mgpu.Scratch[mgpu.sm_100a]):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    done = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 64), mgpu.float32)


def multiply(ctx: mgpu.LaunchContext, result: mgpu.GmemRef[mgpu.float32], scratch: Scratch) -> None:
    tcgen05.mma(scratch.acc, scratch.a, scratch.b)
    tcgen05.commit_arrive(scratch.done)
    scratch.done.wait(orders_tensor_core=True)
    scratch.acc.load().store_untiled(result, optimized=False)


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(multiply, (1, 1, 1), (128, 1, 1), (), mgpu.GMEM((128, 64), mgpu.float32), Scratch)
