"""Every register layout: named, built by hand, derived, and on a splat. Nothing here may be rejected."""

from typing import Any

from _twins import legal

import safegpu as mgpu
from safegpu import fragmented_array as fa
from safegpu import layouts as ll
from safegpu import tcgen05

OUT = mgpu.GMEM((128, 128), mgpu.float32)


def zeros[L](shape: tuple[int, ...], layout: mgpu.FragmentedLayout[L]) -> mgpu.FragmentedArray[mgpu.float32, L]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), shape, layout)


@legal(OUT, ())
def splat_with_every_layout(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    zero = mgpu.c(0.0, mgpu.float32)
    shape = (128, 128)
    splat = mgpu.FragmentedArray.splat
    a1: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA] = splat(zero, shape, mgpu.WGMMA_LAYOUT)
    a2: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_8BIT] = splat(zero, shape, mgpu.WGMMA_LAYOUT_8BIT)
    a3: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_UPCAST_2X] = splat(zero, shape, mgpu.WGMMA_LAYOUT_UPCAST_2X)
    a4: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_UPCAST_4X] = splat(zero, shape, mgpu.WGMMA_LAYOUT_UPCAST_4X)
    a5: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_TRANSPOSED] = splat(zero, shape, mgpu.WGMMA_TRANSPOSED_LAYOUT)
    a6: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_ACC_32BIT] = splat(zero, shape, fa.WGMMA_LAYOUT_ACC_32BIT)
    a7: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05] = splat(zero, shape, layout=mgpu.TCGEN05_LAYOUT)
    a8: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05] = splat(zero, shape, layout=tcgen05.LAYOUT)
    a9: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05_TRANSPOSED] = splat(zero, shape, tcgen05.TRANSPOSED_LAYOUT)
    b1: mgpu.FragmentedArray[mgpu.float32, ll.TMEM_NATIVE] = splat(zero, shape, tcgen05.TMEM_NATIVE_LAYOUT)
    b2: mgpu.FragmentedArray[mgpu.float32, ll.TMEM_NATIVE_16] = splat(zero, shape, fa.tmem_native_layout(16))
    b3: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_ROW] = splat(zero, (128,), mgpu.WGMMA_ROW_LAYOUT)
    b4: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_COL] = splat(zero, (128,), mgpu.WGMMA_COL_LAYOUT)
    b5: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_COL] = splat(zero, (128,), mgpu.TCGEN05_COL_LAYOUT)
    b6: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05_ROW] = splat(zero, (128,), mgpu.TCGEN05_ROW_LAYOUT)
    b7: mgpu.FragmentedArray[mgpu.float32, ll.Splat] = splat(zero, shape)
    b8: mgpu.FragmentedArray[mgpu.float32, ll.Splat] = splat(zero, shape, mgpu.WGSplatFragLayout(shape))
    b9: mgpu.FragmentedArray[mgpu.float32, ll.Strided] = splat(zero, shape, mgpu.WGStridedFragLayout(shape, 4))
    for each in (a1, a7, b1, b9):
        each.store_untiled(o, optimized=False)
    (b7 + a1).store_untiled(o, optimized=False)
    b7.store_untiled(o)
    ll.from_layout_attr(ll.to_layout_attr(mgpu.WGMMA_LAYOUT))


