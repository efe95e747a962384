"""Mistakes in attention: lines of `examples/flash_attention.py`, each changed in one thing."""

from typing import Literal

from _twins import illegal, legal, refused

import safegpu as mgpu
from safegpu import layouts as ll

TILES = mgpu.TileTransform((8, 64))
X = mgpu.Dimension.x
IN, OUT = mgpu.GMEM((128, 128), mgpu.float16), mgpu.GMEM((64, 128), mgpu.float16)

SINGLE = "Operation is only valid for a single barrier"
INCOMPATIBLE = "Incompatible FragmentedArray layouts"

type Half = mgpu.GmemRef[mgpu.float16]
type Tile = mgpu.FragmentedArray[mgpu.float32, ll.WGMMA]
type Rows = mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_ROW]
type Accumulator = mgpu.WGMMAAccumulator[mgpu.float32]
type Carry = tuple[Tile, mgpu.FragmentedArray[mgpu.float16, ll.WGMMA], Rows, Tile]


class Ring(mgpu.Scratch):
    q = mgpu.SMEM((2, 64, 128), mgpu.float16, swizzle=128)
    k = mgpu.SMEM((2, 128, 128), mgpu.float16, swizzle=128)
    v = mgpu.SMEM((2, 128, 128), mgpu.float16, swizzle=128)
    brain = mgpu.SMEM((128, 128), mgpu.bfloat16, swizzle=128)
    narrow = mgpu.SMEM((128, 128), mgpu.float16, swizzle=64)
    arrived = mgpu.Barrier(arrival_count=1, num_barriers=2)
    consumed = mgpu.Barrier(arrival_count=8, num_barriers=2)
    turn = mgpu.Barrier(arrival_count=4, num_barriers=2)


# --- the producer


