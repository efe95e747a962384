"""What a buffer is declared to hold, against what the kernel's operations take it for.

Memory records no dtype, no signedness, no swizzle and not whose it is, so Mosaic GPU compares none of them: what is
stored under one is read under the other. What is known of a buffer is what its spec said, found by walking back over
views alone: which buffer a loop carries is not sure.
"""

from typing import Any

import numpy as np

from safegpu import _gate
from safegpu._dtype import name_of
from safegpu._facts import NO_SWIZZLE, Facts, sure_facts_of
from safegpu._jax import fa, ir, launch_context, tcgen05, utils
from safegpu.watch._core import Call, before

_TMA = launch_context.AsyncCopyImplementation.TMA
_NOTHING = Facts()
_ATOM = 16  # bytes, which a swizzle moves together
_ROW = 128  # bytes, after which a swizzle moves the next atoms otherwise


def _facts(ref: Any) -> Facts:
    """What is sure of the buffer of a reference; nothing of what is none, of which Mosaic GPU speaks."""
    if isinstance(ref, utils.MultimemRef):
        ref = ref.ref
    return sure_facts_of(ref) if isinstance(ref, ir.Value) else _NOTHING


def _element(ref: Any) -> ir.Type | None:
    type_ = getattr(ref, "type", None)
    return type_.element_type if isinstance(type_, ir.MemRefType) else None


_STORES = ("FragmentedArray.store_tiled", "FragmentedArray.store_untiled", "FragmentedArray.store_tiled_async")
_LOADS = ("FragmentedArray.load_tiled", "FragmentedArray.load_untiled")


@before(*_STORES)
def _dtype_of_store(call: Call) -> None:
    array, ref, atomic = call["self"], call.get("ref"), call.get("atomic")
    element = _element(ref)
    stored = array.mlir_dtype
    if element is None:
        return
    if element != stored:
        # Floats that are not negative are in the order of their bits, so that of integers may be meant by max and min.
        if atomic in (None, "add"):
            known = _facts(ref).dtype
            _gate.refuse(
                "SG302",
                f"{call.name}: got an array of {stored}, and the buffer holds {name_of(known or element)}, as which "
                "its bits would be read; convert the array with .astype first, or to mean the bits, with .bitcast",
            )
    elif atomic in ("max", "min") and (known := _facts(ref).dtype) is not None:
        if known.is_signed is not None and known.is_signed is not array.is_signed:
            _gate.refuse(
                "SG306",
                f"{call.name}: atomic={atomic!r} of an array with is_signed={array.is_signed} into a buffer of "
                f"{known.__name__} compares its elements as another dtype's; make the array one of {known.__name__}",
            )


@before("FragmentedArray.load_reduce_untiled")
def _dtype_of_load(call: Call) -> None:
    if call.get("reduction") not in ("max", "min") or (is_signed := call.get("is_signed")) is None:
        return
    known = _facts(call.get("ref")).dtype
    if known is not None and known.is_signed is not None and known.is_signed is not is_signed:
        _gate.refuse(
            "SG306",
            f"{call.name}: reduction={call['reduction']!r} with is_signed={is_signed} of a buffer of {known.__name__} "
            "compares its elements as another dtype's; leave is_signed out, and the buffer's own is taken",
        )


@before("LaunchContext.async_copy")
def _dtype_of_reduction(call: Call) -> None:
    operation = call.get("reduction_op")
    if operation not in ("smin", "smax", "umin", "umax"):
        return
    for name in ("dst_ref", "src_ref"):
        known = _facts(call.get(name)).dtype
        if known is not None and known.is_signed is (operation[0] == "u"):
            right = f"{'us'[known.is_signed]}{operation[1:]}"
            _gate.refuse(
                "SG306",
                f"{call.name}: reduction_op={operation!r} compares the elements of {name}, which are {known.__name__}, "
                f"as another dtype's; write reduction_op={right!r}",
            )


@before("wgmma", "tcgen05.mma")
def _unsigned_operand(call: Call) -> None:
    for name in ("a", "b"):
        operand = call.get(name)
        known = operand.token if hasattr(operand, "token") else _facts(operand).dtype
        if known is not None and known.bits == 8 and known.is_signed is False:
            _gate.refuse(
                "SG303",
                f"{call.name}: {name} holds {known.__name__}, which Mosaic GPU cannot tell from int8: 128 and more "
                "would be multiplied as negative numbers; declare int8, or multiply as float16",
            )


@before("tcgen05.mma")
def _metadata(call: Call) -> None:
    metadata = call.get("a_sparse_metadata")
    if isinstance(metadata, tcgen05.TMEMRef) and metadata.layout != _SPARSE_META:
        _gate.refuse(
            "SG107",
            "tcgen05.mma: a_sparse_metadata lies in tensor memory of another layout, where the tensor core reads other "
            "positions than were written; allocate it as TMEM(shape, mgpu.uint2, layout=tcgen05.sparse_meta_layout())",
        )


_SPARSE_META = tcgen05.sparse_meta_layout()


# --- inputs


@before("LaunchContext.async_copy")
def _copy_to_input(call: Call) -> None:
    if _facts(call.get("dst_ref")).role == "input" and call.get("gmem_peer_id") is None:
        _written("async_copy", "dst_ref")


