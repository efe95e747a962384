"""Tiled registers avoid the bank conflicts of shared memory, which global memory has not.

Since jax 0.12 the optimization of a transfer of global memory is that it is refused where it is not of whole sectors and
cache lines. What is left lowers to the same without it.
"""

from typing import Any

from _twins import illegal, legal, since

import safegpu as mgpu
from safegpu import layouts as ll

F16 = mgpu.GMEM((64, 64), mgpu.float16)
F32 = mgpu.GMEM((64, 64), mgpu.float32)
ODD = mgpu.GMEM((4, 12), mgpu.float32)
WIDE = mgpu.GMEM((128, 64), mgpu.float32)
WGMMA = mgpu.WGMMA_LAYOUT
TILED = (1, 1, 64, 64)
SECTORS = "GMEM transfer does not access a whole number of complete 32 byte sectors"

type Global = mgpu.GmemRef[mgpu.float16]
type Singles = mgpu.GmemRef[mgpu.float32]


class S(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    plain = mgpu.SMEM((64, 64), mgpu.float16)


def ones[L](layout: mgpu.FragmentedLayout[L]) -> mgpu.FragmentedArray[mgpu.float16, L]:
    return mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float16), (64, 64), layout)


@legal(F16, S, arch="sm_90a", peers=2)
def not_optimized(ctx: mgpu.LaunchContext, o: Global, s: S) -> None:
    ones(WGMMA).store_untiled(o, optimized=False)
    ones(WGMMA).store_tiled(mgpu.memref_reshape(o, TILED), 16, optimized=False)
    ones(WGMMA).store_tiled(mgpu.memref_reshape(o, TILED), 16, False)
    ones(WGMMA).store_untiled(ctx.to_remote_multicast(o), optimized=False)
    mgpu.FragmentedArray.load_untiled(o, layout=WGMMA, optimized=False)
    mgpu.FragmentedArray.load_tiled(mgpu.memref_reshape(o, TILED), 16, optimized=False)
    mgpu.FragmentedArray.load_tiled(mgpu.memref_reshape(o, TILED), 16, layout=WGMMA, optimized=False)


@legal(F16, S, arch="sm_90a")
def shared_memory(ctx: mgpu.LaunchContext, o: Global, s: S) -> None:
    ones(WGMMA).store_tiled(s.tile, 128)
    ones(WGMMA).store_untiled(s.plain, optimized=False)
    mgpu.FragmentedArray.load_tiled(s.tile, 128)
    mgpu.FragmentedArray.load_tiled(s.tile, 128, layout=WGMMA, optimized=True)


@legal(F16, S, arch="sm_90a", peers=2)
def not_tiled(ctx: mgpu.LaunchContext, o: Global, s: S) -> None:
    mgpu.FragmentedArray.load_strided(o).store_untiled(o)
    mgpu.FragmentedArray.load_strided(o).store_untiled(ctx.to_remote_multicast(o))
    mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float16), (64, 64)).store_untiled(o)


def helper(ref: mgpu.GmemRef[mgpu.float16] | mgpu.SmemRef[mgpu.float16], optimized: bool, unknown: Any) -> None:
    ones(WGMMA).store_untiled(ref, optimized=optimized)
    ones(WGMMA).store_untiled(unknown)
    array: mgpu.FragmentedArray[mgpu.float16] = mgpu.FragmentedArray.load_untiled(unknown, layout=WGMMA)
    array.store_untiled(unknown)


@legal(F16, S, arch="sm_90a")
def known_at_run_time(ctx: mgpu.LaunchContext, o: Global, s: S) -> None:
    ones(WGMMA).store_untiled(o, optimized=bool(0))


