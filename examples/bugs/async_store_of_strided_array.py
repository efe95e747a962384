"""An array in the strided layout, sent to another block.

`st.async` sends one register at a time, so each element must lie in exactly one register of the warpgroup at a place
that the tile decides. Mosaic GPU raises a bare NotImplementedError for the strided, splat and replicated layouts.

safegpu says:

    examples/bugs/async_store_of_strided_array.py:35:5: SG203 async-store-of-untiled-layout: store_tiled_async takes arrays of tiled layouts in which no element is replicated: the array is FragmentedArray[float16, Strided]  [call-arg]
        fix: load it in a tiled layout: load_untiled(ref, layout=mgpu.WGMMA_LAYOUT); for a splat: .splat(…, layout)

`examples/cluster_exchange.py` loads the tile in `WGMMA_LAYOUT`.
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
    tile = mgpu.FragmentedArray.load_strided(mgpu.memref_slice(source, window))
    tile.store_tiled_async(scratch.inbox, scratch.delivered, X, peer, swizzle=128)
    scratch.delivered.wait()
    received = mgpu.FragmentedArray.load_tiled(scratch.inbox, swizzle=128)
    received.store_untiled(mgpu.memref_slice(result, window), optimized=False)


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
