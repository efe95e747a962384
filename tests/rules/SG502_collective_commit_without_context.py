"""A commit that arrives in both blocks of a pair needs the launch context, which knows the cluster."""

import functools
from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import tcgen05

OUT = mgpu.GMEM((128, 128), mgpu.float32)
NO_CONTEXT = "ctx must be provided for collective barriers"


class S(mgpu.Scratch):
    barrier = mgpu.Barrier(1)


@legal(OUT, S, cluster=2, one_thread=True)
def with_context(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.commit_arrive(s.barrier, collective=True, ctx=ctx)
    tcgen05.commit_arrive(s.barrier, True, ctx)
    commit = functools.partial(tcgen05.commit_arrive, ctx=ctx)
    commit(s.barrier, collective=True)


@legal(OUT, S, one_thread=True)
def of_one_block(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.commit_arrive(s.barrier)
    tcgen05.commit_arrive(s.barrier, collective=False)
    tcgen05.commit_arrive(s.barrier, ctx=ctx)
    tcgen05.commit_arrive(s.barrier, False, ctx)


def either(ctx: mgpu.LaunchContext, barrier: mgpu.BarrierRef, pair: bool, unknown: Any) -> None:
    tcgen05.commit_arrive(barrier, collective=pair, ctx=ctx)
    tcgen05.commit_arrive(barrier, collective=unknown)
    tcgen05.commit_arrive(unknown, collective=pair, ctx=unknown)


@illegal(OUT, S, cluster=2, raises=NO_CONTEXT, one_thread=True)
def without(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.commit_arrive(s.barrier, collective=True)  # E: SG502


@illegal(OUT, S, cluster=2, raises=NO_CONTEXT, one_thread=True)
def by_position(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.commit_arrive(s.barrier, True)  # E: SG502


@illegal(OUT, S, cluster=2, raises=NO_CONTEXT, one_thread=True)
def with_none(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.commit_arrive(s.barrier, collective=True, ctx=None)  # E: SG502


def perhaps(barrier: mgpu.BarrierRef, pair: bool) -> None:
    tcgen05.commit_arrive(barrier, collective=pair)  # E: SG502


@illegal(OUT, S, cluster=2, raises=NO_CONTEXT, one_thread=True)
def passed_on(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    perhaps(s.barrier, pair=True)
