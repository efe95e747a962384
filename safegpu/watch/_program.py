"""What the module under construction says for sure: what runs after what, which buffers overlap, what raw code emitted.

A rule is asked for a fault only where it is certain. So each function here answers False, or None, for what it cannot
tell: indices that are not known to be equal, values that a loop carries, a loop that may have done it an iteration
before, another warpgroup in another branch.
"""

import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeGuard

from safegpu._facts import Path, path_of
from safegpu._jax import ir, utils

# --- what runs after what


def follows(earlier: ir.Block, later: ir.Block) -> bool:
    """Whether the threads that run `later` have run `earlier` just before: the same block, or an `if` inside it."""
    while later != earlier:
        parent = later.owner
        if parent.name != "scf.if":
            return False
        later = parent.operation.block
    return True


def enclosing(block: ir.Block) -> Iterator[Any]:
    """The conditionals and loops around a block, from the inside, and the kernel last."""
    parent: Any = block.owner
    while parent.name not in ("gpu.launch", "func.func"):
        yield parent
        parent = parent.operation.block.owner
    yield parent


def conditional_in_loop(block: ir.Block) -> bool:
    """Whether the first passes of a loop may leave the block out, so that what follows it in the loop comes before."""
    *names, _ = [parent.name for parent in enclosing(block)]
    return "scf.if" in names and any(name != "scf.if" for name in names[names.index("scf.if") :])


# --- shared memory


Window = Path
"""A part of an allocation, which is the root of the path."""


def window(ref: Any) -> Window | None:
    """The part of an allocation in shared memory that `ref` is; None for everything else."""
    path = path_of(ref) if isinstance(ref, ir.Value) else None
    return path if is_window(path) else None


def is_window(path: Path | None) -> TypeGuard[Window]:
    """Whether the path says which part of an allocation in shared memory it leads to."""
    return path is not None and path.in_shared_memory and path.is_exact


def overlap(one: Window, other: Window) -> bool:
    """Whether two windows have an element in common for sure."""
    if one.root != other.root:
        return False
    if one is other:
        return True
    if one.of is not None and one.of is other.of and one.index is not None and other.index is not None:
        meet = [_meet(*pair) for pair in zip(_each(one.index), _each(other.index), strict=False)]  # the rest is whole
        if None not in meet:
            return all(meet)
    if one.extent is not None and other.extent is not None:  # and takes less time than what follows
        (start, stop), (other_start, other_stop) = one.extent, other.extent
        if stop <= other_start or other_stop <= start:
            return False
    slices = [[step for step in each.steps if step[0] == "memref.subview"] for each in (one, other)]
    if not all(slices) or one.steps == other.steps:
        return True
    if any(len(each) > 1 or whole.steps[0] != each[0] for each, whole in zip(slices, (one, other), strict=True)):
        return False
    ((_, starts, sizes, computed),), ((_, other_starts, other_sizes, also_computed),) = slices
    if computed or also_computed:
        return False
    extents = zip(starts, sizes, other_starts, other_sizes, strict=True)
    return all(start < other + its_size and other < start + size for start, size, other, its_size in extents)


def _each(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


def _meet(one: Any, other: Any) -> bool | None:
    """Whether two indices of one dimension have a place in common for sure; None of those that count from the end."""
    ranges = _range(one), _range(other)
    if None in ranges:
        return None
    (start, length), (other_start, other_length) = ranges  # type: ignore[misc]
    if isinstance(start, int) and isinstance(other_start, int):
        return bool(start < other_start + other_length and other_start < start + length)
    return _ALL in ranges or bool(start == other_start)


_ALL = (0, math.inf)


def _range(index: Any) -> tuple[Any, float] | None:
    """Where an index begins, a number or a value, and how far it reaches."""
    if isinstance(index, utils.DynamicSlice):
        return index.base, index.length
    if isinstance(index, slice):
        start, stop = index.start or 0, math.inf if index.stop is None else index.stop
        known = isinstance(start, int) and isinstance(stop, int | float) and 0 <= start < stop
        return (start, stop - start) if known else None
    return (index, 1) if isinstance(index, ir.Value) or (isinstance(index, int) and index >= 0) else None


# --- tensor memory


class Span(NamedTuple):
    """Columns of an allocation in tensor memory; `start` is None where an index decides."""

    allocation: ir.Value
    address: ir.Value
    start: int | None
    columns: int


def span(tmem: Any) -> Span:
    """Where a TMEM reference lies."""
    address, start = tmem.address, 0
    known: int | None = start
    while not isinstance(owner := address.owner, ir.Block) and owner.name == "arith.addi":
        address, index = owner.operands
        offset = constant(index)
        known = None if known is None or offset is None else known + offset
    columns = tmem.layout.cols_in_shape(tmem.shape, utils.bitwidth(tmem.dtype))
    return Span(address, tmem.address, known, columns)


def spans_overlap(one: Span, other: Span) -> bool:
    """Whether two spans have a column in common for sure."""
    if one.allocation != other.allocation:
        return False
    if one.start is None or other.start is None:
        return one.address == other.address
    return one.start < other.start + other.columns and other.start < one.start + one.columns


def constant(value: Any) -> int | None:
    """The number that a value is for sure."""
    owner: Any = value.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return None
    attribute = owner.attributes["value"]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None


# --- barriers


class Mbarrier(NamedTuple):
    """One barrier of those allocated together; `number` is None where only the value `offset` says which."""

    allocation: ir.Value
    offset: ir.Value
    number: int | None

    def is_surely(self, other: "Mbarrier") -> bool:
        if self.allocation != other.allocation:
            return False
        return self.offset == other.offset if None in (self.number, other.number) else self.number == other.number


def mbarrier(barrier: Any) -> Mbarrier | None:
    """The barrier that a reference is; None of a pointer."""
    barrier = getattr(barrier, "barrier", barrier)  # the one inside a collective barrier
    if not isinstance(barrier, utils.BarrierRef):
        return None
    return Mbarrier(barrier.base_address, barrier.offset, index_of(barrier.offset))


def index_of(value: ir.Value) -> int | None:
    """The number that a sum of constants is."""
    index = 0
    while not isinstance(owner := value.owner, ir.Block) and owner.name == "arith.addi":
        value, step = owner.operands
        if (number := constant(step)) is None:
            return None
        index += number
    base = constant(value)
    return None if base is None else index + base


# --- what raw code emitted


def unseen(block: ir.Block, instruction: str, seen: int) -> bool:
    """Whether the kernel has more of an instruction so far than rules have `seen`: a pattern of PTX's names.

    What raw code emits is seen by no rule, and may be what is missed. Looking at every operation of a kernel takes
    long, so a rule asks last, when everything else says that it is broken.
    """
    (*_, kernel) = enclosing(block)
    pattern, found = re.compile(f"{instruction}|^call$"), 0

    def look(operation: ir.Operation) -> ir.WalkResult:
        nonlocal found
        found += len(pattern.findall(ptx_of(operation)))
        return ir.WalkResult.ADVANCE

    kernel.operation.walk(look)
    return found > seen


def ptx_of(operation: Any) -> str:
    """What an operation becomes in PTX, as far as it is one instruction; a call may be anything."""
    name: str = operation.name
    if name == "llvm.inline_asm":
        name = operation.attributes["asm_string"].value
    elif name == "llvm.call_intrinsic":
        name = operation.attributes["intrin"].value
    elif name in ("llvm.call", "func.call"):
        return "call"
    elif not name.startswith("nvvm."):
        return ""
    elif "kind" in operation.attributes:
        name = f"{name} {operation.attributes['kind']}"
    return name.replace("_", ".").replace("::", ".")
