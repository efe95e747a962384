"""A kernel's inputs are JAX's, and stay what they are; what it writes are outputs, or updated in place."""

from typing import Any

from _twins import legal, refused

import safegpu as mgpu

TILE = mgpu.GMEM((64, 64), mgpu.float16)
WHOLE = mgpu.GMEM((64, 64), mgpu.int32)
HALF = mgpu.GmemRef[mgpu.float16]
INTS = mgpu.GmemRef[mgpu.int32]
TILED = mgpu.TileTransform((8, 64))


class S(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    barrier = mgpu.Barrier(1)


def halves() -> mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float16), (64, 64), mgpu.WGMMA_LAYOUT)


def ones() -> mgpu.FragmentedArray[mgpu.int32, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.splat(mgpu.c(1, mgpu.int32), (64, 64), mgpu.WGMMA_LAYOUT, is_signed=True)


@legal(TILE, TILE, S, arch="sm_90a")
def output(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.tile, swizzle=128, gmem_transform=TILED, barrier=s.barrier)
    s.barrier.wait()
    ctx.async_copy(src_ref=s.tile, dst_ref=o, swizzle=128, gmem_transform=TILED)
    halves().store_untiled(mgpu.memref_slice(o, slice(64)), optimized=False)


@legal(WHOLE, WHOLE, (), arch="sm_90a")
def counted(ctx: mgpu.LaunchContext, x: INTS, o: INTS, s: tuple[()]) -> None:
    ones().store_untiled(o, optimized=False, atomic="add")


def update(ctx: mgpu.LaunchContext, x: HALF, s: S) -> None:
    halves().store_untiled(x, optimized=False)
    ctx.async_copy(src_ref=s.tile, dst_ref=x, swizzle=128, gmem_transform=TILED)


@legal(arch="sm_90a")
def in_place() -> None:
    mgpu.as_gpu_kernel(update, (1, 1, 1), (128, 1, 1), (), (), S, inout_shape=(TILE,))


@legal(TILE, TILE, S, arch="sm_90a", peers=2)
def of_a_peer(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    # a peer's buffer under the same name may be what that peer has as an output, and the sender knows
    peer = 1 - ctx.device_id()
    halves().store_untiled(ctx.to_remote(x, peer), optimized=False)
    ctx.async_copy(src_ref=s.tile, dst_ref=x, swizzle=128, gmem_transform=TILED, gmem_peer_id=peer)


@legal(TILE, TILE, (), arch="sm_90a")
def carried(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: tuple[()]) -> None:
    # the second round, and every one after it, writes to the output: what is carried is not looked at
    @mgpu.fori(mgpu.c(2, mgpu.Index), (x, o))
    def _(i: mgpu.Index, both: tuple[HALF, HALF]) -> tuple[HALF, HALF]:
        halves().store_untiled(both[0], optimized=False)
        return both[1], both[1]


@refused(TILE, TILE, S, arch="sm_90a")
def copy(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    ctx.async_copy(src_ref=s.tile, dst_ref=x, swizzle=128, gmem_transform=TILED)  # L: SG110


@refused(TILE, TILE, S, arch="sm_90a")
def tiled_copy(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    mgpu.copy_tiled(s.tile, x, 128)  # L: SG110


@refused(TILE, TILE, S, arch="sm_90a")
def store(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    halves().store_untiled(x, optimized=False)  # L: SG110


@refused(TILE, TILE, S, arch="sm_90a")
def store_to_a_view(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    halves().store_untiled(mgpu.memref_slice(mgpu.memref_unsqueeze(x, 0), 0), optimized=False)  # L: SG110


@refused(TILE, TILE, S, arch="sm_90a")
def store_strided(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    mgpu.FragmentedArray.load_strided(o).store_untiled(x)  # L: SG110


@refused(TILE, TILE, S, arch="sm_90a")
def store_in_tiles(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: S) -> None:
    tiled = mgpu.memref_unfold(mgpu.memref_unsqueeze(x, 0), 1, (1, 64))
    tiles = mgpu.memref_transpose(mgpu.memref_unfold(mgpu.memref_slice(tiled, (0, 0)), 0, (8, 8)), (0, 1, 2))
    halves().store_tiled(mgpu.memref_unsqueeze(tiles, 1), 16, optimized=False)  # L: SG110


@refused(WHOLE, WHOLE, (), arch="sm_90a")
def atomic(ctx: mgpu.LaunchContext, x: INTS, o: INTS, s: tuple[()]) -> None:
    ones().store_untiled(x, optimized=False, atomic="add")  # L: SG110


@refused(TILE, TILE, (), arch="sm_90a")
def wrapped(ctx: mgpu.LaunchContext, x: Any, o: HALF, s: tuple[()]) -> None:
    halves().store_untiled(mgpu.GmemRef.wrap(x, mgpu.float16), optimized=False)  # L: SG110


@refused(TILE, TILE, (), arch="sm_90a")
def of_this_device(ctx: mgpu.LaunchContext, x: HALF, o: HALF, s: tuple[()]) -> None:
    @mgpu.fori(mgpu.c(2, mgpu.Index), ())
    def _(i: mgpu.Index, carried: tuple[()]) -> tuple[()]:
        halves().store_untiled(x, optimized=False)  # L: SG110
        return ()
