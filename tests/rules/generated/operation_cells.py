"""One line for each operation of each dtype and kind of operand, and for each conversion of a dtype into another."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import jax

from safegpu import dtypes
from safegpu.offline.lowering import tracing_context
from tests.support.cells import Answer, Table, executed
from tests.support.raised import refusal

DTYPES = [name for name in dtypes.__all__ if hasattr(getattr(dtypes, name), "bits")]
NARROW_FLOATS = [name for name in DTYPES if name.startswith(("float4", "float8"))]
NARROW_INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (2, 4, 8)]
SCALARS = {
    "bool_": "I1", "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64",
    **{f"{sign}int{bits}": f"I{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}  # fmt: skip

OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=")
IN_PLACE = OPERATORS[:12]
METHODS = ("max", "min", "copysign", "atan2", "trunc_div")
OPERANDS = {
    "array": "x {op} x", "int": "x {op} 2", "float": "x {op} 2.0", "scalar": "x {op} v", "splat": "x {op} s",
    "of splat": "s {op} x", "of splats": "s {op} s", "of int": "2 {op} x", "of float": "2.0 {op} x", "of one": "1 {op} x",
}  # fmt: skip
FUNCTIONS = ("exp", "exp2", "log", "log2", "sin", "cos", "tanh", "rsqrt", "sqrt")
WHOLE = ("abs", "round", "round_even", "erf")

OUT_OF_REACH = {
    "float of integers": "a float on the left of an array of integers, or compared to it: Python's float answers first",
    "splat first": "a splat on the left of a narrow array is swapped with it, and then refused",
    "newer ptxas": "Mosaic GPU converts them by a ptxas that knows how, and without CUDA there is none",
    "not one": "the reciprocal of float8_e8m0fnu is of 1 alone, and mypy takes literals for their class",
}
NEVER_COMPILES = "Mosaic GPU lowers the comparison, and LLVM has no such type"


@dataclasses.dataclass(frozen=True)
class Cell:
    dtype: str
    line: str
    """The expression or statement, of an array `x`, a splat `s` and a scalar `v` of the dtype, and a mask `m`."""
    kind: str
    to: str = ""

    @property
    def never_compiles(self) -> bool:
        return self.dtype in NARROW_FLOATS and any(f" {op} " in self.line for op in ("==", "!="))

    @property
    def needs_newer_ptxas(self) -> bool:
        pair = {self.dtype, self.to}
        return self.kind == "astype" and "bfloat16" in pair and bool(pair & {"float8_e4m3fn", "float8_e5m2"})

    @property
    def reason(self) -> str | None:
        """Why the checkers accept it although it is illegal."""
        integer = "int" in self.dtype or self.dtype == "bool_"
        compared = any(f" {op} " in self.line for op in ("==", "!="))
        if integer and (self.kind == "of float" or (self.kind == "float" and compared)):
            return "float of integers"
        if self.dtype in NARROW_INTEGERS and self.kind == "of splat":
            return "splat first"
        if self.dtype == "float8_e8m0fnu" and self.kind in ("of int", "of float", "of splats"):
            return "not one"
        return None


def cells() -> Iterator[Cell]:
    for dtype in DTYPES:
        for op, (kind, text) in itertools.product(OPERATORS, OPERANDS.items()):
            if kind != "scalar" or dtype in SCALARS:
                yield Cell(dtype, text.format(op=op), kind)
        for op in IN_PLACE:
            yield Cell(dtype, f"x {op}= x", "in place")
        for method, operand in itertools.product(METHODS, ("x", "2", "2.0", "s")):
            yield Cell(dtype, f"x.{method}({operand})", "method")
        for line in ("-x", "~x", "+x", *(f"x.{method}()" for method in WHOLE)):
            yield Cell(dtype, line, "one")
        for function, approx in itertools.product(FUNCTIONS, ("", "approx=True")):
            yield Cell(dtype, f"x.{function}({approx})", "function")
        yield Cell(dtype, "x.select(x, x)", "mask")
        yield Cell(dtype, "m.select(x, x)", "choice")
        yield Cell(dtype, "1 / s", "of one splat")
        yield from (Cell(dtype, f"mgpu.optimization_barrier({array})", "barrier") for array in "xs")
        iota = f"mgpu.FragmentedArray.broadcasted_iota(mgpu.{dtype}, (64, 64), 1, L, is_signed=SIGNED[{dtype!r}])"
        yield Cell(dtype, iota, "iota")
        for to in DTYPES:
            yield Cell(dtype, f"x.astype(mgpu.{to})", "astype", to)
            yield Cell(dtype, f"x.bitcast(mgpu.{to})", "bitcast", to)


def table() -> Table:
    lines, places = ["from typing import Any", "import safegpu as mgpu", "from safegpu import layouts as ll"], {}
    lines += ["L = mgpu.WGMMA_LAYOUT_UPCAST_4X", "SIGNED: Any = {}"]
    for number, cell in enumerate(cells()):
        array = f"mgpu.FragmentedArray[mgpu.{cell.dtype}, ll.{{}}]"
        scalar = f"mgpu.{SCALARS[cell.dtype]}" if cell.dtype in SCALARS else "Any"
        lines += [
            f"def f_{number}(x: {array.format('WGMMA_UPCAST_4X')}, s: {array.format('Splat')}, v: {scalar},"
            " m: mgpu.FragmentedArray[mgpu.bool_, ll.WGMMA_UPCAST_4X]) -> Any:",
            f"    {cell.line}" if cell.kind == "in place" else f"    y = {cell.line}",
        ]
        places[len(lines)] = number, cell
        lines += ["    return x" if cell.kind == "in place" else "    return y"]
    text = "\n".join(lines) + "\n"
    built: Any = executed(text, __name__)
    built.SIGNED = {name: getattr(dtypes, name).is_signed for name in DTYPES}
    with jax.enable_x64(True), tracing_context((10, 0)):
        return Table(text, {line: _answer(built, *place) for line, place in places.items()})


def _answer(built: Any, number: int, cell: Cell) -> Answer:
    refused = refusal(lambda: _kernel(built, number, cell))
    because = OUT_OF_REACH["newer ptxas"] if cell.needs_newer_ptxas else OUT_OF_REACH.get(cell.reason or "", "")
    return Answer.of(f"{cell.dtype}: {cell.line}", refused, because, NEVER_COMPILES if cell.never_compiles else "")


def _kernel(built: Any, number: int, cell: Cell) -> None:
    import safegpu as mgpu

    token = getattr(mgpu, cell.dtype)

    def body(_ctx: Any, _out: Any, _scratch: tuple[()]) -> None:
        scalar: Any = mgpu.c(1, token)
        splat = mgpu.FragmentedArray.splat(scalar, (64, 64), is_signed=token.is_signed)
        array = mgpu.FragmentedArray.splat(scalar, (64, 64), built.L, is_signed=token.is_signed)
        mask = mgpu.FragmentedArray.splat(mgpu.c(True, mgpu.bool_), (64, 64), built.L, is_signed=False)
        if getattr(built, f"f_{number}")(array, splat, scalar, mask) is NotImplemented:
            raise TypeError("the result is NotImplemented")

    kernel: Any = mgpu.as_gpu_kernel
    kernel(body, (1, 1, 1), (128, 1, 1), (), mgpu.GMEM((1,), mgpu.float32), ())


def equality(name: str) -> Any:
    """A kernel that compares an array of this dtype with itself and stores what is equal."""
    import safegpu as mgpu

    def body(
        _ctx: mgpu.LaunchContext, source: mgpu.GmemRef[mgpu.float32], out: mgpu.GmemRef[mgpu.float32], _s: tuple[()]
    ) -> None:
        array: Any = mgpu.FragmentedArray.load_strided(source, vec_size=8)
        narrow = array.astype(getattr(mgpu, name))
        (narrow == narrow).select(array, 0.0).store_untiled(out, optimized=False)

    spec = mgpu.GMEM((64, 64), mgpu.float32)
    return mgpu.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), (spec,), spec, ())
