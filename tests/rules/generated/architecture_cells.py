"""One line for each operation that some architecture lacks and for each architecture that a kernel can state.

A kernel may state two, and then an operation must be in both; one that states none is told nothing. What has which
operation is the table of `safegpu.architectures`, which ptxas confirms (`tests/test_architectures.py`).
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

from safegpu.architectures import (
    ARCHITECTURES,
    Architecture,
    HasClusterLaunchControl,
    HasClusters,
    HasFloat8Multimem,
    HasMultimem,
    HasTcgen05,
    HasTcgen05Int8,
    HasTMA,
    HasTMAGather,
    HasTMAScatter,
    HasTMEMLoadReduce,
    HasWGMMA,
)
from tests.support.cells import Answer, Table

SCRATCH = """\
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 128), mgpu.float16, swizzle=128)
    plain = mgpu.SMEM((128, 64), mgpu.float16, swizzle=16)
    qs = mgpu.SMEM((128, 128), mgpu.float8_e4m3fn, swizzle=128)
    ints = mgpu.SMEM((128, 128), mgpu.int8, swizzle=128)
    fours = mgpu.SMEM((128, 256), mgpu.float4_e2m1fn, swizzle=128)
    twos = mgpu.SMEM((1, 2, 128, 64), mgpu.uint2, tiling=())
    exponents = mgpu.SMEM((1, 1, 32, 16), mgpu.float8_e8m0fnu, tiling=())
    whole = mgpu.SMEM((128, 64), mgpu.int32, swizzle=128)
    answer = mgpu.SMEM((16,), mgpu.int8)
    barrier = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 128), mgpu.float32)
    int_acc = mgpu.TMEM((128, 128), mgpu.int32)
    packed = mgpu.TMEM((128, 64), mgpu.float16, packing=2)
    meta = mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout())
    scales = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())