@legal(OUT, ())
def as_fragmented_array_of_unknown_layout(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    a: mgpu.FragmentedArray[mgpu.float32] = zeros((128, 128), mgpu.WGMMA_LAYOUT)
    b: mgpu.FragmentedArray = zeros((128, 128), mgpu.WGMMA_LAYOUT)
    c: mgpu.FragmentedArray[mgpu.float32, Any] = a + b
    c.store_untiled(o, optimized=False)
    (a * zeros((128, 128), mgpu.WGMMA_LAYOUT)).store_untiled(o, optimized=False)
    (zeros((128, 128), mgpu.WGMMA_LAYOUT) - b).store_untiled(o, optimized=False)
    pair: tuple[mgpu.FragmentedArray, mgpu.FragmentedArray] = (a, b)
    everything: list[mgpu.FragmentedArray[mgpu.float32]] = [a, b, c]
    for each in (*pair, *everything):
        each.store_untiled(o, optimized=False)


@legal(OUT, ())
def layouts_built_by_hand(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    layout = mgpu.TiledLayout(fa.Tiling(((64, 8), (16, 8), (8, 8), (2,))), (-7,), (-3, -2), -1)
    by_keyword = mgpu.TiledLayout(
        tiling=fa.Tiling(((64, 8), (16, 8), (8, 8), (2,))), warp_dims=(-7,), lane_dims=(-3, -2), vector_dim=-1
    )
    replicated = mgpu.TiledLayout(fa.Tiling(((16,), (8,))), (fa.Replicated(4),), (fa.Replicated(4), -1), -2)
    value = mgpu.FragmentedArray.load_untiled(o, layout=layout, optimized=False)
    (value + zeros((128, 128), mgpu.WGMMA_LAYOUT)).store_untiled(o, optimized=False)
    (value + zeros((128, 128), by_keyword)).store_untiled(o, optimized=False)
    value.to_layout(mgpu.WGMMA_LAYOUT)
    assert layout == mgpu.WGMMA_LAYOUT
    assert value.layout == layout != mgpu.TCGEN05_LAYOUT
    assert isinstance(value.layout, mgpu.TiledLayout)


@legal(OUT, ())
def layouts_in_variables(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    for layout in (mgpu.WGMMA_LAYOUT, mgpu.TCGEN05_LAYOUT):
        value = mgpu.FragmentedArray.load_untiled(o, layout=layout, optimized=False)
        value.store_untiled(o, optimized=False)
    named: dict[str, mgpu.TiledLayout] = {"wgmma": mgpu.WGMMA_LAYOUT, "native": mgpu.TMEM_NATIVE_LAYOUT}
    for name, each in named.items():
        array = mgpu.FragmentedArray.load_untiled(o, layout=each, optimized=False)
        (array + array).store_untiled(o, optimized=False)
    any_layout: mgpu.FragmentedLayout = mgpu.WGMMA_LAYOUT
    zeros((128, 128), any_layout).store_untiled(o, optimized=False)
    picked = mgpu.WGMMA_LAYOUT if ctx.cluster_size else mgpu.TCGEN05_LAYOUT
    mgpu.FragmentedArray.load_untiled(o, layout=picked, optimized=False).store_untiled(o, optimized=False)
    optional: mgpu.FragmentedLayout | None = None
    strided = mgpu.WGStridedFragLayout.from_shaped_type(o.type)
    assert strided is not None
    zeros((128, 128), strided).store_untiled(o)


def spread(row: mgpu.FragmentedArray[mgpu.float32]) -> mgpu.FragmentedArray[mgpu.float32]:
    return row.broadcast_minor(128)


def peak(tile: mgpu.FragmentedArray[mgpu.float32]) -> mgpu.FragmentedArray[mgpu.float32]:
    return tile.reduce("max", axis=1)


@legal(OUT, ())
def rows(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    wgmma = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    tcgen05 = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.TCGEN05_LAYOUT, optimized=False)
    wgmma_row: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_ROW] = wgmma.reduce("add", axis=1)
    tcgen05_row: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05_ROW] = tcgen05.reduce("max", (1,))
    wgmma - wgmma_row.broadcast_minor(128) - spread(wgmma_row)
    tcgen05 - tcgen05_row.broadcast_minor(128) - spread(tcgen05_row)
    tcgen05_row.max(peak(tcgen05))
    native = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.TMEM_NATIVE_LAYOUT, optimized=False)
    native.reduce("max", axis=1) - peak(native)
    # of three axes, the layout is that of the last two
    stack = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (2, 64, 64), mgpu.WGMMA_LAYOUT)
    stack.reduce("add", axis=0) + stack.reduce("add", axis=0)
    stack.reduce("add", axis=2)


