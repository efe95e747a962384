"""What a kernel's body does through its launch context: copies, and references to other devices."""

import enum
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, Literal, Never, overload

from jaxlib.mlir import ir
from typing_extensions import TypeVar

from safegpu import layouts
from safegpu.architectures import Architecture, HasMultimem, HasTMA, HasTMAGather, HasTMAScatter
from safegpu.barriers import BarrierRef, ThreadSubset
from safegpu.dtypes import Supporting, TMAReduces, bfloat16, float16, float32, int32, int64, uint32, uint64
from safegpu.fragmented_array import InRegisters
from safegpu.profiler import OnDeviceProfiler as OnDeviceProfiler
from safegpu.refs import Along, GmemRef, InSmem, MultimemRef, SmemRef, Swizzle
from safegpu.scalars import I32, Dim, IndexValue, IntegerValue
from safegpu.scalars import c as c
from safegpu.utils import Region

_D = TypeVar("_D", default=Any)
_Copied = TypeVar("_Copied", bound=Supporting[Literal["copies by the TMA"]], default=Any)
_Window = TypeVar(
    "_Window",
    bound=Supporting[Literal["8 bits"]]
    | Supporting[Literal["16 bits"]]
    | Supporting[Literal["32 bits"]]
    | Supporting[Literal["64 bits"]],
    default=Any,
)
_A_co = TypeVar("_A_co", bound=Architecture, covariant=True, default=Any)
_Added = TypeVar("_Added", float16, bfloat16, float32, int32, uint32, int64, uint64)

type TMAReductionOp = Literal["add", "min", "max", "inc", "dec", "and", "or", "xor", "umin", "umax", "smin", "smax"]

_Op = TypeVar("_Op", bound=TMAReductionOp, default=Any)

class GlobalBroadcast:
    """The class of `GLOBAL_BROADCAST`, which as `gmem_peer_id` stores to all devices at once."""

GLOBAL_BROADCAST: GlobalBroadcast

class CopyPartition:
    """How a collective copy with a leader splits its data over the blocks."""

    PARTITIONED: ClassVar[type[_Partitioned]]
    REPLICATED: ClassVar[_Replicated]

class _Partitioned(CopyPartition):
    axis: int
    def __init__(self, axis: int) -> None: ...

class _Replicated(CopyPartition): ...

class AsyncCopyImplementation(enum.Enum):
    """What copies: the TMA unit, or the threads (PTX ISA, "cp.async"), which copy into shared memory alone."""

    TMA = ...
    CP_ASYNC = ...

class OOBFillMode(enum.IntEnum):
    """What a copy gives beyond the bounds of global memory: zeros, or nothing defined. Or a promise that it stays within."""

    UNDEFINED = 0
    PROMISE_IN_BOUNDS = 1
    ZEROS = 2

class Rounding(enum.Enum):
    """What `TileTransform` does with a dimension that its tile does not divide. Mosaic GPU has not implemented `UP`."""

    UP = ...
    DOWN = ...

class MemRefTransform:
    """Base of what arranges a window of global memory for the buffer that it is copied to."""

    def apply(self, ref: ir.Value[ir.MemRefType]) -> ir.Value[ir.MemRefType]:
        """The reference, seen so."""
    def transform_index(self, idx: Sequence[IndexValue]) -> tuple[IndexValue, ...]:
        """Where the element at this index is then."""
    def transform_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of a window then. Raises ValueError where it cannot be seen so."""
    def transform_gmem_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of all of global memory then."""
    def transform_strides(self, strides: Sequence[int]) -> tuple[int, ...]:
        """The strides then, in elements."""
    def batch(self, leading_rank: int) -> MemRefTransform:
        """The transform of a reference with so many axes before those of this one."""
    def to_attr(self) -> ir.Attribute:
        """The transform as an attribute of Warpgroup semantics' dialect."""

class TileTransform(MemRefTransform):
    """Splits the last axes into tiles: (5, 128, 128) tiled by (64, 32) is (5, 2, 4, 64, 32)."""

    tiling: tuple[int, ...]
    rounding: Rounding | None
    def __init__(self, tiling: tuple[int, ...], rounding: Literal[Rounding.DOWN] | None = ...) -> None: ...

class TransposeTransform(MemRefTransform):
    """The axes in another order. Raises ValueError where one is named twice."""

    permutation: tuple[int, ...]
    def __init__(self, permutation: tuple[int, ...]) -> None: ...

