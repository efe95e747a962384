"""The kernel is the same kernel: its module is the raw one to the byte, whatever the specs are."""

import functools
from typing import Any

import jax
import jax.experimental.mosaic.gpu as raw
import jax.numpy as jnp
import pytest
from jax.experimental.mosaic.gpu import tcgen05 as raw_tcgen05
from jaxlib.mlir.dialects import arith, gpu

import safegpu as mgpu
from safegpu import tcgen05
from safegpu.offline.lowering import lowered
from tests.runtime.kernels import BLACKWELL, in_kernel, trace

SPEC = jax.ShapeDtypeStruct((128, 64), jnp.float16)
TYPED = mgpu.GMEM((128, 64), mgpu.float16)


class Staging(mgpu.Scratch):
    tile = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    bar = mgpu.TMABarrier()


RAW_STAGING = (jax.ShapeDtypeStruct((16, 1, 8, 64), jnp.float16), raw.Barrier(1))


def copy(module: Any, tile: Any, bar: Any, ctx: Any, x: Any, o: Any) -> None:
    """Global memory to shared memory to registers to global memory."""
    ctx.async_copy(src_ref=x, dst_ref=tile, swizzle=128, gmem_transform=module.TileTransform((8, 64)), barrier=bar)
    bar.wait()
    array = module.FragmentedArray.load_tiled(tile, swizzle=128)
    (array + array).store_untiled(o, optimized=False)


def test_scratch_as_a_class_lowers_to_the_raw_bytes() -> None:
    def typed() -> Any:
        def kernel(ctx: Any, x: Any, o: Any, smem: Any) -> None:
            copy(mgpu, smem.tile, smem.bar, ctx, x, o)

        return kernel

    def untyped() -> Any:
        def kernel(ctx: Any, x: Any, o: Any, smem: Any) -> None:
            copy(raw, *smem, ctx, x, o)

        return kernel

    expected = trace(untyped(), (SPEC,), SPEC, RAW_STAGING, module=raw)
    assert "kernel_mosaic_gpu" in expected
    assert trace(typed(), (TYPED,), TYPED, Staging) == expected
    assert trace(untyped(), (SPEC,), SPEC, RAW_STAGING) == expected


def test_tensor_memory_lowers_to_the_raw_bytes() -> None:
    def kernel(module: Any, ctx: Any, x: Any, o: Any, smem: Any) -> None:
        array = module.FragmentedArray.load_untiled(
            x, layout=module.TMEM_NATIVE_LAYOUT, is_signed=True, optimized=False
        )
        smem.store(array)
        module.tcgen05.commit_tmem()
        smem.slice(slice(None), slice(0, 64)).load(module.TMEM_NATIVE_LAYOUT, is_signed=True).store_untiled(
            o, optimized=False
        )

    spec, typed = jax.ShapeDtypeStruct((128, 64), jnp.int32), mgpu.GMEM((128, 64), mgpu.int32)
    expected = trace(
        functools.partial(kernel, raw), spec, spec, raw.TMEM((128, 64), jnp.int32), module=raw, arch=BLACKWELL
    )
    for scratch in (
        mgpu.TMEM((128, 64), mgpu.int32),
        mgpu.TMEM((128, 64), mgpu.int32, layout=tcgen05.tmem_default_layout()),
    ):
        assert trace(functools.partial(kernel, mgpu), typed, typed, scratch, arch=BLACKWELL) == expected
    assert raw_tcgen05.tmem_default_layout is tcgen05.tmem_default_layout


