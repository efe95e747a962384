"""Scalars: their classes, and the one operation that each operator emits."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, gpu, nvvm

import safegpu as mgpu
from safegpu import fragmented_array, tcgen05, utils
from tests.runtime.kernels import BLACKWELL, in_kernel, trace

X = mgpu.Dimension.x
INT, FLOAT = arith.CmpIPredicate, arith.CmpFPredicate


def emitted(value: ir.Value) -> str:
    """The operation that made a value, without its operands' names, and its predicate if it has one."""
    owner = value.owner
    predicate = "predicate" in owner.attributes and owner.attributes["predicate"].value
    return owner.name if predicate is False else f"{owner.name} {predicate}"


@in_kernel()
def test_arithmetic_of_integers(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    operations: dict[Callable[[Any, Any], Any], str] = {
        operator.add: "addi", operator.sub: "subi", operator.mul: "muli", operator.floordiv: "divui",
        operator.mod: "remui", operator.lshift: "shli", operator.rshift: "shrui", operator.and_: "andi",
        operator.or_: "ori", operator.xor: "xori",
    }  # fmt: skip
    for dtype in (mgpu.Index, mgpu.I8, mgpu.I16, mgpu.I32, mgpu.I64):
        a, b = mgpu.c(7, dtype), mgpu.c(2, dtype)
        assert type(a) is dtype
        for operate, name in operations.items():
            for lhs, rhs in (
                (a, b),
                (a, 2),
                (a, np.int64(2)),
                (7, b),
                (a, b.maybe_downcast()),
                (a.maybe_downcast(), b),
            ):
                result = operate(lhs, rhs)
                assert type(result) is dtype
                assert emitted(result) == f"arith.{name}"
                first, second = (
                    ir.IntegerAttr(operand.owner.attributes["value"]).value for operand in result.owner.operands
                )
                assert (first, second) == (7, 2)


@in_kernel()
def test_comparisons_are_unsigned_for_indices_and_signed_for_integers(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    for dtype, sign in ((mgpu.Index, "u"), (mgpu.I32, "s")):
        a, b = mgpu.c(1, dtype), mgpu.c(2, dtype)
        for compare in (operator.lt, operator.le, operator.gt, operator.ge):
            result = compare(a, b)
            assert type(result) is mgpu.I1
            assert emitted(result) == f"arith.cmpi {INT[sign + compare.__name__].value}"
        assert emitted(a.eq(2)) == f"arith.cmpi {INT.eq.value}"
        assert emitted(a.ne(b)) == f"arith.cmpi {INT.ne.value}"
        assert emitted(1 < b) == f"arith.cmpi {INT[sign + 'gt'].value}"


@in_kernel()
def test_floats(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    for dtype, cls in (
        (mgpu.float16, mgpu.F16), (mgpu.bfloat16, mgpu.BF16),
        (mgpu.float32, mgpu.F32), (mgpu.float64, mgpu.F64),
    ):  # fmt: skip
        a = mgpu.c(1.5, dtype)
        for operate, name in (
            (operator.add, "addf"), (operator.sub, "subf"),
            (operator.mul, "mulf"), (operator.truediv, "divf"),
        ):  # fmt: skip
            for result in (operate(a, a), operate(a, 2), operate(0.5, a)):
                assert type(result) is cls
                assert emitted(result) == f"arith.{name}"
        assert type(-a) is cls
        assert emitted(-a) == "arith.negf"
        for result, predicate in (
            (a < a, FLOAT.OLT), (a <= 1, FLOAT.OLE), (a > a, FLOAT.OGT), (a >= a, FLOAT.OGE),
            (a.eq(a), FLOAT.OEQ), (a.ne(1.0), FLOAT.UNE),
        ):  # fmt: skip
            assert type(result) is mgpu.I1
            assert emitted(result) == f"arith.cmpf {predicate.value}"


@in_kernel()
def test_truth_values(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    p, q = mgpu.c(1, mgpu.bool_), mgpu.c(0, mgpu.I1)
    for result, name in ((p & q, "andi"), (p | True, "ori"), (False ^ q, "xori"), (~p, "xori")):
        assert type(result) is mgpu.I1
        assert emitted(result) == f"arith.{name}"
    for each in (p, mgpu.thread_idx(), mgpu.block_id(X), mgpu.c(1, mgpu.float32)):
        with pytest.raises(mgpu.RuleError, match=r"SG811: .* is true or false on the GPU, .*: use mgpu.when"):
            bool(each)
    with mgpu.when(p & ~q):
        pass


@in_kernel()
def test_mixed_types_are_refused(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    i, n = mgpu.block_id(X), mgpu.thread_idx()
    for lhs, rhs, names in (
        (i, n, "Index and I32"),
        (n, i, "I32 and Index"),
        (n, i.maybe_downcast(), "I32 and Index"),
    ):
        with pytest.raises(TypeError) as caught:
            lhs + rhs
        assert str(caught.value) == (
            f"+: expected two scalars of one type, got {names}; convert one of them (to_i32, to_index)"
        )
    with pytest.raises(TypeError, match=r"<: expected two scalars of one type, got I32 and F32; convert one of them$"):
        n < mgpu.c(1.0, mgpu.float32)  # noqa: B015
    with pytest.raises(TypeError, match="unsupported operand"):
        i + 1.5
    assert type(i.to_i32() + n) is mgpu.I32
    assert type(n.to_index() + i) is mgpu.Index


@in_kernel()
def test_a_scalar_is_the_value(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    i = mgpu.block_id(X)
    assert isinstance(i, ir.Value)
    assert i == i.maybe_downcast()
    assert {i.maybe_downcast(): 1}[i] == 1
    assert repr(i) == "Index(index)"
    assert type(mgpu.memref_slice(x, mgpu.ds(i * 0, 4))) is mgpu.GmemRef


class Memory(mgpu.Scratch):
    barriers = mgpu.Barrier(1, 2)
    collective = mgpu.ClusterBarrier([X])
    answer = mgpu.SMEM((4,), mgpu.int32)


@in_kernel(scratch=Memory, arch=BLACKWELL, peers=2)
def test_functions_that_give_scalars(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    index, integer, single, half = mgpu.block_id(X), mgpu.thread_idx(), mgpu.c(1.0, mgpu.F32), mgpu.c(1.0, mgpu.F16)
    i32, i64, f32, f16 = (
        ir.IntegerType.get_signless(32),
        ir.IntegerType.get_signless(64),
        ir.F32Type.get(),
        ir.F16Type.get(),
    )
    partition, line = mgpu.Partition((64,), partition=(0,), num_chunks=(4,)), mgpu.Partition1D(64, chunk_size=16)
    barrier = smem.barriers[0]
    parity, parities = barrier.update_parities(mgpu.c(0, mgpu.int32))
    dense = (64, 64, f32, f16, f16)
    given: dict[type, list[Any]] = {
        mgpu.Index: [
            mgpu.block_id(X), mgpu.cluster_block_id(X), mgpu.thread_id(X), mgpu.grid_dim(X), mgpu.cluster_idx(X),
            *partition.get_base(index), line.get_base(index), line.partition.get_base(index)[0],
            line.refine(chunk=index, num_chunks=2).get_base(index),
            *line.refine(num_chunks=2).partition.get_base(index),
            utils.elements_to_bytes(index, 32), utils.dyn_dot([index], [index]),
        ],
        mgpu.I32: [
            integer, mgpu.warp_idx(), mgpu.warpgroup_idx(sync=False), utils.block_idx(), utils.clock(), utils.smid(),
            utils.warpgroup_barrier_idx(), utils.globaltimer("low"), utils.globaltimer(kind="high"), parities,
            utils.cluster_collective_mask((2, 1, 1), X), ctx.device_id(), *mgpu.query_cluster_cancel(smem.answer)[:3],
            utils.shfl_bfly(integer, 1), utils.redux(integer, mgpu.c(-1, mgpu.I32), utils.ReductionKind.ADD),
            utils.prmt(integer, integer, integer), utils.dyn_dot([integer], [integer]), utils.bitcast(single, mgpu.I32),
            utils.bitcast(single, i32), utils.inline_ptx("mov.u32 $0, $1;", integer, result_types=mgpu.int32),
            *utils.inline_ptx("mov.b64 {$0, $1}, $2;", mgpu.c(0, mgpu.I64), result_types=[i32, mgpu.I32]),
            tcgen05.create_instr_descriptor(*dense), utils.c(1, mgpu.I32), fragmented_array.c(1, mgpu.I32),
        ],
        mgpu.I64: [utils.globaltimer(), utils.inline_ptx("mov.u64 $0, 0;", result_types=i64)],
        mgpu.I1: [
            mgpu.single_thread_predicate(), barrier.test(), parity, barrier.test_parity(parity),
            mgpu.query_cluster_cancel(smem.answer)[3],
        ],
        mgpu.F32: [
            utils.shfl_bfly(single, 1), utils.warp_tree_reduce(single, fragmented_array.addf, 32),
            utils.warp_tree_reduce(single, lambda a, b: a * b, 32), utils.bitcast(integer, mgpu.float32),
            fragmented_array.subf(single, single), fragmented_array.mulf(single, single),
        ],
        mgpu.F16: [utils.shfl_bfly(half, 1), fragmented_array.addf(half, half)],
    }  # fmt: skip
    for cls, values in given.items():
        assert {type(value) for value in values} == {cls}
    vector = utils.bitcast(mgpu.c(0, mgpu.I64), ir.VectorType.get((2,), i32))
    assert isinstance(vector, ir.OpResult), "what is no scalar stays as it is"


@in_kernel()
def test_loops_give_an_index_of_the_type_of_their_bound(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    for cls in (mgpu.Index, mgpu.I32, mgpu.I64):
        given = []
        mgpu.fori(mgpu.c(2, cls), mgpu.c(1.0, mgpu.F32))(lambda i, acc: given.append(i) or acc + 1.0)  # noqa: B023
        assert [type(each) for each in given] == [cls]
    for bound, got in ((mgpu.c(4.0, mgpu.F32), "F32"), (arith.constant(ir.F64Type.get(), 4.0), "F64")):
        with pytest.raises(TypeError, match=f"fori: expected an Index or another integer scalar, got {got}"):
            mgpu.fori(bound, None)


@in_kernel()
def test_elements_are_scalars(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    for dtype, cls in (
        (mgpu.float16, mgpu.F16), (mgpu.float32, mgpu.F32), (mgpu.uint8, mgpu.I8), (mgpu.int16, mgpu.I16),
        (mgpu.int64, mgpu.I64),
    ):  # fmt: skip
        zero = mgpu.c(0.0 if dtype.is_signed is None else 0, dtype)
        array = mgpu.FragmentedArray.splat(zero, (64, 8), mgpu.WGMMA_LAYOUT, is_signed=dtype.is_signed)
        given: list[tuple[Any, tuple[Any, ...]]] = []
        array.foreach(lambda value, index: given.append((value, index)))  # noqa: B023
        assert {(type(value), *map(type, index)) for value, index in given} == {(cls, mgpu.Index, mgpu.Index)}
        doubled = array.foreach(lambda value, index: value + value, create_array=True, is_signed=dtype.is_signed)
        assert (doubled.layout, doubled.mlir_dtype) == (array.layout, array.mlir_dtype)


@pytest.mark.parametrize("other", [mgpu.I32, mgpu.I64, mgpu.I1, mgpu.F32])
def test_mlir_refuses_what_the_operators_refuse(other: Any) -> None:
    def body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        arith.addi(mgpu.block_id(X), mgpu.c(1, other))

    with pytest.raises(ir.MLIRError, match="Verification failed"):
        trace(body)


@in_kernel()
def test_constants(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    for ty in (mgpu.uint32, mgpu.I32, ir.IntegerType.get_signless(32)):
        assert type(mgpu.c(-1, ty)) is mgpu.I32
    vector = mgpu.c(1, ir.VectorType.get((2,), ir.F32Type.get()))
    assert isinstance(vector, ir.OpResult)
    with pytest.raises(TypeError):
        mgpu.c(1.5, mgpu.int32)


@in_kernel()
def test_minimum_and_maximum(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    for dtype in (mgpu.Index, mgpu.I32, mgpu.F32):
        a, b = mgpu.c(7, dtype), mgpu.c(2, dtype)
        name = {mgpu.Index: "ui", mgpu.I32: "si", mgpu.F32: "imumf"}[dtype]
        for other in (b, 2):
            assert type(a.min(other)) is type(a.max(other)) is dtype
            assert emitted(a.min(other)) == f"arith.min{name}"
            assert emitted(a.max(other)) == f"arith.max{name}"
    with pytest.raises(TypeError, match="min: expected two scalars of one type, got I32 and Index"):
        mgpu.c(1, mgpu.I32).min(mgpu.c(1, mgpu.Index))
    with pytest.raises(TypeError, match=r"max: expected I32 or a number of its kind, got 2\.5"):
        mgpu.c(1, mgpu.I32).max(2.5)
    with pytest.raises(TypeError, match="eq: expected Index or a number of its kind, got None"):
        mgpu.block_id(X).eq(None)


@in_kernel()
def test_select(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    condition = mgpu.block_id(X) < 1
    i, f = mgpu.c(7, mgpu.I32), mgpu.c(1.0, mgpu.F32)
    for on_true, on_false, dtype in ((i, i, mgpu.I32), (i, 1, mgpu.I32), (1, i, mgpu.I32), (f, 0.5, mgpu.F32)):
        chosen = condition.select(on_true, on_false)
        assert type(chosen) is dtype
        assert emitted(chosen) == "arith.select"
    with pytest.raises(TypeError, match="select: expected two scalars of one type, got I32 and F32"):
        condition.select(i, f)
    with pytest.raises(TypeError, match="select: expected two scalars or numbers of one type"):
        condition.select(i, 0.5)
    with pytest.raises(TypeError, match="select: expected a scalar among the two values, got 1 and 2"):
        condition.select(1, 2)


def test_instructions_that_mosaic_gpu_leaves_to_the_dialects() -> None:
    def typed(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        mgpu.set_max_registers(40, action="decrease")
        mgpu.set_max_registers(232, action="increase")
        mgpu.wgmma_commit_group()
        mgpu.wgmma_wait_group(1)
        mgpu.block_barrier()

    def raw(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        nvvm.setmaxregister(40, nvvm.SetMaxRegisterAction.decrease)
        nvvm.setmaxregister(232, nvvm.SetMaxRegisterAction.increase)
        nvvm.wgmma_commit_group_sync_aligned()
        nvvm.wgmma_wait_group_sync_aligned(1)
        gpu.barrier()

    raw.__name__ = "typed"  # the body's name is the module's
    assert trace(typed) == trace(raw)
