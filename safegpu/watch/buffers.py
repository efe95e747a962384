"""What a buffer is declared to hold, against what the kernel's operations take it for.

Memory records no dtype, no signedness, no swizzle and not whose it is, so Mosaic GPU compares none of them: what is
stored under one is read under the other. What is known of a buffer is what its spec said, found by walking back over
views alone: which buffer a loop carries is not sure.
"""

from typing import Any

import numpy as np

from safegpu import _gate
from safegpu._dtype import ir_type, name_of
from safegpu._facts import NO_SWIZZLE, UNKNOWN, Facts, path_of, path_to
from safegpu._jax import DYNAMIC, fa, ir, tcgen05, utils
from safegpu.watch._copies import copy_of
from safegpu.watch._core import Call, before

_SPARSE_META = tcgen05.sparse_meta_layout()
_ATOM = 16  # bytes, which a swizzle moves together
_ROW = 128  # bytes, after which a swizzle moves the next atoms otherwise


def _facts(ref: Any) -> Facts:
    """What is sure of the buffer of a reference; nothing of what is none, of which Mosaic GPU speaks."""
    path = path_to(ref)
    return UNKNOWN if path is None else path.facts


def _element(ref: Any) -> ir.Type | None:
    type_ = path_of(ref).type if isinstance(ref, ir.Value) else getattr(ref, "type", None)
    return type_.element_type if isinstance(type_, ir.MemRefType) else None


@before("FragmentedArray.store_tiled", "FragmentedArray.store_untiled", "FragmentedArray.store_tiled_async")
def _store(call: Call) -> None:
    array, ref = call["self"], call.get("ref")
    if (element := _element(ref)) is None:
        return
    facts, atomic = _facts(ref), call.get("atomic")
    if element != array.mlir_dtype:
        # Floats that are not negative are in the order of their bits, so that of integers may be meant by max and min.
        if atomic in (None, "add"):
            _gate.refuse(
                "SG302",
                f"{call.name}: got an array of {array.mlir_dtype}, and the buffer holds {_held(facts, element)}, "
                "as which its bits would be read; convert the array with .astype first, or to mean the bits, with "
                ".bitcast",
            )
    elif atomic in ("max", "min") and _orders_otherwise(facts, array.is_signed):
        _gate.refuse(
            "SG306",
            f"{call.name}: atomic={atomic!r} of an array with is_signed={array.is_signed} into a buffer of "
            f"{name_of(facts.dtype)} compares its elements as another dtype's; convert the array to that one first",
        )
    if facts.role == "input" and isinstance(ref, ir.Value):
        _written(call, "ref")
    _check_multimem(call, "ref", facts)
    if isinstance(array.layout, fa.TiledLayout):  # a strided array is stored in the order of the bytes
        _check_swizzle(call, "ref", facts, "swizzle", NO_SWIZZLE, array)
        _check_place(call, "ref", facts, array)


def _held(facts: Facts, element: ir.Type) -> str:
    """What a buffer holds, of which the spec may say something else: JAX has no 64 bits unless it is told so."""
    if facts.dtype is None or ir_type(facts.dtype) == element:
        return name_of(facts.dtype or element)
    return f"{element} (of a spec of {name_of(facts.dtype)}, without jax_enable_x64)"


@before("FragmentedArray.load_tiled", "FragmentedArray.load_untiled")
def _load(call: Call) -> None:
    facts = _facts(call.get("ref"))
    _check_multimem(call, "ref", facts)
    _check_swizzle(call, "ref", facts, "swizzle", NO_SWIZZLE)
    _check_place(call, "ref", facts)


@before("FragmentedArray.load_strided")
def _load_strided(call: Call) -> None:
    _check_multimem(call, "ref", _facts(call.get("ref")))


@before("FragmentedArray.load_reduce_untiled")
def _load_reduce(call: Call) -> None:
    reduction, is_signed = call.get("reduction"), call.get("is_signed")
    if reduction in ("max", "min") and is_signed is not None:
        facts = _facts(call.get("ref"))
        if _orders_otherwise(facts, is_signed):
            _gate.refuse(
                "SG306",
                f"{call.name}: reduction={reduction!r} with is_signed={is_signed} of a buffer of "
                f"{name_of(facts.dtype)} compares its elements as another dtype's; leave is_signed out",
            )


@before("LaunchContext.async_copy")
def _copy(call: Call) -> None:
    copy, operation = copy_of(call), call.get("reduction_op")
    for name, path in copy.ends:
        if path is None or (facts := path.facts) is UNKNOWN:
            continue
        if operation in ("smin", "smax", "umin", "umax") and _orders_otherwise(facts, operation[0] == "s"):
            right = f"{'su'[operation[0] == 's']}{operation[1:]}"
            _gate.refuse(
                "SG306",
                f"{call.name}: reduction_op={operation!r} compares the elements of {name}, which are "
                f"{name_of(facts.dtype)}, as another dtype's; write reduction_op={right!r}",
            )
        _check_swizzle(call, name, facts, "swizzle", NO_SWIZZLE)
        if facts.role is None:
            continue
        if facts.role == "input" and name == "dst_ref" and call.get("gmem_peer_id") is None:
            _written(call, name)
        if facts.role == "multimem" and not copy.by_tma:  # of TMA's, Mosaic GPU speaks
            _check_multimem(call, name, facts)


