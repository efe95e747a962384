"""The product is waited for and the accumulator stored, but not the one that has the product.

`wgmma` returns it, and leaves the one that it is given as it is. All elements come out as zero.

safegpu says, when the kernel is lowered:

    examples/bugs/discarded_product.py:43: SG907: nothing uses what wgmma returned at discarded_product.py:35, and the accumulator given to it, which does not have the product, is used again: write acc = wgmma(acc, …)

Keep it: `acc = mgpu.wgmma(acc, ...)`.
"""

import safegpu as mgpu

M, N, K = 64, 64, 64


class Scratch(mgpu.Scratch[mgpu.sm_90a]):
    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    loaded = mgpu.Barrier(arrival_count=2)


def matmul(
    ctx: mgpu.LaunchContext,
    a: mgpu.GmemRef[mgpu.float16],
    b: mgpu.GmemRef[mgpu.float16],
    result: mgpu.GmemRef[mgpu.float32],
    scratch: Scratch,
) -> None:
    tiles = mgpu.TileTransform((8, 64))
    acc = mgpu.WGMMAAccumulator.zero(M, N)
    for source, tile in ((a, scratch.a), (b, scratch.b)):
        ctx.async_copy(src_ref=source, dst_ref=tile, gmem_transform=tiles, swizzle=128, barrier=scratch.loaded)
    scratch.loaded.wait()
    mgpu.wgmma(acc, scratch.a, scratch.b, swizzle=128)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(result, optimized=False)


def kernel() -> mgpu.Kernel:
    a, b = mgpu.GMEM((M, K), mgpu.float16), mgpu.GMEM((K, N), mgpu.float16)
    return mgpu.as_gpu_kernel(
        matmul, (1, 1, 1), (128, 1, 1), (a, b), mgpu.GMEM((M, N), mgpu.float32), smem_scratch_shape=Scratch
    )
