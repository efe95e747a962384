"""One line for each reduction of each dtype: by a copy, and by atomic stores to each memory."""

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

DTYPES = [name for name in dtypes.__all__ if getattr(getattr(dtypes, name), "bits", 0) >= 8]
COPY = ("add", "min", "max", "inc", "dec", "and", "or", "xor", "umin", "umax", "smin", "smax")
STORE = ("add", "max", "min", "and", "or", "xor")
OF_OTHER_SIGN = (
    "a minimum or maximum by a copy: Mosaic GPU does not know the dtype's sign, and the numbers come out wrong"
)
WAYS = {
    "copy": ("    ctx.async_copy(src_ref=s.tile, dst_ref=g, reduction_op={op!r})", COPY),
    "global": ("    x.store_untiled(g, optimized=False, atomic={op!r})", STORE),
    "shared": ("    x.store_untiled(s.tile, optimized=False, atomic={op!r})", STORE),
    "tiled": ("    x.store_tiled(s.tiled, 128, atomic={op!r})", STORE),
    "multimem": ("    x.store_untiled(m, optimized=False, atomic={op!r})", STORE),
}


@dataclasses.dataclass(frozen=True)
class Cell:
    dtype: str
    way: str
    op: str

    @property
    def of_other_sign(self) -> bool:
        signed = getattr(dtypes, self.dtype).is_signed
        return self.way == "copy" and signed is not None and self.op[0] == ("u" if signed else "s")


def cells() -> Iterator[Cell]:
    for dtype, (way, (_, ops)) in itertools.product(DTYPES, WAYS.items()):
        yield from (Cell(dtype, way, op) for op in ops)


def table() -> Table:
    lines, places = ["import safegpu as mgpu", "from safegpu import layouts as ll"], {}
    for dtype in DTYPES:
        lines += [
            f"class S_{dtype}(mgpu.Scratch):",
            f"    tile = mgpu.SMEM((64, 64), mgpu.{dtype})",
            f"    tiled = mgpu.SMEM((64, 128), mgpu.{dtype}, swizzle=128)",
        ]
    for number, cell in enumerate(cells()):
        d = f"mgpu.{cell.dtype}"
        lines += [
            f"def body_{number}(ctx: mgpu.LaunchContext, g: mgpu.GmemRef[{d}], m: mgpu.MultimemRef[{d}],"
            f" x: mgpu.FragmentedArray[{d}, ll.WGMMA], s: S_{cell.dtype}) -> None:",
            WAYS[cell.way][0].format(op=cell.op),
        ]
        places[len(lines)] = number, cell
    text = "\n".join(lines) + "\n"
    built = executed(text, __name__)
    # Without x64, jax makes 32-bit buffers of 64-bit dtypes.
    with jax.enable_x64(True), tracing_context((9, 0), peers=2):
        return Table(text, {line: _answer(built, *place) for line, place in places.items()})


def _answer(built: types.ModuleType, number: int, cell: Cell) -> Answer:
    refused = refusal(lambda: _kernel(built, number, cell))
    return Answer.of(str(cell), refused, rejected_because=OF_OTHER_SIGN if cell.of_other_sign else "")


def _kernel(built: types.ModuleType, number: int, cell: Cell) -> None:
    import safegpu as mgpu

    token = getattr(mgpu, cell.dtype)
    columns = 128 if cell.way == "tiled" else 64

    def body(ctx: Any, out: Any, scratch: Any) -> None:
        number_one: Any = mgpu.c(1, token)
        array = mgpu.FragmentedArray.splat(number_one, (64, columns), mgpu.WGMMA_LAYOUT, is_signed=token.is_signed)
        everywhere = ctx.to_remote_multicast(out) if cell.way == "multimem" else None
        getattr(built, f"body_{number}")(ctx, out, everywhere, array, scratch)
        raise Lowered

    kernel: Any = mgpu.as_gpu_kernel
    kernel(body, (1, 1, 1), (128, 1, 1), (), mgpu.GMEM((64, 64), token), getattr(built, f"S_{cell.dtype}"))
