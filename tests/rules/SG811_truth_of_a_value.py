"""What the GPU computes is true or false on the GPU, and to Python always true."""

from typing import Any

from _twins import legal, refused

import safegpu as mgpu

OUT = mgpu.GMEM((64, 64), mgpu.float32)
PAIR = (OUT, OUT, OUT)
type Array = mgpu.FragmentedArray[mgpu.float32]
type Ref = mgpu.GmemRef[mgpu.float32]
W = mgpu.WGMMA_LAYOUT
load = mgpu.FragmentedArray.load_untiled


@legal(*PAIR, None)
def decided_on_the_gpu(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    a = load(x, layout=W, optimized=False)
    b = load(y, layout=W, optimized=False)
    greater = (a > b) & ~(a < 0.0) | (b < 0.0)
    greater.select(a, b).store_untiled(o, optimized=False)
    a.max(b).store_untiled(o, optimized=False)
    block = mgpu.block_id(mgpu.Dimension.x)
    with mgpu.when((block > 0) & ~block.eq(3)):
        a.store_untiled(o, optimized=False)


@legal(*PAIR, None)
def decided_in_python(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    a = load(x, layout=W, optimized=False)
    if mgpu.bytewidth(a.mlir_dtype) == 4 and a.shape == (64, 64):
        scaled(a, None).store_untiled(o, optimized=False)
    scaled(a, a).store_untiled(o, optimized=False)
    if isinstance(a, mgpu.FragmentedArray):
        a.store_untiled(o, optimized=False)
    arrays = [a, a]
    while arrays:
        arrays.pop().store_untiled(o, optimized=False)


def scaled(a: Array, scale: Array | None) -> Array:
    return a if scale is None else a * scale


def unknown(a: Any, index: Any) -> None:
    if a and not index:
        a.store_untiled(index)


@refused(*PAIR, None)
def condition(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    a = load(x, layout=W, optimized=False)
    if a > load(y, layout=W, optimized=False):  # P: SG811
        a.store_untiled(o, optimized=False)


@refused(*PAIR, None)
def any_array(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    a = load(x, layout=W, optimized=False)
    if a:  # P: SG811
        a.store_untiled(o, optimized=False)


@refused(*PAIR, None)
def equal(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    a = load(x, layout=W, optimized=False)
    if a == 0.0:  # P: SG811
        a.store_untiled(o, optimized=False)


@refused(*PAIR, None)
def loop(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    a = load(x, layout=W, optimized=False)
    while a > 1.0:  # P: SG811
        (a * 0.5).store_untiled(o, optimized=False)
        break  # to Python it always holds


@refused(*PAIR, None)
def negation(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    a = load(x, layout=W, optimized=False)
    negated = not a  # P: SG811
    assert negated is not None


@refused(*PAIR, None)
def conjunction(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    a = load(x, layout=W, optimized=False)
    both = (a > 0.0) and (a < 1.0)  # L: SG811
    both.select(a, a).store_untiled(o, optimized=False)


@refused(*PAIR, None)
def disjunction(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    a = load(x, layout=W, optimized=False)
    either = (a > 0.0) or (a < 1.0)  # L: SG811
    either.select(a, a).store_untiled(o, optimized=False)


@refused(*PAIR, None)
def chained(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    a = load(x, layout=W, optimized=False)
    within = 0.0 < a < 1.0  # L: SG811
    within.select(a, a).store_untiled(o, optimized=False)


@refused(*PAIR, None)
def conditional(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    a = load(x, layout=W, optimized=False)
    greater = a if a > 0.0 else a * 2.0  # P: SG811
    greater.store_untiled(o, optimized=False)


@refused(*PAIR, None)
def asserted(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    a = load(x, layout=W, optimized=False)
    assert a > 0.0  # P: SG811


@refused(*PAIR, None)
def greatest(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    a = load(x, layout=W, optimized=False)
    max(a, load(y, layout=W, optimized=False)).store_untiled(o, optimized=False)  # E: SG811


@refused(*PAIR, None)
def least(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    a = load(x, layout=W, optimized=False)
    min(a, a * 2.0).store_untiled(o, optimized=False)  # E: SG811


@refused(*PAIR, None)
def one_of(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    a = load(x, layout=W, optimized=False)
    if a in (load(y, layout=W, optimized=False), a):  # L: SG811
        a.store_untiled(o, optimized=False)


@refused(*PAIR, None)
def scalar(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    if mgpu.block_id(mgpu.Dimension.x):  # P: SG811
        mgpu.commit_shared()


@refused(*PAIR, None)
def remainder(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    if not mgpu.warp_idx() % 2:  # P: SG811
        mgpu.commit_shared()


@refused(*PAIR, None)
def compared(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    if mgpu.thread_idx() > 32:  # P: SG811
        mgpu.commit_shared()


@refused(*PAIR, None)
def floating(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    if mgpu.c(1, mgpu.float32):  # P: SG811
        mgpu.commit_shared()


@refused(*PAIR, None)
def unknown_to_a_checker(ctx: mgpu.LaunchContext, x: Ref, y: Ref, o: Ref, s: None) -> None:
    unknown(load(x, layout=W, optimized=False), o)  # L: SG811