@before("fragmented_array.copy_tiled")
def _copy_tiled(call: Call) -> None:
    for name in ("src", "dst"):
        facts = _facts(call.get(name))
        _check_multimem(call, name, facts)
        _check_swizzle(call, name, facts, "swizzle", NO_SWIZZLE)
        _check_place(call, name, facts)
        if facts.role == "input" and name == "dst":
            _written(call, name)


@before("tcgen05.async_copy_smem_to_tmem")
def _copy_to_tmem(call: Call) -> None:
    _check_swizzle(call, "smem_ref", _facts(call.get("smem_ref")), "swizzle", NO_SWIZZLE)


@before("wgmma", "tcgen05.mma")
def _multiply(call: Call) -> None:
    for name, parameter in (("a", "a_swizzle"), ("b", "b_swizzle")):
        _check_swizzle(call, name, _facts(call.get(name)), "swizzle" if call.name == "wgmma" else parameter, 128)


@before("tcgen05.mma")
def _metadata(call: Call) -> None:
    metadata = call.get("a_sparse_metadata")
    if isinstance(metadata, tcgen05.TMEMRef) and metadata.layout != _SPARSE_META:
        _gate.refuse(
            "SG107",
            "tcgen05.mma: a_sparse_metadata lies in tensor memory of another layout, where the tensor core reads other "
            "positions than were written; allocate it as TMEM(shape, mgpu.uint2, layout=tcgen05.sparse_meta_layout())",
        )


# --- what is asked of several


def _orders_otherwise(facts: Facts, is_signed: bool | None) -> bool:
    """Whether a minimum or maximum with this signedness is another than that of the buffer's integers."""
    known = None if facts.dtype is None else facts.dtype.is_signed
    return known is not None and known is not is_signed


def _written(call: Call, name: str) -> None:
    _gate.refuse(
        "SG110",
        f"{call.name}: {name} is an input of the kernel, and JAX counts on inputs to stay what they are; give the "
        "spec as out_shape=, or as inout_shape= where the kernel reads it, too",
    )


def _check_multimem(call: Call, name: str, facts: Facts) -> None:
    if facts.role == "multimem" and isinstance(call[name], ir.Value):
        _gate.refuse(
            "SG109",
            f"{call.name}: what is inside a multimem reference is no memory, and only multimem operations may access "
            "it; store to the MultimemRef itself, and load with FragmentedArray.load_reduce_untiled",
        )


def _is_constant(array: Any) -> bool:
    """Whether an array has one value everywhere: then it is nothing to it which element lies where."""
    return array is not None and len(set(array.registers.flat)) == 1


def _check_swizzle(call: Call, name: str, facts: Facts, parameter: str, default: int, array: Any = None) -> None:
    """Refuses a swizzle other than the one that the buffer was declared with."""
    if facts.swizzle is None or facts.any_swizzle:  # or has the default of Mosaic GPU, and any is taken
        return
    given = call.get(parameter, default)
    if (NO_SWIZZLE if given is None else given) != facts.swizzle and not _is_constant(array):
        left_out = call.get(parameter) is None
        spelt = f"no {parameter}=, which is {default}" if left_out else f"{parameter}={int(given)}"
        _gate.refuse(
            "SG701",
            f"{call.name}: got {spelt}, and the buffer was declared with swizzle={facts.swizzle}: elements would be "
            f"taken for others; write {parameter}={facts.swizzle}",
        )


def _check_place(call: Call, name: str, facts: Facts, array: Any = None) -> None:
    """Refuses a view that Mosaic GPU's loads and stores of registers permute otherwise than its buffer.

    They count the bytes that a swizzle moves from the start of the view; TMA and the tensor core, from that of shared
    memory.
    """
    if facts.any_swizzle or facts.swizzle in (None, NO_SWIZZLE) or path_of(call[name]).offset in (0, DYNAMIC):
        return
    start = misplaced(call[name].type, facts.swizzle)
    if start is not None and not _is_constant(array):
        _gate.refuse(
            "SG703",
            f"{call.name}: {name} begins {start} bytes into its buffer, no multiple of the {8 * facts.swizzle} after "
            f"which swizzle={facts.swizzle} begins anew, and Mosaic GPU takes it to begin with the view: elements "
            "would be taken for others; slice whole tiles, or load them and slice the array",
        )


def misplaced(type_: ir.MemRefType, swizzle: int) -> int | None:
    """Where a view begins, in bytes, if its swizzle, begun there, moves any element elsewhere than its buffer's."""
    strides, offset = type_.get_strides_and_offset()
    if offset in (0, DYNAMIC) or DYNAMIC in strides:
        return None
    bits = utils.bitwidth(type_.element_type)
    start = offset * bits // 8
    if start % (8 * swizzle) == 0:
        return None
    elements = np.zeros(type_.shape, np.int64)
    for axis, (size, stride) in enumerate(zip(type_.shape, strides, strict=True)):
        along = [1] * len(type_.shape)
        along[axis] = size
        elements += (np.arange(size) * stride).reshape(along)
    at = np.unique(elements * bits // 8)

    def swizzled(address: Any) -> Any:
        return address ^ (address // _ROW % (swizzle // _ATOM) * _ATOM)

    return start if (start + swizzled(at) != swizzled(start + at)).any() else None
