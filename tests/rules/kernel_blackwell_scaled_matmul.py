"""`examples/blackwell_scaled_matmul.py`: its roles for two steps, and what none of their statements may become."""

from _twins import illegal, legal, refused

import safegpu as mgpu
from safegpu import tcgen05

A = mgpu.GMEM((128, 512), mgpu.float4_e2m1fn)
B = mgpu.GMEM((256, 512), mgpu.float4_e2m1fn)
A_SCALES = mgpu.GMEM((1, 8, 32, 16), mgpu.float8_e4m3fn)
B_SCALES = mgpu.GMEM((2, 8, 32, 16), mgpu.float8_e4m3fn)
A_STAGE = mgpu.GMEM((1, 4, 32, 16), mgpu.float8_e4m3fn)
EXPONENTS = mgpu.GMEM((1, 8, 32, 16), mgpu.float8_e8m0fnu)
OUT = mgpu.GMEM((128, 256), mgpu.bfloat16)
TILES = mgpu.TileTransform((8, 256))
SINGLE = "Operation is only valid for a single barrier, but barrier ref contains"
PERMUTED = "the elements land where the buffer's readers do not look for them"


class S(mgpu.Scratch):
    """nvfp4, and what it could be mistaken for: `exponents` are mxfp4's scales."""

    a = mgpu.SMEM((2, 128, 256), mgpu.float4_e2m1fn, swizzle=128)
    b = mgpu.SMEM((2, 256, 256), mgpu.float4_e2m1fn, swizzle=128)
    out = mgpu.SMEM((128, 32), mgpu.bfloat16, swizzle=64)
    a_scales = mgpu.SMEM((2, 1, 4, 32, 16), mgpu.float8_e4m3fn, swizzle=16)
    b_scales = mgpu.SMEM((2, 2, 4, 32, 16), mgpu.float8_e4m3fn, swizzle=16)
    a_exponents = mgpu.SMEM((2, 1, 4, 32, 16), mgpu.float8_e8m0fnu, swizzle=16)
    loaded = mgpu.Barrier(arrival_count=4, num_barriers=2)
    consumed = mgpu.Barrier(arrival_count=1, num_barriers=2)
    multiplied = mgpu.Barrier(arrival_count=1)
    acc = mgpu.TMEM((128, 256), mgpu.float32)
    a_scale = mgpu.TMEM((128, 16), mgpu.float8_e4m3fn, layout=tcgen05.scales_layout())
    b_scale = mgpu.TMEM((256, 16), mgpu.float8_e4m3fn, layout=tcgen05.scales_layout())
    a_exponents_tmem = mgpu.TMEM((128, 16), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())
    dense = mgpu.TMEM((128, 16), mgpu.float8_e4m3fn, packing=4)


class Bytes(mgpu.Scratch):
    """mxfp8, and what it could be mistaken for: `mantissas` are nvfp4's scales."""

    a = mgpu.SMEM((128, 128), mgpu.float8_e4m3fn, swizzle=128)
    b = mgpu.SMEM((128, 128), mgpu.float8_e5m2, swizzle=128)
    acc = mgpu.TMEM((128, 128), mgpu.float32)
    a_scale = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())
    b_scale = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())
    a_mantissas = mgpu.TMEM((128, 4), mgpu.float8_e4m3fn, layout=tcgen05.scales_layout())
    scales = mgpu.TMEM((128, 128), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())
    b_mantissas = mgpu.TMEM((128, 4), mgpu.float8_e4m3fn, layout=tcgen05.scales_layout())


class Halves(mgpu.Scratch):
    a = mgpu.SMEM((128, 128), mgpu.float8_e4m3fn, swizzle=128)
    b = mgpu.SMEM((128, 128), mgpu.float8_e4m3fn, swizzle=128)
    wide_a = mgpu.SMEM((128, 128), mgpu.float16, swizzle=128)
    wide_b = mgpu.SMEM((128, 128), mgpu.float16, swizzle=128)
    acc = mgpu.TMEM((128, 128), mgpu.float16)
    wide_acc = mgpu.TMEM((128, 128), mgpu.float32)
    a_scale = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())
    b_scale = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())
    metadata = mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout())


