"""Checked, never run. `# error` marks the lines that every checker must reject, and no other line may be."""

# ruff: noqa: F841

from __future__ import annotations

from typing import Any, assert_type

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, builtin, cf, func, gpu, llvm, math, memref, nvvm, scf, vector


class Index(ir.Value[ir.IndexType]): ...


class I32(ir.Value[ir.IntegerType]): ...


class F32(ir.Value[ir.FloatType]): ...


class Buffer(ir.Value[ir.MemRefType]): ...


def scalars(i: Index, j: Index, n: I32, x: F32, raw: ir.Value, unknown: Any, some: ir.Value[ir.Type]) -> None:
    """What goes in comes out; two MLIR types in one operation do not."""
    assert_type(arith.muli(i, j), Index)
    assert_type(arith.addi(n, n), I32)
    assert_type(arith.addf(x, x), F32)
    assert_type(math.exp(x), F32)
    assert_type(math.fma(x, x, x), F32)
    assert_type(arith.muli(i, raw), Index)
    assert_type(arith.select(arith.cmpi(arith.CmpIPredicate.slt, i, j), i, j), Index)
    assert_type(arith.cmpi(arith.CmpIPredicate.eq, i, j), ir.OpResult[ir.IntegerType])
    index: ir.Value[ir.IndexType] = arith.addi(raw, i)
    arith.muli(raw, raw)
    arith.muli(unknown, i)
    arith.addi(i, unknown)
    arith.addi(i, some)
    arith.addi(some, some)
    arith.addi(n, arith.constant(ir.IntegerType.get_signless(32), 1))
    arith.addi(i, arith.index_cast(ir.IndexType.get(), n))
    arith.addi(i, n)  # error
    arith.addi(n, i)  # error
    arith.addi(i, arith.constant(ir.IntegerType.get_signless(32), 1))  # error
    arith.addi(i, arith.trunci(ir.IntegerType.get_signless(8), n))  # error
    arith.cmpi(arith.CmpIPredicate.eq, i, n)  # error
    arith.addi(x, x)  # error
    arith.addf(i, i)  # error
    math.exp(n)  # error
    math.ctlz(x)  # error
    scalar: F32 = arith.addi(n, n)  # error


def calls(i: Index, n: I32, raw: ir.Value, kind: ir.Type) -> None:
    """Keywords and operands are MLIR's."""
    arith.addi(i, i, overflow_flags=arith.IntegerOverflowFlags.nsw)
    arith.addi(i)  # error
    arith.addi(i, i, overflow=1)  # error
    arith.addi(i, 1)  # error
    arith.constant(ir.IntegerType.get_signless(1), 0)
    arith.constant(ir.F32Type.get(), 0.5)
    arith.constant(kind, 1)
    arith.constant(result=kind, value=ir.IntegerAttr.get(kind, 1))
    assert_type(arith.constant(ir.IndexType.get(), 0), ir.OpResult[ir.IndexType])
    arith.constant(kind)  # error
    arith.constant(0, kind)  # error
    gpu.barrier()
    assert_type(gpu.block_id(gpu.Dimension.x), ir.OpResult[ir.IndexType])
    gpu.block_id()  # error
    gpu.printf("%d", n, raw)
    nvvm.cp_async_bulk_wait_group(0, read=True)
    nvvm.cp_async_bulk_wait_group(0, write=True)  # error
    llvm.mlir_zero(llvm.PointerType.get(3))
    llvm.no_such_operation(raw)  # error
    vector.broadcast(kind, raw)
    vector.broadcast(raw)  # error
    cf.assert_(raw, "message")
    cf.assert_(raw)  # error


def operations(i: Index, n: I32, op: ir.OpView) -> None:
    """An operation of one result stands for the result."""
    arith.addi(op, op)
    arith.addi(arith.ConstantOp(ir.IndexType.get(), 1), i)
    arith.addi(i, op)
    scf.ForOp(op, i, i)
    arith.index_cast(ir.IndexType.get(), op)


def regions(i: Index, cond: ir.Value) -> None:
    """What people wrote over TableGen's classes is what a dialect has."""
    with ir.InsertionPoint(scf.IfOp(cond).then_block):
        scf.yield_([])
    both = scf.IfOp(cond, has_else=True)
    with ir.InsertionPoint(both.else_block):
        scf.yield_([])
    loop = scf.ForOp(i, i, i, [i])
    assert_type(loop.induction_variable, ir.BlockArgument)
    scf.yield_(loop.inner_iter_args)
    for _ in scf.for_(0, 4, 1):
        scf.yield_([])
    builtin.ModuleOp().body.append(ir.Operation.create("some.op"))
    func.FuncOp("kernel", ([], []), visibility="private").add_entry_block()
    scf.IfOp(cond, else_=True)  # error
    scf.IfOp()  # error
    scf.ForOp(i, i)  # error


def references(buffer: Buffer, i: Index, n: I32) -> None:
    """A reference that an operation gives is unknown: it may go anywhere."""
    view: Buffer = memref.subview(buffer, [0], [8], [1])
    cast: Buffer = memref.cast(ir.MemRefType.get([8], ir.F32Type.get()), buffer)
    whole: Buffer = gpu.dynamic_shared_memory(ir.MemRefType.get([8], ir.F32Type.get()))
    element: ir.Value = memref.load(buffer, [i])
    memref.store(element, buffer, [i])
    memref.load(buffer, [n])  # error
    memref.load(buffer)  # error
    number: int = memref.load(buffer, [i])  # error
