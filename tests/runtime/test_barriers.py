"""Barriers: one or many, of each kind, and what makes a new one."""

from typing import Any

import pytest
from jax.experimental.mosaic.gpu import utils as raw

import safegpu as mgpu
from safegpu import utils
from safegpu._jax import LACKING
from tests.runtime.kernels import in_kernel

X = mgpu.Dimension.x


@in_kernel(scratch=(mgpu.Barrier(1), mgpu.Barrier(1, num_barriers=3), mgpu.TMABarrier(), mgpu.TMABarrier(2)))
def test_one_or_many(ctx: Any, x: Any, o: Any, barriers: Any) -> None:
    one, many = barriers[:2]
    assert [type(barrier) for barrier in barriers] == [mgpu.BarrierRef, mgpu.BarrierArray] * 2
    assert all(isinstance(barrier, raw.BarrierRef) for barrier in barriers)
    for barrier in (
        many[0],
        many[mgpu.block_id(X)],
        *many,
        *one,
        one[0],
        one.remap_to_cluster(X, mgpu.c(0, mgpu.Index)),
    ):
        assert type(barrier) is mgpu.BarrierRef
    assert type(one.test()) is mgpu.I1
    with pytest.raises(ValueError, match="only valid for a single barrier"):
        many.get_ptr()


@in_kernel(scratch=(mgpu.ClusterBarrier([X]), mgpu.ClusterBarrier([X], num_barriers=2)), cluster=(1, 1, 1))
def test_collective_barriers(ctx: Any, x: Any, o: Any, barriers: Any) -> None:
    one, many = barriers
    assert type(one) is mgpu.CollectiveBarrierRef
    assert type(one.barrier) is mgpu.BarrierRef
    assert type(many) is mgpu.CollectiveBarrierArray
    assert type(many.barrier) is mgpu.BarrierArray
    for barrier in (many[1], *many, *one):
        assert type(barrier) is mgpu.CollectiveBarrierRef
        assert type(barrier.barrier) is mgpu.BarrierRef


@in_kernel(scratch=mgpu.Barrier(1, num_barriers=2), thread_semantics=mgpu.LoweringSemantics.Warpgroup)
def test_dialect_barriers(ctx: Any, x: Any, o: Any, barriers: Any) -> None:
    assert type(barriers) is mgpu.DialectBarrierRef
    assert type(barriers.barrier_ref) is mgpu.BarrierArray
    assert type(x) is mgpu.GmemRef
    for barrier in (
        barriers[0],
        *barriers,
        mgpu.DialectBarrierRef.from_barrier_memref(barriers[0].as_barrier_memref()),
    ):
        assert type(barrier) is mgpu.DialectBarrierRef
        assert type(barrier.barrier_ref) is mgpu.BarrierRef


@pytest.mark.filterwarnings("ignore:Explicitly requested dtype int64")  # 64 bits are off in jax by default
@in_kernel(scratch=mgpu.SMEM((2,), mgpu.int64))
def test_a_barrier_that_the_author_initializes(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    assert type(utils.BarrierRef.initialize(smem, arrival_count=1)) is mgpu.BarrierArray
    assert type(mgpu.BarrierRef.initialize(mgpu.memref_slice(smem, slice(0, 1)))) is mgpu.BarrierRef


@in_kernel(scratch=(mgpu.Barrier(1, num_barriers=2), mgpu.ClusterBarrier([X])))
def test_wrap(ctx: Any, x: Any, o: Any, barriers: Any) -> None:
    plain = raw.BarrierRef(*(getattr(barriers[0], field) for field in ("base_address", "offset", "phases")), 2)
    assert type(mgpu.BarrierArray.wrap(plain)) is mgpu.BarrierArray
    assert type(mgpu.BarrierRef.wrap(plain[0])) is mgpu.BarrierRef
    assert type(mgpu.BarrierArray.wrap(plain[0])) is mgpu.BarrierArray
    assert type(plain) is raw.BarrierRef
    for wrap, value, error, message in (
        (mgpu.BarrierRef.wrap, plain, ValueError,
         "BarrierRef.wrap: expected one barrier, got an array of 2; use BarrierArray.wrap, or wrap raw[i]"),
        (mgpu.BarrierRef.wrap, x, TypeError,
         "BarrierRef.wrap: expected a barrier (utils.BarrierRef), got GmemRef"),
        (mgpu.BarrierArray.wrap, barriers[1], TypeError,
         "BarrierArray.wrap: expected a barrier (utils.BarrierRef), got a collective barrier"),
    ):  # fmt: skip
        with pytest.raises(error) as caught:
            wrap(value)
        assert str(caught.value) == message


if "CtaBarrier" not in LACKING:

    @in_kernel(scratch=(mgpu.CtaBarrier(128), mgpu.CtaBarrier(128, num_barriers=2)))
    def test_named_barriers(ctx: Any, x: Any, o: Any, barriers: Any) -> None:
        one, many = barriers
        assert (type(one), type(many), type(many[0])) == (mgpu.CtaBarrierRef, mgpu.CtaBarrierArray, mgpu.CtaBarrierRef)
        one.arrive_and_wait()
        many[0].arrive()
        many[mgpu.block_id(X)].arrive_and_wait()
        with pytest.raises(ValueError, match="only valid for a single barrier"):
            many.arrive()
