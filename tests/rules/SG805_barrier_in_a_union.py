"""A barrier is one from before the body to its end, and so is what the kernel keeps of tensor memory."""

from _twins import legal, refused

import safegpu as mgpu

F16 = mgpu.GMEM((64, 64), mgpu.float16)
type Context = mgpu.LaunchContext
type Half = mgpu.GmemRef[mgpu.float16]
TILE = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
FLAT = mgpu.SMEM((64, 64), mgpu.float16)


def body(ctx: Context, o: Half, s: object) -> None: ...


class Outside(mgpu.Scratch):
    shared = mgpu.Union([TILE, (FLAT, FLAT)])
    barrier = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 64), mgpu.float32)


class Behind(mgpu.Scratch):
    # beyond the end of the other member
    shared = mgpu.Union([FLAT, (FLAT, FLAT, mgpu.Barrier(1))])


class Inside(mgpu.Scratch):
    shared = mgpu.Union([(TILE, mgpu.Barrier(1)), (FLAT, FLAT)])


class Both(mgpu.Scratch):
    shared = mgpu.Union([mgpu.Barrier(1), mgpu.ClusterBarrier((mgpu.Dimension.x,))])


class Address(mgpu.Scratch):
    shared = mgpu.Union([FLAT, mgpu.TMEM((128, 64), mgpu.float32)])


class Second(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    barrier = mgpu.Barrier(1)


class OfScratches(mgpu.Scratch):
    shared = mgpu.Union([FLAT, Second])


class InAUnion(mgpu.Scratch):
    shared = mgpu.Union([mgpu.Union([FLAT, mgpu.Barrier(1)]), mgpu.SMEM((8,), mgpu.float16)])


def build(scratch: object) -> None:
    kernel = mgpu.as_gpu_kernel
    kernel(body, (1, 1, 1), (128, 1, 1), (), F16, scratch)  # L: SG805


@legal(arch="sm_100a")
def apart() -> None:
    build(Outside)
    build(Behind)
    build(OfScratches)
    build((mgpu.Union([FLAT, TILE]), mgpu.Barrier(1)))


@refused(arch="sm_100a")
def barrier_over_data() -> None:
    build(Inside)


@refused(arch="sm_100a")
def barrier_over_barrier() -> None:
    build(Both)


@refused(arch="sm_100a")
def address_over_data() -> None:
    build(Address)


@refused(arch="sm_100a")
def in_a_union_of_a_union() -> None:
    build(InAUnion)


@refused(arch="sm_100a")
def without_a_class() -> None:
    build([mgpu.Union([(mgpu.Barrier(1), mgpu.Barrier(1)), (mgpu.SMEM((4,), mgpu.float16), mgpu.Barrier(2))])])