@since("0.12", raises=SECTORS)
@illegal(F16, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def store(ctx: mgpu.LaunchContext, o: Global, s: S) -> None:
    ones(WGMMA).store_untiled(o)  # E: SG115


@since("0.12", raises="GMEM transfer width (2 bytes/thread) is smaller than 4 bytes")
@illegal(F16, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def store_of_a_row(ctx: mgpu.LaunchContext, o: Global, s: S) -> None:
    ones(WGMMA).reduce("add", 1).store_untiled(mgpu.memref_slice(o, 0))  # E: SG115


@since("0.12", raises=SECTORS)
@illegal(F16, S, arch="sm_90a", peers=2, raises="Only optimized transfers to SMEM supported")
def store_to_all_devices(ctx: mgpu.LaunchContext, o: Global, s: S) -> None:
    ones(WGMMA).store_untiled(ctx.to_remote_multicast(o))  # E: SG115


@since("0.12", raises=SECTORS)
@illegal(F16, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def store_tiled(ctx: mgpu.LaunchContext, o: Global, s: S) -> None:
    ones(WGMMA).store_tiled(mgpu.memref_reshape(o, TILED), 16)  # E: SG115


@since("0.12", raises=SECTORS)
@illegal(F16, F16, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def load(ctx: mgpu.LaunchContext, x: Global, o: Global, s: S) -> None:
    mgpu.FragmentedArray.load_untiled(x, layout=WGMMA)  # E: SG115


@since("0.12", raises=SECTORS)
@illegal(F16, F16, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def load_tiled(ctx: mgpu.LaunchContext, x: Global, o: Global, s: S) -> None:
    mgpu.FragmentedArray.load_tiled(mgpu.memref_reshape(x, TILED), 16)  # E: SG115


@since("0.12", raises=SECTORS)
@illegal(F16, F16, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def load_tiled_in_a_layout(ctx: mgpu.LaunchContext, x: Global, o: Global, s: S) -> None:
    mgpu.FragmentedArray.load_tiled(mgpu.memref_reshape(x, TILED), 16, layout=WGMMA)  # E: SG115


def in_a_helper(array: mgpu.FragmentedArray[mgpu.float16, ll.WGMMA], to: mgpu.GmemRef[mgpu.float16]) -> None:
    array.store_untiled(to)  # E: SG115


@since("0.12", raises=SECTORS)
@illegal(F16, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def through_an_illegal_helper(ctx: mgpu.LaunchContext, o: Global, s: S) -> None:
    in_a_helper(ones(WGMMA), o)


def singles[L](rows: int, columns: int, layout: mgpu.FragmentedLayout[L]) -> mgpu.FragmentedArray[mgpu.float32, L]:
    return mgpu.FragmentedArray.splat(mgpu.c(1.0, mgpu.float32), (rows, columns), layout)


@since("0.12", because="four lanes store the 32 bytes of a sector")
@illegal(F32, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def store_of_whole_sectors(ctx: mgpu.LaunchContext, o: Singles, s: S) -> None:
    singles(64, 64, WGMMA).store_untiled(o)  # E: SG115


@since("0.12", raises="does not access a whole number of complete 128 byte cache lines")
@illegal(F32, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def store_of_a_sector_of_each_line(ctx: mgpu.LaunchContext, o: Singles, s: S) -> None:
    singles(64, 8, WGMMA).store_untiled(mgpu.memref_slice(o, (slice(None), slice(0, 8))))  # E: SG115


@since("0.12", raises="GMEM transfer stride is not aligned to 32B sector size")
@illegal(ODD, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def store_of_rows_between_sectors(ctx: mgpu.LaunchContext, o: Singles, s: S) -> None:
    rows = mgpu.memref_slice(o, (slice(None), slice(0, 8)))
    singles(4, 8, mgpu.WGMMA_COL_LAYOUT).store_untiled(rows)  # E: SG115


@since("0.12", raises="GMEM transfer with per-thread vector length > 16 bytes is inefficient")
@illegal(WIDE, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def store_of_long_vectors(ctx: mgpu.LaunchContext, o: Singles, s: S) -> None:
    singles(128, 64, mgpu.tmem_native_layout(8)).store_untiled(o)  # E: SG115
