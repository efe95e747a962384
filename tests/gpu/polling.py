"""Asking a barrier, where waiting for it might have no end."""

from typing import Any

from jax.experimental.mosaic.gpu import utils
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, scf

POLLS = 1 << 16
"""Some milliseconds, of which a copy of 128 KiB takes a thousandth."""


def completes(barrier: Any) -> Any:
    """Whether the first phase of a barrier completes while its threads ask for that, the same in all of them."""
    i1, i32 = ir.IntegerType.get_signless(1), ir.IntegerType.get_signless(32)
    loop = scf.WhileOp([i1, i32], [utils.c(0, i1), utils.c(0, i32)])
    asked, ask = loop.before.blocks.append(i1, i32), loop.after.blocks.append(i1, i32)
    with ir.InsertionPoint.at_block_begin(asked):
        complete, polls = asked.arguments
        again = arith.cmpi(arith.CmpIPredicate.ult, polls, utils.c(POLLS, i32))
        scf.condition(arith.andi(again, arith.xori(complete, utils.c(1, i1))), [complete, polls])
    with ir.InsertionPoint.at_block_begin(ask):
        complete = barrier.test_parity(utils.c(0, i1))
        scf.yield_([complete, arith.addi(ask.arguments[1], utils.c(1, i32))])
    return loop.results[0]
