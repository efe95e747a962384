"""A warpgroup is 128 threads: where a block has fewer, arrays are not whole and barriers never open."""

from _twins import legal, refused

import safegpu as mgpu

F16 = mgpu.GMEM((64, 64), mgpu.float16)
type Context = mgpu.LaunchContext
type Half = mgpu.GmemRef[mgpu.float16]


class S(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    full = mgpu.Barrier(1)


def whole(ctx: Context, o: Half, s: S) -> None:
    store(ctx, o, s)
    mgpu.commit_shared()


def store(ctx: Context, o: Half, s: S) -> None:
    array = mgpu.FragmentedArray.load_strided(o)
    array.store_untiled(o)  # L: SG810


def commit(ctx: Context, o: Half, s: S) -> None:
    mgpu.commit_shared()  # L: SG810


def multiply(ctx: Context, o: Half, s: S) -> None:
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.tile, s.tile, swizzle=128)  # L: SG810


def wait(ctx: Context, o: Half, s: S) -> None:
    ctx.await_async_copy(0)  # L: SG810


def in_the_first_warpgroup(ctx: Context, o: Half, s: S) -> None:
    with mgpu.when(mgpu.warpgroup_idx().eq(0)):
        whole(ctx, o, s)


def of_one_warp(ctx: Context, o: Half, s: S) -> None:
    with mgpu.single_thread():
        s.full.arrive_expect_tx(16)
    ctx.await_async_copy(0, scope=mgpu.ThreadSubset.WARP)
    mgpu.block_barrier()
    s.full.wait()


@legal(arch="sm_90a")
def whole_warpgroups() -> None:
    for block in (128, 256):
        for body in (whole, multiply, wait, in_the_first_warpgroup):
            mgpu.as_gpu_kernel(body, (1, 1, 1), (block, 1, 1), (), F16, S)
    mgpu.as_gpu_kernel(whole, (1, 1, 1), (32, 2, 2), (), F16, S)


@legal(arch="sm_90a")
def a_warp_beside() -> None:
    mgpu.as_gpu_kernel(in_the_first_warpgroup, (1, 1, 1), (160, 1, 1), (), F16, S)
    # the last warp stores what the first has
    mgpu.as_gpu_kernel(store, (1, 1, 1), (160, 1, 1), (), F16, S)


@legal(arch="sm_90a")
def one_warp() -> None:
    mgpu.as_gpu_kernel(of_one_warp, (1, 1, 1), (32, 1, 1), (), F16, S)


@refused(arch="sm_90a")
def store_of_half_a_warpgroup() -> None:
    mgpu.as_gpu_kernel(store, (1, 1, 1), (64, 1, 1), (), F16, S)


@refused(arch="sm_90a")
def commit_of_half_a_warpgroup() -> None:
    mgpu.as_gpu_kernel(commit, (1, 1, 1), (32, 2, 1), (), F16, S)


@refused(arch="sm_90a")
def commit_of_a_warp_beside() -> None:
    mgpu.as_gpu_kernel(commit, (1, 1, 1), (160, 1, 1), (), F16, S)


@refused(arch="sm_90a")
def product_of_a_warp_beside() -> None:
    mgpu.as_gpu_kernel(multiply, (1, 1, 1), (160, 1, 1), (), F16, S)


@refused(arch="sm_90a")
def wait_of_a_warp() -> None:
    mgpu.as_gpu_kernel(wait, (1, 1, 1), (32, 1, 1), (), F16, S)
