"""Attention forward, as in FlashAttention-3 (Hopper)."""

import math
from dataclasses import dataclass
from typing import Literal

import safegpu as mgpu

X, Y, Z = mgpu.Dimension.x, mgpu.Dimension.y, mgpu.Dimension.z
ROWS = 64
CONSUMERS = 2
WARPS = 4


@dataclass(frozen=True)
class Config:
    block_kv: int = 128
    stages: Literal[2, 3, 4] = 2


CONFIGS = {64: Config(128, 2), 128: Config(128, 2), 256: Config(64, 2)}


class Scratch[D: mgpu.DType](mgpu.Scratch):
    def __init__(self, dtype: type[D], head_dim: int, config: Config) -> None:
        self.q = mgpu.SMEM((CONSUMERS, ROWS, head_dim), dtype, swizzle=128)
        self.k = mgpu.SMEM((config.stages, config.block_kv, head_dim), dtype, swizzle=128)
        self.v = mgpu.SMEM((config.stages, config.block_kv, head_dim), dtype, swizzle=128)
        self.q_arrived = mgpu.Barrier(arrival_count=1, num_barriers=2)
        self.k_arrived = mgpu.Barrier(arrival_count=1, num_barriers=config.stages)
        self.v_arrived = mgpu.Barrier(arrival_count=1, num_barriers=config.stages)
        self.k_consumed = mgpu.Barrier(arrival_count=CONSUMERS * WARPS, num_barriers=config.stages)
        self.v_consumed = mgpu.Barrier(arrival_count=CONSUMERS * WARPS, num_barriers=config.stages)
        self.turn = mgpu.Barrier(arrival_count=WARPS, num_barriers=2)


type Tile = mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.WGMMA]
type Rows = mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.WGMMA_ROW]
type Carry[D] = tuple[Tile, mgpu.FragmentedArray[D, mgpu.layouts.WGMMA], Rows, Tile]


def in_columns(p: Tile) -> Tile:
    """The sums of eight columns each, (rows, 8): without a word from other threads."""
    total = p[:, :8]
    for column in range(8, p.shape[1], 8):
        total = total + p[:, column : column + 8]
    return total


