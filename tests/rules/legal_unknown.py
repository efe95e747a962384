"""What is not known is accepted: dtypes, sizes, layouts and swizzles that only run time decides."""

import functools
from typing import Any, Final, Literal

from _twins import legal
from jaxlib.mlir import ir

import safegpu as mgpu
from safegpu import layouts as ll
from safegpu import tcgen05

X = mgpu.Dimension.x
SWIZZLE: Final = 128
module_swizzle = 128


def some_dtype() -> Any:
    return mgpu.float16


def untyped_dtype():
    return mgpu.float16


DTYPE: Any = mgpu.float16
ROWS = 64
TABLE = {"a": mgpu.float16, "b": mgpu.bfloat16}


class Unknown(mgpu.Scratch):
    smem = mgpu.SMEM((ROWS, 64), some_dtype(), swizzle=128)
    plain = mgpu.SMEM((64, 64), DTYPE)
    any_swizzle = mgpu.SMEM((64, 64), mgpu.float16, swizzle=module_swizzle)
    untyped = mgpu.SMEM((64, 64), untyped_dtype(), swizzle=SWIZZLE)
    from_table = mgpu.SMEM((64, 64), TABLE["a"], swizzle=128)
    barriers = mgpu.Barrier(1, num_barriers=len(TABLE))


