"""A barrier is announced as many bytes as the copies bring that arrive at it without announcing theirs."""

from typing import Any

from _twins import legal, refused

import safegpu as mgpu

X = mgpu.Dimension.x
IN = mgpu.GMEM((64, 64), mgpu.float16)
BYTES = 64 * 64 * 2


class Scratch(mgpu.Scratch):
    """Two tiles, that arrive together."""

    a = mgpu.SMEM((64, 64), mgpu.float16)
    b = mgpu.SMEM((64, 64), mgpu.float16)
    tiled = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    ring = mgpu.SMEM((4, 64, 64), mgpu.float16)
    arrived = mgpu.Barrier(1)
    slots = mgpu.Barrier(1, num_barriers=4)


def both(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], s: Scratch) -> None:
    for tile in (s.a, s.b):
        ctx.async_copy(src_ref=x, dst_ref=tile, barrier=s.arrived, arrive=False)


@legal(IN, IN, Scratch, arch="sm_90a")
def all_of_them(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    s.arrived.arrive_expect_tx(2 * BYTES, predicate=mgpu.single_thread_predicate())
    both(ctx, x, s)
    s.arrived.wait()


@refused(IN, IN, Scratch, arch="sm_90a")
def of_one(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch) -> None:
    s.arrived.arrive_expect_tx(BYTES, predicate=mgpu.single_thread_predicate())  # L: SG408
    both(ctx, x, s)
    s.arrived.wait()


@refused(IN, IN, Scratch, arch="sm_90a")
def elements(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch) -> None:
    with mgpu.single_thread():
        s.arrived.arrive_expect_tx(64 * 64)  # L: SG408
        ctx.async_copy(src_ref=x, dst_ref=s.a, barrier=s.arrived, arrive=False, predicate=None)
    s.arrived.wait()


@refused(IN, IN, Scratch, arch="sm_90a")
def twice(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch) -> None:
    """A copy that arrives announces its bytes itself."""
    with mgpu.single_thread():
        s.slots[1].arrive_expect_tx(BYTES)  # L: SG408
        ctx.async_copy(src_ref=x, dst_ref=s.a, barrier=s.slots[1], predicate=None)
    s.slots[1].wait()


@refused(IN, IN, Scratch, arch="sm_90a")
def ring(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch) -> None:
    with mgpu.when(mgpu.warp_idx().eq(0)), mgpu.single_thread(mgpu.ThreadSubset.WARP):

        @mgpu.fori(mgpu.c(4, mgpu.Index), None)
        def _(slot: mgpu.Index, _: None) -> None:
            filled = s.slots[slot]
            filled.arrive_expect_tx(4 * BYTES)  # L: SG408
            tile = mgpu.memref_slice(s.ring, slot)
            ctx.async_copy(src_ref=x, dst_ref=tile, barrier=filled, arrive=False, predicate=None)


@legal(IN, IN, Scratch, arch="sm_90a")
def ring_of_one_each(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    with mgpu.when(mgpu.warp_idx().eq(0)), mgpu.single_thread(mgpu.ThreadSubset.WARP):

        @mgpu.fori(mgpu.c(4, mgpu.Index), None)
        def _(slot: mgpu.Index, _: None) -> None:
            filled = s.slots[slot]
            filled.arrive_expect_tx(BYTES)
            tile = mgpu.memref_slice(s.ring, slot)
            ctx.async_copy(src_ref=x, dst_ref=tile, barrier=filled, arrive=False, predicate=None)


@legal(IN, IN, Scratch, arch="sm_90a")
def some_in_a_conditional(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    s.arrived.arrive_expect_tx(2 * BYTES, predicate=mgpu.single_thread_predicate())
    ctx.async_copy(src_ref=x, dst_ref=s.a, barrier=s.arrived, arrive=False)
    with mgpu.when(mgpu.block_id(X).eq(0)):
        ctx.async_copy(src_ref=x, dst_ref=s.b, barrier=s.arrived, arrive=False)


@legal(IN, IN, Scratch, arch="sm_90a", cluster=2)
def some_from_another_block(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    s.arrived.arrive_expect_tx(2 * BYTES, predicate=mgpu.single_thread_predicate())
    ctx.async_copy(src_ref=x, dst_ref=s.a, barrier=s.arrived, arrive=False)
    tile = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    tile.store_tiled_async(s.tiled, s.arrived, X, 1 - mgpu.cluster_block_id(X), swizzle=128)


@legal(IN, IN, Scratch, arch="sm_90a")
def an_unknown_number(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    count: Any = mgpu.block_id(X) * BYTES
    s.arrived.arrive_expect_tx(count, predicate=mgpu.single_thread_predicate())
    both(ctx, x, s)


@legal(IN, IN, Scratch, arch="sm_90a")
def only_sometimes(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Scratch
) -> None:
    with mgpu.single_thread():
        s.arrived.arrive_expect_tx(BYTES)
        first = mgpu.block_id(X).eq(0)
        ctx.async_copy(src_ref=x, dst_ref=s.a, barrier=s.arrived, arrive=False, predicate=first)
        ctx.async_copy(src_ref=x, dst_ref=s.a, barrier=s.arrived, arrive=False, predicate=mgpu.block_id(X).ne(0))
