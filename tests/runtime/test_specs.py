"""Specs and scratch: what is allocated, what the body receives, and what is refused when a spec is made."""

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.experimental.mosaic.gpu import core

import safegpu as mgpu
from safegpu import tcgen05
from tests.runtime.kernels import BLACKWELL, in_kernel, trace

# --- GMEM and SMEM


def test_a_gmem_spec_is_a_shape_and_a_dtype() -> None:
    spec = mgpu.GMEM((8, 4), mgpu.bfloat16)
    assert isinstance(spec, jax.ShapeDtypeStruct)
    assert (spec.shape, spec.dtype, spec.token) == ((8, 4), jnp.bfloat16, mgpu.bfloat16)
    assert mgpu.GMEM((8,), jnp.int8).token is mgpu.int8
    assert jax.eval_shape(lambda a: a + 1, spec).shape == (8, 4)


@pytest.mark.parametrize(
    ("shape", "dtype", "options", "tiled"),
    [
        ((128, 64), mgpu.float16, {}, (128, 64)),
        ((128, 64), mgpu.float16, {"swizzle": 16}, (128, 64)),
        ((128, 64), mgpu.float16, {"swizzle": 128}, (16, 1, 8, 64)),
        ((128, 64), mgpu.float16, {"swizzle": 64}, (16, 2, 8, 32)),
        ((128, 64), mgpu.float32, {"swizzle": 128}, (16, 2, 8, 32)),
        ((128, 128), mgpu.int8, {"swizzle": 128}, (16, 1, 8, 128)),
        ((128, 256), mgpu.float4_e2m1fn, {"swizzle": 128}, (16, 1, 8, 256)),
        ((4, 128, 64), mgpu.bfloat16, {"swizzle": 32}, (4, 16, 4, 8, 16)),
        ((128, 64), jnp.float16, {"swizzle": 128}, (16, 1, 8, 64)),
        ((128, 64), mgpu.float16, {"swizzle": 128, "tiling": ()}, (128, 64)),
        ((128, 64), mgpu.float16, {"tiling": (64,)}, (128, 1, 64)),
        ([128, 64], mgpu.float16, {"swizzle": 128, "tiling": [64, 64]}, (2, 1, 64, 64)),
    ],
)
def test_an_smem_spec_works_out_the_tiled_shape(
    shape: Any, dtype: Any, options: dict[str, Any], tiled: tuple[int, ...]
) -> None:
    spec = mgpu.SMEM(shape, dtype, **options)
    assert isinstance(spec, jax.ShapeDtypeStruct)
    assert (spec.shape, spec.logical_shape) == (tiled, tuple(shape))
    assert spec.swizzle == options.get("swizzle", 16)
    if spec.tiling:
        assert tiled == mgpu.tile_shape(tuple(shape), spec.tiling)


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ((128, 64), {"swizzle": 48}, "SMEM: swizzle must be 16 (none), 32, 64 or 128 bytes, got 48"),
        ((128, 48), {"swizzle": 128},
         "SMEM: expected a shape whose last dimensions are multiples of the tiling (8, 64) (swizzle=128), "
         "got (128, 48); correct shape, or pass another tiling"),
        ((64,), {"swizzle": 128},
         "SMEM: expected a shape whose last dimensions are multiples of the tiling (8, 64) (swizzle=128), "
         "got (64,); correct shape, or pass another tiling"),
        ((128, 64), {"tiling": (3, 64)},
         "SMEM: expected a shape whose last dimensions are multiples of the tiling (3, 64) (swizzle=None), "
         "got (128, 64); correct shape, or pass another tiling"),
    ],
)  # fmt: skip
def test_an_smem_spec_refuses(shape: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        mgpu.SMEM(shape, mgpu.float16, **options)
    assert str(caught.value) == message


# --- TMEM


def test_a_tmem_spec_needs_no_mlir_context() -> None:
    for dtype in (mgpu.float32, jnp.float32):
        spec = mgpu.TMEM((128, 64), dtype, layout=tcgen05.tmem_default_layout())
        assert isinstance(spec, core.TMEM)
        assert (spec.shape, spec.dtype, spec.collective) == ((128, 64), dtype, False)
    assert mgpu.TMEM((128, 64), mgpu.float16, packing=2).packing == 2


def test_a_tmem_spec_refuses() -> None:
    layout = tcgen05.tmem_default_layout(2)
    with pytest.raises(ValueError, match="layout has a packing of its own, got packing=2 as well; leave it out"):
        mgpu.TMEM((128, 64), mgpu.float16, layout=layout, packing=2)
    with pytest.raises(ValueError, match="For 32-bit types, the vector length must be 1"):
        mgpu.TMEM((128, 64), mgpu.float32, layout=layout)
    with pytest.raises(ValueError, match="is not divisible into tiles"):
        mgpu.TMEM((100, 64), mgpu.float16, layout=layout)


# --- scratch


class Inner(mgpu.Scratch):
    a = mgpu.SMEM((8,), mgpu.float32)
    bar = mgpu.Barrier(1)


class Base(mgpu.Scratch):
    first = mgpu.SMEM((16,), mgpu.uint8)
    second = mgpu.SMEM((4,), mgpu.int32)


class Whole(Base):
    """Everything that can be declared."""

    second = mgpu.SMEM((8,), mgpu.int32)
    steps = 3
    empty: tuple[Any, ...] = ()
    inner = Inner
    bufs = mgpu.Many(mgpu.SMEM((64, 64), mgpu.float16, swizzle=128), 2)
    listed = [mgpu.Barrier(1, num_barriers=2), Inner]
    named = {"z": mgpu.SMEM((2,), mgpu.int16), "a": mgpu.SMEM((2,), mgpu.uint16)}
    either = mgpu.Union([mgpu.SMEM((4,), mgpu.int32), (mgpu.SMEM((4,), mgpu.uint32), Inner)])

    def doubled(self) -> int:
        return self.steps * 2


@in_kernel(scratch=Whole)
def test_the_body_receives_an_instance(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    assert type(smem) is Whole
    assert (smem.steps, smem.empty, smem.doubled()) == (3, (), 6)
    assert smem.first.dtype is mgpu.uint8
    assert smem.second.shape == (8,)
    assert type(smem.inner) is Inner
    assert type(smem.inner.bar) is mgpu.BarrierRef
    assert [buf.swizzle for buf in smem.bufs] == [128, 128]
    assert type(smem.bufs) is tuple
    assert [type(each) for each in smem.listed] == [mgpu.BarrierArray, Inner]
    assert {name: ref.dtype for name, ref in smem.named.items()} == {"a": mgpu.uint16, "z": mgpu.int16}
    one, (two, inner) = smem.either
    assert (one.dtype, two.dtype, type(inner)) == (mgpu.int32, mgpu.uint32, Inner)


def offsets(smem: Any) -> list[int]:
    """Where each buffer of a scratch begins."""
    return [ref.owner.operands[1].owner.attributes["value"].value for ref in vars(smem).values()]


@in_kernel(scratch=Base)
def test_allocation_follows_the_declaration(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    assert list(vars(smem)) == ["first", "second"]
    assert offsets(smem) == [0, 16]


class Reordered(Base):
    zeroth = mgpu.SMEM((4,), mgpu.int32)
    first = None


@in_kernel(scratch=Reordered)
def test_base_classes_come_first_and_an_attribute_can_be_taken_back(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    assert list(vars(smem)) == ["second", "zeroth"]
    assert offsets(smem) == [0, 16]
    assert smem.first is None


@in_kernel(scratch=(Base, {"inner": Inner}))
def test_classes_inside_a_tree(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    assert [type(smem[0]), type(smem[1]["inner"])] == [Base, Inner]


class Sized(Base):
    def __init__(self, n: int, dtype: Any) -> None:
        self.n = n
        self.sized = mgpu.SMEM((n,), dtype)
        self.second = None


@in_kernel(scratch=(Sized(8, mgpu.int8), {"inner": Sized(16, mgpu.float16)}))
def test_scratch_as_an_object(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    first, second = smem[0], smem[1]["inner"]
    assert [type(first), type(second), first.n, second.n] == [Sized, Sized, 8, 16]
    assert first.first.dtype is mgpu.uint8
    assert first.second is None
    assert (first.sized.dtype, first.sized.shape) == (mgpu.int8, (8,))
    assert (second.sized.dtype, second.sized.shape) == (mgpu.float16, (16,))


def test_a_class_that_sets_its_specs_in_init_is_no_scratch_yet() -> None:
    class Sized(mgpu.Scratch):
        def __init__(self, n: int) -> None:
            self.tile = mgpu.SMEM((n,), mgpu.int32)

    with pytest.raises(TypeError, match=r"Sized sets its specs in __init__: pass an object, Sized\(\.\.\.\)"):
        trace(lambda *_: None, scratch=Sized)


def test_an_object_that_is_scratch_can_be_given_twice() -> None:
    scratch = Sized(8, mgpu.int8)

    @in_kernel(scratch=scratch)
    def body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        assert smem is not scratch

    body()
    body()
    assert isinstance(scratch.sized, mgpu.SMEM)


class Blackwell(mgpu.Scratch[Any]):
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    packed = mgpu.TMEM((128, 64), mgpu.bfloat16, packing=2)


@in_kernel(scratch=Blackwell, arch=BLACKWELL)
def test_scratch_of_tensor_memory(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    assert [type(smem.acc), type(smem.packed)] == [mgpu.DenseTMEM] * 2
    assert (smem.packed.token, smem.packed.packing) == (mgpu.bfloat16, 2)


@in_kernel(scratch=mgpu.Scratch)
def test_scratch_of_nothing(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    assert vars(smem) == {}


def test_specs_and_other_things_do_not_mix() -> None:
    with pytest.raises(TypeError) as caught:

        class Mixed(mgpu.Scratch):
            pair = (mgpu.Barrier(1), 3)

    assert str(caught.value) == (
        "Mixed.pair: expected specs alone, got 3 among them; keep it in an attribute of its own"
    )


def test_many() -> None:
    spec = mgpu.SMEM((8,), mgpu.int32)
    assert mgpu.Many(spec, 3) == (spec, spec, spec)
