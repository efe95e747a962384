"""An operation names the memory spaces that it reads and writes; a raw `ir.Value` goes through `wrap` first."""

from typing import Any

from _twins import illegal, legal, refused, silent
from jaxlib.mlir import ir

import safegpu as mgpu
from safegpu import tcgen05

X = mgpu.Dimension.x
ONLY_COPIES = "Only SMEM <-> GMEM copies supported"
IN = mgpu.GMEM((64, 64), mgpu.float16)
TILED_IN = mgpu.GMEM((8, 1, 8, 64), mgpu.float16)
OUT = mgpu.GMEM((64, 64), mgpu.float16)


class S(mgpu.Scratch):
    smem = mgpu.SMEM((64, 64), mgpu.float16)
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    barrier = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    small = mgpu.TMEM((128, 32), mgpu.float32)


class H(mgpu.Scratch):
    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    barrier = mgpu.Barrier(1)


@legal(IN, OUT, S)
def copies(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.smem, barrier=s.barrier)
    s.barrier.wait()
    ctx.async_copy(src_ref=s.smem, dst_ref=o)
    ctx.async_prefetch(gmem_ref=x)


@illegal(IN, OUT, S, raises=ONLY_COPIES)
def copy_within_global_memory(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=o, barrier=s.barrier)  # E: SG109


@illegal(IN, OUT, S, raises=ONLY_COPIES)
def copy_within_shared_memory(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S
) -> None:
    ctx.async_copy(src_ref=s.smem, dst_ref=s.smem, barrier=s.barrier)  # E: SG109


@illegal(IN, OUT, S, raises="has no attribute 'type'")
def copy_to_tensor_memory(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S
) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.acc, barrier=s.barrier)  # E: SG109


@illegal(IN, OUT, S, raises="to be a GMEM kernel argument.")
def prefetch_of_shared_memory(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S
) -> None:
    ctx.async_prefetch(gmem_ref=s.smem)  # E: SG109


@legal(TILED_IN, OUT, S, one_thread=True)
def mma_of_shared_memory(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S
) -> None:
    tcgen05.mma(s.acc, s.a, s.b, a_swizzle=128, b_swizzle=128, accumulate=False)


@illegal(TILED_IN, OUT, S, raises="!llvm.ptr", one_thread=True)
def mma_of_global_memory(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S
) -> None:
    tcgen05.mma(s.acc, s.a, x, a_swizzle=128, b_swizzle=128)  # E: SG109


@illegal(TILED_IN, OUT, S, raises="has no attribute 'type'", one_thread=True)
def mma_with_b_in_tensor_memory(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: S
) -> None:
    tcgen05.mma(s.acc, s.a, s.acc, a_swizzle=128, b_swizzle=128)  # E: SG109


@legal(TILED_IN, OUT, H, arch="sm_90a")
def wgmma_of_shared_memory(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: H
) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.a, s.b, swizzle=128)


@illegal(TILED_IN, OUT, H, arch="sm_90a", raises="!llvm.ptr")
def wgmma_of_global_memory(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: H
) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.a, x, swizzle=128)  # E: SG109


@illegal(TILED_IN, OUT, H, arch="sm_90a", cluster=2, raises="!llvm.ptr")
def wgmma_of_the_peers_memory(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: H
) -> None:
    peers = mgpu.get_cluster_ref(s.b, X, mgpu.c(1, mgpu.Index))
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.a, peers, swizzle=128)  # E: SG109


@illegal(TILED_IN, OUT, H, arch="sm_90a", cluster=2, raises="Expected SMEM but got: None")
def cluster_reference_of_global_memory(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: H
) -> None:
    mgpu.get_cluster_ref(x, X, mgpu.c(1, mgpu.Index))  # E: SG109


@illegal(IN, OUT, H, arch="sm_90a", peers=2, raises="Expected a memref type but got MultimemRef")
def load_of_multimem(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: H
) -> None:
    everywhere = ctx.to_remote_multicast(x)
    mgpu.FragmentedArray.load_untiled(everywhere, layout=mgpu.WGMMA_LAYOUT, optimized=False)  # E: SG109


