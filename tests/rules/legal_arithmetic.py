"""Arithmetic as authors write it: numbers, splats, scalars, comparisons and masks. Nothing here may be rejected."""

import math
from typing import Any

from _twins import legal

import safegpu as mgpu
from safegpu import layouts as ll

OUT = mgpu.GMEM((64, 64), mgpu.float32)
INTS = mgpu.GMEM((64, 64), mgpu.int32)
LOG2E = math.log2(math.e)


@legal(OUT, (), arch="sm_90a")
def floats(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    x = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    y = x * LOG2E - 1 + (2 - x) / 3.0 + 1 / x
    y += 1
    y -= x
    y *= 0.5
    y /= x
    y = -y + +x
    y = abs_(y).sqrt().rsqrt(approx=True).exp().exp2().log().log2(approx=True).tanh(approx=True).sin().cos()
    y = y.erf().max(x).min(0.0).max(-1).round()
    z = (x < y) & (y <= 1) | (x > 0.5) & (x >= y)
    w = (x == y) ^ (x != 0)
    m: mgpu.FragmentedArray[mgpu.bool_, ll.WGMMA] = z & w
    m.select(x, y).store_untiled(o, optimized=False)
    zero = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), x.shape)
    m.select(x, zero).store_untiled(o, optimized=False)
    (x + zero - zero * x).max(zero).store_untiled(o, optimized=False)
    (zero + 1).to_layout(mgpu.WGMMA_LAYOUT).store_untiled(o, optimized=False)
    scalar = mgpu.c(2.0, mgpu.float32) * 2 - 1
    (x * scalar + scalar * x).store_untiled(o, optimized=False)
    total = sum_of([x, y, x])
    total.store_untiled(o, optimized=False)


def abs_[D, L](x: mgpu.FragmentedArray[D, L]) -> mgpu.FragmentedArray[D, L]:
    return x.abs()


def sum_of[L](
    arrays: list[mgpu.FragmentedArray[mgpu.float32, L]],
) -> mgpu.FragmentedArray[mgpu.float32, L]:
    total = arrays[0]
    for each in arrays[1:]:
        total = total + each
    return total


@legal(INTS, (), arch="sm_90a")
def integers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.int32], s: tuple[()]) -> None:
    x = mgpu.FragmentedArray.load_strided(o, is_signed=True)
    y = (x + 1) * 2 - x // 3 + x % 5
    y = (y & 255) | (x << 2) ^ (x >> 1)
    y = ~y
    y = y.max(x).min(7)
    u: mgpu.FragmentedArray[mgpu.uint32, ll.Strided] = x.astype(mgpu.uint32)
    back: mgpu.FragmentedArray[mgpu.int32, ll.Strided] = u.astype(mgpu.int32)
    mask = (x < 3) | (x >= 5) & (y == 0)
    mask.select(x, back + y).store_untiled(o)
    iota: mgpu.FragmentedArray[mgpu.int32, ll.Strided] = mgpu.FragmentedArray.broadcasted_iota(
        mgpu.int32, (64, 64), 0, x.layout, is_signed=True
    )
    causal = iota >= mgpu.FragmentedArray.broadcasted_iota(mgpu.int32, (64, 64), 1, x.layout)
    causal.select(x, mgpu.FragmentedArray.splat(mgpu.c(0, mgpu.int32), (64, 64), is_signed=True)).store_untiled(o)
    thread = mgpu.FragmentedArray.splat(mgpu.thread_idx(), (64, 64), is_signed=True)
    (x + thread).store_untiled(o)


@legal(INTS, (), arch="sm_90a")
def scalars(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.int32], s: tuple[()]) -> None:
    block = mgpu.block_id(mgpu.Dimension.x)
    row: mgpu.Index = block * 64 + 3 - block // 2
    row = (row % 64) + mgpu.grid_dim(mgpu.Dimension.x) - 1
    lane: mgpu.I32 = mgpu.thread_idx() % 32
    first: mgpu.I1 = lane.eq(0) & (mgpu.warp_idx() < 4) | ~mgpu.warpgroup_idx().ne(0)
    with mgpu.when(first):
        mgpu.debug_print("{}", row)
    with mgpu.when((row < 3) & (lane.to_index() >= 0)):
        pass
    mgpu.memref_slice(o, (mgpu.ds(row * 1, 1), slice(None)))
    mgpu.memref_slice(o, row)
    mgpu.memref_slice(o, (row, 3))
    with mgpu.single_thread():
        mgpu.nanosleep(mgpu.c(100, mgpu.I32))
    if isinstance(row, mgpu.Index):
        values: dict[mgpu.Index, int] = {row: 1}


def as_sum(x: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA], y: Any) -> Any:
    z: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA] = x + y
    w: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA] = x.max(y)
    return y + x + z * y + w
