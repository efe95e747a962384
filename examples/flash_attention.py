"""Attention as fast as the tensor cores of Hopper allow: the forward pass of FlashAttention-3, and a simpler one.

softmax(scale * Q @ K.T) @ V, without the scores ever being in global memory: a block of the grid keeps some queries of
a head and goes along keys and values, a ring of tiles in shared memory that TMA fills, with the softmax of what it has
seen so far (Shah et al., 2024, https://arxiv.org/abs/2407.08608). Its consumers are warpgroups with 64 queries each,
and the tensor core must not idle while they compute exponentials. `Config` says in which of two ways:

- Warp-specialized: two or three consumers, and one more warpgroup, of which one thread, the producer, fills the ring.
  A consumer issues the scores of the next keys before it multiplies the weights of the last ones with their values, and
  computes the next weights while that product is under way. The consumers can also take turns on the tensor core, so
  that some compute exponentials while one multiplies.
- Not warp-specialized: four consumers, and a thread of the first fills the ring. Each waits for a product as soon as it
  has issued it; while it computes exponentials, the tensor core multiplies for the others.

Registers decide. A thread's share of the scores takes `block_kv / 2` of them, that of the results `head_dim / 2`, and
the first way keeps the last weights beside them. Four consumers leave a thread 128: enough for a head_dim of 64, where
the second way is the better one. With 128 or 256 two consumers have room, and overlap what each of them does itself.

A small head_dim needs the exponentials hidden most. A multiprocessor computes 16 in a cycle, or 4096 operations of a
product, of which a score has 4 * head_dim: with 64, both take as long. Four consumers also make larger blocks: 4096
queries of 16 heads are 1.94 rounds of the 132 multiprocessors of an H200, and 2.67, so three, with three consumers.

Run it on a Hopper GPU: `python -m examples.run flash_attention`; `python -m bench.device` compares it with jax's.
"""

import math
from dataclasses import dataclass
from typing import Final, Literal

import safegpu as mgpu

X, Y, Z = mgpu.Dimension.x, mgpu.Dimension.y, mgpu.Dimension.z
ROWS: Final = 64
"""Queries of a consumer: the rows of a wgmma."""
WARPS: Final = 4
"""Of a warpgroup, each of which arrives once where the warpgroup arrives."""
PRODUCER_REGISTERS: Final = 24
"""Of a thread, the fewest there can be."""
LOWEST: Final = -3.4028234663852886e38
"""The lowest finite float32, where maxima start: only a score of -inf is lower, and weighs nothing beside it. Beside a
maximum of -inf it would be NaN."""


@dataclass(frozen=True)
class Config:
    """How a block divides its work."""

    block_kv: int
    """Keys in a slot of the ring, a multiple of 64. Their scores take `block_kv // 2` registers of a thread."""
    stages: Literal[2, 3, 4] = 2
    """Slots of the ring."""
    consumers: Literal[2, 3, 4] = 2
    """Warpgroups that multiply."""
    warp_specialized: bool = True
    """Whether one more warpgroup fills the ring, and they compute weights while their own products are under way."""
    turns: bool = True
    """Whether they take turns on the tensor core."""

    @property
    def block_q(self) -> int:
        return self.consumers * ROWS

    @property
    def warpgroups(self) -> int:
        return self.consumers + self.warp_specialized

    @property
    def consumer_registers(self) -> int:
        # A multiprocessor has 64 Ki registers. A launch gives every thread as many, and setmaxnreg moves them.
        launched = 65536 // (128 * self.warpgroups) // 8 * 8
        return (launched * self.warpgroups - PRODUCER_REGISTERS) // self.consumers // 8 * 8


CONFIGS: dict[int, tuple[Config, ...]] = {
    64: (
        Config(128, stages=3, consumers=4, warp_specialized=False, turns=False),
        Config(64, stages=4, consumers=4, warp_specialized=False, turns=False),
    ),
    128: (Config(192), Config(128), Config(64)),
    256: (Config(64, turns=False),),
}
"""For each head_dim, the fastest first (`python -m bench.device --tune`): the first that divides is taken."""


