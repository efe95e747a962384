"""How many threads run an instruction at most: by the conditionals around it, and its predicate."""

from typing import Any, NamedTuple

from safegpu._jax import ir
from safegpu.watch._program import constant, enclosing

_WARP, _WARPS = 32, 4  # threads of a warp, warps of a warpgroup


class Threads(NamedTuple):
    """At most so many warpgroups, so many warps of each, and so many threads of each of these."""

    groups: int
    warps: int
    lanes: int

    @property
    def number(self) -> int:
        return self.groups * self.warps * self.lanes

    def and_of(self, other: "Threads") -> "Threads":
        return Threads(*map(min, self, other))


ONE = Threads(1, 1, 1)


def of_kernel(block: ir.Block) -> Threads:
    """All threads of a block of the kernel."""
    (*_, launch) = enclosing(block)
    number = 1
    for axis in "XYZ":
        number *= constant(getattr(launch.opview, f"blockSize{axis}")) or 1024
    warps = -(-number // _WARP)
    return Threads(-(-warps // _WARPS), min(warps, _WARPS), min(number, _WARP))


def of_operation(operation: Any, *, loops: bool = False) -> Threads | None:
    """Those that run an operation, once each; None where a loop is around it, unless any number of `loops` will do."""
    everybody = of_kernel(operation.operation.block)
    threads = everybody
    for operand in operation.operands:
        if isinstance(operand.type, ir.IntegerType) and operand.type.width == 1:
            threads = threads.and_of(of_condition(operand, everybody))
    inner = operation.operation.block
    for parent in enclosing(inner):
        if parent.name == "scf.if":
            if inner == parent.regions[0].blocks[0]:
                threads = threads.and_of(of_condition(parent.operands[0], everybody))
        elif parent.name != "gpu.launch" and not loops:
            return None
        inner = parent.operation.block
    return threads


def of_condition(condition: Any, everybody: Threads) -> Threads:
    """Those for which a value is true."""
    owner: Any = condition.owner
    if isinstance(owner, ir.Block):
        return everybody
    if owner.name == "nvvm.elect.sync":
        return everybody._replace(lanes=1)
    if owner.name == "arith.andi":
        one, other = (of_condition(each, everybody) for each in owner.operands)
        return one.and_of(other)
    if owner.name == "arith.cmpi" and owner.attributes["predicate"].value == _EQUAL:
        value, number = owner.operands
        return everybody if constant(number) is None else everybody.and_of(_of_equal(value, everybody))
    return everybody


_EQUAL = 0
# The bit that part of a thread's index begins at and what it is the rest by, and how many threads have it in common.
_PARTS: dict[tuple[int, int], dict[str, int]] = {
    (0, 0): {"groups": 1, "warps": 1, "lanes": 1},
    (0, _WARP): {"lanes": 1},
    (0, _WARP * _WARPS): {"warps": 1, "lanes": 1},
    (5, 0): {"groups": 1, "warps": 1},
    (5, _WARPS): {"warps": 1},
    (7, 0): {"groups": 1},
}


def _of_equal(value: Any, everybody: Threads) -> Threads:
    """Those for which a value is one number, where it is the index of thread, warp or warpgroup, or a rest of it."""
    shift = modulus = 0
    while not isinstance(owner := value.owner, ir.Block):
        if owner.name == "nvvm.shfl.sync":
            value = owner.operands[1]  # the same in all threads of the warp
        elif owner.name in ("arith.index_cast", "arith.index_castui", "arith.extui"):
            value = owner.operands[0]
        elif owner.name == "arith.remui" and not modulus and not shift and (number := constant(owner.operands[1])):
            modulus, value = number, owner.operands[0]
        elif owner.name == "arith.shrui" and not shift and (number := constant(owner.operands[1])):
            shift, value = number, owner.operands[0]
        else:
            break
    part = _PARTS.get((shift, modulus))
    return everybody._replace(**part) if part and _is_thread_index(value) else everybody


def _is_thread_index(value: Any) -> bool:
    """Whether it is the sum that `thread_idx` makes, which no two threads of a block have in common."""
    axes, waiting = 0, [value]
    while waiting:
        owner: Any = waiting.pop().owner
        if isinstance(owner, ir.Block) or owner.name not in _SUM:
            return False
        axes += owner.name == "gpu.thread_id"
        waiting.extend(owner.operands)
    return axes == 3


_SUM = frozenset({"arith.addi", "arith.muli", "arith.index_cast", "gpu.thread_id", "gpu.block_dim"})
