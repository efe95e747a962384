"""TMA puts tiles one after another; an MMA and a tiled store see them in the order that their view has."""

from typing import Any

from _twins import legal, refused
from jax.experimental.mosaic.gpu import launch_context
from jaxlib.mlir.dialects import memref

import safegpu as mgpu
from safegpu import tcgen05

SQUARE = mgpu.GMEM((128, 128), mgpu.float16)
OUT = mgpu.GMEM((128, 128), mgpu.float32)
type Half = mgpu.GmemRef[mgpu.float16]
type Single = mgpu.GmemRef[mgpu.float32]
type Tile = mgpu.SmemRef[mgpu.float16]
type Array = mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA]

BLOCKS = "the product is that of a matrix whose blocks have changed places; tests/gpu shows it"
TILED = mgpu.TileTransform((64, 64))
TRANSPOSED = (TILED, mgpu.TransposeTransform((1, 0, 2, 3)))
INSIDE = (0, 1, 3, 2)
AS_BLOCKS = (1, 0, 2, 3)


class S(mgpu.Scratch):
    a = mgpu.SMEM((64, 128), mgpu.float16, swizzle=128, tiling=(64, 64))
    b = mgpu.SMEM((128, 128), mgpu.float16, swizzle=128, tiling=(64, 64))
    ring = mgpu.SMEM((2, 128, 128), mgpu.float16, swizzle=128, tiling=(64, 64))
    loaded = mgpu.Barrier(1)


def fill(ctx: mgpu.LaunchContext, x: Half, to: Tile, s: S, transform: Any = TILED) -> None:
    ctx.async_copy(src_ref=x, dst_ref=to, gmem_transform=transform, swizzle=128, barrier=s.loaded)
    s.loaded.wait()


def multiply(s: S, b: Tile) -> None:
    acc = mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 128), s.a, b, swizzle=128)  # L: SG705
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    del acc


def inside(ref: Tile) -> Tile:
    return mgpu.memref_transpose(ref, INSIDE)


