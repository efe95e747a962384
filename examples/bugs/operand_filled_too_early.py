"""One pair of buffers for all tiles of K, filled again while the tensor core still multiplies what is in them.

`wgmma` starts a product and returns. The next tile comes into the middle of it, and nothing says so.

safegpu says, when the kernel is lowered:

    examples/bugs/operand_filled_too_early.py:35: SG904: LaunchContext.async_copy overwrites an operand of the product of operand_filled_too_early.py:44, which may be under way: call wgmma_wait_group(0) before, or allow fewer groups to be under way there

Wait before the buffers are filled again: `mgpu.wgmma_wait_group(0)` at the end of a step. Or take turns with two pairs.
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
    for depth in range(0, 4 * K, K):
        at = mgpu.ds(depth, K)
        for source, tile, window in ((a, scratch.a, (slice(None), at)), (b, scratch.b, (at, slice(None)))):
            ctx.async_copy(
                src_ref=source,
                dst_ref=tile,
                gmem_slice=window,
                gmem_transform=tiles,
                swizzle=128,
                barrier=scratch.loaded,
            )
        scratch.loaded.wait()
        acc = mgpu.wgmma(acc, scratch.a, scratch.b, swizzle=128)
        mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(result, optimized=False)


def kernel() -> mgpu.Kernel:
    a, b = mgpu.GMEM((M, 4 * K), mgpu.float16), mgpu.GMEM((4 * K, N), mgpu.float16)
    return mgpu.as_gpu_kernel(
        matmul, (1, 1, 1), (128, 1, 1), (a, b), mgpu.GMEM((M, N), mgpu.float32), smem_scratch_shape=Scratch
    )
