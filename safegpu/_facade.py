"""Facades and mirrors: second names for Mosaic GPU's classes and modules, which we can extend."""

import types
from collections.abc import Callable
from typing import Any

from safegpu.watch import names, watched


class Facade(type):
    """Metaclass of a second name for a class of Mosaic GPU, which the facade derives from.

    A facade can be subscripted and can override constructors. Calling it makes an object of the real class,
    and isinstance asks the real class, so that no object is ever *of* the facade. A class that derives from a
    facade is an ordinary subclass of the real class.
    """

    _real: Any  # what isinstance asks
    _make: Callable[..., Any]  # what a call makes

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        if any(isinstance(base, Facade) for base in bases):
            real = tuple(base._real if isinstance(base, Facade) else base for base in bases)
            return types.new_class(name, real, exec_body=lambda body: body.update(namespace))
        extras = {"__slots__": (), "__class_getitem__": classmethod(types.GenericAlias)}
        if bases:
            extras |= {"_real": bases[0], "_make": bases[0]}
        return super().__new__(mcs, name, bases, extras | namespace)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls._make(*args, **kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls._real)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls._real)


def facade(real: type) -> Any:
    """A facade that adds nothing but the subscript."""
    return Facade(real.__name__, (real,), {"__doc__": real.__doc__, "__module__": real.__module__})


def public(module: types.ModuleType) -> list[str]:
    """What a star import of a module without `__all__` gives, as Mosaic GPU's are."""
    return [name for name in vars(module) if not name.startswith("_")]


def mirror(module: types.ModuleType, own: dict[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a module that gives `module`'s names where it has none of its own.

    Its `__all__` becomes what a star import of `module` gives, beside what it says already. The functions that
    rules watch are among its own; one that it defines below takes its rules itself.
    """
    module_name = module.__name__.rpartition(".")[2]
    for name in names():
        of, _, function = name.rpartition(".")
        if of == module_name and function not in own and not isinstance(getattr(module, function, type), type):
            own[function] = watched(name)(getattr(module, function))
    own["__all__"] = list({**dict.fromkeys(own.get("__all__", ())), **dict.fromkeys(public(module))})

    def module_getattr(name: str) -> Any:
        try:
            return getattr(module, name)
        except AttributeError:
            # a facade is for a module of jax's, which is imported when this is asked
            from safegpu._jax import no_such

            raise no_such(name, f"neither {own['__name__']} nor jax's {module.__name__} has {name!r}") from None

    def module_dir() -> list[str]:
        return sorted({*own, *dir(module)})

    return module_getattr, module_dir