@legal(SQUARE, OUT, S, arch="sm_90a")
def as_it_is(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    fill(ctx, x, s.b, s)
    multiply(s, s.b)


@legal(SQUARE, OUT, S, arch="sm_90a")
def transposed(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    fill(ctx, x, s.b, s, TRANSPOSED)
    multiply(s, inside(s.b))


@legal(SQUARE, OUT, S, arch="sm_90a")
def transposed_there_and_back(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    fill(ctx, x, s.b, s, TRANSPOSED)
    multiply(s, mgpu.memref_transpose(s.b, AS_BLOCKS))


@refused(SQUARE, OUT, S, arch="sm_90a", because=BLOCKS)
def transposed_by_the_copy_alone(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    fill(ctx, x, s.b, s, TRANSPOSED)
    multiply(s, s.b)


@refused(SQUARE, OUT, S, arch="sm_90a", because=BLOCKS)
def transposed_inside_alone(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    fill(ctx, x, s.b, s)
    multiply(s, inside(s.b))


@refused(SQUARE, OUT, S, arch="sm_90a", because=BLOCKS)
def transposed_as_blocks_alone(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    fill(ctx, x, s.b, s)
    multiply(s, mgpu.memref_transpose(s.b, AS_BLOCKS))


def multiply_left(s: S, a: Tile) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(128, 128), a, s.b, swizzle=128)  # L: SG705


@legal(SQUARE, OUT, S, arch="sm_90a")
def left(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    slot = mgpu.memref_slice(s.ring, 1)
    fill(ctx, x, slot, s, TRANSPOSED)
    multiply_left(s, inside(slot))


@refused(SQUARE, OUT, S, arch="sm_90a", because=BLOCKS)
def left_by_the_copy_alone(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    slot = mgpu.memref_slice(s.ring, 1)
    fill(ctx, x, slot, s, TRANSPOSED)
    multiply_left(s, slot)


@refused(SQUARE, OUT, S, arch="sm_90a", because=BLOCKS)
def any_type(ctx: mgpu.LaunchContext, x: Half, o: Single, s: Any) -> None:
    fill(ctx, x, s.b, s)
    multiply(s, inside(s.b))


@refused(SQUARE, OUT, S, arch="sm_90a", because=BLOCKS)
def wrong_size_of_tiles(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    fill(ctx, x, s.b, s)
    multiply(s, mgpu.memref_reshape(s.b, (16, 2, 8, 64)))


# --- whose copy it was


@legal(SQUARE, OUT, S, arch="sm_90a")
def filled_anew(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    fill(ctx, x, s.b, s, TRANSPOSED)
    multiply(s, inside(s.b))
    fill(ctx, x, s.b, s)
    multiply(s, s.b)


@refused(SQUARE, OUT, S, arch="sm_90a", because=BLOCKS)
def filled_anew_in_another_order(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    fill(ctx, x, s.b, s)
    multiply(s, s.b)
    fill(ctx, x, s.b, s, TRANSPOSED)
    multiply(s, s.b)


@refused(SQUARE, OUT, S, arch="sm_90a", because=BLOCKS)
def filled_by_one_thread(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    with mgpu.single_thread():
        s.loaded.arrive_expect_tx(2 * 128 * 128)
        ctx.async_copy(
            src_ref=x,
            dst_ref=s.b,
            gmem_transform=TRANSPOSED,
            swizzle=128,
            barrier=s.loaded,
            arrive=False,
            predicate=None,
        )
    s.loaded.wait()
    multiply(s, s.b)


def pipeline(ctx: mgpu.LaunchContext, x: Half, s: S, *, is_transposed: bool) -> None:
    """Each slot is filled a pass before it is multiplied."""
    transform = TRANSPOSED if is_transposed else TILED
    fill(ctx, x, mgpu.memref_slice(s.ring, 0), s, transform)

    @mgpu.fori(mgpu.c(4, mgpu.Index), ())
    def _(step: mgpu.Index, carry: tuple[()]) -> tuple[()]:
        multiply(s, mgpu.memref_slice(s.ring, step % 2))
        fill(ctx, x, mgpu.memref_slice(s.ring, (step + 1) % 2), s, transform)
        return ()


@legal(SQUARE, OUT, S, arch="sm_90a")
def ring(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    pipeline(ctx, x, s, is_transposed=False)


@refused(SQUARE, OUT, S, arch="sm_90a", because=BLOCKS)
def ring_in_another_order(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    pipeline(ctx, x, s, is_transposed=True)


@legal(SQUARE, OUT, S, arch="sm_90a")
def ring_of_two_orders(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    fill(ctx, x, mgpu.memref_slice(s.ring, 0), s, TRANSPOSED)
    fill(ctx, x, mgpu.memref_slice(s.ring, 1), s)

    @mgpu.fori(mgpu.c(2, mgpu.Index), ())
    def _(step: mgpu.Index, carry: tuple[()]) -> tuple[()]:
        multiply(s, inside(mgpu.memref_slice(s.ring, step * 2 % 2)))
        multiply(s, mgpu.memref_slice(s.ring, (step * 2 + 1) % 2))
        return ()


@legal(SQUARE, OUT, S, arch="sm_90a")
def filled_by_others(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    # Who multiplies in a branch may have got it from another branch, whatever came before.
    fill(ctx, x, mgpu.memref_slice(s.ring, 0), s, TRANSPOSED)
    here = mgpu.block_id(mgpu.Dimension.x) % 2
    with mgpu.when(mgpu.warpgroup_idx().eq(0)):
        multiply(s, mgpu.memref_slice(s.ring, here))
    with mgpu.when(mgpu.warpgroup_idx().eq(1)):
        fill(ctx, x, mgpu.memref_slice(s.ring, here), s)


# --- what is a matrix after all


@legal(SQUARE, OUT, S, arch="sm_90a")
def one_row_of_tiles(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    # Tiles of one row are in the order of its columns in both.
    part = mgpu.memref_reshape(s.a, (2, 1, 64, 64))
    ctx.async_copy(
        src_ref=x, dst_ref=part, gmem_slice=mgpu.ds(0, 64), gmem_transform=TRANSPOSED, swizzle=128, barrier=s.loaded
    )
    s.loaded.wait()
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 128), s.a, s.b, swizzle=128)


class Heads(mgpu.Scratch):
    q = mgpu.SMEM((2, 2, 64, 64), mgpu.float16, swizzle=128, tiling=())
    k = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    loaded = mgpu.Barrier(1)


@legal(SQUARE, OUT, Heads, arch="sm_90a")
def heads_below_each_other(ctx: mgpu.LaunchContext, x: Half, o: Single, s: Heads) -> None:
    # Two heads of 64 columns, whose rows are multiplied by the same keys.
    ctx.async_copy(src_ref=x, dst_ref=s.q, gmem_transform=TRANSPOSED, swizzle=128, barrier=s.loaded)
    s.loaded.wait()
    rows = mgpu.memref_reshape(s.q, (4, 1, 64, 64))
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(256, 64), rows, s.k, swizzle=128)


class Patches(mgpu.Scratch):
    image = mgpu.SMEM((64, 8, 1, 64), mgpu.float16, swizzle=128, tiling=())
    weights = mgpu.SMEM((512, 64), mgpu.float16, swizzle=128)
    loaded = mgpu.Barrier(1)


@legal(mgpu.GMEM((64, 512), mgpu.float16), OUT, Patches, arch="sm_90a")
def patches_of_an_image(ctx: mgpu.LaunchContext, x: Half, o: Single, s: Patches) -> None:
    # 8 by 8 patches of 8 by 8 pixels: each is a row of the operand, and rows and columns of the image are in both axes.
    pixels = mgpu.TileTransform((1, 64))
    ctx.async_copy(src_ref=x, dst_ref=s.image, gmem_transform=pixels, swizzle=128, barrier=s.loaded)
    s.loaded.wait()
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), mgpu.memref_reshape(s.image, (8, 8, 8, 64)), s.weights, swizzle=128)


class TallPatches(mgpu.Scratch):
    image = mgpu.SMEM((8, 2, 8, 64), mgpu.float16, swizzle=128, tiling=())
    weights = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    loaded = mgpu.Barrier(1)


@legal(mgpu.GMEM((16, 512), mgpu.float16), OUT, TallPatches, arch="sm_90a")
def patches_two_rows_high(ctx: mgpu.LaunchContext, x: Half, o: Single, s: TallPatches) -> None:
    # A row of the operand has the two rows of a patch one after the other, and its rows are every other row of the image.
    patches = (mgpu.TileTransform((2, 64)), mgpu.TransposeTransform((1, 2, 0, 3)))
    ctx.async_copy(src_ref=x, dst_ref=s.image, gmem_transform=patches, swizzle=128, barrier=s.loaded)
    s.loaded.wait()
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.image, s.weights, swizzle=128)


@legal(SQUARE, OUT, S, arch="sm_90a")
def one_of_two_copies(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    with mgpu.single_thread():
        s.loaded.arrive_expect_tx(128 * 128 * 2)
    for transform, wanted in (
        (TILED, mgpu.block_id(mgpu.Dimension.x).eq(0)),
        (TRANSPOSED, mgpu.block_id(mgpu.Dimension.x).ne(0)),
    ):
        predicate = mgpu.single_thread_predicate() & wanted
        ctx.async_copy(
            src_ref=x,
            dst_ref=s.b,
            gmem_transform=transform,
            swizzle=128,
            barrier=s.loaded,
            arrive=False,
            predicate=predicate,
        )
    s.loaded.wait()
    with mgpu.when(mgpu.block_id(mgpu.Dimension.x).eq(0)):
        mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 128), s.a, s.b, swizzle=128)


@legal(SQUARE, OUT, S, arch="sm_90a")
def copied_anew_by_raw_code(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    fill(ctx, x, s.b, s, TRANSPOSED)
    again: Any = launch_context.LaunchContext.async_copy
    again(ctx, src_ref=x.maybe_downcast(), dst_ref=s.b, gmem_transform=TILED, swizzle=128, barrier=s.loaded)
    s.loaded.wait()
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 128), s.a, s.b, swizzle=128)


@legal(mgpu.GMEM((2, 2, 64, 64), mgpu.float16), OUT, S, arch="sm_90a")
def blocks_in_global_memory(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    # An array of blocks is in whatever order its maker wanted.
    ctx.async_copy(
        src_ref=x, dst_ref=s.b, gmem_transform=mgpu.TransposeTransform(AS_BLOCKS), swizzle=128, barrier=s.loaded
    )
    s.loaded.wait()
    multiply(s, s.b)


# --- transposed in two steps, of which one is in registers or in place


@legal(SQUARE, OUT, S, arch="sm_90a")
def loaded_and_stored(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    fill(ctx, x, s.b, s)
    array = mgpu.FragmentedArray.load_tiled(inside(s.b), 128)
    array.store_tiled(mgpu.memref_transpose(s.b, AS_BLOCKS), 128)
    mgpu.commit_shared()
    multiply(s, inside(s.b))


@legal(SQUARE, OUT, S, arch="sm_90a")
def rearranged_by_hand(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    fill(ctx, x, s.b, s)
    zero = mgpu.c(0, mgpu.Index)
    place = [zero, zero, mgpu.warp_idx().to_index(), mgpu.thread_idx().to_index() % 32]
    value: Any = memref.load(s.b, place)
    mgpu.warpgroup_barrier()
    memref.store(value, s.b, [*place[:2], *place[:1:-1]])
    mgpu.commit_shared()
    multiply(s, inside(s.b))


# --- registers on the left


def multiply_registers(s: S, a: Array) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(128, 128), a, s.b, swizzle=128)  # L: SG705


@legal(SQUARE, OUT, S, arch="sm_90a")
def loaded_as_it_is(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    slot = mgpu.memref_slice(s.ring, 0)
    fill(ctx, x, slot, s)
    multiply_registers(s, mgpu.FragmentedArray.load_tiled(slot, 128, layout=mgpu.WGMMA_LAYOUT))


@legal(SQUARE, OUT, S, arch="sm_90a")
def loaded_transposed(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    slot = mgpu.memref_slice(s.ring, 0)
    fill(ctx, x, slot, s, TRANSPOSED)
    multiply_registers(s, mgpu.FragmentedArray.load_tiled(inside(slot), 128, layout=mgpu.WGMMA_LAYOUT))


@legal(SQUARE, OUT, S, arch="sm_90a")
def loaded_and_put_right(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    slot = mgpu.memref_slice(s.ring, 0)
    fill(ctx, x, slot, s)
    blocks = mgpu.FragmentedArray.load_tiled(inside(slot), 128, layout=mgpu.WGMMA_LAYOUT)
    upper = blocks[0:64, 64:128].copy()
    blocks[0:64, 64:128] = blocks[64:128, 0:64]
    blocks[64:128, 0:64] = upper
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(128, 128), blocks, s.b, swizzle=128)


@refused(SQUARE, OUT, S, arch="sm_90a", because=BLOCKS)
def loaded_in_another_order(ctx: mgpu.LaunchContext, x: Half, o: Single, s: S) -> None:
    slot = mgpu.memref_slice(s.ring, 0)
    fill(ctx, x, slot, s)
    multiply_registers(s, mgpu.FragmentedArray.load_tiled(inside(slot), 128, layout=mgpu.WGMMA_LAYOUT))


# --- the way out


def halves(source: Half) -> Array:
    return mgpu.FragmentedArray.load_untiled(source, layout=mgpu.WGMMA_LAYOUT, optimized=False)


def copy_out(ctx: mgpu.LaunchContext, tile: Tile, o: Half, transform: Any) -> None:
    mgpu.commit_shared()
    ctx.async_copy(src_ref=tile, dst_ref=o, gmem_transform=transform, swizzle=128)
    ctx.await_async_copy(0)


@legal(SQUARE, SQUARE, S, arch="sm_90a")
def stored_and_copied_out(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    halves(x).store_tiled(s.b, 128)
    copy_out(ctx, s.b, o, TILED)


@legal(SQUARE, SQUARE, S, arch="sm_90a")
def copied_out_transposed(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    halves(x).store_tiled(inside(s.b), 128)
    copy_out(ctx, s.b, o, TRANSPOSED)


@legal(SQUARE, SQUARE, S, arch="sm_90a")
def copied_out_as_blocks(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    halves(x).store_tiled(s.b, 128)
    copy_out(ctx, s.b, o, TRANSPOSED)


@legal(SQUARE, SQUARE, S, arch="sm_90a")
def stored_transposed_inside(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    halves(x).store_tiled(inside(s.b), 128)
    copy_out(ctx, s.b, o, TILED)


@legal(SQUARE, SQUARE, S, arch="sm_90a")
def product_copied_out_as_blocks(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    fill(ctx, x, s.b, s)
    acc = mgpu.wgmma(mgpu.WGMMAAccumulator.zero(128, 128), s.b, s.b, swizzle=128)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    slot = mgpu.memref_slice(s.ring, 0)
    acc.value.astype(mgpu.float16).store_tiled(slot, 128)
    copy_out(ctx, slot, o, TRANSPOSED)


@legal(SQUARE, SQUARE, S, arch="sm_90a")
def transposed_in_two_steps(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    # inside of the tiles by the load, as blocks by the copy
    fill(ctx, x, s.b, s)
    array = mgpu.FragmentedArray.load_tiled(inside(s.b), 128)
    slot = mgpu.memref_slice(s.ring, 0)
    array.store_tiled(slot, 128)
    copy_out(ctx, slot, o, TRANSPOSED)


@legal(SQUARE, SQUARE, S, arch="sm_90a")
def element_by_element(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    # in another order, and back
    fill(ctx, x, s.b, s, TRANSPOSED)
    array = mgpu.FragmentedArray.load_tiled(s.b, 128) * 2.0
    slot = mgpu.memref_slice(s.ring, 0)
    array.store_tiled(slot, 128)
    copy_out(ctx, slot, o, TRANSPOSED)


@legal(SQUARE, SQUARE, S, arch="sm_90a")
def blocks_that_change_places(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    # no product, and nothing in registers: a kernel may be for that
    fill(ctx, x, s.b, s, TRANSPOSED)
    copy_out(ctx, s.b, o, TILED)


@legal(SQUARE, SQUARE, S, arch="sm_90a")
def tiles_stored_one_by_one(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    fill(ctx, x, s.b, s)
    slot = mgpu.memref_slice(s.ring, 0)
    for i in range(2):
        for j in range(2):
            one = (slice(i, i + 1), slice(j, j + 1))
            array = mgpu.FragmentedArray.load_tiled(inside(mgpu.memref_slice(s.b, one)), 128)
            array.store_tiled(mgpu.memref_slice(slot, one), 128)
    copy_out(ctx, slot, o, TRANSPOSED)


@legal(SQUARE, SQUARE, S, arch="sm_90a")
def zeros(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    nothing = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (128, 128), mgpu.WGMMA_LAYOUT)
    nothing.store_tiled(s.b, 128)
    copy_out(ctx, s.b, o, TRANSPOSED)


# --- Blackwell, whose tiles are 8 rows high: the grid is square where both axes have as many


class T(mgpu.Scratch):
    a = mgpu.SMEM((128, 32), mgpu.float16, swizzle=32)
    b = mgpu.SMEM((32, 64), mgpu.float16, swizzle=32)
    loaded = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 64), mgpu.float32)


WIDE = mgpu.GMEM((32, 64), mgpu.float16)
SMALL = mgpu.TileTransform((8, 16))


def mma(ctx: mgpu.LaunchContext, x: Half, t: T, transform: Any, b: mgpu.SmemRef[mgpu.float16, Any]) -> None:
    ctx.async_copy(src_ref=x, dst_ref=t.b, gmem_transform=transform, swizzle=32, barrier=t.loaded)
    t.loaded.wait()
    with mgpu.single_thread():
        tcgen05.mma(t.acc, t.a, b, a_swizzle=32, b_swizzle=32, accumulate=False)  # L: SG705


@legal(WIDE, OUT, T)
def blackwell(ctx: mgpu.LaunchContext, x: Half, o: Single, t: T) -> None:
    mma(ctx, x, t, SMALL, t.b)


@refused(WIDE, OUT, T, because=BLOCKS)
def blackwell_by_the_copy_alone(ctx: mgpu.LaunchContext, x: Half, o: Single, t: T) -> None:
    mma(ctx, x, t, (SMALL, mgpu.TransposeTransform(AS_BLOCKS)), t.b)


@refused(WIDE, OUT, T, because=BLOCKS)
def blackwell_as_blocks_alone(ctx: mgpu.LaunchContext, x: Half, o: Single, t: T) -> None:
    mma(ctx, x, t, SMALL, mgpu.memref_transpose(t.b, AS_BLOCKS))
