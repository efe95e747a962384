"""What the threads of a warpgroup do together is not for one thread, which would wait for the others or store its part alone."""

from collections.abc import Callable
from typing import Any

from _twins import legal, refused

import safegpu as mgpu
from safegpu import tcgen05
from safegpu.fragmented_array import copy_tiled
from safegpu.launch_context import AsyncCopyImplementation

F16 = mgpu.GMEM((64, 64), mgpu.float16)
OUT = mgpu.GMEM((128, 64), mgpu.float32)
X = mgpu.Dimension.x
type Context = mgpu.LaunchContext
type Half = mgpu.GmemRef[mgpu.float16]
type Single = mgpu.GmemRef[mgpu.float32]
elected = mgpu.single_thread_predicate


class S(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    untiled = mgpu.SMEM((64, 64), mgpu.float16)
    row = mgpu.SMEM((64,), mgpu.float16)
    full = mgpu.Barrier(1)
    all = mgpu.ClusterBarrier((X,))
    lead = mgpu.ClusterBarrier((X,), leader_tracked=True)
    one = mgpu.SMEM((1,), mgpu.float16)


class T(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    done = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 64), mgpu.float32)


@legal(F16, S, arch="sm_90a", cluster=2)
def together(ctx: Context, o: Half, s: S) -> None:
    array = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    array.store_tiled(s.tile, swizzle=128)
    array.store_untiled(s.untiled, optimized=False)
    with mgpu.when(mgpu.warpgroup_idx().eq(0)):
        array.store_tiled(s.tile, swizzle=128)
        mgpu.commit_shared()
    mgpu.commit_shared()
    mgpu.warpgroup_barrier()
    mgpu.block_barrier()
    copy_tiled(o, s.tile, 128)
    mgpu.commit_shared()
    s.all.arrive()
    with mgpu.single_thread():
        ctx.async_copy(src_ref=s.untiled, dst_ref=o, predicate=None)
    ctx.await_async_copy(0)
    acc = mgpu.WGMMAAccumulator.zero(64, 64)
    mgpu.wgmma(acc, s.tile, s.tile, swizzle=128)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    mgpu.set_max_registers(240, action="increase")
    ctx.async_copy(src_ref=o, dst_ref=s.untiled, barrier=s.full, implementation=AsyncCopyImplementation.CP_ASYNC)


@legal(F16, S, arch="sm_90a", cluster=2)
def of_one_thread(ctx: Context, o: Half, s: S) -> None:
    row = mgpu.FragmentedArray.load_untiled(s.row, layout=mgpu.WGMMA_ROW_LAYOUT, optimized=False)
    with mgpu.single_thread(mgpu.ThreadSubset.WARPGROUP):
        mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float16), (1,)).store_untiled(s.one)
        s.full.arrive_expect_tx(128)
        s.full.arrive()
        s.full.wait()
        s.lead.arrive()
        ctx.async_copy(src_ref=s.untiled, dst_ref=o, predicate=None)
        mgpu.FragmentedArray.load_untiled(s.row, layout=mgpu.WGMMA_ROW_LAYOUT, optimized=False)
    row.store_untiled(s.row, optimized=False)
    s.full.arrive(predicate=elected())
    ctx.async_copy(src_ref=s.untiled, dst_ref=o)


@legal(F16, S, arch="sm_90a", cluster=2)
def where_nobody_can_say(ctx: Context, o: Half, s: S) -> None:
    with mgpu.when(mgpu.thread_idx() > 127):
        mgpu.commit_shared()
    with mgpu.when(elected().select(mgpu.c(0, mgpu.I32), mgpu.c(1, mgpu.I32)).eq(1)):
        mgpu.warpgroup_barrier()
    with mgpu.when(~elected() | mgpu.thread_idx().eq(0)):
        mgpu.commit_shared()


@legal(OUT, T)
def of_tensor_memory(ctx: Context, o: Single, t: T) -> None:
    with mgpu.single_thread():
        tcgen05.mma(t.acc, t.a, t.b, accumulate=False)
        tcgen05.commit_arrive(t.done)
    t.done.wait(orders_tensor_core=True)
    t.acc.load().store_untiled(o, optimized=False)
    tcgen05.wait_load_tmem()
    tcgen05.commit_tmem()


@refused(F16, S, arch="sm_90a")
def tiled_store(ctx: Context, o: Half, s: S) -> None:
    array = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    with mgpu.single_thread():
        array.store_tiled(s.tile, swizzle=128)  # L: SG405


@refused(F16, S, arch="sm_90a")
def untiled_store(ctx: Context, o: Half, s: S) -> None:
    array = mgpu.FragmentedArray.load_strided(o)
    with mgpu.single_thread(mgpu.ThreadSubset.WARP):
        array.store_untiled(s.untiled)  # L: SG405


@refused(F16, S, arch="sm_90a")
def of_a_splat(ctx: Context, o: Half, s: S) -> None:
    with mgpu.when(elected()):
        mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64)).store_untiled(o)  # L: SG405


