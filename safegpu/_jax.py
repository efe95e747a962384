"""The one module that touches jax, its internals and the differences between its versions.

Everything else takes jax's objects from here, so that a missing or unsupported jax is one line at the first
use of a name that needs it, and a new jax is one file to look at.
"""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

try:
    import jax
except ModuleNotFoundError as error:
    # A jax that is there and broken speaks for itself.
    if error.name != "jax":
        raise
    raise ImportError("safegpu needs jax to lower and run kernels: pip install 'safegpu[jax]'") from None

if not (0, 11, 2) <= jax.__version_info__ < (0, 13):
    raise ImportError(f"safegpu needs jax >= 0.11.2 and < 0.13, got {jax.__version__}: pip install 'safegpu[jax]'")

from jax._src.interpreters.mlir import make_ir_context
from jax._src.util import fun_name
from jax.experimental.mosaic import gpu as mgpu
from jax.experimental.mosaic.gpu import core, launch_context, layouts, profiler, tcgen05, utils
from jax.experimental.mosaic.gpu import fragmented_array as fa
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, gpu, nvvm

__all__ = [
    "SPEC_TYPES", "TMABarrier", "architecture", "arith", "core", "fa", "fun_name", "gpu", "ir", "jax",
    "launch_context", "layouts", "lowered_modules", "make_ir_context", "mgpu", "mlir_context", "nvvm", "profiler",
    "tcgen05", "utils",
]  # fmt: skip


def _tma_barrier(num_barriers: int = 1) -> core.Barrier:
    """A barrier at which one thread arrives, as the copy's own thread does."""
    return core.Barrier(arrival_count=1, num_barriers=num_barriers)


# jax 0.12 dropped the name: a TMA barrier is a barrier with one arrival. It added CtaBarrier.
TMABarrier = getattr(core, "TMABarrier", _tma_barrier)
_SPECS = ("Barrier", "ClusterBarrier", "CtaBarrier", "TMABarrier", "TMEM", "Union")
SPEC_TYPES = (jax.ShapeDtypeStruct, *(getattr(core, name) for name in _SPECS if hasattr(core, name)))


@contextlib.contextmanager
def mlir_context() -> Iterator[None]:
    """The MLIR context and location of the surroundings, or JAX's own where there are none."""
    with contextlib.ExitStack() as stack:
        for current, fresh in ((ir.Context, make_ir_context), (ir.Location, ir.Location.unknown)):
            if current.current is None:
                stack.enter_context(fresh())
        yield


# --- Mosaic GPU asked from outside. The functions below replace module attributes, which all threads share.

_PATCHING = threading.RLock()


@contextlib.contextmanager
def architecture(arch: tuple[int, int]) -> Iterator[None]:
    """Makes Mosaic GPU lower for `arch`, which it takes from the default device, and a CPU cannot say."""
    with _PATCHING:
        infer = utils._infer_arch
        utils._infer_arch = lambda: arch
        try:
            yield
        finally:
            utils._infer_arch = infer


@contextlib.contextmanager
def lowered_modules() -> Iterator[list[tuple[str, tuple[Any, ...]]]]:
    """Collects, of each kernel lowered inside the block, its module's text and the specs of its arguments."""
    modules: list[tuple[str, tuple[Any, ...]]] = []
    with _PATCHING:
        to_module = core._kernel_to_module

        def collect(*args: Any, **kwargs: Any) -> Any:
            result = to_module(*args, **kwargs)
            module, in_shape, inout_shape, *_ = result
            modules.append((str(module), (*in_shape, *inout_shape)))
            return result

        core._kernel_to_module = collect
        try:
            yield modules
        finally:
            core._kernel_to_module = to_module
