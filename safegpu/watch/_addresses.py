"""Which instructions have an address in a buffer, read from the module under construction."""

from collections.abc import Iterator, Set
from typing import Any

from safegpu._facts import VIEWS
from safegpu._jax import ir

ADDRESSES = VIEWS | {
    "arith.addi", "arith.index_cast", "arith.index_castui", "arith.muli", "arith.ori", "arith.trunci", "arith.xori",
    "builtin.unrealized_conversion_cast", "llvm.add", "llvm.and", "llvm.extractvalue", "llvm.getelementptr",
    "llvm.inttoptr", "llvm.lshr", "llvm.mul", "llvm.or", "llvm.ptrtoint", "memref.extract_aligned_pointer_as_index",
    "memref.extract_strided_metadata",
}  # fmt: skip
"""Operations that make an address, or a descriptor, of another."""


def users(buffer: ir.Value, through: Set[str] = ADDRESSES) -> Iterator[Any]:
    """The operations that have an address in the buffer by way of these, and make none of it."""
    addresses, seen = [buffer], {buffer}
    while addresses:
        for use in addresses.pop().uses:
            operation: Any = use.owner.operation
            if operation.name not in through:
                yield operation
                continue
            new = [each for each in operation.results if each not in seen]
            seen.update(new)
            addresses += new
