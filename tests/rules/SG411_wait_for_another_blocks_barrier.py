"""A block arrives at the barriers of its cluster and waits for its own."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu

X = mgpu.Dimension.x
F32 = mgpu.GMEM((64, 64), mgpu.float32)

type Out = mgpu.GmemRef[mgpu.float32]


class S(mgpu.Scratch):
    barrier = mgpu.Barrier(1)
    several = mgpu.Barrier(1, num_barriers=2)


def arrive(barrier: mgpu.BarrierRef, unknown: Any) -> None:
    barrier.arrive()
    unknown.wait()


@legal(F32, S, cluster=2)
def arrivals(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    other = s.barrier.remap_to_cluster(X, mgpu.c(1, mgpu.Index))
    other.arrive()
    other.arrive_expect_tx(16)
    s.several[1].remap_to_cluster(X, mgpu.c(0, mgpu.Index)).arrive()
    arrive(other, s.barrier)
    s.barrier.wait()
    s.barrier.wait_parity(mgpu.c(0, mgpu.bool_))
    s.barrier.test()


@illegal(F32, S, cluster=2, raises="Can only await on CTA-local barriers")
def wait(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    s.barrier.remap_to_cluster(X, mgpu.c(1, mgpu.Index)).wait()  # E: SG411


@illegal(F32, S, cluster=2, raises="Can only await on CTA-local barriers")
def wait_parity(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    other = s.several[0].remap_to_cluster(X, mgpu.c(1, mgpu.Index))
    other.wait_parity(mgpu.c(0, mgpu.bool_))  # E: SG411


@illegal(F32, S, cluster=2, raises="but got '!llvm.ptr<7>'")
def test(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    other = s.barrier.remap_to_cluster(X, mgpu.c(1, mgpu.Index))
    other.test()  # E: SG411


@illegal(F32, S, cluster=2, raises="but got '!llvm.ptr<7>'")
def test_parity(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    other = s.barrier.remap_to_cluster(X, mgpu.c(1, mgpu.Index))
    other.test_parity(mgpu.c(0, mgpu.bool_))  # E: SG411


@illegal(F32, S, cluster=2, raises="Remapping a non-local ref unsupported")
def mapped_again(ctx: mgpu.LaunchContext, o: Out, s: S) -> None:
    other = s.barrier.remap_to_cluster(X, mgpu.c(1, mgpu.Index))
    other.remap_to_cluster(X, mgpu.c(0, mgpu.Index))  # E: SG411
