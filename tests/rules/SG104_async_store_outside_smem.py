"""`store_tiled_async` takes the block's own buffer and the peer's index, and finds the peer's buffer itself."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu

X = mgpu.Dimension.x
OUT = mgpu.GMEM((8, 1, 8, 64), mgpu.float16)


class S(mgpu.Scratch):
    smem = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    barrier = mgpu.Barrier(1)


def zeros() -> mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64), mgpu.WGMMA_LAYOUT)


@legal(OUT, S, arch="sm_90a", cluster=2)
def own_buffer(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    zeros().store_tiled_async(s.smem, s.barrier, X, mgpu.c(1, mgpu.Index), 128)


@legal(OUT, S, arch="sm_90a", cluster=2)
def part_of_it(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    value = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64), mgpu.WGMMA_LAYOUT)
    value.store_tiled_async(mgpu.memref_slice(s.smem, slice(0, 8)), s.barrier, X, mgpu.c(1, mgpu.Index), 128)


@legal(OUT, S, arch="sm_90a", cluster=2)
def plain_stores(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    zeros().store_tiled(o, 128, optimized=False)
    zeros().store_untiled(mgpu.memref_reshape(o, (64, 64)), optimized=False)


@illegal(OUT, S, arch="sm_90a", cluster=2, raises="Expected SMEM but got: None")
def global_memory(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    zeros().store_tiled_async(o, s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG104


@illegal(OUT, S, arch="sm_90a", cluster=2, peers=2, raises="Expected SMEM but got: None")
def global_memory_of_a_peer(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    remote = ctx.to_remote(o, mgpu.c(1, mgpu.I32))
    zeros().store_tiled_async(remote, s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG104


@illegal(OUT, S, arch="sm_90a", cluster=2, raises="Expected SMEM but got: None")
def buffer_of_the_peer(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    peers = mgpu.get_cluster_ref(s.smem, X, mgpu.c(1, mgpu.Index))
    zeros().store_tiled_async(peers, s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG104


@illegal(OUT, S, arch="sm_90a", cluster=2, raises="Expected SMEM but got: 7 : i32")
def cluster_address_of_the_peer(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    peers = mgpu.get_cluster_ref(s.smem, X, mgpu.c(1, mgpu.Index), generic=False)
    zeros().store_tiled_async(peers, s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG104


@illegal(OUT, S, arch="sm_90a", cluster=2, raises="Expected SMEM but got: None")
def view_of_global_memory(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    part = mgpu.memref_slice(o, slice(0, 8))
    zeros().store_tiled_async(part, s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG104


@illegal(OUT, S, arch="sm_90a", cluster=2, raises="Expected SMEM but got: None")
def unknown_dtype(ctx: mgpu.LaunchContext, o: mgpu.GmemRef, s: S) -> None:
    zeros().store_tiled_async(o, s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG104


def send(to: mgpu.ClusterSmemRef[mgpu.float16], barrier: mgpu.BarrierRef, swizzle: Any) -> None:
    zeros().store_tiled_async(to, barrier, X, mgpu.c(1, mgpu.Index), swizzle)  # E: SG104


@illegal(OUT, S, arch="sm_90a", cluster=2, raises="Expected SMEM but got: None")
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    send(mgpu.get_cluster_ref(s.smem, X, mgpu.c(1, mgpu.Index)), s.barrier, 128)
