"""What is declared before a buffer decides where it begins, and TMA, tensor cores and mbarriers do not begin anywhere."""

from _twins import legal, refused

import safegpu as mgpu
from safegpu import tcgen05
from safegpu.launch_context import AsyncCopyImplementation, OOBFillMode

F16 = mgpu.GMEM((64, 64), mgpu.float16)
ROW = mgpu.GMEM((64,), mgpu.float32)
OUT = mgpu.GMEM((128, 64), mgpu.float32)
TILED = mgpu.TileTransform((8, 64))
type Context = mgpu.LaunchContext
type Half = mgpu.GmemRef[mgpu.float16]


class First(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    ring = mgpu.SMEM((2, 64, 64), mgpu.float16, swizzle=128)
    flat = mgpu.SMEM((64, 64), mgpu.float16)
    full = mgpu.Barrier(1)
    small = mgpu.SMEM((4,), mgpu.float32)


class Last(mgpu.Scratch):
    full = mgpu.Barrier(1)
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    ring = mgpu.SMEM((2, 64, 64), mgpu.float16, swizzle=128)
    flat = mgpu.SMEM((64, 64), mgpu.float16)


class BehindTwo(mgpu.Scratch):
    full = mgpu.Barrier(1, num_barriers=2)
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    flat = mgpu.SMEM((64, 64), mgpu.float16)


class Behind(mgpu.Scratch):
    row = mgpu.SMEM((64,), mgpu.float32)
    rows = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128, tiling=())
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    flat = mgpu.SMEM((64, 64), mgpu.float16)
    narrow = mgpu.SMEM((64, 64), mgpu.float16, swizzle=32)
    full = mgpu.Barrier(1)


class Blackwell(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    row = mgpu.SMEM((64,), mgpu.float32)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=64)
    c = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    acc = mgpu.TMEM((128, 64), mgpu.float32)


def load(ctx: Context, o: Half, tile: mgpu.SmemRef[mgpu.float16], barrier: mgpu.BarrierRef) -> None:
    ctx.async_copy(src_ref=o, dst_ref=tile, barrier=barrier, swizzle=128, gmem_transform=TILED)  # L: SG812


@legal(F16, First, arch="sm_90a")
def aligned(ctx: Context, o: Half, s: First) -> None:
    load(ctx, o, s.tile, s.full)
    load(ctx, o, mgpu.memref_slice(s.ring, 1), s.full)
    load(ctx, o, mgpu.memref_slice(s.ring, mgpu.block_id(mgpu.Dimension.x)), s.full)
    ctx.async_copy(src_ref=o, dst_ref=s.flat, barrier=s.full)
    s.full.wait()
    ctx.async_copy(src_ref=mgpu.memref_slice(s.flat, mgpu.ds(1, 8)), dst_ref=o, gmem_slice=mgpu.ds(0, 8))
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.tile, mgpu.memref_slice(s.ring, 1), swizzle=128)
    array = mgpu.FragmentedArray.load_tiled(s.tile, swizzle=128, layout=mgpu.WGMMA_LAYOUT)
    array.store_tiled(mgpu.memref_slice(s.ring, 0), swizzle=128)


@legal(F16, BehindTwo, arch="sm_90a")
def of_arrays_alone(ctx: Context, o: Half, s: BehindTwo) -> None:
    array = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    array.store_tiled(s.tile, swizzle=128, optimized=False)
    array.store_untiled(s.flat, optimized=False)


@legal(F16, Last, arch="sm_90a")
def of_threads_alone(ctx: Context, o: Half, s: Last) -> None:
    # each moves the bytes that it holds
    ctx.async_copy(src_ref=o, dst_ref=s.flat, barrier=s.full, implementation=AsyncCopyImplementation.CP_ASYNC)
    mgpu.FragmentedArray.load_strided(s.flat).store_untiled(s.flat)


@refused(F16, Last, arch="sm_90a")
def rows_of_matrices(ctx: Context, o: Half, s: Last) -> None:
    array = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    array.store_tiled(s.tile, swizzle=128, optimized=False)  # L: SG812


@refused(F16, Last, arch="sm_90a")
def rows_of_an_untiled_buffer(ctx: Context, o: Half, s: Last) -> None:
    mgpu.FragmentedArray.load_untiled(s.flat, layout=mgpu.WGMMA_LAYOUT, optimized=False)  # L: SG812


@legal(F16, Behind, arch="sm_90a")
def behind_a_row(ctx: Context, o: Half, s: Behind) -> None:
    load(ctx, o, s.tile, s.full)
    s.full.wait()
    ctx.async_copy(src_ref=s.tile, dst_ref=o, swizzle=128, gmem_transform=TILED)
    ctx.async_copy(src_ref=o, dst_ref=s.flat, barrier=s.full)
    s.full.wait()
    # TMA and the tensor core go by the address, both
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.tile, s.tile, swizzle=128)
    # 256 bytes are the pattern of a swizzle of 32
    array = mgpu.FragmentedArray.load_untiled(s.flat, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    array.store_tiled(s.narrow, swizzle=32)
    mgpu.commit_shared()
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.narrow, s.narrow, swizzle=32)