@before("FragmentedArray.store_tiled", "FragmentedArray.store_untiled")
def _store_to_input(call: Call) -> None:
    if _facts(call.get("ref")).role == "input":
        _written(call.name, "ref")


@before("fragmented_array.copy_tiled")
def _tiled_copy_to_input(call: Call) -> None:
    if _facts(call.get("dst")).role == "input":
        _written("copy_tiled", "dst")


def _written(operation: str, parameter: str) -> None:
    _gate.refuse(
        "SG110",
        f"{operation}: {parameter} is an input of the kernel, and JAX counts on inputs to stay what they are; give the "
        "spec as out_shape=, or as inout_shape= where the kernel reads it, too",
    )


# --- multimem


@before(*_STORES, *_LOADS, "FragmentedArray.load_strided")
def _multimem_as_memory(call: Call) -> None:
    _check_multimem(call, "ref")


@before("fragmented_array.copy_tiled")
def _tiled_copy_of_multimem(call: Call) -> None:
    _check_multimem(call, "src")
    _check_multimem(call, "dst")


@before("LaunchContext.async_copy")
def _copy_of_multimem(call: Call) -> None:
    if call.get("implementation", _TMA) != _TMA:  # of TMA's, Mosaic GPU speaks
        _check_multimem(call, "src_ref")


def _check_multimem(call: Call, name: str) -> None:
    ref = call.get(name)
    if isinstance(ref, ir.Value) and sure_facts_of(ref).role == "multimem":
        _gate.refuse(
            "SG109",
            f"{call.name}: what is inside a multimem reference is no memory, and only multimem operations may access "
            "it; store to the MultimemRef itself, and load with FragmentedArray.load_reduce_untiled",
        )


# --- swizzle


@before(*_LOADS)
def _swizzle_of_load(call: Call) -> None:
    _check_swizzle(call, "ref", "swizzle", NO_SWIZZLE, in_registers=True)


@before(*_STORES)
def _swizzle_of_store(call: Call) -> None:
    registers = call["self"].registers
    # What lies where is nothing to an array of one value, nor to the elements of a strided one.
    if isinstance(call["self"].layout, fa.TiledLayout):
        _check_swizzle(call, "ref", "swizzle", NO_SWIZZLE, in_registers=True, registers=registers)


@before("LaunchContext.async_copy")
def _swizzle_of_copy(call: Call) -> None:
    for name in ("src_ref", "dst_ref"):
        _check_swizzle(call, name, "swizzle", NO_SWIZZLE)


@before("fragmented_array.copy_tiled")
def _swizzle_of_tiled_copy(call: Call) -> None:
    for name in ("src", "dst"):
        _check_swizzle(call, name, "swizzle", NO_SWIZZLE, in_registers=True)


@before("tcgen05.async_copy_smem_to_tmem")
def _swizzle_of_copy_to_tmem(call: Call) -> None:
    _check_swizzle(call, "smem_ref", "swizzle", NO_SWIZZLE)


@before("wgmma")
def _swizzle_of_wgmma(call: Call) -> None:
    for name in ("a", "b"):
        _check_swizzle(call, name, "swizzle", 128)


@before("tcgen05.mma")
def _swizzle_of_mma(call: Call) -> None:
    for name in ("a", "b"):
        _check_swizzle(call, name, f"{name}_swizzle", 128)


def _check_swizzle(
    call: Call, name: str, parameter: str, default: int, *, in_registers: bool = False, registers: Any = None
) -> None:
    """Refuses a swizzle other than the one that the buffer was declared with, and views that it moves otherwise.

    Of a transfer `in_registers`, Mosaic GPU counts the bytes that a swizzle moves from the start of the view, and TMA
    and the tensor core from that of shared memory.
    """
    facts = _facts(ref := call.get(name))
    declared = facts.swizzle
    if declared is None or facts.any_swizzle:
        return
    given = call.get(parameter, default)
    if given is None:
        given = NO_SWIZZLE
    if registers is not None and len(set(registers.flat)) == 1:
        return
    if given != declared:
        spelt = (
            f"{parameter}={int(given)}" if call.get(parameter) is not None else f"no {parameter}=, which is {default}"
        )
        _gate.refuse(
            "SG701",
            f"{call.name}: got {spelt}, and the buffer was declared with swizzle={declared}: elements would be taken "
            f"for others; write {parameter}={declared}",
        )
    elif in_registers and declared != NO_SWIZZLE and (start := misplaced(ref.type, declared)) is not None:
        _gate.refuse(
            "SG703",
            f"{call.name}: {name} begins {start} bytes into its buffer, no multiple of the {8 * declared} after which "
            f"swizzle={declared} begins anew, and Mosaic GPU takes it to begin with the view: elements would be taken "
            "for others; slice whole tiles, or load them and slice the array",
        )


def misplaced(type_: ir.MemRefType, swizzle: int) -> int | None:
    """Where a view begins, in bytes, if its swizzle, begun there, moves any element elsewhere than its buffer's."""
    strides, offset = type_.get_strides_and_offset()
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    if offset == unknown or unknown in strides:
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
