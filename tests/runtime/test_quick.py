"""Making a kernel takes less time, and what comes out is the same; afterwards all is as it was."""

import array
import gc
import threading
from collections.abc import Callable
from typing import Any

import pytest
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith

from safegpu._jax import make_ir_context, utils
from safegpu._quick import quickly
from tests.runtime.kernels import trace

CONSTANT = arith.constant


def signless(width: int) -> ir.Type:
    return ir.IntegerType.get_signless(width)


CONSTANTS: list[Callable[[], Any]] = [
    lambda: arith.constant(signless(32), 7),
    lambda: arith.constant(signless(8), -1),
    lambda: arith.constant(signless(1), True),
    lambda: arith.constant(signless(1), 1),
    lambda: arith.constant(ir.IndexType.get(), 3),
    lambda: arith.constant(result=ir.F32Type.get(), value=0.1),
    lambda: arith.constant(ir.F16Type.get(), float("inf")),
    lambda: arith.constant(signless(64), ir.IntegerAttr.get(signless(64), 1 << 40)),
    lambda: arith.constant(ir.BF16Type.get(), ir.FloatAttr.get(ir.BF16Type.get(), 2.5)),
    lambda: arith.constant(ir.VectorType.get((2,), signless(32)), array.array("i", [1, 2])),
    lambda: arith.constant(
        ir.VectorType.get((2,), ir.F32Type.get()),
        ir.DenseElementsAttr.get_splat(
            ir.VectorType.get((2,), ir.F32Type.get()), ir.FloatAttr.get(ir.F32Type.get(), 1.0)
        ),
    ),
    lambda: arith.constant(signless(32), 7, loc=ir.Location.name("here")),
    lambda: utils.c(5, signless(16)),
    lambda: utils.c(5, ir.F32Type.get()),
]
WRONG: list[Callable[[], Any]] = [
    lambda: arith.constant(signless(32), 1.5),
    lambda: arith.constant(signless(32), "1"),
    lambda: arith.constant(signless(8), 1 << 80),
    lambda: arith.constant(None, 1),
    lambda: arith.constant(signless(32)),
    lambda: arith.constant(signless(32), 1, where=None),  # type: ignore[call-arg]
]


def module(make: Callable[[], Any]) -> tuple[str, type, type]:
    with make_ir_context(), ir.Location.unknown():
        made = ir.Module.create()
        with ir.InsertionPoint(made.body):
            value = make()
        return made.operation.get_asm(enable_debug_info=True), type(value), type(value.owner)


@pytest.mark.parametrize("make", CONSTANTS)
def test_a_constant_is_the_same(make: Callable[[], Any]) -> None:
    expected = module(make)
    with quickly:
        assert arith.constant is not CONSTANT
        assert module(make) == expected


@pytest.mark.parametrize("make", WRONG)
def test_what_is_no_constant_is_refused_alike(make: Callable[[], Any]) -> None:
    with pytest.raises(Exception) as expected:  # of MLIR, of nanobind or of Python
        module(make)
    with quickly, pytest.raises(type(expected.value)):
        module(make)


def test_all_is_as_it_was_after_the_last_of_several() -> None:
    entered, leave = threading.Event(), threading.Event()

    def another() -> None:
        with quickly:
            entered.set()
            leave.wait(60)

    thread = threading.Thread(target=another)
    with pytest.raises(KeyError), quickly:
        thread.start()
        assert entered.wait(60)
        raise KeyError
    assert arith.constant is not CONSTANT
    assert not gc.isenabled()
    leave.set()
    thread.join()
    assert arith.constant is CONSTANT
    assert gc.isenabled()


def test_what_somebody_else_has_put_there_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        return CONSTANT(*args, **kwargs)

    def body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        utils.c(1, signless(32))

    def replaces(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        monkeypatch.setattr(arith, "constant", counted)

    monkeypatch.setattr(arith, "constant", counted)
    trace(body)
    assert arith.constant is counted
    assert calls
    monkeypatch.setattr(arith, "constant", CONSTANT)
    trace(replaces)
    assert arith.constant is counted


def test_a_body_is_traced_quickly() -> None:
    def body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        assert arith.constant is not CONSTANT
        assert not gc.isenabled()

    def fails(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        raise KeyError

    trace(body)
    with pytest.raises(KeyError):
        trace(fails)
    assert arith.constant is CONSTANT
    assert gc.isenabled()


def test_who_collects_nothing_goes_on_so() -> None:
    gc.disable()
    try:
        with quickly:
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
