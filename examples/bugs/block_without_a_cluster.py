"""A store to the other block of a pair, in a kernel that was built without `cluster=`.

The grid has two blocks, and each is a cluster of its own: a block 1 of it does not exist. A Hopper GPU ends the kernel: in one that has
no cluster of several blocks, `st.async` is an illegal instruction.

safegpu says:

    examples/bugs/block_without_a_cluster.py:29: SG503: store_tiled_async sends by st.async, which a Hopper GPU takes for an illegal instruction where a kernel has no cluster of several blocks, also to the block itself: give as_gpu_kernel cluster=, or store with .store_tiled

Build it with `cluster=(2, 1, 1)`.
"""

import safegpu as mgpu

MATRIX = mgpu.GMEM((64, 64), mgpu.float16)
X = mgpu.Dimension.x


class Scratch(mgpu.Scratch[mgpu.sm_90a]):
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    full = mgpu.Barrier(1)


def exchange(
    ctx: mgpu.LaunchContext, source: mgpu.GmemRef[mgpu.float16], result: mgpu.GmemRef[mgpu.float16], scratch: Scratch
) -> None:
    array = mgpu.FragmentedArray.load_untiled(source, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    scratch.full.arrive_expect_tx(64 * 64 * 2, predicate=mgpu.single_thread_predicate())
    array.store_tiled_async(scratch.tile, scratch.full, X, 1 - mgpu.cluster_block_id(X), swizzle=128)
    scratch.full.wait()


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(exchange, (2, 1, 1), (128, 1, 1), MATRIX, MATRIX, Scratch)
