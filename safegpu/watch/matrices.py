"""SG704, SG812: rows of eight by eight matrices, which a warp moves together, where no such row may begin.

Of some layouts Mosaic GPU makes `ldmatrix` and `stmatrix`, whose rows are 16 bytes, of others loads and stores of the
few bytes that a thread holds. The module says which it was.
"""

from typing import Any

from safegpu import _gate
from safegpu._facts import Path, path_of
from safegpu._jax import DYNAMIC, ir, utils
from safegpu.watch import scratch
from safegpu.watch._addresses import ADDRESSES, users
from safegpu.watch._core import Call, after

_ROW = 16  # bytes
_MATRICES = {"nvvm.ldmatrix", "nvvm.stmatrix"}
_SAME_START = ADDRESSES - {"memref.subview", "memref.reinterpret_cast"}


def _begins_a_row(path: Path) -> bool:
    """Whether a view of a buffer that begins well does too, as most are: looking at its operations takes long."""
    if path.of is None:
        return not path.is_view
    if path.index is not None:
        (strides, _), bits = path.of.layout, path.of.bits
        indices = path.index if isinstance(path.index, tuple) else (path.index,)
        steps = zip(indices, strides, strict=False)
        if any(index != slice(None) and (stride == DYNAMIC or stride * bits % (8 * _ROW)) for index, stride in steps):
            return False
    return _begins_a_row(path.of)


@after(
    "FragmentedArray.load_tiled",
    "FragmentedArray.load_untiled",
    "FragmentedArray.store_tiled",
    "FragmentedArray.store_untiled",
)
def _moved(call: Call) -> None:
    ref: Any = call.get("ref")
    if not isinstance(ref, ir.Value):
        return
    path = path_of(ref)
    if not call.states[scratch.Beginnings].any_amiss and _begins_a_row(path):
        return
    if path.type is None or not utils.is_smem_ref(path.type):
        return
    address = scratch.address_of(ref)
    if address is None or not scratch.misaligned(address, _ROW):
        return
    used = {operation.name for operation in users(ref, _SAME_START)} & _MATRICES
    if not used:
        return
    what = f"a row of {used.pop().removeprefix('nvvm.')}"
    scratch.check(call, "ref", ref, _ROW, what)
    known, rest, _ = address
    _gate.refuse(
        "SG704",
        f"{call.name}: ref begins at byte {known}{f' and a multiple of {rest}' if rest else ''} of its memory, and "
        f"{what} must begin at a multiple of {_ROW}; slice it where one begins"
        + (", or load it with FragmentedArray.load_strided" if "load" in call.name else ""),
    )
