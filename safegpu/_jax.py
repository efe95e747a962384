"""The one module that touches jax, its internals and the differences between its versions.

Everything else takes jax's objects from here, so that a missing or unsupported jax is one line at the first
use of a name that needs it, and a new jax is one file to look at.
"""

import contextlib
import inspect
import io
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

try:
    import jax
except ModuleNotFoundError as error:
    # A jax that is there and broken speaks for itself.
    if error.name != "jax":
        raise
    raise ImportError("safegpu needs jax to lower and run kernels: pip install 'safegpu[jax]'") from None

if not (0, 11, 2) <= jax.__version_info__ < (0, 13):
    raise ImportError(f"safegpu needs jax >= 0.11.2 and < 0.13, got {jax.__version__}: pip install 'safegpu[jax]'")

import jaxlib
from jax._src.interpreters.mlir import make_ir_context
from jax._src.util import fun_name
from jax.experimental.mosaic import gpu as mgpu
from jax.experimental.mosaic.gpu import core, launch_context, layouts, profiler, tcgen05, utils
from jax.experimental.mosaic.gpu import fragmented_array as fa
from jax.extend.backend import get_default_device
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, gpu, nvvm

__all__ = [
    "DYNAMIC", "LACKING", "NOT_THE_AUTHORS", "SINCE", "SPEC_TYPES", "KernelModule", "TMABarrier", "architecture",
    "arith", "buffer_bytes", "core", "fa", "fun_name", "gpu", "ir", "is_kernel_argument", "jax", "known_capability",
    "launch_context", "layouts", "lowered_modules", "make_ir_context", "mgpu", "mlir_context", "module_of",
    "no_such", "nvvm", "profiler", "stated_capability", "tcgen05", "utils",
]  # fmt: skip


NOT_THE_AUTHORS = tuple(f"{Path(file).parent}/" for file in (__file__, jax.__file__, jaxlib.__file__))
"""How the paths of the files begin in which no kernel is written: safegpu's, jax's and jaxlib's."""

DYNAMIC: int = ir.ShapedType.get_dynamic_stride_or_offset()  # what MLIR says where no constant is known


def _tma_barrier(num_barriers: int = 1) -> core.Barrier:
    """A barrier at which one thread arrives, as the copy's own thread does."""
    return core.Barrier(arrival_count=1, num_barriers=num_barriers)


# jax 0.12 dropped the name: a TMA barrier is a barrier with one arrival.
TMABarrier = getattr(core, "TMABarrier", _tma_barrier)

# What the typed surface has and not every supported jax: the last part of the name, and the version that brought it.
SINCE = dict.fromkeys(
    (
        "CtaBarrier", "CtaBarrierArray", "CtaBarrierRef", "HBM_ALIGNMENT", "Unreduced", "async_copy_im2col",
        "before_thread_sync", "descriptor_prefetch", "has_unreduced_dims", "is_unreduced", "memref_descriptor_type",
        "plan_gmem_transfer", "to_memref_descriptor", "unreduced_operation",
    ),
    "0.12",
)  # fmt: skip
LACKING = {name for name, since in SINCE.items() if jax.__version_info__ < tuple(map(int, since.split(".")))}
"""Those that the installed jax has not."""


def no_such(name: str, otherwise: str) -> AttributeError:
    """The error for a name that is not there: that a later jax has it, or what else there is to say."""
    return AttributeError(f"{name} needs jax >= {SINCE[name]}, got {jax.__version__}" if name in LACKING else otherwise)


_SPECS = ("Barrier", "ClusterBarrier", "CtaBarrier", "TMABarrier", "TMEM", "Union")
SPEC_TYPES = (jax.ShapeDtypeStruct, *(getattr(core, name) for name in _SPECS if hasattr(core, name)))


def is_kernel_argument(operation: ir.Operation | ir.OpView) -> bool:
    """Whether the operation gives the memory of an argument of the kernel, from its first byte."""
    return launch_context.ORIGINAL_KERNEL_ARG_ATTR in operation.attributes


buffer_bytes = core._count_buffer_bytes


@contextlib.contextmanager
def mlir_context() -> Iterator[None]:
    """The MLIR context and location of the surroundings, or JAX's own where there are none."""
    with contextlib.ExitStack() as stack:
        for current, fresh in ((ir.Context, make_ir_context), (ir.Location, ir.Location.unknown)):
            if current.current is None:
                stack.enter_context(fresh())
        yield


# --- Mosaic GPU asked from outside. What is below replaces module attributes, which all threads share.

_PATCHING = threading.RLock()

# --- the architecture

_GUESS = 9, 0  # what Mosaic GPU answers where the default device is no GPU

_stated: ContextVar[tuple[int, int] | None] = ContextVar("safegpu_stated", default=None)
_answer: ContextVar[tuple[int, int] | None] = ContextVar("safegpu_answer", default=None)
_answering = 0
_infer_arch = utils._infer_arch


