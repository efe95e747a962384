"""Mistakes in a warp-specialised matmul: lines of `examples/hopper_matmul.py`, each changed in one thing."""

from typing import Any

from _twins import illegal, legal, refused

import safegpu as mgpu

X = mgpu.Dimension.x
TILES = mgpu.TileTransform((8, 64))
A, B = mgpu.GMEM((256, 256), mgpu.float16), mgpu.GMEM((256, 256), mgpu.float16)
OUT = mgpu.GMEM((256, 256), mgpu.float16)
BRAIN = mgpu.GMEM((256, 256), mgpu.bfloat16)
ONE = mgpu.GMEM((128, 64), mgpu.float16), mgpu.GMEM((64, 128), mgpu.float16), mgpu.GMEM((64, 64), mgpu.float16)
"""One tile of each."""

type Half = mgpu.GmemRef[mgpu.float16]
type Accumulator = mgpu.WGMMAAccumulator[mgpu.float32]

PERMUTED = "the tile leaves shared memory with its 16-byte pieces in another order than it came in"
REINTERPRETED = "the bits of one dtype are read as another"


class Ring(mgpu.Scratch):
    a = mgpu.SMEM((2, 128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((2, 64, 128), mgpu.float16, swizzle=128)
    brain = mgpu.SMEM((2, 64, 128), mgpu.bfloat16, swizzle=128)
    narrow = mgpu.SMEM((2, 64, 128), mgpu.float16, swizzle=64)
    out = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    bias = mgpu.SMEM((64, 128), mgpu.float32)
    filled = mgpu.Barrier(arrival_count=1, num_barriers=2)
    free = mgpu.ClusterBarrier((X,), 1, 2)


# --- the producer


@legal(A, B, OUT, Ring, arch="sm_90a", cluster=2, one_thread=True)
def produce(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    @mgpu.fori(mgpu.c(4, mgpu.Index), mgpu.c(0, mgpu.Index))
    def ring(step: mgpu.Index, slot: mgpu.Index) -> mgpu.Index:
        s.free[slot].wait()
        filled = s.filled[slot]
        filled.arrive_expect_tx(32768)
        ctx.async_copy(
            src_ref=a, dst_ref=mgpu.memref_slice(s.a, slot), gmem_slice=(mgpu.ds(0, 128), mgpu.ds(step * 64, 64)),
            gmem_transform=TILES, swizzle=128, barrier=filled, arrive=False, predicate=None,
        )  # fmt: skip
        ctx.async_copy(
            src_ref=b, dst_ref=mgpu.memref_slice(s.b, slot), gmem_slice=(mgpu.ds(step * 64, 64), mgpu.ds(0, 128)),
            gmem_transform=TILES, swizzle=128, barrier=filled, arrive=False, predicate=None, collective=X,
        )  # fmt: skip
        return slot.eq(1).select(0, slot + 1)


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="Operation is only valid for a single barrier", one_thread=True)
def announce_on_all_slots(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    s.filled.arrive_expect_tx(32768)  # E: SG401


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="Operation is only valid for a single barrier")
def complete_on_all_slots(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    slot = mgpu.memref_slice(s.a, 0)
    ctx.async_copy(src_ref=a, dst_ref=slot, gmem_transform=TILES, swizzle=128, barrier=s.filled)  # E: SG401


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="'CollectiveBarrierRef' object has no attribute")
def complete_on_the_barrier_of_the_cluster(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    slot = mgpu.memref_slice(s.a, 0)
    ctx.async_copy(src_ref=a, dst_ref=slot, gmem_transform=TILES, swizzle=128, barrier=s.free[0])  # E: SG402


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="Operation is only valid for a single barrier")
def wait_for_all_slots(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    s.free.wait()  # E: SG401


@refused(*ONE, Ring, arch="sm_90a", cluster=2, because="wgmma reads rows swizzled that lie as they came")
def copy_without_a_swizzle(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    slot = mgpu.memref_slice(s.a, 0)
    ctx.async_copy(src_ref=a, dst_ref=slot, gmem_transform=TILES, barrier=s.filled[0])  # E: SG701


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="Expected same element type, got f16 and bf16")
def fill_the_slot_of_another_dtype(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    slot = mgpu.memref_slice(s.brain, 0)
    ctx.async_copy(src_ref=b, dst_ref=slot, gmem_transform=TILES, swizzle=128, barrier=s.filled[0])  # E: SG307


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="Barriers are unsupported for SMEM -> GMEM copies")
def swap_source_and_destination(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    slot = mgpu.memref_slice(s.a, 0)
    ctx.async_copy(src_ref=slot, dst_ref=a, gmem_transform=TILES, swizzle=128, barrier=s.filled[0])  # E: SG404


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="no attribute 'arrive_expect_tx'")
def announce_on_the_barrier_of_the_cluster(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    s.free[0].arrive_expect_tx(32768)  # E: SG000


# --- the consumers


@legal(A, B, OUT, Ring, arch="sm_90a", cluster=2)
def consume(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    mine = mgpu.warpgroup_idx().to_index()

    @mgpu.fori(mgpu.c(4, mgpu.Index), (mgpu.c(0, mgpu.Index), mgpu.WGMMAAccumulator.zero(64, 128)))
    def ring(step: mgpu.Index, carry: tuple[mgpu.Index, Accumulator]) -> tuple[mgpu.Index, Accumulator]:
        slot, acc = carry
        s.filled[slot].wait()
        rows = mgpu.memref_slice(mgpu.memref_slice(s.a, slot), mgpu.ds(mine * 8, 8))
        acc = mgpu.wgmma(acc, rows, mgpu.memref_slice(s.b, slot), swizzle=128)
        mgpu.wgmma_commit_group()
        mgpu.wgmma_wait_group(1)
        s.free[slot.eq(0).select(1, slot - 1)].arrive(predicate=step > 0)
        return slot.eq(1).select(0, slot + 1), acc

    mgpu.wgmma_wait_group(0)
    tile = ring.results[1].value.astype(mgpu.float16)
    for column in (0, 64):
        ctx.await_async_copy(0, await_read_only=True)
        tile[:, column : column + 64].store_tiled(s.out, swizzle=128)
        mgpu.commit_shared()
        ctx.async_copy(
            src_ref=s.out, dst_ref=out, gmem_slice=(mgpu.ds(mine * 64, 64), mgpu.ds(column, 64)),
            gmem_transform=TILES, swizzle=128,
        )  # fmt: skip


def operands(s: Ring) -> tuple[mgpu.SmemRef[mgpu.float16, Any], mgpu.SmemRef[mgpu.float16, Any]]:
    return mgpu.memref_slice(s.a, (0, slice(0, 8))), mgpu.memref_slice(s.b, 0)


def product(s: Ring) -> mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.WGMMA]:
    acc = mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 128), *operands(s), swizzle=128)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    return acc.value


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="Operation is only valid for a single barrier")
def wait_for_every_slot(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    s.filled.wait()  # E: SG401


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="Can only arrive on a single barrier")
def free_every_slot(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    s.free.arrive()  # E: SG401


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="Tiling should be (8, swizzle_elems)")
def multiply_with_the_swizzle_of_another_buffer(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    rows = mgpu.memref_slice(s.a, (0, slice(0, 8)))
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 128), rows, mgpu.memref_slice(s.narrow, 0), swizzle=128)  # E: SG701


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="requires A and B to have the same element type")
def multiply_two_dtypes(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    rows = mgpu.memref_slice(s.a, (0, slice(0, 8)))
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 128), rows, mgpu.memref_slice(s.brain, 0), swizzle=128)  # E: SG303


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="only supports accumulators of type f32")
def accumulate_in_half(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    rows = mgpu.memref_slice(s.brain, (0, slice(None), slice(0, 1)))
    acc = mgpu.WGMMAAccumulator.zero(64, 128, mgpu.float16)
    mgpu.wgmma(acc, rows, mgpu.memref_slice(s.brain, 0), swizzle=128)  # E: SG303


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="Expected a 4D memref")
def multiply_out_of_global_memory(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 128), a, mgpu.memref_slice(s.b, 0), swizzle=128)  # E: SG109


