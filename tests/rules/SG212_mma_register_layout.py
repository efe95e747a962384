"""`mma` multiplies what each warp holds: A, B and the accumulator lie as one `MMALayouts` says."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import layouts as ll

A, B, OUT = mgpu.GMEM((64, 64), mgpu.float16), mgpu.GMEM((64, 64), mgpu.float16), mgpu.GMEM((64, 64), mgpu.float32)
OF_A = "Expected MMALayouts.lhs layout for A"
OF_B = "Expected MMALayouts.rhs layout for B"
OF_ACC = "Expected MMALayouts.acc"


def load[L](ref: mgpu.GmemRef[mgpu.float16], layout: mgpu.TiledLayout[L]) -> mgpu.FragmentedArray[mgpu.float16, L]:
    return mgpu.FragmentedArray.load_untiled(ref, layout=layout, optimized=False)


def columns(ref: mgpu.GmemRef[mgpu.float16]) -> mgpu.GmemRef[mgpu.float16]:
    """B is (K, N), and a thread holds neighbours along K."""
    return mgpu.memref_transpose(ref, (1, 0))


def zero[L](layout: mgpu.TiledLayout[L]) -> mgpu.FragmentedArray[mgpu.float32, L]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64, 64), layout)


@legal(A, B, OUT, (), arch="sm_90a")
def four_warps_along_m(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float16],
    y: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.float32],
    s: tuple[()],
) -> None:
    layouts = mgpu.MMALayouts(mgpu.float16)
    a, b = load(x, layouts.lhs), load(columns(y), layouts.rhs)
    acc: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA] = mgpu.mma(zero(layouts.acc), a, b)
    again: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA] = mgpu.mma(zero(mgpu.WGMMA_LAYOUT) + acc, a, b)
    row: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_ROW] = again.reduce("max", 1)
    (again - row.broadcast_minor(64)).store_untiled(o, optimized=False)


@legal(A, B, OUT, (), arch="sm_90a")
def other_warps(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float16],
    y: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.float32],
    s: tuple[()],
) -> None:
    two, one = mgpu.MMALayouts(mgpu.float16, m_warps=2), mgpu.MMALayouts(mgpu.bfloat16, m_warps=1)
    first = mgpu.mma(zero(two.acc), load(x, two.lhs), load(columns(y), two.rhs))
    second: mgpu.FragmentedArray[mgpu.float32, ll.MMA_ACC_1] = mgpu.mma(
        zero(one.acc), load(x, one.lhs), load(columns(y), one.rhs)
    )
    (first + zero(two.acc)).store_untiled(o, optimized=False)
    (second * 2).store_untiled(o, optimized=False)


@legal(A, B, OUT, (), arch="sm_90a")
def not_known(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float16],
    y: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.float32],
    s: tuple[()],
) -> None:
    multiply(x, y, o, mgpu.float16, 2)
    fitting = mgpu.MMALayouts.for_shape(mgpu.float16, 64, 64)
    mgpu.mma(zero(fitting.acc), load(x, fitting.lhs), load(columns(y), fitting.rhs))


def multiply(x: Any, y: Any, o: Any, dtype: type[mgpu.DType], warps: int) -> None:
    layouts = mgpu.MMALayouts(dtype, m_warps=warps)
    a = mgpu.FragmentedArray.load_untiled(x, layout=layouts.lhs, optimized=False)
    b = mgpu.FragmentedArray.load_untiled(columns(y), layout=layouts.rhs, optimized=False)
    mgpu.mma(zero(layouts.acc), a, b).store_untiled(o, optimized=False)


@illegal(A, B, OUT, (), arch="sm_90a", raises=OF_A)
def exchanged(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float16],
    y: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.float32],
    s: tuple[()],
) -> None:
    layouts = mgpu.MMALayouts(mgpu.float16)
    a, b, acc = load(x, layouts.lhs), load(columns(y), layouts.rhs), zero(layouts.acc)
    mgpu.mma(acc, b, a)  # E: SG212


@illegal(A, B, OUT, (), arch="sm_90a", raises=OF_B)
def one_layout_for_both(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float16],
    y: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.float32],
    s: tuple[()],
) -> None:
    layouts = mgpu.MMALayouts(mgpu.float16)
    a, b, acc = load(x, layouts.lhs), load(y, layouts.lhs), zero(layouts.acc)
    mgpu.mma(acc, a, b)  # E: SG212


@illegal(A, B, OUT, (), arch="sm_90a", raises=OF_A)
def other_number_of_warps(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float16],
    y: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.float32],
    s: tuple[()],
) -> None:
    two, acc = mgpu.MMALayouts(mgpu.float16, m_warps=2), zero(mgpu.WGMMA_LAYOUT)
    a, b = load(x, two.lhs), load(columns(y), two.rhs)
    mgpu.mma(acc, a, b)  # E: SG212


@illegal(A, B, OUT, (), arch="sm_90a", raises=OF_ACC)
def accumulator(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float16],
    y: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.float32],
    s: tuple[()],
) -> None:
    layouts, acc = mgpu.MMALayouts(mgpu.float16), zero(mgpu.WGMMA_TRANSPOSED_LAYOUT)
    a, b = load(x, layouts.lhs), load(columns(y), layouts.rhs)
    mgpu.mma(acc, a, b)  # E: SG212


@illegal(A, B, OUT, (), arch="sm_90a", raises=OF_A)
def accumulator_as_operand(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float16],
    y: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.float32],
    s: tuple[()],
) -> None:
    layouts = mgpu.MMALayouts(mgpu.float16)
    half = zero(layouts.acc).astype(mgpu.float16)
    b, acc = load(columns(y), layouts.rhs), zero(layouts.acc)
    mgpu.mma(acc, half, b)  # E: SG212


def product(acc: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA], a: mgpu.FragmentedArray[Any, ll.TCGEN05], b: Any) -> Any:
    return mgpu.mma(acc, a, b)  # E: SG212


@illegal(mgpu.GMEM((128, 64), mgpu.float16), OUT, (), arch="sm_90a", raises=OF_A)
def helper(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    acc = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128, 64), mgpu.WGMMA_LAYOUT)
    b = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64), mgpu.MMALayouts(mgpu.float16).rhs)
    product(acc, load(x, mgpu.TCGEN05_LAYOUT), b)
