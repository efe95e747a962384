"""Checked where jaxlib is installed, never run: the stub package must leave the rest of jaxlib as it is."""

# ruff: noqa: B018, F841

from __future__ import annotations

from typing import assert_type

import jax
import jax.numpy as jnp
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs._mlir.ir import Value
from jaxlib.mlir.dialects import _gpu_ops_gen, arith, gpu, llvm, nvgpu
from jaxlib.mlir.passmanager import PassManager

assert_type(jnp.zeros((2,)), jax.Array)
not_any: int = jnp.zeros((2,))  # error
arith.no_such_operation  # error
llvm.no_such_type  # error


def dialects(value: ir.Value, integer: ir.IntegerType) -> None:
    assert_type(arith.AddFOp(value, value), arith.AddFOp)
    assert_type(llvm.PointerType.get(), llvm.PointerType)
    token: type[gpu.AsyncTokenType] = gpu.AsyncTokenType
    descriptor: type[nvgpu.TensorMapDescriptorType] = nvgpu.TensorMapDescriptorType
    _gpu_ops_gen.barrier()
    passes: int = PassManager.parse("")  # error
    attribute = arith.ConstantOp(ir.IntegerAttr.get(integer, 0), None)
    arith.ConstantOp(ir.IntegerAttr.get(integer, 0))  # error


def one_class_under_two_names(value: ir.Value, other: Value) -> None:
    there: Value = value
    back: ir.Value = other
