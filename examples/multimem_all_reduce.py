"""An all-reduce across GPUs that the switch between them computes (Hopper and later).

A multimem address stands for the same place in the memory of every GPU: a load from it gives the sum over all of them,
a store to it writes to them all. Each GPU sums its share of the rows and stores the result for everybody.

It needs several GPUs joined by NVLink with multicast, so `python -m examples.run` lowers it, and compiles it for sm_90a
where it can, but launches it nowhere.
"""

import safegpu as mgpu

TILE_ROWS, COLUMNS = 64, 128


def kernel(devices: int = 2, rows: int = 256) -> mgpu.Kernel:
    """A kernel that gives every device the sum of the devices' inputs, each (rows, 128) float32.

    Build and call it with a mesh of `devices` GPUs set, inside `jax.shard_map`. Its second argument and second result
    is a semaphore, (1,) int32, zero before and after. Raises ValueError where the rows do not divide into tiles.
    """
    if rows % (devices * TILE_ROWS):
        raise ValueError(f"rows must be a multiple of {devices} devices x {TILE_ROWS} rows, got {rows}")
    blocks = rows // devices // TILE_ROWS
    # The widest access there is: 16 bytes, four elements, a thread.
    layout = mgpu.WGStridedFragLayout((TILE_ROWS, COLUMNS), vec_size=4)

    def multimem_all_reduce(
        ctx: mgpu.LaunchContext,
        source: mgpu.GmemRef[mgpu.float32],
        semaphore: mgpu.GmemRef[mgpu.int32],
        result: mgpu.GmemRef[mgpu.float32],
        _scratch: tuple[()],
    ) -> None:
        tile = ctx.device_id().to_index() * blocks + mgpu.block_id(mgpu.Dimension.x)
        window = mgpu.ds(tile * TILE_ROWS, TILE_ROWS)

        # The runtime starts the kernel on all devices together, once their inputs are ready.
        everywhere = ctx.to_remote_multicast(mgpu.memref_slice(source, window))
        total = mgpu.FragmentedArray.load_reduce_untiled(everywhere, layout, "add")
        total.store_untiled(ctx.to_remote_multicast(mgpu.memref_slice(result, window)))

        # A device is done when all of them have read its input and written its output. Every block tells every device
        # and takes away as many signals as there are devices, whoever sent them: the last block of a device cannot
        # leave before all signals to it have come.
        mgpu.warpgroup_barrier()
        all_semaphores = ctx.to_remote_multicast(semaphore)
        mgpu.SemaphoreRef.signal_multimem(mgpu.utils.memref_ptr(all_semaphores.ref), 1)
        mgpu.SemaphoreRef(mgpu.utils.memref_ptr(semaphore)).wait(devices)

    array = mgpu.GMEM((rows, COLUMNS), mgpu.float32)
    return mgpu.as_gpu_kernel(
        multimem_all_reduce,
        grid=(blocks, 1, 1),
        block=(128, 1, 1),
        in_shape=array,
        out_shape=array,
        smem_scratch_shape=(),
        inout_shape=mgpu.GMEM((1,), mgpu.int32),
    )
