"""The left operand of a product goes through registers into tensor memory, and is multiplied before it is there.

A store to tensor memory is asynchronous. The tensor core may read what was there before.

safegpu says, when the kernel is lowered:

    examples/bugs/uncommitted_operand.py:41: SG903: tcgen05.mma reads tensor memory that was stored to at uncommitted_operand.py:39, with no tcgen05.commit_tmem() between: the tensor core may read what was there before; call it after the store

Wait for it, in all threads of the warpgroup: `tcgen05.commit_tmem()` after the store.
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
    exponentials = mgpu.TMEM((128, 64), mgpu.float16, packing=2)


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
    exponents = mgpu.FragmentedArray.load_tiled(scratch.a, 128, layout=mgpu.TCGEN05_LAYOUT)
    scratch.exponentials.store(exponents.exp2())
    with mgpu.single_thread():
        tcgen05.mma(scratch.acc, scratch.exponentials, scratch.b, accumulate=False)
        tcgen05.commit_arrive(scratch.multiplied)
    scratch.multiplied.wait(orders_tensor_core=True)
    scratch.acc.load().store_untiled(result, optimized=False)


def kernel() -> mgpu.Kernel:
    a, b = mgpu.GMEM((M, K), mgpu.float16), mgpu.GMEM((K, N), mgpu.float16)
    return mgpu.as_gpu_kernel(
        matmul, (1, 1, 1), (128, 1, 1), (a, b), mgpu.GMEM((M, N), mgpu.float32), smem_scratch_shape=Scratch
    )
