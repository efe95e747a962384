"""A product with a transposed matrix, whose tiles are transposed on the way in and read as they are.

TMA puts the tiles of B column by column, as an operand K by N of a matrix N by K needs it. What is inside of a tile stays N by K, and the view that
would say so is missing: with as many tiles along both axes every shape fits, and B is multiplied with its blocks transposed, and not with its transpose.

safegpu says, when the kernel is lowered:

    examples/bugs/transposed_tiles.py:37: SG705: wgmma: b takes its tiles in another order than the copy at transposed_tiles.py:35 has put them in: blocks would be transposed, and not what is inside of them; the copy has a TransposeTransform, so give memref_transpose(ref, (0, 1, 3, 2))

Give `mgpu.memref_transpose(scratch.b, (0, 1, 3, 2))` to the MMA.
"""

import safegpu as mgpu

ROWS, COLUMNS, DEPTH = 64, 128, 128
TILE = (64, 64)


class Scratch(mgpu.Scratch[mgpu.sm_90a]):
    a = mgpu.SMEM((ROWS, DEPTH), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((DEPTH, COLUMNS), mgpu.float16, swizzle=128, tiling=TILE)
    loaded = mgpu.Barrier(2)


def product(
    ctx: mgpu.LaunchContext,
    a: mgpu.GmemRef[mgpu.float16],
    b: mgpu.GmemRef[mgpu.float16],
    result: mgpu.GmemRef[mgpu.float32],
    scratch: Scratch,
) -> None:
    as_it_is = mgpu.TileTransform((8, 64))
    transposed = (mgpu.TileTransform(TILE), mgpu.TransposeTransform((1, 0, 2, 3)))
    ctx.async_copy(src_ref=a, dst_ref=scratch.a, gmem_transform=as_it_is, swizzle=128, barrier=scratch.loaded)
    ctx.async_copy(src_ref=b, dst_ref=scratch.b, gmem_transform=transposed, swizzle=128, barrier=scratch.loaded)
    scratch.loaded.wait()
    acc = mgpu.wgmma(mgpu.WGMMAAccumulator.zero(ROWS, COLUMNS), scratch.a, scratch.b, swizzle=128)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(result, optimized=False)


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(
        product,
        grid=(1, 1, 1),
        block=(128, 1, 1),
        in_shape=(mgpu.GMEM((ROWS, DEPTH), mgpu.float16), mgpu.GMEM((COLUMNS, DEPTH), mgpu.float16)),
        out_shape=mgpu.GMEM((ROWS, COLUMNS), mgpu.float32),
        smem_scratch_shape=Scratch,
    )
