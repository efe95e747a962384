"""Specs: what a kernel's inputs, outputs and scratch are declared with, under Pallas's names.

Each is the object that Mosaic GPU takes for the purpose, and remembers what Mosaic GPU drops: the dtype
token, the swizzle, the tiling. Where a spec is used, the kernel body gets a reference that knows them.
"""

import copy
import types
from collections.abc import Callable, Iterator
from typing import Any, Literal

from safegpu._dtype import token_of
from safegpu._facade import facade
from safegpu._facts import NO_SWIZZLE, Facts
from safegpu._jax import SPEC_TYPES, TMABarrier, core, jax, utils
from safegpu.refs import check_swizzle

__all__ = [
    "GMEM", "SMEM", "TMEM", "Barrier", "ClusterBarrier", "Many", "Scratch", "TMABarrier", "Union",
]  # fmt: skip

Barrier = core.Barrier
ClusterBarrier = core.ClusterBarrier
Union = facade(core.Union)


class GMEM(jax.ShapeDtypeStruct):
    """A buffer in global memory: an input or an output of a kernel."""

    __slots__ = ("token",)

    def __init__(self, shape: tuple[int, ...], dtype: Any, **kwargs: Any) -> None:
        super().__init__(shape, dtype, **kwargs)
        self.token = token_of(dtype)


class SMEM(jax.ShapeDtypeStruct):
    """A buffer in shared memory.

    `shape` is the logical shape; the allocation has the tiled one. With a swizzle of 32, 64 or 128 the tile
    is the one that wgmma and tcgen05 read, unless `tiling` says otherwise; `tiling=()` keeps the buffer
    untiled.
    """

    __slots__ = ("any_swizzle", "logical_shape", "swizzle", "tiling", "token")

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: Any,
        *,
        swizzle: int | None = None,
        tiling: tuple[int, ...] | None = None,
    ) -> None:
        check_swizzle("SMEM", swizzle)
        logical = tuple(shape)
        tiling = _mma_tile(swizzle, _bits(dtype)) if tiling is None else tuple(tiling)
        tiled = logical[-len(tiling) :] if tiling else ()
        if len(tiled) < len(tiling) or any(size % tile for size, tile in zip(tiled, tiling, strict=True)):
            raise ValueError(
                f"SMEM: expected a shape whose last dimensions are multiples of the tiling {tiling} "
                f"(swizzle={swizzle}), got {logical}; correct shape, or pass another tiling"
            )
        super().__init__(utils.tile_shape(logical, tiling), dtype)
        self.logical_shape, self.tiling = logical, tiling
        self.swizzle, self.any_swizzle, self.token = swizzle or NO_SWIZZLE, swizzle is None, token_of(dtype)


class TMEM(core.TMEM):
    """A buffer in tensor memory. `dtype` may be a token."""

    def __post_init__(self) -> None:
        # Mosaic GPU's own check asks MLIR for the width of the dtype, which needs a context that specs at
        # module level do not have.
        if self.layout is None:
            return
        if self.packing is not None:
            raise ValueError(f"TMEM: layout has a packing of its own, got packing={self.packing} as well; leave it out")
        self.layout.check_type(self.shape, _bits(self.dtype))


def Many[T](spec: T, n: int) -> tuple[T, ...]:
    """`n` allocations of one spec, as a tuple."""
    return (spec,) * n


def _bits(dtype: Any) -> int:
    """Width of an element, known without MLIR."""
    token = token_of(dtype)
    return jax.numpy.dtype(dtype).itemsize * 8 if token is None else token.bits


