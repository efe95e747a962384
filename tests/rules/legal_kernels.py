"""Whole kernels, as authors write them. Nothing here may be rejected."""

from typing import Final

from _twins import legal

import safegpu as mgpu
from safegpu import layouts as ll
from safegpu import tcgen05, utils

X = mgpu.Dimension.x
SWIZZLE: Final = 128
F16_128x64 = mgpu.GMEM((128, 64), mgpu.float16)


# --- Hopper: a matmul with a pipeline of buffers, one warpgroup


class Pipeline(mgpu.Scratch):
    a = mgpu.Many(mgpu.SMEM((64, 64), mgpu.float16, swizzle=SWIZZLE), 2)
    b = mgpu.Many(mgpu.SMEM((64, 64), mgpu.float16, swizzle=SWIZZLE), 2)
    out = mgpu.SMEM((64, 64), mgpu.float16, swizzle=SWIZZLE)
    full = mgpu.Barrier(2, num_barriers=2)


@legal(
    mgpu.GMEM((64, 256), mgpu.float16),
    mgpu.GMEM((256, 64), mgpu.float16),
    mgpu.GMEM((64, 64), mgpu.float16),
    Pipeline,
    arch="sm_90a",
)
def hopper_matmul(
    ctx: mgpu.LaunchContext,
    a: mgpu.GmemRef[mgpu.float16],
    b: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.float16],
    s: Pipeline,
) -> None:
    tile = mgpu.TileTransform((8, 64))
    steps = 4

    def fetch(step: int, slot: int) -> None:
        barrier = s.full[slot]
        ctx.async_copy(
            src_ref=a,
            dst_ref=s.a[slot],
            gmem_slice=(slice(None), mgpu.ds(step * 64, 64)),
            gmem_transform=tile,
            barrier=barrier,
            swizzle=SWIZZLE,
        )
        ctx.async_copy(
            src_ref=b,
            dst_ref=s.b[slot],
            gmem_slice=(mgpu.ds(step * 64, 64), slice(None)),
            gmem_transform=(tile,),
            barrier=barrier,
            swizzle=SWIZZLE,
        )

    for slot in range(2):
        fetch(slot, slot)
    acc = mgpu.WGMMAAccumulator.zero(64, 64)
    for step in range(steps):
        slot = step % 2
        s.full[slot].wait()
        acc = mgpu.wgmma(acc, s.a[slot], s.b[slot], swizzle=SWIZZLE)
        mgpu.wgmma_commit_group()
        mgpu.wgmma_wait_group(0)
        if step + 2 < steps:
            mgpu.warpgroup_barrier()
            fetch(step + 2, slot)
    result = acc.value.astype(mgpu.float16)
    result.store_tiled(s.out, SWIZZLE)
    mgpu.commit_shared()
    ctx.async_copy(src_ref=s.out, dst_ref=o, gmem_transform=tile, swizzle=SWIZZLE)
    ctx.await_async_copy(0)


# --- Hopper: softmax over rows, and its exponentials in one pass


@legal(mgpu.GMEM((64, 128), mgpu.float32), mgpu.GMEM((64, 128), mgpu.bfloat16), (), arch="sm_90a")
def softmax(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], o: mgpu.GmemRef[mgpu.bfloat16], s: tuple[()]
) -> None:
    values = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    peak = values.reduce("max", 1)
    shifted = (values - peak.broadcast_in_dim((64, 128), (0,), mgpu.WGMMA_LAYOUT)).exp(approx=True)
    total = shifted.reduce("add", axis=1)
    normed = shifted / total.broadcast_in_dim((64, 128), (0,), mgpu.WGMMA_LAYOUT)
    normed.astype(mgpu.bfloat16).store_untiled(o, optimized=False)


@legal(mgpu.GMEM((64, 128), mgpu.float32), mgpu.GMEM((64, 128), mgpu.float32), (), arch="sm_90a")
def rows(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    m = mgpu.FragmentedArray.splat(mgpu.c(-1e30, mgpu.float32), (64,), mgpu.WGMMA_ROW_LAYOUT)
    values = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    m = m.max(values.reduce("max", 1))
    alpha = mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float32), (64,)) * m
    alpha = (m - alpha).exp2()
    values *= alpha.broadcast_minor(128)
    values += 1
    values.store_untiled(o, optimized=False)


# --- Hopper: a loop whose carry is an array and a reference


@legal(mgpu.GMEM((64, 64), mgpu.float32), mgpu.GMEM((64, 64), mgpu.float32), (), arch="sm_90a")
def loop(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    init = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)

    @mgpu.fori(mgpu.c(4, mgpu.Index), init)
    def doubled(
        i: mgpu.Index, carry: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA]
    ) -> mgpu.FragmentedArray[mgpu.float32, ll.WGMMA]:
        return carry + carry

    result: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA] = doubled.result
    result.store_untiled(o, optimized=False)


