"""Tensor memory: one class for what it holds, kept by slices; `wrap`; signedness of loads."""

from typing import Any

import pytest
from jax.experimental.mosaic.gpu import tcgen05 as raw
from jaxlib.mlir import ir

import safegpu as mgpu
from safegpu import tcgen05
from tests.runtime.kernels import BLACKWELL, in_kernel


class Scratch(mgpu.Scratch):
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    ints = mgpu.TMEM((128, 64), mgpu.uint32)
    meta = mgpu.TMEM((128, 128), mgpu.int2, layout=tcgen05.sparse_meta_layout())
    scales = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())
    b_scales = mgpu.TMEM((256, 4), mgpu.float8_e8m0fnu, layout=tcgen05.b_scales_m64_collective_layout())
    address = mgpu.SMEM((1,), mgpu.int32)


def plain(ref: Any) -> Any:
    return raw.TMEMRef(ref.address, ref.shape, ref.dtype, ref.layout)


@in_kernel(scratch=Scratch, arch=BLACKWELL)
def test_the_class_follows_from_the_layout(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    assert type(smem.acc) is mgpu.DenseTMEM
    assert type(smem.meta) is mgpu.SparseMetaTMEM
    assert type(smem.scales) is type(smem.b_scales) is mgpu.ScalesTMEM
    assert all(isinstance(ref, raw.TMEMRef) for ref in (smem.acc, smem.meta, smem.scales))
    assert isinstance(smem.acc, tcgen05.TMEMRef)
    assert smem.acc.dtype == ir.F32Type.get()
    assert (smem.acc.token, smem.meta.token) == (mgpu.float32, mgpu.int2)


@in_kernel(scratch=Scratch, arch=BLACKWELL)
def test_slices_keep_class_and_dtype(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    for ref in (smem.ints.slice(slice(None), slice(0, 32)), smem.ints.slice(slice(None), slice(0, 64))):
        assert type(ref) is mgpu.DenseTMEM
        assert ref.token is mgpu.uint32
    assert type(smem.scales.slice(slice(None), slice(0, 4))) is mgpu.ScalesTMEM


@in_kernel(scratch=Scratch, arch=BLACKWELL)
def test_loads_know_the_signedness(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    assert smem.ints.load().is_signed is False
    assert smem.ints.load(mgpu.TMEM_NATIVE_LAYOUT).is_signed is False
    assert smem.ints.load(is_signed=True).is_signed is True
    assert smem.acc.load().is_signed is None
    smem.acc.store(smem.acc.load())


@in_kernel(scratch=Scratch, arch=BLACKWELL)
def test_sparsity_metadata_has_mosaics_own_errors(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    with pytest.raises(NotImplementedError, match="Sparse meta layout loads unsupported"):
        smem.meta.load(smem.meta.layout.as_tiled_layout())


@in_kernel(scratch=Scratch, arch=BLACKWELL)
def test_a_reference_that_the_author_allocates(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    for dtype in (mgpu.int32, ir.IntegerType.get_signless(32)):
        ref = tcgen05.TMEMRef.from_alloc(smem.address, (128, 64), dtype, collective=False)
        assert type(ref) is mgpu.DenseTMEM
        assert ref.token is (mgpu.int32 if dtype is mgpu.int32 else None)
    made = tcgen05.TMEMRef(ref.address, (128, 4), mgpu.float8_e8m0fnu, tcgen05.scales_layout())
    assert type(made) is mgpu.ScalesTMEM
    assert made.dtype == ir.Float8E8M0FNUType.get()


@in_kernel(scratch=Scratch, arch=BLACKWELL)
def test_wrap(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    dense = plain(smem.ints)
    wrapped = mgpu.DenseTMEM.wrap(dense, mgpu.uint32, tcgen05.tmem_default_layout())
    assert type(wrapped) is mgpu.DenseTMEM
    assert (wrapped.address, wrapped.token) == (dense.address, mgpu.uint32)
    assert type(dense) is raw.TMEMRef
    assert type(mgpu.SparseMetaTMEM.wrap(plain(smem.meta))) is mgpu.SparseMetaTMEM
    assert type(mgpu.ScalesTMEM.wrap(plain(smem.scales), mgpu.float8_e8m0fnu)) is mgpu.ScalesTMEM


@in_kernel(scratch=Scratch, arch=BLACKWELL)
def test_wrap_refuses(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    for wrap, args, error, message in (
        (mgpu.DenseTMEM.wrap, (x, mgpu.int32), TypeError,
         "DenseTMEM.wrap: expected a TMEM reference (tcgen05.TMEMRef), got memref<128xi32>"),
        (mgpu.DenseTMEM.wrap, (plain(smem.meta), mgpu.int2), TypeError,
         "DenseTMEM.wrap: expected TMEM that holds dense data, got TMEM that holds sparsity metadata, "
         f"by its layout {smem.meta.layout}; use SparseMetaTMEM.wrap"),
        (mgpu.SparseMetaTMEM.wrap, (plain(smem.acc), mgpu.float32), TypeError,
         "SparseMetaTMEM.wrap: expected TMEM that holds sparsity metadata, got TMEM that holds dense data, "
         f"by its layout {smem.acc.layout}; use DenseTMEM.wrap"),
        (mgpu.ScalesTMEM.wrap, (plain(smem.scales), mgpu.float8_e4m3fn), ValueError,
         "ScalesTMEM.wrap: expected elements of float8_e4m3fn (f8E4M3FN), got f8E8M0FNU; "
         "pass the dtype that it was declared with as dtype"),
        (mgpu.DenseTMEM.wrap, (plain(smem.acc), mgpu.float32, tcgen05.tmem_default_layout(2)), ValueError,
         f"DenseTMEM.wrap: expected layout {tcgen05.tmem_default_layout(2)}, got {smem.acc.layout}; "
         "correct or leave out layout"),
    ):  # fmt: skip
        with pytest.raises(error) as caught:
            wrap(*args)
        assert str(caught.value) == message


@in_kernel(
    scratch=mgpu.TMEM((128, 64), mgpu.float32),
    arch=BLACKWELL,
    thread_semantics=mgpu.LoweringSemantics.Warpgroup,
)
def test_warpgroup_semantics_pass_a_memref(ctx: Any, x: Any, o: Any, tmem: Any) -> None:
    assert isinstance(tmem, ir.OpResult)
