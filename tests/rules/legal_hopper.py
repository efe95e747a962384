"""Hopper and scratch as authors write them. Nothing here may be rejected."""

from typing import Any, ClassVar

from _twins import legal

import safegpu as mgpu
from safegpu import layouts as ll

X = mgpu.Dimension.x
F16 = mgpu.GMEM((64, 64), mgpu.float16)
F32 = mgpu.GMEM((64, 64), mgpu.float32)


class Tiles(mgpu.Scratch):
    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    ia = mgpu.SMEM((64, 128), mgpu.int8, swizzle=128)
    ib = mgpu.SMEM((64, 128), mgpu.int8, swizzle=128)


@legal(F16, F32, Tiles, arch="sm_90a")
def products(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles) -> None:
    a = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    acc = mgpu.WGMMAAccumulator.zero(64, 64)
    acc = mgpu.wgmma(acc, a, s.b, swizzle=128)
    acc = mgpu.wgmma(acc, s.a, mgpu.memref_transpose(s.b, (1, 0, 3, 2)), swizzle=128)
    started = mgpu.WGMMAAccumulator.from_registers(acc.value * 2)
    again: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA] = mgpu.wgmma(started, s.a, s.b).value
    ints = mgpu.WGMMAAccumulator.zero(64, 64, mgpu.int32, is_signed=True)
    ints = mgpu.wgmma(ints, s.ia, mgpu.memref_transpose(s.ib, (1, 0, 3, 2)), swizzle=128)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    (again + ints.value.astype(mgpu.float32)).store_untiled(o, optimized=False)


@legal(F16, F32, Tiles, arch="sm_90a")
def accumulator_in_a_loop(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: Tiles
) -> None:
    start = (mgpu.WGMMAAccumulator.zero(64, 64), mgpu.c(0, mgpu.I32))

    @mgpu.fori(mgpu.c(4, mgpu.Index), start)
    def steps(i, carry):
        acc, count = carry
        return mgpu.wgmma(acc, s.a, s.b, swizzle=128), count + 1

    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    acc, count = steps.results
    acc.value.store_untiled(o, optimized=False)
    mgpu.debug_print("{} {}", count, mgpu.thread_idx())
    acc.value.debug_print("{}")


class Common(mgpu.Scratch):
    TILE: ClassVar[int] = 64
    smem = mgpu.SMEM((64, 64), mgpu.float16)

    def rows(self) -> int:
        return self.TILE


class Nested(Common):
    pairs = (mgpu.SMEM((64, 64), mgpu.float16, swizzle=128), mgpu.Barrier(1))
    several = [mgpu.Barrier(1), mgpu.Barrier(2)]
    named = {"full": mgpu.Barrier(1), "empty": mgpu.Barrier(1)}
    ring = mgpu.Many(mgpu.Barrier(1, num_barriers=2), 3)
    either = mgpu.Union([mgpu.SMEM((64, 64), mgpu.float16), mgpu.SMEM((64, 64), mgpu.float16)])
    known = mgpu.Union(
        (mgpu.SMEM((64, 64), mgpu.float16), (mgpu.SMEM((32,), mgpu.float32), mgpu.SMEM((8,), mgpu.int8)))
    )


@legal(F16, F16, Nested, arch="sm_90a")
def scratch(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Nested) -> None:
    tile, barrier = s.pairs
    value = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    value.store_tiled(tile, 128)
    barrier.arrive()
    for each in s.several:
        each.arrive()
        each.wait()
    with mgpu.single_thread():
        s.named["full"].arrive_expect_tx(128)
    s.named["empty"].arrive()
    s.named["empty"].wait()
    for barriers in s.ring:
        barriers[0].arrive()
    s.ring[1][0].wait()
    first, second = s.either
    half, (single, byte) = s.known.members
    of_half: mgpu.SmemRef[mgpu.float16] = half
    of_single: mgpu.SmemRef[mgpu.float32] = single
    of_byte: mgpu.SmemRef[mgpu.int8] = byte
    mgpu.FragmentedArray.load_strided(first).store_untiled(second)
    assert s.rows() == 64 and s.smem.shape == (64, 64)
    use_common(s)


def use_common(s: Common) -> None:
    mgpu.FragmentedArray.load_strided(s.smem).store_untiled(s.smem)


@legal(F16, F16, Common, arch="sm_90a")
def warps(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Common) -> None:
    group = mgpu.warpgroup_idx(sync=True)
    with mgpu.when(group.eq(0)), mgpu.single_thread(mgpu.ThreadSubset.WARPGROUP):
        mgpu.nanosleep(mgpu.c(10, mgpu.int32))
    grid = mgpu.grid_dim(X) * mgpu.cluster_block_id(mgpu.Dimension.y)
    start = (grid + mgpu.block_id(X)) * 0
    part = mgpu.memref_slice(x, (mgpu.ds(start, 32), slice(0, 64)))
    mgpu.FragmentedArray.load_strided(part).store_untiled(mgpu.memref_slice(o, mgpu.ds(start, 32)))
    row: mgpu.GmemRef[mgpu.float16] = mgpu.memref_slice(x, (start, slice(None)))
    flat = mgpu.memref_fold(mgpu.memref_unfold(x, 0, (8, None)), 0, 2)
    assert flat.shape == x.shape and mgpu.bytewidth(x.type.element_type) == 2
    mgpu.memref_transpose(mgpu.memref_reshape(x, [32, 128]), [1, 0])
    refs: list[mgpu.GmemRef] = [x, o, row]
    spaces: tuple[mgpu.GmemRef | mgpu.SmemRef, ...] = (*refs, s.smem)
    for ref in spaces:
        mgpu.memref_unsqueeze(ref, 0)
    partition = mgpu.Partition1D(64, chunk_size=32)
    base: Any = partition.get_base(mgpu.block_id(X))


