"""What moves several bytes at a time begins at a multiple of them, which Mosaic GPU does not compare with a view's start."""

from _twins import legal, refused

import safegpu as mgpu
from safegpu import tcgen05

X = mgpu.Dimension.x
WIDE = mgpu.GMEM((64, 128), mgpu.float16)
OUT = mgpu.GMEM((64, 64), mgpu.float16)
HALF = mgpu.GmemRef[mgpu.float16]
TRAPS = "the GPU stops the kernel for an address that is misaligned"


class S(mgpu.Scratch):
    line = mgpu.SMEM((8192,), mgpu.float16)
    rows = mgpu.SMEM((64, 128), mgpu.float16)
    bytes_ = mgpu.SMEM((64, 128), mgpu.int8)
    words = mgpu.SMEM((64, 64), mgpu.int32)
    barrier = mgpu.Barrier(1)


class Shifted(mgpu.Scratch):
    head = mgpu.SMEM((32,), mgpu.float16)
    line = mgpu.SMEM((8192,), mgpu.float16)
    barrier = mgpu.Barrier(1)


def part(ref: HALF, start: int) -> HALF:
    return mgpu.memref_slice(ref, (slice(0, 64), slice(start, start + 64)))


def halves(source: HALF) -> mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.load_untiled(source, layout=mgpu.WGMMA_LAYOUT, optimized=False)


