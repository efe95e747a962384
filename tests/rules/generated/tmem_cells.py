"""One line for each TMEM allocation, register layout and operation, and what Mosaic GPU says of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from safegpu.offline.lowering import tracing_context
from tests.support import tmem_table
from tests.support.cells import Answer, Table
from tests.support.raised import Lowered, Refusal, refusal
from tests.support.tmem_table import BITWIDTH, COLUMNS, Case

REDUCTIONS = ("min", "max", "absmin", "absmax")

# How an author writes the layouts of the table.
_WRITTEN = {
    **{name: f"fa.{name}_LAYOUT" for name in ("WGMMA", "WGMMA_TRANSPOSED", "WGMMA_ROW", "WGMMA_COL")},
    **{name: f"fa.{name}_LAYOUT" for name in ("TCGEN05", "TCGEN05_TRANSPOSED", "TCGEN05_ROW", "TCGEN05_COL")},
    "WGMMA_ACC_32BIT": "fa.WGMMA_LAYOUT_ACC_32BIT",
    "WGMMA_8BIT": "fa.WGMMA_LAYOUT_8BIT",
    "WGMMA_UPCAST_2X": "fa.WGMMA_LAYOUT_UPCAST_2X",
    "WGMMA_UPCAST_4X": "fa.WGMMA_LAYOUT_UPCAST_4X",
    "NATIVE": "fa.TMEM_NATIVE_LAYOUT",
    "MMA_LHS": "mgpu.MMALayouts({dtype}).lhs",
    "MMA_RHS": "mgpu.MMALayouts({dtype}).rhs",
    "MMA_ACC": "mgpu.MMALayouts({dtype}).acc",
    **{f"native({length})": f"fa.tmem_native_layout({length})" for length in (1, 2, 4, 8, 16)},
    "m64_collective": "tcgen05.fa_m64_collective_layout({columns})",
    "own": "{own}.as_tiled_layout()",
    "WGStrided": "mgpu.WGStridedFragLayout({shape}, 1)",
    "WGSplat": "mgpu.WGSplatFragLayout({shape})",
}


def _is_of_no_operand(case: Case, layout: str) -> bool:
    return layout.startswith("MMA_") and BITWIDTH.get(case.dtype) not in (16, 8, 4)


def _is_scales_of_several_tiles(case: Case, layout: str) -> bool:
    return case.name == "scales 256"


def _is_rare_packing(case: Case, layout: str) -> bool:
    rows_of_narrow = case.shape[0] == 256 and BITWIDTH.get(case.dtype, 8) < 16
    return case.packing > 1 and case.layout is not None and (rows_of_narrow or case.dtype == "int2")


OUT_OF_REACH: dict[str, Callable[[Case, str], bool]] = {
    "MMALayouts of a dtype that is no operand of mma have no type of their own": _is_of_no_operand,
    "ScalesTMEM does not record its rows, and several tiles of rows do not load": _is_scales_of_several_tiles,
    "several row tiles of packed 8- and 4-bit dtypes, and packed 2-bit ones, have no type": _is_rare_packing,
}
"""Where the types accept what Mosaic GPU refuses: why, and of which case and register layout."""


@dataclasses.dataclass(frozen=True)
class Cell:
    """One operation on one allocation: `layout` is the table's name, or None where the operation names none."""

    case: Case
    operation: str
    layout: str | None

    def __str__(self) -> str:
        where = f"[{self.case.name}] {self.case.dtype} packing={self.case.packing}"
        return f"{where}: {self.operation} {self.layout or 'without a layout'}"

    @property
    def reason(self) -> str | None:
        """Why the types cannot refuse it, if they cannot."""
        for reason, applies in OUT_OF_REACH.items():
            if applies(self.case, self.layout or ""):
                return reason
        return None

    def line(self, ref: str, number: int) -> str:
        if self.operation == "store":
            array = f"mgpu.FragmentedArray.wrap(raw, {_dtype(self.case)}, {self._written()})"
            return f"v{number} = {array}; {ref}.store(v{number})"
        arguments = [] if self.layout is None else [self._written()]
        if self.operation != "load":
            arguments.append(f'reduce="{self.operation}"')
        return f"{ref}.load({', '.join(arguments)})"

    def _written(self) -> str:
        assert self.layout is not None
        case = self.case
        return _WRITTEN[self.layout].format(
            dtype=_dtype(case), columns=case.shape[1], shape=case.shape, own=_tmem_layout(case)
        )


