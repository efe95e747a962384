"""What a kernel's body needs beside arrays: control flow, threads, references, barriers."""

import enum
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ContextDecorator
from typing import Any, Literal, overload

from jaxlib.mlir import ir

from safegpu.architectures import HasClusterLaunchControl
from safegpu.barriers import BarrierRef as BarrierRef
from safegpu.barriers import CollectiveBarrierRef as CollectiveBarrierRef
from safegpu.barriers import CtaBarrierRef as CtaBarrierRef
from safegpu.barriers import DialectBarrierRef as DialectBarrierRef
from safegpu.barriers import ThreadSubset as ThreadSubset
from safegpu.dtypes import DType, ForeignDType
from safegpu.refs import DynamicSlice as DynamicSlice
from safegpu.refs import MultimemRef as MultimemRef
from safegpu.refs import SmemRef, Subscript
from safegpu.refs import get_cluster_ref as get_cluster_ref
from safegpu.refs import memref_fold as memref_fold
from safegpu.refs import memref_reshape as memref_reshape
from safegpu.refs import memref_slice as memref_slice
from safegpu.refs import memref_transpose as memref_transpose
from safegpu.refs import memref_unfold as memref_unfold
from safegpu.refs import memref_unsqueeze as memref_unsqueeze
from safegpu.scalars import (
    BF16,
    F16,
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
    Dim,
    Index,
    IndexValue,
    IntegerValue,
    Number32,
    Value32,
    _Raw,
)
from safegpu.scalars import c as c
from safegpu.scalars import thread_idx as thread_idx
from safegpu.scalars import warp_idx as warp_idx
from safegpu.scalars import warpgroup_idx as warpgroup_idx

WARPGROUP_SIZE: int
WARP_SIZE: int
WARPS_IN_WARPGROUP: int
WORKGROUP_NVPTX_ADDRESS_SPACE: int
MBARRIER_BYTES: int
DYNAMIC: int
DYNAMIC32: int

type MultimemReductionOp = Literal["add", "min", "max", "and", "or", "xor"]

ds = DynamicSlice

class Partition:
    """How an array of `elements` is split over blocks: axis i by axis `partition[i]` of the grid of chunks, or not at all for None.

    Exactly one of `num_chunks` and `chunk_size` says how. Raises ValueError for both or none, and where it does not divide.
    """

    source_bounds: tuple[int, ...]
    target_bounds: tuple[int, ...]
    partition: tuple[int | None, ...]
    base_offset: tuple[IndexValue, ...] | None
    @overload
    def __init__(
        self,
        elements: tuple[int, ...],
        *,
        partition: tuple[int | None, ...],
        base_offset: tuple[IndexValue, ...] | None = ...,
        num_chunks: tuple[int, ...] | None,
        chunk_size: tuple[int, ...] | None = ...,
    ) -> None: ...
    @overload
    def __init__(
        self,
        elements: tuple[int, ...],
        *,
        partition: tuple[int | None, ...],
        base_offset: tuple[IndexValue, ...] | None = ...,
        num_chunks: tuple[int, ...] | None = ...,
        chunk_size: tuple[int, ...] | None,
    ) -> None: ...
    @property
    def num_chunks(self) -> tuple[int, ...]:
        """How many chunks there are along each axis of the grid of chunks."""
    @property
    def target_block_shape(self) -> tuple[int, ...]:
        """The shape of one chunk, in elements."""
    def get_base(self, *source_coords: IndexValue) -> list[Index]:
        """The first element along each axis of the chunk at these coordinates."""

class Partition1D:
    """How `elements` along one axis are split into chunks; `Partition` of one axis."""

    partition: Partition
    base_offset: IndexValue | None
    @overload
    def __init__(
        self,
        elements: int,
        *,
        base_offset: IndexValue | None = ...,
        num_chunks: int | None,
        chunk_size: int | None = ...,
    ) -> None: ...
    @overload
    def __init__(
        self,
        elements: int,
        *,
        base_offset: IndexValue | None = ...,
        num_chunks: int | None = ...,
        chunk_size: int | None,
    ) -> None: ...
    @property
    def num_chunks(self) -> int:
        """How many chunks there are."""
    def get_base(self, source_coords: IndexValue) -> Index:
        """The first element of a chunk."""
    @overload
    def refine(
        self, *, chunk: IndexValue | None = ..., num_chunks: int | None, chunk_size: int | None = ...
    ) -> Partition1D: ...
    @overload
    def refine(
        self, *, chunk: IndexValue | None = ..., num_chunks: int | None = ..., chunk_size: int | None
    ) -> Partition1D:
        """One chunk, split again; it starts at `chunk`, or at the first where none is named."""