@legal(WIDE, OUT, S, arch="sm_90a")
def at_multiples(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    halves(part(x, 2))
    halves(part(x, 64)).store_untiled(o, optimized=False)
    mgpu.FragmentedArray.load_strided(mgpu.memref_slice(s.line, slice(1, 4097)))  # one by one
    to = mgpu.memref_slice(s.line, slice(64, 64 + 4096))
    ctx.async_copy(src_ref=o, dst_ref=mgpu.memref_unfold(to, 0, (64, 64)), barrier=s.barrier)


@legal(WIDE, OUT, Shifted, arch="sm_90a")
def with_what_is_before(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: Shifted) -> None:
    # 64 bytes, and the 64 of the buffer before
    to = mgpu.memref_unfold(mgpu.memref_slice(s.line, slice(32, 32 + 4096)), 0, (64, 64))
    ctx.async_copy(src_ref=o, dst_ref=to, barrier=s.barrier)


@legal(WIDE, OUT, S, arch="sm_90a", peers=2)
def unknown_places(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    at = mgpu.thread_idx().to_index()
    halves(mgpu.memref_slice(x, (slice(0, 64), mgpu.ds(at, 64))))
    halves(part(ctx.to_remote(x, mgpu.c(1, mgpu.I32)), 1))


@legal(mgpu.GMEM((64, 128), mgpu.int32), mgpu.GMEM((64, 128), mgpu.int32), (), arch="sm_90a")
def words_one_by_one(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.int32], o: mgpu.GmemRef[mgpu.int32], s: tuple[()]
) -> None:
    ints = mgpu.FragmentedArray.splat(mgpu.c(1, mgpu.int32), (64, 64), mgpu.WGMMA_LAYOUT, is_signed=True)
    to = mgpu.memref_slice(o, (slice(None), slice(1, 65)))
    ints.store_untiled(to, optimized=False, atomic="add")


@refused(WIDE, OUT, S, arch="sm_90a", because=TRAPS)
def load(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    rows = part(x, 1)
    mgpu.FragmentedArray.load_untiled(rows, layout=mgpu.WGMMA_LAYOUT, optimized=False)  # L: SG704


@refused(WIDE, WIDE, S, arch="sm_90a", because=TRAPS)
def store(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    halves(part(x, 0)).store_untiled(part(o, 3), optimized=False)  # L: SG704


@refused(mgpu.GMEM((64, 128), mgpu.int32), mgpu.GMEM((64, 128), mgpu.int32), (), arch="sm_90a", because=TRAPS)
def words_in_twos(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.int32], o: mgpu.GmemRef[mgpu.int32], s: tuple[()]
) -> None:
    ints = mgpu.FragmentedArray.splat(mgpu.c(1, mgpu.int32), (64, 64), mgpu.WGMMA_LAYOUT, is_signed=True)
    to = mgpu.memref_slice(o, (slice(None), slice(1, 65)))
    ints.store_untiled(to, optimized=False)  # L: SG704


@refused(WIDE, OUT, S, arch="sm_90a", because=TRAPS)
def load_from_shared_memory(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    rows = mgpu.memref_slice(s.rows, (slice(0, 64), slice(1, 65)))
    mgpu.FragmentedArray.load_untiled(rows, layout=mgpu.WGMMA_LAYOUT, optimized=False)  # L: SG704


def columns(s: S, start: int) -> mgpu.SmemRef[mgpu.float16]:
    return mgpu.memref_slice(s.rows, (slice(0, 64), slice(start, start + 64)))


@legal(WIDE, OUT, S, arch="sm_90a")
def rows_of_matrices_at_multiples(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    halves(o).store_untiled(columns(s, 8), optimized=False)
    mgpu.FragmentedArray.load_untiled(columns(s, 64), layout=mgpu.WGMMA_LAYOUT, optimized=False)
    # Of a view that begins between rows, a part that begins with one
    part = mgpu.memref_slice(columns(s, 4), (slice(0, 64), slice(4, 36)))
    mgpu.FragmentedArray.load_untiled(part, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    # no matrices: each thread stores what it holds
    words = mgpu.FragmentedArray.splat(mgpu.c(1, mgpu.int32), (64, 32), mgpu.WGMMA_LAYOUT, is_signed=True)
    words.store_untiled(mgpu.memref_slice(s.words, (slice(0, 64), slice(2, 34))), optimized=False)


@refused(WIDE, OUT, S, arch="sm_90a", because=TRAPS)
def load_of_matrices(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    mgpu.FragmentedArray.load_untiled(columns(s, 2), layout=mgpu.WGMMA_LAYOUT, optimized=False)  # L: SG704


@refused(WIDE, OUT, S, arch="sm_90a", because=TRAPS)
def store_of_matrices(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    halves(o).store_untiled(columns(s, 4), optimized=False)  # L: SG704


@refused(WIDE, OUT, S, arch="sm_90a", because=TRAPS)
def tiled_load_of_matrices(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    tiles = mgpu.memref_unfold(mgpu.memref_slice(s.line, slice(4, 4 + 4096)), 0, (8, 1, 8, 64))
    mgpu.FragmentedArray.load_tiled(tiles, 16, layout=mgpu.WGMMA_LAYOUT, optimized=False)  # L: SG704


@refused(WIDE, OUT, S, arch="sm_90a", because=TRAPS)
def copy(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    to = mgpu.memref_unfold(mgpu.memref_slice(s.line, slice(32, 32 + 4096)), 0, (64, 64))
    ctx.async_copy(src_ref=o, dst_ref=to, barrier=s.barrier)  # L: SG704


@refused(WIDE, OUT, S, arch="sm_90a", because=TRAPS)
def copy_out(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    at = mgpu.memref_unfold(mgpu.memref_slice(s.line, slice(32, 32 + 4096)), 0, (64, 64))
    ctx.async_copy(src_ref=at, dst_ref=o)  # L: SG704


@refused(WIDE, OUT, S, arch="sm_90a", because="a matrix descriptor has no place for the last four bits of an address")
def operand(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    tiles = mgpu.memref_unfold(mgpu.memref_slice(s.line, slice(4, 4 + 4096)), 0, (8, 1, 8, 64))
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), tiles, tiles)  # L: SG704


class T(mgpu.Scratch):
    line = mgpu.SMEM((8192,), mgpu.float8_e8m0fnu)
    scales = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())


@legal(OUT, T)
def scales_at_a_multiple(ctx: mgpu.LaunchContext, o: HALF, t: T) -> None:
    packed = mgpu.memref_unfold(mgpu.memref_slice(t.line, slice(512, 1024)), 0, (1, 1, 32, 16))
    tcgen05.async_copy_scales_smem_to_tmem(packed, t.scales)


@refused(OUT, T, because="a matrix descriptor has no place for the last four bits of an address")
def scales(ctx: mgpu.LaunchContext, o: HALF, t: T) -> None:
    packed = mgpu.memref_unfold(mgpu.memref_slice(t.line, slice(8, 520)), 0, (1, 1, 32, 16))
    tcgen05.async_copy_scales_smem_to_tmem(packed, t.scales)  # L: SG704
