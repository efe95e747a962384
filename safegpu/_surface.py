"""The public namespace of the package: Mosaic GPU's, with ours over it."""

import types
from typing import Any

from safegpu import (
    _gate,
    barriers,
    fragmented_array,
    kernel,
    launch_context,
    layouts,
    matmul,
    profiler,
    refs,
    scalars,
    specs,
    tcgen05,
    utils,
    watch,
)
from safegpu._facade import public
from safegpu._jax import mgpu

# The names that a module adds to the package or puts in the place of Mosaic GPU's: its `__all__`, or these.
_OURS: dict[types.ModuleType, list[str] | None] = {
    _gate: ["RaceWarning", "RuleError", "allow"],
    barriers: None,
    fragmented_array: [
        "FragmentedArray",
        "FragmentedLayout",
        "TiledLayout",
        "WGSplatFragLayout",
        "WGStridedFragLayout",
        "optimization_barrier",
    ],
    kernel: None,
    launch_context: ["LaunchContext"],
    matmul: None,
    refs: None,
    scalars: None,
    specs: None,
    tcgen05: ["DenseTMEM", "ScalesTMEM", "SparseMetaTMEM"],
    utils: [
        "Partition",
        "Partition1D",
        "block_barrier",
        "cluster_idx",
        "commit_shared",
        "fori",
        "query_cluster_cancel",
        "set_max_registers",
        "single_thread_predicate",
        "try_cluster_cancel",
    ],
}

# The submodules that stand for Mosaic GPU's of the same name.
_MODULES = (fragmented_array, launch_context, layouts, profiler, tcgen05, utils)
_HANDED_ON = {"fragmented_array": fragmented_array, "utils": utils}


def public_names() -> dict[str, Any]:
    """Every name that needs jax, with its object."""
    names = {name: getattr(mgpu, name) for name in public(mgpu)}
    for module, own in _OURS.items():
        names.update((name, getattr(module, name)) for name in own or vars(module)["__all__"])
    for name in watch.names():  # Mosaic GPU hands some functions on from its submodules
        module_name, _, function = name.rpartition(".")
        if function in names and module_name in _HANDED_ON:
            names[function] = getattr(_HANDED_ON[module_name], function)
    names.update((module.__name__.rpartition(".")[2], module) for module in _MODULES)
    return names


def star_names() -> list[str]:
    """What `from safegpu import *` gives: Mosaic GPU's names, also those that a later jax dropped.

    One of ours could hide a name of its author's.
    """
    return list(dict.fromkeys([*public(mgpu), "TMABarrier"]))
