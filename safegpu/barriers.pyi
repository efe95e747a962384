"""mbarriers: one, or an array that must be indexed; local, or collective over a cluster."""

import enum
from collections.abc import Iterator, Sequence
from typing import Any, Never

from jaxlib.mlir import ir

from safegpu.scalars import I1, I32, Dim, IndexValue, IntegerValue, Value32

class ThreadSubset(enum.IntEnum):
    """Which threads act, or are waited for: a warp (32), a warpgroup (128) or the block."""

    WARP = ...
    WARPGROUP = ...
    BLOCK = ...

class BarrierRef:
    """One mbarrier in shared memory (`Barrier(arrival_count)`)."""

    base_address: ir.Value[Any]
    offset: IntegerValue
    phases: ir.Value[ir.MemRefType]
    num_barriers: int
    @staticmethod
    def initialize(barrier_memref: ir.Value[ir.MemRefType], arrival_count: int = ...) -> Any:
        """Initialises the barriers of a reference: a `BarrierRef` of one, a `BarrierArray` of several."""
    @classmethod
    def wrap(cls, raw: object) -> BarrierRef:
        """`raw` as one barrier. Raises TypeError for what is no barrier of the block's own, ValueError for several."""
    def __iter__(self) -> Iterator[BarrierRef]: ...
    def __getitem__(self, offset: IndexValue | Value32 | int) -> BarrierRef: ...
    def test_parity(self, parity: IntegerValue, orders_tensor_core: bool = ..., scope: ThreadSubset = ...) -> I1:
        """As `wait_parity`, without waiting: true in all threads of the scope where the phase is complete."""
    def test(self, orders_tensor_core: bool = ..., scope: ThreadSubset = ...) -> I1:
        """As `wait`, without waiting: true where the next phase is complete, which then counts as waited for."""
    def wait_parity(self, parity: IntegerValue, orders_tensor_core: bool = ...) -> None:
        """Waits until the phase of this parity, an `I1`, is complete (PTX ISA, "mbarrier.try_wait").

        Raises ValueError for a barrier of another block.
        """
    def wait(self, orders_tensor_core: bool = ...) -> None:
        """Waits for the barrier's next phase. `orders_tensor_core` is needed where tcgen05 work completes on it."""
    def update_parities(self, parities: IntegerValue) -> tuple[I1, I32]:
        """Of the parities of an array, 32 bits: the one that this barrier waits for next, and the bits after that wait."""
    def arrive(
        self,
        arrival_count: int = ...,
        can_complete: bool = ...,
        orders_tensor_core: bool = ...,
        predicate: IntegerValue | None = ...,
        scope: ThreadSubset = ...,
    ) -> None:
        """Each thread of the warpgroup arrives, `arrival_count` times (PTX ISA, "mbarrier.arrive")."""
    def arrive_expect_tx(
        self,
        tx_count: int | IndexValue | IntegerValue,
        predicate: IntegerValue | None = ...,
        tensor_core_order_scope: ThreadSubset | None = ...,
    ) -> None:
        """One thread arrives and announces `tx_count` bytes (PTX ISA, "mbarrier.arrive.expect_tx").

        With `tensor_core_order_scope` (jax 0.12), after the tcgen05 work of these threads.
        """
    def complete_tx(self, tx_count: int | IndexValue | IntegerValue, predicate: IntegerValue | None = ...) -> None:
        """Takes `tx_count` bytes as arrived (PTX ISA, "mbarrier.complete_tx"): what a copy does by itself."""
    def get_ptr(self) -> ir.Value[Any]:
        """The barrier's address, a pointer to shared memory."""
    def remap_to_cluster(self, dim: Dim, idx: IndexValue) -> _RemoteBarrierRef:
        """The same barrier in another block of the cluster, to arrive at."""

class _RemoteBarrierRef(BarrierRef):
    """An mbarrier of another block: the threads of that block wait for it."""

    def test(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self, *args: object, SG411_only_the_block_that_the_barrier_belongs_to_waits_for_it: Never, **kwargs: object
    ) -> Any: ...
    def test_parity(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self, *args: object, SG411_only_the_block_that_the_barrier_belongs_to_waits_for_it: Never, **kwargs: object
    ) -> Any: ...
    def wait(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self, *args: object, SG411_only_the_block_that_the_barrier_belongs_to_waits_for_it: Never, **kwargs: object
    ) -> Any: ...
    def wait_parity(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self, *args: object, SG411_only_the_block_that_the_barrier_belongs_to_waits_for_it: Never, **kwargs: object
    ) -> Any: ...
    def remap_to_cluster(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self, *args: object, SG411_map_the_block_s_own_barrier: Never, **kwargs: object
    ) -> Any: ...

class BarrierArray:
    """Several mbarriers (`Barrier(arrival_count, num_barriers=n)`): index it to wait or arrive on one."""

    base_address: ir.Value[Any]
    offset: IntegerValue
    phases: ir.Value[ir.MemRefType]
    num_barriers: int
    @classmethod
    def wrap(cls, raw: object) -> BarrierArray:
        """`raw` as barriers to index. Raises TypeError for what is no barrier of the block's own."""
    def __iter__(self) -> Iterator[BarrierRef]: ...
    def __getitem__(self, offset: IndexValue | Value32 | int) -> BarrierRef: ...
    def update_parities(self, parities: IntegerValue) -> tuple[I1, I32]:
        """As `BarrierRef.update_parities`, of the first."""

