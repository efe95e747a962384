"""Blackwell as authors write it: collective kernels, int8, fp4, TMA reductions, rebound references."""

import functools
from typing import Any, Literal

from _twins import legal
from jaxlib.mlir import ir

import safegpu as mgpu
from safegpu import fragmented_array as fa
from safegpu import layouts as ll
from safegpu import tcgen05, utils

X = mgpu.Dimension.x
OUT = mgpu.GMEM((128, 128), mgpu.float32)


class Collective(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    barriers = mgpu.Barrier(1, num_barriers=2)
    done = mgpu.Barrier(1)
    cluster = mgpu.ClusterBarrier((X,), num_barriers=1)
    acc = mgpu.TMEM((128, 128), mgpu.float32, collective=True)
    a_tmem = mgpu.TMEM((128, 64), mgpu.float16, packing=2, collective=True)


@legal(mgpu.GMEM((256, 64), mgpu.float16), OUT, Collective, cluster=2)
def collective(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Collective
) -> None:
    tile = mgpu.TileTransform((8, 64))
    common: dict[str, Any] = dict(swizzle=128, gmem_transform=(tile,))
    is_leader = mgpu.cluster_block_id(X).eq(0)
    with mgpu.when(mgpu.warp_idx(sync=True).eq(0)):
        ctx.async_copy(
            src_ref=x,
            dst_ref=s.a,
            barrier=s.barriers[0],
            gmem_slice=(mgpu.ds(0, 128),),
            predicate=mgpu.single_thread_predicate(mgpu.ThreadSubset.WARP),
            **common,
        )
        ctx.async_copy(
            src_ref=x,
            dst_ref=s.b,
            barrier=s.barriers[1],
            gmem_slice=mgpu.ds(0, 128),
            collective=X,
            leader_tracked=mgpu.CopyPartition.PARTITIONED(0),
            **common,
        )
    for i in range(2):
        s.barriers[i].wait()
    s.cluster.arrive(orders_tensor_core=True)
    s.cluster.wait(orders_tensor_core=True)
    with mgpu.when(is_leader & mgpu.single_thread_predicate()):
        for step in range(2):
            tcgen05.mma(
                s.acc,
                s.a,
                s.b,
                a_swizzle=128,
                b_swizzle=128,
                accumulate=step > 0,
                collective=True,
            )
        tcgen05.commit_arrive(s.done, collective=True, ctx=ctx)
    s.done.wait(orders_tensor_core=True)
    s.acc.load().store_untiled(o, optimized=False)


class Transposed(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.bfloat16, swizzle=128)
    b = mgpu.SMEM((128, 64), mgpu.bfloat16, swizzle=128)
    done = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 128), mgpu.float32)


def rebound(s: Transposed, a_transposed: bool, b_transposed: bool) -> None:
    a, b = s.a, s.b
    if a_transposed:
        a = mgpu.memref_transpose(a, (1, 0, 3, 2))
    if b_transposed:
        b = mgpu.memref_transpose(b, (1, 0, 3, 2))
    accumulate: mgpu.I1 | bool = False
    tcgen05.mma(s.acc, a, b, a_swizzle=128, b_swizzle=128, accumulate=accumulate)


@legal(OUT, Transposed)
def rebound_references(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Transposed) -> None:
    with mgpu.single_thread():
        rebound(s, False, True)
        issue = functools.partial(tcgen05.mma, a_swizzle=128, b_swizzle=128)
        issue(s.acc, s.a, mgpu.memref_transpose(s.b, (1, 0, 3, 2)))
        i = mgpu.c(0, mgpu.I32)
        tcgen05.mma(
            s.acc,
            s.a,
            mgpu.memref_transpose(s.b, (1, 0, 3, 2)),
            a_swizzle=128,
            b_swizzle=128,
            accumulate=i.ne(0),
        )
        tcgen05.commit_arrive(s.done)
    s.done.wait(orders_tensor_core=True)
    part = s.acc.slice(slice(None), mgpu.ds(0, 64)).load()
    part.store_untiled(mgpu.memref_slice(o, (slice(None), mgpu.ds(64, 64))), optimized=False)
    parts = [s.acc.slice(slice(None), mgpu.ds(n * 32, 32)).load() for n in range(4)]
    whole: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05] = mgpu.concatenate(parts, 1)
    s.acc.store(whole)
    assert s.acc.layout == tcgen05.tmem_default_layout() and s.acc.shape == (128, 128)


