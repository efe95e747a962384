"""One line for each way to copy: dtypes by the TMA and by threads, row indices of each dtype, and what goes beside them."""

from __future__ import annotations

import dataclasses
import itertools
import types
from collections.abc import Iterator
from typing import Any

import jax

from safegpu import dtypes
from safegpu.offline.lowering import tracing_context
from tests.support.cells import Answer, Table, executed
from tests.support.raised import Lowered, refusal

DTYPES = [name for name in dtypes.__all__ if hasattr(getattr(dtypes, name), "bits")]
LOAD = "src_ref=g, dst_ref=s.tile, barrier=s.barrier"
STORE = "src_ref=s.tile, dst_ref=g"
ROWS = "gmem_slice=(rows, slice(None))"
BY_THREADS = "implementation=mgpu.AsyncCopyImplementation.CP_ASYNC"
OF_DTYPES = {
    "load": f"ctx.async_copy({LOAD})",
    "store": f"ctx.async_copy({STORE})",
    "load by threads": f"ctx.async_copy({LOAD}, {BY_THREADS})",
    "load for the cluster": f"ctx.async_copy({LOAD}, collective=mgpu.Dimension.x)",
    "prefetch": "ctx.async_prefetch(gmem_ref=g)",
    "gather": f"ctx.async_copy({LOAD}, {ROWS})",
    "scatter": f"ctx.async_copy({STORE}, {ROWS})",
}
BESIDE = {
    "nothing": "",
    "collective": "collective=mgpu.Dimension.x",
    "no collective": "collective=None",
    "a predicate": "predicate=mgpu.single_thread_predicate()",
    "no predicate": "predicate=None",
    "a reduction": 'reduction_op="add"',
    "no reduction": "reduction_op=None",
    "a partition": "leader_tracked=mgpu.CopyPartition.PARTITIONED(0)",
    "a replication": "leader_tracked=mgpu.CopyPartition.REPLICATED",
    "no leader": "leader_tracked=None",
    "a replication of a collective": "collective=mgpu.Dimension.x, leader_tracked=mgpu.CopyPartition.REPLICATED",
}
PARTITIONED = "collective=mgpu.Dimension.x, leader_tracked=mgpu.CopyPartition.PARTITIONED(0)"
ENUM = "a variable of type AsyncCopyImplementation may be the TMA, and a parameter that takes it takes CP_ASYNC too"
OF_ONE_BLOCK = "up to jax 0.11 a replication is without meaning where nothing is collective"


@dataclasses.dataclass(frozen=True)
class Cell:
    line: str
    dtype: str = "float16"
    indices: str = "uint32"

    @property
    def by_threads(self) -> bool:
        return "CP_ASYNC" in self.line

    def __str__(self) -> str:
        of = f" by {self.indices}" if "rows" in self.line else ""
        return f"{self.dtype}{of}: {self.line}"


def cells() -> Iterator[Cell]:
    for way, dtype in itertools.product(OF_DTYPES, DTYPES):
        yield Cell(OF_DTYPES[way], dtype)
    for way, indices in itertools.product((LOAD, STORE), DTYPES):
        yield Cell(f"ctx.async_copy({way}, {ROWS})", indices=indices)
    for way, beside in itertools.product(
        (LOAD, STORE, f"{LOAD}, {ROWS}", f"{STORE}, {ROWS}", f"{LOAD}, {BY_THREADS}"), BESIDE.values()
    ):
        yield Cell(f"ctx.async_copy({way}, {beside})".replace(", )", ")"))
    for way in (LOAD.replace("s.tile", "half"), STORE, f"{LOAD}, {ROWS}", f"{STORE}, {ROWS}", f"{LOAD}, {BY_THREADS}"):
        yield Cell(f"ctx.async_copy({way}, {PARTITIONED})")
    yield Cell(f"ctx.async_copy({STORE}, {BY_THREADS})")
    yield Cell(f"ctx.async_copy({LOAD}, {ROWS}, {BY_THREADS})")
    yield Cell(f"ctx.async_prefetch(gmem_ref=g, {ROWS})")


def table() -> Table:
    lines, places = ["import safegpu as mgpu", "from safegpu import layouts as ll"], {}
    for number, cell in enumerate(cells()):
        lines += [
            f"class S{number}(mgpu.Scratch):",
            f"    tile = mgpu.SMEM((64, 128), mgpu.{cell.dtype}, swizzle=16, tiling=())",
            "    barrier = mgpu.Barrier(1)",
            f"def body_{number}(ctx: mgpu.LaunchContext, g: mgpu.GmemRef[mgpu.{cell.dtype}], s: S{number},"
            f" rows: mgpu.FragmentedArray[mgpu.{cell.indices}, ll.TMA_INDICES], half: mgpu.SmemRef[mgpu.float16]) -> None:",
            f"    {cell.line}",
        ]
        places[len(lines)] = number, cell
    text = "\n".join(lines) + "\n"
    built = executed(text, __name__)
    # Without x64, jax makes 32-bit buffers of 64-bit dtypes.
    with jax.enable_x64(True), tracing_context((10, 0)):
        return Table(text, {line: _answer(built, *place) for line, place in places.items()})


def _answer(built: types.ModuleType, number: int, cell: Cell) -> Answer:
    refused = refusal(lambda: _kernel(built, number, cell))
    reason = ENUM if cell.by_threads else ""
    if refused and "REPLICATED" in cell.line and "can be leader-tracked" in refused.words:
        reason = reason or OF_ONE_BLOCK
    return Answer.of(str(cell), refused, reason)


def _kernel(built: types.ModuleType, number: int, cell: Cell) -> None:
    import safegpu as mgpu

    token, indices = getattr(mgpu, cell.dtype), getattr(mgpu, cell.indices)

    def body(ctx: Any, source: Any, _out: Any, scratch: Any) -> None:
        rows = None
        if "rows" in cell.line:
            one: Any = mgpu.c(1, indices)
            rows = mgpu.FragmentedArray.splat(one, (64,), mgpu.TMA_INDICES_LAYOUT, is_signed=indices.is_signed)
        getattr(built, f"body_{number}")(ctx, source, scratch, rows, mgpu.memref_slice(scratch.tile, slice(0, 32)))
        raise Lowered

    kernel: Any = mgpu.as_gpu_kernel
    along_x = (2 if "collective=mgpu" in cell.line else 1, 1, 1)
    spec, out = mgpu.GMEM((64, 128), token), mgpu.GMEM((1,), mgpu.float32)
    kernel(body, along_x, (128, 1, 1), (spec,), out, getattr(built, f"S{number}"), cluster=along_x)
