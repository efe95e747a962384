"""A slice that ends at 0 is empty in Python; Mosaic GPU reads the 0 as no end at all."""

from _twins import legal, refused, since

import safegpu as mgpu

OUT = mgpu.GMEM((64, 64), mgpu.float16)
HALF = mgpu.GmemRef[mgpu.float16]


class S(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16)
    barrier = mgpu.Barrier(1)


class T(mgpu.Scratch):
    acc = mgpu.TMEM((128, 128), mgpu.float32)


def tile(of: HALF) -> mgpu.FragmentedArray[mgpu.float16, mgpu.layouts.WGMMA]:
    return mgpu.FragmentedArray.load_untiled(of, layout=mgpu.WGMMA_LAYOUT, optimized=False)


@legal(OUT, S, arch="sm_90a")
def ends(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    mgpu.memref_slice(s.tile, slice(0, None))
    mgpu.memref_slice(s.tile, slice(0, 64))
    mgpu.memref_slice(s.tile, slice(4, 4))  # no rows, and Mosaic GPU says so as well
    mgpu.memref_slice(s.tile, mgpu.ds(4, 0))
    ctx.async_copy(src_ref=o, dst_ref=s.tile, gmem_slice=slice(0, None), barrier=s.barrier)
    tile(o)[0:, :8]


@since("0.12", raises="Slice slice(-4, None, None) along axis 0 has negative bounds")
@legal(OUT, S, arch="sm_90a")
def begins_from_the_end(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    mgpu.memref_slice(s.tile, slice(-4, None))


@since("0.12", raises="Slice slice(0, -8, None) along axis 0 has negative bounds")
@legal(OUT, S, arch="sm_90a")
def ends_from_the_end(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    mgpu.memref_slice(s.tile, slice(0, -8))


@refused(OUT, S, arch="sm_90a")
def no_rows(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    mgpu.memref_slice(s.tile, slice(0, 0))  # L: SG808


@refused(OUT, S, arch="sm_90a")
def rows_up_to(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    for done in range(0, 64, 32):
        mgpu.memref_slice(s.tile, slice(done))  # L: SG808


@refused(OUT, S, arch="sm_90a")
def backwards(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    mgpu.memref_slice(s.tile, (slice(None), slice(8, 0)))  # L: SG808


@since("0.12", raises="Slice slice(-4, 0, None) along axis 1 has negative bounds")
@refused(OUT, S, arch="sm_90a")
def up_to_the_end(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    mgpu.memref_slice(s.tile, (slice(None), slice(-4, 0)))  # L: SG808


@refused(OUT, S, arch="sm_90a")
def copy(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    ctx.async_copy(src_ref=o, dst_ref=s.tile, gmem_slice=slice(0, 0), barrier=s.barrier)  # L: SG808


@refused(OUT, S, arch="sm_90a")
def array(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    tile(o)[:, 8:0]  # L: SG808


@refused(OUT, S, arch="sm_90a")
def part_of_an_array(ctx: mgpu.LaunchContext, o: HALF, s: S) -> None:
    value = tile(o)
    value[:, 0:0] = value  # L: SG808


@refused(OUT, T)
def tensor_memory(ctx: mgpu.LaunchContext, o: HALF, t: T) -> None:
    t.acc.slice(slice(None), slice(0, 0))  # L: SG808
