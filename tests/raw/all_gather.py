"""An all-gather: every GPU of a host ends with the rows of all of them (Hopper and later).

Each GPU pushes its rows straight into the results of its peers over NVLink. A tile is read once, through the
tensor memory accelerator into shared memory, and written from there once for each GPU: the descriptor of a copy
may name the memory of a peer (`gmem_peer_id`), and then its stores go there as they go to the GPU's own memory.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.experimental.mosaic.gpu as mgpu
import jax.numpy as jnp
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, gpu

TILE_ROWS, TILE_COLUMNS, SLOTS = 64, 128, 4


def build(devices: int = 2, rows: int = 256, columns: int = 1024, blocks: int = 4, dtype: Any = jnp.bfloat16) -> Any:
    """A kernel of `blocks` blocks that gives every device the (rows, columns) of all of them, in their order.

    Build and call it with a mesh of `devices` GPUs set, inside `jax.shard_map`. Its second argument and second
    result is a semaphore, (1,) int32, zero before and after.
    """
    tiles_across = columns // TILE_COLUMNS
    tiles = rows // TILE_ROWS * tiles_across

    def all_gather(ctx: Any, source: Any, semaphore: Any, result: Any, scratch: Any) -> None:
        ring, loaded = scratch
        i32, index = ir.IntegerType.get_signless(32), ir.IndexType.get()

        def const(value: int) -> Any:
            return mgpu.c(value, index)

        first = gpu.block_id(gpu.Dimension.x)
        count = arith.addi(
            arith.divui(arith.subi(const(tiles - 1), first), const(blocks)),
            const(1),
        )
        device = ctx.device_id() if devices > 1 else mgpu.c(0, i32)
        # Every device begins with the next one, so that they do not all write to the same one at the same time.
        peers = [
            arith.remui(arith.addi(device, mgpu.c(offset, i32)), mgpu.c(devices, i32)) for offset in range(1, devices)
        ]

        def corner(step: Any) -> Any:
            tile = arith.addi(first, arith.muli(step, const(blocks)))
            row = arith.muli(arith.divui(tile, const(tiles_across)), const(TILE_ROWS))
            return row, arith.muli(arith.remui(tile, const(tiles_across)), const(TILE_COLUMNS))

        def load(step: Any) -> None:
            slot = arith.remui(step, const(SLOTS))
            with mgpu.when(arith.cmpi(arith.CmpIPredicate.ult, step, count)):
                row, column = corner(step)
                ctx.async_copy(
                    src_ref=source,
                    dst_ref=mgpu.memref_slice(ring, slot),
                    gmem_slice=(mgpu.ds(row, TILE_ROWS), mgpu.ds(column, TILE_COLUMNS)),
                    barrier=loaded[slot],
                )

        for step in range(SLOTS - 1):
            load(const(step))

        # The runtime lets no device start the kernel before all of them have come to it: what ran before it on a
        # peer has finished, so its result is there to be written to even if its own blocks have yet to begin.
        @mgpu.fori(count, None)
        def send(step: Any, carry: None) -> None:
            slot = arith.remui(step, const(SLOTS))
            loaded[slot].wait()
            tile = mgpu.memref_slice(ring, slot)
            row, column = corner(step)
            row = arith.addi(arith.muli(arith.index_cast(index, device), const(rows)), row)
            place = mgpu.ds(row, TILE_ROWS), mgpu.ds(column, TILE_COLUMNS)
            for peer in (*peers, None):
                ctx.async_copy(src_ref=tile, dst_ref=result, gmem_slice=place, gmem_peer_id=peer)
            ctx.await_async_copy(devices, await_read_only=True)
            load(arith.addi(step, const(SLOTS - 1)))
            return carry

        # A device is done when its peers have written all of their rows into its result. Every block tells each
        # peer once its writes have arrived there, and takes away as many signals as there are peers, whoever sent
        # them: the last block of a device cannot leave before all signals to it have come.
        ctx.await_async_copy(0)
        for peer in peers:
            mgpu.SemaphoreRef(mgpu.utils.memref_ptr(ctx.to_remote(semaphore, peer))).signal(1)
        if peers:
            mgpu.SemaphoreRef(mgpu.utils.memref_ptr(semaphore)).wait(len(peers))

    return mgpu.as_gpu_kernel(
        all_gather,
        grid=(blocks, 1, 1),
        block=(128, 1, 1),
        in_shape=jax.ShapeDtypeStruct((rows, columns), dtype),
        out_shape=jax.ShapeDtypeStruct((devices * rows, columns), dtype),
        smem_scratch_shape=(
            jax.ShapeDtypeStruct((SLOTS, TILE_ROWS, TILE_COLUMNS), dtype),
            mgpu.Barrier(arrival_count=1, num_barriers=SLOTS),
        ),
        inout_shape=jax.ShapeDtypeStruct((1,), jnp.int32),
    )