@legal(mgpu.GMEM((256, 64), mgpu.float32), mgpu.GMEM((256, 64), mgpu.float32), (), arch="sm_90a")
def loop_over_rows(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], o: mgpu.GmemRef[mgpu.float32], s: tuple[()]
) -> None:
    @mgpu.fori(mgpu.c(4, mgpu.Index), None)
    def each(i: mgpu.Index, carry: None) -> None:
        window = mgpu.ds(i * 64, 64)
        part = mgpu.FragmentedArray.load_strided(mgpu.memref_slice(x, window))
        part.store_untiled(mgpu.memref_slice(o, (window, slice(None))))
        return carry


# --- Hopper: two blocks of a cluster exchange their tiles


class Exchange(mgpu.Scratch):
    inbox = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    delivered = mgpu.Barrier(arrival_count=1)
    ready = mgpu.ClusterBarrier(collective_dims=(X,))


@legal(F16_128x64, F16_128x64, Exchange, arch="sm_90a", cluster=2)
def exchange(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Exchange
) -> None:
    mine = mgpu.ds(mgpu.block_id(X) * 64, 64)
    peer = 1 - mgpu.cluster_block_id(X)
    s.ready.arrive()
    s.ready.wait()
    s.delivered.arrive_expect_tx(64 * 64 * 2, predicate=mgpu.single_thread_predicate())
    tile = mgpu.FragmentedArray.load_untiled(mgpu.memref_slice(x, mine), layout=mgpu.WGMMA_LAYOUT, optimized=False)
    tile.store_tiled_async(s.inbox, s.delivered, X, peer, swizzle=128)
    s.delivered.wait()
    received = mgpu.FragmentedArray.load_tiled(s.inbox, swizzle=128, layout=mgpu.WGMMA_LAYOUT)
    received.store_untiled(mgpu.memref_slice(o, mine), optimized=False)


class Peers(mgpu.Scratch):
    smem = mgpu.SMEM((64, 64), mgpu.float32)
    ready = mgpu.ClusterBarrier((X,))


@legal(mgpu.GMEM((128, 64), mgpu.float32), mgpu.GMEM((128, 64), mgpu.float32), Peers, arch="sm_90a", cluster=2)
def peers_memory(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], o: mgpu.GmemRef[mgpu.float32], s: Peers
) -> None:
    mine = mgpu.ds(mgpu.block_id(X) * 64, 64)
    mgpu.FragmentedArray.load_strided(mgpu.memref_slice(x, mine)).store_untiled(s.smem)
    utils.warpgroup_barrier()
    s.ready.arrive()
    s.ready.wait()
    theirs = mgpu.get_cluster_ref(s.smem, X, 1 - mgpu.cluster_block_id(X))
    value: mgpu.FragmentedArray[mgpu.float32, ll.Strided] = mgpu.FragmentedArray.load_strided(theirs)
    value.store_untiled(mgpu.memref_slice(o, mine))
    value.store_untiled(theirs)


# --- Blackwell: a matmul, dense and sparse, and its epilogue


class Blackwell(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.bfloat16, swizzle=128)
    b = mgpu.SMEM((128, 64), mgpu.bfloat16, swizzle=128)
    out = mgpu.SMEM((128, 128), mgpu.bfloat16, swizzle=128)
    copied = mgpu.Barrier(2)
    done = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 128), mgpu.float32)


@legal(
    mgpu.GMEM((128, 64), mgpu.bfloat16), mgpu.GMEM((128, 64), mgpu.bfloat16), mgpu.GMEM((128, 128), mgpu.bfloat16),
    Blackwell,
)  # fmt: skip
def blackwell_matmul(
    ctx: mgpu.LaunchContext,
    a: mgpu.GmemRef[mgpu.bfloat16],
    b: mgpu.GmemRef[mgpu.bfloat16],
    o: mgpu.GmemRef[mgpu.bfloat16],
    s: Blackwell,
) -> None:
    tile = (mgpu.TileTransform((8, 64)),)
    for matrix, smem in ((a, s.a), (b, s.b)):
        ctx.async_copy(src_ref=matrix, dst_ref=smem, barrier=s.copied, swizzle=128, gmem_transform=tile)
    s.copied.wait()
    with mgpu.single_thread():
        b_t = mgpu.memref_transpose(s.b, (1, 0, 3, 2))
        tcgen05.mma(s.acc, s.a, b_t, a_swizzle=128, b_swizzle=128, accumulate=False)
        tcgen05.commit_arrive(s.done)
    s.done.wait(orders_tensor_core=True)
    s.acc.load().astype(mgpu.bfloat16).store_tiled(s.out, swizzle=128)
    mgpu.commit_shared()
    with mgpu.when(mgpu.warp_idx().eq(0)):
        ctx.async_copy(
            src_ref=s.out,
            dst_ref=o,
            swizzle=128,
            gmem_transform=tile,
            predicate=mgpu.single_thread_predicate(),
        )
    ctx.await_async_copy(0)


