"""Tiled registers avoid the bank conflicts of shared memory, which global memory has not."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import layouts as ll

F16 = mgpu.GMEM((64, 64), mgpu.float16)
WGMMA = mgpu.WGMMA_LAYOUT
TILED = (1, 1, 64, 64)

type Global = mgpu.GmemRef[mgpu.float16]


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


@illegal(F16, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def store(ctx: mgpu.LaunchContext, o: Global, s: S) -> None:
    ones(WGMMA).store_untiled(o)  # E: SG115


@illegal(F16, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def store_of_a_row(ctx: mgpu.LaunchContext, o: Global, s: S) -> None:
    ones(WGMMA).reduce("add", 1).store_untiled(mgpu.memref_slice(o, 0))  # E: SG115


@illegal(F16, S, arch="sm_90a", peers=2, raises="Only optimized transfers to SMEM supported")
def store_to_all_devices(ctx: mgpu.LaunchContext, o: Global, s: S) -> None:
    ones(WGMMA).store_untiled(ctx.to_remote_multicast(o))  # E: SG115


@illegal(F16, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def store_tiled(ctx: mgpu.LaunchContext, o: Global, s: S) -> None:
    ones(WGMMA).store_tiled(mgpu.memref_reshape(o, TILED), 16)  # E: SG115


@illegal(F16, F16, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def load(ctx: mgpu.LaunchContext, x: Global, o: Global, s: S) -> None:
    mgpu.FragmentedArray.load_untiled(x, layout=WGMMA)  # E: SG115


@illegal(F16, F16, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def load_tiled(ctx: mgpu.LaunchContext, x: Global, o: Global, s: S) -> None:
    mgpu.FragmentedArray.load_tiled(mgpu.memref_reshape(x, TILED), 16)  # E: SG115


@illegal(F16, F16, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def load_tiled_in_a_layout(ctx: mgpu.LaunchContext, x: Global, o: Global, s: S) -> None:
    mgpu.FragmentedArray.load_tiled(mgpu.memref_reshape(x, TILED), 16, layout=WGMMA)  # E: SG115


def in_a_helper(array: mgpu.FragmentedArray[mgpu.float16, ll.WGMMA], to: mgpu.GmemRef[mgpu.float16]) -> None:
    array.store_untiled(to)  # E: SG115


@illegal(F16, S, arch="sm_90a", raises="Only optimized transfers to SMEM supported")
def through_an_illegal_helper(ctx: mgpu.LaunchContext, o: Global, s: S) -> None:
    in_a_helper(ones(WGMMA), o)
