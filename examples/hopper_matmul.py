"""A matmul about as fast as cuBLAS's where k is large (docs/performance.md): for Hopper, warp-specialised, persistent.

Each block has three warpgroups. One thread of the last is the producer: it keeps a ring of tiles of A and B in shared
memory filled through TMA. The other two are consumers: each multiplies its half of the block's tile with `wgmma`, and
takes the accumulator out through shared memory while the producer already loads the next tile's operands. A block
stays on its multiprocessor and works on one tile after another.

Neighbouring blocks make a cluster and compute neighbouring tiles, so those in one column of it need the same tile of B
and those in one row the same tile of A: each loads its part and multicasts it into the shared memory of all of them.

Run it on a Hopper GPU: `python -m examples.run hopper_matmul`; `python -m bench.device` compares it with cuBLAS.
"""

from dataclasses import dataclass
from typing import Final, Literal

import safegpu as mgpu

X, Y = mgpu.Dimension.x, mgpu.Dimension.y  # of the cluster: along the rows of the output, and along its columns
CONSUMERS: Final = 2
"""The warpgroups that multiply. The one after them is the producer."""


@dataclass(frozen=True)
class Config:
    """How a matmul is divided. Sizes are in elements; the defaults suit large matrices."""

    tile_m: int = 128
    """Rows of the tile of the output that a block computes at a time."""
    tile_n: int = 256
    """Columns of that tile."""
    tile_k: int | None = None
    """Columns of A in a slot of the ring. None is what 128 bytes hold, the least that their swizzle permits."""
    stages: Literal[2, 3, 4, 5, 6, 7, 8] = 4
    """Slots of the ring. As literals, they say that barriers of this number are an array."""
    split: Literal["m", "n"] = "m"
    """Whether the two consumers divide the rows or the columns of the tile."""
    cluster_m: int = 2
    """Blocks of a cluster along the rows of the output: they share B."""
    cluster_n: int = 1
    """Blocks of a cluster along its columns: they share A."""
    grid_minor: Literal["m", "n"] = "m"
    """The axis along which tiles that follow each other lie next to each other."""
    grid_width: int = 4
    """How many of them, before the next ones start along the other axis."""
    epilogue_n: int | None = None
    """Columns of the output that a consumer takes out at a time. None is what 128 bytes hold."""
    release_delay: Literal[0, 1] = 0
    """Products that a consumer leaves under way before it frees the slots of those before."""
    blocks: int = 132
    """Blocks that run at a time, one a multiprocessor. More than fit run after the others: on an H200, of clusters of
    four there is no room for 128."""
    producer_registers: int = 40
    """Registers of a thread of the producer; the consumers get what is left."""

    @property
    def consumer_registers(self) -> int:
        # A multiprocessor has 64 Ki registers, and a launch of 384 threads can give each 168.
        return (3 * 168 - self.producer_registers) // CONSUMERS // 8 * 8


