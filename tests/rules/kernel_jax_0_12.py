"""What jax 0.12 added: named barriers, windows of images, products of float64. Lowered where jax has them."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import layouts as ll

X = mgpu.Dimension.x
SINGLE = "Operation is only valid for a single barrier, but barrier ref contains"
IMAGES = mgpu.GMEM((2, 16, 16, 64), mgpu.float16)
DOUBLE = mgpu.GMEM((64, 8), mgpu.float64)
HALF = mgpu.GMEM((64, 64), mgpu.float16)
NARROW = mgpu.GMEM((2, 16, 16, 64), mgpu.int4)

type Images = mgpu.GmemRef[mgpu.float16]
type Halves = mgpu.GmemRef[mgpu.float16]
type Doubles = mgpu.GmemRef[mgpu.float64]


class S(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    plain = mgpu.SMEM((64, 64), mgpu.float16)
    other = mgpu.SMEM((64, 64), mgpu.bfloat16, swizzle=128)
    narrow = mgpu.SMEM((64, 64), mgpu.int4)
    loaded = mgpu.Barrier(1)
    one = mgpu.CtaBarrier(128)
    several = mgpu.CtaBarrier(128, num_barriers=2)


@legal(IMAGES, S, arch="sm_90a")
def named_barriers(ctx: mgpu.LaunchContext, x: Images, s: S) -> None:
    s.one.arrive_and_wait()
    s.several[0].arrive_and_wait()
    s.several[mgpu.block_id(X)].arrive_and_wait()
    for each in s.several:
        each.arrive_and_wait()


@illegal(IMAGES, S, arch="sm_90a", raises=SINGLE)
def several_at_once(ctx: mgpu.LaunchContext, x: Images, s: S) -> None:
    s.several.arrive_and_wait()  # E: SG401


@illegal(IMAGES, S, arch="sm_90a", raises=SINGLE)
def several_arrive(ctx: mgpu.LaunchContext, x: Images, s: S) -> None:
    s.several.arrive()  # E: SG401


@illegal(IMAGES, S, arch="sm_90a", raises="Expected a dynamic index or an integer")
def one_by_a_float(ctx: mgpu.LaunchContext, x: Images, s: S) -> None:
    s.several[mgpu.c(1.0, mgpu.float32)].arrive()  # E: SG308


def windows(ctx: mgpu.LaunchContext[mgpu.sm_90a], x: Images, to: mgpu.SmemRef[mgpu.float16], at: Any) -> None:
    ctx.async_copy_im2col(
        src_ref=x,
        dst_ref=to,
        barrier=at,
        window_start_bounds=[(0, 0), (0, 0)],
        start_indices=(0, mgpu.block_id(X), 0, 0),
        filter_offsets=(0, 0),
    )


@legal(IMAGES, S, arch="sm_90a")
def images(ctx: mgpu.LaunchContext, x: Images, s: S) -> None:
    bounds, start, at = [(0, 0), (0, 0)], (0, 0, 0, 0), (0, 0)
    ctx.async_copy_im2col(
        src_ref=x, dst_ref=s.tile, barrier=s.loaded, window_start_bounds=bounds, start_indices=start, filter_offsets=at,
        swizzle=128,
    )  # fmt: skip
    windows(ctx, x, s.plain, s.loaded)


@illegal(IMAGES, S, arch="sm_90a", raises="requires src_ref to be in GMEM")
def images_of_smem(ctx: mgpu.LaunchContext, x: Images, s: S) -> None:
    bounds, start, at = [(0, 0), (0, 0)], (0, 0, 0, 0), (0, 0)
    ctx.async_copy_im2col(src_ref=s.tile, dst_ref=s.tile, barrier=s.loaded, window_start_bounds=bounds, start_indices=start, filter_offsets=at, swizzle=128)  # fmt: skip  # E: SG109


@illegal(IMAGES, S, arch="sm_90a", raises="Expected same element type")
def images_of_another_dtype(ctx: mgpu.LaunchContext, x: Images, s: S) -> None:
    bounds, start, at = [(0, 0), (0, 0)], (0, 0, 0, 0), (0, 0)
    ctx.async_copy_im2col(src_ref=x, dst_ref=s.other, barrier=s.loaded, window_start_bounds=bounds, start_indices=start, filter_offsets=at, swizzle=128)  # fmt: skip  # E: SG307


@illegal(NARROW, S, arch="sm_90a", raises="im2col TMA does not support sub-byte types, got 4-bit elements")
def images_of_narrow_integers(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.int4], s: S) -> None:
    bounds, start, at = [(0, 0), (0, 0)], (0, 0, 0, 0), (0, 0)
    ctx.async_copy_im2col(src_ref=x, dst_ref=s.narrow, barrier=s.loaded, window_start_bounds=bounds, start_indices=start, filter_offsets=at)  # fmt: skip  # E: SG320


@illegal(IMAGES, S, arch="sm_90a", raises="Dynamic start_indices must have index type")
def start_of_another_type(ctx: mgpu.LaunchContext, x: Images, s: S) -> None:
    bounds, start, at = [(0, 0), (0, 0)], (0, mgpu.c(0, mgpu.int32), 0, 0), (0, 0)
    ctx.async_copy_im2col(src_ref=x, dst_ref=s.plain, barrier=s.loaded, window_start_bounds=bounds, start_indices=start, filter_offsets=at)  # fmt: skip  # E: SG000


@illegal(IMAGES, S, arch="sm_90a", raises="Dynamic filter_offsets must have index type")
def offset_of_another_type(ctx: mgpu.LaunchContext, x: Images, s: S) -> None:
    bounds, start, at = [(0, 0), (0, 0)], (0, 0, 0, 0), (0, mgpu.c(0, mgpu.int32))
    ctx.async_copy_im2col(src_ref=x, dst_ref=s.plain, barrier=s.loaded, window_start_bounds=bounds, start_indices=start, filter_offsets=at)  # fmt: skip  # E: SG000


@illegal(IMAGES, S, arch="sm_90a", raises="Unsupported start index type")
def start_that_is_no_number(ctx: mgpu.LaunchContext, x: Images, s: S) -> None:
    bounds, start, at = [(0, 0), (0, 0)], (0, 0, 0, "0"), (0, 0)
    ctx.async_copy_im2col(src_ref=x, dst_ref=s.plain, barrier=s.loaded, window_start_bounds=bounds, start_indices=start, filter_offsets=at)  # fmt: skip  # E: SG000


@illegal(IMAGES, S, arch="sm_90a", raises="Unsupported filter offset type")
def offset_that_is_no_number(ctx: mgpu.LaunchContext, x: Images, s: S) -> None:
    bounds, start, at = [(0, 0), (0, 0)], (0, 0, 0, 0), (0, "0")
    ctx.async_copy_im2col(src_ref=x, dst_ref=s.plain, barrier=s.loaded, window_start_bounds=bounds, start_indices=start, filter_offsets=at)  # fmt: skip  # E: SG000


@legal(DOUBLE, DOUBLE, S, arch="sm_90a", x64=True)
def products_of_float64(ctx: mgpu.LaunchContext, x: Doubles, o: Doubles, s: S) -> None:
    layouts = mgpu.MMALayouts(mgpu.float64)
    a = mgpu.FragmentedArray.load_untiled(x, layout=layouts.lhs, optimized=False)
    b = mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float64), (8, 8), layout=layouts.rhs)
    acc = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float64), (64, 8), layout=layouts.acc)
    mgpu.mma(acc, a, b).store_untiled(o, optimized=False)


@illegal(DOUBLE, DOUBLE, S, arch="sm_90a", raises="Only f64 accumulator supported for f64 operands")
def into_another_accumulator(ctx: mgpu.LaunchContext, x: Doubles, o: Doubles, s: S) -> None:
    layouts = mgpu.MMALayouts(mgpu.float64)
    a = mgpu.FragmentedArray.load_untiled(x, layout=layouts.lhs, optimized=False)
    b = mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float64), (8, 8), layout=layouts.rhs)
    acc = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64, 8), layout=layouts.acc)
    mgpu.mma(acc, a, b)  # E: SG303


@legal(HALF, HALF, S, arch="sm_90a")
def to_the_layout_of_4_bits(ctx: mgpu.LaunchContext, x: Halves, o: Halves, s: S) -> None:
    array = mgpu.FragmentedArray.load_untiled(x, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    array.to_layout(mgpu.WGMMA_LAYOUT_UPCAST_2X).store_untiled(o, optimized=False)


def parts_of(layout: mgpu.TiledLayout[ll.WGMMA]) -> mgpu.TiledLayout[Any]:
    return layout.reduce((1,), local_only=True, op="add")


@legal(HALF, S, arch="sm_90a")
def parts_of_a_tiled_array(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    tiled = mgpu.FragmentedArray.load_untiled(o, layout=mgpu.WGMMA_LAYOUT, optimized=False)
    tiled.reduce("add", 1, target_layout=parts_of(mgpu.WGMMA_LAYOUT))
    tiled.reduce("add", 1, target_layout=mgpu.WGMMA_ROW_LAYOUT)


TILED_ALONE = "A target layout can only be specified when reducing an array with a TiledLayout"


@illegal(HALF, S, arch="sm_90a", raises=TILED_ALONE)
def parts_of_a_splat(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    splat = mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.F16), (64, 64))
    splat.reduce("add", 1, target_layout=mgpu.WGMMA_ROW_LAYOUT)  # E: SG213


@illegal(HALF, S, arch="sm_90a", raises=TILED_ALONE)
def parts_of_a_strided_array(ctx: mgpu.LaunchContext, o: Halves, s: S) -> None:
    mgpu.FragmentedArray.load_strided(o).reduce("add", (0, 1), target_layout=mgpu.WGMMA_ROW_LAYOUT)  # E: SG213