def transposed[D](b: mgpu.SmemRef[D]) -> mgpu.SmemRef[D]:
    return mgpu.memref_transpose(b, (1, 0, 3, 2))


@legal(A, B, A_SCALES, B_SCALES, OUT, S)
def nvfp4(
    ctx: mgpu.LaunchContext,
    a: mgpu.GmemRef[mgpu.float4_e2m1fn],
    b: mgpu.GmemRef[mgpu.float4_e2m1fn],
    a_scales: mgpu.GmemRef[mgpu.float8_e4m3fn],
    b_scales: mgpu.GmemRef[mgpu.float8_e4m3fn],
    o: mgpu.GmemRef[mgpu.bfloat16],
    s: S,
) -> None:
    warp, elected = mgpu.warp_idx(), mgpu.single_thread_predicate(mgpu.ThreadSubset.WARP)
    steps = mgpu.c(2, mgpu.Index)
    with mgpu.when(warp.eq(0) & elected):

        @mgpu.fori(steps, None)
        def load(step: mgpu.Index, _: None) -> None:
            stage = step % 2
            with mgpu.when(step >= 2):
                s.consumed[stage].wait()
            for operand, smem in ((a, s.a), (b, s.b)):
                ctx.async_copy(
                    src_ref=operand,
                    dst_ref=mgpu.memref_slice(smem, stage),
                    gmem_slice=(slice(None), mgpu.ds(step * 256, 256)),
                    gmem_transform=TILES,
                    swizzle=128,
                    barrier=s.loaded[stage],
                    predicate=None,
                )
            for scales, tiles in ((a_scales, s.a_scales), (b_scales, s.b_scales)):
                ctx.async_copy(
                    src_ref=scales,
                    dst_ref=mgpu.memref_slice(tiles, stage),
                    gmem_slice=(slice(None), mgpu.ds(step * 4, 4)),
                    barrier=s.loaded[stage],
                    predicate=None,
                )

    with mgpu.when(warp.eq(1) & elected):

        @mgpu.fori(steps, None)
        def accumulate(step: mgpu.Index, _: None) -> None:
            stage = step % 2
            s.loaded[stage].wait()
            tcgen05.async_copy_scales_smem_to_tmem(mgpu.memref_slice(s.a_scales, stage), s.a_scale)
            tcgen05.async_copy_scales_smem_to_tmem(mgpu.memref_slice(s.b_scales, stage), s.b_scale)
            tcgen05.mma(
                s.acc,
                mgpu.memref_slice(s.a, stage),
                mgpu.memref_transpose(mgpu.memref_slice(s.b, stage), (1, 0, 3, 2)),
                a_scale=s.a_scale,
                b_scale=s.b_scale,
                accumulate=step > 0,
            )
            tcgen05.commit_arrive(s.consumed[stage])

        tcgen05.commit_arrive(s.multiplied)

    s.multiplied.wait(orders_tensor_core=True)
    for start in range(0, 256, 32):
        value = s.acc.slice(slice(None), mgpu.ds(start, 32)).load()
        tcgen05.wait_load_tmem()
        ctx.await_async_copy(0, await_read_only=True)
        value.astype(mgpu.bfloat16).store_tiled(s.out, swizzle=64)
        mgpu.commit_shared()
        to = slice(None), mgpu.ds(start, 32)
        ctx.async_copy(src_ref=s.out, dst_ref=o, gmem_slice=to, gmem_transform=mgpu.TileTransform((8, 32)), swizzle=64)
    ctx.await_async_copy(0)


@legal(OUT, Bytes, one_thread=True)
def mxfp8(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: Bytes) -> None:
    tcgen05.mma(s.acc, s.a, transposed(s.b), a_scale=s.a_scale, b_scale=s.b_scale, accumulate=False)
    tcgen05.mma(s.acc, s.a, transposed(s.b))


