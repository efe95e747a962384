"""A copy out of shared memory has read it once it has been waited for."""

from typing import Any

from _twins import legal, refused

import safegpu as mgpu

X = mgpu.Dimension.x
IN = mgpu.GMEM((64, 64), mgpu.float16)


class Tiles(mgpu.Scratch):
    """What is copied out."""

    tile = mgpu.SMEM((64, 64), mgpu.float16)
    other = mgpu.SMEM((64, 64), mgpu.float16)
    pair = mgpu.SMEM((2, 64, 64), mgpu.float16)
    arrived = mgpu.Barrier(1)


def put(x: mgpu.GmemRef[mgpu.float16], tile: mgpu.SmemRef[mgpu.float16]) -> None:
    loaded = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    loaded.store_untiled(tile, optimized=False)  # L: SG905
    mgpu.commit_shared()


@legal(IN, IN, Tiles, arch="sm_90a")
def waited_for(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles) -> None:
    ctx.async_copy(src_ref=s.tile, dst_ref=o)
    ctx.await_async_copy(0, await_read_only=True)
    put(x, s.tile)


@refused(IN, IN, Tiles, arch="sm_90a")
def not_waited_for(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    ctx.async_copy(src_ref=s.tile, dst_ref=o)
    put(x, s.tile)


@refused(IN, IN, Tiles, arch="sm_90a")
def stored_over(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    one = mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float16), (64, 64))
    ctx.async_copy(src_ref=s.tile, dst_ref=o)
    one.store_untiled(s.tile)  # L: SG905
    ctx.await_async_copy(0)


@legal(IN, IN, Tiles, arch="sm_90a")
def stored_over_the_first(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    ctx.async_copy(src_ref=mgpu.memref_slice(s.pair, 1), dst_ref=o)
    put(x, mgpu.memref_slice(s.pair, 0))


@refused(IN, IN, Tiles, arch="sm_90a")
def copied_over(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    ctx.async_copy(src_ref=s.tile, dst_ref=o)
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.arrived)  # L: SG905
    s.arrived.wait()
    ctx.await_async_copy(0)


@refused(IN, IN, Tiles, arch="sm_90a")
def waited_for_another(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    ctx.async_copy(src_ref=s.other, dst_ref=o)
    ctx.async_copy(src_ref=s.tile, dst_ref=o)
    ctx.await_async_copy(1)
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.arrived)  # L: SG905
    s.arrived.wait()
    ctx.await_async_copy(0)


@legal(IN, IN, Tiles, arch="sm_90a")
def waited_for_the_first(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    ctx.async_copy(src_ref=s.tile, dst_ref=o)
    ctx.async_copy(src_ref=s.other, dst_ref=o)
    ctx.await_async_copy(1)
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.arrived)
    s.arrived.wait()
    ctx.await_async_copy(0)


@legal(IN, IN, Tiles, arch="sm_90a")
def in_turns(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles) -> None:
    """Two slots: a copy may go on while the other slot is filled."""

    @mgpu.fori(mgpu.c(4, mgpu.Index), None)
    def _(step: mgpu.Index, _: None) -> None:
        slot = mgpu.memref_slice(s.pair, step % 2)
        ctx.await_async_copy(1, await_read_only=True)
        put(x, slot)
        ctx.async_copy(src_ref=slot, dst_ref=o)

    ctx.await_async_copy(0)


@legal(IN, IN, Tiles, arch="sm_90a")
def waited_for_at_the_end_of_a_pass(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    @mgpu.fori(mgpu.c(4, mgpu.Index), None)
    def _(_i: mgpu.Index, _: None) -> None:
        put(x, s.tile)
        ctx.async_copy(src_ref=s.tile, dst_ref=o)
        ctx.await_async_copy(0, await_read_only=True)


@legal(IN, IN, Tiles, arch="sm_90a")
def one_or_the_other(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    first, one = mgpu.block_id(X).eq(0), mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float16), (64, 64))
    ctx.async_copy(src_ref=s.tile, dst_ref=o, predicate=first & mgpu.single_thread_predicate())
    with mgpu.when(mgpu.block_id(X).ne(0)):
        one.store_untiled(s.tile)
    ctx.await_async_copy(0)


@refused(IN, IN, Tiles, arch="sm_90a")
def one_and_the_other(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    first, one = mgpu.block_id(X).eq(0), mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float16), (64, 64))
    ctx.async_copy(src_ref=s.tile, dst_ref=o, predicate=first & mgpu.single_thread_predicate())
    one.store_untiled(s.tile)  # L: SG905
    ctx.await_async_copy(0)


@legal(IN, IN, Tiles, arch="sm_90a")
def other_halves(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    ctx.async_copy(src_ref=mgpu.memref_slice(s.pair, 0), dst_ref=o)
    put(x, mgpu.memref_slice(s.pair, 1))
    ctx.await_async_copy(0)


@legal(IN, IN, Tiles, arch="sm_90a")
def left_under_way(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    """The kernel returns while the copy reads: nothing in the PTX ISA forbids it."""
    put(x, s.tile)
    ctx.async_copy(src_ref=s.tile, dst_ref=o)


def raw_wait() -> None:
    from jaxlib.mlir.dialects import nvvm

    dialect: Any = nvvm
    dialect.cp_async_bulk_wait_group(0, read=True)
    mgpu.warpgroup_barrier()


@legal(IN, IN, Tiles, arch="sm_90a")
def waited_for_by_raw_code(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    ctx.async_copy(src_ref=s.tile, dst_ref=o)
    raw_wait()
    put(x, s.tile)


@legal(IN, IN, Tiles, arch="sm_90a")
def of_another_warpgroup(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Tiles
) -> None:
    with mgpu.when(mgpu.warpgroup_idx().eq(0)):
        ctx.async_copy(src_ref=s.tile, dst_ref=o)
        ctx.await_async_copy(0)
    with mgpu.when(mgpu.warpgroup_idx().eq(1)):
        put(x, s.tile)
