"""Sparse metadata is two bits wide."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import tcgen05

OUT = mgpu.GMEM((128, 64), mgpu.float32)


class S(mgpu.Scratch):
    signed = mgpu.SMEM((1, 1, 128, 64), mgpu.int2)
    unsigned = mgpu.SMEM((1, 1, 128, 64), mgpu.uint2)
    bytes_ = mgpu.SMEM((1, 1, 128, 64), mgpu.uint8)
    meta = mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout())


@legal(OUT, S)
def two_bits(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.async_copy_sparse_metadata_smem_to_tmem(s.unsigned, s.meta)
    tcgen05.async_copy_sparse_metadata_smem_to_tmem(s.signed, s.meta)


@illegal(OUT, S, raises="Incompatible dtypes: SMEM has i8, TMEM has i2")
def eight_bits(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.async_copy_sparse_metadata_smem_to_tmem(s.bytes_, s.meta)  # E: SG304


def fill(smem: mgpu.SmemRef[mgpu.uint8], meta: Any) -> None:
    tcgen05.async_copy_sparse_metadata_smem_to_tmem(smem, meta)  # E: SG304


@illegal(OUT, S, raises="Incompatible dtypes: SMEM has i8, TMEM has i2")
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    fill(s.bytes_, s.meta)


@legal()
def spec_of_two_bits() -> None:
    mgpu.TMEM((128, 64), mgpu.int2, layout=tcgen05.sparse_meta_layout())


@illegal(raises="For 8-bit types, the vector length must be 1 or 4")
def spec_of_eight_bits() -> None:
    mgpu.TMEM((128, 64), mgpu.int8, layout=tcgen05.sparse_meta_layout())  # E: SG304