def test_operators_lower_to_the_calls_they_stand_for() -> None:
    def operators() -> Any:
        def kernel(ctx: Any, x: Any, o: Any, smem: Any) -> None:
            i = mgpu.block_id(mgpu.Dimension.x)
            with mgpu.when((i * 8 + 1 < 64) & (i % 2).eq(0)):
                mgpu.FragmentedArray.load_strided(x).store_untiled(o)

        return kernel

    def calls() -> Any:
        def kernel(ctx: Any, x: Any, o: Any, smem: Any) -> None:
            i = gpu.block_id(gpu.Dimension.x)
            c = functools.partial(raw.c, ty=i.type)
            low = arith.cmpi(arith.CmpIPredicate.ult, arith.addi(arith.muli(i, c(8)), c(1)), c(64))
            even = arith.cmpi(arith.CmpIPredicate.eq, arith.remui(i, c(2)), c(0))
            with raw.when(arith.andi(low, even)):
                raw.FragmentedArray.load_strided(x, is_signed=True).store_untiled(o)

        return kernel

    assert trace(operators()) == trace(calls(), module=raw)


def test_the_kernel_has_the_bodys_name() -> None:
    def my_kernel(ctx: Any, x: Any, o: Any, smem: Any) -> None: ...

    class Callable_:
        def __call__(self, ctx: Any, x: Any, o: Any, smem: Any) -> None: ...

    for body, options, name in (
        (my_kernel, {}, "my_kernel"),
        (functools.partial(my_kernel), {}, "my_kernel"),
        (Callable_(), {}, "anonymous"),
        (my_kernel, {"kernel_name": "other"}, "other"),
    ):
        assert f"@{name}_mosaic_gpu" in trace(body, **options)


def test_arguments_by_keyword_and_every_kind_of_shape() -> None:
    def body(ctx: Any, a: Any, b: Any, both: Any, c: Any, smem: Any) -> None:
        assert [ref.dtype for ref in (a, b, both, c)] == [mgpu.int8, mgpu.uint8, mgpu.int32, mgpu.float16]

    shapes = [mgpu.GMEM((8,), mgpu.int8), mgpu.GMEM((8,), mgpu.uint8)]
    trace(body, shapes, [mgpu.GMEM((8,), mgpu.float16)], inout_shape=mgpu.GMEM((8,), mgpu.int32))


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((None,), {"grid": (1, 1, 1)}, "as_gpu_kernel.. missing 4 required positional arguments: 'block', 'in_shape'"),
        ((None, (1, 1, 1)), {"grid": (1, 1, 1)}, "got multiple values for argument 'grid'"),
        ((None, (1, 1, 1), (128, 1, 1), (), (), ()), {"shape": ()}, "unexpected keyword argument 'shape'"),
        ((None,) * 20, {}, r"takes from 6 to 1\d positional arguments but 20 were given"),
    ],
)
def test_a_wrong_call_is_told_as_by_mosaic_gpu(args: Any, kwargs: Any, message: str) -> None:
    for module in (mgpu, raw):
        with pytest.raises(TypeError, match=message):
            module.as_gpu_kernel(*args, **kwargs)


def test_outputs_stay_plain() -> None:
    kernel = []

    def body(ctx: Any, x: Any, o: Any, smem: Any) -> None: ...

    lowered(lambda: kernel.append(mgpu.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), (TYPED,), TYPED, ())))
    with pytest.raises(ValueError, match="Argument dtype mismatch: expected float16, got float32"):
        kernel[0](jnp.zeros((128, 64), jnp.float32))


@in_kernel(scratch=mgpu.SMEM((128,), mgpu.int32))
def test_a_raw_context_function_takes_wrappers(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    assert isinstance(ctx, raw.LaunchContext)
    ctx.async_prefetch(gmem_ref=x)
    raw.FragmentedArray.load_strided(smem, is_signed=True).store_untiled(o)


def test_an_array_as_a_spec_is_a_reference_of_ours() -> None:
    """Mosaic GPU asks a spec of shared memory for its shape and dtype alone, which arrays have as well."""

    def body(ctx: Any, x: Any, o: Any, scratch: Any) -> None:
        assert type(scratch[0]) is mgpu.SmemRef
        assert scratch[0].dtype is mgpu.float16

    trace(body, SPEC, SPEC, (jnp.zeros((64, 64), jnp.float16), mgpu.Barrier(1)))