class SemaphoreRef:
    """A counter in global memory by which devices or blocks wait for each other."""

    ptr: ir.Value[Any]
    def __init__(self, ptr: ir.Value[Any]) -> None: ...
    def signal(
        self,
        value: Value32 | int,
        predicate: IntegerValue | None = ...,
        relaxed: bool = ...,
        memory_scope: Literal["sys", "gpu"] = ...,
    ) -> None:
        """Adds to the counter (PTX ISA, "red"), after what the thread wrote before unless `relaxed`. One thread of the warpgroup does.

        `memory_scope` says who sees it: the device ("gpu") or all devices ("sys"). Raises ValueError for another, and but for 32 bits.
        """
    @staticmethod
    def signal_multimem(ptr: ir.Value[Any], value: Value32 | int, predicate: IntegerValue | None = ...) -> None:
        """Adds to the counter on every device; `ptr` is a multimem address (PTX ISA, "multimem.red")."""
    def wait(
        self,
        value: Value32 | int = ...,
        *,
        decrement: bool = ...,
        scope: ThreadSubset = ...,
        memory_scope: Literal["sys", "gpu"] = ...,
    ) -> None:
        """Waits until the counter is `value` or more, and takes that away unless `decrement` is False; the threads of the scope go on

        together. Raises ValueError for the scope of a block.
        """

class ForResult[Results, Result]:
    """A loop, and what it carried in the end."""

    op: ir.OpView
    results: Results
    @property
    def result(self) -> Result:
        """The one value that is carried. Raises ValueError where there are several."""

class Arch:
    """A compute capability: (9, 0) is Hopper, (10, 0) Blackwell."""

    major: int
    minor: int
    def __init__(self, major: int, minor: int) -> None: ...

# Control flow and threads.

class Region(AbstractContextManager[None], ContextDecorator):
    """What goes into a region of the kernel: the body of a `with`, or of a function that it decorates."""

    def __exit__(self, *exception: object) -> None: ...

@overload
def fori[I: (Index, I8, I16, I32, I64), T: tuple[Any, ...] | list[Any]](  # type: ignore[overload-overlap]
    bound: I, carrys: T
) -> Callable[[Callable[[I, T], T]], ForResult[T, Any]]: ...
@overload
def fori[I: (Index, I8, I16, I32, I64), T](  # type: ignore[overload-overlap]
    bound: I, carrys: T
) -> Callable[[Callable[[I, T], T]], ForResult[list[T], T]]: ...
@overload
def fori[T: tuple[Any, ...] | list[Any]](  # type: ignore[overload-overlap]
    bound: IndexValue | IntegerValue, carrys: T
) -> Callable[[Callable[[Any, T], T]], ForResult[T, Any]]: ...
@overload
def fori[T](bound: IndexValue | IntegerValue, carrys: T) -> Callable[[Callable[[Any, T], T]], ForResult[list[T], T]]:
    """Decorates the body of a loop from 0 to `bound`: it takes the index, of the bound's type, and the carried values,
    and returns these.

    The decorated name is the loop's result: `.result` of one carried value, `.results` of a tuple or list of them.
    """

def when(cond: IntegerValue) -> Region:
    """Runs the body in the threads where `cond` holds."""

def single_thread(scope: ThreadSubset = ...) -> Region:
    """Runs the body in one thread of the warp, warpgroup or block."""

def single_thread_predicate(scope: ThreadSubset = ...) -> I1:
    """True in one thread of the warp, warpgroup or block."""

def block_idx() -> I32:
    """The linear index of this block in the grid."""

@overload
def cluster_idx(dim: Dim | Iterable[Dim] | None = ..., dim_idx: Sequence[IndexValue] | None = ...) -> Index: ...
@overload
def cluster_idx(dim: Dim | tuple[Dim] | list[Any], dim_idx: IndexValue) -> Index:
    """The linear index of this block in its cluster, or along some of its axes; or of the block at `dim_idx` along these.

    One index goes with one axis.
    """

