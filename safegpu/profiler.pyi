"""Measuring kernels on the device (`jax.experimental.mosaic.gpu.profiler`)."""

from collections.abc import Callable
from typing import Any, Literal, TextIO, overload

from jaxlib.mlir import ir

from safegpu.barriers import ThreadSubset
from safegpu.specs import ShapeDtypeStruct
from safegpu.utils import Region

class Cupti:
    """CUPTI, which one tool at a time can use."""

    finalize: bool
    def __init__(self, *, finalize: bool = ...) -> None: ...
    @overload
    def measure[T, **P](  # type: ignore[overload-overlap]  # one iteration gives no list
        self, f: Callable[P, T], *, aggregate: Literal[True] = ..., iterations: Literal[1] = ...
    ) -> Callable[P, tuple[T, float | None]]: ...
    @overload
    def measure[T, **P](  # type: ignore[overload-overlap]  # one iteration gives no list
        self, f: Callable[P, T], *, aggregate: Literal[False], iterations: Literal[1] = ...
    ) -> Callable[P, tuple[T, list[tuple[str, float]] | None]]: ...
    @overload
    def measure[T, **P](
        self, f: Callable[P, T], *, aggregate: Literal[True] = ..., iterations: int
    ) -> Callable[P, tuple[T, list[float] | None]]: ...
    @overload
    def measure[T, **P](
        self, f: Callable[P, T], *, aggregate: Literal[False], iterations: int
    ) -> Callable[P, tuple[T, list[list[tuple[str, float]]] | None]]:
        """As `profiler.measure`; with `finalize` CUPTI is detached afterwards, and other tools can attach."""

@overload
def measure[T, **P](  # type: ignore[overload-overlap]  # one iteration gives no list
    f: Callable[P, T], *, aggregate: Literal[True] = ..., iterations: Literal[1] = ...
) -> Callable[P, tuple[T, float | None]]: ...
@overload
def measure[T, **P](  # type: ignore[overload-overlap]  # one iteration gives no list
    f: Callable[P, T], *, aggregate: Literal[False], iterations: Literal[1] = ...
) -> Callable[P, tuple[T, list[tuple[str, float]] | None]]: ...
@overload
def measure[T, **P](
    f: Callable[P, T], *, aggregate: Literal[True] = ..., iterations: int
) -> Callable[P, tuple[T, list[float] | None]]: ...
@overload
def measure[T, **P](
    f: Callable[P, T], *, aggregate: Literal[False], iterations: int
) -> Callable[P, tuple[T, list[list[tuple[str, float]]] | None]]:
    """`f`, so that it gives its results and how long its kernels ran on the device: milliseconds, or None where it launched none.

    Without `aggregate` the times are pairs (kernel, milliseconds); several `iterations` give a list. ValueError for none.
    """

class ProfilerSpec:
    """What is recorded in a kernel: `entries_per_warpgroup` 32-bit words for each warpgroup, or each warp as `trace_scope` says.

    A region takes four, the header three. `dump_path` is where the trace is written; with `bounds_check` what does not fit is
    left out, without it overwrites shared memory. Raises ValueError for another scope.
    """

    ENTER: int
    EXIT: int
    entries_per_warpgroup: int
    interned_names: dict[str, int]
    dump_path: str
    trace_scope: ThreadSubset
    bounds_check: bool
    def __init__(
        self,
        entries_per_warpgroup: int,
        dump_path: str = ...,
        trace_scope: ThreadSubset = ...,
        bounds_check: bool = ...,
    ) -> None: ...
    def smem_i32_elements(self, block: tuple[int, ...]) -> int:
        """How many 32-bit words a block records."""
    def smem_bytes(self, block: tuple[int, ...]) -> int:
        """How many bytes of shared memory that takes."""
    def intern_name(self, name: str) -> int:
        """The number by which a region is recorded."""
    def dump(self, buffer: Any, f: TextIO, grid: tuple[int, ...], block: tuple[int, ...]) -> None:
        """Writes the trace of a kernel in Chrome's format. Raises RuntimeError where the buffer was too small."""
    def mlir_buffer_type(self, grid: tuple[int, ...], block: tuple[int, ...]) -> ir.MemRefType:
        """The type of the buffer in global memory, 32-bit integers."""
    def jax_buffer_type(self, grid: tuple[int, ...], block: tuple[int, ...]) -> ShapeDtypeStruct:
        """The same buffer to JAX, uint32."""

class OnDeviceProfiler:
    """What records in a kernel, made by `as_gpu_kernel(prof_spec=)`: see `LaunchContext.named_region`."""

    spec: ProfilerSpec
    entries_per_wg: int
    wrap_in_custom_primitive: bool
    def __init__(
        self,
        spec: ProfilerSpec,
        smem_buffer: ir.Value[ir.MemRefType],
        gmem_buffer: ir.Value[ir.MemRefType],
        wrap_in_custom_primitive: bool,
    ) -> None: ...
    def record(self, name: str) -> Region:
        """A region that is recorded under this name."""
    def finalize(self, grid: tuple[int, ...], block: tuple[int, ...]) -> None:
        """Writes what was recorded to global memory, at the end of the kernel."""
