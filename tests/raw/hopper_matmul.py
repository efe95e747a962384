"""A matmul that is as fast as cuBLAS's where k is large (Hopper): warp-specialised, persistent, with multicast copies.

One thread of a block's third warpgroup keeps a ring of tiles of A and B filled through TMA; the other two warpgroups
multiply and store. The blocks of a cluster multicast the operands that they share.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.experimental.mosaic.gpu as mgpu
import jax.numpy as jnp
from jax.experimental.mosaic.gpu import utils
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, gpu, nvvm

X, Y = gpu.Dimension.x, gpu.Dimension.y
CONSUMERS = 2
SWIZZLE = 128


def build(
    m: int,
    n: int,
    k: int,
    dtype: Any = jnp.float16,
    out_dtype: Any = jnp.float16,
    *,
    tile_m: int = 128,
    tile_n: int = 256,
    tile_k: int | None = None,
    stages: int = 4,
    split: str = "m",
    cluster_m: int = 2,
    cluster_n: int = 1,
    grid_minor: str = "m",
    grid_width: int = 4,
    epilogue_n: int | None = None,
    release_delay: int = 0,
    blocks: int = 132,
    producer_registers: int = 40,
    b_transposed: bool = False,
) -> Any:
    """A kernel that gives A @ B for A (m, k) and B (k, n), or A @ B.T for B (n, k)."""
    dtype, out_dtype = jnp.dtype(dtype), jnp.dtype(out_dtype)
    tile_k = tile_k or SWIZZLE // dtype.itemsize
    width = epilogue_n or SWIZZLE // out_dtype.itemsize
    m_tiles, n_tiles = m // (tile_m * cluster_m), n // (tile_n * cluster_n)
    turns_at_most = -(-m_tiles * n_tiles // (blocks // (cluster_m * cluster_n)))
    clusters = -(-m_tiles * n_tiles // turns_at_most)
    rows, columns = (tile_m // CONSUMERS, tile_n) if split == "m" else (tile_m, tile_n // CONSUMERS)
    chunks = rows // 64 * (columns // width)
    out_slots = min(2, chunks)
    consumer_registers = (3 * 168 - producer_registers) // CONSUMERS // 8 * 8
    slot_bytes = (tile_m + tile_n) * tile_k * dtype.itemsize
    in_tiling, out_tiling = (8, SWIZZLE // dtype.itemsize), (8, SWIZZLE // out_dtype.itemsize)

    index = ir.IndexType.get
    i32 = lambda: ir.IntegerType.get_signless(32)
    c = lambda value: arith.constant(index(), value)
    eq = lambda value, other: arith.cmpi(arith.CmpIPredicate.eq, value, other)

    def origin(tile: Any) -> tuple[Any, Any]:
        minor_tiles, major_tiles = (n_tiles, m_tiles) if grid_minor == "n" else (m_tiles, n_tiles)
        band = arith.divui(tile, c(grid_width * major_tiles))
        inside = arith.remui(tile, c(grid_width * major_tiles))
        start = arith.muli(band, c(grid_width))
        band_width = arith.minui(arith.subi(c(minor_tiles), start), c(grid_width))
        along = arith.divui(inside, band_width)
        minor = arith.addi(start, arith.remui(inside, band_width))
        major = arith.select(eq(arith.remui(band, c(2)), c(0)), along, arith.subi(c(major_tiles - 1), along))
        row, column = (major, minor) if grid_minor == "n" else (minor, major)
        row = arith.addi(arith.muli(row, c(cluster_m)), gpu.cluster_block_id(X))
        row = arith.muli(row, c(tile_m))
        column = arith.addi(arith.muli(column, c(cluster_n)), gpu.cluster_block_id(Y))
        column = arith.muli(column, c(tile_n))
        return row, column

    def after(slot: Any) -> Any:
        last = eq(slot, c(stages - 1))
        following = arith.addi(slot, c(1))
        return arith.select(last, c(0), following)

    def before(slot: Any) -> Any:
        first = eq(slot, c(0))
        preceding = arith.subi(slot, c(1))
        return arith.select(first, c(stages - 1), preceding)

    def hopper_matmul(ctx: Any, a: Any, b: Any, out: Any, scratch: Any) -> None:
        a_smem, b_smem, out_smem, filled_barriers, free_barriers = scratch
        group = mgpu.warpgroup_idx()
        cluster_id = arith.divui(gpu.block_id(X), c(cluster_m))
        turns = arith.divui(arith.subi(c(m_tiles * n_tiles + clusters - 1), cluster_id), c(clusters))
        steps = c(k // tile_k)
        first_slot = c(0)

        def load(slot: Any, row: Any, column: Any, depth: Any) -> None:
            filled = filled_barriers[slot]
            filled.arrive_expect_tx(slot_bytes)
            at_k, at_n = mgpu.ds(depth, tile_k), mgpu.ds(column, tile_n)
            common: dict[str, Any] = dict(
                gmem_transform=mgpu.TileTransform(in_tiling),
                swizzle=SWIZZLE,
                barrier=filled,
                arrive=False,
                predicate=None,
            )
            ctx.async_copy(
                src_ref=a,
                dst_ref=mgpu.memref_slice(a_smem, slot),
                gmem_slice=(mgpu.ds(row, tile_m), at_k),
                collective=Y,
                **common,
            )
            ctx.async_copy(
                src_ref=b,
                dst_ref=mgpu.memref_slice(b_smem, slot),
                gmem_slice=(at_n, at_k) if b_transposed else (at_k, at_n),
                collective=X,
                **common,
            )

        with mgpu.when(eq(group, arith.constant(i32(), CONSUMERS))):
            nvvm.setmaxregister(producer_registers, nvvm.SetMaxRegisterAction.decrease)
            with mgpu.single_thread(utils.ThreadSubset.WARPGROUP):

                @mgpu.fori(turns, first_slot)
                def produce(turn: Any, slot: Any) -> Any:
                    row, column = origin(arith.addi(cluster_id, arith.muli(turn, c(clusters))))

                    @mgpu.fori(steps, slot)
                    def ring(step: Any, slot: Any) -> Any:
                        free_barriers[slot].wait()
                        load(slot, row, column, arith.muli(step, c(tile_k)))
                        return after(slot)

                    return ring.result

                for freed in free_barriers:
                    freed.wait()

        is_consumer = arith.cmpi(arith.CmpIPredicate.slt, group, arith.constant(i32(), CONSUMERS))
        with mgpu.when(is_consumer):
            nvvm.setmaxregister(consumer_registers, nvvm.SetMaxRegisterAction.increase)
            mine = arith.index_cast(index(), group)
            for never_filled in free_barriers:
                never_filled.arrive()

            def multiply(acc: Any, slot: Any) -> Any:
                a_tile, b_tile = mgpu.memref_slice(a_smem, slot), mgpu.memref_slice(b_smem, slot)
                if split == "m":
                    a_tile = mgpu.memref_slice(a_tile, mgpu.ds(arith.muli(mine, c(rows // 8)), rows // 8))
                elif b_transposed:
                    b_tile = mgpu.memref_slice(b_tile, mgpu.ds(arith.muli(mine, c(columns // 8)), columns // 8))
                else:
                    at_n = mgpu.ds(arith.muli(mine, c(columns // 64)), columns // 64)
                    b_tile = mgpu.memref_slice(b_tile, (slice(None), at_n))
                if b_transposed:
                    b_tile = mgpu.memref_transpose(b_tile, (1, 0, 3, 2))
                return mgpu.wgmma(acc, a_tile, b_tile, swizzle=SWIZZLE)

            def take_out(tile: Any, row: Any, column: Any) -> None:
                if split == "m":
                    row = arith.addi(row, arith.muli(mine, c(rows)))
                else:
                    column = arith.addi(column, arith.muli(mine, c(columns)))
                for chunk in range(chunks):
                    i, j = chunk // (columns // width) * 64, chunk % (columns // width) * width
                    slot = mgpu.memref_slice(out_smem, (mine, chunk % out_slots))
                    ctx.await_async_copy(out_slots - 1, await_read_only=True)
                    tile[i : i + 64, j : j + width].store_tiled(slot, swizzle=SWIZZLE)
                    mgpu.commit_shared()
                    ctx.async_copy(
                        src_ref=slot,
                        dst_ref=out,
                        gmem_slice=(
                            mgpu.ds(arith.addi(row, c(i)), 64),
                            mgpu.ds(arith.addi(column, c(j)), width),
                        ),
                        gmem_transform=mgpu.TileTransform(out_tiling),
                        swizzle=SWIZZLE,
                    )

            @mgpu.fori(turns, first_slot)
            def consume(turn: Any, slot: Any) -> Any:
                @mgpu.fori(steps, (slot, mgpu.WGMMAAccumulator.zero(rows, columns)))
                def ring(step: Any, carry: Any) -> Any:
                    slot, acc = carry
                    filled_barriers[slot].wait()
                    acc = multiply(acc, slot)
                    nvvm.wgmma_commit_group_sync_aligned()
                    nvvm.wgmma_wait_group_sync_aligned(release_delay)
                    if release_delay:
                        freed = free_barriers[before(slot)]
                        freed.arrive(predicate=arith.cmpi(arith.CmpIPredicate.ugt, step, c(0)))
                    else:
                        free_barriers[slot].arrive()
                    return after(slot), acc

                slot, acc = ring.results
                if release_delay:
                    nvvm.wgmma_wait_group_sync_aligned(0)
                    free_barriers[before(slot)].arrive()
                result = acc.value.astype(utils.dtype_to_ir_type(out_dtype))
                take_out(result, *origin(arith.addi(cluster_id, arith.muli(turn, c(clusters)))))
                return slot

            ctx.await_async_copy(0, await_read_only=True)

    b_tile = (tile_n, tile_k) if b_transposed else (tile_k, tile_n)
    smem = lambda shape, tiling, dtype: jax.ShapeDtypeStruct(mgpu.tile_shape(shape, tiling), dtype)
    return mgpu.as_gpu_kernel(
        hopper_matmul,
        grid=(clusters * cluster_m, cluster_n, 1),
        block=((CONSUMERS + 1) * 128, 1, 1),
        in_shape=(
            jax.ShapeDtypeStruct((m, k), dtype),
            jax.ShapeDtypeStruct((n, k) if b_transposed else (k, n), dtype),
        ),
        out_shape=jax.ShapeDtypeStruct((m, n), out_dtype),
        smem_scratch_shape=(
            smem((stages, tile_m, tile_k), in_tiling, dtype),
            smem((stages, *b_tile), in_tiling, dtype),
            smem((CONSUMERS, out_slots, 64, width), out_tiling, out_dtype),
            mgpu.Barrier(arrival_count=1, num_barriers=stages),
            mgpu.ClusterBarrier((X, Y), CONSUMERS, stages),
        ),
        cluster=(cluster_m, cluster_n, 1),
    )
