"""Several barriers are an array: one of them is waited for, arrived at, or completed by a copy."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import tcgen05

X = mgpu.Dimension.x
SINGLE = "Operation is only valid for a single barrier, but barrier ref contains"
IN = mgpu.GMEM((64, 64), mgpu.float16)


class S(mgpu.Scratch):
    smem = mgpu.SMEM((64, 64), mgpu.float16)
    tiled = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    one = mgpu.Barrier(1)
    several = mgpu.Barrier(1, num_barriers=4)
    tma = mgpu.TMABarrier(2)
    cluster = mgpu.ClusterBarrier((X,))
    clusters = mgpu.ClusterBarrier((X,), num_barriers=2)


@legal(IN, S, arch="sm_90a", cluster=2)
def one_barrier(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.smem, barrier=s.one)
    s.one.wait()
    s.several[0].arrive()
    s.several[mgpu.block_id(X)].wait()
    s.cluster.arrive()
    s.clusters[1].arrive()
    s.clusters[1].wait()
    for each in s.several:
        each.arrive()
    index = mgpu.c(1, mgpu.Index)
    ctx.async_copy(src_ref=x, dst_ref=s.smem, barrier=s.tma[index])


@illegal(IN, S, arch="sm_90a", cluster=2, raises=SINGLE)
def wait(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    s.several.wait()  # E: SG401


@illegal(IN, S, arch="sm_90a", cluster=2, raises=SINGLE)
def arrive(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    s.several.arrive()  # E: SG401


@illegal(IN, S, arch="sm_90a", cluster=2, raises=SINGLE, one_thread=True)
def arrive_expect_tx(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    s.tma.arrive_expect_tx(128)  # E: SG401


@illegal(IN, S, arch="sm_90a", cluster=2, raises=SINGLE)
def collective_wait(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    s.clusters.wait()  # E: SG401


@illegal(IN, S, arch="sm_90a", cluster=2, raises=SINGLE)
def copy(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.smem, barrier=s.several)  # E: SG401


@illegal(IN, S, arch="sm_90a", cluster=2, raises=SINGLE)
def store(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    value = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    value.store_tiled_async(s.tiled, s.several, X, mgpu.c(1, mgpu.Index), 128)  # E: SG401


@illegal(IN, S, cluster=2, raises=SINGLE, one_thread=True)
def commit(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    tcgen05.commit_arrive(s.several)  # E: SG401


def wait_for(barrier: mgpu.BarrierArray, parity: Any) -> None:
    barrier.wait_parity(parity)  # E: SG401


@illegal(IN, S, arch="sm_90a", cluster=2, raises=SINGLE)
def helper(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    wait_for(s.several, mgpu.c(0, mgpu.I1))