class Sparse(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((128, 128), mgpu.float16, swizzle=128)
    meta_smem = mgpu.SMEM((1, 1, 128, 64), mgpu.uint2)
    done = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 128), mgpu.float32)
    meta = mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout())


@legal(mgpu.GMEM((128, 128), mgpu.float32), Sparse)
def sparse_matmul(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Sparse) -> None:
    with mgpu.single_thread():
        tcgen05.async_copy_sparse_metadata_smem_to_tmem(s.meta_smem, s.meta)
        tcgen05.mma(s.acc, s.a, s.b, a_swizzle=128, b_swizzle=128, a_sparse_metadata=s.meta, accumulate=False)
        tcgen05.commit_arrive(s.done)
    s.done.wait(orders_tensor_core=True)
    result = s.acc.load()
    tcgen05.wait_load_tmem()
    result.store_untiled(o, optimized=False)


class Scaled(mgpu.Scratch):
    a = mgpu.SMEM((128, 128), mgpu.float8_e4m3fn, swizzle=128)
    b = mgpu.SMEM((128, 128), mgpu.float8_e5m2, swizzle=128)
    scales_smem = mgpu.SMEM((1, 1, 32, 16), mgpu.float8_e8m0fnu)
    acc = mgpu.TMEM((128, 128), mgpu.float32)
    a_scale = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())
    b_scale = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())


@legal(mgpu.GMEM((128, 128), mgpu.float32), Scaled, one_thread=True)
def scaled_matmul(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Scaled) -> None:
    tcgen05.async_copy_scales_smem_to_tmem(s.scales_smem, s.a_scale)
    tcgen05.async_copy_scales_smem_to_tmem(s.scales_smem, s.b_scale)
    b = mgpu.memref_transpose(s.b, (1, 0, 3, 2))
    tcgen05.mma(s.acc, s.a, b, a_swizzle=128, b_swizzle=128, a_scale=s.a_scale, b_scale=s.b_scale, accumulate=False)


class InTmem(mgpu.Scratch):
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    p = mgpu.TMEM((128, 64), mgpu.float16, packing=2)


@legal(mgpu.GMEM((128, 64), mgpu.float32), InTmem)
def left_operand_in_tensor_memory(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: InTmem) -> None:
    p = s.acc.load().exp2().astype(mgpu.float16)
    s.p.store(p)
    tcgen05.commit_tmem()
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.p, s.b, a_swizzle=128, b_swizzle=128, accumulate=False)
        tcgen05.mma(s.acc, s.p.slice(slice(None), slice(0, 64)), s.b, a_swizzle=128, b_swizzle=128)


# --- several GPUs: an all-reduce


@legal(
    mgpu.GMEM((128, 128), mgpu.float32), mgpu.GMEM((1,), mgpu.int32), mgpu.GMEM((128, 128), mgpu.float32), (),
    arch="sm_90a", peers=2,
)  # fmt: skip
def all_reduce(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float32],
    semaphore: mgpu.GmemRef[mgpu.int32],
    o: mgpu.GmemRef[mgpu.float32],
    s: tuple[()],
) -> None:
    window = mgpu.ds(ctx.device_id().to_index() * 64, 64)
    layout = mgpu.WGStridedFragLayout((64, 128), vec_size=4)
    everywhere = ctx.to_remote_multicast(mgpu.memref_slice(x, window))
    total = mgpu.FragmentedArray.load_reduce_untiled(everywhere, layout, "add")
    total.store_untiled(ctx.to_remote_multicast(mgpu.memref_slice(o, window)))
    mgpu.warpgroup_barrier()
    all_semaphores = ctx.to_remote_multicast(semaphore)
    mgpu.SemaphoreRef.signal_multimem(utils.memref_ptr(all_semaphores.ref), 1)
    mgpu.SemaphoreRef(utils.memref_ptr(semaphore)).wait(2)
    neighbour = ctx.to_remote(x, (ctx.device_id() + 1) % 2)
    mgpu.FragmentedArray.load_strided(mgpu.memref_slice(neighbour, window)).store_untiled(mgpu.memref_slice(o, window))