@legal(OUT, ())
def conversions(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    value = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    a: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_TRANSPOSED] = value.to_layout(mgpu.WGMMA_TRANSPOSED_LAYOUT)
    row: mgpu.FragmentedArray[mgpu.float32, Any] = value.reduce("add", 1)
    column = value.reduce("max", axis=0, scratch=None) if ctx.num_peers > 10**6 else row
    row.broadcast_in_dim((128, 128), (0,), mgpu.WGMMA_LAYOUT).store_untiled(o, optimized=False)
    wide = row.to_layout(mgpu.WGMMA_ROW_LAYOUT).broadcast_minor(128)
    (wide * value).store_untiled(o, optimized=False)
    halves = value.astype(mgpu.float16).astype(mgpu.float32)
    halves.store_untiled(o, optimized=False)
    bits: mgpu.FragmentedArray[mgpu.uint32, ll.WGMMA] = value.bitcast(mgpu.uint32, output_is_signed=False)
    (bits ^ 1).bitcast(mgpu.float32).store_untiled(o, optimized=False)
    mgpu.optimization_barrier(value).store_untiled(o, optimized=False)
    first, second = mgpu.optimization_barrier(value, halves)
    (first + second).store_untiled(o, optimized=False)
    part: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA] = value[:64, 0:64]
    joined: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA] = mgpu.concatenate([part, part], axis=1)
    value.copy()[64:, :].store_untiled(mgpu.memref_slice(o, mgpu.ds(0, 64)), optimized=False)


@legal(OUT, ())
def strided(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    value = mgpu.FragmentedArray.load_strided(o, vec_size=2)
    again = mgpu.FragmentedArray.load_strided(o)
    value.reshape((64, 256)).reshape((128, 128)).store_untiled(o)
    (again + 1).store_untiled(o, optimized=True)
    iota = mgpu.FragmentedArray.broadcasted_iota(mgpu.int32, (128, 128), 1, again.layout)
    iota.astype(mgpu.float32).store_untiled(o)
    (iota < 64).select(again, again * 2).store_untiled(o)
    built = mgpu.FragmentedArray.build((128, 128), again.layout, lambda i, j: mgpu.c(1.0, mgpu.float32))
    (built + again).store_untiled(o)
    again.foreach(lambda x, index: None)
    squared = again.foreach(lambda x, index: x, create_array=True)
    (squared * again).store_untiled(o)


class Reductions(mgpu.Scratch):
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    parts = mgpu.SMEM((1024,), mgpu.float32)


class Collective(mgpu.Scratch):
    acc = mgpu.TMEM((64, 64), mgpu.float32, collective=True)
    parts = mgpu.SMEM((1024,), mgpu.float32)


@legal(OUT, Reductions)
def rows_and_columns(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Reductions) -> None:
    wgmma, tcgen05_array = zeros((128, 64), mgpu.WGMMA_LAYOUT), s.acc.load()
    row: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_ROW] = wgmma.reduce("max", 1)
    same: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_ROW] = wgmma.reduce("add", axis=(1,), acc_ilp=4)
    of_others: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_ROW] = zeros((128, 64), mgpu.WGMMA_LAYOUT_8BIT).reduce(
        "min", 1
    )
    normal = (wgmma - row.broadcast_minor(64)) * (same + of_others).broadcast_in_dim((128, 64), (0,), mgpu.WGMMA_LAYOUT)
    blackwell: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05_ROW] = tcgen05_array.reduce("add", 1)
    tcgen05_array / blackwell.broadcast_minor(64)
    column: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_COL] = wgmma.reduce("add", 0, s.parts)
    column + tcgen05_array.reduce("add", (0,), scratch=s.parts)
    normal + column.broadcast_in_dim((128, 64), (1,), mgpu.WGMMA_LAYOUT)
    native = s.acc.load(mgpu.TMEM_NATIVE_LAYOUT).reduce("max", 1)
    native + zeros((128, 64), mgpu.tmem_native_layout(4)).reduce("max", 1)