class UnknownTMEM(mgpu.Scratch):
    acc = mgpu.TMEM((ROWS * 2, 64), mgpu.float32)
    any_acc = mgpu.TMEM((128, 64), some_dtype())
    any_packing = mgpu.TMEM((128, 64), mgpu.float16, packing=32 // 16)
    any_layout = mgpu.TMEM((128, 64), mgpu.float32, layout=tcgen05.tmem_default_layout(ROWS // 64))
    half = mgpu.TMEM((ROWS, 64), mgpu.float32)


@legal(mgpu.GMEM((ROWS, 64), some_dtype()), Unknown, arch="sm_90a", cluster=2)
def unknown_dtypes(ctx: mgpu.LaunchContext, o: mgpu.GmemRef, s: Unknown) -> None:
    value = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    value.store_tiled(s.smem, 128)
    value.store_tiled(s.any_swizzle, 128)
    value.store_tiled(s.untyped, SWIZZLE)
    value.store_tiled(s.from_table, 128)
    value.store_tiled_async(s.smem, s.barriers[0], X, mgpu.c(1, mgpu.Index), 128)
    value.store_untiled(o, optimized=False)
    again = mgpu.FragmentedArray.load_tiled(s.smem, 128)
    (value + again).store_untiled(o, optimized=False)
    ctx.async_copy(src_ref=o, dst_ref=s.plain, barrier=s.barriers[0])
    s.barriers[0].wait()
    ctx.async_copy(src_ref=s.plain, dst_ref=o)


@legal(mgpu.GMEM((128, 64), mgpu.float32), UnknownTMEM)
def unknown_tensor_memory(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: UnknownTMEM) -> None:
    value = s.acc.load()
    s.acc.store(value)
    tcgen05.commit_tmem()
    s.acc.load(mgpu.TCGEN05_LAYOUT).store_untiled(o, optimized=False)
    s.any_acc.store(value.astype(mgpu.float16))
    s.any_packing.store(value.astype(mgpu.float16))
    tcgen05.commit_tmem()
    s.any_packing.load()
    s.any_layout.load(mgpu.TMEM_NATIVE_LAYOUT)
    s.any_layout.store(value)
    s.half.load().astype(mgpu.float16)
    s.half.store(s.half.load(mgpu.WGMMA_LAYOUT))


@legal(mgpu.GMEM((64, 64), mgpu.bfloat16), Unknown, arch="sm_90a")
def swizzles_by_name(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: Unknown) -> None:
    local = 128
    f16 = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64), mgpu.WGMMA_LAYOUT)
    f16.store_tiled(s.any_swizzle, local)
    final: Final = 128
    f16.store_tiled(s.smem, final)
    f16.store_tiled(s.smem, s.smem.swizzle)
    f16.store_tiled(s.smem, SWIZZLE)
    mgpu.FragmentedArray.load_tiled(s.smem, final)
    mgpu.FragmentedArray.load_tiled(s.any_swizzle, local, layout=mgpu.WGMMA_LAYOUT)
    arguments: dict[str, Any] = dict(swizzle=128)
    f16.store_tiled(s.smem, **arguments)
    functools.partial(f16.store_tiled, s.smem, 128)()


@legal(arch="sm_90a")
def swizzle_of_the_builder() -> None:
    swizzle = 128
    bits = 16

    class Local(mgpu.Scratch):
        smem = mgpu.SMEM((64, 64), mgpu.float16, swizzle=swizzle)
        tiled = mgpu.SMEM((64, 64), mgpu.float16, swizzle=swizzle, tiling=(8, 8 * swizzle // bits))

    def body(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: Local) -> None:
        value = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
        value.store_tiled(s.smem, swizzle=swizzle)
        mgpu.FragmentedArray.load_tiled(s.smem, swizzle).store_tiled(s.tiled, swizzle)

    spec = mgpu.GMEM((64, 64), mgpu.float16)
    mgpu.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), (), spec, Local)


def build(swizzle: int, columns: int, dtype: Any = mgpu.float16) -> mgpu.Kernel:
    class Local(mgpu.Scratch):
        smem = mgpu.SMEM((64, columns), dtype, swizzle=swizzle)
        barriers = mgpu.Barrier(arrival_count=columns, num_barriers=swizzle // columns)
        acc = mgpu.TMEM((64, columns), mgpu.float32, packing=columns // columns)

    def body(ctx: mgpu.LaunchContext, o: mgpu.GmemRef, s: Local) -> None:
        value = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
        value.store_tiled(s.smem, swizzle=swizzle)
        mgpu.FragmentedArray.load_tiled(s.smem, swizzle).store_untiled(o, optimized=False)

    spec = mgpu.GMEM((64, columns), dtype)
    return mgpu.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), (), spec, Local)


@legal()
def swizzle_of_the_caller() -> None:
    build(128, 64)


def build_of_dtype(dtype: type[mgpu.DType], acc: type[mgpu.DType]) -> mgpu.Kernel:
    class Local(mgpu.Scratch):
        a = mgpu.SMEM((128, 64), dtype, swizzle=128)
        b = mgpu.SMEM((64, 64), dtype, swizzle=128)
        done = mgpu.Barrier(1)
        acc_tmem = mgpu.TMEM((128, 64), acc)
        lhs = mgpu.TMEM((128, 64), dtype, packing=2)

    def body(ctx: mgpu.LaunchContext, o: mgpu.GmemRef, s: Local) -> None:
        loaded = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.TCGEN05_LAYOUT, optimized=False)
        value = loaded.astype(dtype)
        value.store_tiled(s.a, 128)
        mgpu.commit_shared()
        wide = value.astype(mgpu.float32) + value.astype(acc)
        (wide * 2).astype(dtype).store_untiled(o, optimized=False)
        with mgpu.single_thread():
            tcgen05.mma(s.acc_tmem, s.a, s.b, a_swizzle=128, b_swizzle=128, accumulate=False)
            tcgen05.mma(s.acc_tmem, s.lhs, s.b, a_swizzle=128, b_swizzle=128)
            tcgen05.commit_arrive(s.done)
        s.done.wait(orders_tensor_core=True)
        s.lhs.store(s.acc_tmem.load().astype(dtype))
        s.acc_tmem.store(s.acc_tmem.load() * 2)
        zeros = mgpu.FragmentedArray.splat(mgpu.c(0.0, acc), (128, 64), mgpu.TCGEN05_LAYOUT)
        (zeros + wide).astype(dtype).store_untiled(mgpu.GmemRef.wrap(o, dtype), optimized=False)

    out = mgpu.GMEM((128, 64), dtype)
    return mgpu.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), (), out, Local)


@legal()
def dtype_of_the_caller() -> None:
    build_of_dtype(mgpu.bfloat16, mgpu.float32)


