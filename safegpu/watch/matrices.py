"""SG704, SG812: rows of eight by eight matrices, which a warp moves together, where no such row may begin.

Of some layouts Mosaic GPU makes `ldmatrix` and `stmatrix`, whose rows are 16 bytes, of others loads and stores of the
few bytes that a thread holds. The module says which it was.
"""

from typing import Any

from safegpu import _gate
from safegpu._facts import path_of
from safegpu._jax import ir, utils
from safegpu.watch import scratch
from safegpu.watch._addresses import ADDRESSES, users
from safegpu.watch._core import Call, after

_ROW = 16  # bytes
_MATRICES = {"nvvm.ldmatrix", "nvvm.stmatrix"}
_SAME_START = ADDRESSES - {"memref.subview", "memref.reinterpret_cast"}


@after(
    "FragmentedArray.load_tiled",
    "FragmentedArray.load_untiled",
    "FragmentedArray.store_tiled",
    "FragmentedArray.store_untiled",
)
def _moved(call: Call) -> None:
    ref: Any = call.get("ref")
    if not isinstance(ref, ir.Value) or not isinstance(ref.type, ir.MemRefType) or not utils.is_smem_ref(ref):
        return
    if not call.states[scratch.Beginnings].any_amiss and path_of(ref).offset == 0:  # a whole buffer, well begun
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