@refused(F16, S, arch="sm_90a")
def of_a_row(ctx: Context, o: Half, s: S) -> None:
    row = mgpu.FragmentedArray.load_untiled(s.row, layout=mgpu.WGMMA_ROW_LAYOUT, optimized=False)
    with mgpu.single_thread():
        row.store_untiled(s.row, optimized=False)  # L: SG405


@refused(F16, S, arch="sm_90a", cluster=2)
def to_another_block(ctx: Context, o: Half, s: S) -> None:
    array = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    with mgpu.single_thread():
        array.store_tiled_async(s.tile, s.full, X, mgpu.c(1, mgpu.Index), swizzle=128)  # L: SG405


@refused(F16, S, arch="sm_90a")
def in_a_loop(ctx: Context, o: Half, s: S) -> None:
    with mgpu.single_thread():

        @mgpu.fori(mgpu.c(4, mgpu.Index), ())
        def _(i: mgpu.Index, carried: tuple[()]) -> tuple[()]:
            with mgpu.when(i > 0):
                mgpu.commit_shared()  # L: SG405
            return ()


@refused(F16, S, arch="sm_90a")
def with_more_said(ctx: Context, o: Half, s: S) -> None:
    with mgpu.when(elected() & (mgpu.block_id(X) > 0)):
        mgpu.warpgroup_barrier()  # L: SG405


def under_single_thread(operation: Callable[[], object]) -> None:
    with mgpu.single_thread():
        operation()


@refused(F16, S, arch="sm_90a")
def block(ctx: Context, o: Half, s: S) -> None:
    under_single_thread(mgpu.block_barrier)  # L: SG405


@refused(F16, S, arch="sm_90a")
def wait_for_copies(ctx: Context, o: Half, s: S) -> None:
    with mgpu.single_thread():
        ctx.async_copy(src_ref=s.untiled, dst_ref=o, predicate=None)
        ctx.await_async_copy(0)  # L: SG405


@refused(F16, S, arch="sm_90a")
def wait_for_cp_async(ctx: Context, o: Half, s: S) -> None:
    under_single_thread(lambda: ctx.await_cp_async_copy(0))  # L: SG405


@refused(F16, S, arch="sm_90a")
def cp_async(ctx: Context, o: Half, s: S) -> None:
    implementation: Any = AsyncCopyImplementation.CP_ASYNC
    with mgpu.single_thread():
        ctx.async_copy(src_ref=o, dst_ref=s.untiled, barrier=s.full, implementation=implementation)  # L: SG405


@refused(F16, S, arch="sm_90a")
def tile_by_tile(ctx: Context, o: Half, s: S) -> None:
    under_single_thread(lambda: copy_tiled(o, s.tile, 128))  # L: SG405


@refused(F16, S, arch="sm_90a")
def look(ctx: Context, o: Half, s: S) -> None:
    under_single_thread(s.full.test)  # L: SG405


@refused(F16, S, arch="sm_90a", cluster=2)
def in_the_cluster(ctx: Context, o: Half, s: S) -> None:
    under_single_thread(s.all.arrive)  # L: SG405


@refused(F16, S, arch="sm_90a")
def product(ctx: Context, o: Half, s: S) -> None:
    acc = mgpu.WGMMAAccumulator.zero(64, 64)
    with mgpu.single_thread():
        mgpu.wgmma(acc, s.tile, s.tile, swizzle=128)  # L: SG405


@refused(F16, S, arch="sm_90a")
def group(ctx: Context, o: Half, s: S) -> None:
    under_single_thread(mgpu.wgmma_commit_group)  # L: SG405


@refused(F16, S, arch="sm_90a")
def wait_for_group(ctx: Context, o: Half, s: S) -> None:
    under_single_thread(lambda: mgpu.wgmma_wait_group(0))  # L: SG405


@refused(F16, S, arch="sm_90a")
def registers(ctx: Context, o: Half, s: S) -> None:
    under_single_thread(lambda: mgpu.set_max_registers(40, action="decrease"))  # L: SG405


@refused(OUT, T)
def load_of_tensor_memory(ctx: Context, o: Single, t: T) -> None:
    under_single_thread(t.acc.load)  # L: SG405


@refused(OUT, T)
def store_to_tensor_memory(ctx: Context, o: Single, t: T) -> None:
    array = t.acc.load()
    under_single_thread(lambda: t.acc.store(array))  # L: SG405


@refused(OUT, T)
def commit_of_tensor_memory(ctx: Context, o: Single, t: T) -> None:
    under_single_thread(tcgen05.commit_tmem)  # L: SG405


@refused(OUT, T)
def wait_for_tensor_memory(ctx: Context, o: Single, t: T) -> None:
    under_single_thread(tcgen05.wait_load_tmem)  # L: SG405


@refused(OUT, T)
def permit(ctx: Context, o: Single, t: T) -> None:
    under_single_thread(lambda: tcgen05.tmem_relinquish_alloc_permit(False))  # L: SG405