class Scratch[D: (mgpu.float16, mgpu.bfloat16)](mgpu.Scratch[mgpu.sm_90a]):
    def __init__(self, dtype: type[D], head_dim: int, config: Config) -> None:
        keys = (config.stages, config.block_kv, head_dim)
        # The queries' tile becomes the results', once it has been read for the last time.
        self.q: mgpu.SmemRef[D, Literal[128]] = mgpu.SMEM((config.consumers, ROWS, head_dim), dtype, swizzle=128)
        self.k: mgpu.SmemRef[D, Literal[128]] = mgpu.SMEM(keys, dtype, swizzle=128)
        self.v: mgpu.SmemRef[D, Literal[128]] = mgpu.SMEM(keys, dtype, swizzle=128)
        # The thread that issues a copy arrives, and the phase completes with the copy's bytes.
        self.q_arrived = mgpu.Barrier(arrival_count=1, num_barriers=config.consumers)
        self.k_arrived = mgpu.Barrier(arrival_count=1, num_barriers=config.stages)
        self.v_arrived = mgpu.Barrier(arrival_count=1, num_barriers=config.stages)
        # Every warp of every consumer arrives, once its own reads are done. Where the consumers load, `v_consumed` is
        # enough: who has read a step's values has read its keys.
        self.k_consumed = mgpu.Barrier(arrival_count=config.consumers * WARPS, num_barriers=config.stages)
        self.v_consumed = mgpu.Barrier(arrival_count=config.consumers * WARPS, num_barriers=config.stages)
        # Turn i is consumer i's; every warp of the one before it gives it.
        self.turn = mgpu.Barrier(arrival_count=WARPS, num_barriers=config.consumers)


type Tile[D] = mgpu.FragmentedArray[D, mgpu.layouts.WGMMA]
type Rows = mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.WGMMA_ROW]
type Product = mgpu.WGMMAAccumulator[mgpu.float32]
type Window = tuple[mgpu.Index, mgpu.DynamicSlice, mgpu.Index]
type State = tuple[Tile[mgpu.float32], Rows, Tile[mgpu.float32]]
"""What a consumer keeps from step to step: the results so far, the rows' maxima, and their sums, of which each thread
keeps those of its own elements."""
type Pipelined[D] = tuple[Tile[mgpu.float32], Tile[D], Rows, Tile[mgpu.float32]]
"""The same, but the results lack the last step, whose weights come second."""


def partial_sums(weights: Tile[mgpu.float32]) -> Tile[mgpu.float32]:
    """The sums over every eighth column, which a thread computes without asking others."""
    total = weights[:, :8]
    for column in range(8, weights.shape[1], 8):
        total = total + weights[:, column : column + 8]
    return total


def nothing(columns: int) -> Tile[mgpu.float32]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (ROWS, columns), mgpu.WGMMA_LAYOUT)


