"""A tile sent to another block by way of global memory.

`store_tiled_async` is `st.async`: it writes to the shared memory of a block of the cluster and nothing else. Given a
global reference, Mosaic GPU asks for shared memory ("Expected SMEM but got: None").

safegpu says:

    examples/bugs/async_store_outside_smem.py:37:28: SG104 async-store-outside-smem: store_tiled_async takes the block's own SMEM buffer, and maps it to the target block itself: argument `ref` of FragmentedArray.store_tiled_async: got GmemRef[float16], expected SmemRef[float16]  [arg-type]
        fix: pass the SmemRef with cluster_dim and cluster_idx; use .store_tiled for global memory

`examples/cluster_exchange.py` sends into the peer's shared memory.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 64
X = mgpu.Dimension.x


class Exchange(mgpu.Scratch):
    inbox = mgpu.SMEM((ROWS, COLUMNS), mgpu.float16, swizzle=128)
    delivered = mgpu.Barrier(arrival_count=1)


def exchange(
    ctx: mgpu.LaunchContext,
    source: mgpu.GmemRef[mgpu.float16],
    result: mgpu.GmemRef[mgpu.float16],
    scratch: Exchange,
) -> None:
    window = mgpu.ds(mgpu.block_id(X) * ROWS, ROWS)
    peer = 1 - mgpu.cluster_block_id(X)
    scratch.delivered.arrive_expect_tx(ROWS * COLUMNS * 2, predicate=mgpu.single_thread_predicate())
    tile = mgpu.FragmentedArray.load_untiled(
        mgpu.memref_slice(source, window), layout=mgpu.WGMMA_LAYOUT, optimized=False
    )
    tile.store_tiled_async(mgpu.memref_slice(result, window), scratch.delivered, X, peer, swizzle=16)
    scratch.delivered.wait()


def kernel(pairs: int = 2) -> mgpu.Kernel:
    array = mgpu.GMEM((2 * pairs * ROWS, COLUMNS), mgpu.float16)
    return mgpu.as_gpu_kernel(
        exchange,
        grid=(2 * pairs, 1, 1),
        block=(128, 1, 1),
        in_shape=array,
        out_shape=array,
        smem_scratch_shape=Exchange,
        cluster=(2, 1, 1),
    )
