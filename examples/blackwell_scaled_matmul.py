"""A block-scaled matmul: mxfp8, mxfp4 and nvfp4 (Blackwell).

A scale belongs to each `block` consecutive elements along K, and the tensor core multiplies by the scales of A and B as
it accumulates. The operands lie in shared memory, the scales in tensor memory, where they come through shared memory.

    mxfp8    float8_e4m3fn or float8_e5m2    a float8_e8m0fnu for 32 elements
    mxfp4    float4_e2m1fn                   a float8_e8m0fnu for 32 elements
    nvfp4    float4_e2m1fn                   a float8_e4m3fn for 16 elements; the tensor's own scale is the caller's

Each block computes a 128 x 256 tile of the output, and goes along K through a ring of stages:

    warp 0    TMA           copies A, B and their scales into a stage
    warp 1    tensor core   copies the scales of the stage on to tensor memory, and multiplies

Then all four warps store the result. What one thread issues the tensor core runs in order: an MMA finds the scales of
its own step in tensor memory, and those of the next step come there when it is done.

The barriers. The four copies of a step arrive once each at `loaded[stage]`, where the MMA warp waits. The tensor core
arrives at `consumed[stage]` when it has read the stage, where the TMA warp waits before it fills the stage again; so
nobody arrives for the next phase of either before the last was waited for. The TMA warp waits for the MMAs of `STAGES`
steps ago, the MMA warp for the copies of this step: never for something later than their own work, so one of them can
always go on. The tensor core arrives at `multiplied` once, after the last step, and everybody waits there.

It needs a Blackwell GPU to run; `python -m examples.run` lowers it, and compiles it for sm_100a where it can.
"""

from collections.abc import Callable
from typing import Final, Literal, Protocol, Self

import safegpu as mgpu
from safegpu import tcgen05

ROWS: Final = 128  # of A, and of the output
COLUMNS: Final = 256  # rows of B, columns of the output
STAGES: Final = 4
TMA_WARP, MMA_WARP = 0, 1