def kernel[D: (mgpu.float16, mgpu.bfloat16)](
    batch: int,
    q_seq_len: int,
    kv_seq_len: int,
    num_q_heads: int,
    num_kv_heads: int,
    head_dim: int,
    dtype: type[D],
    config: Config | None = None,
    *,
    scale: float | None = None,
) -> mgpu.Kernel:
    """A kernel of Q, K and V, each (batch, sequence, heads, head_dim), that gives an array like Q.

    As in `jax.nn.dot_product_attention`, several heads of Q in a row share one of K and V, and `scale` is
    1 / sqrt(head_dim) unless it is named. q_seq_len is a multiple of 8, kv_seq_len one of `block_kv`. Raises ValueError
    where a size does not divide.
    """
    if head_dim not in CONFIGS:
        raise ValueError(f"head_dim must be one of {', '.join(map(str, CONFIGS))}, got {head_dim}")
    if num_q_heads % num_kv_heads:
        raise ValueError(f"num_q_heads must be a multiple of num_kv_heads, got {num_q_heads} and {num_kv_heads}")
    known = CONFIGS[head_dim]
    plan: Config = config or next((each for each in known if kv_seq_len % each.block_kv == 0), known[-1])
    block_kv, stages, consumers = plan.block_kv, plan.stages, plan.consumers
    if q_seq_len % 8 or kv_seq_len % block_kv:
        raise ValueError(
            f"q_seq_len must be a multiple of 8 and kv_seq_len of {block_kv}, got {q_seq_len} and {kv_seq_len}"
        )
    steps = kv_seq_len // block_kv
    # The exponentials are powers of two, so that scaling a score and subtracting its row's maximum is one instruction.
    log2_scale = (1 / math.sqrt(head_dim) if scale is None else scale) * math.log2(math.e)
    tiles = mgpu.TileTransform((8, 64))  # what a swizzle of 128 bytes permutes

    def flash_attention(
        ctx: mgpu.LaunchContext,
        q: mgpu.GmemRef[D],
        k: mgpu.GmemRef[D],
        v: mgpu.GmemRef[D],
        out: mgpu.GmemRef[D],
        scratch: Scratch[D],
    ) -> None:
        warpgroup = mgpu.warpgroup_idx(sync=True)
        me = warpgroup.to_index()  # of the consumers, which come first
        # Blocks that run at the same time share a head's keys and values, and find them in the L2 cache.
        first_query, head, item = mgpu.block_id(X) * plan.block_q, mgpu.block_id(Y), mgpu.block_id(Z)
        q_tile = mgpu.memref_slice(scratch.q, me)
        # One thread of each warp, whose threads wait together, arrives for all of them.
        elected = mgpu.single_thread_predicate(mgpu.ThreadSubset.WARP)

        # --- copies, which one thread issues

        def load(
            src: mgpu.GmemRef[D], window: Window, tile: mgpu.SmemRef[D, Literal[128]], arrived: mgpu.BarrierRef
        ) -> None:
            ctx.async_copy(
                src_ref=src,
                dst_ref=tile,
                gmem_slice=window,
                gmem_transform=tiles,
                swizzle=128,
                barrier=arrived,
                predicate=None,
            )

        # Rows after the last one come as zeros from TMA, and do not leave through it.
        def queries_of(consumer: mgpu.Index | int) -> Window:
            return item, mgpu.ds(first_query + consumer * ROWS, ROWS), head

        def keys_of(step: mgpu.Index) -> Window:
            return item, mgpu.ds(step * block_kv, block_kv), head // (num_q_heads // num_kv_heads)

        def load_queries(consumer: mgpu.Index | int) -> None:
            load(q, queries_of(consumer), mgpu.memref_slice(scratch.q, consumer), scratch.q_arrived[consumer])

        def load_keys(step: mgpu.Index) -> None:
            slot = step % stages
            load(k, keys_of(step), mgpu.memref_slice(scratch.k, slot), scratch.k_arrived[slot])

        def load_values(step: mgpu.Index) -> None:
            slot = step % stages
            load(v, keys_of(step), mgpu.memref_slice(scratch.v, slot), scratch.v_arrived[slot])

        def wait_for_slot(consumed: mgpu.BarrierArray, step: mgpu.Index) -> None:
            # The n-th use of a slot waits for the end of the phase n - 1 in which its last tile was consumed.
            # Of a new barrier the phase before the first, of parity 1, counts as ended.
            consumed[step % stages].wait_parity((step // stages % 2).eq(0))

        # --- what a consumer does

        lowest = mgpu.FragmentedArray.splat(mgpu.c(LOWEST, mgpu.float32), (ROWS,), mgpu.WGMMA_ROW_LAYOUT)

        def take_turn() -> None:
            if plan.turns:
                scratch.turn[me].wait()

        def give_turn() -> None:
            if plan.turns:
                scratch.turn[(me + 1) % consumers].arrive(predicate=elected)

        def begin() -> None:
            # Each turn that is taken has been given once: consumer 0's first by the last one here, every other by the
            # consumer before, after its own. So nobody gives a turn again before it has been taken.
            if plan.turns:
                with mgpu.when(me.eq(consumers - 1)):
                    scratch.turn[0].arrive(predicate=elected)
            scratch.q_arrived[me].wait()

        def issue_scores(step: mgpu.Index) -> Product:
            k_tile = mgpu.memref_transpose(mgpu.memref_slice(scratch.k, step % stages), (1, 0, 3, 2))
            product = mgpu.wgmma(mgpu.WGMMAAccumulator.zero(ROWS, block_kv), q_tile, k_tile, swizzle=128)
            mgpu.wgmma_commit_group()
            return product

        def issue_results(acc: Tile[mgpu.float32], weights: Tile[D], step: mgpu.Index) -> Product:
            v_tile = mgpu.memref_slice(scratch.v, step % stages)
            product = mgpu.wgmma(mgpu.WGMMAAccumulator.from_registers(acc), weights, v_tile, swizzle=128)
            mgpu.wgmma_commit_group()
            return product

        def online_softmax(
            scores: Tile[mgpu.float32], peak: Rows, sums: Tile[mgpu.float32]
        ) -> tuple[Tile[mgpu.float32], Rows, Rows, Tile[mgpu.float32]]:
            """The weights of more scores, how much everything before them decays, the new maxima and the new sums."""
            higher = peak.max(scores.reduce("max", axis=1) * log2_scale)
            decay = (peak - higher).exp2(approx=True)
            weights = (scores * log2_scale - higher.broadcast_minor(block_kv)).exp2(approx=True)
            return weights, decay, higher, sums * decay.broadcast_minor(8) + partial_sums(weights)

        def store(results: Tile[mgpu.float32]) -> None:
            mgpu.warpgroup_barrier()  # every warp has read its queries
            results.astype(dtype).store_tiled(q_tile, swizzle=128)
            mgpu.commit_shared()
            ctx.async_copy(src_ref=q_tile, dst_ref=out, gmem_slice=queries_of(me), gmem_transform=tiles, swizzle=128)
            ctx.await_async_copy(0)

        # --- the two ways

        def produce() -> None:
            with mgpu.single_thread(mgpu.ThreadSubset.WARPGROUP):
                for consumer in range(consumers):
                    load_queries(consumer)

                @mgpu.fori(mgpu.c(steps, mgpu.Index), None)
                def _(step: mgpu.Index, _: None) -> None:
                    wait_for_slot(scratch.k_consumed, step)
                    load_keys(step)
                    wait_for_slot(scratch.v_consumed, step)
                    load_values(step)

        def consume() -> None:
            begin()
            scratch.k_arrived[0].wait()
            take_turn()
            product = issue_scores(mgpu.c(0, mgpu.Index))
            give_turn()
            mgpu.wgmma_wait_group(0)
            scratch.k_consumed[0].arrive(predicate=elected)
            scores = mgpu.optimization_barrier(product.value)
            weights, _, peak, sums = online_softmax(scores, lowest, nothing(8))
            first: Pipelined[D] = (nothing(head_dim), weights.astype(dtype), peak, sums)

            @mgpu.fori(mgpu.c(steps - 1, mgpu.Index), first)
            def attend(step: mgpu.Index, state: Pipelined[D]) -> Pipelined[D]:
                acc, weights, peak, sums = state
                scratch.k_arrived[(step + 1) % stages].wait()
                scratch.v_arrived[step % stages].wait()
                take_turn()
                next_scores = issue_scores(step + 1)
                results = issue_results(acc, weights, step)
                give_turn()

                # The next weights, while the tensor core multiplies the last ones. LLVM takes a product for there once
                # it is issued; `optimization_barrier` keeps what is computed of it behind the wait.
                mgpu.wgmma_wait_group(1)
                scratch.k_consumed[(step + 1) % stages].arrive(predicate=elected)
                scores = mgpu.optimization_barrier(next_scores.value)
                next_weights, decay, peak, sums = online_softmax(scores, peak, sums)

                mgpu.wgmma_wait_group(0)
                scratch.v_consumed[step % stages].arrive(predicate=elected)
                acc = mgpu.optimization_barrier(results.value) * decay.broadcast_minor(head_dim)
                return acc, next_weights.astype(dtype), peak, sums

            acc, last_weights, _, sums = attend.results
            last = mgpu.c(steps - 1, mgpu.Index)
            scratch.v_arrived[last % stages].wait()
            results = issue_results(acc, last_weights, last)
            inverse: Rows = 1.0 / sums.reduce("add", axis=1)
            mgpu.wgmma_wait_group(0)
            store(mgpu.optimization_barrier(results.value) * inverse.broadcast_minor(head_dim))

        def load_and_consume() -> None:
            # Consumer 0 keeps the ring filled for all, `stages - 1` steps ahead of itself.
            with mgpu.single_thread(mgpu.ThreadSubset.WARPGROUP):
                load_queries(me)
            with mgpu.when(me.eq(0)), mgpu.single_thread(mgpu.ThreadSubset.WARPGROUP):
                for step in range(min(stages - 1, steps)):
                    load_keys(mgpu.c(step, mgpu.Index))
                    load_values(mgpu.c(step, mgpu.Index))
            begin()
            first: State = (nothing(head_dim), lowest, nothing(8))

            @mgpu.fori(mgpu.c(steps, mgpu.Index), first)
            def attend(step: mgpu.Index, state: State) -> State:
                acc, peak, sums = state
                slot = step % stages
                scratch.k_arrived[slot].wait()
                take_turn()
                product = issue_scores(step)
                give_turn()

                # Meanwhile the slot of the step before is loaded again, once the last consumer has read its values. To
                # get there it needs neither a later tile nor a later turn of this one: nobody waits in a circle.
                ahead = step + (stages - 1)
                with mgpu.when(me.eq(0) & (ahead < steps)), mgpu.single_thread(mgpu.ThreadSubset.WARPGROUP):
                    wait_for_slot(scratch.v_consumed, ahead)
                    load_keys(ahead)
                    load_values(ahead)

                mgpu.wgmma_wait_group(0)
                scores = mgpu.optimization_barrier(product.value)
                exponents, decay, peak, sums = online_softmax(scores, peak, sums)
                # Converted before the wait, as no instruction moves over it: so they take half the registers there.
                weights = exponents.astype(dtype)
                acc = acc * decay.broadcast_minor(head_dim)
                scratch.v_arrived[slot].wait()
                results = issue_results(acc, weights, step)
                mgpu.wgmma_wait_group(0)
                scratch.v_consumed[slot].arrive(predicate=elected)
                return mgpu.optimization_barrier(results.value), peak, sums

            acc, _, sums = attend.results
            inverse: Rows = 1.0 / sums.reduce("add", axis=1)
            store(acc * inverse.broadcast_minor(head_dim))

        if plan.warp_specialized:
            with mgpu.when(warpgroup.eq(consumers)):
                mgpu.set_max_registers(PRODUCER_REGISTERS, action="decrease")
                produce()
            with mgpu.when(warpgroup.ne(consumers)):
                mgpu.set_max_registers(plan.consumer_registers, action="increase")
                consume()
        else:
            load_and_consume()

    q_spec = mgpu.GMEM((batch, q_seq_len, num_q_heads, head_dim), dtype)
    kv_spec = mgpu.GMEM((batch, kv_seq_len, num_kv_heads, head_dim), dtype)
    return mgpu.as_gpu_kernel(
        flash_attention,
        grid=(-(-q_seq_len // plan.block_q), num_q_heads, batch),
        block=(128 * plan.warpgroups, 1, 1),
        in_shape=(q_spec, kv_spec, kv_spec),
        out_shape=q_spec,
        smem_scratch_shape=Scratch(dtype, head_dim, plan),
    )


def head_dim_64() -> mgpu.Kernel:
    return kernel(1, 512, 4096, 4, 2, 64, mgpu.float16)


def head_dim_128() -> mgpu.Kernel:
    return kernel(1, 256, 6144, 4, 2, 128, mgpu.float16)


def head_dim_256() -> mgpu.Kernel:
    return kernel(1, 256, 4096, 4, 2, 256, mgpu.float16)
