"""One line for each way to call `wgmma`: dtypes of A, B and the accumulator, and where A is."""

from __future__ import annotations

import dataclasses
import importlib.util
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from safegpu import dtypes
from safegpu.offline.lowering import tracing_context

OPERANDS = ("float32", "float16", "bfloat16", "int16", "float8_e4m3fn", "float8_e5m2", "int8", "uint8")
ACCUMULATORS = ("float32", "float16", "bfloat16", "int32")
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
        """Mosaic GPU cannot tell int8 from uint8 in shared memory, and multiplies both as signed."""
        return "uint8" in (self.a, self.b)

    @property
    def k(self) -> int:
        return 128 * 8 // getattr(dtypes, self.b).bits


def cells() -> Iterator[Cell]:
    for a, b, accumulator, layout in itertools.product(OPERANDS, OPERANDS, ACCUMULATORS, ("", *LAYOUTS)):
        if getattr(dtypes, a).bits == getattr(dtypes, b).bits:
            yield Cell(a, b, accumulator, layout)


def module() -> tuple[str, dict[int, Cell]]:
    """The text of a module with a body for each cell, and the line that calls `wgmma`."""
    lines, places = ["from typing import Literal", "import safegpu as mgpu", "from safegpu import layouts as ll"], {}
    for number, cell in enumerate(cells()):
        shared = "mgpu.SmemRef[mgpu.{}, Literal[128]]"
        a = f"mgpu.FragmentedArray[mgpu.{cell.a}, ll.{cell.layout}]" if cell.layout else shared.format(cell.a)
        lines += [
            f"def body_{number}(acc: mgpu.WGMMAAccumulator[mgpu.{cell.accumulator}], a: {a},"
            f" b: {shared.format(cell.b)}) -> None:",
            "    mgpu.wgmma(acc, a, b, swizzle=128)",
        ]
        places[len(lines)] = cell
    return "\n".join(lines) + "\n", places


class _Lowered(Exception):  # noqa: N818
    """Ends a trace, whose module nobody needs."""


def answers(file: Path) -> dict[Cell, str]:
    """What Mosaic GPU says of each cell of the module in `file`: nothing, or its error."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    built = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(built)
    with tracing_context((9, 0)):
        return {cell: _answer(built, number, cell) for number, cell in enumerate(cells())}


def _answer(built: Any, number: int, cell: Cell) -> str:
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
        raise _Lowered

    scratch = tuple(mgpu.SMEM((64, cell.k), getattr(mgpu, each), swizzle=128) for each in (cell.a, cell.b))
    kernel: Any = mgpu.as_gpu_kernel
    try:
        kernel(body, (1, 1, 1), (128, 1, 1), (), mgpu.GMEM((1,), mgpu.float32), scratch)
    except _Lowered:
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError("the body always raises")