@illegal(IN, OUT, H, arch="sm_90a", peers=2, raises="must be a Value (is not a Value)")
def strided_load_of_multimem(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: H
) -> None:
    mgpu.FragmentedArray.load_strided(ctx.to_remote_multicast(x))  # E: SG109


@illegal(IN, OUT, H, arch="sm_90a", peers=2, raises="has no attribute 'ref'")
def reducing_load_of_one_device(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: H
) -> None:
    mgpu.FragmentedArray.load_reduce_untiled(x, mgpu.WGMMA_LAYOUT, "add")  # E: SG109


@legal(IN, OUT, H, arch="sm_90a", peers=2)
def wrapped_raw_value(
    ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: mgpu.GmemRef[mgpu.float16], s: H
) -> None:
    raw: ir.Value = x
    mgpu.FragmentedArray.load_strided(mgpu.GmemRef.wrap(raw, mgpu.float16)).store_untiled(o)


UNWRAPPED = "Mosaic GPU takes raw values, and nobody knows what memory they are of"


@silent(IN, OUT, H, arch="sm_90a", because=UNWRAPPED)
def raw_values(ctx: mgpu.LaunchContext, x: ir.Value, o: ir.Value[Any], s: S) -> None:
    mgpu.FragmentedArray.load_strided(x)  # E: SG109
    value = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 64))
    value.store_untiled(o)  # E: SG109
    mgpu.memref_slice(x, 0)  # E: SG109


@silent(IN, OUT, S, because=UNWRAPPED)
def copy_of_raw_value(ctx: mgpu.LaunchContext, x: ir.Value, o: mgpu.GmemRef[mgpu.float16], s: S) -> None:
    ctx.async_copy(src_ref=x, dst_ref=s.smem, barrier=s.barrier)  # E: SG109


# --- the address inside of a multimem reference: it has the type of one in global memory


def inside_of(everywhere: mgpu.MultimemRef) -> Any:
    return everywhere.ref


TILES = mgpu.TileTransform((8, 64))
NO_MEMORY = "PTX leaves undefined what an access other than multimem's does to a multimem address"


@refused(IN, OUT, H, arch="sm_90a", peers=2, because=NO_MEMORY)
def load_inside_of_multimem(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: Any, s: H) -> None:
    address = ctx.to_remote_multicast(x).ref
    mgpu.FragmentedArray.load_untiled(address, layout=mgpu.WGMMA_LAYOUT, optimized=False)  # E: SG109


@refused(IN, OUT, H, arch="sm_90a", peers=2, because=NO_MEMORY)
def untyped_load_inside_of_multimem(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: Any, s: H) -> None:
    part = mgpu.memref_slice(inside_of(ctx.to_remote_multicast(x)), slice(0, 64))
    mgpu.FragmentedArray.load_strided(part)  # L: SG109


@refused(IN, OUT, H, arch="sm_90a", peers=2, because=NO_MEMORY)
def store_inside_of_multimem(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: Any, s: H) -> None:
    value = mgpu.FragmentedArray.load_strided(x)
    value.store_untiled(inside_of(ctx.to_remote_multicast(o)))  # L: SG109


@refused(IN, OUT, H, arch="sm_90a", peers=2, because=NO_MEMORY)
def copy_inside_of_multimem(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: Any, s: H) -> None:
    options: Any = {"swizzle": 128, "implementation": mgpu.AsyncCopyImplementation.CP_ASYNC}
    address = inside_of(ctx.to_remote_multicast(x))
    ctx.async_copy(src_ref=address, dst_ref=s.a, gmem_transform=TILES, **options)  # L: SG109


@legal(IN, OUT, H, arch="sm_90a", peers=2)
def multimem_operations(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.float16], o: Any, s: H) -> None:
    everywhere: Any = ctx.to_remote_multicast(o)
    total = mgpu.FragmentedArray.load_reduce_untiled(ctx.to_remote_multicast(x), mgpu.WGMMA_LAYOUT, "add")
    total.store_untiled(everywhere, optimized=False)
    total.store_untiled(mgpu.MultimemRef.wrap(everywhere, mgpu.float16), optimized=False)
