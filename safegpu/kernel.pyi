"""`as_gpu_kernel`: a body, the specs of what it takes, gives and allocates, and the kernel made of them.

A body receives a `LaunchContext`, a `GmemRef` for each input and each output, and its scratch. Each of them is derived
from its spec, so a body whose annotations disagree is a type error at the call. Specs that are not safegpu's own
(`jax.ShapeDtypeStruct`, dicts, lists, `Union`) are unknown and accepted.
"""

import enum
from collections.abc import Callable
from typing import Any, Protocol, overload

from jaxlib.mlir import ir
from typing_extensions import TypeVar

from safegpu.architectures import Architecture
from safegpu.fragmented_array import FragmentedLayout
from safegpu.launch_context import LaunchContext
from safegpu.profiler import ProfilerSpec
from safegpu.refs import GmemRef
from safegpu.specs import Scratch, Union

_S_contra = TypeVar("_S_contra", contravariant=True)
_A_co = TypeVar("_A_co", covariant=True)

class LoweringSemantics(enum.Enum):
    """What a body works with: each lane's registers, or whole warpgroups' arrays (which safegpu does not type)."""

    Lane = ...
    Warpgroup = ...

class Kernel(Protocol):
    """A jitted kernel: call it with JAX arrays."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """As of a jitted function of JAX's."""
    def trace(self, *args: Any, **kwargs: Any) -> Any:
        """As of a jitted function of JAX's."""

class _Ranked(Protocol):
    @property
    def ndim(self) -> Any: ...

class _WeaklyTyped(Protocol):
    @property
    def weak_type(self) -> Any: ...

# JAX's and numpy's own specs and arrays have one of these two properties, and no reference of ours has either.
type _Leaf = _Ranked | _WeaklyTyped | Union[*tuple[Any, ...]] | list[Any] | dict[Any, Any]

type _Foreign = (
    _Leaf
    | tuple[_Leaf, *tuple[Any, ...]]
    | tuple[Any, _Leaf, *tuple[Any, ...]]
    | tuple[Any, Any, _Leaf, *tuple[Any, ...]]
    | tuple[Any, Any, Any, _Leaf, *tuple[Any, ...]]
    | tuple[Any, Any, Any, Any, _Leaf, *tuple[Any, ...]]
    | tuple[Any, Any, Any, Any, Any, _Leaf, *tuple[Any, ...]]
    | tuple[*tuple[Any, ...], _Leaf]
)
"""A tree of specs of which at least one is not ours: unknown."""

type _Size = tuple[int, int, int] | list[int]
"""Along x, y and z. How long a list is, nobody knows."""

class _Agreeing(Protocol[_S_contra, _A_co]):
    """An architecture that agrees with what the scratch states, as its class object has it."""

    def _agrees(self, scratch: _S_contra, /) -> _A_co: ...

# What a body receives, one by one: inputs as a tuple or alone; outputs alone or up to four; scratch as a class of `Scratch`,
# or as a tree of specs.

