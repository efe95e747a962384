"""Sparse metadata comes to tensor memory by a copy from shared memory; registers do not store to it."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import tcgen05

UNSUPPORTED = "Sparse meta layout stores unsupported."
OUT = mgpu.GMEM((128, 64), mgpu.float32)


class S(mgpu.Scratch):
    meta = mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout())
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    smem = mgpu.SMEM((1, 1, 128, 64), mgpu.uint2)
    several = mgpu.Many(mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout()), 2)


def two_bits() -> Any:
    return mgpu.FragmentedArray.splat(mgpu.c(0, mgpu.uint2), (128, 64), mgpu.TCGEN05_LAYOUT, is_signed=False)


def untyped():
    return two_bits()


@legal(OUT, S)
def accumulator(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.acc.store(mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128, 64), mgpu.TCGEN05_LAYOUT))


@legal(OUT, S)
def copy(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.async_copy_sparse_metadata_smem_to_tmem(s.smem, s.meta)
    for each in s.several:
        tcgen05.async_copy_sparse_metadata_smem_to_tmem(s.smem, each)


@illegal(OUT, S, raises=UNSUPPORTED)
def metadata(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.meta.store(mgpu.FragmentedArray.wrap(two_bits(), mgpu.uint2, mgpu.TCGEN05_LAYOUT))  # E: SG101


@illegal(OUT, S, raises=UNSUPPORTED)
def any_value(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.meta.store(two_bits())  # E: SG101


@illegal(OUT, S, raises=UNSUPPORTED)
def value_of_an_untyped_function(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.meta.store(untyped())  # E: SG101


@illegal(OUT, S, raises=UNSUPPORTED)
def keyword(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.meta.store(value=two_bits())  # E: SG101


@illegal(OUT, S, raises=UNSUPPORTED)
def slice_of_it(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.meta.slice(slice(None), slice(None)).store(two_bits())  # E: SG101


@illegal(OUT, S, raises=UNSUPPORTED)
def one_of_many(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.several[1].store(two_bits())  # E: SG101


@illegal(OUT, S, raises=UNSUPPORTED)
def each_of_many(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    for each in s.several:
        each.store(two_bits())  # E: SG101


@illegal(OUT, S, raises=UNSUPPORTED)
def list_of_it(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    refs = [s.meta, s.several[0]]
    refs[0].store(two_bits())  # E: SG101


@illegal(OUT, S, raises=UNSUPPORTED)
def made_by_hand(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    meta = tcgen05.TMEMRef(s.meta.address, (128, 64), mgpu.int2, tcgen05.sparse_meta_layout())
    meta.store(two_bits())  # E: SG101


@illegal(OUT, S, raises=UNSUPPORTED)
def assigned_upcast(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    ref: tcgen05.TMEMRef = s.meta
    ref.store(two_bits())  # E: SG000


def put(ref: tcgen05.SparseMetaTMEM, value: Any) -> None:
    ref.store(value)  # E: SG101


def put_partly_annotated(ref: tcgen05.SparseMetaTMEM, value) -> None:
    ref.store(value)  # E: SG101


def put_upcast(ref: tcgen05.TMEMRef, value: Any) -> None:
    ref.store(value)  # E: SG000


def put_either(ref: tcgen05.SparseMetaTMEM | tcgen05.DenseTMEM, value: Any) -> None:
    ref.store(value)  # E: SG101


@illegal(OUT, S, raises=UNSUPPORTED)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    put(s.meta, two_bits())


@illegal(OUT, S, raises=UNSUPPORTED)
def helper_partly_annotated(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    put_partly_annotated(s.meta, two_bits())


@illegal(OUT, S, raises=UNSUPPORTED)
def helper_that_takes_the_base(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    put_upcast(s.meta, two_bits())


@illegal(OUT, S, raises=UNSUPPORTED)
def helper_that_takes_either(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    put_either(s.meta, two_bits())
