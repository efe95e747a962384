"""`wgmma` and `mma` return the accumulator that has the product; the one that was given does not."""

from typing import Any

from _twins import legal, refused

import safegpu as mgpu

OUT = mgpu.GMEM((64, 64), mgpu.float32)


class Tiles(mgpu.Scratch[mgpu.sm_90a]):
    """The operands of products."""

    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)


type Accumulator = mgpu.WGMMAAccumulator[mgpu.float32]


def finish(acc: Accumulator, o: mgpu.GmemRef[mgpu.float32]) -> None:
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(o, optimized=False)


@legal(OUT, Tiles, arch=None)
def kept(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    acc = mgpu.WGMMAAccumulator.zero(64, 64)
    acc = mgpu.wgmma(acc, s.a, s.b, swizzle=128)
    acc = mgpu.wgmma(acc, s.a, s.b, swizzle=128)
    finish(acc, o)


@refused(OUT, Tiles, arch=None)
def dropped(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    acc = mgpu.WGMMAAccumulator.zero(64, 64)
    mgpu.wgmma(acc, s.a, s.b, swizzle=128)  # L: SG907
    finish(acc, o)


@refused(OUT, Tiles, arch=None)
def the_second_of_three(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    acc = mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.a, s.b, swizzle=128)
    mgpu.wgmma(acc, s.a, s.b, swizzle=128)  # L: SG907
    acc = mgpu.wgmma(acc, s.a, s.b, swizzle=128)
    finish(acc, o)


@legal(OUT, Tiles, arch=None)
def a_tile_that_nobody_needs(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    """Two tiles begin with one zero, and one of them lies outside of the result."""
    accumulators = [mgpu.WGMMAAccumulator.zero(64, 64)] * 2
    inside, _ = [mgpu.wgmma(acc, s.a, s.b, swizzle=128) for acc in accumulators]
    finish(inside, o)


@refused(OUT, Tiles, arch=None)
def in_a_loop(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    @mgpu.fori(mgpu.c(4, mgpu.Index), mgpu.WGMMAAccumulator.zero(64, 64))
    def steps(_: mgpu.Index, acc: Accumulator) -> Accumulator:
        mgpu.wgmma(acc, s.a, s.b, swizzle=128)  # L: SG907
        mgpu.wgmma_commit_group()
        mgpu.wgmma_wait_group(0)
        return acc

    steps.result.value.store_untiled(o, optimized=False)


@legal(OUT, Tiles, arch=None)
def begun_twice(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    """Two products may begin with one accumulator."""
    zero = mgpu.WGMMAAccumulator.zero(64, 64)
    one = mgpu.wgmma(zero, s.a, s.b, swizzle=128)
    two = mgpu.wgmma(zero, s.b, s.a, swizzle=128)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    (one.value + two.value).store_untiled(o, optimized=False)


@legal(OUT, Tiles, arch=None)
def measured(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    """Where nobody asks for a result, the products are made for their time."""
    acc = mgpu.WGMMAAccumulator.zero(64, 64)
    for _ in range(4):
        mgpu.wgmma(acc, s.a, s.b, swizzle=128)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)


# --- in registers


def operands() -> tuple[Any, Any, Any]:
    layouts = mgpu.MMALayouts(mgpu.float16)
    half, single = mgpu.c(1.0, mgpu.float16), mgpu.c(0.0, mgpu.float32)
    acc = mgpu.FragmentedArray.splat(single, (64, 64)).broadcast_in_dim((64, 64), (0, 1), layouts.acc)
    a = mgpu.FragmentedArray.splat(half, (64, 64)).broadcast_in_dim((64, 64), (0, 1), layouts.lhs)
    b = mgpu.FragmentedArray.splat(half, (64, 64)).broadcast_in_dim((64, 64), (0, 1), layouts.rhs)
    return acc, a, b


@legal(OUT, (), arch="sm_80")
def kept_in_registers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    acc, a, b = operands()
    acc = mgpu.mma(acc, a, b)
    acc.store_untiled(o, optimized=False)


@refused(OUT, (), arch="sm_80")
def dropped_from_registers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    acc, a, b = operands()
    mgpu.mma(acc, a, b)  # L: SG907
    acc.store_untiled(o, optimized=False)