# --- the TMA warp


@illegal(A_SCALES, OUT, S, raises="require the last dimension of the slice")
def load_scales_with_a_swizzle(
    ctx: mgpu.LaunchContext, scales: mgpu.GmemRef[mgpu.float8_e4m3fn], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    to, part = mgpu.memref_slice(s.a_scales, 0), (slice(None), slice(4))
    ctx.async_copy(src_ref=scales, dst_ref=to, gmem_slice=part, barrier=s.loaded[0], swizzle=128)  # E: SG701


@illegal(EXPONENTS, OUT, S, raises="Expected same element type")
def load_scales_of_another_dtype(
    ctx: mgpu.LaunchContext, scales: mgpu.GmemRef[mgpu.float8_e8m0fnu], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    to, part = mgpu.memref_slice(s.a_scales, 0), (slice(None), slice(4))
    ctx.async_copy(src_ref=scales, dst_ref=to, gmem_slice=part, barrier=s.loaded[0])  # E: SG307


@illegal(A_SCALES, OUT, S, raises="'ScalesTMEM' object has no attribute 'type'")
def load_scales_into_tensor_memory(
    ctx: mgpu.LaunchContext, scales: mgpu.GmemRef[mgpu.float8_e4m3fn], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    ctx.async_copy(src_ref=scales, dst_ref=s.a_scale, gmem_slice=slice(1), barrier=s.loaded[0])  # E: SG109


@illegal(A_SCALES, OUT, S, raises=SINGLE)
def load_scales_at_all_stages(
    ctx: mgpu.LaunchContext, scales: mgpu.GmemRef[mgpu.float8_e4m3fn], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    to, part = mgpu.memref_slice(s.a_scales, 0), (slice(None), slice(4))
    ctx.async_copy(src_ref=scales, dst_ref=to, gmem_slice=part, barrier=s.loaded)  # E: SG401


# --- from shared to tensor memory


@illegal(OUT, S, raises="Incompatible dtypes")
def copy_exponents_to_mantissas(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    tcgen05.async_copy_scales_smem_to_tmem(mgpu.memref_slice(s.a_exponents, 0), s.a_scale)  # E: SG307


@illegal(OUT, S, raises="is not supported for scale copies")
def copy_to_dense_memory(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    tcgen05.async_copy_scales_smem_to_tmem(mgpu.memref_slice(s.a_scales, 0), s.dense)  # E: SG109


@illegal(OUT, S, raises="Only standard TMEM layout is supported")
def copy_as_an_operand(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    tcgen05.async_copy_smem_to_tmem(mgpu.memref_slice(s.a_scales, 0), s.a_scale, 16)  # E: SG109


@illegal(OUT, S, raises="Unsupported dtype: f8E4M3FN, only i2 supported")
def copy_as_sparse_metadata(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    tcgen05.async_copy_sparse_metadata_smem_to_tmem(mgpu.memref_slice(s.a_scales, 0), s.a_scale)  # E: SG107


@illegal(A_STAGE, OUT, S, raises="AssertionError: !llvm.ptr")
def copy_from_global_memory(
    ctx: mgpu.LaunchContext, scales: mgpu.GmemRef[mgpu.float8_e4m3fn], o: mgpu.GmemRef[mgpu.bfloat16], s: S
) -> None:
    tcgen05.async_copy_scales_smem_to_tmem(scales, s.a_scale)  # E: SG109


# --- the MMA


@illegal(OUT, S, raises="B scale dtype mismatch", one_thread=True)
def scales_of_two_dtypes(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    a, b = mgpu.memref_slice(s.a, 0), transposed(mgpu.memref_slice(s.b, 0))
    tcgen05.mma(s.acc, a, b, a_scale=s.a_exponents_tmem, b_scale=s.b_scale)  # E: SG303


@illegal(OUT, Bytes, raises="Scale element type mismatch: expected f8e8m0fnu", one_thread=True)
def bytes_with_mantissas(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: Bytes) -> None:
    tcgen05.mma(s.acc, s.a, transposed(s.b), a_scale=s.a_mantissas, b_scale=s.b_mantissas)  # E: SG303


@illegal(OUT, S, raises="A scale layout", one_thread=True)
def dense_scales(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    a, b = mgpu.memref_slice(s.a, 0), transposed(mgpu.memref_slice(s.b, 0))
    tcgen05.mma(s.acc, a, b, a_scale=s.dense, b_scale=s.b_scale)  # E: SG109


@illegal(OUT, S, raises="B scale dtype mismatch", one_thread=True)
def scales_in_shared_memory(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    a, b = mgpu.memref_slice(s.a, 0), transposed(mgpu.memref_slice(s.b, 0))
    tcgen05.mma(s.acc, a, b, a_scale=mgpu.memref_slice(s.a_scales, 0), b_scale=s.b_scale)  # E: SG109


@illegal(OUT, Halves, raises="B scale dtype mismatch: expected i2", one_thread=True)
def metadata_as_scales(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: Halves) -> None:
    tcgen05.mma(s.wide_acc, s.a, transposed(s.b), a_scale=s.metadata, b_scale=s.b_scale)  # E: SG109


@illegal(OUT, S, raises="Either none or both scales should be provided", one_thread=True)
def one_scale(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    a, b = mgpu.memref_slice(s.a, 0), transposed(mgpu.memref_slice(s.b, 0))
    tcgen05.mma(s.acc, a, b, a_scale=s.a_scale)  # E: SG804


@illegal(OUT, S, raises="only supports block scaling", one_thread=True)
def no_scales(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    tcgen05.mma(s.acc, mgpu.memref_slice(s.a, 0), transposed(mgpu.memref_slice(s.b, 0)))  # E: SG303


@illegal(OUT, Bytes, raises="Accumulator layout mismatch", one_thread=True)
def scales_as_the_accumulator(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: Bytes) -> None:
    tcgen05.mma(s.scales, s.a, transposed(s.b), a_scale=s.a_scale, b_scale=s.b_scale)  # E: SG106


@illegal(OUT, S, raises="A layout mismatch", one_thread=True)
def scales_as_the_left_operand(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    b = transposed(mgpu.memref_slice(s.b, 0))
    tcgen05.mma(s.acc, s.a_scale, b, a_scale=s.a_scale, b_scale=s.b_scale)  # E: SG106


@illegal(OUT, Halves, raises="only supports f32 accumulators", one_thread=True)
def accumulate_in_halves(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: Halves) -> None:
    tcgen05.mma(s.acc, s.a, transposed(s.b), a_scale=s.a_scale, b_scale=s.b_scale)  # E: SG303


@illegal(OUT, Halves, raises="does not support block scaling", one_thread=True)
def halves_with_scales(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: Halves) -> None:
    tcgen05.mma(s.wide_acc, s.wide_a, transposed(s.wide_b), a_scale=s.a_scale, b_scale=s.b_scale)  # E: SG303


@illegal(OUT, S, raises=SINGLE, one_thread=True)
def commit_at_all_stages(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    tcgen05.commit_arrive(s.consumed)  # E: SG401


# --- the epilogue


@illegal(OUT, S, raises="Loads from TMEM layout")
def load_the_scales(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    s.a_scale.load(mgpu.TMEM_NATIVE_LAYOUT)  # E: SG202


@illegal(OUT, S, raises="Storing from register layout")
def store_to_the_scales(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    ones = mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float32), (128, 16), mgpu.TCGEN05_LAYOUT)
    s.a_scale.store(ones.astype(mgpu.float8_e4m3fn))  # E: SG201


@refused(OUT, S, because=PERMUTED)
def stage_with_another_swizzle(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    value = s.acc.slice(slice(None), mgpu.ds(0, 32)).load().astype(mgpu.bfloat16)
    value.store_tiled(s.out, swizzle=32)  # E: SG701