@overload
def as_gpu_kernel[*Ins, O: GmemRef[Any], S: Scratch, A: Architecture](
    body: Callable[[LaunchContext[A], *Ins, O, S], object],
    grid: _Size,
    block: _Size,
    in_shape: tuple[*Ins],
    out_shape: O,
    smem_scratch_shape: type[S],
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[*Ins, O: GmemRef[Any], S, A: Architecture](
    body: Callable[[LaunchContext[A], *Ins, O, S], object],
    grid: _Size,
    block: _Size,
    in_shape: tuple[*Ins],
    out_shape: O,
    smem_scratch_shape: S,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[I: GmemRef[Any], O: GmemRef[Any], S: Scratch, A: Architecture](
    body: Callable[[LaunchContext[A], I, O, S], object],
    grid: _Size,
    block: _Size,
    in_shape: I,
    out_shape: O,
    smem_scratch_shape: type[S],
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[I: GmemRef[Any], O: GmemRef[Any], S, A: Architecture](
    body: Callable[[LaunchContext[A], I, O, S], object],
    grid: _Size,
    block: _Size,
    in_shape: I,
    out_shape: O,
    smem_scratch_shape: S,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[*Ins, O1: GmemRef[Any], S: Scratch, A: Architecture](
    body: Callable[[LaunchContext[A], *Ins, O1, S], object],
    grid: _Size,
    block: _Size,
    in_shape: tuple[*Ins],
    out_shape: tuple[O1],
    smem_scratch_shape: type[S],
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[*Ins, O1: GmemRef[Any], S, A: Architecture](
    body: Callable[[LaunchContext[A], *Ins, O1, S], object],
    grid: _Size,
    block: _Size,
    in_shape: tuple[*Ins],
    out_shape: tuple[O1],
    smem_scratch_shape: S,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[I: GmemRef[Any], O1: GmemRef[Any], S: Scratch, A: Architecture](
    body: Callable[[LaunchContext[A], I, O1, S], object],
    grid: _Size,
    block: _Size,
    in_shape: I,
    out_shape: tuple[O1],
    smem_scratch_shape: type[S],
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[I: GmemRef[Any], O1: GmemRef[Any], S, A: Architecture](
    body: Callable[[LaunchContext[A], I, O1, S], object],
    grid: _Size,
    block: _Size,
    in_shape: I,
    out_shape: tuple[O1],
    smem_scratch_shape: S,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[*Ins, O1: GmemRef[Any], O2: GmemRef[Any], S: Scratch, A: Architecture](
    body: Callable[[LaunchContext[A], *Ins, O1, O2, S], object],
    grid: _Size,
    block: _Size,
    in_shape: tuple[*Ins],
    out_shape: tuple[O1, O2],
    smem_scratch_shape: type[S],
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[*Ins, O1: GmemRef[Any], O2: GmemRef[Any], S, A: Architecture](
    body: Callable[[LaunchContext[A], *Ins, O1, O2, S], object],
    grid: _Size,
    block: _Size,
    in_shape: tuple[*Ins],
    out_shape: tuple[O1, O2],
    smem_scratch_shape: S,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[I: GmemRef[Any], O1: GmemRef[Any], O2: GmemRef[Any], S: Scratch, A: Architecture](
    body: Callable[[LaunchContext[A], I, O1, O2, S], object],
    grid: _Size,
    block: _Size,
    in_shape: I,
    out_shape: tuple[O1, O2],
    smem_scratch_shape: type[S],
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[I: GmemRef[Any], O1: GmemRef[Any], O2: GmemRef[Any], S, A: Architecture](
    body: Callable[[LaunchContext[A], I, O1, O2, S], object],
    grid: _Size,
    block: _Size,
    in_shape: I,
    out_shape: tuple[O1, O2],
    smem_scratch_shape: S,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[*Ins, O1: GmemRef[Any], O2: GmemRef[Any], O3: GmemRef[Any], S: Scratch, A: Architecture](
    body: Callable[[LaunchContext[A], *Ins, O1, O2, O3, S], object],
    grid: _Size,
    block: _Size,
    in_shape: tuple[*Ins],
    out_shape: tuple[O1, O2, O3],
    smem_scratch_shape: type[S],
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[*Ins, O1: GmemRef[Any], O2: GmemRef[Any], O3: GmemRef[Any], S, A: Architecture](
    body: Callable[[LaunchContext[A], *Ins, O1, O2, O3, S], object],
    grid: _Size,
    block: _Size,
    in_shape: tuple[*Ins],
    out_shape: tuple[O1, O2, O3],
    smem_scratch_shape: S,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[I: GmemRef[Any], O1: GmemRef[Any], O2: GmemRef[Any], O3: GmemRef[Any], S: Scratch, A: Architecture](
    body: Callable[[LaunchContext[A], I, O1, O2, O3, S], object],
    grid: _Size,
    block: _Size,
    in_shape: I,
    out_shape: tuple[O1, O2, O3],
    smem_scratch_shape: type[S],
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[I: GmemRef[Any], O1: GmemRef[Any], O2: GmemRef[Any], O3: GmemRef[Any], S, A: Architecture](
    body: Callable[[LaunchContext[A], I, O1, O2, O3, S], object],
    grid: _Size,
    block: _Size,
    in_shape: I,
    out_shape: tuple[O1, O2, O3],
    smem_scratch_shape: S,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[
    *Ins,
    O1: GmemRef[Any],
    O2: GmemRef[Any],
    O3: GmemRef[Any],
    O4: GmemRef[Any],
    S: Scratch,
    A: Architecture,
](
    body: Callable[[LaunchContext[A], *Ins, O1, O2, O3, O4, S], object],
    grid: _Size,
    block: _Size,
    in_shape: tuple[*Ins],
    out_shape: tuple[O1, O2, O3, O4],
    smem_scratch_shape: type[S],
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[*Ins, O1: GmemRef[Any], O2: GmemRef[Any], O3: GmemRef[Any], O4: GmemRef[Any], S, A: Architecture](
    body: Callable[[LaunchContext[A], *Ins, O1, O2, O3, O4, S], object],
    grid: _Size,
    block: _Size,
    in_shape: tuple[*Ins],
    out_shape: tuple[O1, O2, O3, O4],
    smem_scratch_shape: S,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[
    I: GmemRef[Any],
    O1: GmemRef[Any],
    O2: GmemRef[Any],
    O3: GmemRef[Any],
    O4: GmemRef[Any],
    S: Scratch,
    A: Architecture,
](
    body: Callable[[LaunchContext[A], I, O1, O2, O3, O4, S], object],
    grid: _Size,
    block: _Size,
    in_shape: I,
    out_shape: tuple[O1, O2, O3, O4],
    smem_scratch_shape: type[S],
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[
    I: GmemRef[Any],
    O1: GmemRef[Any],
    O2: GmemRef[Any],
    O3: GmemRef[Any],
    O4: GmemRef[Any],
    S,
    A: Architecture,
](
    body: Callable[[LaunchContext[A], I, O1, O2, O3, O4, S], object],
    grid: _Size,
    block: _Size,
    in_shape: I,
    out_shape: tuple[O1, O2, O3, O4],
    smem_scratch_shape: S,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...

# One buffer that is both, between the inputs and the only output.
@overload
def as_gpu_kernel[*Ins, IO: GmemRef[Any], O: GmemRef[Any], S: Scratch, A: Architecture](
    body: Callable[[LaunchContext[A], *Ins, IO, O, S], object],
    grid: _Size,
    block: _Size,
    in_shape: tuple[*Ins],
    out_shape: O,
    smem_scratch_shape: type[S],
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    *,
    inout_shape: IO | tuple[IO],
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[I: GmemRef[Any], IO: GmemRef[Any], O: GmemRef[Any], S: Scratch, A: Architecture](
    body: Callable[[LaunchContext[A], I, IO, O, S], object],
    grid: _Size,
    block: _Size,
    in_shape: I,
    out_shape: O,
    smem_scratch_shape: type[S],
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    *,
    inout_shape: IO | tuple[IO],
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[*Ins, IO: GmemRef[Any], O: GmemRef[Any], S, A: Architecture](
    body: Callable[[LaunchContext[A], *Ins, IO, O, S], object],
    grid: _Size,
    block: _Size,
    in_shape: tuple[*Ins],
    out_shape: O,
    smem_scratch_shape: S,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    *,
    inout_shape: IO | tuple[IO],
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[I: GmemRef[Any], IO: GmemRef[Any], O: GmemRef[Any], S, A: Architecture](
    body: Callable[[LaunchContext[A], I, IO, O, S], object],
    grid: _Size,
    block: _Size,
    in_shape: I,
    out_shape: O,
    smem_scratch_shape: S,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    *,
    inout_shape: IO | tuple[IO],
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...

# No outputs.
@overload
def as_gpu_kernel[*Ins, S: Scratch, A: Architecture](
    body: Callable[[LaunchContext[A], *Ins, S], object],
    grid: _Size,
    block: _Size,
    in_shape: tuple[*Ins],
    out_shape: tuple[()],
    smem_scratch_shape: type[S],
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[I: GmemRef[Any], S: Scratch, A: Architecture](
    body: Callable[[LaunchContext[A], I, S], object],
    grid: _Size,
    block: _Size,
    in_shape: I,
    out_shape: tuple[()],
    smem_scratch_shape: type[S],
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[*Ins, S, A: Architecture](
    body: Callable[[LaunchContext[A], *Ins, S], object],
    grid: _Size,
    block: _Size,
    in_shape: tuple[*Ins],
    out_shape: tuple[()],
    smem_scratch_shape: S,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel[I: GmemRef[Any], S, A: Architecture](
    body: Callable[[LaunchContext[A], I, S], object],
    grid: _Size,
    block: _Size,
    in_shape: I,
    out_shape: tuple[()],
    smem_scratch_shape: S,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: tuple[()] = ...,
    is_multi_process: bool = ...,
    *,
    arch: _Agreeing[S, A] | None = ...,
) -> Kernel: ...

# What is not known.
@overload
def as_gpu_kernel(
    body: Callable[..., object],
    grid: _Size,
    block: _Size,
    in_shape: Any,
    out_shape: Any,
    smem_scratch_shape: _Foreign,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: Any = ...,
    is_multi_process: bool = ...,
    *,
    arch: type[Architecture] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel(
    body: Callable[..., object],
    grid: _Size,
    block: _Size,
    in_shape: _Foreign,
    out_shape: Any,
    smem_scratch_shape: Any,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: Any = ...,
    is_multi_process: bool = ...,
    *,
    arch: type[Architecture] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel(
    body: Callable[..., object],
    grid: _Size,
    block: _Size,
    in_shape: Any,
    out_shape: _Foreign | tuple[Any, Any, Any, Any, Any, *tuple[Any, ...]],
    smem_scratch_shape: Any,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: Any = ...,
    is_multi_process: bool = ...,
    *,
    arch: type[Architecture] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel(
    body: Callable[..., object],
    grid: _Size,
    block: _Size,
    in_shape: Any,
    out_shape: Any,
    smem_scratch_shape: Any,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    *,
    inout_shape: tuple[Any, Any, *tuple[Any, ...]] | _Foreign,
    arch: type[Architecture] | None = ...,
) -> Kernel: ...
@overload
def as_gpu_kernel(  # pyright: ignore[reportOverlappingOverload]
    body: Callable[..., object],
    grid: _Size,
    block: _Size,
    in_shape: Any,
    out_shape: tuple[Any, ...],
    smem_scratch_shape: Any,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    ir_version: int | None = ...,
    thread_semantics: LoweringSemantics = ...,
    *,
    inout_shape: GmemRef[Any] | tuple[GmemRef[Any]],
    arch: type[Architecture] | None = ...,
) -> Kernel:
    """Traces `body` and makes a kernel of it, as Mosaic GPU's `as_gpu_kernel` does, to the byte.

    `grid`, `block` and `cluster` are numbers of blocks and threads; `block[0]` is a multiple of 128, a warpgroup. The
    body receives a `LaunchContext`, references to the inputs, to `inout_shape` and to the outputs, and its scratch:
    `smem_scratch_shape` is a subclass of `Scratch`, an object of one, or a tree of specs. Raises what Mosaic GPU raises
    while the body is traced. Outside an MLIR context it makes one.
    """

def as_torch_gpu_kernel(
    body: Callable[..., object],
    grid: _Size,
    block: _Size,
    in_shape: Any,
    out_shape: Any,
    smem_scratch_shape: Any,
    prof_spec: ProfilerSpec | None = ...,
    cluster: _Size = ...,
    module_name: str = ...,
    kernel_name: str | None = ...,
    thread_semantics: LoweringSemantics = ...,
    inout_shape: Any = ...,
    *,
    arch: type[Architecture] | None = ...,
) -> Callable[..., Any]:
    """The same for PyTorch: a function of tensors on the device."""

def is_nvshmem_available() -> bool:
    """Whether kernels can reach other devices through NVSHMEM."""

def stated_architecture(kernel: object) -> type[Architecture] | None:
    """The architecture that a kernel made by `as_gpu_kernel` states, also behind `jax.jit` or `functools.partial`."""

# --- Warpgroup semantics, whose references are MLIR values: not typed

def infer_layout(module: ir.Module, *, fuel: int = ..., arch: tuple[int, int] = ...) -> None:
    """A pass of Warpgroup semantics."""

def lower_mgpu_dialect(module: ir.Module, launch_context: LaunchContext, auto_barriers: bool = ...) -> None:
    """A pass of Warpgroup semantics."""

def to_layout_attr(layout: FragmentedLayout[Any]) -> ir.Attribute:
    """A register layout as an attribute of Warpgroup semantics' dialect."""
