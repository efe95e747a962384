"""Typed references and layouts for Mosaic GPU kernels: `import safegpu as mgpu` in place of jax's own module.

Importing the package imports no jax. The tokens of dtypes and architectures and the layout types are here at once,
everything else at the first use of a name; that first use is where a missing jax is reported, of `compile_kernel`
its call.
"""

import importlib
import importlib.util
from typing import Any

from safegpu import architectures as architectures
from safegpu import dtypes as dtypes
from safegpu import layouts as layouts
from safegpu.architectures import *  # noqa: F403
from safegpu.dtypes import *  # noqa: F403

# The submodules that stand for Mosaic GPU's own.
_MIRRORS = ("fragmented_array", "launch_context", "profiler", "tcgen05", "utils")

# What needs no jax to be named, by the module that has it.
_OFFLINE = {"Compiled": "compiled", "CompileError": "errors", "compile_kernel": "public"}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    if name == "__all__":
        from safegpu._surface import star_names

        return star_names()
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _OFFLINE:
        return getattr(importlib.import_module(f"{__name__}.offline.{_OFFLINE[name]}"), name)
    if importlib.util.find_spec(f"{__name__}.{name}"):
        return importlib.import_module(f"{__name__}.{name}")
    from safegpu._surface import public_names

    names = public_names()
    for public, value in names.items():
        globals().setdefault(public, value)
    if name not in names:
        from safegpu._jax import no_such

        raise no_such(name, f"neither safegpu nor the installed jax's Mosaic GPU has {name!r}")
    return names[name]


def __dir__() -> list[str]:
    names = {"__version__", "architectures", "dtypes", "layouts", *_MIRRORS, *_OFFLINE}
    names.update(architectures.__all__, dtypes.__all__)
    try:
        from safegpu._surface import public_names
    except ImportError:  # without jax, what needs none
        return sorted(names)
    return sorted(names | public_names().keys())


def _version() -> str:
    from importlib import metadata

    try:
        return metadata.version("safegpu")
    except metadata.PackageNotFoundError:  # a checkout that is not installed
        return "0.0.0"
