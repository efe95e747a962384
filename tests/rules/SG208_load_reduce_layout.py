"""A reducing load has one register layout: from tensor memory the native one, from multimem any but splat."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import layouts as ll
from safegpu import tcgen05

NOT_FUSED = "Fused load-reduce is not supported for this layout"
OUT = mgpu.GMEM((128, 64), mgpu.float32)


class S(mgpu.Scratch):
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    ints = mgpu.TMEM((128, 64), mgpu.int32)
    halves = mgpu.TMEM((128, 64), mgpu.float16)
    m64 = mgpu.TMEM((64, 64), mgpu.float32)


@legal(OUT, S, arch="sm_103a")
def native(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    array, row = s.acc.load(mgpu.TMEM_NATIVE_LAYOUT, reduce="absmax")
    same: mgpu.FragmentedArray[mgpu.float32, ll.TMEM_NATIVE] = array
    rows: mgpu.FragmentedArray[mgpu.float32, ll.TMEM_NATIVE_ROW] = row
    ints, least = s.ints.load(tcgen05.TMEM_NATIVE_LAYOUT, True, "min")
    s.acc.load(mgpu.tmem_native_layout(2), reduce="max")
    whole: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05] = s.acc.load(reduce=None)


@illegal(OUT, S, arch="sm_103a", raises=NOT_FUSED)
def other_layout(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.acc.load(mgpu.TCGEN05_LAYOUT, reduce="max")  # E: SG208


@illegal(OUT, S, arch="sm_103a", raises=NOT_FUSED)
def default_layout(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.acc.load(reduce="max")  # E: SG208


@illegal(OUT, S, arch="sm_103a", raises="Unsupported dtype for reduction: f16")
def halves(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.halves.load(mgpu.TMEM_NATIVE_LAYOUT, reduce="max")  # E: SG208


@illegal(OUT, S, arch="sm_103a", raises="Only min and max are supported, got: absmax")
def magnitude_of_integers(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.ints.load(mgpu.TMEM_NATIVE_LAYOUT, is_signed=True, reduce="absmax")  # E: SG208


@illegal(OUT, S, arch="sm_103a", raises=NOT_FUSED)
def half_the_lanes(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.m64.load(mgpu.WGMMA_LAYOUT, reduce="max")  # E: SG208


@illegal(OUT, S, arch="sm_103a", raises="Unsupported reduction for f32.")
def no_such_reduction(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.acc.load(mgpu.TMEM_NATIVE_LAYOUT, reduce="add")  # E: SG208


def read(ref: tcgen05.DenseTMEM[mgpu.float32, ll.TMEM_HALF_LANE_32BIT], layout: Any) -> Any:
    return ref.load(layout, reduce="max")  # E: SG208


@illegal(OUT, S, arch="sm_103a", raises=NOT_FUSED)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    read(s.m64, mgpu.WGMMA_LAYOUT)


@legal(OUT, (), arch="sm_90a", peers=2)
def multimem(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    everywhere = ctx.to_remote_multicast(o)
    strided = mgpu.WGStridedFragLayout((128, 64), 4)
    a: mgpu.FragmentedArray[mgpu.float32, ll.Strided] = mgpu.FragmentedArray.load_reduce_untiled(
        everywhere, strided, "add"
    )
    b = mgpu.FragmentedArray.load_reduce_untiled(everywhere, mgpu.WGMMA_LAYOUT, "add")


@illegal(OUT, (), arch="sm_90a", peers=2, raises="WGSplatFragLayout")
def multimem_splat(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    everywhere = ctx.to_remote_multicast(o)
    splat = mgpu.WGSplatFragLayout((128, 64))
    mgpu.FragmentedArray.load_reduce_untiled(everywhere, splat, "add")  # E: SG208
