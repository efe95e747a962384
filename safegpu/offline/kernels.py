"""Finding the kernels of a module and lowering them: what `safegpu compile` does in the process that imports it."""

import ast
import functools
import importlib
import importlib.util
import inspect
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from safegpu._jax import KernelModule, architecture, lowered_modules, module_of
from safegpu.kernel import Kernel, stated_architecture
from safegpu.offline.devices import DEVICES
from safegpu.offline.elsewhere import described
from safegpu.offline.errors import BadTarget, ImportFailed
from safegpu.offline.lowering import Lowered, tracing_context
from safegpu.offline.targets import Source

DEVICES_PARAMETER = "devices"


def kernels_in(source: Source, arch: str | None) -> list[str]:
    """The names of the kernels that a module makes, and of those which its builders make without arguments.

    A builder is a public function annotated to return a `Kernel`. What a module imports belongs to another.
    """
    module = _imported(source, arch)
    source_text = Path(file).read_bytes() if (file := getattr(module, "__file__", None)) else b""
    others = {
        alias.asname or alias.name
        for node in ast.walk(ast.parse(source_text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and name not in others and (module_of(value) or _builds_alone(value))
    ]


def lower_named(source: Source, arch: str | None, name: str, peers: int | None) -> tuple[Lowered, int, str | None]:
    """The kernel of this name lowered for `arch`, the number of devices it is for, and the architecture it states.

    Without `arch`, nobody has said one: the kernel is lowered for the one it states, or for Mosaic GPU's guess.
    """
    module = _imported(source, arch)
    try:
        value = getattr(module, name)
    except AttributeError:
        there = kernels_in(source, arch)
        raise BadTarget(
            f"{source} has no {name}" + (f"; its kernels are {', '.join(there)}" if there else "")
        ) from None
    try:
        return lower(value, arch, peers)
    except BadTarget as error:
        raise BadTarget(f"{source}:{name} {error}") from None


def lower(value: Any, arch: str | None, peers: int | None) -> tuple[Lowered, int, str | None]:
    """A kernel or what a builder makes, as `lower_named`. BadTarget's text begins with its verb."""
    kernel = module_of(value)
    if kernel is None:
        build, peers = _builder(value, peers)
        kernel, value = _built(build, arch, peers)
    if kernel.is_multi_device and (peers or 1) == 1:
        raise BadTarget("addresses other devices: give the number that it was built for, --peers N or peers=N")
    stated = stated_architecture(value)
    return Lowered.of(kernel), peers or 1, None if stated is None else stated.__name__


def _capability(arch: str | None) -> tuple[int, int] | None:
    """The compute capability to lower for: None is what the kernel states, or what Mosaic GPU guesses on a CPU."""
    return None if arch is None else DEVICES[arch].arch


def _builder(value: Any, peers: int | None) -> tuple[Callable[[], Any], int]:
    """A function without parameters that builds the kernel, and the number of devices it does that for."""
    if inspect.isclass(value) or not callable(value):
        kind = value.__name__ if inspect.isclass(value) else type(value).__name__
        raise BadTarget(f"is no kernel but {kind}: name what as_gpu_kernel made, or a function that returns that")
    if hasattr(value, "trace") and hasattr(value, "lower"):
        raise BadTarget("is a jitted function, but as_gpu_kernel did not make it: name the kernel that it calls")
    parameters = inspect.signature(value).parameters
    if needed := [each.name for each in parameters.values() if not _is_optional(each)]:
        raise BadTarget(
            f"needs {'an argument' if len(needed) == 1 else 'arguments'}, {', '.join(needed)}: "
            "write a function that needs none and calls it"
        )
    devices = parameters[DEVICES_PARAMETER].default if DEVICES_PARAMETER in parameters else None
    if not isinstance(devices, int):
        return value, peers or 1
    peers = peers or devices
    return functools.partial(value, **{DEVICES_PARAMETER: peers}), peers


def _built(build: Callable[[], Any], arch: str | None, peers: int) -> tuple[KernelModule, Any]:
    with tracing_context(_capability(arch), peers), lowered_modules() as lowered:
        built = build()
    if kernel := module_of(built):
        return kernel, built
    # A builder may well wrap the kernel in a function of its own.
    if len(lowered) != 1:
        made = f"made {len(lowered)} kernels" if lowered else "made no kernel"
        raise BadTarget(f"{made} and returned {type(built).__name__}: return what as_gpu_kernel made")
    return lowered[0], built


def _builds_alone(value: object) -> bool:
    if inspect.isclass(value) or not callable(value):
        return False
    try:
        signature = inspect.signature(value, eval_str=True)
    except Exception:  # an annotation may evaluate to anything
        try:
            signature = inspect.signature(value)
        except (TypeError, ValueError):
            return False
    annotation = signature.return_annotation
    returns_kernel = annotation is Kernel or (isinstance(annotation, str) and annotation.split(".")[-1] == "Kernel")
    return returns_kernel and all(map(_is_optional, signature.parameters.values()))


def _is_optional(parameter: inspect.Parameter) -> bool:
    return parameter.default is not parameter.empty or parameter.kind in (
        parameter.VAR_POSITIONAL,
        parameter.VAR_KEYWORD,
    )


@functools.cache
def _imported(source: Source, arch: str | None) -> types.ModuleType:
    """The module, whose own kernels are lowered for `arch` as it is imported."""
    try:
        with architecture(_capability(arch)):
            return importlib.import_module(source.module) if _is_found(source) else _import_file(source)
    except (Exception, SystemExit) as error:
        if isinstance(error, BadTarget):
            raise
        raise ImportFailed(described(error)) from error


def _is_found(source: Source) -> bool:
    """Whether Python finds the module under its name. It finds another where the name is taken, as `types` is."""
    try:
        spec = importlib.util.find_spec(source.module)
    except ModuleNotFoundError as error:
        if not f"{source.module}.".startswith(f"{error.name}."):
            raise
        spec = None
    if source.file is None and spec is None:
        raise BadTarget(f"no module named {source.module}, here or in PYTHONPATH")
    return source.file is None or (spec is not None and spec.origin == source.file)


def _import_file(source: Source) -> types.ModuleType:
    assert source.file
    name = f"<{source.file}>"
    spec = importlib.util.spec_from_file_location(name, source.file)
    assert spec and spec.loader
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
