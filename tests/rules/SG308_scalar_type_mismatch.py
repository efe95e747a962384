"""A scalar has one MLIR type, operators take two of the same, and every function names the type that it takes."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import utils

X = mgpu.Dimension.x
OUT = mgpu.GMEM((64, 64), mgpu.float32)
STACK = mgpu.GMEM((4, 64, 64), mgpu.float32)
VERIFICATION = "Verification failed"
TWO_TYPES = "expected two scalars of one type"


class S(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float32)
    loaded = mgpu.Barrier(1, 2)


def ones() -> mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float32), (64, 64), mgpu.WGMMA_LAYOUT)


@legal(STACK, OUT, S, cluster=2, one_thread=True)
def converted(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    block, warp = mgpu.block_id(X), mgpu.warp_idx()
    row: mgpu.Index = block * 2 + warp.to_index() % 2
    number: mgpu.I32 = block.to_i32() + warp // 2 - 1
    first: mgpu.I1 = (number < warp) & row.eq(0) | (2 > row)
    chosen: mgpu.Index = first.select(row, block).min(3)
    mgpu.memref_slice(x, (chosen, mgpu.ds(row * 8, 8)))
    mgpu.memref_slice(x, chosen)
    barrier = s.loaded[number % 2]
    barrier = s.loaded[row % 2]
    ctx.async_copy(src_ref=x, dst_ref=s.tile, gmem_slice=chosen, barrier=barrier, predicate=first)
    ctx.async_copy(src_ref=x, dst_ref=s.tile, gmem_slice=(chosen, mgpu.ds(row, 64)), barrier=barrier)
    barrier.arrive(predicate=first)
    barrier.arrive_expect_tx(number)
    barrier.arrive_expect_tx(row, predicate=first)
    mgpu.get_cluster_ref(s.tile, X, 1 - mgpu.cluster_block_id(X))
    with mgpu.when(first & True):
        mgpu.nanosleep(number)


@legal(OUT, S)
def loops(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    @mgpu.fori(mgpu.c(4, mgpu.Index), ones())
    def by_index(
        i: mgpu.Index, acc: mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.WGMMA]
    ) -> mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.WGMMA]:
        mgpu.memref_slice(o, i * 2)
        return acc

    @mgpu.fori(mgpu.c(4, mgpu.int32), (by_index.result, mgpu.c(0, mgpu.int32)))
    def by_integer(i: mgpu.I32, carry: tuple[Any, mgpu.I32]) -> tuple[Any, mgpu.I32]:
        acc, n = carry
        return acc, n + i

    total: mgpu.I32 = by_integer.results[1]
    mgpu.nanosleep(total)


@legal(OUT, S)
def of_a_warp(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    lane: mgpu.I32 = mgpu.thread_idx() % 32
    other: mgpu.I32 = utils.shfl_bfly(lane, 1) + lane
    most: mgpu.I32 = utils.redux(other, mgpu.c(-1, mgpu.int32), utils.ReductionKind.UMAX)
    total: mgpu.F32 = utils.warp_tree_reduce(utils.bitcast(most, mgpu.F32), lambda a, b: a + b, 32)
    cycles: mgpu.I32 = utils.inline_ptx("mov.u32 $0, %clock;", result_types=mgpu.I32, has_side_effects=True)
    nanoseconds: mgpu.I64 = utils.globaltimer() + 1
    halves: mgpu.I32 = utils.globaltimer("low") ^ utils.globaltimer("high")
    first, second = utils.inline_ptx("mov.b64 {$0, $1}, $2;", nanoseconds, result_types=(mgpu.I32, mgpu.I32))
    sum_of_halves: mgpu.I32 = first + second


@legal(OUT, S)
def partitions(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    blocks = mgpu.Partition((64, 64), partition=(0, None), chunk_size=(16, 64))
    row, column = blocks.get_base(mgpu.block_id(X) % 4)
    mgpu.memref_slice(o, (mgpu.ds(row + 8, 8), mgpu.ds(column, 32)))
    line = mgpu.Partition1D(64, num_chunks=4).refine(chunk=mgpu.block_id(X), num_chunks=2)
    mgpu.memref_slice(o, (mgpu.ds(line.get_base(mgpu.block_id(X)) * 1, 8),))


@illegal(OUT, S, raises=TWO_TYPES)
def index_and_integer(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    mgpu.block_id(X) + mgpu.warp_idx()  # E: SG308


@illegal(OUT, S, raises=TWO_TYPES)
def integer_and_index(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    mgpu.warp_idx() * mgpu.block_id(X)  # E: SG308


@illegal(OUT, S, raises=TWO_TYPES)
def two_widths(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    utils.clock() - utils.globaltimer()  # E: SG308


@illegal(OUT, S, raises=TWO_TYPES)
def compared(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    mgpu.warp_idx() < mgpu.block_id(X)  # E: SG308


@illegal(OUT, S, raises=TWO_TYPES)
def equality(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    mgpu.block_id(X).eq(mgpu.warp_idx())  # E: SG308


@illegal(OUT, S, raises=TWO_TYPES)
def minimum(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    mgpu.warp_idx().min(mgpu.block_id(X))  # E: SG308


@illegal(OUT, S, raises=TWO_TYPES)
def selected(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    (mgpu.warp_idx() < 2).select(mgpu.block_id(X), mgpu.warp_idx())  # E: SG308


@illegal(OUT, S, raises=TWO_TYPES)
def truth_and_number(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    (mgpu.warp_idx() < 2) & mgpu.warp_idx()  # E: SG308


@illegal(OUT, S, raises="Expected an index-typed index")
def subscript(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    mgpu.memref_slice(o, mgpu.warp_idx())  # E: SG308


@illegal(OUT, S, raises=VERIFICATION)
def slice_from(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    mgpu.memref_slice(o, (mgpu.ds(mgpu.warp_idx() * 8, 8), 0))  # E: SG308


@illegal(OUT, S, raises=VERIFICATION)
def slice_made_before(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    rows = mgpu.ds(mgpu.warp_idx() * 8, 8)
    mgpu.memref_slice(o, rows)  # E: SG308


@illegal(STACK, OUT, S, raises="Expected an index-typed index")
def copied_slice(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, gmem_slice=mgpu.warp_idx(), barrier=s.loaded[0])  # E: SG308


@illegal(STACK, OUT, S, raises=VERIFICATION)
def copied_rows(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    window = (0, mgpu.ds(mgpu.warp_idx() * 64, 64))
    ctx.async_copy(src_ref=x, dst_ref=s.tile, gmem_slice=window, barrier=s.loaded[0])  # E: SG308


@illegal(OUT, S, cluster=2, raises=VERIFICATION)
def another_block(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    mgpu.get_cluster_ref(s.tile, X, mgpu.warp_idx())  # E: SG308


@illegal(OUT, S, cluster=2, raises=VERIFICATION)
def barrier_of_another_block(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.loaded[0].remap_to_cluster(X, mgpu.warp_idx())  # E: SG308


@illegal(OUT, S, raises=VERIFICATION)
def condition(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    with mgpu.when(mgpu.block_id(X)):  # E: SG308
        pass


# Mosaic GPU asks MLIR for an integer constant of the bound's type, which for a float may never come back.
@illegal(OUT, S, raises="TypeError: fori: expected an Index or another integer scalar, got F32")
def bound(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    mgpu.fori(mgpu.c(4.0, mgpu.float32), ones())(lambda i, acc: acc)  # E: SG308


@illegal(OUT, S, raises=VERIFICATION)
def base_of_a_partition(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    mgpu.Partition((64,), partition=(0,), num_chunks=(4,)).get_base(mgpu.warp_idx())  # E: SG308


@illegal(OUT, S, peers=2, raises="AssertionError")
def peer(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    ctx.to_remote(o, mgpu.block_id(X))  # E: SG308


def add(a: mgpu.Index, b: mgpu.I32) -> Any:
    return a + b  # E: SG308


@illegal(OUT, S, raises=TWO_TYPES)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    add(mgpu.block_id(X), mgpu.warp_idx())
