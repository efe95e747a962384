"""The architecture that a kernel states: by `as_gpu_kernel(arch=)`, its scratch, or the context of its body.

What is stated is what the kernel is lowered for, so the places have to agree.
"""

import functools
import inspect
import itertools
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAliasType, Union, get_args, get_origin

from safegpu import _gate
from safegpu._jax import known_capability, stated_capability
from safegpu.architectures import ARCHITECTURES, Architecture
from safegpu.launch_context import LaunchContext
from safegpu.specs import Scratch, scratches  # type: ignore[attr-defined]  # of the runtime half

__all__ = ["stated_architecture"]

_ATTRIBUTE = "__safegpu_architecture__"

type _Alternatives = tuple[type[Architecture], ...]
"""What one place states: `Scratch[sm_100a | sm_103a]` is for either."""

type _Statement = tuple[str, _Alternatives]
"""What one place states, and how that place is told, with braces for what it states."""


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
    said: list[_Statement] = []
    if arch is not None:
        said.append(("arch={}", (arch,)))
    for cls in scratches(scratch):
        said += [(f"{cls.__name__}(Scratch[{{}}])", each) for each in _of_scratch(cls)]
    if of_body := _of_context(body):
        said.append(("ctx: LaunchContext[{}]", of_body))
    return _chosen(said) if said else None


def _chosen(said: list[_Statement]) -> type[Architecture]:
    """The architecture that all places state: of several, the one that is asked for, the GPU's, or the first."""
    common = [each for each in ARCHITECTURES if all(each in alternatives for _, alternatives in said)]
    if not common:
        places = " and ".join(dict.fromkeys(map(_told, said)))
        _gate.refuse("SG602", f"this kernel states two architectures, {places}; state the one that it is for")
        common = [*said[0][1]]
    asked = stated_capability()
    wanted = asked or known_capability()
    chosen = next((each for each in common if each.compute_capability == wanted), None)
    if asked is not None and chosen is None:
        major, minor = asked
        _gate.refuse(
            "SG602",
            f"this kernel states {_told(said[0])}, and is lowered for compute capability {major}.{minor}; "
            f"lower it for {_listed(common, ' or ')}",
        )
    return chosen or common[0]


def _told(statement: _Statement) -> str:
    place, alternatives = statement
    return place.format(_listed(alternatives, " | "))


def _listed(architectures: Iterable[type[Architecture]], by: str) -> str:
    return by.join(each.__name__ for each in architectures)


def _is_token(value: object) -> bool:
    return value in ARCHITECTURES


def _resolved(written: Any) -> Any:
    """What an alias stands for, `type Context = mgpu.LaunchContext[mgpu.sm_90a]`, also one with parameters."""
    while True:
        if isinstance(written, TypeAliasType):
            written = written.__value__
        elif isinstance(alias := get_origin(written), TypeAliasType):
            written = alias.__value__[get_args(written)]
        else:
            return written


def _alternatives(written: object) -> _Alternatives:
    """The architectures that a type argument names, one or a union of several; none where it is something else."""
    written = _resolved(written)
    if get_origin(written) in (types.UnionType, Union):
        members = [_alternatives(each) for each in get_args(written)]
        return tuple(itertools.chain(*members)) if all(members) else ()
    return (written,) if _is_token(written) else ()  # type: ignore[return-value]  # it is one of them


def _of_scratch(cls: type) -> Iterator[_Alternatives]:
    """What the bases `Scratch[...]` of a class say, its own and those of its base classes."""
    for each in cls.__mro__:
        for base in vars(each).get("__orig_bases__", ()):
            origin = get_origin(base)
            if isinstance(origin, type) and issubclass(origin, Scratch):
                yield from filter(None, map(_alternatives, get_args(base)))


def _annotation_of_first(body: Any) -> Any:
    """What annotates the first parameter; a signature takes long to make, and a plain function has it at hand."""
    if inspect.isfunction(body) and "__wrapped__" not in vars(body):
        return body.__annotations__.get(body.__code__.co_varnames[0])
    return next(iter(inspect.signature(body).parameters.values())).annotation


def is_annotated(body: Callable[..., Any]) -> bool:
    """Whether a body, or what is wrapped around it, has any annotation: raw Mosaic GPU's mostly have none."""
    return any(function.__annotations__ for function in _layers(body))


def _layers(body: Any) -> Iterator[types.FunctionType]:
    """The functions of a body, from the outside: behind `functools.partial`, decorators, methods and `__call__`."""
    seen: list[object] = []
    while body is not None and not any(body is each for each in seen):
        seen.append(body)
        if isinstance(body, functools.partial):
            body = body.func
            continue
        function = body.__func__ if inspect.ismethod(body) else body
        if inspect.isfunction(function):
            yield function
        elif inspect.isfunction(call := inspect.getattr_static(type(body), "__call__", None)):
            yield call
        body = getattr(function, "__wrapped__", None)


def _of_context(body: Callable[..., Any]) -> _Alternatives:
    """What the annotation of a body's first parameter says, where there is one that evaluates."""
    try:
        annotation = _annotation_of_first(body)
        if annotation is LaunchContext:  # of any
            return ()
        if isinstance(annotation, str):
            function = body
            while isinstance(function, functools.partial):
                function = function.func
            function = inspect.unwrap(getattr(function, "__func__", function))
            if not inspect.isfunction(function):
                function = inspect.unwrap(type(function).__call__)
            annotation = eval(annotation, function.__globals__, inspect.getclosurevars(function).nonlocals)
        annotation = _resolved(annotation)
    except Exception:  # an annotation may name what exists for checkers alone
        return ()
    origin = get_origin(annotation)
    if not (isinstance(origin, type) and issubclass(origin, LaunchContext)):
        return ()
    return next(filter(None, map(_alternatives, get_args(annotation))), ())