"""

NEEDS: dict[type[Architecture], tuple[str, ...]] = {
    HasWGMMA: (
        "mgpu.wgmma(acc, s.a, s.b)",
        "mgpu.wgmma(acc, s.a, s.b, swizzle=128)",
        "mgpu.wgmma(acc, registers, s.b)",
        "mgpu.wgmma(acc, s.qs, mgpu.memref_transpose(s.qs, (1, 0, 3, 2)), swizzle=128)",
        "mgpu.wgmma(ints, s.ints, s.ints)",
    ),
    HasTcgen05: (
        "s.acc.load()",
        "s.acc.store(native)",
        "s.meta.slice(slice(None), slice(0, 64))",
        "s.scales.load()",
        "tcgen05.mma(s.acc, s.a, s.b)",
        "tcgen05.mma(s.acc, s.a, s.b, a_swizzle=128, b_swizzle=128)",
        "tcgen05.mma(s.acc, s.packed, s.b)",
        "tcgen05.mma(s.acc, s.a, s.b, a_sparse_metadata=s.meta)",
        "tcgen05.mma(s.acc, s.qs, s.qs)",
        "tcgen05.mma(s.acc, s.qs, s.qs, a_scale=s.scales, b_scale=s.scales)",
        "tcgen05.mma(s.acc, s.fours, s.fours, a_scale=s.scales, b_scale=s.scales)",
        "tcgen05.mma(d, s.a, s.b)",
        "tcgen05.mma(d, s.qs, s.qs, a_swizzle=128)",
        "tcgen05.mma(d, s.fours, s.fours, a_scale=scales, b_scale=scales)",
        "tcgen05.async_copy_smem_to_tmem(s.a, left, 128)",
        "tcgen05.async_copy_smem_to_tmem(s.a, left, 128, True)",
        "tcgen05.async_copy_sparse_metadata_smem_to_tmem(s.twos, meta)",
        "tcgen05.async_copy_sparse_metadata_smem_to_tmem(s.twos, s.meta)",
        "tcgen05.async_copy_scales_smem_to_tmem(s.exponents, scales)",
        "tcgen05.async_copy_scales_smem_to_tmem(s.exponents, s.scales)",
        "tcgen05.commit_arrive(s.barrier, True, ctx)",
    ),
    HasTcgen05Int8: (
        "tcgen05.mma(s.int_acc, s.ints, s.ints)",
        "tcgen05.mma(s.int_acc, s.ints, s.ints, b_swizzle=128)",
        "tcgen05.mma(int_d, s.ints, s.ints)",
        "tcgen05.mma(s.int_acc, s.ints, s.ints, a_sparse_metadata=s.meta)",
    ),
    HasTMEMLoadReduce: (
        "s.acc.load(mgpu.TMEM_NATIVE_LAYOUT, reduce='max')",
        "s.int_acc.load(mgpu.TMEM_NATIVE_LAYOUT, None, 'min')",
        "s.acc.slice(slice(None), slice(0, 64)).load(mgpu.TMEM_NATIVE_LAYOUT, reduce='absmin')",
    ),
    HasTMAGather: (
        "ctx.async_copy(src_ref=g, dst_ref=s.a, gmem_slice=(rows, slice(0, 64)), swizzle=128, barrier=s.barrier)",
        "ctx.async_copy(src_ref=g, dst_ref=s.plain, gmem_slice=(rows, slice(0, 64)), barrier=s.barrier)",
    ),
    HasTMAScatter: (
        "ctx.async_copy(src_ref=s.a, dst_ref=g, gmem_slice=(rows, slice(0, 64)), swizzle=128)",
        "ctx.async_copy(src_ref=s.plain, dst_ref=g, gmem_slice=(rows, slice(0, 64)))",
    ),
    HasFloat8Multimem: (
        "mgpu.FragmentedArray.load_reduce_untiled(ctx.to_remote_multicast(q), strided, 'add')",
        "mgpu.FragmentedArray.load_reduce_untiled(mgpu.memref_reshape(ctx.to_remote_multicast(q), (64,)), strided, 'max')",
    ),
    HasClusterLaunchControl: (
        "mgpu.try_cluster_cancel(s.answer, s.barrier)",
        "mgpu.query_cluster_cancel(s.answer)",
        "mgpu.query_cluster_cancel(mgpu.memref_reshape(s.answer, (4, 4)))",
    ),
    HasTMA: (
        "ctx.async_copy(src_ref=g, dst_ref=s.a, gmem_slice=slice(0, 128), swizzle=128, barrier=s.barrier)",
        "ctx.async_copy(src_ref=g, dst_ref=s.plain, barrier=s.barrier)",
        "ctx.async_copy(src_ref=g, dst_ref=s.a, swizzle=128, barrier=s.barrier, collective=mgpu.Dimension.x)",
        "ctx.async_copy(src_ref=s.a, dst_ref=g, swizzle=128)",
        "ctx.async_copy(src_ref=s.plain, dst_ref=g)",
        "ctx.async_copy(src_ref=s.a, dst_ref=g, swizzle=128, reduction_op='max')",
        "ctx.async_copy(src_ref=s.plain, dst_ref=g, reduction_op='add')",
        "ctx.async_prefetch(gmem_ref=g, swizzle=128)",
        "ctx.await_async_copy(0)",
    ),
    HasClusters: (
        "mgpu.get_cluster_ref(s.a, mgpu.Dimension.x, mgpu.block_id(mgpu.Dimension.x))",
        "whole.store_tiled_async(s.whole, s.barrier, mgpu.Dimension.x, mgpu.block_id(mgpu.Dimension.x), swizzle=128)",
        "whole.store_tiled_async(s.whole, s.barrier, mgpu.Dimension.x, mgpu.block_id(mgpu.Dimension.x), 128, atomic='add')",
    ),
    HasMultimem: (
        "ctx.to_remote_multicast(g)",
        "mgpu.FragmentedArray.load_reduce_untiled(ctx.to_remote_multicast(g), strided, 'add')",
    ),
    Architecture: (
        "ctx.async_copy(src_ref=g, dst_ref=s.a, swizzle=128, implementation=mgpu.AsyncCopyImplementation.CP_ASYNC)",
        "ctx.async_copy(src_ref=g, dst_ref=s.plain, implementation=mgpu.AsyncCopyImplementation.CP_ASYNC)",
        "ctx.async_copy(src_ref=g, dst_ref=s.plain, implementation=mgpu.AsyncCopyImplementation.CP_ASYNC, barrier=s.barrier)",
        "ctx.async_copy(src_ref=g, dst_ref=s.plain, implementation=either)",
        "ctx.await_cp_async_copy(0)",
        "s.barrier.wait()",
        "mgpu.FragmentedArray.load_tiled(s.a, 128).store_tiled(s.a, 128)",
        "mgpu.utils.warpgroup_barrier()",
    ),
}
"""What needs each capability: the memory of `s` and what `ctx` gives is of the architecture, the rest of none."""

PARAMETERS = (
    "g: mgpu.GmemRef[mgpu.float16]",
    "q: mgpu.GmemRef[mgpu.float8_e4m3fn]",
    "acc: mgpu.WGMMAAccumulator[mgpu.float32]",
    "ints: mgpu.WGMMAAccumulator[mgpu.int32]",
    "registers: mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA]",
    "native: mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.TCGEN05]",
    "rows: mgpu.FragmentedArray[mgpu.uint32, mgpu.layouts.TMA_INDICES]",
    "whole: mgpu.FragmentedArray[mgpu.int32, mgpu.layouts.WGMMA]",
    "either: mgpu.AsyncCopyImplementation",
    "strided: mgpu.WGStridedFragLayout",
    "d: mgpu.DenseTMEM[mgpu.float32]",
    "int_d: mgpu.DenseTMEM[mgpu.int32]",
    "left: mgpu.DenseTMEM[mgpu.float16]",
    "meta: mgpu.SparseMetaTMEM",
    "scales: mgpu.ScalesTMEM[mgpu.float8_e8m0fnu]",
)


@dataclasses.dataclass(frozen=True)
class Cell:
    needs: type[Architecture]
    line: str
    states: tuple[type[Architecture], ...]

    @property
    def lacking(self) -> bool:
        """Whether one of the architectures lacks it."""
        return not all(issubclass(each, self.needs) for each in self.states)

    def __str__(self) -> str:
        return f"{self.line} on {' | '.join(each.__name__ for each in self.states) or 'any'}"


def stated() -> Iterator[tuple[type[Architecture], ...]]:
    yield ()
    yield from itertools.combinations(ARCHITECTURES, 1)
    yield from itertools.combinations(ARCHITECTURES, 2)


def table() -> Table:
    """Of each line, whether an architecture lacks what it needs; Mosaic GPU itself lowers most of these."""
    lines = ["import safegpu as mgpu", "from safegpu import tcgen05"]
    places = {}
    for states in stated():
        name = "_".join(["S", *(each.__name__ for each in states)])
        written = f"[{' | '.join(f'mgpu.{each.__name__}' for each in states)}]" if states else ""
        lines += [f"class {name}(mgpu.Scratch{written}):", *SCRATCH.splitlines()]
        lines += [f"def of_{name}(ctx: mgpu.LaunchContext{written}, s: {name}, {', '.join(PARAMETERS)}) -> None:"]
        for needs, operations in NEEDS.items():
            for operation in operations:
                lines.append(f"    {operation}")
                cell = Cell(needs, operation, states)
                refused = f"nothing, but there is no {needs.__name__}" if cell.lacking else ""
                places[len(lines)] = Answer(str(cell), refused)
    return Table("\n".join(lines) + "\n", places)
