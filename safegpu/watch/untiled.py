"""SG812 of `load_untiled` and `store_untiled`, which swizzle by the place in the buffer as their tiled twins do."""

from typing import Any

from safegpu._jax import ir, utils
from safegpu.watch import scratch
from safegpu.watch._core import Call, before


@before("FragmentedArray.load_untiled", "FragmentedArray.store_untiled")
def _by_place(call: Call) -> None:
    ref: Any = call.get("ref")
    if not call.states[scratch._Beginnings].any_amiss:
        return
    if isinstance(ref, ir.Value) and isinstance(ref.type, ir.MemRefType) and utils.is_smem_ref(ref):
        writes = call.name.endswith("store_untiled")
        scratch._remember(call, ref, call.get("swizzle"), by_address=False, writes=writes)
