"""Barriers: one, or an array of them, and their collective and dialect kinds.

Mosaic GPU has one class for a barrier and for an array of barriers, and only an index gives something to wait
on. Here they are two classes; which one an object is follows from its `num_barriers`.
"""

import copy
import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any, Self

from safegpu._gate import needing, require
from safegpu._jax import LACKING, utils
from safegpu._trace import current
from safegpu.architectures import HasClusters, HasTcgen05
from safegpu.scalars import giving_scalars
from safegpu.watch import watched

__all__ = [
    "BarrierArray", "BarrierRef", "CollectiveBarrierArray", "CollectiveBarrierRef", "DialectBarrierRef",
]  # fmt: skip


def promote[T](obj: object, cls: type[T]) -> T:
    """Gives an object that Mosaic GPU made one of our classes: the same object, with the same fields."""
    # Frozen dataclasses forbid the plain assignment.
    object.__setattr__(obj, "__class__", cls)
    return obj  # type: ignore[return-value]


def _fresh(obj: object, cls: type) -> Any:
    """What Mosaic GPU has just made and nobody else holds, as one of our classes, with the same fields.

    This is often done, and copying the fields costs less than another `__class__`, which is an audit event.
    """
    ours = object.__new__(cls)
    vars(ours).update(vars(obj))
    return ours


def remember_barrier(barrier: Any) -> None:
    """Enters the address of a barrier that a spec allocated, which is the only way to it."""
    address = getattr(getattr(barrier, "barrier", barrier), "base_address", None)
    trace = current()
    if trace is not None and address is not None:
        trace.barriers.add(address)


def wrap_barrier(barrier: Any) -> Any:
    """A barrier of Mosaic GPU as one of ours, in place; anything else as it is."""
    return _wrapped(barrier, promote)


def _wrapped(barrier: Any, convert: Callable[[Any, type], Any]) -> Any:
    """`convert` is `promote`, or `_fresh` for what nobody else holds; the rare kinds are promoted."""
    if isinstance(barrier, utils.BarrierRef):
        cls: type = BarrierRef if barrier.num_barriers == 1 else BarrierArray
        return barrier if type(barrier) is cls else convert(barrier, cls)
    if isinstance(barrier, utils.CollectiveBarrierRef):
        one = isinstance(wrap_barrier(barrier.barrier), BarrierRef)
        return convert(barrier, CollectiveBarrierRef if one else CollectiveBarrierArray)
    if "CtaBarrierRef" not in LACKING and isinstance(barrier, utils.CtaBarrierRef):
        return promote(barrier, CtaBarrierRef if barrier.num_barriers == 1 else CtaBarrierArray)
    if isinstance(barrier, utils.DialectBarrierRef):
        wrap_barrier(barrier.barrier_ref)
        return promote(barrier, DialectBarrierRef)
    return barrier


def _making[**P](method: Callable[P, Any]) -> Callable[P, Any]:
    """A method of Mosaic GPU that makes a barrier, so that it makes one of ours."""

    @functools.wraps(method)
    def made(*args: P.args, **kwargs: P.kwargs) -> Any:
        return _wrapped(method(*args, **kwargs), _fresh)

    return made


