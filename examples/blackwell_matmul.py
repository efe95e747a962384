"""A persistent matmul on pairs of blocks (Blackwell).

The two blocks of a cluster compute a 256 x 256 tile of the output together (`collective=True`, `cta_group::2` in PTX):
each loads half of the rows of A and of B, the tensor core reads B from both, and each block accumulates half of the
rows of the output. A pair goes through its share of the tiles in three roles that work at the same time:

    warp 0 of each block         TMA           copies A and B into a ring of stages in shared memory
    warp 1 of the first block    tensor core   multiplies stage after stage into one of two accumulators
    warpgroup 1 of each block    epilogue      converts and stores the other accumulator, of the tile before

The barriers. A phase completes by a fixed number of arrivals, and nobody arrives for the next one before whoever waits
has seen the last:

    loaded[stage]      of the first block: its TMA warp arrives with each of its two copies and announces the bytes of
                       both blocks, which count down there. Its MMA warp waits. The second block's is not used.
    consumed[stage]    of each block: the tensor core arrives at both when it has read the stage. The TMA warps wait
                       before they fill it again, that is before the next arrival at `loaded[stage]`.
    multiplied[slot]   of each block: the tensor core arrives at both when the tile is complete. The epilogues wait.
    released[slot]     of the first block (`leader_tracked`): the epilogues of both blocks arrive when they have read
                       the accumulator. The MMA warp waits before it accumulates there again, two tiles later, that is
                       before the next arrival at `multiplied[slot]`.

All roles go through the same stages and tiles in the same order. The TMA warps wait for the MMAs of `STAGES` steps ago,
the MMA warp for the copies of this step and the epilogues of two tiles ago, the epilogues for the MMAs of this tile:
never for something later than their own work, so there is always a role that can go on. In the end the TMA and MMA
warps wait for the arrivals that are still on their way, so that no block exits while the other one arrives there.

It needs a Blackwell GPU to run; `python -m examples.run` lowers it, and compiles it for sm_100a where it can.
"""

import math
from typing import Final, Literal

import safegpu as mgpu
from safegpu import tcgen05

X = mgpu.Dimension.x
BLOCK: Final = 128  # rows of A and rows of B that one block loads
TILE = 2 * BLOCK  # rows and columns of the output that a pair of blocks computes
STAGES: Final = 6
TMA_WARP, MMA_WARP, EPILOGUE_WARPGROUP = 0, 1, 1

type Blackwell = mgpu.sm_100a | mgpu.sm_103a | mgpu.sm_110a
type Tiles[D] = mgpu.SmemRef[D, Literal[128], Blackwell]


class Scratch[D: mgpu.DType, O: mgpu.DType](mgpu.Scratch[Blackwell]):
    def __init__(self, dtype: type[D], out_dtype: type[O]) -> None:
        tile_k = 8 * 128 // dtype.bits  # a row is as wide as the swizzle
        self.a: Tiles[D] = mgpu.SMEM((STAGES, BLOCK, tile_k), dtype, swizzle=128)
        self.b: Tiles[D] = mgpu.SMEM((STAGES, BLOCK, tile_k), dtype, swizzle=128)
        part = 8 * 128 // out_dtype.bits
        self.out: Tiles[O] = mgpu.SMEM((2, BLOCK, part), out_dtype, swizzle=128)
        self.loaded = mgpu.Barrier(arrival_count=2, num_barriers=STAGES)
        self.consumed = mgpu.Barrier(arrival_count=1, num_barriers=STAGES)
        self.multiplied = mgpu.Barrier(arrival_count=1, num_barriers=2)
        self.released = mgpu.ClusterBarrier((X,), arrival_count=1, num_barriers=2, leader_tracked=True)
        self.acc = mgpu.TMEM((128, 2 * TILE), mgpu.float32, collective=True)


# Generic over any dtype, which a checker reads once. `kernel` it reads for each pair of dtypes.
def load_half[D](
    ctx: mgpu.LaunchContext[Blackwell],
    tensor: mgpu.GmemRef[D],
    rows: mgpu.DynamicSlice,
    depth: mgpu.DynamicSlice,
    tiling: mgpu.TileTransform,
    slots: Tiles[D],
    stage: mgpu.Index,
    loaded: mgpu.BarrierArray,
) -> None:
    """Starts to load this block's half of the rows of A or B into a stage."""
    ctx.async_copy(
        src_ref=tensor,
        dst_ref=mgpu.memref_slice(slots, stage),
        gmem_slice=(rows, depth),
        gmem_transform=tiling,
        swizzle=128,
        barrier=loaded[stage],
        collective=X,
        leader_tracked=mgpu.CopyPartition.PARTITIONED(0),
        predicate=None,
    )


