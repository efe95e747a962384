"""`examples/blackwell_matmul.py`: its roles for one tile, and what none of their statements may become."""

from typing import Literal

from _twins import illegal, legal, refused, silent

import safegpu as mgpu
from safegpu import tcgen05

X = mgpu.Dimension.x
A = mgpu.GMEM((256, 128), mgpu.bfloat16)
HALVES = mgpu.GMEM((256, 128), mgpu.float16)
OUT = mgpu.GMEM((256, 256), mgpu.bfloat16)
TILES = mgpu.TileTransform((8, 64))
LEADER_TRACKED = mgpu.CopyPartition.PARTITIONED(0)
PART = (slice(128), slice(64))
SINGLE = "Operation is only valid for a single barrier, but barrier ref contains"
PERMUTED = "the elements land where the buffer's readers do not look for them"


class S(mgpu.Scratch):
    a = mgpu.SMEM((2, 128, 64), mgpu.bfloat16, swizzle=128)
    b = mgpu.SMEM((2, 128, 64), mgpu.bfloat16, swizzle=128)
    b_halves = mgpu.SMEM((2, 128, 64), mgpu.float16, swizzle=128)
    out = mgpu.SMEM((2, 128, 64), mgpu.bfloat16, swizzle=128)
    out_halves = mgpu.SMEM((2, 128, 64), mgpu.float16, swizzle=128)
    loaded = mgpu.Barrier(arrival_count=2, num_barriers=2)
    consumed = mgpu.Barrier(arrival_count=1, num_barriers=2)
    multiplied = mgpu.Barrier(arrival_count=1, num_barriers=2)
    released = mgpu.ClusterBarrier((X,), arrival_count=1, num_barriers=2, leader_tracked=True)
    acc = mgpu.TMEM((128, 512), mgpu.float32, collective=True)


class Other(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.bfloat16, swizzle=128)
    b = mgpu.SMEM((128, 64), mgpu.bfloat16, swizzle=128)
    acc = mgpu.TMEM((128, 256), mgpu.bfloat16, collective=True)
    packed = mgpu.TMEM((128, 256), mgpu.float16, packing=2, collective=True)


def accumulator(s: S, slot: mgpu.Index) -> mgpu.DenseTMEM[mgpu.float32, mgpu.layouts.TMEM_DEFAULT_32BIT]:
    return s.acc.slice(slice(None), mgpu.ds(slot * 256, 256))


def multiply_stage[D: (mgpu.bfloat16, mgpu.float8_e4m3fn)](
    acc: mgpu.DenseTMEM[mgpu.float32, mgpu.layouts.TMEM_DEFAULT_32BIT],
    a: mgpu.SmemRef[D, Literal[128]],
    b: mgpu.SmemRef[D, Literal[128]],
    stage: mgpu.Index,
    accumulate: mgpu.I1,
) -> None:
    tcgen05.mma(
        acc,
        mgpu.memref_slice(a, stage),
        mgpu.memref_transpose(mgpu.memref_slice(b, stage), (1, 0, 3, 2)),
        a_swizzle=128,
        b_swizzle=128,
        accumulate=accumulate,
        collective=True,
    )


def release(barrier: mgpu.CollectiveBarrierRef) -> None:
    barrier.arrive(orders_tensor_core=True)


@legal(A, A, OUT, S, cluster=2)
def blackwell_matmul(
    ctx: mgpu.LaunchContext,
    a: mgpu.GmemRef[mgpu.bfloat16],
    b: mgpu.GmemRef[mgpu.bfloat16],
    o: mgpu.GmemRef[mgpu.bfloat16],
    s: S,
) -> None:
    rank, warp = mgpu.cluster_block_id(X), mgpu.warp_idx()
    elected = mgpu.single_thread_predicate(mgpu.ThreadSubset.WARP)
    tiles = mgpu.c(1, mgpu.Index)
    with mgpu.when(warp.eq(0) & elected):

        @mgpu.fori(mgpu.c(2, mgpu.Index), None)
        def load(step: mgpu.Index, _: None) -> None:
            stage = step % 2
            with mgpu.when(step >= 2):
                s.consumed[stage].wait()
            for operand, smem in ((a, s.a), (b, s.b)):
                ctx.async_copy(
                    src_ref=operand,
                    dst_ref=mgpu.memref_slice(smem, stage),
                    gmem_slice=(slice(None), mgpu.ds(step * 64, 64)),
                    gmem_transform=TILES,
                    swizzle=128,
                    barrier=s.loaded[stage],
                    collective=X,
                    leader_tracked=LEADER_TRACKED,
                    predicate=None,
                )

    with mgpu.when(warp.eq(1) & elected & rank.eq(0)):

        @mgpu.fori(tiles, None)
        def multiply(tile: mgpu.Index, _: None) -> None:
            slot = tile % 2
            with mgpu.when(tile >= 2):
                s.released[slot].wait(orders_tensor_core=True)

            @mgpu.fori(mgpu.c(2, mgpu.Index), None)
            def multiply_tile(step: mgpu.Index, _: None) -> None:
                s.loaded[step % 2].wait()
                multiply_stage(accumulator(s, slot), s.a, s.b, step % 2, step > 0)
                tcgen05.commit_arrive(s.consumed[step % 2], collective=True, ctx=ctx)

            tcgen05.commit_arrive(s.multiplied[slot], collective=True, ctx=ctx)

    with mgpu.when(mgpu.warpgroup_idx().eq(1)):

        @mgpu.fori(tiles, None)
        def store(tile: mgpu.Index, _: None) -> None:
            s.multiplied[tile % 2].wait(orders_tensor_core=True)
            for i in range(4):
                value = accumulator(s, tile % 2).slice(slice(None), mgpu.ds(i * 64, 64)).load()
                tcgen05.wait_load_tmem()
                if i == 3:
                    release(s.released[tile % 2])
                staged = mgpu.memref_slice(s.out, i % 2)
                ctx.await_async_copy(1, await_read_only=True)
                value.astype(mgpu.bfloat16).store_tiled(staged, swizzle=128)
                mgpu.commit_shared()
                ctx.async_copy(
                    src_ref=staged,
                    dst_ref=o,
                    gmem_slice=(mgpu.ds(rank * 128, 128), mgpu.ds(i * 64, 64)),
                    gmem_transform=TILES,
                    swizzle=128,
                )

        ctx.await_async_copy(0)


