"""An all-reduce across GPUs that the switch between them computes (Hopper and later).

A multimem address stands for the same place in the memory of every GPU: a load from it gives the sum over all
of them, a store to it writes to them all. Each GPU sums its share of the rows and stores the result for
everybody.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.experimental.mosaic.gpu as mgpu
import jax.numpy as jnp
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, gpu

TILE_ROWS = 64


def build(devices: int = 2, rows: int = 256, columns: int = 128, dtype: Any = jnp.float32) -> Any:
    """A kernel that gives every device the sum of the devices' inputs, each (rows, columns).

    Build and call it with a mesh of `devices` GPUs set, inside `jax.shard_map`. Its second argument and
    second result is a semaphore, (1,) int32, zero before and after. `dtype` is float32, float16 or bfloat16.
    """
    if rows % (devices * TILE_ROWS):
        raise ValueError(f"rows must be a multiple of {devices} devices x {TILE_ROWS} rows, got {rows}")
    blocks = rows // devices // TILE_ROWS
    # The widest access there is, 16 bytes a thread.
    layout = mgpu.WGStridedFragLayout((TILE_ROWS, columns), vec_size=16 // jnp.dtype(dtype).itemsize)

    def multimem_all_reduce(ctx: Any, source: Any, semaphore: Any, result: Any, _scratch: Any) -> None:
        index = ir.IndexType.get()
        device = arith.index_cast(index, ctx.device_id())
        tile = arith.addi(arith.muli(device, mgpu.c(blocks, index)), gpu.block_id(gpu.Dimension.x))
        row = arith.muli(tile, mgpu.c(TILE_ROWS, index))
        window = mgpu.ds(row, TILE_ROWS)

        # The runtime starts the kernel on all devices together, once their inputs are ready.
        everywhere = ctx.to_remote_multicast(mgpu.memref_slice(source, window))
        total = mgpu.FragmentedArray.load_reduce_untiled(everywhere, layout, "add")
        total.store_untiled(ctx.to_remote_multicast(mgpu.memref_slice(result, window)))

        # A device is done when all of them have read its input and written its output. Every block tells
        # every device and takes away as many signals as there are devices, whoever sent them: the last block
        # of a device cannot leave before all signals to it have come.
        mgpu.warpgroup_barrier()
        all_semaphores = ctx.to_remote_multicast(semaphore)
        mgpu.SemaphoreRef.signal_multimem(mgpu.utils.memref_ptr(all_semaphores.ref), 1)
        mgpu.SemaphoreRef(mgpu.utils.memref_ptr(semaphore)).wait(devices)

    array = jax.ShapeDtypeStruct((rows, columns), dtype)
    return mgpu.as_gpu_kernel(
        multimem_all_reduce,
        grid=(blocks, 1, 1),
        block=(128, 1, 1),
        in_shape=array,
        out_shape=array,
        smem_scratch_shape=(),
        inout_shape=jax.ShapeDtypeStruct((1,), jnp.int32),
    )