@legal(F32, F32, (), arch="sm_90a")
def loads_by_condition(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float32], o: mgpu.GmemRef[mgpu.float32], s: tuple[()]
) -> None:
    strided = ctx.cluster_size == (2, 1, 1)
    value = (
        mgpu.FragmentedArray.load_strided(x)
        if strided
        else mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    )
    value.store_untiled(o, optimized=False)
    total = None
    for _ in range(2):
        tile = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)
        total = tile if total is None else total + tile
    assert total is not None
    total.store_untiled(o, optimized=False)
    same: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA] = total.to_layout(total.layout)
    like = mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float32), same.shape, same.layout, is_signed=same.is_signed)
    (like + same).store_untiled(o, optimized=False)
    same[0:64, 0:8] = same[0:64, 8:16]
    arrays = {"a": total, "b": total * 2}
    sum(arrays.values(), start=total).store_untiled(o, optimized=False)


class FP8(mgpu.Scratch):
    a = mgpu.SMEM((64, 128), mgpu.float8_e4m3fn, swizzle=128)
    b = mgpu.SMEM((64, 128), mgpu.float8_e5m2, swizzle=128)


@legal(mgpu.GMEM((64, 64), mgpu.float32), FP8, arch="sm_90a")
def mixed_fp8(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: FP8) -> None:
    acc = mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.a, mgpu.memref_transpose(s.b, (1, 0, 3, 2)))
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)
    acc.value.store_untiled(o, optimized=False)


@legal(mgpu.GMEM((64, 64), mgpu.float32), (), arch="sm_90a")
def loops_and_selections(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    zeros = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64, 64))
    tile = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)

    @mgpu.fori(mgpu.c(4, mgpu.Index), tile)
    def total(
        i: mgpu.Index, carry: mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.WGMMA]
    ) -> mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.WGMMA]:
        return carry + tile

    total.result.store_untiled(o, optimized=False)

    @mgpu.fori(mgpu.c(4, mgpu.Index), (tile, tile))
    def pair(i, carry):
        first, second = carry
        return second, first

    first, second = pair.results
    (first + second).store_untiled(o, optimized=False)
    mask = tile < 1.0
    mask.select(zeros, tile).store_untiled(o, optimized=False)
    mask.select(tile, 0.0).store_untiled(o, optimized=False)
    mask.select(tile, mgpu.c(1.0, mgpu.float32)).store_untiled(o, optimized=False)
    mask.select(zeros, zeros).store_untiled(o, optimized=False)
    (zeros < 1.0).select(tile, tile).store_untiled(o, optimized=False)
    mgpu.utils.cluster_idx(mgpu.Dimension)
    tile.layout.vector_length


X = mgpu.Dimension.x


class Kinds(mgpu.Scratch):
    one, several = mgpu.Barrier(1), mgpu.Barrier(1, num_barriers=2)
    of_copies, of_more_copies = mgpu.TMABarrier(), mgpu.TMABarrier(3)
    collective, collectives = mgpu.ClusterBarrier([X]), mgpu.ClusterBarrier([X], 1, 2)
    ring = mgpu.Many(mgpu.Barrier(128), 2)
    tile = mgpu.SMEM((64, 64), mgpu.float16)
    either = mgpu.Union((mgpu.SMEM((64,), mgpu.int32), mgpu.SMEM((32,), mgpu.float32)))


@legal(F16, F16, Kinds, arch="sm_90a", cluster=2)
def kinds_of_references(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: Kinds
) -> None:
    one: mgpu.BarrierRef = s.one
    several: mgpu.BarrierArray = s.several
    copied: mgpu.BarrierRef = s.of_copies
    more: mgpu.BarrierArray = s.of_more_copies
    collective: mgpu.CollectiveBarrierRef = s.collective
    collectives: mgpu.CollectiveBarrierArray = s.collectives
    local: mgpu.BarrierRef = s.collective.barrier
    locals_: mgpu.BarrierArray = s.collectives.barrier
    ring: tuple[mgpu.BarrierRef, ...] = s.ring
    tile: mgpu.SmemRef[mgpu.float16] = s.tile
    ints, floats = s.either.members
    of_ints: mgpu.SmemRef[mgpu.int32] = ints
    of_floats: mgpu.SmemRef[mgpu.float32] = floats
    kinds: list[tuple[object, type]] = [
        *((each, mgpu.BarrierRef) for each in (one, copied, local, several[0], *ring)),
        *((each, mgpu.BarrierArray) for each in (several, more, locals_)),
        *((each, mgpu.CollectiveBarrierRef) for each in (collective, collectives[0])),
        (collectives, mgpu.CollectiveBarrierArray),
        *((each, mgpu.SmemRef) for each in (tile, of_ints, of_floats)),
        *((each, mgpu.GmemRef) for each in (x, o)),
    ]
    assert all(type(each) is cls for each, cls in kinds)
