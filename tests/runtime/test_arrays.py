"""Arrays are Mosaic GPU's own; the facade fills in signedness, and replaced methods differ in a trace alone."""

import threading
from typing import Any

import jax
import jax.experimental.mosaic.gpu as raw
import pytest
from jax._src.interpreters import mlir
from jax.experimental.mosaic.gpu import fragmented_array as fa
from jaxlib.mlir import ir

import safegpu as mgpu
from safegpu import fragmented_array
from safegpu._jax import LACKING
from safegpu._trace import tracing
from safegpu.offline.lowering import tracing_context
from tests.runtime.kernels import HOPPER, in_kernel, trace

# --- facades


@in_kernel()
def test_an_array_is_mosaics_own(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    array = mgpu.FragmentedArray.load_strided(x)
    assert type(array) is raw.FragmentedArray
    assert isinstance(array, mgpu.FragmentedArray)
    made = mgpu.FragmentedArray(_registers=array.registers, _layout=array.layout, _is_signed=True)
    assert type(made) is raw.FragmentedArray
    assert jax.tree.structure(array) == jax.tree.structure(made)


def test_layouts_are_mosaics_own() -> None:
    splat, strided = mgpu.WGSplatFragLayout((128,)), mgpu.WGStridedFragLayout((128,), 1)
    wgmma = mgpu.WGMMA_LAYOUT
    tiled = mgpu.TiledLayout(wgmma.tiling, wgmma.warp_dims, wgmma.lane_dims, wgmma.vector_dim)
    assert (type(splat), type(strided)) == (raw.WGSplatFragLayout, raw.WGStridedFragLayout)
    assert tiled == wgmma
    assert all(isinstance(layout, mgpu.FragmentedLayout) for layout in (splat, strided, tiled))
    assert not isinstance(splat, mgpu.TiledLayout)
    assert issubclass(raw.TiledLayout, mgpu.TiledLayout)
    match strided:
        case mgpu.WGStridedFragLayout(shape, vec_size):
            assert (shape, vec_size) == ((128,), 1)


def test_a_class_of_the_authors_derives_from_the_real_one() -> None:
    class Mine(mgpu.WGSplatFragLayout):
        def doubled(self) -> tuple[int, ...]:
            return self.shape * 2

    mine = Mine((4,))
    assert type(mine) is Mine
    assert mine.doubled() == (4, 4)
    assert isinstance(mine, raw.WGSplatFragLayout)
    assert not isinstance(raw.WGSplatFragLayout((4,)), Mine)


@pytest.mark.skipif("plan_gmem_transfer" in LACKING, reason="before jax 0.12 the optimization is for shared memory")
def test_the_optimization_of_global_memory_changes_nothing() -> None:
    """It refuses what is not of whole sectors (SG115), and lowers the rest as it is without it."""

    def module(optimized: bool) -> str:
        def body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
            array = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=optimized)
            array.store_untiled(o, optimized=optimized)

        return trace(body, *[mgpu.GMEM((64, 64), mgpu.float32)] * 2, ())

    assert module(True) == module(False)


# --- constructors