class Array(Protocol):
    """What `pack_scales` asks of an array; those of jax and numpy do."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def reshape(self, shape: tuple[int, ...], /) -> Self: ...
    def transpose(self, axes: tuple[int, ...], /) -> Self: ...


def pack_scales[A: Array](scales: A) -> A:
    """The scales of A or B as the kernel takes them: (rows, k // block) becomes (rows // 128, k // block // 4, 32, 16).

    Scales come in tiles of 128 rows and 4 columns. Tensor memory has a tile in 32 lanes, and in each lane one after the
    other the four rows that are 32 apart (PTX ISA, "Scale factor A layout in Tensor Memory"): the scale of row r and
    column c is at [r // 128, c // 4, r % 32, r % 128 // 32 * 4 + c % 4]. Raises ValueError for less than whole tiles.
    """
    rows, columns = scales.shape
    if rows % 128 or columns % 4:
        raise ValueError(f"scales must be of whole 128x4 tiles, got {scales.shape}")
    tiles = scales.reshape((rows // 128, 4, 32, columns // 4, 4)).transpose((0, 3, 2, 1, 4))
    return tiles.reshape((rows // 128, columns // 4, 32, 16))


type Accumulator = mgpu.DenseTMEM[mgpu.float32, mgpu.layouts.TMEM_DEFAULT_32BIT]
type Operand[D] = mgpu.SmemRef[D, Literal[128]]
type Multiply[D, S] = Callable[
    [Accumulator, Operand[D], Operand[D], mgpu.ScalesTMEM[S], mgpu.ScalesTMEM[S], mgpu.I1], None
]
"""Accumulates A @ B of dtype D, scaled by the scales of A and of B, of dtype S."""


def multiply_float8[D: (mgpu.float8_e4m3fn, mgpu.float8_e5m2)](
    acc: Accumulator,
    a: Operand[D],
    b: Operand[D],
    a_scale: mgpu.ScalesTMEM[mgpu.float8_e8m0fnu],
    b_scale: mgpu.ScalesTMEM[mgpu.float8_e8m0fnu],
    accumulate: mgpu.I1,
) -> None:
    tcgen05.mma(acc, a, b, a_swizzle=128, b_swizzle=128, a_scale=a_scale, b_scale=b_scale, accumulate=accumulate)


def multiply_float4[S: (mgpu.float8_e8m0fnu, mgpu.float8_e4m3fn)](
    acc: Accumulator,
    a: Operand[mgpu.float4_e2m1fn],
    b: Operand[mgpu.float4_e2m1fn],
    a_scale: mgpu.ScalesTMEM[S],
    b_scale: mgpu.ScalesTMEM[S],
    accumulate: mgpu.I1,
) -> None:
    tcgen05.mma(acc, a, b, a_swizzle=128, b_swizzle=128, a_scale=a_scale, b_scale=b_scale, accumulate=accumulate)


class Scratch[D: mgpu.DType, S: mgpu.DType, O: mgpu.DType](mgpu.Scratch[mgpu.sm_100a | mgpu.sm_103a | mgpu.sm_110a]):
    def __init__(self, dtype: type[D], scale_dtype: type[S], block: int, out_dtype: type[O]) -> None:
        tile_k = 8 * 128 // dtype.bits  # a row is as wide as the swizzle
        scales = tile_k // block
        self.a: mgpu.SmemRef[D, Literal[128]] = mgpu.SMEM((STAGES, ROWS, tile_k), dtype, swizzle=128)
        self.b: mgpu.SmemRef[D, Literal[128]] = mgpu.SMEM((STAGES, COLUMNS, tile_k), dtype, swizzle=128)
        self.out: mgpu.SmemRef[O, Literal[64]] = mgpu.SMEM((ROWS, 8 * 64 // out_dtype.bits), out_dtype, swizzle=64)
        self.a_scales: mgpu.SmemRef[S, Literal[16]] = mgpu.SMEM(
            (STAGES, ROWS // 128, scales // 4, 32, 16), scale_dtype, swizzle=16
        )
        self.b_scales: mgpu.SmemRef[S, Literal[16]] = mgpu.SMEM(
            (STAGES, COLUMNS // 128, scales // 4, 32, 16), scale_dtype, swizzle=16
        )
        self.loaded = mgpu.Barrier(arrival_count=4, num_barriers=STAGES)
        self.consumed = mgpu.Barrier(arrival_count=1, num_barriers=STAGES)
        self.multiplied = mgpu.Barrier(arrival_count=1)
        self.acc = mgpu.TMEM((128, COLUMNS), mgpu.float32)
        self.a_scale: mgpu.ScalesTMEM[S] = mgpu.TMEM((ROWS, scales), scale_dtype, layout=tcgen05.scales_layout())
        self.b_scale: mgpu.ScalesTMEM[S] = mgpu.TMEM((COLUMNS, scales), scale_dtype, layout=tcgen05.scales_layout())


def kernel[
    D: (mgpu.float8_e4m3fn, mgpu.float8_e5m2, mgpu.float4_e2m1fn),
    S: (mgpu.float8_e8m0fnu, mgpu.float8_e4m3fn),
    O: (mgpu.float16, mgpu.bfloat16, mgpu.float32),
](
    dtype: type[D],
    scale_dtype: type[S],
    block: int,
    multiply: Multiply[D, S],
    out_dtype: type[O],
    m: int,
    n: int,
    k: int,
) -> mgpu.Kernel:
    """A kernel that gives A @ B.T in `out_dtype`, for A (m, k) and B (n, k) with their scales by `pack_scales`.

    `multiply` is one of the two above, the one whose dtypes these are.
    """
    tile_k = 8 * 128 // dtype.bits
    scales = tile_k // (4 * block)  # tiles of scales that a step reads
    part = 8 * 64 // out_dtype.bits  # columns that are stored at a time
    if m % ROWS or n % COLUMNS or k % tile_k:
        raise ValueError(f"m, n and k must be multiples of {ROWS}, {COLUMNS} and {tile_k}, got {m=}, {n=}, {k=}")
    tiling = mgpu.TileTransform((8, tile_k))

    def blackwell_scaled_matmul(
        ctx: mgpu.LaunchContext,
        a: mgpu.GmemRef[D],
        b: mgpu.GmemRef[D],
        a_scales: mgpu.GmemRef[S],
        b_scales: mgpu.GmemRef[S],
        out: mgpu.GmemRef[O],
        scratch: Scratch[D, S, O],
    ) -> None:
        row, column = mgpu.block_id(mgpu.Dimension.x) * ROWS, mgpu.block_id(mgpu.Dimension.y) * COLUMNS
        steps = mgpu.c(k // tile_k, mgpu.Index)
        warp = mgpu.warp_idx()
        elected = mgpu.single_thread_predicate(mgpu.ThreadSubset.WARP)

        with mgpu.when(warp.eq(TMA_WARP) & elected):

            @mgpu.fori(steps, None)
            def load(step: mgpu.Index, _: None) -> None:
                stage = step % STAGES
                with mgpu.when(step >= STAGES):
                    scratch.consumed[stage].wait()
                depth, scale_depth = mgpu.ds(step * tile_k, tile_k), mgpu.ds(step * scales, scales)
                ctx.async_copy(
                    src_ref=a,
                    dst_ref=mgpu.memref_slice(scratch.a, stage),
                    gmem_slice=(mgpu.ds(row, ROWS), depth),
                    gmem_transform=tiling,
                    swizzle=128,
                    barrier=scratch.loaded[stage],
                    predicate=None,
                )
                ctx.async_copy(
                    src_ref=b,
                    dst_ref=mgpu.memref_slice(scratch.b, stage),
                    gmem_slice=(mgpu.ds(column, COLUMNS), depth),
                    gmem_transform=tiling,
                    swizzle=128,
                    barrier=scratch.loaded[stage],
                    predicate=None,
                )
                ctx.async_copy(
                    src_ref=a_scales,
                    dst_ref=mgpu.memref_slice(scratch.a_scales, stage),
                    gmem_slice=(mgpu.ds(row // 128, ROWS // 128), scale_depth),
                    barrier=scratch.loaded[stage],
                    predicate=None,
                )
                ctx.async_copy(
                    src_ref=b_scales,
                    dst_ref=mgpu.memref_slice(scratch.b_scales, stage),
                    gmem_slice=(mgpu.ds(column // 128, COLUMNS // 128), scale_depth),
                    barrier=scratch.loaded[stage],
                    predicate=None,
                )

        with mgpu.when(warp.eq(MMA_WARP) & elected):

            @mgpu.fori(steps, None)
            def accumulate(step: mgpu.Index, _: None) -> None:
                stage = step % STAGES
                scratch.loaded[stage].wait()
                tcgen05.async_copy_scales_smem_to_tmem(mgpu.memref_slice(scratch.a_scales, stage), scratch.a_scale)
                tcgen05.async_copy_scales_smem_to_tmem(mgpu.memref_slice(scratch.b_scales, stage), scratch.b_scale)
                multiply(
                    scratch.acc,
                    mgpu.memref_slice(scratch.a, stage),
                    mgpu.memref_transpose(mgpu.memref_slice(scratch.b, stage), (1, 0, 3, 2)),
                    scratch.a_scale,
                    scratch.b_scale,
                    step > 0,
                )
                tcgen05.commit_arrive(scratch.consumed[stage])

            tcgen05.commit_arrive(scratch.multiplied)

        scratch.multiplied.wait(orders_tensor_core=True)
        for start in range(0, COLUMNS, part):
            value = scratch.acc.slice(slice(None), mgpu.ds(start, part)).load()
            tcgen05.wait_load_tmem()
            ctx.await_async_copy(0, await_read_only=True)  # of the part before, out of the same buffer
            value.astype(out_dtype).store_tiled(scratch.out, swizzle=64)
            mgpu.commit_shared()
            ctx.async_copy(
                src_ref=scratch.out,
                dst_ref=out,
                gmem_slice=(mgpu.ds(row, ROWS), mgpu.ds(column + start, part)),
                gmem_transform=mgpu.TileTransform((8, part)),
                swizzle=64,
            )
        ctx.await_async_copy(0)

    return mgpu.as_gpu_kernel(
        blackwell_scaled_matmul,
        grid=(m // ROWS, n // COLUMNS, 1),
        block=(128, 1, 1),
        in_shape=(
            mgpu.GMEM((m, k), dtype),
            mgpu.GMEM((n, k), dtype),
            mgpu.GMEM((m // 128, k // (4 * block), 32, 16), scale_dtype),
            mgpu.GMEM((n // 128, k // (4 * block), 32, 16), scale_dtype),
        ),
        out_shape=mgpu.GMEM((m, n), out_dtype),
        smem_scratch_shape=Scratch(dtype, scale_dtype, block, out_dtype),
    )


def mxfp8() -> mgpu.Kernel:
    return kernel(mgpu.float8_e4m3fn, mgpu.float8_e8m0fnu, 32, multiply_float8, mgpu.bfloat16, 8192, 8192, 4096)


def mxfp4() -> mgpu.Kernel:
    return kernel(mgpu.float4_e2m1fn, mgpu.float8_e8m0fnu, 32, multiply_float4, mgpu.bfloat16, 8192, 8192, 4096)


def nvfp4() -> mgpu.Kernel:
    return kernel(mgpu.float4_e2m1fn, mgpu.float8_e4m3fn, 16, multiply_float4, mgpu.bfloat16, 8192, 8192, 4096)
