"""What lowering refuses by itself of a kernel's calls: rules that need more than types, over the calls of one trace.

Each module of rules owns one idea, imports no mirror, and is imported here, so that the mirrors know what to watch.
"""

from safegpu.watch import (  # noqa: F401  # which declare their rules
    alignment,
    arrivals,
    buffers,
    bulk_copies,
    clusters,
    indices,
    loads,
    matrices,
    proxies,
    scope,
    scratch,
    tensor_memory,
    tiles,
    warpgroup_mma,
)
from safegpu.watch._core import finish, names, watched

__all__ = ["finish", "names", "watched"]
