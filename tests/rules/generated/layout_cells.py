"""One line for each way in which register layouts meet: in arithmetic, converted, after a reduction, in `mma`.

Each line is an expression, whose words a checker reads and Mosaic GPU evaluates.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from safegpu._jax import LACKING
from safegpu.offline.lowering import lowered
from tests.support.cells import Answer, Table
from tests.support.raised import Lowered, Refusal, refusal

SIZE = 128
"""Of each axis: a multiple of all tiles."""

_NAMED = ("WGMMA", "WGMMA_TRANSPOSED", "TCGEN05", "TCGEN05_TRANSPOSED", "TMEM_NATIVE")
_FOR_WIDTHS = ("8BIT", "ACC_32BIT", "UPCAST_2X", "UPCAST_4X")
_OF_MMA = {
    f"{part}{warps}_{dtype}": f"mgpu.MMALayouts(mgpu.{dtype}, m_warps={warps}).{part}"
    for warps, dtype, part in itertools.product((4, 2, 1), ("float16", "int8"), ("lhs", "rhs", "acc"))
}
TWO_AXES = {
    **{name: f"fa.{name}_LAYOUT" for name in _NAMED},
    **{f"WGMMA_{width}": f"fa.WGMMA_LAYOUT_{width}" for width in _FOR_WIDTHS},
    **{f"native{length}": f"fa.tmem_native_layout({length})" for length in (1, 2, 4, 8, 16)},
    **{
        f"default{packing}": f"tcgen05.tmem_default_layout({packing}).as_tiled_layout()" for packing in (1, 2, 4, 8, 16)
    },
    "m64": f"tcgen05.fa_m64_collective_layout({SIZE})",
    "half_lane": f"tcgen05.tmem_half_lane_layout({SIZE}).as_tiled_layout()",
    "m64_native": f"tcgen05.tmem_m64_collective_layout({SIZE}).as_tiled_layout()",
    "scales": "tcgen05.scales_layout().as_tiled_layout()",
    "strided": f"mgpu.WGStridedFragLayout(({SIZE}, {SIZE}), 1)",
    "splat": f"mgpu.WGSplatFragLayout(({SIZE}, {SIZE}))",
    **_OF_MMA,
}
ONE_AXIS = {
    **{name: f"fa.{name}_LAYOUT" for name in ("WGMMA_ROW", "WGMMA_COL", "TCGEN05_ROW", "TCGEN05_COL")},
    **{name: f"fa.{name}_LAYOUT" for name in ("TMA_INDICES", "TMA_INDICES_4")},
    "row": "fa.WGMMA_LAYOUT.reduce((1,))",
    "column": "fa.WGMMA_LAYOUT.remove_dimension(0)",
    "row_of_native": "fa.tmem_native_layout(1).reduce((1,))",
    "row_of_m64": f"tcgen05.fa_m64_collective_layout({SIZE}).reduce((1,))",
    "splat_of_one_axis": f"mgpu.WGSplatFragLayout(({SIZE},))",
}
OPERANDS = [*_OF_MMA, "WGMMA", "TCGEN05"]
ACCUMULATORS = ["acc4_int8", "acc2_float16", "acc1_int8", "WGMMA", "TCGEN05", "splat"]
AXES = ("0", "1", "(0,)", "(1,)", "(0, 1)", "(1, 0)")
WIDTHS = {"f": "float32", "h": "float16", "q": "float8_e5m2", "n": "int4"}

UNNAMED = "the layout that this reduction leaves has no name"
NOT_IMPLEMENTED = "Mosaic GPU has not implemented this reduction"
OF_ANOTHER_DTYPE = "the layouts of operands do not say that they are of the operands' own dtype"
OF_LATER_JAX = "jax 0.12 converts so"


@dataclasses.dataclass(frozen=True)
class Cell:
    """Expressions that a checker accepts where Mosaic GPU takes one of them: they differ in the dtype alone."""

    expressions: tuple[str, ...]
    subject: str = ""
    """What the layout of a reduction is asked of."""

    def __str__(self) -> str:
        return " or ".join(self.expressions)


def cells() -> Iterator[Cell]:
    for layouts in (TWO_AXES, ONE_AXIS):
        yield from (Cell((f"f_{a} + f_{b}",)) for a, b in itertools.product(layouts, layouts))
    for a, b in itertools.product(TWO_AXES, TWO_AXES):
        yield Cell(tuple(f"{width}_{a}.to_layout({TWO_AXES[b]})" for width in WIDTHS))
    for a, axis in itertools.product(TWO_AXES, AXES):
        reduced = f'f_{a}.reduce("add", {axis}, scratch)'
        yield from (Cell((f"{reduced} + f_{b}",), reduced) for b in (*ONE_AXIS, a))
    for a, b in itertools.product(ONE_AXIS, ONE_AXIS):
        reduced = f'f_{a}.reduce("add", 0, scratch)'
        yield Cell((f"{reduced} + f_{b}",), reduced)
    for acc, a, b in itertools.product(ACCUMULATORS, OPERANDS, OPERANDS):
        yield Cell((f"mgpu.mma(f_{acc}, h_{a}, h_{b})",))


def definitions() -> dict[str, str]:
    """The arrays of the expressions."""
    found = {}
    for width, dtype in WIDTHS.items():
        for shape, layouts in ((f"({SIZE}, {SIZE})", TWO_AXES), (f"({SIZE},)", ONE_AXIS)):
            for name, layout in layouts.items():
                zero, sign = ("0", ", is_signed=True") if dtype == "int4" else ("0.0", "")
                made = f"mgpu.c({zero}, mgpu.{dtype}), {shape}, {layout}{sign}"
                found[f"{width}_{name}"] = f"mgpu.FragmentedArray.splat({made})"
    return found


def table() -> Table:
    lines = ["import safegpu as mgpu", "from safegpu import fragmented_array as fa", "from safegpu import tcgen05"]
    lines += ["def body(scratch: mgpu.SmemRef[mgpu.float32]) -> None:"]
    lines += [f"    {name} = {made}" for name, made in definitions().items()]
    answers = {}
    for cell, answer in _answers().items():
        lines.append(f"    {cell.expressions[0]}")
        answers[len(lines)] = answer
    return Table("\n".join(lines) + "\n", answers)


def _answers() -> dict[Cell, Answer]:
    """All cells are tried in one trace: what is refused raises there, and leaves the rest as it was."""
    import safegpu as mgpu
    from safegpu import fragmented_array, tcgen05

    found: dict[Cell, Answer] = {}

    def body(_ctx: Any, _out: Any, scratch: Any) -> None:
        names: dict[str, Any] = {"mgpu": mgpu, "fa": fragmented_array, "tcgen05": tcgen05, "scratch": scratch}
        for name, made in definitions().items():
            names[name] = eval(made, names)
        named = [names[f"f_{name}"].layout for name in (*TWO_AXES, *ONE_AXIS)]
        reduced: dict[str, tuple[Any, Refusal | None]] = {}
        for cell in cells():
            if cell.subject and cell.subject not in reduced:
                reduced[cell.subject] = _tried(cell.subject, names)
            array, refused = reduced.get(cell.subject, (None, None))
            reason = ""
            if refused:
                refusals: list[Refusal | None] = [refused]
                reason = NOT_IMPLEMENTED
            else:
                given = [each.replace(cell.subject, "reduced") if cell.subject else each for each in cell.expressions]
                refusals = [_tried(each, {**names, "reduced": array})[1] for each in given]
            if not reason and cell.subject and array.shape and array.layout not in named:
                reason = UNNAMED
            elif cell.expressions[0].startswith("mgpu.mma") and "int8" in cell.expressions[0]:
                reason = OF_ANOTHER_DTYPE
            elif LACKING and cell.expressions[0].endswith(".to_layout(fa.WGMMA_LAYOUT_UPCAST_2X)"):
                reason = OF_LATER_JAX
            found[cell] = _answer(cell, refusals, reason)
        raise Lowered

    kernel: Any = mgpu.as_gpu_kernel
    scratch = mgpu.SMEM((16 * SIZE,), mgpu.float32)
    with contextlib.suppress(Lowered):
        lowered(lambda: kernel(body, (1, 1, 1), (SIZE, 1, 1), (), mgpu.GMEM((1,), mgpu.float32), scratch), (10, 0))
    return found


def _answer(cell: Cell, refusals: Sequence[Refusal | None], reason: str) -> Answer:
    """Refused where each of its expressions is."""
    said = [each for each in refusals if each is not None]
    if len(said) < len(refusals):
        return Answer(str(cell), "")
    return Answer(str(cell), said[0].words, tuple(each.site for each in said if each.site), reason)


def _tried(expression: str, names: dict[str, Any]) -> tuple[Any, Refusal | None]:
    """The value of an expression, or why Mosaic GPU refuses it."""
    values: list[Any] = []
    refused = refusal(lambda: values.append(eval(expression, names)))
    return (None, refused) if refused else (values[0], None)