def _answered() -> Any:
    """Mosaic GPU's question for the architecture: answered in the threads that say one, its own answer in others."""
    return _answer.get() or _infer_arch()


@contextlib.contextmanager
def architecture(arch: tuple[int, int] | None) -> Iterator[None]:
    """Makes Mosaic GPU lower for `arch`, which it takes from the default device, and a CPU cannot say.

    With None it lowers for its own guess, and the architecture counts as unknown.
    """
    global _answering, _infer_arch
    stated, answer = _stated.set(arch), _answer.set(arch or _GUESS)
    with _PATCHING:
        if not _answering:
            _infer_arch, utils._infer_arch = utils._infer_arch, _answered
        _answering += 1
    try:
        yield
    finally:
        _stated.reset(stated)
        _answer.reset(answer)
        with _PATCHING:
            _answering -= 1
            if not _answering:
                utils._infer_arch = _infer_arch


def stated_capability() -> tuple[int, int] | None:
    """The compute capability that `architecture` was given; None outside it."""
    return _stated.get()


def known_capability() -> tuple[int, int] | None:
    """The compute capability that kernels are lowered for; None where Mosaic GPU guesses, as it does on a CPU."""
    if _answer.get():
        return _stated.get()
    device = jax.sharding.get_abstract_mesh().abstract_device or get_default_device()
    return utils._infer_arch() if hasattr(device, "compute_capability") else None


class KernelModule(NamedTuple):
    """A kernel as `as_gpu_kernel` lowered it: its module, and the specs of what it takes, updates and gives."""

    module: ir.Module
    inputs: tuple[Any, ...]
    inouts: tuple[Any, ...]
    outputs: tuple[Any, ...]

    @property
    def arch(self) -> tuple[int, int]:
        """The compute capability that the module is lowered for."""
        attributes: Any = self.module.operation.attributes
        return attributes["mosaic_gpu.arch_major"].value, attributes["mosaic_gpu.arch_minor"].value

    @property
    def is_multi_device(self) -> bool:
        """Whether the kernel addresses other devices, whose number its module has as a constant."""
        return launch_context.uses_collective_metadata(self.module)

    def operations(self, name: str) -> list[Any]:
        """The operations of this name, in order."""
        found: list[Any] = []

        def visit(operation: ir.Operation) -> ir.WalkResult:
            if operation.name == name:
                found.append(operation.opview)
            return ir.WalkResult.ADVANCE

        self.module.operation.walk(visit)
        return found

    def bytecode(self) -> bytes:
        """The module as another process can read it; see `read`."""
        buffer = io.BytesIO()
        self.module.operation.write_bytecode(buffer)
        return buffer.getvalue()

    @classmethod
    def read(
        cls, bytecode: bytes, inputs: tuple[Any, ...], inouts: tuple[Any, ...], outputs: tuple[Any, ...]
    ) -> "KernelModule":
        context = make_ir_context()
        core.dialect.register_dialect(context)
        return cls(ir.Module.parse(bytecode, context=context), inputs, inouts, outputs)

    def program(self) -> Callable[..., Any]:
        """The function that `as_gpu_kernel` jits: it runs the kernel on arrays of these inputs and inouts."""

        def program(*arrays: Any) -> Any:
            return core.mosaic_gpu_p.bind(*arrays, module=self.module, out_types=self.outputs, inout_types=self.inouts)

        return program


def module_of(kernel: object) -> KernelModule | None:
    """What `as_gpu_kernel` made this kernel of, or None for what it did not make.

    It leaves that nowhere but in the variables of the function that it jits and of the two which that one calls.
    """
    try:
        jitted = inspect.getclosurevars(kernel.__wrapped__).nonlocals  # type: ignore[attr-defined]
        bound = inspect.getclosurevars(jitted["bind"]).nonlocals
        arguments = inspect.getclosurevars(jitted["_check_args"]).nonlocals["expected_arg_tys"]
        module, inouts, outputs = bound["module"], bound["inout_shape"], bound["out_shape"]
    except (AttributeError, KeyError, TypeError):
        return None
    inouts = tuple(jax.tree.leaves(inouts))
    inputs = tuple(arguments[: len(arguments) - len(inouts)])
    return KernelModule(module, inputs, inouts, tuple(jax.tree.leaves(outputs)))


@contextlib.contextmanager
def lowered_modules() -> Iterator[list[KernelModule]]:
    """Collects the kernels that are lowered inside the block."""
    modules: list[KernelModule] = []
    with _PATCHING:
        to_module, me = core._kernel_to_module, threading.get_ident()

        def collect(*args: Any, **kwargs: Any) -> Any:
            result = to_module(*args, **kwargs)
            if threading.get_ident() != me:
                return result
            module, *specs = result[:4]
            modules.append(KernelModule(module, *(tuple(jax.tree.leaves(each)) for each in specs)))
            return result

        core._kernel_to_module = collect
        try:
            yield modules
        finally:
            core._kernel_to_module = to_module
