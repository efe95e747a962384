"""Checked, never run. `# error` marks the lines that every checker must reject, and no other line may be."""

# ruff: noqa: F841

from __future__ import annotations

from typing import assert_type

from jaxlib.mlir import ir


class Reference(ir.Value): ...


def takes_value(value: ir.Value) -> None: ...


def values(value: ir.Value, reference: Reference, typed: ir.Value[ir.IntegerType], op: ir.Operation) -> None:
    not_any: int = value  # error
    not_an_upcast: Reference = value  # error
    takes_value(1)  # error
    value.no_such_attribute()  # error
    takes_value(reference)
    takes_value(typed)
    takes_value(op.result)
    assert_type(typed.type, ir.IntegerType)
    assert_type(ir.MemRefType(value.type).shape, list[int])
    value.type.is_unknown_here()
    element: int = op.operands[0]  # error
    some: int = op.operands[:1]  # error
    hash(ir.Location.unknown())
    wrong: int = ir.Location.unknown()  # error
    not_a_type: ir.Type = ir.StringAttr.get("f32")  # error


def additions(op: ir.OpView) -> None:
    with ir.Context() as context, ir.loc_tracebacks(max_depth=3), context.transient_scope() as scope:
        assert_type(scope, ir.Context)
    assert_type(ir.get_ops_of_type(op), list[ir.OpView])
    ir.append_load_on_create_dialect(1)  # error

    @ir.register_attribute_builder("KindAttr")
    def build(number: int, context: ir.Context) -> ir.Attribute:
        raise NotImplementedError

    assert_type(build(1, context), ir.Attribute)
