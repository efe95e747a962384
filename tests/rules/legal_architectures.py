"""Kernels that state an architecture, or two, in the ways in which authors share code between them."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from _twins import legal

import safegpu as mgpu
from safegpu import tcgen05

OUT = mgpu.GMEM((64, 64), mgpu.float32)
THREADS = mgpu.AsyncCopyImplementation.CP_ASYNC
MATRIX = mgpu.GMEM((128, 64), mgpu.float32)


class Hopper(mgpu.Scratch[mgpu.sm_90a]):
    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    ring = mgpu.Many(mgpu.SMEM((64, 64), mgpu.float16, swizzle=128), 2)
    shared = mgpu.Union((mgpu.SMEM((64, 64), mgpu.float32), mgpu.SMEM((64, 64), mgpu.float16)))
    barrier = mgpu.Barrier(1)
    barriers = mgpu.Barrier(1, num_barriers=2)


class Ampere(mgpu.Scratch[mgpu.sm_80]):
    tile = mgpu.SMEM((64, 64), mgpu.float32)
    swizzled = mgpu.SMEM((64, 64), mgpu.float32, swizzle=128)
    barrier = mgpu.Barrier(1)


class Unstated(mgpu.Scratch):
    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)


class Blackwells(mgpu.Scratch[mgpu.sm_100a | mgpu.sm_103a]):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    done = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 64), mgpu.float32)


class More(Hopper):
    padding = mgpu.SMEM((1000,), mgpu.int8)  # behind the barriers, so that `c` begins where a swizzle does
    c = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)


class Nested(mgpu.Scratch[mgpu.sm_90a]):
    tiles = Hopper()


class Of[A: mgpu.Architecture](mgpu.Scratch[A]):
    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)


class Generic[D: (mgpu.float16, mgpu.bfloat16)](mgpu.Scratch[mgpu.sm_90a]):
    a: mgpu.SmemRef[D, Literal[128]]

    def __init__(self, dtype: type[D]) -> None:
        self.a = mgpu.SMEM((64, 64), dtype, swizzle=128)
        self.b: mgpu.SmemRef[D, Literal[128]] = mgpu.SMEM((64, 64), dtype, swizzle=128)
        self.c: mgpu.SmemRef[D, Literal[128], mgpu.sm_90a] = mgpu.SMEM((64, 64), dtype, swizzle=128)
        self.barrier = mgpu.Barrier(1)


@dataclass
class Stage:
    a: mgpu.SmemRef[mgpu.float16, Literal[128]]
    b: mgpu.SmemRef[mgpu.float16, Literal[128], mgpu.sm_90a]
    c: mgpu.SmemRef[mgpu.float16, Literal[128]] | None = None


class Pair(NamedTuple):
    a: mgpu.SmemRef[mgpu.float16]
    b: mgpu.SmemRef[mgpu.float16, Literal[128], mgpu.sm_90a]


def copy(ctx: mgpu.LaunchContext, src: mgpu.GmemRef[mgpu.float32], dst: mgpu.SmemRef[mgpu.float32]) -> None:
    """A helper says no architecture, and serves each."""
    ctx.async_copy(src_ref=src, dst_ref=dst, implementation=THREADS)


def copy_by_either(
    ctx: mgpu.LaunchContext[mgpu.sm_80 | mgpu.sm_90a], src: mgpu.GmemRef[mgpu.float32], dst: mgpu.SmemRef[mgpu.float32]
) -> None:
    ctx.async_copy(src_ref=src, dst_ref=dst, implementation=THREADS)
    ctx.await_cp_async_copy(0)


def unstated(a: mgpu.SmemRef[mgpu.float16, Literal[128]], b: mgpu.SmemRef[mgpu.float16, Literal[128]]) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), a, b, swizzle=128)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)


def stated(a: mgpu.SmemRef[mgpu.float16, Literal[128], mgpu.sm_90a]) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), a, a, swizzle=128)
    mgpu.wgmma_commit_group()
    mgpu.wgmma_wait_group(0)


def either(a: mgpu.SmemRef[mgpu.float16, Literal[128], mgpu.sm_90a | mgpu.sm_100a]) -> None:
    mgpu.FragmentedArray.load_tiled(a, 128).store_tiled(a, 128)
    mgpu.commit_shared()


def of_any[A: mgpu.Architecture](
    a: mgpu.SmemRef[mgpu.float16, Literal[128], A],
) -> mgpu.SmemRef[mgpu.float16, Literal[128], A]:
    return mgpu.memref_slice(a, (slice(None), slice(None)))


def of_scratch[A: mgpu.Architecture](scratch: Of[A]) -> mgpu.SmemRef[mgpu.float16, Literal[128], A]:
    return scratch.a


def of_context[A: mgpu.Architecture](ctx: mgpu.LaunchContext[A]) -> mgpu.LaunchContext[A]:
    return ctx


@legal(OUT, Hopper, arch=None)
def shared_helpers(ctx: mgpu.LaunchContext[mgpu.sm_90a], o: mgpu.GmemRef[mgpu.float32], s: Hopper) -> None:
    unstated(s.a, s.b)
    stated(s.a)
    either(s.a)
    stated(of_any(s.a))
    unstated(of_any(s.a), s.ring[0])
    of_context(ctx)
    for tile in (s.a, s.b, *s.ring):
        unstated(tile, tile)
    tile = s.a if s.a is not s.b else s.ring[1]
    unstated(tile, tile)
    for half in s.shared.members:
        mgpu.memref_reshape(half, (64 * 64,))
    s.barriers[mgpu.block_id(mgpu.Dimension.x)].get_ptr()
    mgpu.get_cluster_ref(s.a, mgpu.Dimension.x, mgpu.block_id(mgpu.Dimension.x))


@legal(OUT, Hopper, arch=None)
def bundles(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Hopper) -> None:
    stage = Stage(s.a, s.b, c=s.ring[0])
    unstated(stage.a, stage.b)
    stated(stage.b)
    stated(stage.c or s.a)
    stage.a = s.ring[1]
    pair = Pair(s.a, s.b)
    unstated(pair.a, pair.b)
    tiles: dict[str, mgpu.SmemRef[mgpu.float16, Literal[128]]] = {"a": s.a, "b": s.b}
    unstated(tiles["a"], tiles["b"])
    anything: Any = s
    unstated(anything.a, anything.b)


@legal(OUT, Unstated, arch=None)
def unstated_scratch(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Unstated) -> None:
    stated(s.a)
    either(s.b)
    stated(of_any(s.a))


@legal(MATRIX, Blackwells, arch=None)
def two_architectures(
    ctx: mgpu.LaunchContext[mgpu.sm_100a | mgpu.sm_103a], o: mgpu.GmemRef[mgpu.float32], s: Blackwells
) -> None:
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.b, accumulate=False)
        tcgen05.commit_arrive(s.done, ctx=ctx)
    s.done.wait(orders_tensor_core=True)
    s.acc.load().store_untiled(o, optimized=False)


@legal(OUT, More, arch=None)
def inherited(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: More) -> None:
    stated(s.a)
    stated(s.c)


@legal(OUT, Nested, arch=None)
def nested(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Nested) -> None:
    stated(s.tiles.a)
    s.tiles.barrier.arrive()


@legal(OUT, Of[mgpu.sm_90a](), arch=None)
def generic_over_architectures(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Of[mgpu.sm_90a]) -> None:
    stated(s.a)
    stated(of_scratch(s))


@legal(OUT, Generic(mgpu.float16), arch=None)
def generic_over_dtypes(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Generic[mgpu.float16]) -> None:
    unstated(s.a, s.b)
    stated(s.a)
    stated(s.b)
    stated(s.c)


def builder(arch: type[mgpu.Architecture] | None) -> mgpu.Kernel:
    def body(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: Unstated) -> None:
        unstated(s.a, s.b)

    return mgpu.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), (), OUT, Unstated, arch=arch)


@legal(OUT, OUT, Ampere, arch=None)
def on_ampere(
    ctx: mgpu.LaunchContext[mgpu.sm_80], x: mgpu.GmemRef[mgpu.float32], o: mgpu.GmemRef[mgpu.float32], s: Ampere
) -> None:
    copy(ctx, x, s.tile)
    copy_by_either(ctx, x, s.tile)
    tiled = mgpu.TileTransform((8, 32))
    ctx.async_copy(
        src_ref=x, dst_ref=s.swizzled, gmem_transform=tiled, swizzle=128, barrier=s.barrier, implementation=THREADS
    )
    s.barrier.wait()
    array = mgpu.FragmentedArray.load_tiled(s.swizzled, 128, layout=mgpu.WGMMA_LAYOUT)
    (array + array).store_untiled(o, optimized=False)


@legal(arch=None)
def builders() -> None:
    builder(mgpu.sm_90a)
    builder(None)
    mgpu.as_gpu_kernel(two_architectures, (1, 1, 1), (128, 1, 1), (), MATRIX, Blackwells, arch=mgpu.sm_103a)
    mgpu.as_gpu_kernel(two_architectures, (1, 1, 1), (128, 1, 1), (), MATRIX, Blackwells(), arch=mgpu.sm_100a)
    mgpu.as_gpu_kernel(generic_over_dtypes, (1, 1, 1), (128, 1, 1), (), OUT, Generic(mgpu.float16), arch=mgpu.sm_90a)
