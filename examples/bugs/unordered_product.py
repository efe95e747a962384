"""The product is waited for, and the wait does not order the tensor core.

Loads of tensor memory are asynchronous: one may start before the wait is over, and bring what was there before. `orders_tensor_core` of
`mgpu.Barrier` would not help: only the wait's counts.

safegpu says, when the kernel is lowered:

    examples/bugs/unordered_product.py:42: SG901: TMEMRef.load reads the product of unordered_product.py:39, and the wait at unordered_product.py:41 does not order the tensor core: it may read what was there before; wait for the barrier that the product arrives at by tcgen05.commit_arrive, with barrier.wait(orders_tensor_core=True)

Wait with `scratch.multiplied.wait(orders_tensor_core=True)`.
"""

import safegpu as mgpu
from safegpu import tcgen05

M, N, K = 128, 128, 64


class Scratch(mgpu.Scratch[mgpu.sm_100a]):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 128), mgpu.float16, swizzle=128)
    loaded = mgpu.Barrier(arrival_count=2)
    multiplied = mgpu.Barrier(arrival_count=1)
    acc = mgpu.TMEM((128, 128), mgpu.float32)


def matmul(
    ctx: mgpu.LaunchContext,
    a: mgpu.GmemRef[mgpu.float16],
    b: mgpu.GmemRef[mgpu.float16],
    result: mgpu.GmemRef[mgpu.float32],
    scratch: Scratch,
) -> None:
    tiles = mgpu.TileTransform((8, 64))
    for source, tile in ((a, scratch.a), (b, scratch.b)):
        ctx.async_copy(src_ref=source, dst_ref=tile, gmem_transform=tiles, swizzle=128, barrier=scratch.loaded)
    scratch.loaded.wait()
    with mgpu.single_thread():
        tcgen05.mma(scratch.acc, scratch.a, scratch.b, accumulate=False)
        tcgen05.commit_arrive(scratch.multiplied)
    scratch.multiplied.wait()
    scratch.acc.load().store_untiled(result, optimized=False)


def kernel() -> mgpu.Kernel:
    a, b = mgpu.GMEM((M, K), mgpu.float16), mgpu.GMEM((K, N), mgpu.float16)
    return mgpu.as_gpu_kernel(
        matmul, (1, 1, 1), (128, 1, 1), (a, b), mgpu.GMEM((M, N), mgpu.float32), smem_scratch_shape=Scratch
    )
