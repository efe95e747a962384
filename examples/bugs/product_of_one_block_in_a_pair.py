"""The accumulator is allocated for a pair of blocks, and the product is issued for one.

`collective` is said in three places: of the allocation, of the product and of its commit. The product of one block uses
half of the columns in another layout than a pair does.

safegpu says:

    examples/bugs/product_of_one_block_in_a_pair.py:27:9: SG501 collective-mismatch: tensor memory of one block in an operation of a pair of blocks, or the other way round: `d` is TMEM of a pair of blocks, `collective` of tcgen05.mma says otherwise  [misc]
        fix: give TMEM(...), the copies, the MMA and commit_arrive of a kernel the same collective=

Say `collective=True` of the product and of its commit as well.
"""

import safegpu as mgpu
from safegpu import tcgen05


class Scratch(mgpu.Scratch[mgpu.sm_100a]):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    done = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 64), mgpu.float32, collective=True)


def multiply(ctx: mgpu.LaunchContext, result: mgpu.GmemRef[mgpu.float32], scratch: Scratch) -> None:
    with mgpu.single_thread():
        tcgen05.mma(scratch.acc, scratch.a, scratch.b, a_swizzle=128, b_swizzle=128, accumulate=False, collective=False)
        tcgen05.commit_arrive(scratch.done)
    scratch.done.wait(orders_tensor_core=True)


def kernel() -> mgpu.Kernel:
    shape = mgpu.GMEM((128, 64), mgpu.float32)
    return mgpu.as_gpu_kernel(multiply, (2, 1, 1), (128, 1, 1), (), shape, Scratch, cluster=(2, 1, 1))
