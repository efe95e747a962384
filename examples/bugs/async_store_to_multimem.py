"""A tile sent to every GPU at once with `store_tiled_async`.

A multimem reference is an address in the global memory of all GPUs, and `st.async` writes to the shared memory of one
block ("Multimem refs are not supported in store_tiled_async").

safegpu says:

    examples/bugs/async_store_to_multimem.py:28:28: SG103 async-store-to-multimem: store_tiled_async cannot write to a multimem reference: argument `ref` of FragmentedArray.store_tiled_async: got MultimemRef[float32], expected SmemRef[float32]  [arg-type]
        fix: use .store_tiled or .store_untiled, which take one

`examples/multimem_all_reduce.py` stores to all GPUs with `store_untiled`.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 128


def broadcast(
    ctx: mgpu.LaunchContext,
    source: mgpu.GmemRef[mgpu.float32],
    result: mgpu.GmemRef[mgpu.float32],
    delivered: mgpu.BarrierRef,
) -> None:
    everywhere = ctx.to_remote_multicast(result)
    block = mgpu.cluster_block_id(mgpu.Dimension.x)
    tile = mgpu.FragmentedArray.load_untiled(source, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    tile.store_tiled_async(everywhere, delivered, mgpu.Dimension.x, block, swizzle=16)


def kernel() -> mgpu.Kernel:
    array = mgpu.GMEM((ROWS, COLUMNS), mgpu.float32)
    return mgpu.as_gpu_kernel(
        broadcast,
        grid=(2, 1, 1),
        block=(128, 1, 1),
        in_shape=array,
        out_shape=array,
        smem_scratch_shape=mgpu.Barrier(arrival_count=1),
        cluster=(2, 1, 1),
    )
