"""Mirror of `jax.experimental.mosaic.gpu.profiler`."""

from safegpu._facade import mirror
from safegpu._jax import profiler

__getattr__, __dir__ = mirror(profiler, globals())
