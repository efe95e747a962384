"""Two blocks of a cluster swap tiles through distributed shared memory (Hopper).

Neither tile passes through global memory: each block sends its registers straight into the other's shared memory with
`st.async`, which also reports the bytes it has delivered to an mbarrier of the receiving block. The reducing form sends
`red.async`, so that both blocks end with the sum of the two tiles.

Run it on a Hopper GPU: `python -m examples.run cluster_exchange`.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 64
X = mgpu.Dimension.x


class Exchange(mgpu.Scratch):
    inbox = mgpu.SMEM((ROWS, COLUMNS), mgpu.float16, swizzle=128)
    delivered = mgpu.Barrier(arrival_count=1)


def cluster_exchange(
    ctx: mgpu.LaunchContext,
    source: mgpu.GmemRef[mgpu.float16],
    result: mgpu.GmemRef[mgpu.float16],
    scratch: Exchange,
) -> None:
    window = mgpu.ds(mgpu.block_id(X) * ROWS, ROWS)
    peer = 1 - mgpu.cluster_block_id(X)

    # The launch has initialised the barriers of both blocks and synchronised the cluster, so the peer is there to be
    # written to. Its bytes may come before this block announces how many it expects: the barrier cannot complete
    # without that one arrival.
    tile_bytes = ROWS * COLUMNS * mgpu.float16.bits // 8
    scratch.delivered.arrive_expect_tx(tile_bytes, predicate=mgpu.single_thread_predicate())
    tile = mgpu.FragmentedArray.load_untiled(
        mgpu.memref_slice(source, window), layout=mgpu.WGMMA_LAYOUT, optimized=False
    )
    tile.store_tiled_async(scratch.inbox, scratch.delivered, X, peer, swizzle=128)

    # A block that has received the whole tile is written to by nobody any more, so it may also exit.
    scratch.delivered.wait()
    received = mgpu.FragmentedArray.load_tiled(scratch.inbox, swizzle=128)
    received.store_untiled(mgpu.memref_slice(result, window), optimized=False)


def exchange(pairs: int = 2) -> mgpu.Kernel:
    """A kernel of `pairs` clusters: its input, (128 * pairs, 64) float16, with every two tiles of 64 rows swapped."""
    array = mgpu.GMEM((2 * pairs * ROWS, COLUMNS), mgpu.float16)
    return mgpu.as_gpu_kernel(
        cluster_exchange,
        grid=(2 * pairs, 1, 1),
        block=(128, 1, 1),
        in_shape=array,
        out_shape=array,
        smem_scratch_shape=Exchange,
        cluster=(2, 1, 1),
    )


class Reduce(mgpu.Scratch):
    total = mgpu.SMEM((ROWS, COLUMNS), mgpu.int32, swizzle=128)
    delivered = mgpu.Barrier(arrival_count=1)
    initialised = mgpu.ClusterBarrier(collective_dims=(X,))


def cluster_reduce(
    ctx: mgpu.LaunchContext,
    source: mgpu.GmemRef[mgpu.int32],
    result: mgpu.GmemRef[mgpu.int32],
    scratch: Reduce,
) -> None:
    window = mgpu.ds(mgpu.block_id(X) * ROWS, ROWS)
    peer = 1 - mgpu.cluster_block_id(X)

    tile_bytes = ROWS * COLUMNS * mgpu.int32.bits // 8
    scratch.delivered.arrive_expect_tx(tile_bytes, predicate=mgpu.single_thread_predicate())
    tile = mgpu.FragmentedArray.load_untiled(
        mgpu.memref_slice(source, window), layout=mgpu.WGMMA_LAYOUT, optimized=False
    )
    tile.store_tiled(scratch.total, swizzle=128)
    # The peer adds to this tile, so it has to wait for every thread's part of it. One thread arrives for the whole
    # warpgroup, and only what that warpgroup has finished counts.
    mgpu.warpgroup_barrier()
    scratch.initialised.arrive()
    scratch.initialised.wait()
    tile.store_tiled_async(scratch.total, scratch.delivered, X, peer, swizzle=128, atomic="add")

    scratch.delivered.wait()
    summed = mgpu.FragmentedArray.load_tiled(scratch.total, swizzle=128)
    summed.store_untiled(mgpu.memref_slice(result, window), optimized=False)


def reduce(pairs: int = 2) -> mgpu.Kernel:
    """As `exchange`, of int32, but the blocks add: both tiles of a pair come out as the sum of the two."""
    array = mgpu.GMEM((2 * pairs * ROWS, COLUMNS), mgpu.int32)
    return mgpu.as_gpu_kernel(
        cluster_reduce,
        grid=(2 * pairs, 1, 1),
        block=(128, 1, 1),
        in_shape=array,
        out_shape=array,
        smem_scratch_shape=Reduce,
        cluster=(2, 1, 1),
    )