def build_of_scales(dtype: type[mgpu.DType]) -> None:
    class Local(mgpu.Scratch):
        a = mgpu.SMEM((128, 256), mgpu.float4_e2m1fn, swizzle=128)
        b = mgpu.SMEM((128, 256), mgpu.float4_e2m1fn, swizzle=128)
        packed = mgpu.SMEM((1, 4, 32, 16), dtype)
        acc = mgpu.TMEM((128, 128), mgpu.float32)
        scales = mgpu.TMEM((128, 16), dtype, layout=tcgen05.scales_layout())
        metadata = mgpu.TMEM((128, 64), "uint2", layout=tcgen05.sparse_meta_layout())

    def body(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Local) -> None:
        scales: mgpu.ScalesTMEM = s.scales
        metadata: mgpu.SparseMetaTMEM = s.metadata
        tcgen05.async_copy_scales_smem_to_tmem(s.packed, scales)
        b = mgpu.memref_transpose(s.b, (1, 0, 3, 2))
        with mgpu.single_thread():
            tcgen05.mma(s.acc, s.a, b, a_swizzle=128, b_swizzle=128, a_scale=scales, b_scale=scales, accumulate=False)

    mgpu.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), (), mgpu.GMEM((128, 128), mgpu.float32), Local)


@legal()
def scales_of_the_callers_dtype() -> None:
    build_of_scales(mgpu.float8_e4m3fn)


def build_of_several_dtypes(dtype: type[mgpu.DType]) -> None:
    class Local(mgpu.Scratch):
        a = mgpu.SMEM((64, 64), dtype, swizzle=128)
        b = mgpu.SMEM((64, 64), dtype, swizzle=128)

    def body(ctx: mgpu.LaunchContext, o: mgpu.GmemRef, s: Local) -> None:
        acc = mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.a, s.b, swizzle=128)
        mgpu.wgmma_commit_group()
        mgpu.wgmma_wait_group(0)
        acc.value.astype(dtype).store_untiled(o, optimized=False)

    mgpu.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), (), mgpu.GMEM((64, 64), dtype), Local)


@legal(arch="sm_90a")
def one_of_several_dtypes() -> None:
    build_of_several_dtypes(mgpu.float16 if ROWS else mgpu.bfloat16)


# --- generic kernels


def copy_tile[D: (mgpu.float16, mgpu.bfloat16)](
    src: mgpu.SmemRef[D, Literal[128]], dst: mgpu.SmemRef[D, Literal[128]]
) -> None:
    value = mgpu.FragmentedArray.load_tiled(src, 128)
    value.store_tiled(dst, 128)
    (value + value * 2.0).store_tiled(dst, 128)


def copy_any[D](src: mgpu.GmemRef[D], dst: mgpu.SmemRef[D], swizzle: Any) -> mgpu.FragmentedArray[D, ll.WGMMA]:
    value = mgpu.FragmentedArray.load_untiled(src, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    value.store_tiled(dst, swizzle)
    return mgpu.FragmentedArray.load_tiled(dst, swizzle)


def scale[D, L](value: mgpu.FragmentedArray[D, L], factor: float) -> mgpu.FragmentedArray[D, L]:
    return value * factor + value


def clip[L](
    value: mgpu.FragmentedArray[mgpu.float32, L], low: float, high: float
) -> mgpu.FragmentedArray[mgpu.float32, L]:
    return value.max(low).min(high)


def move(array: mgpu.FragmentedArray, to: mgpu.SmemRef | mgpu.GmemRef | mgpu.ClusterSmemRef) -> None:
    array.store_untiled(to, optimized=False)


def swizzled(value: mgpu.FragmentedArray[Any, ll.WGMMA], to: mgpu.SmemRef, swizzle: int) -> None:
    value.store_tiled(to, swizzle)


class F16Tiles(mgpu.Scratch):
    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    c = mgpu.SMEM((64, 64), mgpu.bfloat16, swizzle=128)
    d = mgpu.SMEM((64, 64), mgpu.bfloat16, swizzle=128)
    plain = mgpu.SMEM((64, 64), mgpu.float16)


@legal(mgpu.GMEM((64, 64), mgpu.float16), F16Tiles, arch="sm_90a")
def generic_helpers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: F16Tiles) -> None:
    copy_tile(s.a, s.b)
    copy_tile(s.c, s.d)
    value: mgpu.FragmentedArray[mgpu.float16, ll.WGMMA] = copy_any(o, s.a, 128)
    scaled: mgpu.FragmentedArray[mgpu.float16, ll.WGMMA] = scale(value, 0.5)
    clipped = clip(scaled.astype(mgpu.float32), -1, 1)
    scaled.store_tiled(s.a, 128)
    move(scaled, o)
    move(mgpu.FragmentedArray.load_strided(o), s.plain)
    swizzled(value, s.a, 128)
    with_layout = clip(mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64, 64)), 0, 1)
    with_layout.to_layout(mgpu.WGMMA_LAYOUT)


