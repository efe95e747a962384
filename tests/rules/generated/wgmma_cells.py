"""One line for each way to call `wgmma`: dtypes of A, B and the accumulator, and where A is."""

from __future__ import annotations

import dataclasses
import itertools
import types
from collections.abc import Iterator
from typing import Any

from safegpu import dtypes
from safegpu.offline.lowering import tracing_context
from tests.support.cells import Answer, Table, executed
from tests.support.raised import Lowered, refusal

OPERANDS = ("float32", "float16", "bfloat16", "int16", "float8_e4m3fn", "float8_e5m2", "int8", "uint8")
ACCUMULATORS = ("float32", "float16", "bfloat16", "int32")
UNSIGNED = "Mosaic GPU cannot tell int8 from uint8 in shared memory, and multiplies both as signed"
LAYOUTS = {"WGMMA": "WGMMA_LAYOUT", "WGMMA_8BIT": "WGMMA_LAYOUT_8BIT"}


@dataclasses.dataclass(frozen=True)
class Cell:
    a: str
    b: str
    accumulator: str
    layout: str = ""
    """Of A in registers; in shared memory where there is none."""

    @property
    def unsigned(self) -> bool:
        return "uint8" in (self.a, self.b)

    @property
    def k(self) -> int:
        return 128 * 8 // getattr(dtypes, self.b).bits


def cells() -> Iterator[Cell]:
    for a, b, accumulator, layout in itertools.product(OPERANDS, OPERANDS, ACCUMULATORS, ("", *LAYOUTS)):
        if getattr(dtypes, a).bits == getattr(dtypes, b).bits:
            yield Cell(a, b, accumulator, layout)


def table() -> Table:
    lines, places = ["from typing import Literal", "import safegpu as mgpu", "from safegpu import layouts as ll"], {}
    for number, cell in enumerate(cells()):
        shared = "mgpu.SmemRef[mgpu.{}, Literal[128]]"
        a = f"mgpu.FragmentedArray[mgpu.{cell.a}, ll.{cell.layout}]" if cell.layout else shared.format(cell.a)
        lines += [
            f"def body_{number}(acc: mgpu.WGMMAAccumulator[mgpu.{cell.accumulator}], a: {a},"
            f" b: {shared.format(cell.b)}) -> None:",
            "    mgpu.wgmma(acc, a, b, swizzle=128)",
        ]
        places[len(lines)] = number, cell
    text = "\n".join(lines) + "\n"
    built = executed(text, __name__)
    with tracing_context((9, 0)):
        return Table(text, {line: _answer(built, *place) for line, place in places.items()})


def _answer(built: types.ModuleType, number: int, cell: Cell) -> Answer:
    refused = refusal(lambda: _kernel(built, number, cell))
    return Answer.of(str(cell), refused, rejected_because=UNSIGNED if cell.unsigned else "")


def _kernel(built: types.ModuleType, number: int, cell: Cell) -> None:
    import safegpu as mgpu

    token, acc_token = getattr(mgpu, cell.a), getattr(mgpu, cell.accumulator)

    def body(_ctx: Any, _out: Any, scratch: Any) -> None:
        a: Any = scratch[0]
        if cell.layout:
            one: Any = mgpu.c(1, token)
            layout = getattr(mgpu, LAYOUTS[cell.layout])
            a = mgpu.FragmentedArray.splat(one, (64, cell.k), layout, is_signed=token.is_signed)
        acc = mgpu.WGMMAAccumulator.zero(64, 64, acc_token)
        getattr(built, f"body_{number}")(acc, a, mgpu.memref_transpose(scratch[1], (1, 0, 3, 2)))
        raise Lowered

    scratch = tuple(mgpu.SMEM((64, cell.k), getattr(mgpu, each), swizzle=128) for each in (cell.a, cell.b))
    kernel: Any = mgpu.as_gpu_kernel
    kernel(body, (1, 1, 1), (128, 1, 1), (), mgpu.GMEM((1,), mgpu.float32), scratch)
