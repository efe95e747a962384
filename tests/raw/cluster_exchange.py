"""Two blocks of a cluster exchange tiles through distributed shared memory (Hopper).

Neither tile passes through global memory: each block sends its registers straight into the other's shared
memory with `st.async`, which also reports the bytes it has delivered to an mbarrier of the receiving block.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.experimental.mosaic.gpu as mgpu
import jax.numpy as jnp
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, gpu

SWIZZLE = 128
ROWS, COLUMNS = 64, 64


def build(pairs: int = 2) -> Any:
    """A kernel of `pairs` clusters, which gives its input with every two consecutive tiles exchanged."""
    dtype = jnp.float16
    tile_bytes = ROWS * COLUMNS * jnp.dtype(dtype).itemsize
    tiling = (8, SWIZZLE // jnp.dtype(dtype).itemsize)

    def cluster_exchange(ctx: Any, source: Any, result: Any, scratch: Any) -> None:
        inbox, delivered = scratch
        index = ir.IndexType.get()
        row = arith.muli(gpu.block_id(gpu.Dimension.x), mgpu.c(ROWS, index))
        window = mgpu.ds(row, ROWS)
        block = gpu.cluster_block_id(gpu.Dimension.x)
        peer = arith.subi(mgpu.c(1, index), block)

        # The launch has initialised the barriers of both blocks and synchronised the cluster, so the peer is
        # there to be written to. Its bytes may come before this block announces how many it expects: the
        # barrier cannot complete without that one arrival.
        delivered.arrive_expect_tx(tile_bytes, predicate=mgpu.single_thread_predicate())
        tile = mgpu.FragmentedArray.load_untiled(
            mgpu.memref_slice(source, window), layout=mgpu.WGMMA_LAYOUT, optimized=False
        )
        tile.store_tiled_async(inbox, delivered, gpu.Dimension.x, peer, swizzle=SWIZZLE)

        # A block that has received the whole tile is written to by nobody any more, so it may also exit.
        delivered.wait()
        received = mgpu.FragmentedArray.load_tiled(inbox, swizzle=SWIZZLE, layout=mgpu.WGMMA_LAYOUT)
        received.store_untiled(mgpu.memref_slice(result, window), optimized=False)

    array = jax.ShapeDtypeStruct((2 * pairs * ROWS, COLUMNS), dtype)
    inbox = jax.ShapeDtypeStruct(mgpu.tile_shape((ROWS, COLUMNS), tiling), dtype)
    return mgpu.as_gpu_kernel(
        cluster_exchange,
        grid=(2 * pairs, 1, 1),
        block=(128, 1, 1),
        in_shape=array,
        out_shape=array,
        smem_scratch_shape=(inbox, mgpu.Barrier(arrival_count=1)),
        cluster=(2, 1, 1),
    )


def build_reduce(pairs: int = 2) -> Any:
    """As `build`, but the blocks add: both tiles of a pair come out as the sum of the two."""
    dtype = jnp.int32
    tile_bytes = ROWS * COLUMNS * jnp.dtype(dtype).itemsize
    tiling = (8, SWIZZLE // jnp.dtype(dtype).itemsize)

    def cluster_reduce(ctx: Any, source: Any, result: Any, scratch: Any) -> None:
        total, delivered, initialised = scratch
        index = ir.IndexType.get()
        row = arith.muli(gpu.block_id(gpu.Dimension.x), mgpu.c(ROWS, index))
        window = mgpu.ds(row, ROWS)
        block = gpu.cluster_block_id(gpu.Dimension.x)
        peer = arith.subi(mgpu.c(1, index), block)

        delivered.arrive_expect_tx(tile_bytes, predicate=mgpu.single_thread_predicate())
        tile = mgpu.FragmentedArray.load_untiled(
            mgpu.memref_slice(source, window), layout=mgpu.WGMMA_LAYOUT, is_signed=True, optimized=False
        )
        tile.store_tiled(total, swizzle=SWIZZLE)
        # The peer adds to this tile, so it has to wait for every thread's part of it. One thread arrives for
        # the whole warpgroup, and only what that warpgroup has finished counts.
        mgpu.warpgroup_barrier()
        initialised.arrive()
        initialised.wait()
        tile.store_tiled_async(total, delivered, gpu.Dimension.x, peer, swizzle=SWIZZLE, atomic="add")

        delivered.wait()
        summed = mgpu.FragmentedArray.load_tiled(total, swizzle=SWIZZLE, layout=mgpu.WGMMA_LAYOUT, is_signed=True)
        summed.store_untiled(mgpu.memref_slice(result, window), optimized=False)

    array = jax.ShapeDtypeStruct((2 * pairs * ROWS, COLUMNS), dtype)
    total = jax.ShapeDtypeStruct(mgpu.tile_shape((ROWS, COLUMNS), tiling), dtype)
    initialised = mgpu.ClusterBarrier(collective_dims=(gpu.Dimension.x,))
    return mgpu.as_gpu_kernel(
        cluster_reduce,
        grid=(2 * pairs, 1, 1),
        block=(128, 1, 1),
        in_shape=array,
        out_shape=array,
        smem_scratch_shape=(total, mgpu.Barrier(arrival_count=1), initialised),
        cluster=(2, 1, 1),
    )
