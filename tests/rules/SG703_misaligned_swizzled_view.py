"""Mosaic GPU counts what a swizzle moves from the start of a view; TMA and the tensor core, from that of shared memory."""

from typing import Any

from _twins import legal, refused

import safegpu as mgpu

OUT = mgpu.GMEM((64, 64), mgpu.float16)
HALF = mgpu.GmemRef[mgpu.float16]
X = mgpu.Dimension.x


class S(mgpu.Scratch):
    rows = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128, tiling=())
    tiles = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    half = mgpu.SMEM((128, 32), mgpu.float16, swizzle=64, tiling=())
    plain = mgpu.SMEM((128, 64), mgpu.float16, swizzle=16)
    any = mgpu.SMEM((128, 64), mgpu.float16)
    barrier = mgpu.Barrier(1)


def load(rows: mgpu.SmemRef[mgpu.float16]) -> mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.load_untiled(rows, swizzle=128, layout=mgpu.WGMMA_LAYOUT)


def halves(source: HALF) -> mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.load_untiled(source, layout=mgpu.WGMMA_LAYOUT, optimized=False)


@legal(OUT, S, arch="sm_90a")
def whole_tiles(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    load(mgpu.memref_slice(s.rows, slice(8, 72)))
    load(mgpu.memref_slice(s.rows, mgpu.ds(64, 64)))
    mgpu.FragmentedArray.load_tiled(mgpu.memref_slice(s.tiles, slice(1, 9)), 128)
    mgpu.FragmentedArray.load_untiled(mgpu.memref_slice(s.half, slice(8, 72)), swizzle=64, layout=mgpu.WGMMA_LAYOUT)
    mgpu.FragmentedArray.load_untiled(mgpu.memref_slice(s.half, slice(32, 96)), swizzle=64, layout=mgpu.WGMMA_LAYOUT)


@legal(OUT, S, arch="sm_90a")
def computed(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    load(mgpu.memref_slice(s.rows, mgpu.ds(mgpu.thread_idx().to_index(), 64)))


@legal(OUT, S, arch="sm_90a")
def not_swizzled(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    mgpu.FragmentedArray.load_untiled(
        mgpu.memref_slice(s.plain, slice(4, 68)), layout=mgpu.WGMMA_LAYOUT, optimized=False
    )
    # of a buffer that states no swizzle, a part may be swizzled by itself
    load(mgpu.memref_slice(s.any, slice(4, 68)))


@legal(OUT, S, arch="sm_90a")
def by_hardware(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    # TMA swizzles by the address itself
    ctx.async_copy(src_ref=o, dst_ref=mgpu.memref_slice(s.rows, slice(4, 68)), swizzle=128, barrier=s.barrier)


@refused(OUT, S, arch="sm_90a")
def rows_within_a_tile(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    load(mgpu.memref_slice(s.rows, slice(4, 68)))  # L: SG703


@refused(OUT, S, arch="sm_90a")
def columns(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    load(mgpu.memref_slice(s.rows, (slice(0, 64), slice(32, 64))))  # L: SG703


@refused(OUT, S, arch="sm_90a")
def rows_of_each_tile(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    part = mgpu.memref_slice(s.tiles, (slice(None), slice(None), slice(4, 8)))
    mgpu.FragmentedArray.load_tiled(part, 128)  # L: SG703


@refused(OUT, S, arch="sm_90a")
def narrower_swizzle(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    part = mgpu.memref_slice(s.half, slice(4, 68))
    mgpu.FragmentedArray.load_untiled(part, swizzle=64, layout=mgpu.WGMMA_LAYOUT)  # L: SG703


@refused(OUT, S, arch="sm_90a")
def store(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    halves(o).store_untiled(mgpu.memref_slice(s.rows, slice(4, 68)), swizzle=128)  # L: SG703


@refused(OUT, S, arch="sm_90a")
def tiled_store(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    rows = mgpu.memref_unfold(mgpu.memref_slice(s.rows, slice(4, 68)), 0, (8, 8))
    halves(o).store_tiled(mgpu.memref_unsqueeze(rows, 1), 128)  # L: SG703


@refused(OUT, S, arch="sm_90a", cluster=2)
def async_store(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    rows: Any = mgpu.memref_unfold(mgpu.memref_slice(s.rows, slice(4, 68)), 0, (8, 8))
    rows = mgpu.memref_unsqueeze(rows, 1)
    halves(o).store_tiled_async(rows, s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # L: SG703


@refused(OUT, S, arch="sm_90a")
def view_of_a_view(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    part = mgpu.memref_slice(mgpu.memref_slice(s.rows, slice(2, None)), slice(2, 66))
    load(part)  # L: SG703


@legal(OUT, S, arch="sm_90a")
def view_of_a_view_that_begins_a_tile(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    load(mgpu.memref_slice(mgpu.memref_slice(s.rows, slice(2, None)), slice(6, 70)))