@dataclass(frozen=True)
class Plan:
    """A `Config` for given sizes and dtypes, divided out. Raises ValueError where it does not divide."""

    m: int
    n: int
    k: int
    bits: int
    out_bits: int
    b_transposed: bool
    config: Config

    def __post_init__(self) -> None:
        c = self.config
        rows, columns = self.consumer_tile
        for name, size, unit, why in (
            ("tile_m", c.tile_m, 64 * (CONSUMERS if c.split == "m" else 1), "wgmma has 64 rows for each consumer"),
            ("tile_n", c.tile_n, 64 * (CONSUMERS if c.split == "n" else 1), "a swizzle spans up to 64 columns of B"),
            ("tile_k", self.tile_k, 1024 // self.bits, "a swizzle spans 128 bytes"),
            ("epilogue_n", self.epilogue_n, 1024 // self.out_bits, "a swizzle spans 128 bytes"),
            ("consumer's columns", columns, self.epilogue_n, "epilogue_n"),
            ("cluster_m", c.cluster_m, 1, "it counts blocks"),
            ("cluster_n", c.cluster_n, 1, "it counts blocks"),
            ("m", self.m, self.cluster_tile[0], "the rows of a cluster's tiles"),
            ("n", self.n, self.cluster_tile[1], "the columns of a cluster's tiles"),
            ("k", self.k, self.tile_k, "tile_k"),
            ("producer_registers", c.producer_registers, 8, "setmaxnreg counts in eights"),
        ):
            if size <= 0 or size % unit:
                raise ValueError(f"{name} is {size}, which is no multiple of {unit}: {why}")
        if columns > 256:
            raise ValueError(f"a consumer's tile has {columns} columns, and wgmma has at most 256")
        if (registers := rows * columns // 128) > c.consumer_registers - 32:
            raise ValueError(f"a {rows}x{columns} accumulator takes {registers} of a thread's {c.consumer_registers}")
        if not 2 <= c.stages <= 8:
            raise ValueError(f"stages is {c.stages}: between 2 and 8 slots make a ring")
        if c.blocks < c.cluster_m * c.cluster_n:
            raise ValueError(f"blocks is {c.blocks}, fewer than the {c.cluster_m}x{c.cluster_n} of a cluster")
        if c.grid_width < 1:
            raise ValueError(f"grid_width is {c.grid_width}, and must be positive")
        if self.chunks % self.out_slots:
            raise ValueError(f"a consumer's {rows}x{columns} tile has {self.chunks} chunks: take an even number")

    @property
    def tile_k(self) -> int:
        return self.config.tile_k or 1024 // self.bits

    @property
    def epilogue_n(self) -> int:
        return self.config.epilogue_n or 1024 // self.out_bits

    @property
    def consumer_tile(self) -> tuple[int, int]:
        """The part of a block's tile that one consumer computes."""
        tile_m, tile_n = self.config.tile_m, self.config.tile_n
        return (tile_m // CONSUMERS, tile_n) if self.config.split == "m" else (tile_m, tile_n // CONSUMERS)

    @property
    def cluster_tile(self) -> tuple[int, int]:
        """The tiles of a cluster's blocks together."""
        return self.config.tile_m * self.config.cluster_m, self.config.tile_n * self.config.cluster_n

    @property
    def cluster_tiles(self) -> tuple[int, int]:
        """The number of these in the output, by rows and columns."""
        return self.m // self.cluster_tile[0], self.n // self.cluster_tile[1]

    @property
    def clusters(self) -> int:
        """How many run. No more than it takes to be done after as many turns: the others' power is better used."""
        tiles = self.cluster_tiles[0] * self.cluster_tiles[1]
        turns = -(-tiles // (self.config.blocks // (self.config.cluster_m * self.config.cluster_n)))
        return -(-tiles // turns)

    @property
    def chunks(self) -> int:
        """In how many parts a consumer takes its tile out."""
        rows, columns = self.consumer_tile
        return rows // 64 * (columns // self.epilogue_n)

    @property
    def out_slots(self) -> int:
        return min(2, self.chunks)

    @property
    def slot_bytes(self) -> int:
        return (self.config.tile_m + self.config.tile_n) * self.tile_k * self.bits // 8

    def origin(self, tile: mgpu.Index) -> tuple[mgpu.Index, mgpu.Index]:
        """The first row and column of this block's part of a cluster's tile.

        Tiles come in bands, `grid_width` wide along the minor axis. A band goes along the whole major axis, and the
        next one back again: what runs at the same time is nearly square, and shares its operands in the L2 cache.
        """
        c = self.config
        m_tiles, n_tiles = self.cluster_tiles
        minor_tiles, major_tiles = (n_tiles, m_tiles) if c.grid_minor == "n" else (m_tiles, n_tiles)
        band = tile // (c.grid_width * major_tiles)
        inside = tile % (c.grid_width * major_tiles)
        start = band * c.grid_width
        width = (minor_tiles - start).min(c.grid_width)  # of the last band it may be less
        along = inside // width
        minor = start + inside % width
        major = (band % 2).eq(0).select(along, major_tiles - 1 - along)
        row, column = (major, minor) if c.grid_minor == "n" else (minor, major)
        return (
            (row * c.cluster_m + mgpu.cluster_block_id(X)) * c.tile_m,
            (column * c.cluster_n + mgpu.cluster_block_id(Y)) * c.tile_n,
        )

    def after(self, slot: mgpu.Index) -> mgpu.Index:
        """The slot of the ring after this one."""
        return slot.eq(self.config.stages - 1).select(0, slot + 1)

    def before(self, slot: mgpu.Index) -> mgpu.Index:
        """The slot of the ring before this one."""
        return slot.eq(0).select(self.config.stages - 1, slot - 1)


type Context = mgpu.LaunchContext[mgpu.sm_90a]
type Tiles[D] = mgpu.SmemRef[D, Literal[128], mgpu.sm_90a]
"""Tiles in shared memory, swizzled by 128 bytes."""
type Accumulator = mgpu.WGMMAAccumulator[mgpu.float32]


class Scratch[
    D: (mgpu.float16, mgpu.bfloat16, mgpu.float8_e4m3fn, mgpu.float8_e5m2),
    O: (mgpu.float32, mgpu.float16, mgpu.bfloat16),
](mgpu.Scratch[mgpu.sm_90a]):
    def __init__(self, plan: Plan, dtype: type[D], out_dtype: type[O], b_shape: tuple[int, int]) -> None:
        stages = plan.config.stages
        self.a: Tiles[D] = mgpu.SMEM((stages, plan.config.tile_m, plan.tile_k), dtype, swizzle=128)
        self.b: Tiles[D] = mgpu.SMEM((stages, *b_shape), dtype, swizzle=128)
        out_shape = (CONSUMERS, plan.out_slots, 64, plan.epilogue_n)
        self.out: Tiles[O] = mgpu.SMEM(out_shape, out_dtype, swizzle=128)
        # One arrival fills a slot, the producer's, and the bytes that it announces.
        self.filled = mgpu.Barrier(arrival_count=1, num_barriers=stages)
        # The consumers of all blocks with which the block shares A or B free it, since copies write to all their slots.
        self.free = mgpu.ClusterBarrier((X, Y), CONSUMERS, stages)


# These parts are generic over any dtype, and a checker reads them once. `kernel` it reads for each pair of dtypes.


def load[D](
    ctx: Context,
    plan: Plan,
    tensor: mgpu.GmemRef[D],
    window: tuple[mgpu.DynamicSlice, mgpu.DynamicSlice],
    slots: Tiles[D],
    slot: mgpu.Index,
    filled: mgpu.BarrierRef,
    shared_along: mgpu.Dimension,
) -> None:
    """Starts to fill a slot. The cluster's blocks along this axis load a part each, which all of them get."""
    ctx.async_copy(
        src_ref=tensor,
        dst_ref=mgpu.memref_slice(slots, slot),
        gmem_slice=window,
        gmem_transform=mgpu.TileTransform((8, 1024 // plan.bits)),
        swizzle=128,
        barrier=filled,
        arrive=False,
        predicate=None,
        collective=shared_along,
    )


def operands[D](
    plan: Plan, mine: mgpu.Index, a_slots: Tiles[D], b_slots: Tiles[D], slot: mgpu.Index
) -> tuple[Tiles[D], Tiles[D]]:
    """What consumer `mine` multiplies, of a slot's tiles of A and B."""
    a, b = mgpu.memref_slice(a_slots, slot), mgpu.memref_slice(b_slots, slot)
    rows, columns = plan.consumer_tile
    # Buffers are tiled, so that 8 rows are one step along the first axis, and 128 bytes along the second.
    if plan.config.split == "m":
        a = mgpu.memref_slice(a, mgpu.ds(mine * (rows // 8), rows // 8))
    elif plan.b_transposed:
        b = mgpu.memref_slice(b, mgpu.ds(mine * (columns // 8), columns // 8))
    else:
        b = mgpu.memref_slice(b, (slice(None), mgpu.ds(mine * (columns // 64), columns // 64)))
    if plan.b_transposed:
        b = mgpu.memref_transpose(b, (1, 0, 3, 2))
    return a, b


def take_out[O](
    ctx: Context,
    plan: Plan,
    mine: mgpu.Index,
    tile: mgpu.FragmentedArray[O, mgpu.layouts.WGMMA],
    slots: Tiles[O],
    out: mgpu.GmemRef[O],
    row: mgpu.Index,
    column: mgpu.Index,
) -> None:
    """Stores the tile of consumer `mine` through two slots, each while the copy out of the other may still read it.

    The last copies go on while the next tile is multiplied.
    """
    rows, columns = plan.consumer_tile
    width = plan.epilogue_n
    if plan.config.split == "m":
        row = row + mine * rows
    else:
        column = column + mine * columns
    for chunk in range(plan.chunks):
        i, j = chunk // (columns // width) * 64, chunk % (columns // width) * width
        slot = mgpu.memref_slice(slots, (mine, chunk % plan.out_slots))
        ctx.await_async_copy(plan.out_slots - 1, await_read_only=True)
        tile[i : i + 64, j : j + width].store_tiled(slot, swizzle=128)
        mgpu.commit_shared()
        ctx.async_copy(
            src_ref=slot,
            dst_ref=out,
            gmem_slice=(mgpu.ds(row + i, 64), mgpu.ds(column + j, width)),
            gmem_transform=mgpu.TileTransform((8, 1024 // plan.out_bits)),
            swizzle=128,
        )


def kernel[
    D: (mgpu.float16, mgpu.bfloat16, mgpu.float8_e4m3fn, mgpu.float8_e5m2),
    O: (mgpu.float32, mgpu.float16, mgpu.bfloat16),
](
    m: int,
    n: int,
    k: int,
    dtype: type[D],
    out_dtype: type[O],
    config: Config | None = None,
    *,
    b_transposed: bool = False,
) -> mgpu.Kernel:
    """A kernel that gives A @ B for A (m, k) and B (k, n), or A @ B.T for B (n, k) with `b_transposed`.

    It accumulates in float32. The 8-bit dtypes take B transposed only, because `wgmma` reads them along k. Raises
    ValueError where `config` does not divide the sizes.
    """
    config = config or Config()
    plan = Plan(m, n, k, dtype.bits, out_dtype.bits, b_transposed, config)
    if dtype.bits == 8 and not b_transposed:
        raise ValueError(f"B of {dtype.__name__} has the shape (n, k): pass b_transposed=True")

    tile_m, tile_n, tile_k = config.tile_m, config.tile_n, plan.tile_k
    k_steps = k // tile_k
    m_tiles, n_tiles = plan.cluster_tiles
    clusters = plan.clusters
    rows, columns = plan.consumer_tile

    def hopper_matmul(
        ctx: Context,
        a: mgpu.GmemRef[D],
        b: mgpu.GmemRef[D],
        out: mgpu.GmemRef[O],
        scratch: Scratch[D, O],
    ) -> None:
        # Barriers remember their phase, so the ring goes on from tile to tile. Each `wait` waits for the next phase:
        # - filled[s], of a block: one arrival a phase, its producer's, and all bytes of A and B. Another block's part
        #   of a shared tile may arrive before this block announces it, never in an earlier phase: it is sent once the
        #   consumers of all blocks that it goes to have freed the slot.
        # - free[s]: an arrival a phase from both consumers of each block that shares A or B with this one. The first
        #   phase says that nothing was ever in the slot, so consumers begin with it, and the producer waits before each
        #   copy in the same way.
        # All blocks of a cluster take the same turns, so they fill and free their slots equally often.
        group = mgpu.warpgroup_idx()
        cluster = mgpu.block_id(X) // config.cluster_m
        turns = (m_tiles * n_tiles + clusters - 1 - cluster) // clusters
        steps = mgpu.c(k_steps, mgpu.Index)
        first_slot = mgpu.c(0, mgpu.Index)

        with mgpu.when(group.eq(CONSUMERS)):
            mgpu.set_max_registers(config.producer_registers, action="decrease")
            with mgpu.single_thread(mgpu.ThreadSubset.WARPGROUP):

                @mgpu.fori(turns, first_slot)
                def produce(turn: mgpu.Index, slot: mgpu.Index) -> mgpu.Index:
                    row, column = plan.origin(cluster + turn * clusters)
                    at_m, at_n = mgpu.ds(row, tile_m), mgpu.ds(column, tile_n)

                    @mgpu.fori(steps, slot)
                    def ring(step: mgpu.Index, slot: mgpu.Index) -> mgpu.Index:
                        scratch.free[slot].wait()
                        at_k, filled = mgpu.ds(step * tile_k, tile_k), scratch.filled[slot]
                        filled.arrive_expect_tx(plan.slot_bytes)
                        b_window = (at_n, at_k) if b_transposed else (at_k, at_n)
                        load(ctx, plan, a, (at_m, at_k), scratch.a, slot, filled, Y)
                        load(ctx, plan, b, b_window, scratch.b, slot, filled, X)
                        return plan.after(slot)

                    return ring.result

                # The other blocks' consumers arrive here, and their producers write here: stay until all are done.
                for freed in scratch.free:
                    freed.wait()

        with mgpu.when(group < CONSUMERS):
            mgpu.set_max_registers(config.consumer_registers, action="increase")
            mine = group.to_index()
            for never_filled in scratch.free:
                never_filled.arrive()

            @mgpu.fori(turns, first_slot)
            def consume(turn: mgpu.Index, slot: mgpu.Index) -> mgpu.Index:
                @mgpu.fori(steps, (slot, mgpu.WGMMAAccumulator.zero(rows, columns)))
                def ring(step: mgpu.Index, carry: tuple[mgpu.Index, Accumulator]) -> tuple[mgpu.Index, Accumulator]:
                    slot, acc = carry
                    scratch.filled[slot].wait()
                    a_tile, b_tile = operands(plan, mine, scratch.a, scratch.b, slot)
                    acc = mgpu.wgmma(acc, a_tile, b_tile, swizzle=128)
                    mgpu.wgmma_commit_group()
                    # While one consumer waits here the other's products keep the tensor core busy. With a delay it has
                    # the next one of this consumer as well, and a slot is taken for longer.
                    mgpu.wgmma_wait_group(config.release_delay)
                    if config.release_delay:
                        # Before the first of a tile there is none: its last is freed below.
                        scratch.free[plan.before(slot)].arrive(predicate=step > 0)
                    else:
                        scratch.free[slot].arrive()
                    return plan.after(slot), acc

                slot, acc = ring.results
                if config.release_delay:
                    mgpu.wgmma_wait_group(0)
                    scratch.free[plan.before(slot)].arrive()
                tile = acc.value.astype(out_dtype)
                row, column = plan.origin(cluster + turn * clusters)
                take_out(ctx, plan, mine, tile, scratch.out, out, row, column)
                return slot

            ctx.await_async_copy(0, await_read_only=True)

    # With names, a checker looks at each spec once, and not once for each form that as_gpu_kernel has.
    inputs = mgpu.GMEM((m, k), dtype), mgpu.GMEM((n, k) if b_transposed else (k, n), dtype)
    output = mgpu.GMEM((m, n), out_dtype)
    scratch_spec = Scratch(plan, dtype, out_dtype, (tile_n, tile_k) if b_transposed else (tile_k, tile_n))
    return mgpu.as_gpu_kernel(
        hopper_matmul,
        grid=(clusters * config.cluster_m, config.cluster_n, 1),
        block=((CONSUMERS + 1) * 128, 1, 1),
        in_shape=inputs,
        out_shape=output,
        smem_scratch_shape=scratch_spec,
        cluster=(config.cluster_m, config.cluster_n, 1),
    )


def float16() -> mgpu.Kernel:
    return kernel(2048, 2048, 2048, mgpu.float16, mgpu.float16)


def bfloat16() -> mgpu.Kernel:
    return kernel(2048, 2048, 2048, mgpu.bfloat16, mgpu.float32)


def float8() -> mgpu.Kernel:
    return kernel(2048, 2048, 2048, mgpu.float8_e4m3fn, mgpu.float16, b_transposed=True)