def cases() -> Iterator[Case]:
    yield from tmem_table.special_cases()
    yield from tmem_table.dense_cases()


def answers(case: Case) -> dict[Cell, Refusal | None]:
    """Why Mosaic GPU refuses each cell of one allocation, if it does; nothing where it refuses the allocation itself.

    All of them are tried in one trace: what is refused raises there, and leaves the rest as it was.
    """
    refusals: dict[Cell, Refusal | None] = {}

    def body(ref: Any) -> None:
        layouts: dict[str | None, Callable[[], Any] | None] = {None: None, **tmem_table.register_layouts(case)}
        for name, build in layouts.items():
            if build is not None:
                try:
                    value = tmem_table.splat(case, build())
                except Exception:
                    pass  # there is no such array to store
                else:
                    refusals[Cell(case, "store", name)] = refusal(lambda value=value: ref.store(value))
            for operation in ("load", *REDUCTIONS):
                arguments: dict[str, Any] = {} if build is None else {"layout": build}
                if operation != "load":
                    arguments["reduce"] = operation
                refusals[Cell(case, operation, name)] = refusal(lambda given=arguments: _load(ref, case, given))
        raise Lowered

    outcome = tmem_table.lowers(body, case)
    if refusals and not outcome.startswith(Lowered.__name__):
        raise RuntimeError(f"{case}: {outcome}")
    return refusals


def _load(ref: Any, case: Case, given: dict[str, Any]) -> None:
    arguments = {"is_signed": case.is_signed, **given}
    if "layout" in arguments:
        arguments["layout"] = arguments["layout"]()
    ref.load(**arguments)


def _dtype(case: Case) -> str:
    return f"mgpu.{case.dtype}"


def _tmem_layout(case: Case) -> str:
    """The layout of the allocation, as an author writes it."""
    packing = case.packing
    if case.name.startswith("scales"):
        return "tcgen05.scales_layout()"
    if case.name == "b_scales m64":
        return "tcgen05.b_scales_m64_collective_layout()"
    if case.name == "sparse meta":
        return "tcgen05.sparse_meta_layout()"
    if case.collective:
        return f"tcgen05.tmem_m64_collective_layout({COLUMNS}, {packing})"
    if case.shape[0] == 64:
        return f"tcgen05.tmem_half_lane_layout({COLUMNS}, {packing})"
    return f"tcgen05.tmem_default_layout({packing})"


def spec(case: Case) -> str:
    arguments = [str(case.shape), _dtype(case)]
    arguments += [f"packing={case.packing}"] if case.layout is None else [f"layout={_tmem_layout(case)}"]
    arguments += ["collective=True"] * case.collective
    return f"mgpu.TMEM({', '.join(arguments)})"


def table() -> Table:
    lines = ["from typing import Any", "import safegpu as mgpu"]
    lines += ["from safegpu import fragmented_array as fa", "from safegpu import tcgen05"]
    places = {}
    with tracing_context(tmem_table.BLACKWELL):
        refusals = {case: answers(case) for case in cases()}
    for index, (case, cells) in enumerate((case, cells) for case, cells in refusals.items() if cells):
        lines += [f"class S{index}(mgpu.Scratch):", f"    ref = {spec(case)}"]
        lines.append(f"def case_{index}(s: S{index}, raw: Any) -> None:")
        for cell, refused in cells.items():
            lines.append(f"    {cell.line('s.ref', len(lines))}")
            places[len(lines)] = Answer.of(str(cell), refused, cell.reason)
    return Table("\n".join(lines) + "\n", places)
