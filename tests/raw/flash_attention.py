"""Attention as fast as the tensor cores of Hopper allow: the forward pass of FlashAttention-3.

A producer warpgroup keeps a ring of tiles of K and V filled through TMA. Two consumer warpgroups take turns on the
tensor core, and compute the weights of the next keys while their products with the last values are under way.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.experimental.mosaic.gpu as mgpu
import jax.numpy as jnp
from jax.experimental.mosaic.gpu import fragmented_array as fa
from jax.experimental.mosaic.gpu import utils
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, gpu, nvvm

ROWS, WARPS, PRODUCER_REGISTERS = 64, 4, 24
SWIZZLE = 128


def build(
    batch: int,
    q_seq_len: int,
    kv_seq_len: int,
    num_q_heads: int,
    num_kv_heads: int,
    head_dim: int,
    dtype: Any = jnp.float16,
    *,
    block_kv: int,
    stages: int = 2,
    consumers: int = 2,
    turns: bool = True,
    scale: float | None = None,
) -> Any:
    """A kernel of Q, K and V, each (batch, sequence, heads, head_dim); the rest is as in the example's `Config`."""
    dtype = jnp.dtype(dtype)
    launched = 65536 // (128 * (consumers + 1)) // 8 * 8
    consumer_registers = (launched * (consumers + 1) - PRODUCER_REGISTERS) // consumers // 8 * 8
    steps = kv_seq_len // block_kv
    log2_scale = (1 / math.sqrt(head_dim) if scale is None else scale) * math.log2(math.e)
    tiling = (8, SWIZZLE // dtype.itemsize)
    tiles = mgpu.TileTransform(tiling)

    def flash_attention(ctx: Any, q: Any, k: Any, v: Any, out: Any, scratch: Any) -> None:
        q_smem, k_smem, v_smem, q_arrived, k_arrived, v_arrived, k_consumed, v_consumed, turn = scratch
        index = ir.IndexType.get()
        i32 = ir.IntegerType.get_signless(32)
        f32 = ir.F32Type.get()
        mlir_dtype = utils.dtype_to_ir_type(dtype)

        def c(value: int) -> Any:
            return mgpu.c(value, index)

        def equal(a: Any, b: Any) -> Any:
            return arith.cmpi(arith.CmpIPredicate.eq, a, b)

        warpgroup = mgpu.warpgroup_idx(sync=True)
        first_query = arith.muli(gpu.block_id(gpu.Dimension.x), c(consumers * ROWS))
        head, item = gpu.block_id(gpu.Dimension.y), gpu.block_id(gpu.Dimension.z)

        def queries_of(consumer: Any) -> Any:
            offset = c(consumer * ROWS) if isinstance(consumer, int) else arith.muli(consumer, c(ROWS))
            return item, mgpu.ds(arith.addi(first_query, offset), ROWS), head

        with mgpu.when(equal(warpgroup, mgpu.c(consumers, i32))):
            nvvm.setmaxregister(PRODUCER_REGISTERS, nvvm.SetMaxRegisterAction.decrease)
            with mgpu.single_thread(mgpu.ThreadSubset.WARPGROUP):
                for consumer in range(consumers):
                    ctx.async_copy(
                        src_ref=q,
                        dst_ref=mgpu.memref_slice(q_smem, consumer),
                        gmem_slice=queries_of(consumer),
                        gmem_transform=tiles,
                        swizzle=SWIZZLE,
                        barrier=q_arrived[consumer],
                        predicate=None,
                    )

                @mgpu.fori(c(steps), None)
                def fill(step: Any, _: None) -> None:
                    slot = arith.remui(step, c(stages))
                    window = (
                        item,
                        mgpu.ds(arith.muli(step, c(block_kv)), block_kv),
                        arith.divui(head, c(num_q_heads // num_kv_heads)),
                    )
                    parity = equal(arith.remui(arith.divui(step, c(stages)), c(2)), c(0))
                    for matrix, smem, arrived, consumed in (
                        (k, k_smem, k_arrived, k_consumed),
                        (v, v_smem, v_arrived, v_consumed),
                    ):
                        consumed[slot].wait_parity(parity)
                        ctx.async_copy(
                            src_ref=matrix,
                            dst_ref=mgpu.memref_slice(smem, slot),
                            gmem_slice=window,
                            gmem_transform=tiles,
                            swizzle=SWIZZLE,
                            barrier=arrived[slot],
                            predicate=None,
                        )

        with mgpu.when(arith.cmpi(arith.CmpIPredicate.ne, warpgroup, mgpu.c(consumers, i32))):
            nvvm.setmaxregister(consumer_registers, nvvm.SetMaxRegisterAction.increase)
            me = arith.index_cast(index, warpgroup)
            after_me = arith.remui(arith.addi(me, c(1)), c(consumers))
            q_tile = mgpu.memref_slice(q_smem, me)
            elected = utils.single_thread_predicate(mgpu.ThreadSubset.WARP)

            def slot_of(step: Any) -> Any:
                return arith.remui(step, c(stages))

            def take_turn() -> None:
                if turns:
                    turn[me].wait()

            def give_turn() -> None:
                if turns:
                    turn[after_me].arrive(predicate=elected)

            def issue_scores(step: Any) -> Any:
                k_tile = mgpu.memref_transpose(mgpu.memref_slice(k_smem, slot_of(step)), (1, 0, 3, 2))
                product = mgpu.wgmma(mgpu.WGMMAAccumulator.zero(ROWS, block_kv), q_tile, k_tile, swizzle=SWIZZLE)
                nvvm.wgmma_commit_group_sync_aligned()
                return product

            def issue_results(acc: Any, weights: Any, step: Any) -> Any:
                v_tile = mgpu.memref_slice(v_smem, slot_of(step))
                product = mgpu.wgmma(mgpu.WGMMAAccumulator.from_registers(acc), weights, v_tile, swizzle=SWIZZLE)
                nvvm.wgmma_commit_group_sync_aligned()
                return product

            def exponentials(scores: Any, peak: Any) -> Any:
                return (scores * log2_scale - peak.broadcast_minor(block_kv)).exp2(approx=True)

            def partial_sums(weights: Any) -> Any:
                total = weights[:, :8]
                for column in range(8, weights.shape[1], 8):
                    total = total + weights[:, column : column + 8]
                return total

            if turns:
                with mgpu.when(equal(me, c(consumers - 1))):
                    turn[0].arrive(predicate=elected)
            q_arrived[me].wait()
            k_arrived[0].wait()
            take_turn()
            product = issue_scores(c(0))
            give_turn()
            nvvm.wgmma_wait_group_sync_aligned(0)
            k_consumed[0].arrive(predicate=elected)
            scores = fa.optimization_barrier(product.value)
            peak = scores.reduce("max", axis=1) * log2_scale
            weights = exponentials(scores, peak)
            nothing = mgpu.FragmentedArray.splat(mgpu.c(0.0, f32), (ROWS, head_dim), mgpu.WGMMA_LAYOUT)

            first = (nothing, weights.astype(mlir_dtype), peak, partial_sums(weights))

            @mgpu.fori(c(steps - 1), first)
            def attend(step: Any, state: Any) -> Any:
                acc, weights, peak, sums = state
                k_arrived[slot_of(arith.addi(step, c(1)))].wait()
                v_arrived[slot_of(step)].wait()
                take_turn()
                next_scores = issue_scores(arith.addi(step, c(1)))
                results = issue_results(acc, weights, step)
                give_turn()

                nvvm.wgmma_wait_group_sync_aligned(1)
                k_consumed[slot_of(arith.addi(step, c(1)))].arrive(predicate=elected)
                scores = fa.optimization_barrier(next_scores.value)
                higher = peak.max(scores.reduce("max", axis=1) * log2_scale)
                decay = (peak - higher).exp2(approx=True)
                next_weights = exponentials(scores, higher)
                sums = sums * decay.broadcast_minor(8) + partial_sums(next_weights)

                nvvm.wgmma_wait_group_sync_aligned(0)
                v_consumed[slot_of(step)].arrive(predicate=elected)
                acc = fa.optimization_barrier(results.value) * decay.broadcast_minor(head_dim)
                return acc, next_weights.astype(mlir_dtype), higher, sums

            acc, last_weights, _, sums = attend.results
            last = c(steps - 1)
            v_arrived[slot_of(last)].wait()
            results = issue_results(acc, last_weights, last)
            inverse = 1.0 / sums.reduce("add", axis=1)
            nvvm.wgmma_wait_group_sync_aligned(0)
            acc = fa.optimization_barrier(results.value) * inverse.broadcast_minor(head_dim)

            utils.warpgroup_barrier()
            acc.astype(mlir_dtype).store_tiled(q_tile, swizzle=SWIZZLE)
            mgpu.commit_shared()
            ctx.async_copy(
                src_ref=q_tile, dst_ref=out, gmem_slice=queries_of(me), gmem_transform=tiles, swizzle=SWIZZLE
            )
            ctx.await_async_copy(0)

    def ring(shape: tuple[int, ...]) -> Any:
        return jax.ShapeDtypeStruct(mgpu.tile_shape(shape, tiling), dtype)

    q_spec = jax.ShapeDtypeStruct((batch, q_seq_len, num_q_heads, head_dim), dtype)
    kv_spec = jax.ShapeDtypeStruct((batch, kv_seq_len, num_kv_heads, head_dim), dtype)
    return mgpu.as_gpu_kernel(
        flash_attention,
        grid=(-(-q_seq_len // (consumers * ROWS)), num_q_heads, batch),
        block=(128 * (consumers + 1), 1, 1),
        in_shape=(q_spec, kv_spec, kv_spec),
        out_shape=q_spec,
        smem_scratch_shape=(
            ring((consumers, ROWS, head_dim)),
            ring((stages, block_kv, head_dim)),
            ring((stages, block_kv, head_dim)),
            mgpu.Barrier(arrival_count=1, num_barriers=consumers),
            mgpu.Barrier(arrival_count=1, num_barriers=stages),
            mgpu.Barrier(arrival_count=1, num_barriers=stages),
            mgpu.Barrier(arrival_count=consumers * WARPS, num_barriers=stages),
            mgpu.Barrier(arrival_count=consumers * WARPS, num_barriers=stages),
            mgpu.Barrier(arrival_count=WARPS, num_barriers=consumers),
        ),
    )
