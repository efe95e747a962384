"""One line for each site of Mosaic GPU that a rule claims and no other twin gets to (`safegpu/rules/sites.toml`)."""

from _twins import illegal, since

import safegpu as mgpu
from safegpu import launch_context, tcgen05, utils

X = mgpu.Dimension.x
HALF = mgpu.GMEM((64, 64), mgpu.float16)
SINGLE = mgpu.GMEM((64, 64), mgpu.float32)
SCALES = mgpu.GMEM((64, 64), mgpu.float8_e8m0fnu)
INT = mgpu.GMEM((64, 64), mgpu.int32)

type Halves = mgpu.GmemRef[mgpu.float16]
type Singles = mgpu.GmemRef[mgpu.float32]


class S(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    plain = mgpu.SMEM((64, 64), mgpu.float16)
    barriers = mgpu.Barrier(1, num_barriers=2)
    acc = mgpu.TMEM((128, 64), mgpu.float32)


class Hopper(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    plain = mgpu.SMEM((64, 64), mgpu.float16)


class Blackwell(mgpu.Scratch):
    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=64)
    packed = mgpu.TMEM((64, 64), mgpu.float16, packing=2)


class Scaled(mgpu.Scratch):
    a = mgpu.SMEM((128, 128), mgpu.float8_e4m3fn, swizzle=128)
    b = mgpu.SMEM((128, 128), mgpu.float8_e4m3fn, swizzle=128)
    acc = mgpu.TMEM((128, 128), mgpu.float32)
    a_scale = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())
    dense = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, packing=4)


class Pair(mgpu.Scratch):
    a = mgpu.SMEM((64, 128), mgpu.float8_e4m3fn, swizzle=128)
    b = mgpu.SMEM((128, 128), mgpu.float8_e4m3fn, swizzle=128)
    acc = mgpu.TMEM((64, 256), mgpu.float32, collective=True)
    a_scale = mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout(), collective=True)
    dense = mgpu.TMEM((256, 4), mgpu.float8_e8m0fnu, layout=tcgen05.tmem_default_layout(4), collective=True)


class Copied(mgpu.Scratch):
    brain = mgpu.SMEM((128, 64), mgpu.bfloat16, swizzle=128)
    short = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    metadata = mgpu.SMEM((1, 2, 128, 64), mgpu.uint2)
    left = mgpu.TMEM((128, 64), mgpu.float16, packing=2)
    scales = mgpu.SMEM((1, 1, 32, 16), mgpu.float8_e5m2)
    no_scales = mgpu.TMEM((128, 4), mgpu.float8_e5m2, layout=tcgen05.scales_layout())
    short_left = mgpu.TMEM((64, 64), mgpu.float16, packing=2)
    no_metadata = mgpu.TMEM((128, 128), mgpu.uint2, layout=tcgen05.tmem_default_layout(16))


UNEVEN = mgpu.GMEM((60, 64), mgpu.float16)