def kernel[
    D: (mgpu.float16, mgpu.bfloat16, mgpu.float8_e4m3fn, mgpu.float8_e5m2),
    O: (mgpu.float16, mgpu.bfloat16, mgpu.float32),
](dtype: type[D], out_dtype: type[O], m: int, n: int, k: int, sms: int = 148) -> mgpu.Kernel:
    """A kernel that gives A @ B.T, for A (m, k) and B (n, k), accumulated in float32.

    `sms` is the number of multiprocessors: each of their pairs works through its share of the tiles. 148 are a B200's.
    """
    tile_k = 8 * 128 // dtype.bits
    part = 8 * 128 // out_dtype.bits  # the epilogue stores so many columns at a time
    if m % TILE or n % TILE or k % tile_k or k // tile_k < STAGES:
        raise ValueError(
            f"m and n must be multiples of {TILE}, and k a multiple of {tile_k} from {STAGES * tile_k} on, "
            f"got {m=}, {n=}, {k=}"
        )
    steps, rows, columns = k // tile_k, m // TILE, n // TILE
    band = math.gcd(rows, 8)
    pairs = min(rows * columns, sms // 2)
    tiling = mgpu.TileTransform((8, tile_k))

    def place(tile: mgpu.Index) -> tuple[mgpu.Index, mgpu.Index]:
        """First row and column of a tile.

        Tiles go through bands of `band` rows, every other band from right to left: what is multiplied at about the same
        time shares rows of A and of B, and finds them in the L2 cache.
        """
        above, within = tile // (band * columns), tile % (band * columns)
        column = within // band
        column = (above % 2).eq(0).select(column, columns - 1 - column)
        return (above * band + within % band) * TILE, column * TILE

    def blackwell_matmul(
        ctx: mgpu.LaunchContext[Blackwell],
        a: mgpu.GmemRef[D],
        b: mgpu.GmemRef[D],
        out: mgpu.GmemRef[O],
        scratch: Scratch[D, O],
    ) -> None:
        pair, rank = mgpu.block_id(X) // 2, mgpu.cluster_block_id(X)
        tiles = (rows * columns + pairs - 1 - pair) // pairs  # of this pair: pair, pair + pairs, …
        warp = mgpu.warp_idx()
        elected = mgpu.single_thread_predicate(mgpu.ThreadSubset.WARP)

        with mgpu.when(warp.eq(TMA_WARP) & elected):

            @mgpu.fori(tiles, None)
            def load(tile: mgpu.Index, _: None) -> None:
                row, column = place(pair + tile * pairs)

                @mgpu.fori(mgpu.c(steps, mgpu.Index), None)
                def load_stage(step: mgpu.Index, _: None) -> None:
                    count = tile * steps + step
                    stage = count % STAGES
                    with mgpu.when(count >= STAGES):
                        scratch.consumed[stage].wait()
                    depth = mgpu.ds(step * tile_k, tile_k)
                    load_half(ctx, a, mgpu.ds(row, TILE), depth, tiling, scratch.a, stage, scratch.loaded)
                    load_half(ctx, b, mgpu.ds(column, TILE), depth, tiling, scratch.b, stage, scratch.loaded)

            for stage in range(STAGES):
                scratch.consumed[stage].wait()

        with mgpu.when(warp.eq(MMA_WARP) & elected & rank.eq(0)):

            @mgpu.fori(tiles, None)
            def multiply(tile: mgpu.Index, _: None) -> None:
                slot = tile % 2
                acc = scratch.acc.slice(slice(None), mgpu.ds(slot * TILE, TILE))
                with mgpu.when(tile >= 2):
                    scratch.released[slot].wait(orders_tensor_core=True)

                @mgpu.fori(mgpu.c(steps, mgpu.Index), None)
                def multiply_stage(step: mgpu.Index, _: None) -> None:
                    stage = (tile * steps + step) % STAGES
                    scratch.loaded[stage].wait()
                    a_tile, b_tile = mgpu.memref_slice(scratch.a, stage), mgpu.memref_slice(scratch.b, stage)
                    b_tile = mgpu.memref_transpose(b_tile, (1, 0, 3, 2))
                    tcgen05.mma(acc, a_tile, b_tile, a_swizzle=128, b_swizzle=128, accumulate=step > 0, collective=True)
                    tcgen05.commit_arrive(scratch.consumed[stage], collective=True, ctx=ctx)

                tcgen05.commit_arrive(scratch.multiplied[slot], collective=True, ctx=ctx)

            for slot in range(2):
                with mgpu.when(tiles > slot):
                    scratch.released[slot].wait()

        with mgpu.when(mgpu.warpgroup_idx().eq(EPILOGUE_WARPGROUP)):

            @mgpu.fori(tiles, None)
            def store(tile: mgpu.Index, _: None) -> None:
                row, column = place(pair + tile * pairs)
                slot = tile % 2
                scratch.multiplied[slot].wait(orders_tensor_core=True)
                for i in range(TILE // part):
                    value = scratch.acc.slice(slice(None), mgpu.ds(slot * TILE + i * part, part)).load()
                    tcgen05.wait_load_tmem()
                    if i == TILE // part - 1:
                        scratch.released[slot].arrive(orders_tensor_core=True)
                    staged = mgpu.memref_slice(scratch.out, i % 2)
                    ctx.await_async_copy(1, await_read_only=True)  # of this buffer; the other's may go on
                    value.astype(out_dtype).store_tiled(staged, swizzle=128)
                    mgpu.commit_shared()
                    ctx.async_copy(
                        src_ref=staged,
                        dst_ref=out,
                        gmem_slice=(mgpu.ds(row + rank * BLOCK, BLOCK), mgpu.ds(column + i * part, part)),
                        gmem_transform=mgpu.TileTransform((8, part)),
                        swizzle=128,
                    )

            ctx.await_async_copy(0)

    inputs, output = (mgpu.GMEM((m, k), dtype), mgpu.GMEM((n, k), dtype)), mgpu.GMEM((m, n), out_dtype)
    scratch_spec = Scratch(dtype, out_dtype)
    return mgpu.as_gpu_kernel(
        blackwell_matmul,
        grid=(2 * pairs, 1, 1),
        block=(256, 1, 1),
        cluster=(2, 1, 1),
        in_shape=inputs,
        out_shape=output,
        smem_scratch_shape=scratch_spec,
    )


def float16() -> mgpu.Kernel:
    return kernel(mgpu.float16, mgpu.float16, 8192, 8192, 4096)


def bfloat16() -> mgpu.Kernel:
    return kernel(mgpu.bfloat16, mgpu.float32, 8192, 8192, 4096)


def float8() -> mgpu.Kernel:
    return kernel(mgpu.float8_e4m3fn, mgpu.bfloat16, 8192, 8192, 4096)