def _mma_tile(swizzle: int | None, bits: int) -> tuple[int, ...]:
    """The tile that the tensor cores read: eight rows, each as wide as the swizzle."""
    return () if swizzle in (None, NO_SWIZZLE) else (8, 8 * swizzle // bits)


# --- scratch


def is_scratch(spec: object) -> bool:
    """Whether it is a `Scratch` class or an object of one."""
    return isinstance(spec, Scratch) or (isinstance(spec, type) and issubclass(spec, Scratch))


def is_union(spec: object) -> bool:
    """Whether its members begin at one place."""
    return isinstance(spec, core.Union)


def _is_leaf(spec: object) -> bool:
    """Whether it is one allocation, as most are: then there is no tree to walk."""
    return isinstance(spec, SPEC_TYPES) and not is_union(spec)


class Scratch:
    """The scratch of a kernel as a class: attributes that are specs are allocated, as they are declared.

    Base classes come first. An attribute is a spec, a nested `Scratch`, or a tuple, list or dict of them; the
    kernel body receives an instance whose attributes are the references. (A dict is allocated in the order of
    its sorted keys, because JAX flattens it that way.) Attributes that are no specs are left alone.

    Scratch that depends on a dtype or a size is an object: its `__init__` sets the attributes, and the object
    is given in place of the class.
    """

    __class_getitem__ = classmethod(types.GenericAlias)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        specs_of(cls)  # so that a mistake is reported where it is declared


def _is_spec(cls: type, name: str, value: Any) -> bool:
    if not isinstance(value, tuple | list | dict):
        return is_scratch(value) or isinstance(value, SPEC_TYPES)
    if not value:
        return False
    members = list(value.values()) if isinstance(value, dict) else list(value)
    specs = [_is_spec(cls, name, member) for member in members]
    if any(specs) and not all(specs):
        other = members[specs.index(False)]
        raise TypeError(
            f"{cls.__name__}.{name}: expected specs alone, got {other!r} among them; keep it in an attribute of its own"
        )
    return all(specs)


def specs_of(scratch: Any) -> dict[str, Any]:
    """The specs of a `Scratch` class or object, by attribute."""
    cls = scratch if isinstance(scratch, type) else type(scratch)
    namespaces = [vars(base) for base in reversed(cls.__mro__) if base not in (object, Scratch)]  # which declare none
    if scratch is not cls:
        namespaces.append(vars(scratch))
    specs: dict[str, Any] = {}
    for namespace in namespaces:
        for name, value in namespace.items():
            if name.startswith("__"):
                continue
            if isinstance(value, SPEC_TYPES) or _is_spec(cls, name, value):
                specs[name] = value
            else:
                specs.pop(name, None)  # a subclass or an object may take an attribute back
    return specs


def scratches(specs: Any) -> Iterator[type[Scratch]]:
    """The `Scratch` classes among specs, those inside of others too."""
    if is_scratch(specs):
        yield specs if isinstance(specs, type) else type(specs)
        specs = [each for each in specs_of(specs).values() if not _is_leaf(each)]
    if isinstance(specs, list) and not specs:
        return
    for spec in jax.tree.leaves(specs, is_leaf=is_union):
        if is_scratch(spec):
            yield from scratches(spec)
        elif is_union(spec):
            yield from scratches(list(spec.members))


def flat(specs: Any) -> tuple[Any, ...] | None:
    """These lowered specs where they are one, or a tuple of some, as most are; None where there is a tree to walk."""
    each = specs if type(specs) is tuple else (specs,)
    return each if all(isinstance(spec, SPEC_TYPES) and not isinstance(spec, core.Union) for spec in each) else None


def uses_tmem(specs: Any) -> bool:
    """Whether any of these lowered specs allocates tensor memory."""
    if (leaves := flat(specs)) is not None:
        return any(isinstance(leaf, core.TMEM) for leaf in leaves)
    leaves = jax.tree.leaves(specs, is_leaf=is_union)
    return any(uses_tmem(list(leaf.members)) if is_union(leaf) else isinstance(leaf, core.TMEM) for leaf in leaves)


def lowered_specs(specs: Any) -> Any:
    """The tree of specs that Mosaic GPU allocates: a `Scratch` becomes the tuple of its specs."""
    if _is_leaf(specs):
        return specs

    def lowered(spec: Any) -> Any:
        if is_scratch(spec):
            if isinstance(spec, type) and spec.__init__ is not Scratch.__init__:
                name = spec.__name__
                raise TypeError(
                    f"{name} sets its specs in __init__: pass an object, {name}(...), in place of the class"
                )
            return tuple(lowered_specs(each) for each in specs_of(spec).values())
        return Union([lowered_specs(each) for each in spec.members]) if is_union(spec) else spec

    return lowered(specs) if is_scratch(specs) else jax.tree.map(lowered, specs, is_leaf=is_union)


def typed_references(specs: Any, references: Any, wrap: Callable[[Any, Any], Any]) -> Any:
    """What the body receives: the references allocated for `lowered_specs(specs)`, each with its spec."""
    if _is_leaf(specs):
        return wrap(references, specs)

    def typed(spec: Any, allocated: Any) -> Any:
        if is_scratch(spec):
            scratch = object.__new__(spec) if isinstance(spec, type) else copy.copy(spec)
            for (name, each), reference in zip(specs_of(spec).items(), allocated, strict=True):
                setattr(scratch, name, typed_references(each, reference, wrap))
            return scratch
        if is_union(spec):
            pairs = zip(spec.members, allocated.members, strict=True)
            return Union(tuple(typed_references(each, reference, wrap) for each, reference in pairs))
        return wrap(allocated, spec)

    if is_scratch(specs):
        return typed(specs, references)
    return jax.tree.map(typed, specs, references, is_leaf=is_union)


def facts_of_spec(spec: Any, role: Literal["input"] | None = None) -> Facts:
    """What a spec says of its buffer; of a plain `jax.ShapeDtypeStruct`, the dtype alone."""
    if isinstance(spec, SMEM):
        return Facts(spec.token, spec.swizzle, spec.tiling, spec.any_swizzle)
    return Facts(spec.token if isinstance(spec, GMEM) else token_of(spec.dtype), role=role)
