"""What a copy brings into shared memory is there once its barrier has been waited for."""

from typing import Any

from _twins import legal, refused
from jaxlib.mlir.dialects import nvvm

import safegpu as mgpu

IN = mgpu.GMEM((64, 64), mgpu.float16)
OUT = mgpu.GMEM((64, 64), mgpu.float32)
type Half = mgpu.GmemRef[mgpu.float16]
type Single = mgpu.GmemRef[mgpu.float32]


class Tiles(mgpu.Scratch):
    """What is copied in."""

    tile = mgpu.SMEM((64, 64), mgpu.float16)
    other = mgpu.SMEM((64, 64), mgpu.float16)
    pair = mgpu.SMEM((2, 64, 64), mgpu.float16)
    swizzled = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    loaded = mgpu.Barrier(1)
    others = mgpu.Barrier(1, num_barriers=2)


def read(ref: mgpu.SmemRef[mgpu.float16]) -> mgpu.FragmentedArray[mgpu.float16]:
    return mgpu.FragmentedArray.load_strided(ref)  # L: SG908


@legal(IN, IN, Tiles, arch="sm_90a")
def waited_for(ctx: mgpu.LaunchContext, x: Half, o: Half, s: Tiles) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.loaded)
    s.loaded.wait()
    read(s.tile).store_untiled(o)


@refused(IN, IN, Tiles, arch="sm_90a")
def not_waited_for(ctx: mgpu.LaunchContext, x: Half, o: Half, s: Tiles) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.loaded)
    read(s.tile).store_untiled(o)
    s.loaded.wait()


@refused(IN, IN, Tiles, arch="sm_90a")
def in_a_conditional(ctx: mgpu.LaunchContext, x: Half, o: Half, s: Tiles) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.loaded)
    with mgpu.when(mgpu.block_id(mgpu.Dimension.x).eq(0)):
        read(s.tile).store_untiled(o)
    s.loaded.wait()


@refused(IN, IN, Tiles, arch="sm_90a")
def copied_on(ctx: mgpu.LaunchContext, x: Half, o: Half, s: Tiles) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.loaded)
    ctx.async_copy(src_ref=s.tile, dst_ref=o)  # L: SG908
    s.loaded.wait()
    ctx.await_async_copy(0)


@legal(IN, IN, Tiles, arch="sm_90a")
def copied_on_when_it_is_there(ctx: mgpu.LaunchContext, x: Half, o: Half, s: Tiles) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.loaded)
    s.loaded.wait()
    ctx.async_copy(src_ref=s.tile, dst_ref=o)
    ctx.await_async_copy(0)


def multiply(s: Tiles) -> mgpu.FragmentedArray[mgpu.float32]:
    across = mgpu.memref_transpose(s.swizzled, (1, 0, 3, 2))
    acc = mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.swizzled, across, swizzle=128)  # L: SG908
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    return acc.value


def fill(ctx: mgpu.LaunchContext, x: Half, s: Tiles) -> None:
    tiles = mgpu.TileTransform((8, 64))
    ctx.async_copy(src_ref=x, dst_ref=s.swizzled, gmem_transform=tiles, swizzle=128, barrier=s.loaded)


@legal(IN, OUT, Tiles, arch="sm_90a")
def multiplied_when_it_is_there(ctx: mgpu.LaunchContext, x: Half, o: Single, s: Tiles) -> None:
    fill(ctx, x, s)
    s.loaded.wait()
    multiply(s).store_untiled(o, optimized=False)


@refused(IN, OUT, Tiles, arch="sm_90a")
def multiplied(ctx: mgpu.LaunchContext, x: Half, o: Single, s: Tiles) -> None:
    fill(ctx, x, s)
    multiply(s).store_untiled(o, optimized=False)
    s.loaded.wait()


# --- what is not sure


@legal(IN, IN, Tiles, arch="sm_90a")
def elsewhere(ctx: mgpu.LaunchContext, x: Half, o: Half, s: Tiles) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.loaded)
    read(s.other).store_untiled(o)
    s.loaded.wait()


@legal(IN, IN, Tiles, arch="sm_90a")
def other_slots(ctx: mgpu.LaunchContext, x: Half, o: Half, s: Tiles) -> None:
    """A slot is filled while the one before is read."""
    slot = mgpu.block_id(mgpu.Dimension.x) % 2
    ctx.async_copy(src_ref=x, dst_ref=mgpu.memref_slice(s.pair, 1 - slot), barrier=s.others[0])
    read(mgpu.memref_slice(s.pair, slot)).store_untiled(o)
    ctx.async_copy(src_ref=x, dst_ref=mgpu.memref_slice(s.pair, 0), barrier=s.others[1])
    read(mgpu.memref_slice(s.pair, 1)).store_untiled(o)
    s.others[0].wait()
    s.others[1].wait()


@legal(IN, IN, Tiles, arch="sm_90a")
def in_a_loop(ctx: mgpu.LaunchContext, x: Half, o: Half, s: Tiles) -> None:
    """The next tile is asked for when this one has been read."""
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.loaded)

    @mgpu.fori(mgpu.c(4, mgpu.Index), None)
    def _(step: mgpu.Index, carry: None) -> None:
        s.loaded.wait()
        read(s.tile).store_untiled(o)
        mgpu.warpgroup_barrier()
        with mgpu.when(step < 3):
            ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.loaded)
        return carry


@legal(IN, IN, Tiles, arch="sm_90a")
def by_another_branch(ctx: mgpu.LaunchContext, x: Half, o: Half, s: Tiles) -> None:
    with mgpu.when(mgpu.warpgroup_idx().eq(0)):
        ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.loaded)
    with mgpu.when(mgpu.warpgroup_idx().eq(0)):
        s.loaded.wait()
    read(s.tile).store_untiled(o)


@legal(IN, IN, Tiles, arch="sm_90a")
def by_raw_code(ctx: mgpu.LaunchContext, x: Half, o: Half, s: Tiles) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.loaded)
    pointer: Any = s.loaded.get_ptr()
    nvvm.mbarrier_try_wait_parity(pointer, mgpu.c(0, mgpu.I32), mgpu.c(10_000_000, mgpu.I32))
    read(s.tile).store_untiled(o)


@legal(IN, IN, Tiles, arch="sm_90a")
def by_threads(ctx: mgpu.LaunchContext, x: Half, o: Half, s: Tiles) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, implementation=mgpu.AsyncCopyImplementation.CP_ASYNC)
    ctx.await_cp_async_copy(0)
    read(s.tile).store_untiled(o)
