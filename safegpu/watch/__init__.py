"""What lowering refuses by itself of a kernel's calls: rules that need more than types, over the calls of one trace.

Each module of rules owns one idea, imports no mirror, and is imported here, so that the mirrors know what to watch.
"""

from safegpu.watch import clusters as clusters
from safegpu.watch import scope as scope
from safegpu.watch import scratch as scratch
from safegpu.watch._core import finish, names, watched

__all__ = ["finish", "names", "watched"]
