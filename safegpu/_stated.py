"""The architecture that a kernel states: by `as_gpu_kernel(arch=)`, its scratch, or the context of its body.

What is stated is what the kernel is lowered for, so the places have to agree.
"""

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, get_args, get_origin

from safegpu import _gate
from safegpu._jax import stated_capability
from safegpu.architectures import ARCHITECTURES, Architecture
from safegpu.launch_context import LaunchContext
from safegpu.specs import Scratch, scratches  # type: ignore[attr-defined]  # of the runtime half

__all__ = ["stated_architecture"]

_ATTRIBUTE = "__safegpu_architecture__"


def stated_architecture(kernel: object) -> type[Architecture] | None:
    """The architecture that a kernel made by `as_gpu_kernel` states, also behind `jax.jit` or `functools.partial`."""
    behind: Any = kernel
    while behind is not None and not hasattr(behind, _ATTRIBUTE):
        behind = getattr(behind, "__wrapped__", None) or getattr(behind, "func", None)
    arch: type[Architecture] | None = getattr(behind, _ATTRIBUTE, None)
    return arch


def remember(kernel: Any, arch: type[Architecture] | None) -> None:
    """Lets `stated_architecture(kernel)` answer."""
    if arch is not None:
        setattr(kernel, _ATTRIBUTE, arch)


def stated(arch: Any, scratch: Any, body: Callable[..., Any]) -> type[Architecture] | None:
    """What the three places say, once they are found to agree."""
    if arch is not None and not _is_token(arch):
        names = ", ".join(f"mgpu.{each.__name__}" for each in ARCHITECTURES)
        raise TypeError(f"as_gpu_kernel: arch must be one of {names}, got {arch!r}")
    said: dict[str, type[Architecture]] = {}
    if arch is not None:
        said[f"arch={arch.__name__}"] = arch
    for cls in scratches(scratch):
        said |= {f"{cls.__name__}(Scratch[{each.__name__}])": each for each in _of_scratch(cls)}
    if (of_body := _of_context(body)) is not None:
        said[f"ctx: LaunchContext[{of_body.__name__}]"] = of_body
    if len(set(said.values())) > 1:
        _gate.refuse(
            "SG602", f"this kernel states two architectures, {' and '.join(said)}; state the one that it is for"
        )
    one = next(iter(said.values()), None)
    lowering_for = stated_capability()
    if one is not None and lowering_for not in (None, one.compute_capability):
        major, minor = lowering_for or (0, 0)
        _gate.refuse(
            "SG602",
            f"this kernel states {next(iter(said))}, and is lowered for compute capability {major}.{minor}; "
            f"lower it for {one.__name__}",
        )
    return one


def _is_token(value: object) -> bool:
    return value in ARCHITECTURES


def _of_scratch(cls: type) -> Iterator[type[Architecture]]:
    """What the bases `Scratch[...]` of a class say, its own and those of its base classes."""
    for each in cls.__mro__:
        for base in vars(each).get("__orig_bases__", ()):
            origin = get_origin(base)
            if isinstance(origin, type) and issubclass(origin, Scratch):
                yield from filter(_is_token, get_args(base))


def _annotation_of_first(body: Any) -> Any:
    """What annotates the first parameter; a signature takes long to make, and a plain function has it at hand."""
    if inspect.isfunction(body) and not hasattr(body, "__wrapped__"):
        return body.__annotations__.get(body.__code__.co_varnames[0])
    return next(iter(inspect.signature(body).parameters.values())).annotation


def _of_context(body: Callable[..., Any]) -> type[Architecture] | None:
    """What the annotation of a body's first parameter says, where there is one that evaluates."""
    try:
        annotation = _annotation_of_first(body)
        if isinstance(annotation, str):
            function = body
            while isinstance(function, functools.partial):
                function = function.func
            function = inspect.unwrap(getattr(function, "__func__", function))
            if not inspect.isfunction(function):
                function = inspect.unwrap(type(function).__call__)
            annotation = eval(annotation, function.__globals__, inspect.getclosurevars(function).nonlocals)
    except Exception:  # an annotation may name what exists for checkers alone
        return None
    origin = get_origin(annotation)
    if not (isinstance(origin, type) and issubclass(origin, LaunchContext)):
        return None
    return next(filter(_is_token, get_args(annotation)), None)