@in_kernel(scratch=mgpu.SMEM((64, 64), mgpu.uint8, tiling=(64, 64)))
def test_loads_know_the_signedness(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    array, layout = mgpu.FragmentedArray, mgpu.WGMMA_LAYOUT_8BIT
    untiled = mgpu.memref_reshape(smem, (64, 64))
    for loaded, is_signed in (
        (array.load_strided(x), True),
        (array.load_strided(x.maybe_downcast()), True),
        (array.load_strided(x, is_signed=False), False),
        (array.load_strided(smem), False),
        (array.load_tiled(smem, 16, layout=layout, optimized=False), False),
        (array.load_tiled(ref=smem, swizzle=16, is_signed=True, layout=layout, optimized=False), True),
        (array.load_untiled(untiled, layout=layout, optimized=False), False),
    ):
        assert loaded.is_signed is is_signed


@in_kernel(peers=2)
def test_reducing_loads_know_the_signedness(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    layout = mgpu.WGStridedFragLayout((128,), 1)
    multimem = ctx.to_remote_multicast(x)
    for loaded in (
        mgpu.FragmentedArray.load_reduce_untiled(multimem, layout, "add"),
        mgpu.FragmentedArray.load_reduce_untiled(multimem, layout, "add", 16, True),
    ):
        assert loaded.is_signed is True


@in_kernel()
def test_an_unknown_dtype_is_mosaics_own_error(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    unknown = raw.memref_unfold(x, 0, (1, None))
    assert mgpu.FragmentedArray.load_strided(unknown).is_signed is True
    with pytest.raises(TypeError, match="is_signed must be non-None"):
        raw.FragmentedArray.load_strided(unknown)


@in_kernel()
def test_splats_and_iotas(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    splat = mgpu.FragmentedArray.splat(mgpu.c(1, mgpu.int32), (128,), is_signed=True)
    assert isinstance(splat.registers.item(), ir.OpResult)
    for dtype, is_signed in ((mgpu.uint32, False), (mgpu.int32, True), (mgpu.float32, None)):
        iota = mgpu.FragmentedArray.broadcasted_iota(dtype, (64, 64), 1, mgpu.WGMMA_LAYOUT)
        assert iota.is_signed is is_signed
    iota = mgpu.FragmentedArray.broadcasted_iota(ir.F32Type.get(), (128,), 0, mgpu.WGStridedFragLayout((128,), 1))
    assert iota.mlir_dtype == ir.F32Type.get()
    with pytest.raises(ValueError, match="expected is_signed=True, as int32 says, got False; leave is_signed out"):
        mgpu.FragmentedArray.broadcasted_iota(mgpu.int32, (128,), 0, is_signed=False)


@in_kernel()
def test_build_hands_out_indices(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    def element(i: Any, j: Any) -> Any:
        assert type(i) is type(j) is mgpu.Index
        return (i * 64 + j).to_i32()

    built = mgpu.FragmentedArray.build((64, 64), mgpu.WGMMA_LAYOUT, element, is_signed=True)
    assert built.mlir_dtype == ir.IntegerType.get_signless(32)


@in_kernel()
def test_scalars_go_with_arrays(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    array, one = mgpu.FragmentedArray.load_strided(x), mgpu.c(1, mgpu.int32)
    for result in (array + one, one + array, one - array, array < one, one < array):
        assert type(result) is raw.FragmentedArray


@in_kernel()
def test_accumulators_take_tokens(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    for dtype, is_signed in (
        (None, None),
        (mgpu.float16, None),
        (mgpu.int32, True),
        (ir.F32Type.get(), None),
    ):
        acc = mgpu.WGMMAAccumulator.zero(64, 64, dtype)
        assert type(acc) is raw.WGMMAAccumulator
        assert isinstance(acc, mgpu.WGMMAAccumulator)
        assert acc.value.is_signed is is_signed
    with pytest.raises(TypeError, match="PTX does not support unsigned WGMMA accumulators"):
        mgpu.WGMMAAccumulator.zero(64, 64, mgpu.uint32)


@in_kernel()
def test_wrap_checks_and_gives_the_same_object(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    array = mgpu.FragmentedArray.load_strided(x)
    assert mgpu.FragmentedArray.wrap(array, mgpu.int32) is array
    assert mgpu.FragmentedArray.wrap(array, mgpu.int32, array.layout) is array
    for args, error, message in (
        ((x, mgpu.int32), TypeError, "FragmentedArray.wrap: expected a FragmentedArray, got GmemRef"),
        ((array, mgpu.float32), ValueError,
         "FragmentedArray.wrap: expected elements of float32 (f32), got i32; "
         "pass the dtype that it was declared with as dtype"),
        ((array, mgpu.uint32), ValueError,
         "FragmentedArray.wrap: expected an array of uint32 (is_signed=False), got is_signed=True; "
         "pass the dtype of the same width and this signedness"),
        ((array, mgpu.int32, mgpu.WGMMA_ROW_LAYOUT), ValueError,
         f"FragmentedArray.wrap: expected layout {mgpu.WGMMA_ROW_LAYOUT}, got {array.layout}; "
         "convert with to_layout, or correct layout"),
    ):  # fmt: skip
        with pytest.raises(error) as caught:
            mgpu.FragmentedArray.wrap(*args)
        assert str(caught.value) == message


# --- methods that are replaced


def test_tokens_are_taken_during_a_trace() -> None:
    def body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        array = mgpu.FragmentedArray.load_strided(x)
        assert array.astype(mgpu.float32).is_signed is None
        assert array.astype(mgpu.uint16).is_signed is False
        assert array.astype(new_dtype=ir.IntegerType.get_signless(16), is_signed=True).is_signed is True
        assert array.bitcast(mgpu.float32).mlir_dtype == ir.F32Type.get()
        assert array.bitcast(mgpu.float32).bitcast(mgpu.uint32).is_signed is False
        with pytest.raises(ValueError, match="astype: expected is_signed=True, as int8 says, got False"):
            array.astype(mgpu.int8, is_signed=False)

    trace(body)


def test_methods_are_replaced_once() -> None:
    """To Python a class that has changed is another one, and it learns anew how to find its attributes."""
    methods = []

    def body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        methods.append(dict(vars(fa.FragmentedArray)))

    trace(body)
    trace(body)
    assert methods[0] == methods[1] == dict(vars(fa.FragmentedArray))


def test_nothing_is_watched_after_an_exception() -> None:
    def body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        raise KeyError("from the body")

    with pytest.raises(KeyError, match="from the body"):
        trace(body)
    assert not tracing()


def test_a_raw_kernel_in_another_thread_is_untouched() -> None:
    outcome: list[object] = []

    def raw_body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        array = raw.FragmentedArray.load_strided(x, is_signed=True)
        array.astype(ir.F32Type.get())
        try:
            array.astype(mgpu.float32)
        except Exception as error:
            outcome.append(error)

    def body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        def build() -> None:
            with mlir.make_ir_context(), ir.Location.unknown():
                build_kernel(raw, raw_body)

        thread = threading.Thread(target=build)
        thread.start()
        thread.join()
        mgpu.FragmentedArray.load_strided(x).astype(mgpu.float32)

    def build_kernel(module: Any, body: Any) -> None:
        spec = jax.ShapeDtypeStruct((128,), "int32")
        module.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), (spec,), spec, ())

    with tracing_context(HOPPER):
        build_kernel(mgpu, body)
    assert len(outcome) == 1
    assert not isinstance(outcome[0], ValueError)


def test_mirror_of_the_module() -> None:
    assert fragmented_array.FragmentedArray is mgpu.FragmentedArray
    assert fragmented_array.Tiling is fa.Tiling
    assert fragmented_array.concatenate is fa.concatenate


@in_kernel(inputs=mgpu.GMEM((128,), mgpu.float32))
def test_arrays_behind_a_barrier_are_a_tuple(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    array = mgpu.FragmentedArray.load_strided(x)
    one, (first, second) = mgpu.optimization_barrier(array), mgpu.optimization_barrier(array, array * 2)
    assert {each.layout for each in (one, first, second)} == {array.layout}
    assert isinstance(fragmented_array.optimization_barrier(array, one, first), tuple)
