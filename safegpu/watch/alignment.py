"""Where a view of memory begins, against the bytes that an instruction moves at a time.

PTX leaves undefined what an access does that begins at no multiple of its size, and the GPU stops the kernel without
saying where. Sure is the place of a view that begins at a constant, in the block's own shared memory or in an argument
of the kernel.
"""

import math
from typing import Any

from safegpu import _gate
from safegpu._facts import path_of
from safegpu._jax import DYNAMIC, fa, ir, is_kernel_argument, launch_context, utils
from safegpu.watch._copies import copy_of
from safegpu.watch._core import Call, before
from safegpu.watch.indices import known

_ZEROS = launch_context.OOBFillMode.ZEROS
_TENSOR_COPY = 128  # bytes, of which the shared memory of cp.async.bulk.tensor begins at a multiple
_BULK_COPY = _DESCRIPTOR = 16  # that of cp.async.bulk; matrix descriptors count in these


def begins(ref: Any) -> int | None:
    """The first byte of a view, from a place that is aligned for every access; None where that is not sure."""
    if not isinstance(ref, ir.Value):
        return None
    path = path_of(ref)
    # Where its buffer begins is not up to the view.
    if not path.is_view or path.name is None or path.offset in (0, DYNAMIC) or path.type is None:
        return None
    if path.in_shared_memory:
        base = known(path.owner.operands[1])
    else:
        base = 0 if is_kernel_argument(path.owner) else None
    return None if base is None else base + path.offset * path.bits // 8


def _check(call: Call, name: str, size: int, what: str) -> None:
    """Refuses a view that begins at no multiple of this."""
    start = begins(call.get(name))
    if start is not None and start % size:
        _gate.refuse(
            "SG704",
            f"{call.name}: {name} begins at byte {start} of its memory, and {what} must begin at a multiple of {size}; "
            "slice it where one begins"
            + (", or load it with FragmentedArray.load_strided" if "load" in call.name else ""),
        )


def _check_registers(call: Call, layout: Any) -> None:
    ref: Any = call.get("ref")
    if not isinstance(layout, fa.TiledLayout) or (start := begins(ref)) is None:
        return
    size = layout.vector_length * utils.bitwidth(ref.type.element_type) // 8
    if call.get("atomic") is not None:
        size = math.gcd(size, 4)  # they go in words
    if size.bit_count() == 1 and start % size:
        _check(call, "ref", size, f"the {size} bytes that a thread moves at a time")


@before("FragmentedArray.load_tiled", "FragmentedArray.load_untiled")
def _loads(call: Call) -> None:
    _check_registers(call, call.get("layout", fa.WGMMA_LAYOUT))


@before("FragmentedArray.store_tiled", "FragmentedArray.store_untiled", "FragmentedArray.store_tiled_async")
def _stores(call: Call) -> None:
    _check_registers(call, call["self"].layout)


@before("LaunchContext.async_copy")
def _copies(call: Call) -> None:
    copy = copy_of(call)
    for name, path in copy.ends if copy.by_tma else ():
        if path is not None and path.is_view and path.in_shared_memory:
            size = _TENSOR_COPY if call.get("oob_mode", _ZEROS) is _ZEROS else _BULK_COPY
            _check(call, name, size, "what TMA copies")


@before("wgmma", "tcgen05.mma")
def _operands(call: Call) -> None:
    for name in ("a", "b"):
        _check(call, name, _DESCRIPTOR, "the operand of an MMA")


@before(
    "tcgen05.async_copy_smem_to_tmem",
    "tcgen05.async_copy_scales_smem_to_tmem",
    "tcgen05.async_copy_sparse_metadata_smem_to_tmem",
)
def _copies_to_tmem(call: Call) -> None:
    _check(call, "smem_ref", _DESCRIPTOR, "what is copied to tensor memory")
