"""A persistent matmul on pairs of blocks (Blackwell).

The two blocks of a cluster compute a 256 x 256 tile of the output with `cta_group::2` MMAs. A TMA warp in each block
fills a ring of stages, one warp of the first block issues the MMAs into one of two accumulators, and a warpgroup of
each block stores the other.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.experimental.mosaic.gpu as mgpu
import jax.numpy as jnp
from jax.experimental.mosaic.gpu import tcgen05, utils
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, gpu

X = gpu.Dimension.x
SWIZZLE = 128
BLOCK, TILE = 128, 256
STAGES = 6
TMA_WARP, MMA_WARP, EPILOGUE_WARPGROUP = 0, 1, 1


def _index(value: Any) -> Any:
    return value if isinstance(value, ir.Value) else mgpu.c(value, ir.IndexType.get())


def add(x: Any, y: Any) -> Any:
    return arith.addi(_index(x), _index(y))


def sub(x: Any, y: Any) -> Any:
    return arith.subi(_index(x), _index(y))


def mul(x: Any, y: Any) -> Any:
    return arith.muli(_index(x), _index(y))


def div(x: Any, y: Any) -> Any:
    return arith.divui(_index(x), _index(y))


def rem(x: Any, y: Any) -> Any:
    return arith.remui(_index(x), _index(y))


def compare(predicate: str, x: Any, y: int) -> Any:
    return arith.cmpi(getattr(arith.CmpIPredicate, predicate), x, mgpu.c(y, x.type))


def build(
    dtype: Any = jnp.float16, out_dtype: Any = jnp.float16, m: int = 8192, n: int = 8192, k: int = 4096, sms: int = 148
) -> Any:
    """A kernel that gives A @ B.T, for A (m, k) and B (n, k)."""
    dtype, out_dtype = jnp.dtype(dtype), jnp.dtype(out_dtype)
    tile_k, part = SWIZZLE // dtype.itemsize, SWIZZLE // out_dtype.itemsize
    steps, rows, columns = k // tile_k, m // TILE, n // TILE
    band = math.gcd(rows, 8)
    pairs = min(rows * columns, sms // 2)
    tiling, out_tiling = (8, tile_k), (8, part)

    def place(tile: Any) -> tuple[Any, Any]:
        above, within = div(tile, band * columns), rem(tile, band * columns)
        column = div(within, band)
        column = arith.select(compare("eq", rem(above, 2), 0), column, sub(columns - 1, column))
        return mul(add(mul(above, band), rem(within, band)), TILE), mul(column, TILE)

    def blackwell_matmul(ctx: Any, a: Any, b: Any, out: Any, scratch: Any) -> None:
        a_smem, b_smem, out_smem, loaded, consumed, multiplied, released, accs = scratch
        pair, rank = div(gpu.block_id(X), 2), gpu.cluster_block_id(X)
        tiles = div(sub(rows * columns + pairs - 1, pair), pairs)
        warp = mgpu.warp_idx()
        elected = mgpu.single_thread_predicate(utils.ThreadSubset.WARP)

        with mgpu.when(arith.andi(compare("eq", warp, TMA_WARP), elected)):

            @mgpu.fori(tiles, None)
            def _load(tile: Any, _: Any) -> None:
                row, column = place(add(pair, mul(tile, pairs)))

                @mgpu.fori(_index(steps), None)
                def _load_stage(step: Any, _: Any) -> None:
                    count = add(mul(tile, steps), step)
                    stage = rem(count, STAGES)
                    with mgpu.when(compare("uge", count, STAGES)):
                        consumed[stage].wait()
                    depth = mgpu.ds(mul(step, tile_k), tile_k)
                    for matrix, smem, start in ((a, a_smem, row), (b, b_smem, column)):
                        ctx.async_copy(
                            src_ref=matrix,
                            dst_ref=mgpu.memref_slice(smem, stage),
                            gmem_slice=(mgpu.ds(start, TILE), depth),
                            gmem_transform=mgpu.TileTransform(tiling),
                            swizzle=SWIZZLE,
                            barrier=loaded[stage],
                            collective=X,
                            leader_tracked=mgpu.CopyPartition.PARTITIONED(0),
                            predicate=None,
                        )

            for stage in range(STAGES):
                consumed[stage].wait()

        is_mma_thread = arith.andi(compare("eq", warp, MMA_WARP), elected)
        with mgpu.when(arith.andi(is_mma_thread, compare("eq", rank, 0))):

            @mgpu.fori(tiles, None)
            def _multiply(tile: Any, _: Any) -> None:
                slot = rem(tile, 2)
                acc = accs.slice(slice(None), mgpu.ds(mul(slot, TILE), TILE))
                with mgpu.when(compare("uge", tile, 2)):
                    released[slot].wait(orders_tensor_core=True)

                @mgpu.fori(_index(steps), None)
                def _multiply_stage(step: Any, _: Any) -> None:
                    stage = rem(add(mul(tile, steps), step), STAGES)
                    loaded[stage].wait()
                    a_stage = mgpu.memref_slice(a_smem, stage)
                    b_stage = mgpu.memref_transpose(mgpu.memref_slice(b_smem, stage), (1, 0, 3, 2))
                    tcgen05.mma(
                        acc,
                        a_stage,
                        b_stage,
                        a_swizzle=SWIZZLE,
                        b_swizzle=SWIZZLE,
                        accumulate=compare("ugt", step, 0),
                        collective=True,
                    )
                    tcgen05.commit_arrive(consumed[stage], collective=True, ctx=ctx)

                tcgen05.commit_arrive(multiplied[slot], collective=True, ctx=ctx)

            for slot in range(2):
                with mgpu.when(compare("ugt", tiles, slot)):
                    released[slot].wait()

        with mgpu.when(compare("eq", mgpu.warpgroup_idx(), EPILOGUE_WARPGROUP)):

            @mgpu.fori(tiles, None)
            def _store(tile: Any, _: Any) -> None:
                row, column = place(add(pair, mul(tile, pairs)))
                slot = rem(tile, 2)
                multiplied[slot].wait(orders_tensor_core=True)
                for i in range(TILE // part):
                    value = accs.slice(slice(None), mgpu.ds(add(mul(slot, TILE), i * part), part)).load()
                    tcgen05.wait_load_tmem()
                    if i == TILE // part - 1:
                        released[slot].arrive(orders_tensor_core=True)
                    staged = mgpu.memref_slice(out_smem, i % 2)
                    ctx.await_async_copy(1, await_read_only=True)
                    value.astype(utils.dtype_to_ir_type(out_dtype)).store_tiled(staged, swizzle=SWIZZLE)
                    mgpu.commit_shared()
                    ctx.async_copy(
                        src_ref=staged,
                        dst_ref=out,
                        gmem_slice=(mgpu.ds(add(row, mul(rank, BLOCK)), BLOCK), mgpu.ds(add(column, i * part), part)),
                        gmem_transform=mgpu.TileTransform(out_tiling),
                        swizzle=SWIZZLE,
                    )

            ctx.await_async_copy(0)

    operand = jax.ShapeDtypeStruct(mgpu.tile_shape((STAGES, BLOCK, tile_k), tiling), dtype)
    return mgpu.as_gpu_kernel(
        blackwell_matmul,
        grid=(2 * pairs, 1, 1),
        block=(256, 1, 1),
        cluster=(2, 1, 1),
        in_shape=(jax.ShapeDtypeStruct((m, k), dtype), jax.ShapeDtypeStruct((n, k), dtype)),
        out_shape=jax.ShapeDtypeStruct((m, n), out_dtype),
        smem_scratch_shape=(
            operand,
            operand,
            jax.ShapeDtypeStruct(mgpu.tile_shape((2, BLOCK, part), out_tiling), out_dtype),
            mgpu.Barrier(arrival_count=2, num_barriers=STAGES),
            mgpu.Barrier(arrival_count=1, num_barriers=STAGES),
            mgpu.Barrier(arrival_count=1, num_barriers=2),
            mgpu.ClusterBarrier((X,), arrival_count=1, num_barriers=2, leader_tracked=True),
            mgpu.TMEM((128, 2 * TILE), jnp.float32, collective=True),
        ),
    )
