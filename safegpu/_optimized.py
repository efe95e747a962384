"""What safegpu asks under `python -O`, which takes Mosaic GPU's `assert`s away.

Without them these mistakes lower, and the kernel computes something else. With them Mosaic GPU raises, so every use
stands under `if not __debug__:` and costs nothing otherwise.
"""

import math
from typing import Any

from safegpu._jax import gpu, ir, launch_context, utils

_WARP = 32


def in_smem(multiply: str, **operands: Any) -> None:
    """Raises for an operand that is a reference to other than shared memory."""
    for name, operand in operands.items():
        if isinstance(operand, ir.Value) and not utils.is_smem_ref(operand):
            raise TypeError(f"{multiply}: expected {name} in shared memory, got {operand.type}; copy it there first")


def async_copy(
    cluster_size: tuple[int, int, int],
    *,
    dst_ref: ir.Value,
    collective: Any = None,
    leader_tracked: Any = None,
    reduction_op: str | None = None,
    implementation: Any = launch_context.AsyncCopyImplementation.TMA,
    **_: Any,
) -> None:
    """Raises where arguments of `LaunchContext.async_copy` would be passed over."""
    if reduction_op is not None and utils.is_smem_ref(dst_ref):
        raise ValueError(
            "async_copy: reduction_op is for copies out of shared memory; leave it out, or swap the references"
        )
    if leader_tracked is None:
        return
    if implementation == launch_context.AsyncCopyImplementation.CP_ASYNC:
        raise ValueError("async_copy: leader_tracked is for TMA copies; leave it out, or leave out implementation")
    axes = (collective,) if isinstance(collective, gpu.Dimension) else collective or ()
    blocks = math.prod(cluster_size[axis] for axis in axes)
    if blocks > 2:
        raise ValueError(f"async_copy: leader_tracked is for two blocks, got {blocks} along collective")


def group_in_warp(group_size: int) -> None:
    """Raises for the size of a group that a warp does not split into."""
    if group_size > _WARP or _WARP % group_size:
        raise ValueError(f"warp_tree_reduce: expected group_size to divide {_WARP}, got {group_size}")
