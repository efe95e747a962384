"""A block-scaled matmul: mxfp8 and nvfp4 (Blackwell).

Every `block` consecutive elements along K share a scale. The operands lie in shared memory, the scales in TMEM, where
they come by way of shared memory. One warp fills a ring of stages, another one multiplies, all four store the result.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.experimental.mosaic.gpu as mgpu
import jax.numpy as jnp
from jax.experimental.mosaic.gpu import tcgen05, utils
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, gpu

SWIZZLE, OUT_SWIZZLE = 128, 64
ROWS, COLUMNS = 128, 256
STAGES = 4
TMA_WARP, MMA_WARP = 0, 1


def build(
    dtype: Any = jnp.float8_e4m3fn,
    scale_dtype: Any = jnp.float8_e8m0fnu,
    block: int = 32,
    out_dtype: Any = jnp.bfloat16,
    m: int = 8192,
    n: int = 8192,
    k: int = 4096,
) -> Any:
    """A kernel that gives A @ B.T of the scaled A (m, k) and B (n, k)."""
    dtype, scale_dtype, out_dtype = jnp.dtype(dtype), jnp.dtype(scale_dtype), jnp.dtype(out_dtype)
    tile_k = 8 * SWIZZLE // jax.dtypes.itemsize_bits(dtype)
    scales = tile_k // (4 * block)
    part = OUT_SWIZZLE // out_dtype.itemsize
    tiling, out_tiling = (8, tile_k), (8, part)

    def blackwell_scaled_matmul(ctx: Any, a: Any, b: Any, a_scales: Any, b_scales: Any, out: Any, scratch: Any) -> None:
        a_smem, b_smem, out_smem, a_scales_smem, b_scales_smem, loaded, consumed, multiplied, *tmem = scratch
        acc, a_scale, b_scale = tmem
        index = ir.IndexType.get()
        row = arith.muli(gpu.block_id(gpu.Dimension.x), mgpu.c(ROWS, index))
        column = arith.muli(gpu.block_id(gpu.Dimension.y), mgpu.c(COLUMNS, index))
        steps = mgpu.c(k // tile_k, index)
        warp = mgpu.warp_idx()
        elected = mgpu.single_thread_predicate(utils.ThreadSubset.WARP)
        eq = arith.CmpIPredicate.eq

        with mgpu.when(arith.andi(arith.cmpi(eq, warp, mgpu.c(TMA_WARP, warp.type)), elected)):

            @mgpu.fori(steps, None)
            def _load(step: Any, _: Any) -> None:
                stage = arith.remui(step, mgpu.c(STAGES, index))
                with mgpu.when(arith.cmpi(arith.CmpIPredicate.uge, step, mgpu.c(STAGES, index))):
                    consumed[stage].wait()
                depth = mgpu.ds(arith.muli(step, mgpu.c(tile_k, index)), tile_k)
                scale_depth = mgpu.ds(arith.muli(step, mgpu.c(scales, index)), scales)
                for matrix, smem, start, size in ((a, a_smem, row, ROWS), (b, b_smem, column, COLUMNS)):
                    ctx.async_copy(
                        src_ref=matrix,
                        dst_ref=mgpu.memref_slice(smem, stage),
                        gmem_slice=(mgpu.ds(start, size), depth),
                        gmem_transform=mgpu.TileTransform(tiling),
                        swizzle=SWIZZLE,
                        barrier=loaded[stage],
                        predicate=None,
                    )
                for source, smem, start, size in (
                    (a_scales, a_scales_smem, row, ROWS),
                    (b_scales, b_scales_smem, column, COLUMNS),
                ):
                    ctx.async_copy(
                        src_ref=source,
                        dst_ref=mgpu.memref_slice(smem, stage),
                        gmem_slice=(mgpu.ds(arith.divui(start, mgpu.c(128, index)), size // 128), scale_depth),
                        barrier=loaded[stage],
                        predicate=None,
                    )

        with mgpu.when(arith.andi(arith.cmpi(eq, warp, mgpu.c(MMA_WARP, warp.type)), elected)):

            @mgpu.fori(steps, None)
            def _accumulate(step: Any, _: Any) -> None:
                stage = arith.remui(step, mgpu.c(STAGES, index))
                loaded[stage].wait()
                tcgen05.async_copy_scales_smem_to_tmem(mgpu.memref_slice(a_scales_smem, stage), a_scale)
                tcgen05.async_copy_scales_smem_to_tmem(mgpu.memref_slice(b_scales_smem, stage), b_scale)
                a_stage = mgpu.memref_slice(a_smem, stage)
                b_stage = mgpu.memref_transpose(mgpu.memref_slice(b_smem, stage), (1, 0, 3, 2))
                tcgen05.mma(
                    acc,
                    a_stage,
                    b_stage,
                    a_swizzle=SWIZZLE,
                    b_swizzle=SWIZZLE,
                    a_scale=a_scale,
                    b_scale=b_scale,
                    accumulate=arith.cmpi(arith.CmpIPredicate.ugt, step, mgpu.c(0, index)),
                )
                tcgen05.commit_arrive(consumed[stage])

            tcgen05.commit_arrive(multiplied)

        multiplied.wait(orders_tensor_core=True)
        for start in range(0, COLUMNS, part):
            value = acc.slice(slice(None), mgpu.ds(start, part)).load()
            tcgen05.wait_load_tmem()
            ctx.await_async_copy(0, await_read_only=True)
            value.astype(utils.dtype_to_ir_type(out_dtype)).store_tiled(out_smem, swizzle=OUT_SWIZZLE)
            mgpu.commit_shared()
            ctx.async_copy(
                src_ref=out_smem,
                dst_ref=out,
                gmem_slice=(mgpu.ds(row, ROWS), mgpu.ds(arith.addi(column, mgpu.c(start, index)), part)),
                gmem_transform=mgpu.TileTransform(out_tiling),
                swizzle=OUT_SWIZZLE,
            )
        ctx.await_async_copy(0)

    def scales_of(rows: int, depth: int, *stages: int) -> Any:
        return jax.ShapeDtypeStruct((*stages, rows // 128, depth // (4 * block), 32, 16), scale_dtype)

    return mgpu.as_gpu_kernel(
        blackwell_scaled_matmul,
        grid=(m // ROWS, n // COLUMNS, 1),
        block=(128, 1, 1),
        in_shape=(
            jax.ShapeDtypeStruct((m, k), dtype),
            jax.ShapeDtypeStruct((n, k), dtype),
            scales_of(m, k),
            scales_of(n, k),
        ),
        out_shape=jax.ShapeDtypeStruct((m, n), out_dtype),
        smem_scratch_shape=(
            jax.ShapeDtypeStruct(mgpu.tile_shape((STAGES, ROWS, tile_k), tiling), dtype),
            jax.ShapeDtypeStruct(mgpu.tile_shape((STAGES, COLUMNS, tile_k), tiling), dtype),
            jax.ShapeDtypeStruct(mgpu.tile_shape((ROWS, part), out_tiling), out_dtype),
            scales_of(ROWS, tile_k, STAGES),
            scales_of(COLUMNS, tile_k, STAGES),
            mgpu.Barrier(arrival_count=4, num_barriers=STAGES),
            mgpu.Barrier(arrival_count=1, num_barriers=STAGES),
            mgpu.Barrier(arrival_count=1),
            mgpu.TMEM((128, COLUMNS), jnp.float32),
            mgpu.TMEM((ROWS, 4 * scales), scale_dtype, layout=tcgen05.scales_layout()),
            mgpu.TMEM((COLUMNS, 4 * scales), scale_dtype, layout=tcgen05.scales_layout()),
        ),
    )