@legal(F16, (mgpu.Barrier(1, num_barriers=2), mgpu.SMEM((64, 64), mgpu.float16)), arch="sm_90a")
def bulk_copy(ctx: Context, o: Half, s: tuple[mgpu.BarrierArray, mgpu.SmemRef[mgpu.float16]]) -> None:
    barriers, flat = s
    ctx.async_copy(src_ref=o, dst_ref=flat, barrier=barriers[0], oob_mode=OOBFillMode.PROMISE_IN_BOUNDS)


@legal(OUT, Blackwell, one_thread=True)
def operands(ctx: Context, o: mgpu.GmemRef[mgpu.float32], s: Blackwell) -> None:
    tcgen05.mma(s.acc, s.a, mgpu.memref_slice(s.a, slice(0, 8)), accumulate=False)
    tcgen05.mma(s.acc, s.a, s.c)


@refused(F16, Last, arch="sm_90a")
def behind_a_barrier(ctx: Context, o: Half, s: Last) -> None:
    load(ctx, o, s.tile, s.full)


@refused(F16, Last, arch="sm_90a")
def untiled(ctx: Context, o: Half, s: Last) -> None:
    ctx.async_copy(src_ref=o, dst_ref=s.flat, barrier=s.full)  # L: SG812


@refused(F16, Last, arch="sm_90a")
def out(ctx: Context, o: Half, s: Last) -> None:
    ctx.async_copy(src_ref=s.flat, dst_ref=o)  # L: SG812


@refused(F16, Last, arch="sm_90a")
def slot_of_a_ring(ctx: Context, o: Half, s: Last) -> None:
    slot = mgpu.memref_slice(s.ring, mgpu.block_id(mgpu.Dimension.x))
    load(ctx, o, slot, s.full)


@refused(F16, Last, arch="sm_90a")
def bulk_copy_behind_a_barrier(ctx: Context, o: Half, s: Last) -> None:
    mode = OOBFillMode.PROMISE_IN_BOUNDS
    ctx.async_copy(src_ref=o, dst_ref=s.flat, barrier=s.full, oob_mode=mode)  # L: SG812


@refused(F16, Last, arch="sm_90a")
def operand_behind_a_barrier(ctx: Context, o: Half, s: Last) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.tile, s.tile, swizzle=128)  # L: SG812


@refused(F16, Behind, arch="sm_90a")
def operand_behind_a_row(ctx: Context, o: Half, s: Behind) -> None:
    array = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    array.store_tiled(s.tile, swizzle=128)
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.tile, s.tile, swizzle=128)  # L: SG812


@refused(OUT, Blackwell)
def right_operand(ctx: Context, o: mgpu.GmemRef[mgpu.float32], s: Blackwell) -> None:
    part = mgpu.memref_slice(o, (slice(0, 64), slice(None)))
    array = mgpu.FragmentedArray.load_untiled(part, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    array.astype(mgpu.float16).store_tiled(s.c, swizzle=128)
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.c)  # L: SG812


@refused(F16, Behind, arch="sm_90a")
def array_after_tma(ctx: Context, o: Half, s: Behind) -> None:
    load(ctx, o, s.tile, s.full)
    mgpu.FragmentedArray.load_tiled(s.tile, swizzle=128, layout=mgpu.WGMMA_LAYOUT)  # L: SG812


@refused(F16, Behind, arch="sm_90a")
def tma_after_array(ctx: Context, o: Half, s: Behind) -> None:
    array = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    array.store_tiled(s.tile, swizzle=128)
    ctx.async_copy(src_ref=s.tile, dst_ref=o, swizzle=128, gmem_transform=TILED)  # L: SG812


@legal(F16, Behind, arch="sm_90a")
def untiled_by_arrays_alone(ctx: Context, o: Half, s: Behind) -> None:
    array = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    array.store_untiled(s.rows, swizzle=128)
    mgpu.FragmentedArray.load_untiled(s.rows, swizzle=128, layout=mgpu.WGMMA_LAYOUT)


@legal(F16, First, arch="sm_90a")
def untiled_at_the_start(ctx: Context, o: Half, s: First) -> None:
    ctx.async_copy(src_ref=o, dst_ref=s.flat, barrier=s.full, swizzle=128)
    s.full.wait()
    mgpu.FragmentedArray.load_untiled(s.flat, swizzle=128, layout=mgpu.WGMMA_LAYOUT)


@refused(F16, Behind, arch="sm_90a")
def untiled_after_tma(ctx: Context, o: Half, s: Behind) -> None:
    ctx.async_copy(src_ref=o, dst_ref=s.rows, barrier=s.full, swizzle=128)
    s.full.wait()
    mgpu.FragmentedArray.load_untiled(s.rows, swizzle=128, layout=mgpu.WGMMA_LAYOUT)  # L: SG812


@refused(F16, Behind, arch="sm_90a")
def tma_after_untiled(ctx: Context, o: Half, s: Behind) -> None:
    array = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    array.store_untiled(s.rows, swizzle=128)
    ctx.async_copy(src_ref=s.rows, dst_ref=o, swizzle=128)  # L: SG812


def nothing(ctx: Context, o: Half, s: object) -> None: ...


@refused(arch="sm_90a")
def barrier_in_a_union() -> None:
    halves = mgpu.SMEM((2,), mgpu.float16)
    union = mgpu.Union([halves, (mgpu.SMEM((64, 64), mgpu.float16), mgpu.Barrier(1))])
    mgpu.as_gpu_kernel(nothing, (1, 1, 1), (128, 1, 1), (), F16, (halves, union))  # L: SG812