# --- the epilogue


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="Can't bitcast vector<2xf32>")
def store_the_accumulator_as_it_is(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    product(s)[:, 0:64].store_tiled(s.out, swizzle=128)  # E: SG302


@refused(*ONE, Ring, arch="sm_90a", cluster=2, because=REINTERPRETED)
def store_brain_floats(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    product(s)[:, 0:64].astype(mgpu.bfloat16).store_tiled(s.out, swizzle=128)  # E: SG302


@refused(*ONE, Ring, arch="sm_90a", cluster=2, because=PERMUTED)
def store_with_another_swizzle(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    product(s)[:, 0:64].astype(mgpu.float16).store_tiled(s.out, swizzle=64)  # E: SG701


@refused(*ONE, Ring, arch="sm_90a", cluster=2, because=PERMUTED)
def copy_out_without_the_swizzle(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    ctx.async_copy(src_ref=s.out, dst_ref=out, gmem_transform=TILES)  # E: SG701


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="Incompatible FragmentedArray layouts")
def add_a_bias_in_another_layout(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    product(s) + mgpu.FragmentedArray.load_strided(s.bias)  # E: SG207


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="Cannot convert from TiledLayout")
def convert_for_the_other_tensor_core(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    product(s).to_layout(mgpu.TCGEN05_LAYOUT)  # E: SG209


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="WGStridedFragLayout")
def store_a_bias_into_tiles(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    bias = mgpu.FragmentedArray.load_strided(s.bias).astype(mgpu.float16)
    bias.store_tiled(mgpu.memref_slice(s.b, 0), swizzle=128)  # E: SG205


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="Only GMEM -> SMEM copies can be collective")
def multicast_the_result(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    ctx.async_copy(src_ref=s.out, dst_ref=out, gmem_transform=TILES, swizzle=128, collective=X)  # E: SG404


@illegal(*ONE, Ring, arch="sm_90a", cluster=2, raises="'FragmentedArray' object has no attribute 'type'")
def copy_registers_out(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    tile = product(s)[:, 0:64].astype(mgpu.float16)
    ctx.async_copy(src_ref=tile, dst_ref=out, gmem_transform=TILES, swizzle=128)  # E: SG000


def copy_out(ctx: mgpu.LaunchContext, a: Half, b: Half, out: Half, s: Ring) -> None:
    window = (mgpu.ds(0, 64), mgpu.ds(0, 64))
    ctx.async_copy(src_ref=s.out, dst_ref=out, gmem_slice=window, gmem_transform=TILES, swizzle=128)


@legal()
def declare_the_output() -> None:
    mgpu.as_gpu_kernel(copy_out, (2, 1, 1), (128, 1, 1), (A, B), OUT, Ring, cluster=(2, 1, 1))


@illegal(raises="Expected same element type, got f16 and bf16")
def declare_an_output_of_another_dtype() -> None:
    mgpu.as_gpu_kernel(copy_out, (2, 1, 1), (128, 1, 1), (A, B), BRAIN, Ring, cluster=(2, 1, 1))  # E: SG802
