from safegpu.offline.lowering import *  # noqa: F403
from safegpu.offline.lowering import lowered as lowered