def any_mma(
    acc: tcgen05.DenseTMEM[mgpu.float32], a: mgpu.SmemRef | tcgen05.DenseTMEM, b: mgpu.SmemRef, swizzle: int
) -> None:
    tcgen05.mma(acc, a, b, a_swizzle=swizzle, b_swizzle=swizzle, accumulate=False)


def generic_mma[D: (mgpu.float16, mgpu.bfloat16)](
    acc: tcgen05.DenseTMEM[mgpu.float32], a: mgpu.SmemRef[D], b: mgpu.SmemRef[D]
) -> None:
    tcgen05.mma(acc, a, b, a_swizzle=128, b_swizzle=128)


def entirely_unknown(acc: Any, a: Any, b: Any, meta: Any) -> None:
    tcgen05.mma(acc, a, b)
    tcgen05.mma(acc, a, b, a_sparse_metadata=meta)
    tcgen05.mma(acc, a, b, a_scale=meta, b_scale=meta)


def generic_wgmma[D: (mgpu.float16, mgpu.bfloat16)](
    acc: mgpu.WGMMAAccumulator[mgpu.float32], a: mgpu.SmemRef[D], b: mgpu.SmemRef[D]
) -> mgpu.WGMMAAccumulator[mgpu.float32]:
    return mgpu.wgmma(acc, a, b, swizzle=128)


class Operands(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    acc = mgpu.TMEM((128, 64), mgpu.float32)


@legal(mgpu.GMEM((128, 64), mgpu.float32), Operands, one_thread=True)
def generic_products(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Operands) -> None:
    any_mma(s.acc, s.a, s.b, 128)
    generic_mma(s.acc, s.a, s.b)


# --- what a helper returns without an annotation


def load_it(ref):
    return mgpu.FragmentedArray.load_untiled(ref, layout=mgpu.WGMMA_LAYOUT, optimized=False)


@legal(mgpu.GMEM((64, 64), mgpu.float16), F16Tiles, arch="sm_90a")
def untyped_helpers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: F16Tiles) -> None:
    value = load_it(o)
    value.store_tiled(s.a, 128)
    known = mgpu.FragmentedArray.load_tiled(s.a, 128)
    (known + value).store_tiled(s.b, 128)
    (value + known).store_untiled(o, optimized=False)
    known.max(value).store_tiled(s.b, swizzle=128)
    (known < value).select(value, known)


@legal(mgpu.GMEM((64, 64), mgpu.float16), F16Tiles)
def entirely_untyped(ctx, o, s):
    value = load_it(o)
    value.store_tiled(s.a, 128)


# --- raw MLIR types and values instead of tokens


@legal(mgpu.GMEM((64, 64), mgpu.float32), (), arch="sm_90a")
def mlir_types(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    f16 = ir.F16Type.get()
    value = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    narrow = value.astype(f16)
    (narrow + narrow).astype(ir.F32Type.get()).store_untiled(o, optimized=False)
    zero = mgpu.FragmentedArray.splat(mgpu.c(0.0, f16), (64, 64), mgpu.WGMMA_LAYOUT)
    narrow + zero
    value.bitcast(ir.IntegerType.get_signless(32), output_is_signed=False)
    index = mgpu.c(3, ir.IndexType.get())
    mgpu.memref_slice(o, mgpu.ds(index * 4, 4))
    mgpu.WGMMAAccumulator.zero(64, 64, f16)
    mgpu.bitwidth(value.mlir_dtype)
    iota = mgpu.FragmentedArray.broadcasted_iota(
        ir.IntegerType.get_signless(32), (64, 64), 0, mgpu.WGMMA_LAYOUT, is_signed=True
    )
    iota + 1


@legal(mgpu.GMEM((64, 64), mgpu.float32), (), arch="sm_90a")
def raw_scalars(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    raw: ir.Value = mgpu.c(1.0, mgpu.float32)
    splat = mgpu.FragmentedArray.splat(raw, (64, 64))
    value = mgpu.FragmentedArray.load_strided(o)
    (value + splat).store_untiled(o)
    (value * raw).store_untiled(o)
    (raw * value).store_untiled(o)
    mgpu.FragmentedArray.splat(raw, value.shape, value.layout).store_untiled(o)
