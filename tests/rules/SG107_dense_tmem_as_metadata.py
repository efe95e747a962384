"""The metadata of a sparse MMA lies in tensor memory of its own layout, which only a `SparseMetaTMEM` has."""

from typing import Any

from _twins import illegal, legal, refused

import safegpu as mgpu
from safegpu import tcgen05

OUT = mgpu.GMEM((128, 128), mgpu.float32)


class S(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((128, 128), mgpu.float16, swizzle=128)
    meta_smem = mgpu.SMEM((1, 1, 128, 64), mgpu.uint2)
    scales_smem = mgpu.SMEM((1, 1, 32, 16), mgpu.float8_e8m0fnu)
    acc = mgpu.TMEM((128, 128), mgpu.float32)
    narrow = mgpu.TMEM((128, 64), mgpu.float32)
    half = mgpu.TMEM((128, 64), mgpu.float16, packing=2)
    meta = mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout())
    scales = mgpu.TMEM((128, 64), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())


@legal(OUT, S, one_thread=True)
def metadata(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.async_copy_sparse_metadata_smem_to_tmem(s.meta_smem, s.meta)
    tcgen05.mma(s.acc, s.a, s.b, a_swizzle=128, b_swizzle=128, a_sparse_metadata=s.meta, accumulate=False)


@legal(OUT, S, one_thread=True)
def slice_of_metadata(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    part = s.meta.slice(slice(None), slice(0, 64))
    tcgen05.mma(s.acc, s.a, s.b, a_swizzle=128, b_swizzle=128, a_sparse_metadata=part, accumulate=False)


@illegal(OUT, S, raises="A sparse metadata dtype mismatch", one_thread=True)
def accumulator_as_metadata(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.a, s.b, a_swizzle=128, b_swizzle=128, a_sparse_metadata=s.narrow)  # E: SG107


@illegal(OUT, S, raises="A sparse metadata dtype mismatch", one_thread=True)
def operand_as_metadata(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.a, s.b, a_swizzle=128, b_swizzle=128, a_sparse_metadata=s.half)  # E: SG107


@illegal(OUT, S, raises="A sparse metadata dtype mismatch", one_thread=True)
def scales_as_metadata(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.mma(s.acc, s.a, s.b, a_swizzle=128, b_swizzle=128, a_sparse_metadata=s.scales)  # E: SG107


@illegal(OUT, S, raises="Incompatible dtypes: SMEM has i2, TMEM has f32")
def copy_to_accumulator(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.async_copy_sparse_metadata_smem_to_tmem(s.meta_smem, s.acc)  # E: SG107


@illegal(OUT, S, raises="Incompatible dtypes: SMEM has i2, TMEM has f8E8M0FNU")
def copy_to_scales(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tcgen05.async_copy_sparse_metadata_smem_to_tmem(s.meta_smem, s.scales)  # E: SG107


def multiply(s: S, metadata: tcgen05.DenseTMEM) -> None:
    tcgen05.mma(s.acc, s.a, s.b, a_swizzle=128, b_swizzle=128, a_sparse_metadata=metadata)  # E: SG107


@illegal(OUT, S, raises="A sparse metadata dtype mismatch", one_thread=True)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    multiply(s, s.narrow)


class Dense(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((128, 128), mgpu.float16, swizzle=128)
    acc = mgpu.TMEM((128, 128), mgpu.float32)
    meta = mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout())
    pairs = mgpu.TMEM((128, 64), mgpu.uint2)


@refused(OUT, Dense, because="Mosaic GPU looks at the dtype alone, and the tensor core finds other positions")
def pairs_of_bits(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Dense) -> None:
    tcgen05.mma(s.acc, s.a, s.b, a_swizzle=128, b_swizzle=128, a_sparse_metadata=s.pairs)  # E: SG107


@refused(OUT, Dense, because="Mosaic GPU looks at the dtype alone, and the tensor core finds other positions")
def untyped_pairs_of_bits(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Dense) -> None:
    metadata: Any = s.pairs
    tcgen05.mma(s.acc, s.a, s.b, a_swizzle=128, b_swizzle=128, a_sparse_metadata=metadata)  # L: SG107


@legal(OUT, Dense, one_thread=True)
def untyped_metadata(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Dense) -> None:
    metadata: Any = s.meta
    tcgen05.mma(s.acc, s.a, s.b, a_swizzle=128, b_swizzle=128, a_sparse_metadata=metadata, accumulate=False)
