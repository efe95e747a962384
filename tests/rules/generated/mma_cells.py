"""One line for each way to call `tcgen05.mma`: dtypes, rows, where A is, dense or sparse, scales, swizzles."""

from __future__ import annotations

import dataclasses
import itertools
import types
from collections.abc import Iterator
from typing import Any

from safegpu.offline.lowering import tracing_context
from tests.support.cells import Answer, Table, executed
from tests.support.raised import Lowered, refusal

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
OF_N = "whether the swizzle is too wide for M=64, the size of N decides"
UNSIGNED = "Mosaic GPU cannot tell int8 from uint8 in shared memory, and multiplies both as signed"


ALIKE = (SWIZZLE, SWIZZLE)


@dataclasses.dataclass(frozen=True)
class Cell:
    rows: int
    collective: bool
    a: str
    b: str
    a_in_tmem: bool
    sparse: bool
    accumulator: str
    scales: tuple[str, str] | None = None
    swizzles: tuple[int, int] = ALIKE
    """Of the buffers of A and B."""
    given: tuple[int | None, int | None] = ALIKE
    """What the call says of them."""

    @property
    def unsigned(self) -> bool:
        return "uint8" in (self.a, self.b)

    @property
    def block(self) -> int:
        """How many elements of K share a scale; a group of 2:4 sparse ones counts whole."""
        return (16 if self.scales and self.scales[0] == "float8_e4m3fn" else 32) * (1 + self.sparse)

    def lines(self, number: int) -> Iterator[str]:
        # A whole swizzle of the wider one, and four scales.
        k = max(128 * 8 // BITS[self.a], 4 * self.block // (1 + self.sparse) if self.scales else 0)
        collective = ", collective=True" if self.collective else ""
        columns = COLUMNS * (1 + self.collective)
        yield f"class S{number}(mgpu.Scratch):"
        if not self.a_in_tmem:
            yield f"    a = mgpu.SMEM(({self.rows}, {k}), mgpu.{self.a}, swizzle={self.swizzles[0]})"
        yield f"    b = mgpu.SMEM(({COLUMNS}, {k * (1 + self.sparse)}), mgpu.{self.b}, swizzle={self.swizzles[1]})"
        yield f"    acc = mgpu.TMEM(({self.rows}, {columns}), mgpu.{self.accumulator}{collective})"
        if self.a_in_tmem:
            packing = 32 // BITS[self.a]
            yield f"    a = mgpu.TMEM(({self.rows}, {k}), mgpu.{self.a}, packing={packing}{collective})"
        if self.sparse:
            layout = "layout=tcgen05.sparse_meta_layout()"
            # Two positions for each group of four elements, of 4-bit dtypes for each group of four pairs.
            positions = k // (2 if BITS[self.a] == 4 else 1)
            yield f"    meta = mgpu.TMEM((128, {positions}), mgpu.uint2, {layout}{collective})"
        if self.scales:
            scales = k * (1 + self.sparse) // self.block
            a_scales, b_scales = "tcgen05.scales_layout()", "tcgen05.scales_layout()"
            if self.rows == 64 and self.collective:
                b_scales = "tcgen05.b_scales_m64_collective_layout()"
            yield f"    a_scale = mgpu.TMEM((128, {scales}), mgpu.{self.scales[0]}, layout={a_scales}{collective})"
            yield f"    b_scale = mgpu.TMEM((256, {scales}), mgpu.{self.scales[1]}, layout={b_scales}{collective})"
        yield f"def body_{number}(s: S{number}) -> None:"
        yield "    b = mgpu.memref_transpose(s.b, (1, 0, 3, 2))"
        metadata = ", a_sparse_metadata=s.meta" if self.sparse else ""
        scaled = ", a_scale=s.a_scale, b_scale=s.b_scale" if self.scales else ""
        swizzles = "".join(f", {name}_swizzle={given}" for name, given in zip("ab", self.given, strict=True) if given)
        yield f"    tcgen05.mma(s.acc, s.a, b{swizzles}{scaled}{metadata}{collective})"


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
    yield from _scaled_cells()
    yield from _swizzle_cells()


def _scaled_cells() -> Iterator[Cell]:
    scales = ("float8_e8m0fnu", "float8_e4m3fn", "float8_e5m2", "int8")
    for a, b in itertools.product(BITS, BITS):
        if BITS[a] != BITS[b] or not (a == b or a.startswith("float8") and b.startswith("float8")):
            continue
        for pair in itertools.product(scales[:2], scales[:2]):
            yield Cell(128, False, a, b, False, False, "float32", pair)
        if not a.startswith(("float8", "float4")):
            continue
        for scale, acc in itertools.product(scales, ("float32", "float16")):
            yield Cell(128, False, a, b, False, False, acc, (scale, scale))
        ways = itertools.product(((128, False), (64, False), (64, True), (128, True)), (False, True), (False, True))
        for ((rows, collective), in_tmem, sparse), scale in itertools.product(ways, scales[:2]):
            if (rows, collective, in_tmem, sparse) != (128, False, False, False):
                yield Cell(rows, collective, a, b, in_tmem, sparse, "float32", (scale, scale))


def _swizzle_cells() -> Iterator[Cell]:
    widths = (32, 64, 128)
    for a, b in itertools.product(widths, widths):
        for given in itertools.product((None, *widths), (None, *widths)):
            yield Cell(128, False, "float16", "float16", False, False, "float32", None, (a, b), given)
        for given in itertools.product((None, *widths), (None, b)):
            # A lies in TMEM, which no swizzle says anything of
            if a == SWIZZLE:
                yield Cell(128, False, "float16", "float16", True, False, "float32", None, (a, b), given)


def table() -> Table:
    lines = ["import safegpu as mgpu", "from safegpu import tcgen05"]
    places = {}
    for number, cell in enumerate(cells()):
        lines += cell.lines(number)
        places[len(lines)] = number, cell
    text = "\n".join(lines) + "\n"
    built = executed(text, __name__)
    with tracing_context((10, 0)):
        return Table(text, {line: _answer(built, *place) for line, place in places.items()})


def _answer(built: types.ModuleType, number: int, cell: Cell) -> Answer:
    refused = refusal(lambda: _kernel(built, number, cell))
    of_n = OF_N if refused and TOO_WIDE in refused.words else ""
    return Answer.of(str(cell), refused, of_n, UNSIGNED if cell.unsigned else "")


def _kernel(built: types.ModuleType, number: int, cell: Cell) -> None:
    import safegpu as mgpu

    def body(_ctx: Any, _out: Any, scratch: Any) -> None:
        getattr(built, f"body_{number}")(scratch)
        raise Lowered

    cluster: tuple[int, int, int] = (1 + cell.collective, 1, 1)
    out = mgpu.GMEM((1,), mgpu.float32)
    kernel: Any = mgpu.as_gpu_kernel
    kernel(body, cluster, (128, 1, 1), (), out, getattr(built, f"S{number}"), cluster=cluster)