def clock() -> I32:
    """The multiprocessor's counter of cycles (PTX ISA, "%clock")."""

def smid() -> I32:
    """The number of the multiprocessor (PTX ISA, "%smid")."""

@overload
def globaltimer(kind: None = ...) -> I64: ...
@overload
def globaltimer(kind: Literal["low", "high"]) -> I32:
    """The device's clock in nanoseconds, or the low or high half of it (PTX ISA, "%globaltimer")."""

def nanosleep(nanos: IntegerValue) -> None:
    """Suspends the thread for about so many nanoseconds (PTX ISA, "nanosleep")."""

def get_arch() -> Arch:
    """The architecture that is lowered for."""

def set_max_registers(n: int, *, action: Literal["increase", "decrease"]) -> None:
    """Sets the number of registers of each thread of the warpgroup, which all of its warps call (PTX ISA, "setmaxnreg").

    `n` is a multiple of 8 from 24 to 256. An increase waits until the block's other warpgroups have given up enough.
    """

# Ordering.

def commit_shared() -> None:
    """Orders the warpgroup's writes to shared memory before copies and MMAs that read them (PTX ISA, "fence.proxy.async")."""

def before_thread_sync(*, sync_threads: bool, scope: ThreadSubset = ...) -> None:
    """Orders the tcgen05 work of this thread before a synchronisation (PTX ISA, "tcgen05.fence"). Of jax 0.12."""

def memref_descriptor_type(memref_ty: ir.MemRefType) -> ir.Type:
    """The LLVM struct that a reference of this type is lowered to (jax 0.12)."""

def to_memref_descriptor(memref_arg: ir.Value[ir.MemRefType]) -> ir.Value[Any]:
    """A reference as the LLVM struct that it is lowered to (jax 0.12): from here on nothing is checked."""

def warpgroup_barrier() -> None:
    """Waits for all threads of the warpgroup."""

def block_barrier() -> None:
    """Waits for all threads of the block (PTX ISA, "barrier.sync 0"), those of every warpgroup."""

def warpgroup_barrier_idx(sync: bool = ...) -> I32:
    """The number of the warpgroup's hardware barrier, one more than `warpgroup_idx`."""

def warp_barrier() -> None:
    """Waits for all threads of the warp (PTX ISA, "bar.warp.sync")."""

def fence_release_sys() -> None:
    """Orders what the thread did before what follows, for all devices (PTX ISA, "fence")."""

# Clusters.

def get_cluster_ptr(ptr: ir.Value[Any], cluster_block: Value32, generic: bool = ...) -> ir.Value[Any]:
    """The same address in another block of the cluster (PTX ISA, "mapa"): a generic pointer, or one of address space 7."""

def cluster_collective_mask(
    cluster_shape: tuple[int, int, int], collective: Dim | Sequence[Dim], leader_tracked: bool = ...
) -> I32:
    """A bit for each block along the collective axes, this one's coordinates on the others; with `leader_tracked`, for the first."""

def try_cluster_cancel(
    result_ref: SmemRef[Any, Any, HasClusterLaunchControl], barrier: BarrierRef, predicate: IntegerValue | None = ...
) -> None:
    """Asks to take over a cluster that has not been launched yet (PTX ISA, "clusterlaunchcontrol.try_cancel").

    The answer, 16 bytes, arrives in `result_ref` of each block and completes on `barrier`.
    """

def query_cluster_cancel(result_ref: SmemRef[Any, Any, HasClusterLaunchControl]) -> tuple[I32, I32, I32, I1]:
    """What `try_cluster_cancel` answered: the first block's x, y and z in the grid, and whether there was a cluster to take over."""

# Debugging.

def debug_print(fmt: str, *args: ir.Value[Any], uniform: bool = ..., scope: ThreadSubset | None = ...) -> None:
    """Prints from the device; `{}` in `fmt` stands for an argument. `uniform` prints from one thread."""

# Shapes, widths and pointers.

def bitwidth(ty: ir.Type) -> int:
    """Width of a type in bits, of a vector all of it. Raises ValueError unless it is a power of 2."""

def bytewidth(ty: ir.Type) -> int:
    """Width of a type in bytes."""

def tile_shape(shape: Sequence[int], tiling: Sequence[int]) -> tuple[int, ...]:
    """The shape of an array whose last axes are split into tiles: (128, 64) by (8, 32) is (16, 2, 8, 32).

    Raises ValueError where it does not divide.
    """

