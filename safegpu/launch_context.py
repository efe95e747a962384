"""Mirror of `jax.experimental.mosaic.gpu.launch_context`.

The context of a kernel is Mosaic GPU's object in a class of ours, which overrides only the methods that make
or look into a reference.
"""

import functools
import types
from typing import Any

from safegpu import _optimized
from safegpu._facade import mirror
from safegpu._facts import facts_of, record
from safegpu._jax import ir, launch_context
from safegpu._value import like, raw
from safegpu.barriers import promote
from safegpu.refs import MultimemAddress, MultimemRef
from safegpu.scalars import c, giving_scalars  # noqa: F401  # a name of this module, too

__getattr__, __dir__ = mirror(launch_context, globals())

_Real = launch_context.LaunchContext


class LaunchContext(_Real):
    """What a kernel body launches copies with."""

    __slots__ = ()
    __class_getitem__ = classmethod(types.GenericAlias)

    # Mosaic GPU finds the kernel argument behind a GMEM reference, and recomputes a peer on the host, by
    # asking what class of value each is.

    @functools.wraps(_Real.async_copy)
    def async_copy(self, **kwargs: Any) -> None:
        if not __debug__:
            _optimized.async_copy(self.cluster_size, **kwargs)
        return super().async_copy(**{name: raw(value) for name, value in kwargs.items()})

    @functools.wraps(_Real.async_prefetch)
    def async_prefetch(self, **kwargs: Any) -> None:
        return super().async_prefetch(**{name: raw(value) for name, value in kwargs.items()})

    @functools.wraps(_Real.to_remote)
    def to_remote(self, ref: Any, peer: Any, **kwargs: Any) -> Any:
        remote = super().to_remote(raw(ref), raw(peer), **kwargs)
        if isinstance(remote.type, ir.MemRefType):  # Mosaic GPU calls this with pointers as well
            record(remote, facts_of(ref))
        return like(ref, remote)

    @functools.wraps(_Real.to_remote_multicast)
    def to_remote_multicast(self, ref: Any, on_host: bool = False) -> MultimemRef:
        multimem = super().to_remote_multicast(raw(ref), on_host)
        record(multimem.ref, facts_of(ref))
        return MultimemRef(MultimemAddress(multimem.ref))

    device_id = giving_scalars(_Real.device_id)


def wrap_context(context: Any) -> Any:
    """The context that Mosaic GPU made, as ours, in place."""
    return promote(context, LaunchContext) if type(context) is _Real else context
