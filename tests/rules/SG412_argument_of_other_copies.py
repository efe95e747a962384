"""Rows by index go without collective, predicate and reduction, and parts are loaded by a collective."""

from typing import Any

from _twins import illegal, legal, since

import safegpu as mgpu

X = mgpu.Dimension.x
F16 = mgpu.GMEM((64, 64), mgpu.float16)
PARTS = mgpu.CopyPartition.PARTITIONED
OF_A_LEADER = "Only collective loads can be leader-tracked"

type Half = mgpu.GmemRef[mgpu.float16]


class S(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16)
    half = mgpu.SMEM((32, 64), mgpu.float16)
    barrier = mgpu.Barrier(1)


def rows() -> mgpu.FragmentedArray[mgpu.uint32, mgpu.layouts.TMA_INDICES]:
    return mgpu.FragmentedArray.splat(mgpu.c(1, mgpu.int32), (64,), mgpu.TMA_INDICES_LAYOUT, is_signed=False)


@legal(F16, F16, S)
def rows_alone(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    at = (rows(), slice(None))
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, gmem_slice=at)
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, gmem_slice=at, collective=None, reduction_op=None)
    s.barrier.wait()
    ctx.async_copy(src_ref=s.tile, dst_ref=o, gmem_slice=at)


@legal(F16, F16, S, cluster=2)
def beside_a_window(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    one = mgpu.single_thread_predicate()
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, predicate=one)
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, collective=X)
    s.barrier.wait()
    ctx.async_copy(src_ref=s.tile, dst_ref=o, reduction_op="add", predicate=one)
    ctx.await_async_copy(0)
    ctx.async_copy(src_ref=x, dst_ref=s.half, barrier=s.barrier, collective=X, leader_tracked=PARTS(0))
    all_of_it = mgpu.CopyPartition.REPLICATED
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, collective=X, leader_tracked=all_of_it)
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, leader_tracked=None)


def load(
    ctx: mgpu.LaunchContext,
    x: Half,
    s: S,
    axes: mgpu.Dimension | tuple[mgpu.Dimension, ...] | None = None,
    leader: mgpu.CopyPartition | None = None,
    unknown: Any = None,
    window: Any = (),
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, collective=axes, leader_tracked=leader)
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, collective=unknown, leader_tracked=unknown)
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, gmem_slice=window, collective=axes)


@legal(F16, F16, S, cluster=2)
def of_a_helper(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    load(ctx, x, s, X)


@since("0.12", raises=OF_A_LEADER)
@legal(F16, F16, S)
def all_of_it_for_one_block(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, leader_tracked=mgpu.CopyPartition.REPLICATED)


@illegal(F16, F16, S, cluster=2, raises="Collective copies with gather/scatter unsupported")
def rows_for_the_cluster(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    at = (rows(), slice(None))
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, gmem_slice=at, collective=X)  # E: SG412


@illegal(F16, F16, S, raises="Gather/scatter TMA can't use a predicate")
def rows_by_one_thread(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    at, one = (rows(), slice(None)), mgpu.single_thread_predicate()
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, gmem_slice=at, predicate=one)  # E: SG412


@illegal(F16, F16, S, raises="Gather/scatter TMA can't use a predicate")
def rows_by_each_thread(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    ctx.async_copy(src_ref=s.tile, dst_ref=o, gmem_slice=(rows(), slice(None)), predicate=None)  # E: SG412


@illegal(F16, F16, S, raises="Gather/scatter TMA can't perform reductions")
def rows_added(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    ctx.async_copy(src_ref=s.tile, dst_ref=o, gmem_slice=(rows(), slice(None)), reduction_op="add")  # E: SG412


@since("0.12", raises=OF_A_LEADER)
@illegal(F16, F16, S, cluster=2, raises="Only collective loads can be partitioned")
def parts_for_one_block(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.half, barrier=s.barrier, leader_tracked=PARTS(0))  # E: SG412


@since("0.12", raises=OF_A_LEADER)
@illegal(F16, F16, S, cluster=2, raises="Only collective loads can be partitioned")
def parts_stored(ctx: mgpu.LaunchContext, x: Half, o: Half, s: S) -> None:
    ctx.async_copy(src_ref=s.half, dst_ref=o, leader_tracked=PARTS(0))  # E: SG412
