"""Mirror of `jax.experimental.mosaic.gpu.launch_context`.

The context of a kernel is Mosaic GPU's object in a class of ours, which overrides only the methods that make
or look into a reference.
"""

import functools
import math
import types
from collections.abc import Iterable
from typing import Any

from safegpu import _optimized
from safegpu._facade import mirror
from safegpu._facts import facts_of, record
from safegpu._gate import needing, require
from safegpu._jax import fa, ir, launch_context, no_such, utils
from safegpu._trace import architecture
from safegpu._value import Value, like, raw
from safegpu.architectures import HasLeaderTrackedTMA, HasMultimem, HasTMA, HasTMAGather, HasTMAScatter
from safegpu.barriers import promote
from safegpu.refs import MultimemAddress, MultimemRef
from safegpu.scalars import c, giving_scalars  # noqa: F401  # a name of this module, too
from safegpu.watch import watched

__getattr__, __dir__ = mirror(launch_context, globals())

_Real = launch_context.LaunchContext
_TMA = launch_context.AsyncCopyImplementation.TMA


class LaunchContext(_Real):
    """What a kernel body launches copies with."""

    __slots__ = ()
    __class_getitem__ = classmethod(types.GenericAlias)

    # Mosaic GPU finds the kernel argument behind a GMEM reference, and recomputes a peer on the host, by
    # asking what class of value each is.

    @watched("LaunchContext.async_copy")
    @functools.wraps(_Real.async_copy)
    def async_copy(self, **kwargs: Any) -> None:
        if architecture() is not None:
            self._require(kwargs)
        if not __debug__:
            _optimized.async_copy(self.cluster_size, **kwargs)
        for name, value in kwargs.items():
            if isinstance(value, Value):
                kwargs[name] = raw(value)
        return super().async_copy(**kwargs)

    if hasattr(_Real, "async_copy_im2col"):

        @needing(HasTMA, "async_copy_im2col")
        @functools.wraps(_Real.async_copy_im2col)
        def async_copy_im2col(self, **kwargs: Any) -> None:
            return super().async_copy_im2col(**{name: raw(value) for name, value in kwargs.items()})

    else:

        def __getattr__(self, name: str) -> Any:
            raise no_such(name, f"{type(self).__name__!r} object has no attribute {name!r}")

    def _require(self, copy: dict[str, Any]) -> None:
        """Refuses the copies that the architecture lacks; what else is wrong with a call, Mosaic GPU says."""
        if copy.get("implementation", _TMA) is not _TMA:
            return
        require(HasTMA, "async_copy by TMA")
        slices = copy.get("gmem_slice", ())
        for each in slices if isinstance(slices, tuple) else (slices,):
            if not isinstance(each, fa.FragmentedArray):
                continue
            source = copy.get("src_ref")
            if isinstance(source, ir.Value) and utils.is_smem_ref(source):
                require(HasTMAScatter, "async_copy to gathered rows (scatter)")
            else:
                require(HasTMAGather, "async_copy of gathered rows")
        collective = copy.get("collective")
        if copy.get("leader_tracked") is not None and collective is not None:
            dimensions = collective if isinstance(collective, Iterable) else (collective,)
            if math.prod(self.cluster_size[each] for each in dimensions) > 1:
                require(HasLeaderTrackedTMA, "async_copy with leader_tracked")

    @watched("LaunchContext.async_prefetch")
    @needing(HasTMA, "async_prefetch")
    @functools.wraps(_Real.async_prefetch)
    def async_prefetch(self, **kwargs: Any) -> None:
        return super().async_prefetch(**{name: raw(value) for name, value in kwargs.items()})

    await_async_copy = watched("LaunchContext.await_async_copy")(
        needing(HasTMA, "await_async_copy")(_Real.await_async_copy)
    )
    await_cp_async_copy = watched("LaunchContext.await_cp_async_copy")(_Real.await_cp_async_copy)

    @watched("LaunchContext.to_remote")
    @functools.wraps(_Real.to_remote)
    def to_remote(self, ref: Any, peer: Any, **kwargs: Any) -> Any:
        remote = super().to_remote(raw(ref), raw(peer), **kwargs)
        if isinstance(remote.type, ir.MemRefType):  # Mosaic GPU calls this with pointers as well
            record(remote, facts_of(ref)._replace(role=None))  # a peer's memory, which may be any
        return like(ref, remote)

    @needing(HasMultimem, "to_remote_multicast")
    @functools.wraps(_Real.to_remote_multicast)
    def to_remote_multicast(self, ref: Any, on_host: bool = False) -> MultimemRef:
        multimem = super().to_remote_multicast(raw(ref), on_host)
        record(multimem.ref, facts_of(ref)._replace(role="multimem"))
        return MultimemRef(MultimemAddress(multimem.ref))

    device_id = giving_scalars(_Real.device_id)


def wrap_context(context: Any) -> Any:
    """The context that Mosaic GPU made, as ours, in place."""
    return promote(context, LaunchContext) if type(context) is _Real else context
