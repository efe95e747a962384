"""jax's own specs, dtypes, arrays and MLIR dialects beside ours. Nothing here may be rejected."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from _twins import legal
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, gpu, memref

import safegpu as mgpu
from safegpu import tcgen05, utils

GRID = (1, 1, 1)
BLOCK = (128, 1, 1)
SDS = jax.ShapeDtypeStruct((64, 64), jnp.float16)
F16 = mgpu.GMEM((64, 64), mgpu.float16)
F32 = mgpu.GMEM((64, 64), mgpu.float32)


class S(mgpu.Scratch):
    smem = mgpu.SMEM((64, 64), mgpu.float16)
    barrier = mgpu.Barrier(1)


class FromJax(mgpu.Scratch):
    smem = mgpu.SMEM((64, 64), jnp.float16, swizzle=128)
    other = mgpu.SMEM((64, 64), jnp.dtype("float16"))
    barriers = mgpu.Barrier(1, num_barriers=2)
    acc = mgpu.TMEM((128, 64), jnp.float32)
    half = mgpu.TMEM((128, 64), jnp.bfloat16, packing=2)


def body(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    mgpu.FragmentedArray.load_strided(x).store_untiled(o)


def any_scratch(ctx: mgpu.LaunchContext, x: mgpu.GmemRef, o: mgpu.GmemRef, s: Any) -> None:
    mgpu.FragmentedArray.load_strided(x).store_untiled(o)


def untyped(ctx, x, o, s):
    mgpu.FragmentedArray.load_strided(x).store_untiled(o)


def with_option(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.float16],
    o: mgpu.GmemRef[mgpu.float16],
    s: S,
    *,
    twice: bool,
) -> None:
    mgpu.FragmentedArray.load_strided(x).store_untiled(o)


@legal()
def tokens_are_dtypes() -> None:
    jnp.zeros((2,), mgpu.float16)
    jnp.zeros((2,), dtype=mgpu.bfloat16)
    jax.ShapeDtypeStruct((2,), mgpu.float8_e4m3fn)
    jnp.dtype(mgpu.float32)
    jnp.arange(4, dtype=mgpu.int32).astype(mgpu.float32)
    array: jax.Array = jnp.zeros((2,), mgpu.float16)


@legal()
def input_from_jax() -> None:
    mgpu.as_gpu_kernel(body, GRID, BLOCK, (SDS,), F16, S)


@legal()
def bare_input_from_jax() -> None:
    mgpu.as_gpu_kernel(body, GRID, BLOCK, SDS, F16, S)


@legal()
def output_from_jax() -> None:
    mgpu.as_gpu_kernel(body, GRID, BLOCK, (F16,), SDS, S)


@legal()
def everything_from_jax() -> None:
    mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, SDS, SDS, SDS)


@legal()
def arrays_as_specs() -> None:
    x = jnp.zeros((64, 64), jnp.float16)
    mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, x, x, ())


@legal()
def numpy_arrays_as_specs() -> None:
    x = np.zeros((64, 64), np.float16)
    mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, x, x, (x,) * 2)


@legal()
def lists_of_specs() -> None:
    mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, [F16], F16, [SDS, mgpu.Barrier(1)])


@legal()
def list_of_outputs() -> None:
    mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, (F16,), [F16], ())


@legal()
def scratch_in_a_dict() -> None:
    mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, (F16,), F16, {"a": mgpu.SMEM((64,), mgpu.float16), "b": SDS})


@legal()
def scratch_in_a_list() -> None:
    mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, (F16,), F16, [mgpu.SMEM((64,), mgpu.float16), mgpu.Barrier(1)])


@legal()
def scratch_mixed() -> None:
    mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, (F16,), F16, (mgpu.Barrier(1), SDS, mgpu.Barrier(1)))


@legal()
def scratch_nested() -> None:
    scratch = (mgpu.Barrier(1), (mgpu.SMEM((64,), mgpu.float16), mgpu.Barrier(1)), [SDS, {"k": SDS}])
    mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, (F16,), F16, scratch)


@legal()
def scratch_union() -> None:
    union = mgpu.Union([mgpu.SMEM((64, 64), mgpu.float16), SDS])
    mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, (F16,), F16, union)


@legal()
def scratch_union_in_a_tuple() -> None:
    union = mgpu.Union([SDS, (SDS, SDS)])
    mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, (F16,), F16, (union, mgpu.Barrier(1)))


@legal()
def scratch_none() -> None:
    mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, (F16,), F16, None)


@legal()
def scratch_empty() -> None:
    mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, (F16,), F16, ())


@legal()
def in_place() -> None:
    def swap(ctx: mgpu.LaunchContext, x: mgpu.GmemRef, y: mgpu.GmemRef, o: mgpu.GmemRef, s: S) -> None: ...

    mgpu.as_gpu_kernel(swap, GRID, BLOCK, (F16,), F16, S, inout_shape=F32)


@legal()
def in_place_from_jax() -> None:
    def swap(ctx: mgpu.LaunchContext, x: mgpu.GmemRef, y: mgpu.GmemRef, o: mgpu.GmemRef, s: S) -> None: ...

    mgpu.as_gpu_kernel(swap, GRID, BLOCK, SDS, SDS, S, inout_shape=(SDS,))


@legal()
def untyped_body() -> None:
    mgpu.as_gpu_kernel(untyped, GRID, BLOCK, (F16,), F16, S)


@legal()
def untyped_body_without_scratch() -> None:
    mgpu.as_gpu_kernel(untyped, GRID, BLOCK, F16, F16, ())


@legal()
def lambda_body() -> None:
    mgpu.as_gpu_kernel(lambda ctx, x, o, s: untyped(ctx, x, o, s), GRID, BLOCK, (F16,), F16, S)


@legal()
def lambda_of_known_parameters() -> None:
    mgpu.as_gpu_kernel(lambda ctx, x, o, s: body(ctx, x, o, s), GRID, BLOCK, (F16,), F16, S)


@legal()
def starred_body() -> None:
    def starred(*references: Any) -> None: ...

    mgpu.as_gpu_kernel(starred, GRID, BLOCK, (F16, F32), (F16, F32), S)


@legal()
def starred_references() -> None:
    def starred(ctx: mgpu.LaunchContext, *references: Any) -> None: ...

    mgpu.as_gpu_kernel(starred, GRID, BLOCK, (F16, F32), (F16, F32), S)


@legal()
def partial_body() -> None:
    mgpu.as_gpu_kernel(functools.partial(with_option, twice=True), GRID, BLOCK, (F16,), F16, S)


@legal()
def callable_body() -> None:
    chosen: Callable[..., None] = body
    mgpu.as_gpu_kernel(chosen, GRID, BLOCK, (F16,), F16, S)


@legal()
def method_as_body() -> None:
    class Kernels:
        def body(self, ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef, s: S) -> None: ...

    mgpu.as_gpu_kernel(Kernels().body, GRID, BLOCK, (F16,), F16, S)


@legal()
def body_that_returns() -> None:
    def returns(ctx: mgpu.LaunchContext, x: mgpu.GmemRef, o: mgpu.GmemRef, s: S) -> int | None:
        return None

    mgpu.as_gpu_kernel(returns, GRID, BLOCK, (F16,), F16, S)


@legal()
def body_that_takes_raw_values() -> None:
    def raw(ctx: mgpu.LaunchContext, x: ir.Value, o: ir.Value, s: S) -> None:
        mgpu.FragmentedArray.load_strided(mgpu.GmemRef.wrap(x, mgpu.float16)).store_untiled(
            mgpu.GmemRef.wrap(o, mgpu.float16)
        )

    mgpu.as_gpu_kernel(raw, GRID, BLOCK, (F16,), F16, S)


@legal()
def body_that_takes_objects() -> None:
    def anything(ctx: object, x: object, o: object, s: object) -> None: ...

    mgpu.as_gpu_kernel(anything, GRID, BLOCK, (F16,), F16, S)


@legal()
def generic_body() -> None:
    def generic[D: (mgpu.float16, mgpu.bfloat16)](
        ctx: mgpu.LaunchContext, x: mgpu.GmemRef[D], o: mgpu.GmemRef[D], s: S
    ) -> None:
        mgpu.FragmentedArray.load_strided(x).store_untiled(o)

    mgpu.as_gpu_kernel(generic, GRID, BLOCK, (F16,), F16, S)


def build(dtype: Any, shape: tuple[int, ...], outputs: int) -> list[mgpu.Kernel]:
    spec = mgpu.GMEM(shape, dtype)
    sds = jax.ShapeDtypeStruct(shape, dtype)
    specs: tuple[Any, ...] = (spec,) * outputs
    typed_specs: tuple[mgpu.GmemRef, ...] = (spec,) * outputs
    scratch: Any = ()
    return [
        mgpu.as_gpu_kernel(body, GRID, BLOCK, (spec,), spec, S),
        mgpu.as_gpu_kernel(body, GRID, BLOCK, spec, sds, S),
        mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, (spec,), specs, scratch),
        mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, typed_specs, spec, scratch),
        mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, spec, typed_specs, scratch),
        mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, [sds] * outputs, (sds,), mgpu.Many(sds, 2)),
    ]


@legal()
def two_outputs() -> None:
    def anything(*references: Any) -> None: ...

    mgpu.as_gpu_kernel(anything, GRID, BLOCK, (F16, F32, F16), (F16, F32), S)


@legal()
def three_outputs() -> None:
    def three(
        ctx: mgpu.LaunchContext,
        x: mgpu.GmemRef[mgpu.float16],
        o1: mgpu.GmemRef[mgpu.float16],
        o2: mgpu.GmemRef[mgpu.float32],
        o3: mgpu.GmemRef[mgpu.float16],
        s: S,
    ) -> None: ...

    mgpu.as_gpu_kernel(three, GRID, BLOCK, (F16,), (F16, F32, F16), S)


@legal()
def four_outputs() -> None:
    def four(
        ctx: mgpu.LaunchContext,
        x: mgpu.GmemRef[mgpu.float16],
        o1: mgpu.GmemRef[mgpu.float16],
        o2: mgpu.GmemRef[mgpu.float32],
        o3: mgpu.GmemRef[mgpu.float16],
        o4: mgpu.GmemRef,
        s: tuple[mgpu.BarrierRef, mgpu.BarrierArray],
    ) -> None: ...

    mgpu.as_gpu_kernel(four, GRID, BLOCK, F16, (F16, F32, F16, F32), (mgpu.Barrier(1), mgpu.Barrier(1, 2)))


@legal()
def five_outputs() -> None:
    def five(ctx: mgpu.LaunchContext, x: Any, o1: Any, o2: Any, o3: Any, o4: Any, o5: Any, s: S) -> None: ...

    outputs: Any = (F16,) * 5
    mgpu.as_gpu_kernel(five, GRID, BLOCK, F16, outputs, S)


@legal()
def five_inputs_two_outputs() -> None:
    def many(
        ctx: mgpu.LaunchContext,
        a: mgpu.GmemRef[mgpu.float16],
        b: mgpu.GmemRef[mgpu.float32],
        c: mgpu.GmemRef,
        d: Any,
        e: mgpu.GmemRef[mgpu.float16],
        o: mgpu.GmemRef[mgpu.float32],
        p: mgpu.GmemRef,
        s: S,
    ) -> None: ...

    mgpu.as_gpu_kernel(many, GRID, BLOCK, (F16, F32, F16, SDS, F16), (F32, F16), S)


@legal()
def tensor_memory_of_an_arrays_shape() -> None:
    x = jnp.zeros((128, 64), jnp.float16)
    scratch = (mgpu.TMEM(x.shape, x.dtype, packing=2), mgpu.TMEM(x.shape, mgpu.float16, packing=2))
    mgpu.as_gpu_kernel(any_scratch, GRID, BLOCK, SDS, SDS, scratch)
    mgpu.TMEM(x.shape, mgpu.uint2, layout=tcgen05.sparse_meta_layout())
    mgpu.TMEM((128, 4), jnp.float8_e8m0fnu, layout=tcgen05.scales_layout())
    metadata, scales = jnp.zeros((128, 64), jnp.uint2), jnp.zeros((128, 4), jnp.float8_e8m0fnu)
    a: mgpu.SparseMetaTMEM = mgpu.TMEM(metadata.shape, metadata.dtype, layout=tcgen05.sparse_meta_layout())
    b: mgpu.SparseMetaTMEM = mgpu.TMEM((128, 64), jnp.uint2, layout=tcgen05.sparse_meta_layout())
    c: mgpu.ScalesTMEM = mgpu.TMEM(scales.shape, scales.dtype, layout=tcgen05.scales_layout())


@legal()
def sizes_in_lists() -> None:
    grid = [1, 1, 1]
    grid[0] = 2
    mgpu.as_gpu_kernel(body, grid, BLOCK, SDS, SDS, S, cluster=grid)
    mgpu.as_gpu_kernel(body, grid, [128, 1, 1], F16, F16, S)


@legal()
def the_kernel_takes_the_name_of_its_body() -> None:
    def copied(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
        mgpu.FragmentedArray.load_strided(x).store_untiled(o)

    copied = mgpu.as_gpu_kernel(copied, GRID, BLOCK, F16, F16, S)
    jax.eval_shape(copied, SDS)


@legal()
def kernels_are_called_and_lowered() -> None:
    kernel: mgpu.Kernel = mgpu.as_gpu_kernel(body, GRID, BLOCK, (F16,), F16, S, module_name="m", kernel_name="k")
    as_function: Callable[..., Any] = kernel
    wrapped = jax.jit(as_function)


# --- the dialects of MLIR


def barrier_of_warpgroup_semantics(raw: ir.Value) -> mgpu.DialectBarrierRef:
    return mgpu.DialectBarrierRef.from_barrier_memref(raw)


@legal(F16, F16, S, arch="sm_90a", cluster=2)
def dialects(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    index = ir.IndexType.get()
    peer = arith.subi(mgpu.c(1, index), gpu.cluster_block_id(gpu.Dimension.x))
    theirs = mgpu.get_cluster_ref(s.smem, gpu.Dimension.x, peer)
    value = mgpu.FragmentedArray.load_strided(theirs)
    row = arith.muli(gpu.block_id(gpu.Dimension.x), mgpu.c(16, index))
    mgpu.FragmentedArray.load_strided(mgpu.memref_slice(x, mgpu.ds(row, 16)))
    scalar = memref.load(x, [mgpu.c(0, index), mgpu.c(0, index)])
    mgpu.FragmentedArray.splat(scalar, (64, 64)).store_untiled(o)
    (value + mgpu.FragmentedArray.splat(scalar, (64, 64))).store_untiled(o)
    with mgpu.when(arith.cmpi(arith.CmpIPredicate.eq, peer, mgpu.c(0, index))):
        gpu.barrier()
    i32 = ir.IntegerType.get_signless(32)
    lane = arith.index_cast(i32, mgpu.thread_id(mgpu.Dimension.x))
    mgpu.FragmentedArray.splat(lane, (64, 64), is_signed=False)
    ctx.async_copy(src_ref=x, dst_ref=s.smem, barrier=s.barrier, gmem_slice=(mgpu.ds(row, 64), slice(None)))


@legal(F16, F16, S, arch="sm_90a", cluster=2, one_thread=True)
def plain_values_beside_scalars(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S
) -> None:
    index, i32, f32 = ir.IndexType.get(), ir.IntegerType.get_signless(32), ir.F32Type.get()
    block, lane, one = mgpu.block_id(mgpu.Dimension.x), mgpu.thread_idx(), mgpu.c(1.0, mgpu.float32)
    plain: ir.Value = arith.addi(block, gpu.block_id(gpu.Dimension.y))
    plain_integer: ir.Value = arith.addi(lane, mgpu.c(4, i32))
    row: mgpu.Index = block * 8 + plain - arith.muli(block, mgpu.c(2, index))
    number: mgpu.I32 = lane % plain_integer + arith.addi(lane, lane)
    half: mgpu.F32 = one * arith.mulf(one, one)
    which: mgpu.I1 = (row < plain) & arith.cmpi(arith.CmpIPredicate.eq, number, lane)
    mgpu.memref_slice(x, arith.ConstantOp.create_index(0))
    mgpu.memref_slice(x, (plain, mgpu.ds(plain, 8)))
    ctx.async_copy(src_ref=x, dst_ref=s.smem, barrier=s.barrier, gmem_slice=(mgpu.ds(plain, 64),), predicate=which)
    mgpu.get_cluster_ref(s.smem, gpu.Dimension.x, plain)
    s.barrier.arrive_expect_tx(arith.index_cast(i32, plain))
    mgpu.nanosleep(plain_integer)
    utils.warp_tree_reduce(half, arith.addf, 32)
    utils.warp_tree_reduce(arith.mulf(one, one), lambda a, b: arith.addf(a, b), 32)
    utils.shfl_bfly(arith.addi(lane, lane), 1)
    utils.debug_print("{} {}", plain, half)
    mgpu.fori(arith.addi(block, block), plain)(lambda i, carry: arith.addi(i, carry))
    mgpu.Partition((64,), partition=(0,), num_chunks=(4,), base_offset=(plain,)).get_base(plain)
    array = mgpu.FragmentedArray.splat(one, (64, 64), mgpu.WGMMA_LAYOUT)
    array.foreach(lambda value, at: mgpu.debug_print("{} {}", arith.addf(value, value), *at))
    array.foreach(lambda value, at: arith.addf(value, one), create_array=True)
    mgpu.FragmentedArray.build((64, 64), mgpu.WGMMA_LAYOUT, lambda i, j: arith.index_cast(i32, i), is_signed=True)
    result = utils.inline_ptx("mov.b32 $0, $1;", plain_integer, result_types=i32)
    several = utils.inline_ptx("mov.b64 {$0, $1}, $2;", mgpu.c(0, mgpu.int64), result_types=[i32, i32])
    utils.inline_ptx("nanosleep.u32 20;", predicate=which, has_side_effects=True)
    bits = utils.bitcast(arith.mulf(one, one), i32)


@legal(F16, FromJax)
def dtypes_from_jax(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: FromJax) -> None:
    value = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    value.store_tiled(s.smem, 128)
    value.astype(utils.dtype_to_ir_type(jnp.float32)).astype(mgpu.float16).store_tiled(s.smem, 128)
    mgpu.FragmentedArray.load_tiled(s.smem, 128).store_untiled(o, optimized=False)
    mgpu.FragmentedArray.load_strided(s.other).store_untiled(o)
    ctx.async_copy(src_ref=o, dst_ref=s.other, barrier=s.barriers[1])
    acc = s.acc.load()
    s.acc.store(acc)
    s.half.store(acc.astype(mgpu.bfloat16))
    (acc * 2).astype(mgpu.float16)
    mgpu.SmemRef.wrap(s.other, jnp.float16).swizzle