class CollapseLeadingIndicesTransform(MemRefTransform):
    """Makes one of the leading dimensions, of these strides in elements."""

    strides: tuple[int, ...]
    def __init__(self, strides: tuple[int, ...]) -> None: ...
    @property
    def common_stride(self) -> int:
        """The stride of the joined axis: the greatest common divisor."""

class DropUnitDimsTransform(MemRefTransform):
    """Drops these dimensions, each of length 1."""

    unit_dims: tuple[int, ...]
    def __init__(self, unit_dims: tuple[int, ...]) -> None: ...

type _Gather = InRegisters[Supporting[Literal["row indices"]], layouts.TMA_INDICES | layouts.TMA_INDICES_4]
type _Rows = _Gather | tuple[Along | _Gather, ...]
"""With an index for each row."""
type _Slice = Along | tuple[Along, ...]
type _Transform = MemRefTransform | tuple[MemRefTransform, ...]
type _Axes = Sequence[Dim] | Dim | None

class LaunchContext(Generic[_A_co]):
    """The first argument of a kernel's body; `A` is the architecture that it is for."""

    module: ir.Module
    scratch: Scratch
    cluster_size: tuple[int, int, int]
    num_peers: int
    profiler: OnDeviceProfiler | None
    is_device_collective: bool
    multihost_kernel: bool
    @property
    def device_collective_metadata(self) -> ir.Value[ir.MemRefType] | None:
        """What the device knows of its peers, 64-bit words in global memory; None on one device."""
    @property
    def host_collective_metadata(self) -> ir.Value[ir.MemRefType] | None:
        """What the host knows of the peers; None on one device."""
    def named_region(self, *args: Any, **kwargs: Any) -> Region:
        """A region that the profiler shows under this name."""
    @overload
    def async_copy(
        self: LaunchContext[HasTMA],
        *,
        src_ref: GmemRef[_Copied],
        dst_ref: SmemRef[_Copied, Swizzle],
        gmem_slice: _Slice = ...,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | None = ...,
        barrier: BarrierRef,
        swizzle: Swizzle,
        arrive: bool | None = ...,
        collective: _Axes,
        leader_tracked: CopyPartition | None = ...,
        predicate: IntegerValue | None = ...,
        reduction_op: None = ...,
        implementation: Literal[AsyncCopyImplementation.TMA] = ...,
        oob_mode: OOBFillMode = ...,
    ) -> None: ...
    @overload
    def async_copy(
        self: LaunchContext[HasTMA],
        *,
        src_ref: GmemRef[_Copied],
        dst_ref: SmemRef[_Copied, Swizzle],
        gmem_slice: _Slice = ...,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | None = ...,
        barrier: BarrierRef,
        swizzle: Swizzle,
        arrive: bool | None = ...,
        collective: tuple[()] | None = ...,
        leader_tracked: _Replicated | None = ...,
        predicate: IntegerValue | None = ...,
        reduction_op: None = ...,
        implementation: Literal[AsyncCopyImplementation.TMA] = ...,
        oob_mode: OOBFillMode = ...,
    ) -> None: ...
    @overload
    def async_copy(
        self: LaunchContext[HasTMA],
        *,
        src_ref: GmemRef[_Copied],
        dst_ref: SmemRef[_Copied, Literal[16]],
        gmem_slice: _Slice = ...,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | None = ...,
        barrier: BarrierRef,
        swizzle: None = ...,
        arrive: bool | None = ...,
        collective: _Axes,
        leader_tracked: CopyPartition | None = ...,
        predicate: IntegerValue | None = ...,
        reduction_op: None = ...,
        implementation: Literal[AsyncCopyImplementation.TMA] = ...,
        oob_mode: OOBFillMode = ...,
    ) -> None: ...
    @overload
    def async_copy(
        self: LaunchContext[HasTMA],
        *,
        src_ref: GmemRef[_Copied],
        dst_ref: SmemRef[_Copied, Literal[16]],
        gmem_slice: _Slice = ...,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | None = ...,
        barrier: BarrierRef,
        swizzle: None = ...,
        arrive: bool | None = ...,
        collective: tuple[()] | None = ...,
        leader_tracked: _Replicated | None = ...,
        predicate: IntegerValue | None = ...,
        reduction_op: None = ...,
        implementation: Literal[AsyncCopyImplementation.TMA] = ...,
        oob_mode: OOBFillMode = ...,
    ) -> None: ...
    @overload
    def async_copy(
        self,
        *,
        src_ref: GmemRef[_D],
        dst_ref: SmemRef[_D, Swizzle],
        gmem_slice: _Slice = ...,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | None = ...,
        barrier: BarrierRef | None = ...,
        swizzle: Swizzle,
        arrive: bool | None = ...,
        collective: _Axes = ...,
        leader_tracked: CopyPartition | None = ...,
        predicate: IntegerValue | None = ...,
        reduction_op: None = ...,
        implementation: AsyncCopyImplementation,
        oob_mode: OOBFillMode = ...,
    ) -> None: ...
    @overload
    def async_copy(
        self,
        *,
        src_ref: GmemRef[_D],
        dst_ref: SmemRef[_D, Literal[16]],
        gmem_slice: _Slice = ...,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | None = ...,
        barrier: BarrierRef | None = ...,
        swizzle: None = ...,
        arrive: bool | None = ...,
        collective: _Axes = ...,
        leader_tracked: CopyPartition | None = ...,
        predicate: IntegerValue | None = ...,
        reduction_op: None = ...,
        implementation: AsyncCopyImplementation,
        oob_mode: OOBFillMode = ...,
    ) -> None: ...
    @overload
    def async_copy(
        self: LaunchContext[HasTMA],
        *,
        src_ref: SmemRef[_Copied, Swizzle],
        dst_ref: GmemRef[_Copied],
        gmem_slice: _Slice = ...,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | GlobalBroadcast | None = ...,
        barrier: None = ...,
        swizzle: Swizzle,
        arrive: bool | None = ...,
        collective: tuple[()] | None = ...,
        leader_tracked: _Replicated | None = ...,
        predicate: IntegerValue | None = ...,
        reduction_op: None = ...,
        implementation: AsyncCopyImplementation = ...,
        oob_mode: OOBFillMode = ...,
    ) -> None: ...
    @overload
    def async_copy(
        self: LaunchContext[HasTMA],
        *,
        src_ref: SmemRef[_Copied, Literal[16]],
        dst_ref: GmemRef[_Copied],
        gmem_slice: _Slice = ...,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | GlobalBroadcast | None = ...,
        barrier: None = ...,
        swizzle: None = ...,
        arrive: bool | None = ...,
        collective: tuple[()] | None = ...,
        leader_tracked: _Replicated | None = ...,
        predicate: IntegerValue | None = ...,
        reduction_op: None = ...,
        implementation: AsyncCopyImplementation = ...,
        oob_mode: OOBFillMode = ...,
    ) -> None: ...
    @overload
    def async_copy(
        self: LaunchContext[HasTMAGather],
        *,
        src_ref: GmemRef[_Copied],
        dst_ref: SmemRef[_Copied, Swizzle],
        gmem_slice: _Rows,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | None = ...,
        barrier: BarrierRef,
        swizzle: Swizzle,
        arrive: bool | None = ...,
        collective: tuple[()] | None = ...,
        leader_tracked: _Replicated | None = ...,
        predicate: Never = ...,
        reduction_op: None = ...,
        implementation: AsyncCopyImplementation = ...,
        oob_mode: OOBFillMode = ...,
    ) -> None: ...
    @overload
    def async_copy(
        self: LaunchContext[HasTMAGather],
        *,
        src_ref: GmemRef[_Copied],
        dst_ref: SmemRef[_Copied, Literal[16]],
        gmem_slice: _Rows,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | None = ...,
        barrier: BarrierRef,
        swizzle: None = ...,
        arrive: bool | None = ...,
        collective: tuple[()] | None = ...,
        leader_tracked: _Replicated | None = ...,
        predicate: Never = ...,
        reduction_op: None = ...,
        implementation: AsyncCopyImplementation = ...,
        oob_mode: OOBFillMode = ...,
    ) -> None: ...
    @overload
    def async_copy(
        self: LaunchContext[HasTMAScatter],
        *,
        src_ref: SmemRef[_Copied, Swizzle],
        dst_ref: GmemRef[_Copied],
        gmem_slice: _Rows,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | None = ...,
        barrier: None = ...,
        swizzle: Swizzle,
        arrive: bool | None = ...,
        collective: tuple[()] | None = ...,
        leader_tracked: _Replicated | None = ...,
        predicate: Never = ...,
        reduction_op: None = ...,
        implementation: AsyncCopyImplementation = ...,
        oob_mode: OOBFillMode = ...,
    ) -> None: ...
    @overload
    def async_copy(
        self: LaunchContext[HasTMAScatter],
        *,
        src_ref: SmemRef[_Copied, Literal[16]],
        dst_ref: GmemRef[_Copied],
        gmem_slice: _Rows,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | None = ...,
        barrier: None = ...,
        swizzle: None = ...,
        arrive: bool | None = ...,
        collective: tuple[()] | None = ...,
        leader_tracked: _Replicated | None = ...,
        predicate: Never = ...,
        reduction_op: None = ...,
        implementation: AsyncCopyImplementation = ...,
        oob_mode: OOBFillMode = ...,
    ) -> None: ...
    @overload
    def async_copy(
        self: LaunchContext[HasTMA],
        *,
        src_ref: InSmem[TMAReduces[_D, _Op], Swizzle],
        dst_ref: GmemRef[_D],
        gmem_slice: _Slice = ...,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | GlobalBroadcast | None = ...,
        barrier: None = ...,
        swizzle: Swizzle,
        arrive: bool | None = ...,
        collective: tuple[()] | None = ...,
        leader_tracked: CopyPartition | None = ...,
        predicate: IntegerValue | None = ...,
        reduction_op: _Op,
        implementation: Literal[AsyncCopyImplementation.TMA] = ...,
        oob_mode: OOBFillMode = ...,
    ) -> None: ...
    @overload
    def async_copy(
        self: LaunchContext[HasTMA],
        *,
        src_ref: InSmem[TMAReduces[_D, _Op], Literal[16]],
        dst_ref: GmemRef[_D],
        gmem_slice: _Slice = ...,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | GlobalBroadcast | None = ...,
        barrier: None = ...,
        swizzle: None = ...,
        arrive: bool | None = ...,
        collective: tuple[()] | None = ...,
        leader_tracked: CopyPartition | None = ...,
        predicate: IntegerValue | None = ...,
        reduction_op: _Op,
        implementation: Literal[AsyncCopyImplementation.TMA] = ...,
        oob_mode: OOBFillMode = ...,
    ) -> None: ...
    @overload
    def async_copy(
        self: LaunchContext[HasTMA],
        *,
        src_ref: SmemRef[_Added, Swizzle],
        dst_ref: GmemRef[_Added],
        gmem_slice: _Slice = ...,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | GlobalBroadcast | None = ...,
        barrier: None = ...,
        swizzle: Swizzle,
        arrive: bool | None = ...,
        collective: tuple[()] | None = ...,
        leader_tracked: CopyPartition | None = ...,
        predicate: IntegerValue | None = ...,
        reduction_op: Literal["add"],
        implementation: Literal[AsyncCopyImplementation.TMA] = ...,
        oob_mode: OOBFillMode = ...,
    ) -> None: ...
    @overload
    def async_copy(
        self: LaunchContext[HasTMA],
        *,
        src_ref: SmemRef[_Added, Literal[16]],
        dst_ref: GmemRef[_Added],
        gmem_slice: _Slice = ...,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | GlobalBroadcast | None = ...,
        barrier: None = ...,
        swizzle: None = ...,
        arrive: bool | None = ...,
        collective: tuple[()] | None = ...,
        leader_tracked: CopyPartition | None = ...,
        predicate: IntegerValue | None = ...,
        reduction_op: Literal["add"],
        implementation: Literal[AsyncCopyImplementation.TMA] = ...,
        oob_mode: OOBFillMode = ...,
    ) -> None:
        """Starts a copy between global and shared memory (PTX ISA, "cp.async.bulk.tensor"; `LaunchContext.async_copy`).

        One thread of the calling warpgroup issues it unless `predicate` says otherwise. Into shared memory it completes on
        `barrier`, which expects its bytes by itself; out of shared memory `await_async_copy` waits for it, and what was
        written there before it needs a `commit_shared`. `gmem_slice` is the window in global memory, `gmem_transform` how
        its elements are arranged in the buffer, `swizzle` (bytes; None and 16 are none) how the buffer is swizzled, the
        same for everything that touches it. `collective` names the axes of the cluster whose blocks load the same window, or,
        with `leader_tracked=CopyPartition.PARTITIONED(axis)`, each a part of it.
        Row indices, an array of unsigned integers in the first place of `gmem_slice`, go with none of `collective`, `predicate`
        and `reduction_op`; a `predicate` of None is one. The TMA copies all dtypes but bool_ and float64.
        `reduction_op` combines the buffer with what is in global memory (PTX ISA, "cp.reduce.async.bulk.tensor").
        Raises ValueError where space, dtype, shape or reduction do not go together.
        """

    @overload
    def async_copy_im2col(
        self: LaunchContext[HasTMA],
        *,
        src_ref: GmemRef[_Window],
        dst_ref: SmemRef[_Window, Swizzle],
        barrier: BarrierRef,
        window_start_bounds: Sequence[tuple[int, int]],
        start_indices: Sequence[int | IndexValue],
        filter_offsets: Sequence[int | IndexValue],
        window_strides: Sequence[int] | None = ...,
        swizzle: Swizzle,
        arrive: bool = ...,
        predicate: IntegerValue | None = ...,
    ) -> None: ...
    @overload
    def async_copy_im2col(
        self: LaunchContext[HasTMA],
        *,
        src_ref: GmemRef[_Window],
        dst_ref: SmemRef[_Window, Literal[16]],
        barrier: BarrierRef,
        window_start_bounds: Sequence[tuple[int, int]],
        start_indices: Sequence[int | IndexValue],
        filter_offsets: Sequence[int | IndexValue],
        window_strides: Sequence[int] | None = ...,
        swizzle: None = ...,
        arrive: bool = ...,
        predicate: IntegerValue | None = ...,
    ) -> None:
        """Starts a copy of windows of images, channels last, to shared memory (PTX ISA, "im2col mode"). Of jax 0.12.

        ValueError where an element is less than 8 bits.
        """
    def async_prefetch(
        self: LaunchContext[HasTMA],
        *,
        gmem_ref: GmemRef[_Copied],
        gmem_slice: _Slice = ...,
        gmem_transform: _Transform = ...,
        gmem_peer_id: int | IntegerValue | None = ...,
        swizzle: int | None = ...,
        collective: _Axes = ...,
        leader_tracked: CopyPartition | None = ...,
        predicate: IntegerValue | None = ...,
    ) -> None:
        """Starts bringing a window of global memory to the L2 cache (PTX ISA, "cp.async.bulk.prefetch.tensor")."""
    def await_async_copy(
        self: LaunchContext[HasTMA], allow_groups: int, await_read_only: bool = ..., scope: ThreadSubset = ...
    ) -> None:
        """Waits until at most `allow_groups` of the copies to global memory are under way; with `await_read_only`, for their reads."""
    def await_cp_async_copy(self, allow_groups: int) -> None:
        """Waits until at most `allow_groups` of the copies by threads are under way (PTX ISA, "cp.async.wait_group")."""
    def to_remote[D](
        self, ref: GmemRef[D], peer: IntegerValue, *, _kernel_arg_idx: int | None = ..., on_host: bool = ...
    ) -> GmemRef[D]:
        """The same buffer on another device of the mesh. `ref` is, or is a view of, an argument of the kernel."""
    def to_remote_multicast[D](
        self: LaunchContext[HasMultimem], ref: GmemRef[D], on_host: bool = ...
    ) -> MultimemRef[D, _A_co]:
        """The same buffer on all devices of the mesh at once. `ref` is, or is a view of, an argument of the kernel."""
    def device_id(self, on_host: bool = ...) -> I32:
        """The index of this device in the mesh."""

