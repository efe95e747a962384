"""Whether a buffer of shared memory lies where the hardware that reads it wants it.

The copy engine takes addresses that are multiples of 128 bytes, the tensor cores of 16. Both swizzle by the bits of the
address, and Mosaic GPU's arrays by the place in the buffer: these agree where the buffer begins as the pattern does, at
a multiple of 8 rows of `swizzle` bytes. TMA and the tensor core agree anywhere.
"""

import math
from typing import Any

from safegpu import _gate
from safegpu._jax import DYNAMIC, ir, launch_context, utils
from safegpu._trace import current
from safegpu.watch._copies import copy_of
from safegpu.watch._core import Call, Place, before, told

_ZEROS = launch_context.OOBFillMode.ZEROS
_OF_TMA, _OF_BULK_COPY, _OF_OPERAND = 128, 16, 16
_ROWS = 8  # after which a swizzle repeats
_ANYBODY = _ROWS * 128  # what begins at a multiple of these bytes, anybody can use
_NONE = 16  # the swizzle that swizzles nothing
_SAME_START = frozenset({"memref.cast", "memref.collapse_shape", "memref.expand_shape", "memref.transpose"})

Address = tuple[int, int, int]
"""Bytes from the start of shared memory to a buffer; what the unknown rest of them is a multiple of, 0 for none; and
the start of its allocation."""


class _Swizzled:
    """The allocations that begin within the pattern of their swizzle: where each was first written."""

    def __init__(self) -> None:
        self.by_place: dict[int, Place | None] = {}
        self.by_address: dict[int, Place | None] = {}


class Beginnings:
    """Whether any buffer begins where one of its users might not."""

    def __init__(self) -> None:
        trace = current()
        self.any_amiss = trace is not None and any(start % _ANYBODY for start in trace.starts())


def address_of(ref: Any) -> Address | None:
    """Where a buffer of the kernel's scratch lies; None for one of unknown origin."""
    bits = known = rest = 0
    value = ref
    while True:
        owner = value.owner
        if isinstance(owner, ir.Block):
            return None
        name = owner.name
        if name == "memref.view":
            shift = owner.operands[1].owner
            if isinstance(shift, ir.Block) or shift.name != "arith.constant":
                return None
            start = ir.IntegerAttr(shift.attributes["value"]).value
            return (start + known // 8, rest // 8, start) if known % 8 == rest % 8 == 0 else None
        if name == "memref.subview":
            source = ir.MemRefType(owner.operands[0].type)
            bits = bits or utils.bitwidth(source.element_type)
            strides, _ = source.get_strides_and_offset()
            offsets = ir.DenseI64ArrayAttr(owner.attributes["static_offsets"])
            for offset, stride in zip(offsets, strides, strict=True):
                if stride == DYNAMIC:
                    return None
                if offset == DYNAMIC:
                    rest = math.gcd(rest, stride * bits)
                else:
                    known += offset * stride * bits
        elif name not in _SAME_START:
            return None
        value = owner.operands[0]


def misaligned(address: Address, alignment: int) -> bool:
    known, rest, _ = address
    return known % math.gcd(alignment, rest) != 0


def check(call: Call, parameter: str, ref: Any, alignment: int, why: str) -> None:
    address = address_of(ref)
    # A view that begins elsewhere in a buffer that begins well is another rule's.
    if address is not None and address[2] % alignment and misaligned(address, alignment):
        _refuse(address, alignment, f"{parameter} of {call.name.rpartition('.')[2]}", why)


def _refuse(address: Address, alignment: int, what: str, why: str) -> None:
    known, rest, start = address
    trace = current()
    found = trace.allocations() if trace else ()
    name = next((each.name for each in found if each.start == start and each.size), "the buffer")
    begins = f", a part of {name}," if known != start or rest else f", {name},"
    _gate.refuse(
        "SG812",
        f"{what}{begins} lies at byte {known}{f' and a multiple of {rest}' if rest else ''} of the block's shared "
        f"memory, and {why} begins at a multiple of {alignment}: declare it first in the scratch, and barriers, TMEM "
        "and small buffers last",
    )


@before("LaunchContext.async_copy")
def copied(call: Call) -> None:
    if not call.states[Beginnings].any_amiss or not copy_of(call).by_tma:
        return
    ref = call.get("dst_ref") if call.get("barrier") is not None else call.get("src_ref")
    if not isinstance(ref, ir.Value) or not isinstance(ref.type, ir.MemRefType) or not utils.is_smem_ref(ref):
        return  # Mosaic GPU says so
    parameter = "dst_ref" if call.get("barrier") is not None else "src_ref"
    if call.get("oob_mode", _ZEROS) is not _ZEROS:
        check(call, parameter, ref, _OF_BULK_COPY, "what a bulk copy moves")
        return
    check(call, parameter, ref, _OF_TMA, "what TMA copies")
    _remember(call, ref, call.get("swizzle"), by_address=True, writes=call.get("barrier") is not None)


@before(
    "FragmentedArray.load_tiled",
    "FragmentedArray.load_untiled",
    "FragmentedArray.store_tiled",
    "FragmentedArray.store_untiled",
)
def by_arrays(call: Call) -> None:
    ref = call.get("ref")
    if not call.states[Beginnings].any_amiss:
        return
    if isinstance(ref, ir.Value) and isinstance(ref.type, ir.MemRefType) and utils.is_smem_ref(ref):
        _remember(call, ref, call.get("swizzle"), by_address=False, writes="store_" in call.name)


def _remember(call: Call, ref: Any, swizzle: Any, *, by_address: bool, writes: bool) -> None:
    """Notes who writes a buffer that begins within its swizzle's pattern, and refuses what the other kind reads."""
    if not isinstance(swizzle, int) or swizzle <= _NONE:
        return
    address = address_of(ref)
    if address is None or not misaligned((address[2], 0, address[2]), _ROWS * swizzle):
        return
    seen, start = call.states[_Swizzled], address[2]
    mine, others = (seen.by_address, seen.by_place) if by_address else (seen.by_place, seen.by_address)
    if writes:
        mine.setdefault(start, call.place)
    elif start in others and start not in mine:
        _refuse(
            (start, 0, start),
            _ROWS * swizzle,
            f"the buffer of {call.name.rpartition('.')[2]}",
            f"what arrays swizzle by the place in it, and TMA and the tensor core by the address (the other one in "
            f"{told(others[start])}),",
        )


@before("wgmma", "tcgen05.mma")
def multiplied(call: Call) -> None:
    if not call.states[Beginnings].any_amiss:
        return
    for parameter in ("a", "b"):
        ref = call.get(parameter)
        swizzle = call.get("swizzle" if call.name == "wgmma" else f"{parameter}_swizzle", 128)
        if isinstance(ref, ir.Value) and isinstance(ref.type, ir.MemRefType) and utils.is_smem_ref(ref):
            check(call, parameter, ref, _OF_OPERAND, "an operand")
            _remember(call, ref, swizzle, by_address=True, writes=False)
