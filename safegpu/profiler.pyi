"""Measuring kernels on the device (`jax.experimental.mosaic.gpu.profiler`)."""

from collections.abc import Callable
from typing import Any, Literal, overload

from jaxlib.mlir import ir

from safegpu.barriers import ThreadSubset
from safegpu.utils import Region

class Cupti:
    finalize: bool
    def __init__(self, *, finalize: bool = ...) -> None: ...
    def measure(self, f: Callable[..., Any], *, aggregate: bool = ..., iterations: int = ...) -> Callable[..., Any]: ...

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
) -> Callable[P, tuple[T, list[list[tuple[str, float]]] | None]]: ...

class ProfilerSpec:
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
    def smem_i32_elements(self, block: tuple[int, ...]) -> int: ...
    def smem_bytes(self, block: tuple[int, ...]) -> int: ...
    def intern_name(self, name: str) -> int: ...
    def dump(self, buffer: Any, f: Any, grid: tuple[int, ...], block: tuple[int, ...]) -> None: ...
    def mlir_buffer_type(self, grid: tuple[int, ...], block: tuple[int, ...]) -> Any: ...
    def jax_buffer_type(self, grid: tuple[int, ...], block: tuple[int, ...]) -> Any: ...

class OnDeviceProfiler:
    spec: ProfilerSpec
    entries_per_wg: int
    wrap_in_custom_primitive: bool
    def __init__(
        self,
        spec: ProfilerSpec,
        smem_buffer: ir.Value[Any],
        gmem_buffer: ir.Value[Any],
        wrap_in_custom_primitive: bool,
    ) -> None: ...
    def record(self, name: str) -> Region: ...
    def finalize(self, grid: tuple[int, ...], block: tuple[int, ...]) -> None: ...
