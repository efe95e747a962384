"""`examples/all_gather.py`: its statements for one tile, and what none of them may become."""

from _twins import illegal, legal, refused

import safegpu as mgpu

X = mgpu.Dimension.x
ROWS = mgpu.GMEM((64, 128), mgpu.bfloat16)
HALVES = mgpu.GMEM((128, 128), mgpu.float16)
SEMAPHORE = mgpu.GMEM((1,), mgpu.int32)
GATHERED = mgpu.GMEM((128, 128), mgpu.bfloat16)


class S(mgpu.Scratch):
    tiles = mgpu.SMEM((2, 64, 128), mgpu.bfloat16, swizzle=16)
    swizzled = mgpu.SMEM((64, 64), mgpu.bfloat16, swizzle=128)
    loaded = mgpu.Barrier(arrival_count=1, num_barriers=2)


@legal(ROWS, SEMAPHORE, GATHERED, S, arch="sm_90a", peers=2)
def all_gather(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.bfloat16],
    semaphore: mgpu.GmemRef[mgpu.int32],
    o: mgpu.GmemRef[mgpu.bfloat16],
    s: S,
) -> None:
    device = ctx.device_id()
    peer = 1 - device
    tile = mgpu.memref_slice(s.tiles, 0)
    ctx.async_copy(src_ref=x, dst_ref=tile, barrier=s.loaded[0])
    s.loaded[0].wait()
    place = mgpu.ds(device.to_index() * 64, 64)
    ctx.async_copy(src_ref=tile, dst_ref=o, gmem_slice=place, gmem_peer_id=peer)
    ctx.async_copy(src_ref=tile, dst_ref=o, gmem_slice=place, gmem_peer_id=None)
    ctx.async_copy(src_ref=tile, dst_ref=o, gmem_slice=place, gmem_peer_id=1)
    ctx.await_async_copy(0)
    mgpu.SemaphoreRef(mgpu.utils.memref_ptr(ctx.to_remote(semaphore, peer))).signal(1)
    mgpu.SemaphoreRef(mgpu.utils.memref_ptr(semaphore)).wait(1)


@legal(ROWS, GATHERED, S, arch="sm_90a", peers=2)
def through_registers(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    theirs = ctx.to_remote(mgpu.memref_slice(o, slice(64)), 1 - ctx.device_id())
    mgpu.FragmentedArray.load_strided(x).store_untiled(theirs)
    tiled = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    tiled.store_untiled(theirs, optimized=False)


# --- what is not the memory of one peer


@illegal(ROWS, GATHERED, S, arch="sm_90a", peers=2, raises="")
def copy_to_multimem(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    everywhere = ctx.to_remote_multicast(o)
    ctx.async_copy(src_ref=mgpu.memref_slice(s.tiles, 0), dst_ref=everywhere, gmem_slice=slice(64))  # E: SG109


@illegal(ROWS, GATHERED, S, arch="sm_90a", peers=2, raises="")
def peer_of_multimem(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    ctx.to_remote(ctx.to_remote_multicast(o), 1 - ctx.device_id())  # E: SG109


@illegal(ROWS, GATHERED, S, arch="sm_90a", peers=2, raises="must be a Value (is not a Value)")
def part_of_multimem(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    everywhere = ctx.to_remote_multicast(o)
    mgpu.memref_slice(everywhere, slice(64))  # E: SG108


@illegal(SEMAPHORE, GATHERED, S, arch="sm_90a", peers=2, raises="must be a Value (is not a Value)")
def semaphore_of_all_peers(
    ctx: mgpu.LaunchContext, semaphore: mgpu.GmemRef[mgpu.int32], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    everywhere = ctx.to_remote_multicast(semaphore)
    mgpu.SemaphoreRef(mgpu.utils.memref_ptr(everywhere)).signal(1)  # E: SG109


@illegal(ROWS, GATHERED, S, arch="sm_90a", peers=2, raises="Can't find the kernel argument")
def shared_memory_of_a_peer(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    ctx.to_remote(s.tiles, 1 - ctx.device_id())  # E: SG109


@illegal(ROWS, GATHERED, S, arch="sm_90a", peers=2, raises="Only SMEM <-> GMEM copies supported")
def copy_from_global_memory(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=o, gmem_slice=slice(64), gmem_peer_id=1 - ctx.device_id())  # E: SG109


@illegal(ROWS, GATHERED, S, arch="sm_90a", peers=2, cluster=2, raises="Expected SMEM but got: None")
def async_store_to_a_peer(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    theirs = ctx.to_remote(o, 1 - ctx.device_id())
    tile = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    tile.store_tiled_async(theirs, s.loaded[0], X, mgpu.c(1, mgpu.Index), swizzle=128)  # E: SG104


# --- dtype, swizzle, barrier


@illegal(HALVES, GATHERED, S, arch="sm_90a", peers=2, raises="Expected same element type")
def load_of_another_dtype(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    tile = mgpu.memref_slice(s.tiles, 0)
    ctx.async_copy(src_ref=x, dst_ref=tile, gmem_slice=slice(64), barrier=s.loaded[0])  # E: SG307


@illegal(ROWS, HALVES, S, arch="sm_90a", peers=2, raises="Expected same element type")
def peer_of_another_dtype(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.float16], s: S
) -> None:
    peer, tile = 1 - ctx.device_id(), mgpu.memref_slice(s.tiles, 0)
    ctx.async_copy(src_ref=tile, dst_ref=o, gmem_slice=slice(64), gmem_peer_id=peer)  # E: SG307


@refused(ROWS, HALVES, S, arch="sm_90a", peers=2, because="the peer receives the bits of bfloat16 under float16")
def registers_of_another_dtype(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.float16], s: S
) -> None:
    theirs = ctx.to_remote(mgpu.memref_slice(o, slice(64)), 1 - ctx.device_id())
    tiled = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    tiled.store_untiled(theirs, optimized=False)  # E: SG302


@illegal(ROWS, GATHERED, S, arch="sm_90a", peers=2, raises="require the last dimension of the slice")
def swizzle_of_a_buffer_without_one(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    peer, tile = 1 - ctx.device_id(), mgpu.memref_slice(s.tiles, 0)
    ctx.async_copy(src_ref=tile, dst_ref=o, gmem_slice=slice(64), gmem_peer_id=peer, swizzle=128)  # E: SG701


@refused(ROWS, GATHERED, S, arch="sm_90a", peers=2, because="the peer receives the elements permuted")
def swizzle_left_out(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    peer, to, tiled = 1 - ctx.device_id(), (slice(64), slice(64)), mgpu.TileTransform((8, 64))
    ctx.async_copy(src_ref=s.swizzled, dst_ref=o, gmem_slice=to, gmem_transform=tiled, gmem_peer_id=peer)  # E: SG701


@illegal(ROWS, GATHERED, S, arch="sm_90a", peers=2, raises="only valid for a single barrier")
def all_barriers_of_the_ring(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=mgpu.memref_slice(s.tiles, 0), barrier=s.loaded)  # E: SG401


@illegal(ROWS, GATHERED, S, arch="sm_90a", peers=2, raises="only valid for a single barrier")
def wait_for_all_barriers(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bfloat16], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    s.loaded.wait()  # E: SG401
