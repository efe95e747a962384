"""Registers do not read sparse metadata back from tensor memory."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import tcgen05

UNSUPPORTED = "Sparse meta layout loads unsupported."
OUT = mgpu.GMEM((128, 64), mgpu.float32)


class S(mgpu.Scratch):
    meta = mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout())
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    several = mgpu.Many(mgpu.TMEM((128, 64), mgpu.int2, layout=tcgen05.sparse_meta_layout()), 2)


def any_layout() -> Any:
    return mgpu.TCGEN05_LAYOUT


@legal(OUT, S)
def accumulator(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.acc.load().store_untiled(o, optimized=False)


@illegal(OUT, S, raises=UNSUPPORTED)
def metadata(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.meta.load()  # E: SG102


@illegal(OUT, S, raises=UNSUPPORTED)
def metadata_stored(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.meta.load(is_signed=False).store_untiled(o)  # E: SG102


@illegal(OUT, S, raises=UNSUPPORTED)
def named_layout(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.meta.load(mgpu.TCGEN05_LAYOUT)  # E: SG102


@illegal(OUT, S, raises=UNSUPPORTED)
def any_named_layout(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.meta.load(any_layout(), is_signed=False)  # E: SG102


@illegal(OUT, S, raises=UNSUPPORTED)
def slice_of_it(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    half = s.meta.slice(slice(None), slice(0, 64))
    half.load()  # E: SG102


@illegal(OUT, S, raises=UNSUPPORTED)
def each_of_many(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    for each in reversed(s.several):
        each.load(is_signed=True)  # E: SG102


@illegal(OUT, S, raises=UNSUPPORTED)
def unpacked(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    first, _ = s.several
    first.load(is_signed=True)  # E: SG102


def read(ref: tcgen05.SparseMetaTMEM) -> Any:
    return ref.load(any_layout())  # E: SG102


def read_the_base(ref: tcgen05.TMEMRef) -> Any:
    return ref.load()  # E: SG000


@illegal(OUT, S, raises=UNSUPPORTED)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    read(s.meta)


@illegal(OUT, S, raises=UNSUPPORTED)
def helper_that_takes_the_base(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    read_the_base(s.meta)