def ceil_div(x: int, y: int) -> int:
    """`x / y`, rounded up."""

def is_known_divisible(value: ir.Value[Any], divisor: int, max_depth: int = ...) -> bool:
    """Whether the value is a multiple of `divisor`, as far as the operations that made it say."""

def is_signed(dtype: type[DType] | ForeignDType) -> bool | None:
    """The signedness of an integer dtype, None for the others; False for truth values."""

def dtype_to_ir_type(dtype: type[DType] | ForeignDType) -> ir.Type:
    """The MLIR type of a dtype; integers have no sign there."""

def is_smem_ref(ref: ir.Value[Any] | ir.Type) -> bool:
    """Whether a reference is to the block's shared memory. Raises ValueError for what is no reference."""

def is_tmem_ref(ref: ir.Value[Any] | ir.Type) -> bool:
    """Whether a reference is to tensor memory, which it is in Warpgroup semantics alone. ValueError for what is no reference."""

def is_cluster_smem_ref(ref: ir.Value[Any] | ir.Type) -> bool:
    """Whether a reference is to shared memory of the cluster. Raises ValueError for what is no reference."""

def is_memref_transposed(ref: ir.MemRefType) -> bool:
    """Whether the strides of a type are not in descending order."""

def get_contiguous_strides(xs: Sequence[int]) -> list[int]:
    """The strides, in elements, of an array of this shape without gaps."""

def parse_indices(
    index: Subscript, shape: Sequence[int], *, check_oob: bool = ..., allow_negative: bool = ...
) -> tuple[list[IndexValue | int], list[int], list[bool]]:
    """Of what is indexed so: the first index and the length along each axis, and whether the axis is dropped."""

def memref_ptr(memref_arg: ir.Value[ir.MemRefType]) -> ir.Value[Any]:
    """The address of a reference, a plain MLIR value: from here on nothing is checked."""

def ptr_as_memref(ptr: ir.Value[Any], memref_ty: ir.MemRefType) -> ir.Value[ir.MemRefType]:
    """A reference of this type at an address. Raises ValueError for another address space, and for a type with an offset."""

def getelementptr(ptr: ir.Value[Any], indices: Sequence[IntegerValue | int], dtype: ir.Type) -> ir.Value[Any]:
    """The address of an element, by its indices in an array of `dtype` at `ptr`."""

def elements_to_bytes[V: ir.Value[Any]](offset: V, element_bitwidth: int) -> V:
    """An offset in elements as one in bytes."""

def smem() -> ir.Attribute:
    """The memory space of shared memory, an attribute of reference types."""

def tmem() -> ir.Attribute:
    """The memory space of tensor memory in Warpgroup semantics."""

def smem_cluster() -> ir.Attribute:
    """The memory space of the cluster's shared memory."""

# Registers.

type _Scalar = I1 | I8 | I16 | I32 | I64 | F16 | BF16 | F32 | F64

@overload
def bitcast[S: _Scalar](x: ir.Value[Any], new_type: type[S]) -> S: ...
@overload
def bitcast(x: ir.Value[Any], new_type: ir.Type) -> ir.Value[Any]:
    """The same bits as a scalar or vector of another type of the same width."""

def vector_slice(v: ir.Value[Any], s: slice) -> ir.Value[Any]:
    """Neighbouring elements of a vector."""

def vector_concat(vectors: Sequence[ir.Value[Any]]) -> ir.Value[Any]:
    """Vectors of one element type, joined. Raises ValueError for none, or for others."""

def pack_array(values: Sequence[ir.Value[Any]]) -> ir.Value[Any]:
    """The address of an array on the stack that holds the values."""

def shfl_bfly[V: ir.Value[Any]](x: V, distance: int | IntegerValue) -> V:
    """The value of the lane whose number differs in the bits of `distance` (PTX ISA, "shfl.sync"), of any width."""

class ReductionKind(enum.IntEnum):
    """What `redux` computes over a warp (PTX ISA, "redux.sync"); NVVM's own names."""

    ADD = 1
    AND = 2
    MAX = 3
    MIN = 4
    OR = 5
    UMAX = 6
    UMIN = 7
    XOR = 8
    FMIN = 9
    FMAX = 10

