"""The blocks of a cluster count from 0 along each axis, and without `cluster=` there is one."""

from _twins import legal, refused
from jaxlib.mlir.dialects import arith

import safegpu as mgpu

F16 = mgpu.GMEM((64, 64), mgpu.float16)
X, Y = mgpu.Dimension.x, mgpu.Dimension.y
type Context = mgpu.LaunchContext
type Half = mgpu.GmemRef[mgpu.float16]


class S(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    full = mgpu.Barrier(128)


def peer() -> mgpu.Index:
    return 1 - mgpu.cluster_block_id(X)


@legal(F16, S, arch="sm_90a", cluster=2)
def in_a_pair(ctx: Context, o: Half, s: S) -> None:
    array = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    array.store_tiled_async(s.tile, s.full, X, mgpu.c(1, mgpu.Index), swizzle=128)
    array.store_tiled_async(s.tile, s.full, X, peer(), swizzle=128)
    array.store_tiled_async(s.tile, s.full, Y, mgpu.cluster_block_id(Y), swizzle=128)
    mgpu.get_cluster_ref(s.tile, X, mgpu.c(0, mgpu.Index))
    mgpu.get_cluster_ref(s.tile, X, mgpu.block_id(X) + 2)
    s.full.remap_to_cluster(X, peer())


@legal(F16, S, arch="sm_90a", cluster=2)
def to_itself_in_a_pair(ctx: Context, o: Half, s: S) -> None:
    array = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    array.store_tiled_async(s.tile, s.full, X, mgpu.cluster_block_id(X), swizzle=128)
    array.store_tiled_async(s.tile, s.full, X, mgpu.c(0, mgpu.Index), swizzle=128)


@refused(F16, S, arch="sm_90a")
def to_itself_without_a_cluster(ctx: Context, o: Half, s: S) -> None:
    array = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    array.store_tiled_async(s.tile, s.full, X, mgpu.c(0, mgpu.Index), swizzle=128)  # L: SG503


@legal(F16, S, arch="sm_90a")
def to_itself(ctx: Context, o: Half, s: S) -> None:
    s.full.remap_to_cluster(X, mgpu.c(0, mgpu.Index))
    mgpu.get_cluster_ref(s.tile, X, mgpu.cluster_block_id(X))
    mgpu.get_cluster_ref(s.tile, X, mgpu.grid_dim(X) - 1)


@refused(F16, S, arch="sm_90a")
def without_a_cluster(ctx: Context, o: Half, s: S) -> None:
    array = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    array.store_tiled_async(s.tile, s.full, X, peer(), swizzle=128)  # L: SG503


@legal(F16, S, arch="sm_90a", cluster=2)
def around_the_end_of_integers(ctx: Context, o: Half, s: S) -> None:
    zero = mgpu.c(1 << 16, mgpu.I32) * (1 << 16)
    mgpu.get_cluster_ref(s.tile, X, zero.to_index())


@refused(F16, S, arch="sm_90a", cluster=2)
def beyond_the_last(ctx: Context, o: Half, s: S) -> None:
    array = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    array.store_tiled_async(s.tile, s.full, X, mgpu.c(2, mgpu.Index), swizzle=128)  # L: SG503


@refused(F16, S, arch="sm_90a", cluster=2)
def along_another_axis(ctx: Context, o: Half, s: S) -> None:
    mgpu.get_cluster_ref(s.tile, Y, mgpu.c(1, mgpu.Index))  # L: SG503


@refused(F16, S, arch="sm_90a")
def barrier(ctx: Context, o: Half, s: S) -> None:
    s.full.remap_to_cluster(X, mgpu.c(1, mgpu.Index))  # L: SG503


@refused(F16, S, arch="sm_90a")
def raw_arithmetic(ctx: Context, o: Half, s: S) -> None:
    one = mgpu.c(1, mgpu.Index)
    mgpu.get_cluster_ref(s.tile, X, arith.subi(one, mgpu.cluster_block_id(X)))  # L: SG503
