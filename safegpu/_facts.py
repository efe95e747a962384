"""What a kernel's author said of its buffers, for as long as the kernel is traced.

Facts are kept in a table beside the values and not on the wrapper objects: a table survives raw `memref_*`
functions, loop carries and anything else that makes a new Python object for the same buffer. Only allocations
are entered; the facts of a view are found by walking back from it, and only when somebody asks.
"""

from dataclasses import dataclass
from typing import Literal

from safegpu._jax import ir
from safegpu._trace import current
from safegpu.dtypes import DType


@dataclass(frozen=True)
class Facts:
    """What is known of a buffer; None is unknown."""

    dtype: type[DType] | None = None
    swizzle: int | None = None
    tiling: tuple[int, ...] | None = None
    any_swizzle: bool = False
    """Whether the spec left the swizzle out: then it is Mosaic GPU's default, and any is taken."""
    role: Literal["input", "multimem"] | None = None
    """What the memory is beside a place for data: an input of the kernel, or what only multimem operations access."""


_UNKNOWN = Facts()

NO_SWIZZLE = 16  # bytes: Mosaic GPU's default, and the width of the atoms that a swizzle permutes

# Operations whose first operand is the buffer that their result views.
VIEWS = frozenset({
    "memref.cast", "memref.collapse_shape", "memref.expand_shape", "memref.reinterpret_cast",
    "memref.subview", "memref.transpose",
})  # fmt: skip
_BOUNDS_OF_FOR = 3  # scf.for's operands are lower bound, upper bound, step, then the carried values


def record(buffer: ir.Value, facts: Facts) -> None:
    """Enters an allocation, or a pointer past which the walk cannot see. Outside a trace nothing is kept."""
    trace = current()
    if trace is not None:
        trace.facts[buffer] = facts


def facts_of(ref: ir.Value) -> Facts:
    """The facts of the allocation that `ref` is, or is a view of."""
    trace = current()
    if trace is None:
        return _UNKNOWN
    allocation = allocation_of(ref)
    return _UNKNOWN if allocation is None else trace.facts[allocation]


def allocation_of(ref: ir.Value) -> ir.Value | None:
    """The value of which facts are kept and that `ref` is, or is a view of; None when the walk back finds none."""
    trace = current()
    value: ir.Value | None = ref if trace is not None and trace.facts else None
    while value is not None and value not in trace.facts:  # type: ignore[union-attr]
        value = _viewed(value)
    return value


def sure_facts_of(ref: ir.Value) -> Facts:
    """The facts of the allocation that `ref` is for sure: one that a loop carries may be another in the next round."""
    trace = current()
    if trace is None or not trace.facts:
        return _UNKNOWN
    value = ref
    while (facts := trace.facts.get(value)) is None:
        owner = value.owner
        if isinstance(owner, ir.Block) or owner.name not in VIEWS:
            return _UNKNOWN
        value = owner.operands[0]
    return facts


def _viewed(value: ir.Value) -> ir.Value | None:
    """The value that `value` was made of by one step: a view, or a loop that carries it."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        # A block argument of a loop is the induction variable or what the loop carries, which is taken to be
        # what it carries at first: the body that decides is still being traced. Blocks of other operations,
        # scf.if among them, say nothing of where their values come from.
        loop, carried = owner.owner, ir.BlockArgument(value).arg_number - 1
        return loop.operands[_BOUNDS_OF_FOR + carried] if loop.name == "scf.for" and carried >= 0 else None
    if owner.name in VIEWS:
        return owner.operands[0]
    if owner.name == "scf.for":
        return owner.operands[_BOUNDS_OF_FOR + ir.OpResult(value).result_number]
    return None