class CollectiveBarrierRef:
    """One mbarrier in which several blocks of a cluster arrive (`ClusterBarrier(collective_dims)`)."""

    cluster_mask: IntegerValue | None
    leader_tracked: bool
    @property
    def barrier(self) -> BarrierRef:
        """The barrier in this block's shared memory."""
    @staticmethod
    def initialize(
        barrier_memref: ir.Value[ir.MemRefType],
        arrival_count: int,
        dims: Sequence[Dim | Sequence[Dim]],
        cluster_shape: tuple[int, int, int],
        leader_tracked: bool = ...,
    ) -> Any:
        """As `BarrierRef.initialize`, for arrivals of all blocks along `dims` of a cluster of this shape."""
    def __iter__(self) -> Iterator[CollectiveBarrierRef]: ...
    def __getitem__(self, offset: IndexValue | Value32 | int) -> CollectiveBarrierRef: ...
    def arrive(self, *, orders_tensor_core: bool = ..., predicate: IntegerValue | None = ...) -> None:
        """The warpgroup arrives once at the barrier of each block along the axes; with `leader_tracked`, of the first alone."""
    def wait(self, orders_tensor_core: bool = ...) -> None:
        """Waits for the next phase of this block's barrier, as `BarrierRef.wait`."""
    def wait_parity(self, parity: IntegerValue, orders_tensor_core: bool = ...) -> None:
        """As `BarrierRef.wait_parity`, of this block's barrier."""

class CollectiveBarrierArray:
    """Several collective mbarriers: index it to wait or arrive on one."""

    cluster_mask: IntegerValue | None
    leader_tracked: bool
    @property
    def barrier(self) -> BarrierArray:
        """The barriers in this block's shared memory."""
    def __iter__(self) -> Iterator[CollectiveBarrierRef]: ...
    def __getitem__(self, offset: IndexValue | Value32 | int) -> CollectiveBarrierRef: ...

class DialectBarrierRef:
    """An mbarrier of Warpgroup semantics."""

    barrier_ref: BarrierRef
    orders_tensor_core: bool
    @staticmethod
    def initialize(
        barrier_memref: ir.Value[ir.MemRefType], arrival_count: int, orders_tensor_core: bool
    ) -> DialectBarrierRef:
        """Initialises a barrier, or an array of barriers, through the dialect."""
    @classmethod
    def from_barrier_memref(cls, barrier: ir.Value[ir.MemRefType]) -> DialectBarrierRef:
        """A reference of the dialect's barrier type, of rank 0 or 1, as one of these; ValueError for another."""
    def __iter__(self) -> Iterator[DialectBarrierRef]: ...
    def __getitem__(self, offset: IndexValue | Value32 | int) -> DialectBarrierRef: ...
    def test(self, orders_tensor_core: bool = ..., scope: ThreadSubset = ...) -> I1:
        """As `BarrierRef.test`; `orders_tensor_core` must be the barrier's own."""
    def test_parity(self, parity: IntegerValue, orders_tensor_core: bool = ..., scope: ThreadSubset = ...) -> I1:
        """As `BarrierRef.test_parity`; `orders_tensor_core` must be the barrier's own."""
    def wait(self, orders_tensor_core: bool = ...) -> None:
        """As `BarrierRef.wait`; `orders_tensor_core` must be the barrier's own."""
    def wait_parity(self, parity: IntegerValue, orders_tensor_core: bool = ...) -> None:
        """As `BarrierRef.wait_parity`; `orders_tensor_core` must be the barrier's own."""
    def update_parities(self, parities: IntegerValue) -> tuple[I1, I32]:
        """As `BarrierRef.update_parities`."""
    def arrive(self, *, orders_tensor_core: bool = ..., predicate: IntegerValue | None = ...) -> None:
        """As `BarrierRef.arrive`; `orders_tensor_core` must be the barrier's own."""
    def arrive_expect_tx(self, tx_count: int | IndexValue | IntegerValue) -> None:
        """As `BarrierRef.arrive_expect_tx`."""
    def get_ptr(self) -> ir.Value[Any]:
        """The barrier's address, a pointer to shared memory."""
    def as_barrier_memref(self) -> ir.Value[ir.MemRefType]:
        """The barrier as a reference of the dialect's barrier type."""

class CtaBarrierRef:
    """One named barrier of the block (`CtaBarrier(arrival_count)`; PTX ISA, "barrier"). Of jax 0.12."""

    base_id: int
    offset: ir.Value[ir.IntegerType]
    arrival_count: int
    num_barriers: int
    def __init__(self, base_id: int, offset: IntegerValue, arrival_count: int, num_barriers: int = ...) -> None: ...
    @staticmethod
    def initialize(base_id: int, arrival_count: int = ..., num_barriers: int = ...) -> Any:
        """The barriers from number `base_id` on: a `CtaBarrierRef` of one, a `CtaBarrierArray` of several."""
    def __getitem__(self, offset: IndexValue | IntegerValue | int) -> CtaBarrierRef: ...
    def get_barrier_id(self) -> ir.Value[ir.IntegerType]:
        """The barrier's number."""
    def arrive(self, *, predicate: IntegerValue | None = ...) -> None:
        """Arrives without waiting (PTX ISA, "bar.arrive")."""
    def arrive_and_wait(self) -> None:
        """Arrives, and waits until `arrival_count` threads have (PTX ISA, "bar.sync")."""

class CtaBarrierArray:
    """Several named barriers (`CtaBarrier(arrival_count, num_barriers=n)`): index it to use one. Of jax 0.12."""

    base_id: int
    offset: ir.Value[ir.IntegerType]
    arrival_count: int
    num_barriers: int
    def __iter__(self) -> Iterator[CtaBarrierRef]: ...
    def __getitem__(self, offset: IndexValue | IntegerValue | int) -> CtaBarrierRef: ...
