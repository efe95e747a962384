"""Kernels as jax itself compiles them: the function that `as_gpu_kernel` jitted, and not its module read anew."""

import importlib

from safegpu.offline.codegen import compile_program
from safegpu.offline.lowering import lower


def code(name: str, arch: str) -> tuple[str, str]:
    """The PTX and the SASS of the raw kernel of this name in `TWINS` of test_examples.py."""
    _, build, capability, peers = importlib.import_module("tests.test_examples").TWINS[name]
    kernel, lowered = lower(build, capability, peers=peers)
    compiled = compile_program(kernel, lowered.arguments, arch, peers=peers)
    return compiled["ptx"], compiled["sass"]
