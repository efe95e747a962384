"""A product of `wgmma` and its operands are the tensor core's until it has been waited for."""

from typing import Any

from _twins import legal, refused

import safegpu as mgpu

X = mgpu.Dimension.x
IN = mgpu.GMEM((64, 64), mgpu.float16)
OUT = mgpu.GMEM((64, 64), mgpu.float32)


class Tiles(mgpu.Scratch[mgpu.sm_90a]):
    """The operands of products."""

    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    ring = mgpu.SMEM((2, 64, 64), mgpu.float16, swizzle=128)
    arrived = mgpu.Barrier(1)


def start(s: Tiles) -> mgpu.WGMMAAccumulator[mgpu.float32]:
    return mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.a, s.b, swizzle=128)


def loaded(x: mgpu.GmemRef[mgpu.float16]) -> mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)


# --- the result


@legal(IN, OUT, Tiles, arch=None)
def waited_for(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    acc = start(s)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(o, optimized=False)


@refused(IN, OUT, Tiles, arch=None)
def not_waited_for(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    acc = start(s)
    mgpu.wgmma_commit_group()
    acc.value.store_untiled(o, optimized=False)  # L: SG904


@refused(IN, OUT, Tiles, arch=None)
def never_committed(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    acc = start(s)
    mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(o, optimized=False)  # L: SG904


@refused(IN, OUT, Tiles, arch=None)
def computed_of_it(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    acc = start(s)
    mgpu.wgmma_commit_group()
    double = acc.value * 2.0
    double[:, :32].store_untiled(mgpu.memref_slice(o, (slice(None), mgpu.ds(0, 32))), optimized=False)  # L: SG904


@legal(IN, OUT, Tiles, arch=None)
def named_before_the_wait(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    """`value` reads nothing by itself."""
    acc = start(s)
    mgpu.wgmma_commit_group()
    value = acc.value
    mgpu.wgmma_wait_group(0)
    value.store_untiled(o, optimized=False)


@legal(IN, OUT, Tiles, arch=None)
def the_first_of_two(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    first = start(s)
    mgpu.wgmma_commit_group()
    second = start(s)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(1)
    first.value.store_untiled(o, optimized=False)
    mgpu.wgmma_wait_group(0)
    second.value.store_untiled(o, optimized=False)


@refused(IN, OUT, Tiles, arch=None)
def the_second_of_two(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    start(s)
    mgpu.wgmma_commit_group()
    second = start(s)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(1)
    second.value.store_untiled(o, optimized=False)  # L: SG904


@legal(IN, OUT, Tiles, arch=None)
def loop(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    @mgpu.fori(mgpu.c(4, mgpu.Index), mgpu.WGMMAAccumulator.zero(64, 64))
    def steps(_: mgpu.Index, acc: mgpu.WGMMAAccumulator[mgpu.float32]) -> mgpu.WGMMAAccumulator[mgpu.float32]:
        acc = mgpu.wgmma(acc, s.a, s.b, swizzle=128)
        mgpu.wgmma_commit_group()
        mgpu.wgmma_wait_group(1)
        return acc

    mgpu.wgmma_wait_group(0)
    steps.result.value.store_untiled(o, optimized=False)


@refused(IN, OUT, Tiles, arch=None)
def the_last_of_a_loop(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    @mgpu.fori(mgpu.c(4, mgpu.Index), mgpu.WGMMAAccumulator.zero(64, 64))
    def steps(_: mgpu.Index, acc: mgpu.WGMMAAccumulator[mgpu.float32]) -> mgpu.WGMMAAccumulator[mgpu.float32]:
        acc = mgpu.wgmma(acc, s.a, s.b, swizzle=128)
        mgpu.wgmma_commit_group()
        mgpu.wgmma_wait_group(1)
        return acc

    steps.result.value.store_untiled(o, optimized=False)  # L: SG904


@legal(IN, OUT, Tiles, arch=None)
def carried_to_the_next_pass(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    """Which waits for it at its beginning."""
    first = start(s)
    mgpu.wgmma_commit_group()

    @mgpu.fori(mgpu.c(4, mgpu.Index), first)
    def steps(_: mgpu.Index, acc: mgpu.WGMMAAccumulator[mgpu.float32]) -> mgpu.WGMMAAccumulator[mgpu.float32]:
        mgpu.wgmma_wait_group(0)
        acc.value.store_untiled(o, optimized=False)
        acc = start(s)
        mgpu.wgmma_commit_group()
        return acc

    mgpu.wgmma_wait_group(0)
    steps.result.value.store_untiled(o, optimized=False)


def raw_wait() -> None:
    from jaxlib.mlir.dialects import nvvm

    dialect: Any = nvvm
    dialect.wgmma_commit_group_sync_aligned()
    dialect.wgmma_wait_group_sync_aligned(0)


@legal(IN, OUT, Tiles, arch=None)
def waited_for_by_raw_code(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    acc = start(s)
    raw_wait()
    acc.value.store_untiled(o, optimized=False)


@legal(IN, OUT, Tiles, arch=None)
def waited_for_in_a_conditional(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    acc = start(s)
    mgpu.wgmma_commit_group()
    with mgpu.when(mgpu.block_id(X).eq(0)):
        mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(o, optimized=False)


@legal(IN, OUT, Tiles, arch=None)
def of_the_accumulator_before(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    zero = mgpu.WGMMAAccumulator.zero(64, 64)
    zero.value.store_untiled(o, optimized=False)
    acc = mgpu.wgmma(zero, s.a, s.b, swizzle=128)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(o, optimized=False)


@refused(IN, OUT, Tiles, arch=None)
def held_back_too_early(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    acc = start(s)
    mgpu.wgmma_commit_group()
    value = mgpu.optimization_barrier(acc.value)  # L: SG904
    mgpu.wgmma_wait_group(0)
    value.store_untiled(o, optimized=False)


@legal(IN, OUT, Tiles, arch=None)
def held_back(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    first, second = start(s), start(s)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    one, two = mgpu.optimization_barrier(first.value, second.value)
    (one + two).store_untiled(o, optimized=False)


# --- the operands


@legal(IN, OUT, Tiles, arch=None)
def free_again(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    acc = start(s)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    loaded(x).store_tiled(s.a, swizzle=128)
    acc.value.store_untiled(o, optimized=False)


@refused(IN, OUT, Tiles, arch=None)
def stored_over(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    acc = start(s)
    mgpu.wgmma_commit_group()
    loaded(x).store_tiled(s.a, swizzle=128)  # L: SG904
    mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(o, optimized=False)


@refused(IN, OUT, Tiles, arch=None)
def copied_over(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    acc = start(s)
    mgpu.wgmma_commit_group()
    tiles = mgpu.TileTransform((8, 64))
    ctx.async_copy(src_ref=x, dst_ref=s.b, gmem_transform=tiles, swizzle=128, barrier=s.arrived)  # L: SG904
    mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(o, optimized=False)


@refused(IN, OUT, Tiles, arch=None)
def stored_over_too_early(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    acc = start(s)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(1)
    loaded(x).store_tiled(s.a, swizzle=128)  # L: SG904
    mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(o, optimized=False)


@legal(IN, OUT, Tiles, arch=None)
def another_slot(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    zero, slot = mgpu.WGMMAAccumulator.zero(64, 64), mgpu.block_id(X) % 2
    acc = mgpu.wgmma(zero, mgpu.memref_slice(s.ring, slot), s.b, swizzle=128)
    mgpu.wgmma_commit_group()
    loaded(x).store_tiled(mgpu.memref_slice(s.ring, 1 - slot), swizzle=128)
    mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(o, optimized=False)


@legal(IN, OUT, Tiles, arch=None)
def another_warpgroup(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    with mgpu.when(mgpu.warpgroup_idx().eq(0)):
        start(s)
        mgpu.wgmma_commit_group()
    with mgpu.when(mgpu.warpgroup_idx().eq(1)):
        loaded(x).store_tiled(s.a, swizzle=128)