# --- the TMA warp


@illegal(A, OUT, S, cluster=2, raises="require the last dimension of the slice")
def load_with_another_swizzle(
    ctx: mgpu.LaunchContext, a: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    to, at = mgpu.memref_slice(s.a, 0), s.loaded[0]
    ctx.async_copy(src_ref=a, dst_ref=to, gmem_slice=PART, gmem_transform=TILES, swizzle=64, barrier=at)  # E: SG701


@refused(A, OUT, S, cluster=2, because=PERMUTED)
def load_without_its_swizzle(
    ctx: mgpu.LaunchContext, a: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    to, at = mgpu.memref_slice(s.a, 0), s.loaded[0]
    ctx.async_copy(src_ref=a, dst_ref=to, gmem_slice=PART, gmem_transform=TILES, barrier=at)  # E: SG701


@illegal(HALVES, OUT, S, cluster=2, raises="Expected same element type")
def load_another_dtype(
    ctx: mgpu.LaunchContext, a: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    to, at = mgpu.memref_slice(s.a, 0), s.loaded[0]
    ctx.async_copy(src_ref=a, dst_ref=to, gmem_slice=PART, gmem_transform=TILES, swizzle=128, barrier=at)  # E: SG307


@illegal(A, OUT, S, cluster=2, raises="Only SMEM <-> GMEM copies supported")
def load_into_the_peer(
    ctx: mgpu.LaunchContext, a: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    to, at = mgpu.get_cluster_ref(mgpu.memref_slice(s.a, 0), X, mgpu.c(1, mgpu.Index)), s.loaded[0]
    ctx.async_copy(src_ref=a, dst_ref=to, gmem_slice=PART, gmem_transform=TILES, swizzle=128, barrier=at)  # E: SG109


@illegal(A, OUT, S, cluster=2, raises=SINGLE)
def load_at_all_stages(
    ctx: mgpu.LaunchContext, a: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    to, at = mgpu.memref_slice(s.a, 0), s.loaded
    ctx.async_copy(src_ref=a, dst_ref=to, gmem_slice=PART, gmem_transform=TILES, swizzle=128, barrier=at)  # E: SG401


@illegal(A, OUT, S, cluster=2, raises="'CollectiveBarrierRef' object has no attribute")
def load_at_a_collective_barrier(
    ctx: mgpu.LaunchContext, a: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    to, at = mgpu.memref_slice(s.a, 0), s.released[0]
    ctx.async_copy(src_ref=a, dst_ref=to, gmem_slice=PART, gmem_transform=TILES, swizzle=128, barrier=at)  # E: SG402


@illegal(OUT, S, cluster=2, raises=SINGLE)
def wait_for_all_stages(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    s.consumed.wait()  # E: SG401


# --- the MMA warp


@illegal(OUT, S, cluster=2, raises=SINGLE)
def wait_for_both_accumulators(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    s.released.wait(orders_tensor_core=True)  # E: SG401


@illegal(OUT, S, cluster=2, raises="MMA requires A and B to have the same element type", one_thread=True)
def multiply_two_dtypes(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    acc, a = accumulator(s, mgpu.c(0, mgpu.Index)), mgpu.memref_slice(s.a, 0)
    b = mgpu.memref_transpose(mgpu.memref_slice(s.b_halves, 0), (1, 0, 3, 2))
    tcgen05.mma(acc, a, b, collective=True)  # E: SG303


@illegal(OUT, Other, cluster=2, raises="only supports accumulators of type f32", one_thread=True)
def multiply_into_bfloat16(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: Other) -> None:
    tcgen05.mma(s.acc, s.a, mgpu.memref_transpose(s.b, (1, 0, 3, 2)), collective=True)  # E: SG303


@illegal(OUT, Other, cluster=2, raises="Accumulator layout mismatch", one_thread=True)
def multiply_into_a_packed_accumulator(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: Other) -> None:
    tcgen05.mma(s.packed, s.a, mgpu.memref_transpose(s.b, (1, 0, 3, 2)), collective=True)  # E: SG210


@illegal(A, OUT, S, cluster=2, raises="Expected a 4D memref", one_thread=True)
def multiply_global_memory(
    ctx: mgpu.LaunchContext, a: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    acc, b = accumulator(s, mgpu.c(0, mgpu.Index)), mgpu.memref_transpose(mgpu.memref_slice(s.b, 0), (1, 0, 3, 2))
    tcgen05.mma(acc, a, b, collective=True)  # E: SG109


@illegal(OUT, S, cluster=2, raises="AssertionError: !llvm.ptr", one_thread=True)
def multiply_the_peers_half(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    acc, a = accumulator(s, mgpu.c(0, mgpu.Index)), mgpu.memref_slice(s.a, 0)
    b = mgpu.memref_transpose(mgpu.memref_slice(s.b, 0), (1, 0, 3, 2))
    theirs = mgpu.get_cluster_ref(b, X, mgpu.c(1, mgpu.Index))
    tcgen05.mma(acc, a, theirs, collective=True)  # E: SG109


@illegal(OUT, S, cluster=2, raises=SINGLE, one_thread=True)
def commit_at_all_stages(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    tcgen05.commit_arrive(s.consumed, collective=True, ctx=ctx)  # E: SG401


@illegal(OUT, S, cluster=2, raises="'CollectiveBarrierRef' object has no attribute")
def commit_at_a_collective_barrier(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    tcgen05.commit_arrive(s.released[0], collective=True, ctx=ctx)  # E: SG402


# --- the epilogue


@illegal(OUT, S, cluster=2, raises="Loading multiple row tiles")
def load_in_the_layout_of_wgmma(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    accumulator(s, mgpu.c(0, mgpu.Index)).load(mgpu.WGMMA_LAYOUT)  # E: SG202


@illegal(OUT, S, cluster=2, raises="Storing from register layout")
def clear_in_the_layout_of_wgmma(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    zeros = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128, 256), mgpu.WGMMA_LAYOUT)
    accumulator(s, mgpu.c(0, mgpu.Index)).store(zeros)  # E: SG201


@illegal(OUT, S, cluster=2, raises="Can only arrive on a single barrier")
def release_both_accumulators(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    s.released.arrive(orders_tensor_core=True)  # E: SG401


@silent(
    OUT, S, cluster=2, because="every thread arrives, at its own block's barrier, and the first block waits for ever"
)
def release_at_a_local_barrier(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    release(s.multiplied[0])  # E: SG000


def released(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], barrier: mgpu.CollectiveBarrierRef) -> None:
    release(barrier)
    barrier.wait(orders_tensor_core=True)


@legal(cluster=2)
def allocate_a_collective_barrier() -> None:
    mgpu.as_gpu_kernel(released, (2, 1, 1), (128, 1, 1), (), OUT, mgpu.ClusterBarrier((X,)), cluster=(2, 1, 1))


@silent(cluster=2, because="every thread arrives, at its own block's barrier")
def allocate_a_local_barrier() -> None:
    mgpu.as_gpu_kernel(released, (2, 1, 1), (128, 1, 1), (), OUT, mgpu.Barrier(2), cluster=(2, 1, 1))  # E: SG802


@refused(OUT, S, cluster=2, because=PERMUTED)
def stage_with_another_swizzle(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    value = s.acc.slice(slice(None), mgpu.ds(0, 64)).load().astype(mgpu.bfloat16)
    value.store_tiled(mgpu.memref_slice(s.out, 0), swizzle=64)  # E: SG701


@illegal(OUT, S, cluster=2, raises="Can't bitcast vector<2xf32>")
def stage_unconverted(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    value = s.acc.slice(slice(None), mgpu.ds(0, 64)).load()
    value.store_tiled(mgpu.memref_slice(s.out, 0), swizzle=128)  # E: SG302


@refused(OUT, S, cluster=2, because="the output has the bits of float16 under bfloat16")
def stage_another_dtype(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    value = s.acc.slice(slice(None), mgpu.ds(0, 64)).load().astype(mgpu.float16)
    value.store_tiled(mgpu.memref_slice(s.out, 0), swizzle=128)  # E: SG302


@illegal(OUT, S, cluster=2, raises="Expected same element type")
def store_another_dtype(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    staged = mgpu.memref_slice(s.out_halves, 0)
    ctx.async_copy(src_ref=staged, dst_ref=o, gmem_slice=PART, gmem_transform=TILES, swizzle=128)  # E: SG307


@refused(OUT, S, cluster=2, because=PERMUTED)
def store_without_its_swizzle(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    staged = mgpu.memref_slice(s.out, 0)
    ctx.async_copy(src_ref=staged, dst_ref=o, gmem_slice=PART, gmem_transform=TILES)  # E: SG701
