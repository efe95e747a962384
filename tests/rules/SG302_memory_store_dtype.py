"""A tiled store to memory compares no dtypes: the bits of one are then read as the other."""

from typing import Any

from _twins import illegal, legal, refused

import safegpu as mgpu

X = mgpu.Dimension.x
OUT = mgpu.GMEM((64, 64), mgpu.bfloat16)
REINTERPRETED = "the buffer's reader takes the bits of a float16 for a bfloat16"


class S(mgpu.Scratch):
    tiled = mgpu.SMEM((64, 64), mgpu.bfloat16, swizzle=128)
    plain = mgpu.SMEM((64, 64), mgpu.bfloat16)
    barrier = mgpu.Barrier(1)


def f16[L](layout: mgpu.FragmentedLayout[L]) -> mgpu.FragmentedArray[mgpu.float16, L]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64), layout)


@legal(OUT, S, arch="sm_90a", cluster=2)
def converted(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    value = f16(mgpu.WGMMA_LAYOUT).astype(mgpu.bfloat16)
    value.store_tiled(s.tiled, 128)
    value.store_untiled(o, optimized=False)
    value.store_tiled_async(s.tiled, s.barrier, X, mgpu.c(1, mgpu.Index), 128)


@refused(OUT, S, arch="sm_90a", because=REINTERPRETED)
def tiled_store(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    value = f16(mgpu.WGMMA_LAYOUT)
    value.store_tiled(s.tiled, 128)  # E: SG302


@refused(OUT, S, arch="sm_90a", because=REINTERPRETED)
def global_store(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    value = f16(mgpu.WGMMA_LAYOUT)
    value.store_untiled(o, optimized=False)  # E: SG302


@illegal(OUT, S, arch="sm_90a", raises="base and valueToStore element type should match")
def strided_store(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    value = f16(mgpu.WGStridedFragLayout((64, 64), 2))
    value.store_untiled(s.plain)  # E: SG302


@refused(OUT, S, arch="sm_90a", peers=2, because=REINTERPRETED)
def multimem_store(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    value = f16(mgpu.WGMMA_LAYOUT)
    value.store_untiled(ctx.to_remote_multicast(o), optimized=False)  # E: SG302


@illegal(OUT, S, arch="sm_90a", cluster=2, raises="base and valueToStore element type should match")
def store_to_the_peer(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    value = f16(mgpu.WGStridedFragLayout((64, 64), 2))
    value.store_untiled(mgpu.get_cluster_ref(s.plain, X, mgpu.c(1, mgpu.Index)))  # E: SG302


@refused(OUT, S, arch="sm_90a", cluster=2, because=REINTERPRETED)
def async_store(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    value = f16(mgpu.WGMMA_LAYOUT)
    value.store_tiled_async(s.tiled, s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # E: SG302


@refused(OUT, S, arch="sm_90a", because=REINTERPRETED)
def view(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    value = f16(mgpu.WGMMA_LAYOUT)
    part = mgpu.memref_slice(mgpu.memref_unsqueeze(o, 0), 0)
    value.store_untiled(part, optimized=False)  # E: SG302


@illegal(OUT, S, arch="sm_90a", raises="base and valueToStore element type should match")
def splat(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    value = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64))
    value.store_untiled(o)  # E: SG302


def put(value: mgpu.FragmentedArray[mgpu.float16], to: mgpu.SmemRef[mgpu.bfloat16]) -> None:
    value.store_tiled(to, 128)  # E: SG302


@refused(OUT, S, arch="sm_90a", because=REINTERPRETED)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    put(f16(mgpu.WGMMA_LAYOUT), s.tiled)


# --- the array or reference made in the call: what the store expects never makes it unknown


@refused(mgpu.GMEM((64, 64), mgpu.float16), (), because="the bits are read under the other dtype")
def inline_wrap(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: tuple[()]) -> None:
    raw: Any = o
    value = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64, 64), mgpu.WGMMA_LAYOUT)
    value.store_untiled(mgpu.GmemRef.wrap(raw, mgpu.float16), optimized=False)  # E: SG302


@refused(mgpu.GMEM((64, 64), mgpu.float16), (), because="the bits are read under the other dtype")
def inline_view(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float16], s: tuple[()]) -> None:
    value = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (64, 64), mgpu.WGMMA_LAYOUT)
    value.store_untiled(mgpu.memref_slice(o, slice(0, 64)), optimized=False)  # E: SG302


# --- what lowering sees where the types do not know


def untyped(value: Any) -> Any:
    return value


@legal(OUT, S, arch="sm_90a", cluster=2)
def untyped_of_one_dtype(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    value = f16(mgpu.WGMMA_LAYOUT)
    value.astype(mgpu.bfloat16).store_untiled(untyped(o), optimized=False)
    value.bitcast(mgpu.bfloat16).store_untiled(untyped(o), optimized=False)
    value.bitcast(mgpu.bfloat16).store_tiled(untyped(s.tiled), 128)


@refused(OUT, S, arch="sm_90a", because=REINTERPRETED)
def untyped_store(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    f16(mgpu.WGMMA_LAYOUT).store_untiled(untyped(o), optimized=False)  # L: SG302


@refused(OUT, S, arch="sm_90a", because=REINTERPRETED)
def untyped_tiled_store(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    untyped(f16(mgpu.WGMMA_LAYOUT)).store_tiled(s.tiled, 128)  # L: SG302


@refused(OUT, S, arch="sm_90a", because="each element takes the place of two")
def untyped_store_of_another_width(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    f16(mgpu.WGMMA_LAYOUT).astype(mgpu.float32).store_untiled(untyped(o), optimized=False)  # L: SG302


@refused(OUT, S, arch="sm_90a", cluster=2, because=REINTERPRETED)
def untyped_async_store(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    value = f16(mgpu.WGMMA_LAYOUT)
    value.store_tiled_async(untyped(s.tiled), s.barrier, X, mgpu.c(1, mgpu.Index), 128)  # L: SG302


@refused(OUT, S, arch="sm_90a", because="adds numbers of another dtype than the buffer's")
def untyped_atomic_store(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    f16(mgpu.WGMMA_LAYOUT).store_untiled(untyped(o), optimized=False, atomic="add")  # L: SG302


@refused(OUT, S, arch="sm_90a", peers=2, because=REINTERPRETED)
def untyped_multimem_store(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None:
    f16(mgpu.WGMMA_LAYOUT).store_untiled(untyped(ctx.to_remote_multicast(o)), optimized=False)  # L: SG302


@refused(OUT, S, arch="sm_90a", because=REINTERPRETED)
def wrapped_under_the_other_dtype(ctx: mgpu.LaunchContext, o: Any, s: S) -> None:
    @mgpu.fori(mgpu.c(2, mgpu.Index), ())
    def _(i: mgpu.Index, carried: tuple[()]) -> tuple[()]:
        f16(mgpu.WGMMA_LAYOUT).store_untiled(o, optimized=False)  # L: SG302
        return ()