@legal(OUT, Collective, cluster=2)
def rows_of_a_collective_accumulator(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Collective) -> None:
    layout = tcgen05.fa_m64_collective_layout(64)
    row: mgpu.FragmentedArray[mgpu.float32, ll.M64_COLLECTIVE_ROW] = s.acc.load().reduce("prod", 1, s.parts)
    row.broadcast_in_dim((64, 64), (0,), layout) * s.acc.load()
    row + zeros((64,), layout.reduce((1,)))


@legal(OUT, Reductions)
def whole_arrays(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Reductions) -> None:
    wgmma = zeros((128, 64), mgpu.WGMMA_LAYOUT)
    total: mgpu.FragmentedArray[mgpu.float32, ll.Splat] = wgmma.reduce("add", (0, 1), s.parts)
    again: mgpu.FragmentedArray[mgpu.float32, ll.Splat] = wgmma.reduce("add", 1).reduce("add", 0, s.parts)
    strided = mgpu.FragmentedArray.load_strided(o).reduce("add", (0, 1), s.parts)
    splat = mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float32), (128, 64)).reduce("add", 1)
    wgmma * total + again - strided.broadcast((128, 64))
    wgmma.reduce("max", 1) + splat
    wgmma.reduce("add", [0, 1], s.parts) + wgmma


def of_any_axis[L](
    array: mgpu.FragmentedArray[mgpu.float32, L], axis: int, parts: mgpu.SmemRef[mgpu.float32]
) -> mgpu.FragmentedArray[mgpu.float32]:
    return array.reduce("add", axis, parts)


@legal(OUT, Reductions)
def reductions_that_are_not_known(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Reductions) -> None:
    wgmma = zeros((128, 64), mgpu.WGMMA_LAYOUT)
    for axis in (0, 1):
        of_any_axis(wgmma, axis, s.parts)
    of_any_axis(wgmma, 1, s.parts) + wgmma.reduce("max", 1)
    unknown: Any = wgmma
    unknown.reduce("add", 1) + wgmma.reduce("add", 1)
    half_known: mgpu.FragmentedArray[mgpu.float32] = wgmma
    half_known.reduce("add", 1) + wgmma.reduce("add", 1)
    transposed = zeros((128, 64), mgpu.TCGEN05_TRANSPOSED_LAYOUT)
    transposed.reduce("add", 1) + zeros((128,), mgpu.TCGEN05_TRANSPOSED_LAYOUT.reduce((1,)))
    # an array with more axes than its layout has: what is left is the author's word, and checked
    stack = zeros((2, 128, 64), mgpu.WGMMA_LAYOUT)
    column = mgpu.FragmentedArray.wrap(stack.reduce("add", 1, s.parts), mgpu.float32, mgpu.WGMMA_COL_LAYOUT)
    column + zeros((2, 64), mgpu.WGMMA_COL_LAYOUT)


@legal(OUT, Reductions)
def online_maximum(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Reductions) -> None:
    highest = mgpu.FragmentedArray.splat(mgpu.c(float("-inf"), mgpu.float32), (128,), mgpu.WGMMA_ROW_LAYOUT)

    @mgpu.fori(mgpu.c(4, mgpu.Index), (highest, zeros((128, 64), mgpu.WGMMA_LAYOUT)))
    def loop(
        i: mgpu.Index,
        carry: tuple[mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_ROW], mgpu.FragmentedArray[mgpu.float32, ll.WGMMA]],
    ) -> tuple[mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_ROW], mgpu.FragmentedArray[mgpu.float32, ll.WGMMA]]:
        high, acc = carry
        new = high.max(acc.reduce("max", 1))
        return new, acc * (high - new).exp2().broadcast_minor(64)

    high, acc = loop.results
    (acc / high.broadcast_minor(64))[0:64].store_untiled(
        mgpu.memref_slice(o, (mgpu.ds(0, 64), mgpu.ds(0, 64))), optimized=False
    )
