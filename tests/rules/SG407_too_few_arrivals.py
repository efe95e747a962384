"""A barrier completes when as many threads have arrived as it was declared with."""

from typing import Any

from _twins import legal, refused

import safegpu as mgpu
from safegpu import tcgen05

X = mgpu.Dimension.x
IN = mgpu.GMEM((64, 64), mgpu.float16)


class Scratch(mgpu.Scratch):
    """Barriers of several numbers of arrivals."""

    tile = mgpu.SMEM((64, 64), mgpu.float16)
    other = mgpu.SMEM((64, 64), mgpu.float16)
    one = mgpu.Barrier(1)
    two = mgpu.Barrier(2)
    all = mgpu.Barrier(128)
    pair = mgpu.Barrier(1, num_barriers=2)
    cluster = mgpu.ClusterBarrier((X,))
    outer = mgpu.Barrier(1)


def elected() -> mgpu.I1:
    return mgpu.single_thread_predicate(mgpu.ThreadSubset.WARPGROUP)


# --- nothing arrives


@legal(IN, IN, Scratch, arch="sm_90a")
def copied(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.one)
    s.one.wait()


@refused(IN, IN, Scratch, arch="sm_90a")
def of_another_barrier(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.one)
    s.outer.wait()  # L: SG407


@refused(IN, IN, Scratch, arch="sm_90a")
def of_another_in_the_array(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.pair[0])
    s.pair[0].wait()
    s.pair[1].wait()  # L: SG407


@refused(IN, IN, Scratch, arch="sm_90a")
def announced_by_nobody(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    """The bytes of a copy with `arrive=False` are no arrival."""
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.one, arrive=False)
    s.one.wait()  # L: SG407


@refused(IN, IN, Scratch, arch="sm_90a")
def of_a_cluster(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    s.cluster.wait()  # L: SG407


@legal(IN, IN, Scratch, arch="sm_90a", cluster=2)
def arrived_at_from_the_other_block(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    s.one.remap_to_cluster(X, 1 - mgpu.cluster_block_id(X)).arrive(predicate=elected())
    s.one.wait()
    s.cluster.arrive()
    s.cluster.wait()


@legal(IN, IN, Scratch, arch="sm_90a")
def arrived_at_by_an_index(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.pair[mgpu.block_id(X) % 2])
    s.pair[1].wait()


def raw_arrival(barrier: Any) -> None:
    mgpu.utils.inline_ptx("red.async.shared [$0], 1;", barrier.get_ptr(), has_side_effects=True)


@legal(IN, IN, Scratch, arch="sm_90a")
def arrived_at_by_raw_code(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    raw_arrival(s.one)
    s.one.wait()


@legal(IN, IN, Scratch, arch="sm_90a")
def the_phase_before_the_first(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    s.one.wait_parity(mgpu.c(1, mgpu.I1))


@legal(IN, IN, Scratch, arch="sm_90a")
def perhaps_never(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    with mgpu.when(mgpu.block_id(X) > 1000):
        s.one.wait()


# --- too few arrive


@refused(IN, IN, Scratch, arch="sm_90a")
def one_copy_of_two(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.two)
    s.two.wait()  # L: SG407


@legal(IN, IN, Scratch, arch="sm_90a")
def two_copies_of_two(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.two)
    ctx.async_copy(src_ref=x, dst_ref=s.other, barrier=s.two)
    s.two.wait()


@refused(IN, IN, Scratch, arch="sm_90a")
def a_copy_for_all_threads(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.all)
    s.all.wait()  # L: SG407


@refused(IN, IN, Scratch, arch="sm_90a")
def one_thread_for_all(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    s.all.arrive(predicate=elected())
    s.all.wait()  # L: SG407


@refused(IN, IN, Scratch, arch="sm_90a")
def one_thread_of_each_warp_for_all(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    with mgpu.single_thread(mgpu.ThreadSubset.WARP):
        s.all.arrive()
    s.all.wait()  # L: SG407


@legal(IN, IN, Scratch, arch="sm_90a")
def all_threads(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    s.all.arrive()
    s.all.wait()


@legal(IN, IN, Scratch, arch="sm_90a")
def one_thread_many_times(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    s.all.arrive(128, predicate=elected())
    s.all.wait()


@legal(IN, IN, Scratch, arch="sm_90a")
def in_a_loop(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    @mgpu.fori(mgpu.c(128, mgpu.Index), None)
    def _(_i: mgpu.Index, _: None) -> None:
        s.all.arrive(predicate=elected())

    s.all.wait()


@refused(IN, IN, Scratch, arch="sm_90a")
def waited_for_twice(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.one)
    s.one.wait()
    s.one.wait()  # L: SG407


@legal(IN, IN, Scratch)
def committed(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    with mgpu.single_thread():
        tcgen05.commit_arrive(s.one)
    s.one.wait(orders_tensor_core=True)


@refused(IN, IN, Scratch)
def committed_for_all(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    with mgpu.single_thread():
        tcgen05.commit_arrive(s.all)
    s.all.wait(orders_tensor_core=True)  # L: SG407


@legal(IN, IN, Scratch, arch="sm_90a")
def threads_copy(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.one, implementation=mgpu.AsyncCopyImplementation.CP_ASYNC)
    s.one.wait()
