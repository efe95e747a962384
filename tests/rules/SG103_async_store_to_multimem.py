"""`store_tiled_async` writes shared memory of the cluster; multimem addresses take plain stores."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu

UNSUPPORTED = "Multimem refs are not supported in store_tiled_async"
X = mgpu.Dimension.x
OUT = mgpu.GMEM((64, 64), mgpu.float16)
TILED_OUT = mgpu.GMEM((8, 1, 8, 64), mgpu.float16)


class S(mgpu.Scratch):
    smem = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    barrier = mgpu.Barrier(1)


def zeros() -> mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64), mgpu.WGMMA_LAYOUT)


def any_zeros() -> Any:
    return zeros()


@legal(OUT, S, arch="sm_90a", cluster=2)
def shared_memory(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    zeros().store_tiled_async(s.smem, s.barrier, X, mgpu.c(1, mgpu.Index), 128)


@legal(OUT, S, arch="sm_90a", peers=2)
def plain_store(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    zeros().store_untiled(ctx.to_remote_multicast(o), optimized=False)


@legal(TILED_OUT, S, arch="sm_90a", peers=2)
def plain_tiled_store(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    zeros().store_tiled(ctx.to_remote_multicast(o), 128, optimized=False)


@illegal(OUT, S, arch="sm_90a", cluster=2, peers=2, raises=UNSUPPORTED)
def multimem(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    everywhere = ctx.to_remote_multicast(o)
    zeros().store_tiled_async(everywhere, s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG103


@illegal(OUT, S, arch="sm_90a", cluster=2, peers=2, raises=UNSUPPORTED)
def multimem_by_keyword(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    to, b, i = ctx.to_remote_multicast(o), s.barrier, mgpu.c(1, mgpu.Index)
    zeros().store_tiled_async(ref=to, barrier=b, cluster_dim=X, cluster_idx=i, swizzle=128)  # E: SG103


def send(to: mgpu.MultimemRef[mgpu.float16], barrier: mgpu.BarrierRef) -> None:
    zeros().store_tiled_async(to, barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG103


def send_unknown_dtype(to: mgpu.MultimemRef, barrier: mgpu.BarrierRef) -> None:
    zeros().store_tiled_async(to, barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG103


def send_unknown_swizzle(to: mgpu.MultimemRef[mgpu.float16], barrier: mgpu.BarrierRef, swizzle: Any) -> None:
    zeros().store_tiled_async(to, barrier, X, mgpu.c(1, mgpu.Index), swizzle)  # E: SG103


@illegal(OUT, S, arch="sm_90a", cluster=2, peers=2, raises=UNSUPPORTED)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    send(ctx.to_remote_multicast(o), s.barrier)


@illegal(OUT, S, arch="sm_90a", cluster=2, peers=2, raises=UNSUPPORTED)
def helper_of_unknown_dtype(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    send_unknown_dtype(ctx.to_remote_multicast(o), s.barrier)


@illegal(OUT, S, arch="sm_90a", cluster=2, peers=2, raises=UNSUPPORTED)
def helper_of_unknown_swizzle(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    send_unknown_swizzle(ctx.to_remote_multicast(o), s.barrier, 128)
