"""Attention as fast as the tensor cores of Hopper allow: the forward pass of FlashAttention-3, and a simpler one.

Warp-specialized, a producer warpgroup keeps a ring of tiles of K and V filled through TMA. Two or three consumer
warpgroups take turns on the tensor core, and compute the weights of the next keys while their products with the last
values are under way. Otherwise the first of four consumers fills the ring, and each waits for its products.
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
LOWEST = -3.4028234663852886e38
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
    warp_specialized: bool = True,
    turns: bool = True,
    scale: float | None = None,
) -> Any:
    """A kernel of Q, K and V, each (batch, sequence, heads, head_dim); the rest is as in the example's `Config`."""
    dtype = jnp.dtype(dtype)
    warpgroups = consumers + warp_specialized
    launched = 65536 // (128 * warpgroups) // 8 * 8
    consumer_registers = (launched * warpgroups - PRODUCER_REGISTERS) // consumers // 8 * 8
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

        def nothing(columns: int) -> Any:
            return mgpu.FragmentedArray.splat(mgpu.c(0.0, f32), (ROWS, columns), mgpu.WGMMA_LAYOUT)

        warpgroup = mgpu.warpgroup_idx(sync=True)
        me = arith.index_cast(index, warpgroup)
        first_query = arith.muli(gpu.block_id(gpu.Dimension.x), c(consumers * ROWS))
        head, item = gpu.block_id(gpu.Dimension.y), gpu.block_id(gpu.Dimension.z)
        q_tile = mgpu.memref_slice(q_smem, me)
        elected = utils.single_thread_predicate(mgpu.ThreadSubset.WARP)

        def slot_of(step: Any) -> Any:
            return arith.remui(step, c(stages))

        def load(src: Any, window: Any, tile: Any, arrived: Any) -> None:
            ctx.async_copy(
                src_ref=src,
                dst_ref=tile,
                gmem_slice=window,
                gmem_transform=tiles,
                swizzle=SWIZZLE,
                barrier=arrived,
                predicate=None,
            )

        def queries_of(consumer: Any) -> Any:
            offset = c(consumer * ROWS) if isinstance(consumer, int) else arith.muli(consumer, c(ROWS))
            return item, mgpu.ds(arith.addi(first_query, offset), ROWS), head

        def load_queries(consumer: Any) -> None:
            load(q, queries_of(consumer), mgpu.memref_slice(q_smem, consumer), q_arrived[consumer])

        def load_of(step: Any, src: Any, smem: Any, arrived: Any) -> None:
            slot = slot_of(step)
            keys = mgpu.ds(arith.muli(step, c(block_kv)), block_kv)
            window = item, keys, arith.divui(head, c(num_q_heads // num_kv_heads))
            load(src, window, mgpu.memref_slice(smem, slot), arrived[slot])

        def load_keys(step: Any) -> None:
            load_of(step, k, k_smem, k_arrived)

        def load_values(step: Any) -> None:
            load_of(step, v, v_smem, v_arrived)

        def wait_for_slot(consumed: Any, step: Any) -> None:
            barrier = consumed[slot_of(step)]
            barrier.wait_parity(equal(arith.remui(arith.divui(step, c(stages)), c(2)), c(0)))

        lowest = mgpu.FragmentedArray.splat(mgpu.c(LOWEST, f32), (ROWS,), mgpu.WGMMA_ROW_LAYOUT)

        def take_turn() -> None:
            if turns:
                turn[me].wait()

        def give_turn() -> None:
            if turns:
                turn[arith.remui(arith.addi(me, c(1)), c(consumers))].arrive(predicate=elected)

        def begin() -> None:
            if turns:
                with mgpu.when(equal(me, c(consumers - 1))):
                    turn[0].arrive(predicate=elected)
            q_arrived[me].wait()

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

        def partial_sums(weights: Any) -> Any:
            total = weights[:, :8]
            for column in range(8, weights.shape[1], 8):
                total = total + weights[:, column : column + 8]
            return total

        def online_softmax(scores: Any, peak: Any, sums: Any) -> Any:
            higher = peak.max(scores.reduce("max", axis=1) * log2_scale)
            decay = (peak - higher).exp2(approx=True)
            weights = (scores * log2_scale - higher.broadcast_minor(block_kv)).exp2(approx=True)
            return weights, decay, higher, sums * decay.broadcast_minor(8) + partial_sums(weights)

        def store(results: Any) -> None:
            utils.warpgroup_barrier()
            results.astype(mlir_dtype).store_tiled(q_tile, swizzle=SWIZZLE)
            mgpu.commit_shared()
            ctx.async_copy(
                src_ref=q_tile, dst_ref=out, gmem_slice=queries_of(me), gmem_transform=tiles, swizzle=SWIZZLE
            )
            ctx.await_async_copy(0)

        def produce() -> None:
            with mgpu.single_thread(mgpu.ThreadSubset.WARPGROUP):
                for consumer in range(consumers):
                    load_queries(consumer)

                @mgpu.fori(c(steps), None)
                def _(step: Any, _: None) -> None:
                    wait_for_slot(k_consumed, step)
                    load_keys(step)
                    wait_for_slot(v_consumed, step)
                    load_values(step)

        def consume() -> None:
            begin()
            k_arrived[0].wait()
            take_turn()
            product = issue_scores(c(0))
            give_turn()
            nvvm.wgmma_wait_group_sync_aligned(0)
            k_consumed[0].arrive(predicate=elected)
            scores = fa.optimization_barrier(product.value)
            weights, _, peak, sums = online_softmax(scores, lowest, nothing(8))
            first = (nothing(head_dim), weights.astype(mlir_dtype), peak, sums)

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
                next_weights, decay, peak, sums = online_softmax(scores, peak, sums)

                nvvm.wgmma_wait_group_sync_aligned(0)
                v_consumed[slot_of(step)].arrive(predicate=elected)
                acc = fa.optimization_barrier(results.value) * decay.broadcast_minor(head_dim)
                return acc, next_weights.astype(mlir_dtype), peak, sums

            acc, last_weights, _, sums = attend.results
            last = c(steps - 1)
            v_arrived[slot_of(last)].wait()
            results = issue_results(acc, last_weights, last)
            inverse = 1.0 / sums.reduce("add", axis=1)
            nvvm.wgmma_wait_group_sync_aligned(0)
            store(fa.optimization_barrier(results.value) * inverse.broadcast_minor(head_dim))

        def load_and_consume() -> None:
            with mgpu.single_thread(mgpu.ThreadSubset.WARPGROUP):
                load_queries(me)
            with mgpu.when(equal(me, c(0))), mgpu.single_thread(mgpu.ThreadSubset.WARPGROUP):
                for step in range(min(stages - 1, steps)):
                    load_keys(c(step))
                    load_values(c(step))
            begin()
            first = (nothing(head_dim), lowest, nothing(8))

            @mgpu.fori(c(steps), first)
            def attend(step: Any, state: Any) -> Any:
                acc, peak, sums = state
                slot = slot_of(step)
                k_arrived[slot].wait()
                take_turn()
                product = issue_scores(step)
                give_turn()

                ahead = arith.addi(step, c(stages - 1))
                more = arith.andi(equal(me, c(0)), arith.cmpi(arith.CmpIPredicate.ult, ahead, c(steps)))
                with mgpu.when(more), mgpu.single_thread(mgpu.ThreadSubset.WARPGROUP):
                    wait_for_slot(v_consumed, ahead)
                    load_keys(ahead)
                    load_values(ahead)

                nvvm.wgmma_wait_group_sync_aligned(0)
                scores = fa.optimization_barrier(product.value)
                exponents, decay, peak, sums = online_softmax(scores, peak, sums)
                weights = exponents.astype(mlir_dtype)
                acc = acc * decay.broadcast_minor(head_dim)
                v_arrived[slot].wait()
                results = issue_results(acc, weights, step)
                nvvm.wgmma_wait_group_sync_aligned(0)
                v_consumed[slot].arrive(predicate=elected)
                return fa.optimization_barrier(results.value), peak, sums

            acc, _, sums = attend.results
            inverse = 1.0 / sums.reduce("add", axis=1)
            store(acc * inverse.broadcast_minor(head_dim))

        if warp_specialized:
            with mgpu.when(equal(warpgroup, mgpu.c(consumers, i32))):
                nvvm.setmaxregister(PRODUCER_REGISTERS, nvvm.SetMaxRegisterAction.decrease)
                produce()
            with mgpu.when(arith.cmpi(arith.CmpIPredicate.ne, warpgroup, mgpu.c(consumers, i32))):
                nvvm.setmaxregister(consumer_registers, nvvm.SetMaxRegisterAction.increase)
                consume()
        else:
            load_and_consume()

    def ring(shape: tuple[int, ...]) -> Any:
        return jax.ShapeDtypeStruct(mgpu.tile_shape(shape, tiling), dtype)

    q_spec = jax.ShapeDtypeStruct((batch, q_seq_len, num_q_heads, head_dim), dtype)
    kv_spec = jax.ShapeDtypeStruct((batch, kv_seq_len, num_kv_heads, head_dim), dtype)
    return mgpu.as_gpu_kernel(
        flash_attention,
        grid=(-(-q_seq_len // (consumers * ROWS)), num_q_heads, batch),
        block=(128 * warpgroups, 1, 1),
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
