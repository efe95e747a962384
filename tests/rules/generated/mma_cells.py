"""One line for each way to call `tcgen05.mma`: dtypes, rows, where A is, dense or sparse."""

from __future__ import annotations

import dataclasses
import importlib.util
import itertools
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from safegpu.offline.lowering import tracing_context

SWIZZLE = 128
COLUMNS = 128
BITS = {
    "float32": 32,
    "float16": 16,
    "bfloat16": 16,
    "int16": 16,
    "float8_e4m3fn": 8,
    "float8_e5m2": 8,
    "int8": 8,
    "uint8": 8,
    "float4_e2m1fn": 4,
}
ACCUMULATORS = ("float32", "float16", "bfloat16", "int32", "uint32")
TOO_WIDE = "Swizzle=128 is too big for MMA with M=64"
"""Mosaic GPU's words for calls in which the swizzle alone is wrong."""


@dataclasses.dataclass(frozen=True)
class Cell:
    rows: int
    collective: bool
    a: str
    b: str
    a_in_tmem: bool
    sparse: bool
    accumulator: str

    @property
    def mixes_signs(self) -> bool:
        """Mosaic GPU cannot tell int8 from uint8, and multiplies both as signed."""
        return {self.a, self.b} == {"int8", "uint8"}

    def lines(self, number: int) -> Iterator[str]:
        k = SWIZZLE * 8 // BITS[self.a]
        collective = ", collective=True" if self.collective else ""
        columns = COLUMNS * (1 + self.collective)
        yield f"class S{number}(mgpu.Scratch):"
        if not self.a_in_tmem:
            yield f"    a = mgpu.SMEM(({self.rows}, {k}), mgpu.{self.a}, swizzle={SWIZZLE})"
        yield f"    b = mgpu.SMEM(({COLUMNS}, {k * (1 + self.sparse)}), mgpu.{self.b}, swizzle={SWIZZLE})"
        yield f"    acc = mgpu.TMEM(({self.rows}, {columns}), mgpu.{self.accumulator}{collective})"
        if self.a_in_tmem:
            packing = 32 // BITS[self.a]
            yield f"    a = mgpu.TMEM(({self.rows}, {k}), mgpu.{self.a}, packing={packing}{collective})"
        if self.sparse:
            layout = "layout=tcgen05.sparse_meta_layout()"
            yield f"    meta = mgpu.TMEM((128, {k}), mgpu.uint2, {layout}{collective})"
        yield f"def body_{number}(s: S{number}) -> None:"
        yield "    b = mgpu.memref_transpose(s.b, (1, 0, 3, 2))"
        metadata = ", a_sparse_metadata=s.meta" if self.sparse else ""
        swizzles = f"a_swizzle={SWIZZLE}, b_swizzle={SWIZZLE}"
        yield f"    tcgen05.mma(s.acc, s.a, b, {swizzles}{metadata}{collective})"


def cells() -> Iterator[Cell]:
    """Pairs that mix float with integer, or 16-bit dtypes, are tried in the plainest call alone."""
    for a, b in itertools.product(BITS, BITS):
        if BITS[a] != BITS[b]:
            continue
        yield from (Cell(128, False, a, b, False, False, acc) for acc in ACCUMULATORS)
        if a == b or (BITS[a] == 8 and a.startswith("float") == b.startswith("float")):
            shapes = ((128, False), (64, False), (64, True), (128, True))
            ways = itertools.product(shapes, (False, True), (False, True), ("float32", "float16", "int32"))
            for (rows, collective), in_tmem, sparse, acc in ways:
                if (rows, collective, in_tmem, sparse) != (128, False, False, False):
                    yield Cell(rows, collective, a, b, in_tmem, sparse, acc)


def module(all_cells: Iterable[Cell]) -> tuple[str, dict[int, Cell]]:
    """The text of a module with a body for each cell, and in which line each calls `mma`."""
    lines = ["import safegpu as mgpu", "from safegpu import tcgen05"]
    places = {}
    for number, cell in enumerate(all_cells):
        lines += cell.lines(number)
        places[len(lines)] = cell
    return "\n".join(lines) + "\n", places


class _Lowered(Exception):  # noqa: N818
    """Ends a trace, whose module nobody needs."""


def answers(file: Path, all_cells: Iterable[Cell]) -> dict[Cell, str]:
    """What Mosaic GPU says of each cell of the module in `file`: nothing, or its error."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    built = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(built)
    with tracing_context((10, 0)):
        return {cell: _answer(built, number, cell) for number, cell in enumerate(all_cells)}


def _answer(built: types.ModuleType, number: int, cell: Cell) -> str:
    import safegpu as mgpu

    def body(_ctx: Any, _out: Any, scratch: Any) -> None:
        getattr(built, f"body_{number}")(scratch)
        raise _Lowered

    cluster: tuple[int, int, int] = (1 + cell.collective, 1, 1)
    out = mgpu.GMEM((1,), mgpu.float32)
    kernel: Any = mgpu.as_gpu_kernel
    try:
        kernel(body, cluster, (128, 1, 1), (), out, getattr(built, f"S{number}"), cluster=cluster)
    except _Lowered:
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError("the body always raises")