@legal(IN, OUT, Ring, arch="sm_90a")
def produce(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    with mgpu.single_thread(mgpu.ThreadSubset.WARPGROUP):

        @mgpu.fori(mgpu.c(2, mgpu.Index), None)
        def bring(step: mgpu.Index, _: None) -> None:
            slot = step % 2
            s.consumed[slot].wait_parity((step // 2 % 2).eq(0))
            ctx.async_copy(
                src_ref=k, dst_ref=mgpu.memref_slice(s.k, slot), gmem_slice=mgpu.ds(step * 64, 128),
                gmem_transform=TILES, swizzle=128, barrier=s.arrived[slot], predicate=None,
            )  # fmt: skip


@illegal(IN, OUT, Ring, arch="sm_90a", raises=SINGLE)
def wait_for_all_slots(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    s.consumed.wait_parity(mgpu.block_id(X).eq(0))  # E: SG401


@illegal(IN, OUT, Ring, arch="sm_90a", raises=SINGLE)
def complete_on_all_slots(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    slot = mgpu.memref_slice(s.k, 0)
    ctx.async_copy(src_ref=k, dst_ref=slot, gmem_transform=TILES, swizzle=128, barrier=s.arrived)  # E: SG401


@refused(IN, OUT, Ring, arch="sm_90a", because="wgmma takes rows for swizzled that lie as they came")
def load_without_a_swizzle(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    slot = mgpu.memref_slice(s.k, 0)
    ctx.async_copy(src_ref=k, dst_ref=slot, gmem_transform=TILES, barrier=s.arrived[0])  # E: SG701


@illegal(IN, OUT, Ring, arch="sm_90a", raises="Expected same element type, got f16 and bf16")
def load_into_another_dtype(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    ctx.async_copy(src_ref=k, dst_ref=s.brain, gmem_transform=TILES, swizzle=128, barrier=s.arrived[0])  # E: SG307


@illegal(IN, OUT, Ring, arch="sm_90a", raises="Barriers are unsupported for SMEM -> GMEM copies")
def load_backwards(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    slot = mgpu.memref_slice(s.k, 0)
    ctx.async_copy(src_ref=slot, dst_ref=k, gmem_transform=TILES, swizzle=128, barrier=s.arrived[0])  # E: SG404


# --- the consumers


def start() -> Carry:
    acc = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64, 128), mgpu.WGMMA_LAYOUT)
    peak = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64,), mgpu.WGMMA_ROW_LAYOUT)
    return acc, acc.astype(mgpu.float16), peak, acc[:, :8]


def scores(q: mgpu.SmemRef[mgpu.float16, Literal[128]], k: mgpu.SmemRef[mgpu.float16, Literal[128]]) -> Accumulator:
    return mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 128), q, mgpu.memref_transpose(k, (1, 0, 3, 2)), swizzle=128)


@legal(IN, OUT, Ring, arch="sm_90a")
def consume(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    elected = mgpu.single_thread_predicate(mgpu.ThreadSubset.WARP)
    q = mgpu.memref_slice(s.q, 0)

    @mgpu.fori(mgpu.c(2, mgpu.Index), start())
    def attend(step: mgpu.Index, carry: Carry) -> Carry:
        acc, p, peak, sums = carry
        s.turn[0].wait()
        score = scores(q, mgpu.memref_slice(s.k, step % 2))
        mgpu.wgmma_commit_group()
        product = mgpu.wgmma(
            mgpu.WGMMAAccumulator.from_registers(acc), p, mgpu.memref_slice(s.v, step % 2), swizzle=128
        )
        mgpu.wgmma_commit_group()
        s.turn[1].arrive(predicate=elected)
        mgpu.wgmma_wait_group(1)
        qk = mgpu.optimization_barrier(score.value)
        higher = peak.max(qk.reduce("max", axis=1))
        decay = (peak - higher).exp2(approx=True)
        weights = (qk - higher.broadcast_minor(128)).exp2(approx=True)
        sums = sums * decay.broadcast_minor(8) + weights[:, :8]
        mgpu.wgmma_wait_group(0)
        acc = mgpu.optimization_barrier(product.value) * decay.broadcast_minor(128)
        return acc, weights.astype(mgpu.float16), higher, sums

    acc, _, _, sums = attend.results
    total = sums.reduce("add", axis=1)
    (acc * (1.0 / total).broadcast_minor(128)).astype(mgpu.float16).store_tiled(q, swizzle=128)
    mgpu.commit_shared()
    ctx.async_copy(src_ref=q, dst_ref=out, gmem_transform=TILES, swizzle=128)


@legal(IN, OUT, Ring, arch="sm_90a")
def load_and_consume(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    elected = mgpu.single_thread_predicate(mgpu.ThreadSubset.WARP)
    me = mgpu.warpgroup_idx(sync=True).to_index()
    lowest = mgpu.FragmentedArray.splat(mgpu.c(-3e38, mgpu.float32), (64,), mgpu.WGMMA_ROW_LAYOUT)
    acc, _, _, nothing = start()

    @mgpu.fori(mgpu.c(4, mgpu.Index), (acc, lowest, nothing))
    def attend(step: mgpu.Index, carry: tuple[Tile, Rows, Tile]) -> tuple[Tile, Rows, Tile]:
        acc, peak, sums = carry
        s.arrived[step % 2].wait()
        score = scores(mgpu.memref_slice(s.q, me), mgpu.memref_slice(s.k, step % 2))
        mgpu.wgmma_commit_group()
        ahead = step + 1
        with mgpu.when(me.eq(0) & (ahead < 4)), mgpu.single_thread(mgpu.ThreadSubset.WARPGROUP):
            s.consumed[ahead % 2].wait_parity((ahead // 2 % 2).eq(0))
            ctx.async_copy(
                src_ref=k, dst_ref=mgpu.memref_slice(s.k, ahead % 2), gmem_slice=mgpu.ds(ahead * 64, 128),
                gmem_transform=TILES, swizzle=128, barrier=s.arrived[ahead % 2], predicate=None,
            )  # fmt: skip
        mgpu.wgmma_wait_group(0)
        qk = mgpu.optimization_barrier(score.value)
        higher = peak.max(qk.reduce("max", axis=1))
        decay = (peak - higher).exp2(approx=True)
        weights = (qk - higher.broadcast_minor(128)).exp2(approx=True)
        sums = sums * decay.broadcast_minor(8) + weights[:, :8]
        product = mgpu.WGMMAAccumulator.from_registers(acc * decay.broadcast_minor(128))
        product = mgpu.wgmma(product, weights.astype(mgpu.float16), mgpu.memref_slice(s.v, step % 2), swizzle=128)
        mgpu.wgmma_commit_group()
        mgpu.wgmma_wait_group(0)
        s.consumed[step % 2].arrive(predicate=elected)
        return mgpu.optimization_barrier(product.value), higher, sums


@illegal(IN, OUT, Ring, arch="sm_90a", raises="must be a Value (is not a Value)")
def load_if_python_says_so(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    me = mgpu.warpgroup_idx(sync=True).to_index()
    with mgpu.when(me == 0):  # E: SG000
        pass


@illegal(IN, OUT, Ring, arch="sm_90a", raises="expected two scalars of one type, got I1 and Index")
def load_by_the_precedence_of_and(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    me, ahead = mgpu.warpgroup_idx(sync=True).to_index(), mgpu.block_id(X)
    with mgpu.when(me.eq(0) & ahead < 4):  # E: SG308
        pass


@illegal(IN, OUT, Ring, arch="sm_90a", raises=SINGLE)
def wait_for_all_keys(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    s.arrived.wait()  # E: SG401


@illegal(IN, OUT, Ring, arch="sm_90a", raises="PyTreeDef")
def carry_the_product(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    acc, p, _, _ = start()

    @mgpu.fori(mgpu.c(2, mgpu.Index), acc)  # E: SG000
    def attend(step: mgpu.Index, acc: Tile) -> Accumulator:
        return mgpu.wgmma(mgpu.WGMMAAccumulator.from_registers(acc), p, mgpu.memref_slice(s.v, 0), swizzle=128)


@illegal(IN, OUT, Ring, arch="sm_90a", raises="only supports accumulators of type f32")
def scores_in_half_precision(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    zero = mgpu.WGMMAAccumulator.zero(128, 128, mgpu.float16)
    mgpu.wgmma(zero, s.brain, s.brain)  # E: SG303


@illegal(IN, OUT, Ring, arch="sm_90a", raises="'FragmentedArray' object has no attribute 'type'")
def weights_for_values(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    acc, p, _, _ = start()
    product = mgpu.WGMMAAccumulator.from_registers(acc)
    mgpu.wgmma(product, mgpu.memref_slice(s.v, 0), p)  # E: SG000


@illegal(IN, OUT, Ring, arch="sm_90a", raises="Expected a 4D memref, got: memref<128x128xf16>")
def keys_from_global_memory(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    q = mgpu.memref_slice(s.q, 0)
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 128), q, k)  # E: SG109


@illegal(IN, OUT, Ring, arch="sm_90a", raises="Only f16, bf16, i8")
def weights_in_float32(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    acc, _, _, _ = start()
    product = mgpu.WGMMAAccumulator.from_registers(acc)
    mgpu.wgmma(product, acc, mgpu.memref_slice(s.v, 0))  # E: SG303


@illegal(IN, OUT, Ring, arch="sm_90a", raises="same element type")
def weights_of_another_dtype(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    acc, p, _, _ = start()
    product = mgpu.WGMMAAccumulator.from_registers(acc)
    mgpu.wgmma(product, p, s.brain)  # E: SG303


@illegal(IN, OUT, Ring, arch="sm_90a", raises="Tiling should be")
def keys_of_another_swizzle(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    q = mgpu.memref_slice(s.q, 0)
    keys = mgpu.memref_transpose(s.narrow, (1, 0, 3, 2))
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 128), q, keys, swizzle=128)  # E: SG701


@illegal(IN, OUT, Ring, arch="sm_90a", raises=INCOMPATIBLE)
def peak_of_columns(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    qk, _, _, _ = start()
    peak = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64,), mgpu.WGMMA_COL_LAYOUT)
    peak.max(qk.reduce("max", axis=1))  # E: SG207


@illegal(IN, OUT, Ring, arch="sm_90a", raises=INCOMPATIBLE)
def peak_not_broadcast(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    qk, _, peak, _ = start()
    qk - peak  # E: SG207


@illegal(IN, OUT, Ring, arch="sm_90a", raises=INCOMPATIBLE)
def decay_in_rows_of_tensor_memory(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    acc = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128, 128), mgpu.WGMMA_LAYOUT)
    decay = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128,), mgpu.TCGEN05_ROW_LAYOUT)
    acc * decay.broadcast_minor(128)  # E: SG207


@illegal(IN, OUT, Ring, arch="sm_90a", raises="NotImplementedError: WGMMAAccumulator")
def product_still_under_way(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    acc, p, decay, _ = start()
    product = mgpu.wgmma(mgpu.WGMMAAccumulator.from_registers(acc), p, mgpu.memref_slice(s.v, 0))
    product * decay.broadcast_minor(128)  # E: SG000


@illegal(IN, OUT, Ring, arch="sm_90a", raises=SINGLE)
def every_turn(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    s.turn.arrive(predicate=mgpu.single_thread_predicate(mgpu.ThreadSubset.WARP))  # E: SG401


@illegal(IN, OUT, Ring, arch="sm_90a", raises="Can't bitcast vector<2xf32>")
def store_in_float32(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    acc, _, _, _ = start()
    acc.store_tiled(mgpu.memref_slice(s.q, 0), swizzle=128)  # E: SG302


@refused(IN, OUT, Ring, arch="sm_90a", because="TMA reads the buffer in another order")
def store_in_another_swizzle(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    _, p, _, _ = start()
    p.store_tiled(mgpu.memref_slice(s.q, 0), swizzle=64)  # E: SG701


@refused(IN, OUT, Ring, arch="sm_90a", because="TMA reads the buffer in another order")
def store_the_tiles_in_rows(ctx: mgpu.LaunchContext, k: Half, out: Half, s: Ring) -> None:
    q = mgpu.memref_slice(s.q, 0)
    ctx.async_copy(src_ref=q, dst_ref=out, gmem_transform=TILES)  # E: SG701
