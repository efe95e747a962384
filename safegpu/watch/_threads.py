"""How many threads run an instruction at most: by the conditionals around it, and its predicate."""

from typing import Any, NamedTuple

from safegpu._jax import ir
from safegpu.watch._program import constant, enclosing

_WARP = 32


class Threads(NamedTuple):
    """At most so many warps, and so many threads of each."""

    warps: int
    lanes: int

    @property
    def number(self) -> int:
        return self.warps * self.lanes

    def and_of(self, other: "Threads") -> "Threads":
        return Threads(min(self.warps, other.warps), min(self.lanes, other.lanes))


def of_kernel(block: ir.Block) -> Threads:
    """All threads of a block of the kernel."""
    (*_, launch) = enclosing(block)
    sizes = [constant(getattr(launch.opview, f"blockSize{axis}")) for axis in "XYZ"]
    number = 1
    for size in sizes:
        number *= 1024 if size is None else size
    return Threads(-(-number // _WARP), min(number, _WARP))


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
        return Threads(everybody.warps, 1)
    if owner.name == "arith.andi":
        one, other = (of_condition(each, everybody) for each in owner.operands)
        return one.and_of(other)
    if (
        owner.name == "arith.cmpi"
        and owner.attributes["predicate"].value == 0
        and constant(owner.operands[1]) is not None
    ):
        return everybody.and_of(_of_equal(owner.operands[0], everybody))
    return everybody


def _of_equal(value: Any, everybody: Threads) -> Threads:
    """Those that have one number in `value`: the index of the thread, of its warp or of its warpgroup, or its rest."""
    modulus, divisor = 0, 1
    while not isinstance(owner := value.owner, ir.Block):
        if owner.name == "nvvm.shfl.sync":
            value = owner.operands[1]  # the same in all threads of the warp
        elif owner.name in ("arith.index_cast", "arith.index_castui", "arith.extui"):
            value = owner.operands[0]
        elif owner.name == "arith.remui" and not modulus and divisor == 1 and (number := constant(owner.operands[1])):
            modulus, value = number, owner.operands[0]
        elif owner.name == "arith.shrui" and divisor == 1 and (number := constant(owner.operands[1])):
            divisor, value = 1 << number, owner.operands[0]
        else:
            break
    if not _is_thread_index(value):
        return everybody
    apart = modulus * divisor  # of two threads with the same number and others in between
    groups = -(-everybody.warps * _WARP // apart) if apart else 1
    return Threads(groups * max(divisor // _WARP, 1), min(divisor, _WARP))


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
