"""Kernels as jax itself compiles them: the function that `as_gpu_kernel` jitted, and not its module read anew."""

import importlib

from safegpu._jax import module_of
from safegpu.offline.codegen import compile_program
from safegpu.offline.lowering import Lowered, tracing_context


def sass(name: str, arch: str) -> str:
    """The SASS of the raw kernel of this name in `TWINS` of test_examples.py."""
    _, build, capability, peers = importlib.import_module("tests.test_examples").TWINS[name]
    with tracing_context(capability, peers):
        kernel = build()
    module = module_of(kernel)
    assert module is not None
    return compile_program(kernel, Lowered.of(module).arguments, arch, peers=peers)["sass"]
