"""`as_gpu_kernel`: Mosaic GPU's own, with a body that receives typed references.

It may be called outside an MLIR context, where Mosaic GPU's own cannot, and takes `arch=`.
"""

import contextlib
import functools
import inspect
import itertools
import math
from collections.abc import Callable
from typing import Any, Literal, Protocol

from safegpu._gate import require
from safegpu._hooks import install
from safegpu._jax import architecture, core, fun_name, ir, known_capability, mlir_context, tcgen05
from safegpu._notes import add_rule
from safegpu._placement import allocations, check_unions, starts
from safegpu._quick import quickly
from safegpu._stated import is_annotated, remember, stated, stated_architecture
from safegpu._trace import Trace
from safegpu.architectures import Architecture, HasClusters, HasTcgen05, of_compute_capability
from safegpu.barriers import remember_barrier, wrap_barrier
from safegpu.launch_context import wrap_context
from safegpu.refs import GmemRef, SmemRef, wrap_ref
from safegpu.rules._allow import allows_all
from safegpu.specs import facts_of_spec, flat, lowered_specs, typed_references, uses_tmem
from safegpu.tcgen05 import wrap_tmem
from safegpu.watch import finish

__all__ = [
    "Kernel", "LoweringSemantics", "as_gpu_kernel", "as_torch_gpu_kernel", "is_nvshmem_available",
    "stated_architecture",
]  # fmt: skip

LoweringSemantics = core.LoweringSemantics
is_nvshmem_available = core.is_nvshmem_available


class Kernel(Protocol):
    """What `as_gpu_kernel` makes, for annotations: a jitted function of JAX arrays."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def lower(self, *args: Any, **kwargs: Any) -> Any: ...

    def trace(self, *args: Any, **kwargs: Any) -> Any: ...


def _argument(value: Any, spec: Any, role: Literal["input"] | None = None) -> Any:
    """One input or output that a kernel body receives, in our class for it."""
    return wrap_ref(value, GmemRef, facts_of_spec(spec, role)) if isinstance(value, ir.Value) else value


def _allocated(value: Any, spec: Any) -> Any:
    """One allocation of the scratch, in our class for it."""
    if isinstance(value, ir.Value):
        # TMEM of Warpgroup semantics is a plain memref, for which there is no class.
        return value if isinstance(spec, core.TMEM) else wrap_ref(value, SmemRef, facts_of_spec(spec))
    if isinstance(value, tcgen05.TMEMRef):
        return wrap_tmem(value, spec.dtype)
    remember_barrier(value)
    return wrap_barrier(value)


def _traced(
    body: Callable[..., Any],
    inputs: tuple[Any, ...],
    others: list[Any],
    scratch_spec: Any,
    lowered: Any,
    arch: type[Architecture] | None,
    threads: int | None,
    lanes: bool,
) -> Callable[..., Any]:
    """`body`, called with typed references in place of the ones that Mosaic GPU passes."""

    def traced(context: Any, *references: Any) -> Any:
        *gmem, scratch = references
        allocated = functools.partial(allocations, scratch_spec)
        begun = functools.partial(starts, scratch_spec, flat(lowered))
        annotated = functools.partial(is_annotated, body)
        with Trace(arch, context.cluster_size, threads, allocated, begun, annotated) as trace:
            # Warpgroup semantics has rules of its own, in Mosaic GPU's dialect.
            trace.watching = watches = lanes and not allows_all()
            arguments = (
                wrap_context(context),
                *map(_argument, gmem, inputs, itertools.repeat("input")),
                *map(_argument, gmem[len(inputs) :], others),
                typed_references(scratch_spec, scratch, _allocated),
            )
            try:
                result = body(*arguments)
                if watches:
                    finish()
                return result
            except Exception as error:
                add_rule(error)
                raise

    traced.__name__ = fun_name(body, "anonymous")  # which names the MLIR function
    traced.__wrapped__ = body  # type: ignore[attr-defined]
    return traced


def _each(specs: Any) -> tuple[Any, ...]:
    """The specs of inputs or outputs, one by one: Mosaic GPU takes a bare one for a sequence of one."""
    return tuple(specs) if isinstance(specs, tuple | list) else (specs,)


_NEEDED = {"body", "smem_scratch_shape"}


def _typed(as_kernel: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(as_kernel)
    names = tuple(signature.parameters)

    @functools.wraps(as_kernel)
    def typed(*args: Any, arch: type[Architecture] | None = None, **kwargs: Any) -> Any:
        call = dict(zip(names, args, strict=False), **kwargs)
        if len(call) < len(args) + len(kwargs) or not call.keys() >= _NEEDED:
            return as_kernel(*args, **kwargs)  # which says what is wrong
        install()
        inputs = _each(call.get("in_shape", ()))
        others = [spec for name in ("inout_shape", "out_shape") for spec in _each(call.get(name, ()))]
        scratch_spec = call["smem_scratch_shape"]
        said = stated(arch, scratch_spec, call["body"])
        with contextlib.ExitStack() as stack:
            if said is not None:
                stack.enter_context(architecture(said.compute_capability))
            capability = known_capability()
            known = None if capability is None else of_compute_capability(capability)
            lanes = call.get("thread_semantics", LoweringSemantics.Lane) is LoweringSemantics.Lane
            threads = math.prod(call["block"]) if lanes and "block" in call else None
            lowered = call["smem_scratch_shape"] = lowered_specs(scratch_spec)
            call["body"] = _traced(call["body"], inputs, others, scratch_spec, lowered, known, threads, lanes)
            if flat(lowered) is None:
                check_unions(scratch_spec)
            if known is not None and math.prod(call.get("cluster", ())) > 1:
                require(HasClusters, "cluster=", known)
            if known is not None and uses_tmem(lowered):
                require(HasTcgen05, "TMEM", known)
            stack.enter_context(mlir_context())
            stack.enter_context(quickly)
            kernel = as_kernel(**call)
        remember(kernel, said)
        return kernel

    arch_parameter = inspect.Parameter("arch", inspect.Parameter.KEYWORD_ONLY, default=None)
    typed.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), arch_parameter]
    )
    return typed


as_gpu_kernel = _typed(core.as_gpu_kernel)
as_torch_gpu_kernel = _typed(core.as_torch_gpu_kernel)