def kernel[D: (mgpu.float16, mgpu.bfloat16)](
    batch: int,
    q_seq_len: int,
    kv_seq_len: int,
    num_q_heads: int,
    num_kv_heads: int,
    head_dim: int,
    dtype: type[D],
    config: Config | None = None,
    scale: float | None = None,
) -> mgpu.Kernel:
    config = config or CONFIGS[head_dim]
    block_kv, stages = config.block_kv, config.stages
    steps = kv_seq_len // block_kv
    scale_log2 = (head_dim**-0.5 if scale is None else scale) * math.log2(math.e)
    tiles = mgpu.TileTransform((8, 64))

    def flash_attention(
        ctx: mgpu.LaunchContext,
        q: mgpu.GmemRef[D],
        k: mgpu.GmemRef[D],
        v: mgpu.GmemRef[D],
        out: mgpu.GmemRef[D],
        scratch: Scratch[D],
    ) -> None:
        group = mgpu.warpgroup_idx(sync=True)
        elected = mgpu.utils.single_thread_predicate(mgpu.ThreadSubset.WARP)
        head, row, item = mgpu.block_id(Y), mgpu.block_id(X) * (CONSUMERS * ROWS), mgpu.block_id(Z)

        with mgpu.when(group.eq(CONSUMERS)):
            mgpu.set_max_registers(24, action="decrease")
            with mgpu.single_thread(mgpu.ThreadSubset.WARPGROUP):
                for i in range(CONSUMERS):
                    ctx.async_copy(
                        src_ref=q,
                        dst_ref=mgpu.memref_slice(scratch.q, i),
                        gmem_slice=(item, mgpu.ds(row + i * ROWS, ROWS), head),
                        gmem_transform=tiles,
                        barrier=scratch.q_arrived[i],
                        swizzle=128,
                        predicate=None,
                    )
                kv_head = head // (num_q_heads // num_kv_heads)

                @mgpu.fori(mgpu.c(steps, mgpu.Index), None)
                def bring(step: mgpu.Index, _: None) -> None:
                    slot = step % stages
                    window = (item, mgpu.ds(step * block_kv, block_kv), kv_head)
                    parity = (step // stages % 2).eq(0)
                    scratch.k_consumed[slot].wait_parity(parity)
                    ctx.async_copy(
                        src_ref=k,
                        dst_ref=mgpu.memref_slice(scratch.k, slot),
                        gmem_slice=window,
                        gmem_transform=tiles,
                        barrier=scratch.k_arrived[slot],
                        swizzle=128,
                        predicate=None,
                    )
                    scratch.v_consumed[slot].wait_parity(parity)
                    ctx.async_copy(
                        src_ref=v,
                        dst_ref=mgpu.memref_slice(scratch.v, slot),
                        gmem_slice=window,
                        gmem_transform=tiles,
                        barrier=scratch.v_arrived[slot],
                        swizzle=128,
                        predicate=None,
                    )

        with mgpu.when(group.ne(CONSUMERS)):
            mgpu.set_max_registers(240, action="increase")
            me, other = group.to_index(), 1 - group.to_index()
            q_tile = mgpu.memref_slice(scratch.q, me)

            def scores(step: mgpu.Index) -> mgpu.WGMMAAccumulator[mgpu.float32]:
                k_tile = mgpu.memref_slice(scratch.k, step % stages)
                zero = mgpu.WGMMAAccumulator.zero(ROWS, block_kv)
                product = mgpu.wgmma(zero, q_tile, mgpu.memref_transpose(k_tile, (1, 0, 3, 2)), swizzle=128)
                mgpu.wgmma_commit_group()
                return product

            def weigh(
                acc: Tile, p: mgpu.FragmentedArray[D, mgpu.layouts.WGMMA], step: mgpu.Index
            ) -> mgpu.WGMMAAccumulator[mgpu.float32]:
                v_tile = mgpu.memref_slice(scratch.v, step % stages)
                product = mgpu.wgmma(mgpu.WGMMAAccumulator.from_registers(acc), p, v_tile, swizzle=128)
                mgpu.wgmma_commit_group()
                return product

            scratch.q_arrived[me].wait()
            first = mgpu.c(0, mgpu.Index)
            with mgpu.when(group.eq(1)):
                scratch.turn[0].arrive(predicate=elected)

            scratch.k_arrived[0].wait()
            scratch.turn[me].wait()
            s = scores(first)
            scratch.turn[other].arrive(predicate=elected)
            mgpu.wgmma_wait_group(0)
            scratch.k_consumed[0].arrive(predicate=elected)
            qk = mgpu.optimization_barrier(s.value)
            m: Rows = qk.reduce("max", axis=1) * scale_log2
            p = (qk * scale_log2 - m.broadcast_minor(block_kv)).exp2(approx=True)
            sums = in_columns(p)
            zeros = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (ROWS, head_dim), mgpu.WGMMA_LAYOUT)

            scratch.v_arrived[0].wait()
            start: Carry[D] = (zeros, p.astype(dtype), m, sums)

            @mgpu.fori(mgpu.c(steps - 1, mgpu.Index), start)
            def attend(step: mgpu.Index, carry: Carry[D]) -> Carry[D]:
                acc, p16, m, sums = carry
                scratch.k_arrived[(step + 1) % stages].wait()
                scratch.turn[me].wait()
                s = scores(step + 1)
                o = weigh(acc, p16, step)
                scratch.turn[other].arrive(predicate=elected)

                mgpu.wgmma_wait_group(1)
                scratch.k_consumed[(step + 1) % stages].arrive(predicate=elected)
                qk = mgpu.optimization_barrier(s.value)
                m_new = m.max(qk.reduce("max", axis=1) * scale_log2)
                alpha = (m - m_new).exp2(approx=True)
                p = (qk * scale_log2 - m_new.broadcast_minor(block_kv)).exp2(approx=True)
                sums = sums * alpha.broadcast_minor(8) + in_columns(p)

                scratch.v_arrived[(step + 1) % stages].wait()
                mgpu.wgmma_wait_group(0)
                scratch.v_consumed[step % stages].arrive(predicate=elected)
                acc = mgpu.optimization_barrier(o.value) * alpha.broadcast_minor(head_dim)
                return acc, p.astype(dtype), m_new, sums

            acc, p16, _, sums = attend.results
            last = mgpu.c(steps - 1, mgpu.Index)
            o = weigh(acc, p16, last)
            total: Rows = sums.reduce("add", axis=1)
            inverse = 1.0 / total
            mgpu.wgmma_wait_group(0)
            acc = mgpu.optimization_barrier(o.value) * inverse.broadcast_minor(head_dim)

            mgpu.utils.warpgroup_barrier()
            acc.astype(dtype).store_tiled(q_tile, swizzle=128)
            mgpu.commit_shared()
            ctx.async_copy(
                src_ref=q_tile,
                dst_ref=out,
                gmem_slice=(item, mgpu.ds(row + me * ROWS, ROWS), head),
                gmem_transform=tiles,
                swizzle=128,
            )
            ctx.await_async_copy(0)

    queries = mgpu.GMEM((batch, q_seq_len, num_q_heads, head_dim), dtype)
    keys = mgpu.GMEM((batch, kv_seq_len, num_kv_heads, head_dim), dtype)
    return mgpu.as_gpu_kernel(
        flash_attention,
        grid=(q_seq_len // (CONSUMERS * ROWS), num_q_heads, batch),
        block=(128 * (CONSUMERS + 1), 1, 1),
        in_shape=(queries, keys, keys),
        out_shape=queries,
        smem_scratch_shape=Scratch(dtype, head_dim, config),
    )
