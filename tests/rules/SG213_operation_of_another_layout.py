"""A splat array is one scalar, a strided one has no tiles, and a tiled one repeats in the layout that it is told."""

from typing import Any

from _twins import illegal, legal
from jaxlib.mlir import ir

import safegpu as mgpu
from safegpu import layouts as ll

F32 = mgpu.GMEM((64, 64), mgpu.float32)
WGMMA = mgpu.WGMMA_LAYOUT

type Out = mgpu.GmemRef[mgpu.float32]
type Array[L] = mgpu.FragmentedArray[mgpu.float32, L]


class S(mgpu.Scratch):
    scratch = mgpu.SMEM((512,), mgpu.float32)


def ones[L](layout: mgpu.FragmentedLayout[L]) -> Array[L]:
    return mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float32), (64, 64), layout)


def splat() -> Array[ll.Splat]:
    return mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float32), (64, 64))


def strided() -> Array[ll.Strided]:
    return ones(mgpu.WGStridedFragLayout((64, 64), 2))


def scales[L](layout: mgpu.FragmentedLayout[L]) -> mgpu.FragmentedArray[mgpu.float8_e8m0fnu, L]:
    one = mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float8_e8m0fnu), (64, 64), layout)
    return mgpu.FragmentedArray.wrap(one, mgpu.float8_e8m0fnu, layout)


def visit(_value: ir.Value[Any], _index: tuple[mgpu.Index, ...]) -> None: ...


def larger(x: ir.Value[Any], y: ir.Value[Any]) -> ir.Value[Any]:
    return x


def column(i: mgpu.Index, j: mgpu.Index) -> mgpu.I32:
    return j.to_i32()


@legal(F32, S)
def elements(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    ones(WGMMA).foreach(visit)
    strided().foreach(visit)
    ones(WGMMA).debug_print("{}")
    ones(WGMMA).reduce("add", 1).debug_print("{}")
    mgpu.FragmentedArray.build((64, 64), WGMMA, column, is_signed=True)
    mgpu.FragmentedArray.build((64, 64), mgpu.WGStridedFragLayout((64, 64), 2), column, is_signed=True)
    ones(WGMMA).reduce(larger, 1)
    splat().reduce("max", 1)
    splat().reduce("max", (0, 1))
    splat().to_layout(WGMMA).debug_print("{}")


@legal(F32, S)
def parts(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    x = mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float32), (128, 64), WGMMA)
    x[0:64] = x[64:128]
    splat()[0:64]
    splat()[mgpu.c(0, mgpu.Index)]
    mgpu.concatenate([x[0:64], ones(WGMMA)])
    mgpu.concatenate((strided(), strided()))


@legal(F32, S)
def repeated(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    ones(WGMMA).reduce("add", 1).broadcast_in_dim((64, 64), (0,), WGMMA)
    splat().broadcast((2, 64, 64))
    splat().broadcast_in_dim((2, 64, 64), (1, 2), mgpu.WGSplatFragLayout((2, 64, 64)))
    splat().broadcast_in_dim((64, 64), (0, 1), WGMMA)
    strided().broadcast((2, 64, 64))
    strided().broadcast_in_dim((2, 64, 64), (1, 2), mgpu.WGStridedFragLayout((2, 64, 64), 2))


@legal(F32, S)
def reciprocals(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    _ = 1 / scales(WGMMA)
    _ = 1 / splat()


def generic[D: mgpu.DType, L](x: mgpu.FragmentedArray[D, L], y: mgpu.FragmentedArray[D, L]) -> Any:
    x.debug_print("{}")
    x[0:64] = y
    x.reduce(larger, 1)
    return mgpu.concatenate([x, y])


def built[L](layout: mgpu.FragmentedLayout[L], row: Array[ll.WGMMA_ROW]) -> Array[L]:
    mgpu.FragmentedArray.build((64, 64), layout, column, is_signed=True)
    return row.broadcast_in_dim((64, 64), (0,), layout)


@legal(F32, S)
def of_any_layout(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    x: mgpu.FragmentedArray[mgpu.float32] = ones(WGMMA)
    x.debug_print("{}")
    x[0:64] = x[0:64]
    generic(ones(WGMMA), ones(WGMMA))
    built(WGMMA, ones(WGMMA).reduce("add", 1))


@illegal(F32, S, raises="NotImplementedError")
def elements_of_a_splat(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    splat().foreach(visit)  # E: SG213


@illegal(F32, S, raises="NotImplementedError")
def elements_by_decorator(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    @splat().foreach  # E: SG213
    def _(value: ir.Value[Any], index: tuple[mgpu.Index, ...]) -> None: ...


@illegal(F32, S, raises="NotImplementedError")
def prints_of_a_splat(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    splat().debug_print("{}")  # E: SG213


@illegal(F32, S, raises="NotImplementedError")
def splat_of_elements(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    mgpu.FragmentedArray.build((64, 64), mgpu.WGSplatFragLayout((64, 64)), column, is_signed=True)  # E: SG213


@illegal(F32, S, raises="Splat reductions only supported when the operator is a string")
def splat_by_a_function(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    splat().reduce(larger, 1)  # E: SG213


@illegal(F32, S, raises="Concatenating arrays with splat layout is not supported")
def splats_joined(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    mgpu.concatenate([splat(), splat()])  # E: SG213


@illegal(F32, S, raises="NotImplementedError: f8E8M0FNU")
def reciprocal_of_a_splat(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    _ = 1 / scales(mgpu.WGSplatFragLayout((64, 64)))  # E: SG213


@illegal(F32, S, raises="Only arrays with tiled layouts can be sliced")
def part_of_a_strided_array(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    strided()[0:64]  # E: SG213


@illegal(F32, S, raises="Only arrays with tiled layouts can be sliced")
def part_set_of_a_strided_array(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    strided()[0:64] = strided()  # E: SG213


@illegal(F32, S, raises="Only arrays with tiled layouts can be sliced")
def part_set_of_a_splat(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    splat()[0:64] = splat()  # E: SG213


@illegal(F32, S, raises="NotImplementedError: TiledLayout")
def tiles_repeated(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    ones(WGMMA).broadcast((2, 64, 64))  # E: SG213


@illegal(F32, S, raises="NotImplementedError")
def strided_repeated_in_tiles(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    strided().broadcast_in_dim((64, 64), (0, 1), WGMMA)  # E: SG213


@illegal(F32, S, raises="NotImplementedError")
def tiles_repeated_in_strides(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    ones(WGMMA).broadcast_in_dim((64, 64), (0, 1), mgpu.WGStridedFragLayout((64, 64), 2))  # E: SG213


@illegal(F32, S, raises="NotImplementedError")
def row_repeated_in_a_splat(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    row = ones(WGMMA).reduce("add", 1)
    row.broadcast_in_dim((64, 64), (0,), mgpu.WGSplatFragLayout((64, 64)))  # E: SG213