def redux[V: Number32](x: V, mask: Value32, kind: enum.IntEnum) -> V:
    """The reduction over the lanes of `mask` (PTX ISA, "redux.sync"), of 32-bit values or a vector of them; ValueError for others.

    float32 needs Blackwell.
    """

def prmt[V: ir.Value[Any]](high: V, low: V, permutation: IntegerValue) -> V:
    """Four of the eight bytes of two 32-bit values, picked by `permutation` (PTX ISA, "prmt"). ValueError for two types."""

@overload
def warp_tree_reduce[V: (I32, F32)](value: V, op: Callable[[V, V], ir.Value[Any]], group_size: int) -> V: ...
@overload
def warp_tree_reduce(value: _Raw, op: Callable[[Any, Any], ir.Value[Any]], group_size: int) -> ir.Value[Any]:
    """The reduction of a 32-bit value over groups of so many lanes, a power of 2, by `op`."""

def multimem_store(ptr: ir.Value[Any], value: ir.Value[Any]) -> None:
    """Stores 4, 8 or 16 bytes on every device (PTX ISA, "multimem.st"). Raises ValueError for another width."""

def multimem_load_reduce(
    ty: ir.Type, ptr: ir.Value[Any], reduction: MultimemReductionOp, is_signed: bool | None = ...
) -> ir.Value[Any]:
    """Loads the reduction over all devices (PTX ISA, "multimem.ld_reduce"), a vector of 4, 8 or 16 bytes.

    Raises ValueError or NotImplementedError for dtypes and reductions that do not go together.
    """

@overload
def inline_ptx[S: _Scalar](
    ptx: str,
    *args: ir.Value[Any],
    result_types: type[S],
    predicate: None = ...,
    has_side_effects: bool = ...,
    convergent: bool = ...,
) -> S: ...
@overload
def inline_ptx(
    ptx: str,
    *args: ir.Value[Any],
    result_types: ir.Type,
    predicate: None = ...,
    has_side_effects: bool = ...,
    convergent: bool = ...,
) -> ir.Value[Any]: ...
@overload
def inline_ptx[S: _Scalar](
    ptx: str,
    *args: ir.Value[Any],
    result_types: Sequence[type[S]],
    predicate: None = ...,
    has_side_effects: bool = ...,
    convergent: bool = ...,
) -> tuple[S, ...]: ...
@overload
def inline_ptx(
    ptx: str,
    *args: ir.Value[Any],
    result_types: Sequence[ir.Type | type[_Scalar]],
    predicate: None = ...,
    has_side_effects: bool = ...,
    convergent: bool = ...,
) -> tuple[ir.Value[Any], ...]: ...
@overload
def inline_ptx(
    ptx: str,
    *args: ir.Value[Any],
    result_types: None = ...,
    predicate: IntegerValue | None = ...,
    has_side_effects: bool = ...,
    convergent: bool = ...,
) -> None:
    """Emits PTX with `$0`, `$1`, … for the results, the operands and then the predicate.

    `result_types` is a scalar class of ours (`mgpu.I32`) or an MLIR type, or a sequence of them, or None. `convergent` says
    that the threads act together. Raises ValueError for a predicate with results, and for PTX without results or effects.
    """

# Of Mosaic GPU's own.

def bitwidth_impl(ty: ir.Type) -> int:
    """As `bitwidth`, of any width."""

def dyn_dot[V: ir.Value[Any]](x: Sequence[V], y: Sequence[V]) -> V:
    """The sum of the products."""

def reduce_shape(shape: Sequence[int], axes: Sequence[int], keep_dims: bool = ...) -> tuple[int, ...]:
    """The shape without these axes, or with axes of length 1 in their place."""

def prefetch_tensormap(desc_ptr: ir.Value[Any], predicate: IntegerValue | None = ...) -> None:
    """Starts bringing a TMA descriptor to the cache (PTX ISA, "prefetch")."""

def get_memref_llvm_address_space(memref_ty: ir.MemRefType) -> int | None:
    """The number of a reference type's address space; None for global memory."""

def gpu_address_space_to_nvptx(address_space: enum.IntEnum) -> int:
    """The number of an address space in NVPTX: 1 is global memory, 3 is shared memory."""

def dump_to_file_or_stdout(content: str, name: str, path: str) -> None:
    """Writes to `path/name`, or prints where there is no path."""