# --- of Mosaic GPU's own

TMA_DESCRIPTOR_BYTES: int
TMA_DESCRIPTOR_ALIGNMENT: int
HBM_ALIGNMENT: int
COLLECTIVE_METADATA_SIZE: int
COLLECTIVE_ATTR: str
DEVICE_ID_ATTR: str
KERNEL_ARG_ID_ATTR: str
ORIGINAL_KERNEL_ARG_ATTR: str
MOSAIC_GPU_SMEM_ALLOC_ATTR: str
SYMMETRIC_MEMORY_ARGS_ATTR: str
USES_MULTIMEM_ATTR: str

class ReplicationError(Exception):
    """What is computed from values of one device cannot be computed for another."""

class Scratch:
    """Global memory that the kernel's launch initialises; not the scratch of a kernel, which is `safegpu.Scratch`."""

    next_offset: int
    host_init: list[Callable[[ir.Value[Any]], None]]
    descriptor_offsets: list[int]
    descriptor_prefetch: list[bool]
    def __init__(self, gpu_launch_op: ir.OpView) -> None: ...
    def device_ptr(self) -> ir.Value[Any]:
        """Where it is on the device, a pointer."""
    def finalize_size(self) -> None:
        """Allocates what was asked for, at the end of the lowering."""

def get_collective_metadata_size(num_params: int, num_peers: int) -> int:
    """How many 64-bit words describe the peers of a kernel with so many parameters."""

def uses_collective_metadata(module: ir.Module) -> bool:
    """Whether the kernel of this module reads what describes its peers."""