class Uneven(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    barrier = mgpu.Barrier(1)


class Address(mgpu.Scratch):
    address = mgpu.SMEM((1,), mgpu.int32)


def rows[D: mgpu.DType](dtype: type[D]) -> mgpu.FragmentedArray[D, mgpu.layouts.TMA_INDICES]:
    array = mgpu.FragmentedArray.splat(mgpu.c(1, dtype), (64,), mgpu.TMA_INDICES_LAYOUT, is_signed=dtype.is_signed)
    return mgpu.FragmentedArray.wrap(array, dtype, mgpu.TMA_INDICES_LAYOUT)


def ones[D: mgpu.DType, L](dtype: type[D], layout: mgpu.TiledLayout[L]) -> mgpu.FragmentedArray[D, L]:
    array = mgpu.FragmentedArray.splat(mgpu.c(1, dtype), (64, 64), layout, is_signed=dtype.is_signed)
    return mgpu.FragmentedArray.wrap(array, dtype, layout)


# --- tensor cores


@illegal(HALF, S, raises="A must be a memref", one_thread=True)
def left_operand_of_no_memory(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    tcgen05.mma(s.acc, mgpu.c(0, mgpu.Index), s.b)  # E: SG000


@illegal(HALF, S, raises="B must be a memref", one_thread=True)
def right_operand_of_no_memory(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    tcgen05.mma(s.acc, s.a, mgpu.c(0, mgpu.Index))  # E: SG000


@illegal(HALF, Hopper, raises="B must be a memref", arch="sm_90a")
def right_operand_of_wgmma(ctx: mgpu.LaunchContext, o: Halves, s: Hopper) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(128, 64), s.a, mgpu.c(0, mgpu.Index), swizzle=128)  # E: SG000


@illegal(HALF, Hopper, raises="Unsupported A type", arch="sm_90a")
def left_operand_of_wgmma(ctx: mgpu.LaunchContext, o: Halves, s: Hopper) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(128, 64), mgpu.c(0, mgpu.Index), s.b, swizzle=128)  # E: SG000


@illegal(HALF, Blackwell, raises="Accumulator layout mismatch", one_thread=True)
def packed_accumulator_of_64_rows(ctx: mgpu.LaunchContext, o: Halves, s: Blackwell) -> None:
    tcgen05.mma(s.packed, s.a, s.b, b_swizzle=64)  # E: SG210


@illegal(HALF, Scaled, raises="Expected B scales to have a M=128 layout", one_thread=True)
def dense_scales(ctx: mgpu.LaunchContext, o: Halves, s: Scaled) -> None:
    tcgen05.mma(s.acc, s.a, s.b, a_scale=s.a_scale, b_scale=s.dense)  # E: SG109


@illegal(HALF, Pair, raises="Expected B scales to have a M=64 collective layout", cluster=2, one_thread=True)
def dense_scales_of_a_pair(ctx: mgpu.LaunchContext, o: Halves, s: Pair) -> None:
    tcgen05.mma(s.acc, s.a, s.b, a_scale=s.a_scale, b_scale=s.dense, collective=True)  # E: SG109


@illegal(HALF, S, raises="Unsupported operand type")
def mma_of_singles(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    layouts = mgpu.MMALayouts(mgpu.float32)
    acc, b = ones(mgpu.float32, layouts.acc), ones(mgpu.float32, layouts.rhs)
    mgpu.mma(acc, ones(mgpu.float32, layouts.lhs), b)  # E: SG303


@illegal(HALF, S, raises="Only signed accumulator supported")
def unsigned_accumulator(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    layouts = mgpu.MMALayouts(mgpu.int8)
    acc, b = ones(mgpu.uint32, layouts.acc), ones(mgpu.int8, layouts.rhs)
    mgpu.mma(acc, ones(mgpu.int8, layouts.lhs), b)  # E: SG303


# --- tensor memory


@illegal(HALF, S, raises="TMEM stores expect a FragmentedArray")
def store_of_a_number(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    s.acc.store(1.0)  # E: SG000


@illegal(HALF, Copied, raises="Incompatible dtypes")
def copy_of_another_dtype(ctx: mgpu.LaunchContext, o: Halves, s: Copied) -> None:
    tcgen05.async_copy_smem_to_tmem(s.brain, s.left, swizzle=128)  # E: SG307


@illegal(HALF, Copied, raises="TMEM reference must have 128 rows")
def copy_of_64_rows(ctx: mgpu.LaunchContext, o: Halves, s: Copied) -> None:
    tcgen05.async_copy_smem_to_tmem(s.short, s.short_left, swizzle=128)  # E: SG210


@illegal(HALF, Copied, raises="only f8e8m0fnu and f8e4m3fn are supported")
def scales_of_another_dtype(ctx: mgpu.LaunchContext, o: Halves, s: Copied) -> None:
    tcgen05.async_copy_scales_smem_to_tmem(s.scales, s.no_scales)  # E: SG307


@illegal(HALF, Copied, raises="is not supported")
def metadata_to_dense_memory(ctx: mgpu.LaunchContext, o: Halves, s: Copied) -> None:
    tcgen05.async_copy_sparse_metadata_smem_to_tmem(s.metadata, s.no_metadata)  # E: SG107


@illegal(HALF, Copied, raises="TMEM can only be sliced, not indexed")
def column_of_tensor_memory(ctx: mgpu.LaunchContext, o: Halves, s: Copied) -> None:
    s.left.slice(slice(None), 0)  # E: SG000


@illegal(HALF, Address, raises="collective argument must be provided")
def memory_of_nobody(ctx: mgpu.LaunchContext, o: Halves, s: Address) -> None:
    tcgen05.TMEMRef.from_alloc(s.address, (128, 64), mgpu.float32)  # E: SG000


@illegal(HALF, Hopper, raises="PTX does not support unsigned WGMMA accumulators", arch="sm_90a")
def accumulator_without_sign(ctx: mgpu.LaunchContext, o: Halves, s: Hopper) -> None:
    mgpu.WGMMAAccumulator.zero(64, 64, mgpu.uint32)  # E: SG303


# --- copies


@illegal(HALF, S, raises="Gather/scatter indices must be unsigned")
def rows_by_signed_numbers(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    ctx.async_copy(src_ref=s.plain, dst_ref=o, gmem_slice=(rows(mgpu.int32), slice(None)))  # E: SG000


@illegal(HALF, S, raises="Gather/scatter indices must be integers that are at most 32-bit wide")
def rows_by_floats(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    ctx.async_copy(src_ref=s.plain, dst_ref=o, gmem_slice=(rows(mgpu.float32), slice(None)))  # E: SG000


@illegal(HALF, S, raises="Gather/scatter prefetch not implemented yet")
def prefetch_of_rows(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    ctx.async_prefetch(gmem_ref=o, gmem_slice=(rows(mgpu.uint32), slice(None)))  # E: SG000


@illegal(UNEVEN, Uneven, raises="NotImplementedError")
def padded_window(ctx: mgpu.LaunchContext, o: Halves, s: Uneven) -> None:
    mgpu.TileTransform((8, 64), rounding=launch_context.Rounding.UP).transform_shape((64, 64))  # E: SG000


@illegal(UNEVEN, Uneven, raises="NotImplementedError")
def padded_reference(ctx: mgpu.LaunchContext, o: Halves, s: Uneven) -> None:
    mgpu.TileTransform((8, 64), launch_context.Rounding.UP).apply(o)  # E: SG000


@illegal(UNEVEN, Uneven, raises="NotImplementedError")
def padded_shape(ctx: mgpu.LaunchContext, o: Halves, s: Uneven) -> None:
    mgpu.TileTransform((8, 64), launch_context.Rounding.UP).transform_gmem_shape((60, 64))  # E: SG000


@illegal(HALF, S, raises="Only the TMA implementation supports reductions")
def reduction_by_threads(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    by = mgpu.AsyncCopyImplementation
    ctx.async_copy(src_ref=s.b, dst_ref=o, swizzle=128, reduction_op="add", implementation=by.CP_ASYNC)  # E: SG000


@illegal(HALF, HALF, S, raises="Gather/scatter indices must be 1D")
def rows_by_a_matrix(ctx: mgpu.LaunchContext, x: Halves, o: Halves, s: S) -> None:
    rows = ones(mgpu.uint32, mgpu.WGMMA_LAYOUT)
    ctx.async_copy(src_ref=x, dst_ref=s.plain, barrier=s.barriers[0], gmem_slice=(rows, slice(None)))  # E: SG000


@illegal(HALF, HALF, S, raises="Unsupported gather indices layout")
def rows_by_a_splat(ctx: mgpu.LaunchContext, x: Halves, o: Halves, s: S) -> None:
    rows = mgpu.FragmentedArray.splat(mgpu.c(1, mgpu.uint32), (64,), is_signed=False)
    ctx.async_copy(src_ref=x, dst_ref=s.plain, barrier=s.barriers[0], gmem_slice=(rows, slice(None)))  # E: SG000


@since("0.12", raises="'llvm.extractvalue' op Type mismatch")  # MLIR, before Mosaic GPU looks
@illegal(HALF, S, raises="Unsupported type for to_remote")
def peer_of_shared_memory(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    ctx.to_remote(s.plain, mgpu.c(0, mgpu.int32))  # E: SG109


@illegal(HALF, S, raises="Unsupported type for to_remote")
def peer_of_a_pointer_to_shared_memory(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    ctx.to_remote(utils.memref_ptr(s.plain), mgpu.c(0, mgpu.int32))  # E: SG109


@illegal(HALF, S, raises="peer index must be an i32")
def peer_by_index(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    ctx.to_remote(o, mgpu.c(0, mgpu.Index))  # E: SG308


@illegal(HALF, S, raises="Unsupported type for to_remote_multicast", peers=2)
def multicast_of_a_number(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    ctx.to_remote_multicast(mgpu.c(0, mgpu.Index))  # E: SG000


@illegal(SINGLE, S, raises="Source and destination must have the same element type")
def copy_tiled_of_another_dtype(ctx: mgpu.LaunchContext, o: Singles, s: S) -> None:
    mgpu.copy_tiled(s.b, o, swizzle=128)  # E: SG307


@illegal(HALF, S, raises="expected SMEM tiling to be")
def copy_tiled_of_another_swizzle(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    mgpu.copy_tiled(s.b, o, swizzle=64)  # E: SG701


@illegal(HALF, S, raises="Unsupported copy")
def copy_tiled_within_shared_memory(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    mgpu.copy_tiled(s.b, s.b, swizzle=128)  # E: SG109


# --- reductions


@illegal(SCALES, S, raises="NotImplementedError: f8E8M0FNU", peers=2)
def multimem_of_scales(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float8_e8m0fnu], s: S) -> None:
    everywhere = ctx.to_remote_multicast(o)
    mgpu.FragmentedArray.load_reduce_untiled(everywhere, mgpu.WGMMA_LAYOUT_8BIT, "add")  # E: SG306


@illegal(INT, S, raises="Unsupported reduction operation: mul", peers=2)
def product_over_devices(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.int32], s: S) -> None:
    mgpu.FragmentedArray.load_reduce_untiled(ctx.to_remote_multicast(o), mgpu.WGMMA_LAYOUT, "mul")  # E: SG306


@illegal(HALF, Hopper, raises="base_ptr should be a generic pointer", cluster=2, arch="sm_90a")
def atomic_store_to_another_block(ctx: mgpu.LaunchContext, o: Halves, s: Hopper) -> None:
    other = mgpu.get_cluster_ref(mgpu.memref_unfold(s.plain, 0, (1, 64)), X, mgpu.c(0, mgpu.Index), generic=False)
    tiled = mgpu.memref_unfold(other, 1, (1, 64))
    ones(mgpu.float16, mgpu.WGMMA_LAYOUT).store_tiled(tiled, 16, optimized=False, atomic="add")  # E: SG109


# --- scalars


@illegal(HALF, S, raises="TypeError: <class 'float'>")
def whole_number_of_a_float(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    mgpu.c(1.5, mgpu.int32)  # E: SG000


@illegal(HALF, S, raises="Expected a dynamic index or an integer")
def barrier_by_a_long(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    s.barriers[mgpu.c(1, mgpu.int64)].wait()  # E: SG308


@illegal(HALF, S, raises="Only 32-bit scalar types supported")
def lanes_of_halves(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    utils.redux(mgpu.c(1.0, mgpu.float16), mgpu.c(1, mgpu.int32), utils.ReductionKind.FMAX)  # E: SG308


@illegal(HALF, S, raises="AssertionError")
def tree_of_longs(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    utils.warp_tree_reduce(mgpu.c(1, mgpu.int64), lambda x, y: x + y, 32)  # E: SG308


@illegal(HALF, S, raises="Expected a single dimension", cluster=2)
def one_index_of_two_axes(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    utils.cluster_idx((X, mgpu.Dimension.y), mgpu.c(0, mgpu.Index))  # E: SG000


@illegal(HALF, S, raises="Exactly one of num_chunks and chunk_size")
def parts_of_no_size(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    utils.Partition((64, 64), partition=(0, 1))  # E: SG000


@illegal(HALF, S, raises="Exactly one of num_chunks and chunk_size")
def part_of_no_size(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    utils.Partition1D(64)  # E: SG000


@illegal(HALF, S, raises="AssertionError")
def part_by_an_int(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    utils.Partition((64, 64), partition=(0, None), num_chunks=(2,)).get_base(1)  # E: SG000


@illegal(HALF, S, raises="Expected a dynamic index or an integer")
def barrier_by_a_float(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    s.barriers[mgpu.c(1, mgpu.float32)].wait()  # E: SG308


@illegal(INT, S, raises="Expected a i32 value")
def signal_by_an_index(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.int32], s: S) -> None:
    utils.SemaphoreRef(utils.memref_ptr(o)).signal(mgpu.c(1, mgpu.Index))  # E: SG308


@illegal(INT, S, raises="Expected a i32 value")
def wait_for_an_index(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.int32], s: S) -> None:
    utils.SemaphoreRef(utils.memref_ptr(o)).wait(mgpu.c(1, mgpu.Index))  # E: SG308


@illegal(INT, S, raises="Expected a i32 value")
def signal_all_by_an_index(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.int32], s: S) -> None:
    utils.SemaphoreRef.signal_multimem(utils.memref_ptr(o), mgpu.c(1, mgpu.Index))  # E: SG308


@illegal(INT, S, raises="Unsupported memory_scope: cta")
def signal_to_the_block(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.int32], s: S) -> None:
    utils.SemaphoreRef(utils.memref_ptr(o)).signal(1, memory_scope="cta")  # E: SG000


@illegal(INT, S, raises="Unsupported memory_scope: cta")
def wait_for_the_block(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.int32], s: S) -> None:
    utils.SemaphoreRef(utils.memref_ptr(o)).wait(memory_scope="cta")  # E: SG000


@illegal(HALF, S, raises="AssertionError")
def lanes_by_an_index(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    utils.redux(mgpu.c(1, mgpu.int32), mgpu.c(1, mgpu.Index), utils.ReductionKind.ADD)  # E: SG308


@illegal(HALF, S, raises="AssertionError: index", cluster=2)
def block_by_an_index(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    utils.get_cluster_ptr(s.barriers[0].get_ptr(), mgpu.c(1, mgpu.Index))  # E: SG308


@illegal(HALF, S, raises="NotImplementedError: <class 'str'>")
def slice_by_a_name(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    mgpu.memref_slice(o, "rows")  # E: SG000


@illegal(HALF, S, raises="predicate must be None")
def predicate_beside_a_result(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    true = mgpu.c(1, mgpu.bool_)
    utils.inline_ptx("mov.b32 $0, 1;", result_types=mgpu.I32, predicate=true)  # E: SG000


@illegal(HALF, S, raises="PyTreeDef")
def loop_that_carries_more(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    @mgpu.fori(mgpu.c(4, mgpu.Index), mgpu.c(0, mgpu.Index))  # E: SG000
    def _(i: mgpu.Index, carried: mgpu.Index) -> tuple[mgpu.Index, mgpu.Index]:
        return carried, i


# --- arrays


@since("0.12", raises="along axis 0 has dynamic bounds")
@illegal(HALF, S, raises="is out of bounds for shape (64, 64)")
def part_from_an_index(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    ones(mgpu.float16, mgpu.WGMMA_LAYOUT)[mgpu.c(0, mgpu.Index) : 64]  # E: SG000


@illegal(HALF, S, raises="Only slicing with static indices allowed")
def part_at_an_index(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    ones(mgpu.float16, mgpu.WGMMA_LAYOUT)[mgpu.ds(mgpu.c(0, mgpu.Index), 64)]  # E: SG000


@illegal(HALF, S, raises="Only slicing with static indices allowed")
def part_set_at_an_index(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    halves = ones(mgpu.float16, mgpu.WGMMA_LAYOUT)
    halves[mgpu.ds(mgpu.c(0, mgpu.Index), 64)] = halves  # E: SG000


@illegal(HALF, S, raises="AssertionError")
def array_of_nothing(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    def nothing(value: mgpu.F16, index: tuple[mgpu.Index, ...]) -> None: ...

    ones(mgpu.float16, mgpu.WGMMA_LAYOUT).foreach(nothing, create_array=True)  # E: SG000


@illegal(HALF, S, raises="Only TiledLayouts support swizzling")
def strided_store_of_a_swizzle(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    mgpu.FragmentedArray.load_strided(s.plain).store_untiled(o, swizzle=128)  # E: SG701


@illegal(HALF, S, raises="Only swizzled transfers supported")
def load_of_no_swizzle(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    mgpu.FragmentedArray.load_tiled(s.b, None)  # E: SG701


@illegal(HALF, S, raises="All arrays must have the same dtype")
def arrays_of_two_dtypes_joined(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    mgpu.concatenate([ones(mgpu.float16, mgpu.WGMMA_LAYOUT), ones(mgpu.float32, mgpu.WGMMA_LAYOUT)])  # E: SG305


@illegal(HALF, S, raises="All arrays must have the same signedness")
def arrays_of_two_signs_joined(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    mgpu.concatenate((ones(mgpu.int32, mgpu.WGMMA_LAYOUT), ones(mgpu.uint32, mgpu.WGMMA_LAYOUT)))  # E: SG305


@illegal(HALF, S, raises="All arrays must have the same layout")
def arrays_of_two_layouts_joined(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    rows, columns = ones(mgpu.float16, mgpu.WGMMA_LAYOUT), ones(mgpu.float16, mgpu.WGMMA_TRANSPOSED_LAYOUT)
    mgpu.concatenate([rows, columns])  # E: SG207


@illegal(HALF, S, raises="NotImplementedError: f64")
def barrier_of_long_floats(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    mgpu.optimization_barrier(ones(mgpu.float64, mgpu.WGMMA_LAYOUT))  # E: SG309


@illegal(HALF, S, raises="NotImplementedError: f16")
def barrier_of_a_splat(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    splat = mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float16), (64, 64))
    mgpu.optimization_barrier(splat, ones(mgpu.float32, mgpu.WGMMA_LAYOUT))  # E: SG309


@illegal(HALF, S, raises="AssertionError")
def barrier_of_nibbles(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    mgpu.optimization_barrier(ones(mgpu.int4, mgpu.WGMMA_LAYOUT_UPCAST_4X))  # E: SG309


@illegal(HALF, S, raises="AssertionError")
def larger_of_two_dtypes(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    ones(mgpu.float32, mgpu.WGMMA_LAYOUT).max(ones(mgpu.float16, mgpu.WGMMA_LAYOUT))  # E: SG305


@illegal(HALF, S, raises="Expected a FragmentedArray")
def part_set_to_a_number(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    ones(mgpu.float16, mgpu.WGMMA_LAYOUT)[0:64] = 1.0  # E: SG000


@illegal(HALF, S, raises="Array has dtype")
def part_set_to_another_dtype(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    halves, singles = ones(mgpu.float16, mgpu.WGMMA_LAYOUT), ones(mgpu.float32, mgpu.WGMMA_LAYOUT)
    halves[0:64] = singles  # E: SG305


@illegal(HALF, S, raises="Array has layout")
def part_set_to_another_layout(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    rows, columns = ones(mgpu.float16, mgpu.WGMMA_LAYOUT), ones(mgpu.float16, mgpu.WGMMA_TRANSPOSED_LAYOUT)
    rows[0:64] = columns  # E: SG207


@illegal(HALF, S, raises="NotImplementedError: TiledLayout")
def columns_repeated_as_rows(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    column = mgpu.FragmentedArray.splat(mgpu.c(1, mgpu.float32), (64,), mgpu.WGMMA_COL_LAYOUT)
    column.broadcast_minor(64)  # E: SG000


@illegal(HALF, S, raises="NotImplementedError: rows")
def layout_by_name(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    mgpu.FragmentedArray.splat(mgpu.c(1, mgpu.float32), (64, 64), "rows")  # E: SG000


@illegal(HALF, S, raises="TypeError: index")
def load_of_no_memory(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    mgpu.FragmentedArray.load_strided(mgpu.c(1, mgpu.Index))  # E: SG000


@illegal(HALF, S, raises="ValueError")
def store_to_no_memory(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    ones(mgpu.float16, mgpu.WGMMA_LAYOUT).store_untiled(mgpu.c(1, mgpu.Index))  # E: SG000


@illegal(HALF, S, raises="Expected a memref type")
def is_it_tensor_memory(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    utils.is_tmem_ref(s.acc)  # E: SG000


@illegal(HALF, S, raises="Expected a memref type")
def is_it_the_clusters(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    utils.is_cluster_smem_ref(s.acc)  # E: SG000
