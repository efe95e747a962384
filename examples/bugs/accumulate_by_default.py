"""One product, into an accumulator that nothing has written.

`tcgen05.mma` adds by default, and new tensor memory is not zero: what an earlier kernel left there is in the result. On a GPU that has done nothing
else it may well be zero.

safegpu says, when the kernel is lowered:

    examples/bugs/accumulate_by_default.py:47: SG906: tcgen05.mma at accumulate_by_default.py:39 adds to an accumulator that nothing has written: tensor memory holds what the last kernel left there; pass accumulate=False, or in a loop accumulate=step > 0

Pass `accumulate=False`; of several products, to the first.
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
        tcgen05.mma(scratch.acc, scratch.a, scratch.b)
        tcgen05.commit_arrive(scratch.multiplied)
    scratch.multiplied.wait(orders_tensor_core=True)
    scratch.acc.load().store_untiled(result, optimized=False)


def kernel() -> mgpu.Kernel:
    a, b = mgpu.GMEM((M, K), mgpu.float16), mgpu.GMEM((K, N), mgpu.float16)
    return mgpu.as_gpu_kernel(
        matmul, (1, 1, 1), (128, 1, 1), (a, b), mgpu.GMEM((M, N), mgpu.float32), smem_scratch_shape=Scratch
    )