def _ordering(method: Callable[..., Any]) -> Any:
    """A method of Mosaic GPU that is a fence of the tensor core too, where `orders_tensor_core` is set."""
    place = list(inspect.signature(method).parameters).index("orders_tensor_core")

    @functools.wraps(method)
    def ordered(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("orders_tensor_core") or args[place : place + 1] == (True,):
            require(HasTcgen05, f"{method.__name__}(orders_tensor_core=True)")
        return method(*args, **kwargs)

    return ordered


class _Barrier(utils.BarrierRef):
    __slots__ = ()
    __class_getitem__ = classmethod(types.GenericAlias)

    initialize = staticmethod(_making(utils.BarrierRef.initialize))
    __getitem__ = watched("BarrierRef.__getitem__")(_making(utils.BarrierRef.__getitem__))
    remap_to_cluster = watched("BarrierRef.remap_to_cluster")(
        needing(HasClusters, "remap_to_cluster")(_making(utils.BarrierRef.remap_to_cluster))
    )
    update_parities = giving_scalars(utils.BarrierRef.update_parities)
    test = watched("BarrierRef.test")(_ordering(giving_scalars(utils.BarrierRef.test)))
    test_parity = watched("BarrierRef.test_parity")(_ordering(giving_scalars(utils.BarrierRef.test_parity)))
    arrive = watched("BarrierRef.arrive")(_ordering(utils.BarrierRef.arrive))
    arrive_expect_tx = watched("BarrierRef.arrive_expect_tx")(utils.BarrierRef.arrive_expect_tx)
    complete_tx = watched("BarrierRef.complete_tx")(utils.BarrierRef.complete_tx)
    get_ptr = watched("BarrierRef.get_ptr")(utils.BarrierRef.get_ptr)
    wait = watched("BarrierRef.wait")(_ordering(utils.BarrierRef.wait))
    wait_parity = watched("BarrierRef.wait_parity")(_ordering(utils.BarrierRef.wait_parity))

    @classmethod
    def _checked(cls, raw: utils.BarrierRef) -> Self:
        if not isinstance(raw, utils.BarrierRef):
            kinds = {
                utils.CollectiveBarrierRef: "a collective barrier",
                utils.DialectBarrierRef: "a dialect barrier",
            }
            got = next((name for kind, name in kinds.items() if isinstance(raw, kind)), type(raw).__name__)
            raise TypeError(f"{cls.__name__}.wrap: expected a barrier (utils.BarrierRef), got {got}")
        # A copy: the raw object stays what its other holders know it as.
        return promote(copy.copy(raw), cls)


class BarrierRef(_Barrier):
    """One barrier in shared memory."""

    __slots__ = ()

    @classmethod
    def wrap(cls, raw: utils.BarrierRef) -> Self:
        """`raw` as a `BarrierRef`, once it is checked to be one barrier."""
        barrier = cls._checked(raw)
        if barrier.num_barriers != 1:
            raise ValueError(
                f"{cls.__name__}.wrap: expected one barrier, got an array of {barrier.num_barriers}; "
                "use BarrierArray.wrap, or wrap raw[i]"
            )
        return barrier


class BarrierArray(_Barrier):
    """Barriers that are allocated together; an index gives one."""

    __slots__ = ()

    @classmethod
    def wrap(cls, raw: utils.BarrierRef) -> Self:
        """`raw` as a `BarrierArray`; an array of one is an array too."""
        return cls._checked(raw)


class _CollectiveBarrier(utils.CollectiveBarrierRef):
    __slots__ = ()
    __class_getitem__ = classmethod(types.GenericAlias)

    initialize = staticmethod(_making(utils.CollectiveBarrierRef.initialize))
    __getitem__ = watched("CollectiveBarrierRef.__getitem__")(_making(utils.CollectiveBarrierRef.__getitem__))
    arrive = watched("CollectiveBarrierRef.arrive")(_ordering(utils.CollectiveBarrierRef.arrive))
    wait = watched("CollectiveBarrierRef.wait")(utils.CollectiveBarrierRef.wait)
    wait_parity = watched("CollectiveBarrierRef.wait_parity")(utils.CollectiveBarrierRef.wait_parity)

    def __iter__(self) -> Iterator[Any]:
        return (_wrapped(each, _fresh) for each in super().__iter__())


class CollectiveBarrierRef(_CollectiveBarrier):
    """One barrier at which several blocks of a cluster arrive."""

    __slots__ = ()


class CollectiveBarrierArray(_CollectiveBarrier):
    """Collective barriers that are allocated together; an index gives one."""

    __slots__ = ()


class DialectBarrierRef(utils.DialectBarrierRef):
    """A barrier of Warpgroup semantics."""

    __slots__ = ()
    __class_getitem__ = classmethod(types.GenericAlias)

    initialize = staticmethod(_making(utils.DialectBarrierRef.initialize))
    from_barrier_memref = classmethod(_making(utils.DialectBarrierRef.from_barrier_memref.__func__))
    __getitem__ = _making(utils.DialectBarrierRef.__getitem__)


if "CtaBarrierRef" not in LACKING:
    __all__ += ["CtaBarrierArray", "CtaBarrierRef"]

    class _CtaBarrier(utils.CtaBarrierRef):
        __slots__ = ()
        __class_getitem__ = classmethod(types.GenericAlias)

        initialize = staticmethod(_making(utils.CtaBarrierRef.initialize))
        __getitem__ = _making(utils.CtaBarrierRef.__getitem__)

        def __iter__(self) -> Iterator[Any]:
            return (self[index] for index in range(self.num_barriers))

    class CtaBarrierRef(_CtaBarrier):
        """One named barrier of the block."""

        __slots__ = ()

    class CtaBarrierArray(_CtaBarrier):
        """Named barriers that are allocated together; an index gives one."""

        __slots__ = ()
