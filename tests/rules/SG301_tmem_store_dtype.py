"""Tensor memory takes arrays of its own dtype, in the packing of that dtype."""

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import tcgen05

STORED = "Stored array has dtype"
OUT = mgpu.GMEM((128, 64), mgpu.float32)


class S(mgpu.Scratch):
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    halves = mgpu.TMEM((128, 64), mgpu.float16, packing=2)
    brain = mgpu.TMEM((128, 64), mgpu.bfloat16)
    ints = mgpu.TMEM((128, 64), mgpu.int32)


def f32() -> mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.TCGEN05]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128, 64), mgpu.TCGEN05_LAYOUT)


@legal(OUT, S)
def same_dtype(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.acc.store(f32())
    s.halves.store(f32().astype(mgpu.float16))
    s.brain.store(f32().astype(mgpu.bfloat16))
    s.ints.store(f32().bitcast(mgpu.int32, output_is_signed=True))


@illegal(OUT, S, raises=STORED)
def half_into_float(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    value = f32().astype(mgpu.float16)
    s.acc.store(value)  # E: SG301


@illegal(OUT, S, raises=STORED)
def float_into_half(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.halves.store(f32())  # E: SG301


@illegal(OUT, S, raises=STORED)
def half_into_brain(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    value = f32().astype(mgpu.float16)
    s.brain.store(value)  # E: SG301


@illegal(OUT, S, raises=STORED)
def float_into_int(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.ints.store(f32())  # E: SG301


@illegal(OUT, S, raises=STORED)
def slice_of_it(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    part = s.halves.slice(slice(None), slice(0, 64))
    part.store(f32())  # E: SG301


def put(ref: tcgen05.DenseTMEM[mgpu.bfloat16], value: mgpu.FragmentedArray[mgpu.float16]) -> None:
    ref.store(value)  # E: SG301


@illegal(OUT, S, raises=STORED)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    put(s.brain, f32().astype(mgpu.float16))


# --- the array or reference made in the call: what the store expects never makes it unknown


@illegal(OUT, S, raises=STORED)
def inline_cast(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.acc.store(f32().astype(mgpu.bfloat16))  # E: SG301


@illegal(OUT, S, raises=STORED)
def inline_splat(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    zero = mgpu.c(0.0, mgpu.float16)
    s.acc.store(mgpu.FragmentedArray.splat(zero, (128, 64), mgpu.TCGEN05_LAYOUT))  # E: SG301
