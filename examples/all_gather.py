"""An all-gather: every GPU of a host ends with the rows of all of them (Hopper and later).

Each GPU pushes its rows straight into the results of its peers over NVLink. A tile is read once, through the tensor
memory accelerator into shared memory, and written from there once for each GPU: the descriptor of a copy may name the
memory of a peer (`gmem_peer_id`), and then its stores go there as they go to the GPU's own memory.

Run it on all GPUs of a machine, or on its only one: `python -m examples.run all_gather`.
"""

from typing import Final

import safegpu as mgpu

TILE_ROWS: Final = 64
TILE_COLUMNS: Final = 128
SLOTS: Final = 4
X = mgpu.Dimension.x


class Ring(mgpu.Scratch):
    tiles = mgpu.SMEM((SLOTS, TILE_ROWS, TILE_COLUMNS), mgpu.bfloat16, swizzle=16)
    loaded = mgpu.Barrier(arrival_count=1, num_barriers=SLOTS)


def kernel(devices: int = 2, rows: int = 256, columns: int = 1024, blocks: int = 4) -> mgpu.Kernel:
    """A kernel of `blocks` blocks that gives every device the (rows, columns) bfloat16 of all of them, in their order.

    Build it with a mesh of `devices` GPUs set, and call it inside `jax.shard_map`: each passes its rows and receives
    (devices * rows, columns). Its second argument and second result is a semaphore, (1,) int32, zero before and after.
    Raises ValueError where the shape is not one of whole tiles, or the mesh is of another size.
    """
    for name, value in (("devices", devices), ("rows", rows), ("columns", columns), ("blocks", blocks)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
    if rows % TILE_ROWS or columns % TILE_COLUMNS:
        raise ValueError(f"(rows, columns) must be whole tiles of {TILE_ROWS}x{TILE_COLUMNS}, got {(rows, columns)}")
    tiles_across = columns // TILE_COLUMNS
    tiles = rows // TILE_ROWS * tiles_across
    if blocks > tiles:
        raise ValueError(f"blocks must be at most {tiles}, the number of tiles, got {blocks}")

    def all_gather(
        ctx: mgpu.LaunchContext,
        source: mgpu.GmemRef[mgpu.bfloat16],
        semaphore: mgpu.GmemRef[mgpu.int32],
        result: mgpu.GmemRef[mgpu.bfloat16],
        scratch: Ring,
    ) -> None:
        if max(ctx.num_peers, 1) != devices:
            raise ValueError(f"devices is {devices}, but the mesh that is set has {max(ctx.num_peers, 1)}")
        first = mgpu.block_id(X)
        count = (tiles - 1 - first) // blocks + 1
        # A GPU alone is of rank 0, and has nobody to ask.
        device = ctx.device_id() if devices > 1 else mgpu.c(0, mgpu.I32)
        # Every device begins with the next one, so that they do not all write to the same one at the same time.
        peers = [(device + offset) % devices for offset in range(1, devices)]

        def corner(step: mgpu.Index) -> tuple[mgpu.Index, mgpu.Index]:
            tile = first + step * blocks
            return tile // tiles_across * TILE_ROWS, tile % tiles_across * TILE_COLUMNS

        def load(step: mgpu.Index) -> None:
            slot = step % SLOTS
            with mgpu.when(step < count):
                row, column = corner(step)
                ctx.async_copy(
                    src_ref=source,
                    dst_ref=mgpu.memref_slice(scratch.tiles, slot),
                    gmem_slice=(mgpu.ds(row, TILE_ROWS), mgpu.ds(column, TILE_COLUMNS)),
                    barrier=scratch.loaded[slot],
                )

        for step in range(SLOTS - 1):
            load(mgpu.c(step, mgpu.Index))

        # The runtime lets no device start the kernel before all of them have come to it: what ran before it on a peer
        # has finished, so its result is there to be written to even if its own blocks have yet to begin.
        @mgpu.fori(count, None)
        def send(step: mgpu.Index, carry: None) -> None:
            slot = step % SLOTS
            # A slot is loaded again only once all threads have waited for its tile, so none of them misses a phase.
            scratch.loaded[slot].wait()
            tile = mgpu.memref_slice(scratch.tiles, slot)
            row, column = corner(step)
            place = mgpu.ds(device.to_index() * rows + row, TILE_ROWS), mgpu.ds(column, TILE_COLUMNS)
            for peer in (*peers, None):
                ctx.async_copy(src_ref=tile, dst_ref=result, gmem_slice=place, gmem_peer_id=peer)
            # All copies but this step's have read their slots: the slot of the step before is free for the next tile.
            ctx.await_async_copy(devices, await_read_only=True)
            load(step + (SLOTS - 1))
            return carry

        # A device is done when its peers have written all of their rows into its result. Every block tells each peer
        # once its writes have arrived there, and takes away as many signals as there are peers, whoever sent them. The
        # last block of a device cannot leave before all signals to it have come. Nor can all wait for ever, even where
        # only some blocks run at a time: to the device whose blocks have signalled the least often, the peers have sent
        # at least as many signals as its own waiting blocks take.
        ctx.await_async_copy(0)
        for peer in peers:
            mgpu.SemaphoreRef(mgpu.utils.memref_ptr(ctx.to_remote(semaphore, peer))).signal(1)
        if peers:
            mgpu.SemaphoreRef(mgpu.utils.memref_ptr(semaphore)).wait(len(peers))

    return mgpu.as_gpu_kernel(
        all_gather,
        grid=(blocks, 1, 1),
        block=(128, 1, 1),
        in_shape=mgpu.GMEM((rows, columns), mgpu.bfloat16),
        out_shape=mgpu.GMEM((devices * rows, columns), mgpu.bfloat16),
        smem_scratch_shape=Ring,
        inout_shape=mgpu.GMEM((1,), mgpu.int32),
    )