class Bytes(mgpu.Scratch):
    a = mgpu.SMEM((128, 128), mgpu.int8, swizzle=128)
    b = mgpu.SMEM((128, 128), mgpu.int8, swizzle=128)
    done = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 128), mgpu.int32)
    lhs = mgpu.TMEM((128, 128), mgpu.int8, packing=4)


@legal(mgpu.GMEM((128, 128), mgpu.int8), mgpu.GMEM((128, 128), mgpu.int32), Bytes)
def integers(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.int8], o: mgpu.GmemRef[mgpu.int32], s: Bytes) -> None:
    b = mgpu.memref_transpose(s.b, (1, 0, 3, 2))
    lhs = mgpu.FragmentedArray.load_untiled(x, layout=fa.tmem_native_layout(4), optimized=False)
    s.lhs.store(lhs)
    tcgen05.commit_tmem()
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.lhs, b, a_swizzle=128, b_swizzle=128, accumulate=False)
        tcgen05.mma(s.acc, s.a, b, a_swizzle=128, b_swizzle=128)
        tcgen05.commit_arrive(s.done)
    s.done.wait(orders_tensor_core=True)
    total = s.acc.load(is_signed=True)
    scaled = total.astype(mgpu.float32) * 0.5
    scaled.astype(mgpu.int32).store_untiled(o, optimized=False)


class Copies(mgpu.Scratch):
    smem = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    plain = mgpu.SMEM((128, 64), mgpu.float32)
    half = mgpu.TMEM((128, 64), mgpu.float16, packing=2)


@legal(mgpu.GMEM((128, 64), mgpu.float16), mgpu.GMEM((128, 64), mgpu.float32), Copies)
def copies(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Copies) -> None:
    with mgpu.single_thread():
        tcgen05.async_copy_smem_to_tmem(s.smem, s.half, 128)
    s.half.load(mgpu.TMEM_NATIVE_LAYOUT).astype(mgpu.float32).store_untiled(s.plain, optimized=False)
    mgpu.commit_shared()
    ctx.async_copy(src_ref=s.plain, dst_ref=o, reduction_op="add")
    ctx.async_copy(src_ref=s.plain, dst_ref=o, collective=())
    ctx.await_async_copy(0, await_read_only=True)
    ctx.async_prefetch(gmem_ref=x, gmem_slice=(mgpu.ds(0, 8), slice(None)))
    with ctx.named_region("copy"):
        fa.copy_tiled(x, s.smem, 128)


@legal(mgpu.GMEM((128, 64), mgpu.float32), Copies)
def tensor_memory_by_hand(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Copies) -> None:
    i32 = ir.IntegerType.get_signless(32)
    raw = tcgen05.TMEMRef(s.half.address, (128, 32), i32, tcgen05.tmem_default_layout())
    words = tcgen05.DenseTMEM.wrap(raw, mgpu.int32)
    words.load(is_signed=True).astype(mgpu.float32)
    words.store(words.load(mgpu.TCGEN05_LAYOUT))
    tcgen05.commit_tmem()
    raw.slice(slice(None), slice(0, 8)).load(is_signed=False)
    same = tcgen05.TMEMRef(raw.address, raw.shape, mgpu.int32, tcgen05.tmem_default_layout())
    same.store(same.load())


def epilogue(
    acc: tcgen05.DenseTMEM[mgpu.float32, ll.TMEM_DEFAULT_32BIT],
    smem: mgpu.SmemRef[mgpu.float16, Literal[128]],
    scale: mgpu.F32 | float = 1.0,
) -> mgpu.FragmentedArray[mgpu.float16, ll.TCGEN05]:
    value = acc.load() * scale
    half = value.astype(mgpu.float16, rounding=mgpu.Rounding.TO_NEAREST_EVEN)
    half.store_tiled(smem, 128)
    return half


class Epilogue(mgpu.Scratch):
    out = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    accs = mgpu.Many(mgpu.TMEM((128, 64), mgpu.float32), 2)


@legal(mgpu.GMEM((128, 64), mgpu.float32), Epilogue)
def helpers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Epilogue) -> None:
    for i, acc in enumerate(s.accs):
        half = epilogue(acc, s.out, scale=mgpu.c(2.0, mgpu.float32) if i else 0.5)
        half.astype(mgpu.float32).store_untiled(o, optimized=False)
    first, second = s.accs
    first.store(second.load() + first.load())
    utils.warpgroup_barrier()
