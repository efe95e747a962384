"""Where a kernel's scratch lies in shared memory, and what may not lie there.

Mosaic GPU allocates in the order in which JAX flattens the specs, one after the other and without padding; the
members of a `Union` begin at one place. So what a buffer is aligned to depends on what is declared before it.
"""

import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from safegpu import _gate
from safegpu._jax import SPEC_TYPES, buffer_bytes, core, jax, utils
from safegpu.specs import is_scratch, is_union, specs_of  # type: ignore[attr-defined]  # of the runtime half

_OF_TMEM = 4  # bytes: the address of tensor memory, which its allocation writes to shared memory


class Allocation(NamedTuple):
    """One allocation: what the author calls it, its spec, and its bytes from the start of the block's shared memory."""

    name: str
    spec: Any
    start: int
    size: int

    @property
    def end(self) -> int:
        return self.start + self.size

    @property
    def is_barrier(self) -> bool:
        return hasattr(self.spec, "num_barriers")

    @property
    def is_buffer(self) -> bool:
        return not self.is_barrier and not self.is_tmem

    @property
    def is_tmem(self) -> bool:
        return isinstance(self.spec, core.TMEM)


def allocations(specs: Any, start: int = 0, name: str = "") -> Iterator[Allocation]:
    """What these specs allocate, in order; what lies in a union begins where the union does."""
    for leaf_name, leaf in _leaves(specs, name):
        if is_union(leaf):
            members = list(_members(leaf, start, leaf_name))
            yield from itertools.chain(*members)
            start = max((each.end for member in members for each in member), default=start)
        else:
            found = Allocation(leaf_name, leaf, start, _size(leaf))
            yield found
            start = found.end


def starts(specs: Any, lowered: tuple[Any, ...] | None) -> Iterator[int]:
    """Where buffers begin, without their names; `lowered` are the specs where there is no tree to walk."""
    if lowered is None:
        yield from (each.start for each in allocations(specs) if each.is_buffer)
        return
    start = 0
    for spec in lowered:
        if isinstance(spec, jax.ShapeDtypeStruct):
            yield start
        start += _size(spec)


def check_unions(specs: Any) -> None:
    """Refuses unions in which an mbarrier or an address of tensor memory shares its bytes with something else."""
    if not _has_union(specs):
        return
    for union, start, name in _unions(specs, 0, ""):
        for one, other in itertools.combinations(_members(union, start, name), 2):
            for a, b in itertools.chain(itertools.product(one, other), itertools.product(other, one)):
                if a.start < b.end and b.start < a.end:
                    _check_pair(a, b)
        for each in itertools.chain(*_members(union, start, name)):
            if each.is_barrier and each.start % utils.MBARRIER_BYTES:
                _gate.refuse(
                    "SG812",
                    f"the barrier {each.name} lies in a Union at byte {each.start} of shared memory, and an mbarrier "
                    f"is aligned to {utils.MBARRIER_BYTES}: declare it before what is no multiple of "
                    f"{utils.MBARRIER_BYTES} bytes, a TMEM (4 bytes) among them",
                )


def _has_union(specs: Any) -> bool:
    if is_scratch(specs):
        specs = specs_of(specs)
    if isinstance(specs, tuple | list | dict):
        return any(map(_has_union, specs.values() if isinstance(specs, dict) else specs))
    return is_union(specs)


def _check_pair(a: Allocation, b: Allocation) -> None:
    if a.is_barrier:
        what = "is a barrier, which the kernel initializes before the body runs and no other use may touch"
    elif a.is_tmem:
        what = "is tensor memory, whose address is kept there until the kernel frees it"
    else:
        return
    _gate.refuse(
        "SG805",
        f"{a.name} and {b.name} share bytes {max(a.start, b.start)} to {min(a.end, b.end)} of shared memory in a "
        f"Union, and {a.name} {what}: declare it outside the Union",
    )


def _members(union: Any, start: int, name: str) -> list[list[Allocation]]:
    return [list(allocations(each, start, f"{name}.members[{at}]")) for at, each in enumerate(union.members)]


def _unions(specs: Any, start: int, name: str) -> Iterator[tuple[Any, int, str]]:
    for leaf_name, leaf in _leaves(specs, name):
        size = _size(leaf)
        if is_union(leaf):
            yield leaf, start, leaf_name
            for at, member in enumerate(leaf.members):
                yield from _unions(member, start, f"{leaf_name}.members[{at}]")
        start += size


def _size(leaf: Any) -> int:
    token = getattr(leaf, "token", None)
    if token is not None and token.bits % 8 == 0:  # what `buffer_bytes` says, in less time
        return math.prod(leaf.shape) * (token.bits // 8)
    if is_union(leaf):
        return max((each.end for member in _members(leaf, 0, "") for each in member), default=0)
    if isinstance(leaf, core.TMEM):
        return _OF_TMEM
    barriers = getattr(leaf, "num_barriers", None)
    return buffer_bytes(leaf) if barriers is None else barriers * utils.MBARRIER_BYTES


def _leaves(specs: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The specs and unions, each with what the author calls it: `Scratch.tile`, `Scratch.pairs[0]`."""
    if isinstance(specs, SPEC_TYPES):
        yield name or "scratch", specs
        return
    if is_scratch(specs):
        name = name or (specs if isinstance(specs, type) else type(specs)).__name__
        for attribute, spec in specs_of(specs).items():
            if isinstance(spec, SPEC_TYPES):
                yield f"{name}.{attribute}", spec
            else:
                yield from _leaves(spec, f"{name}.{attribute}")
        return
    found = jax.tree_util.tree_flatten_with_path(specs, is_leaf=lambda each: is_union(each) or is_scratch(each))[0]
    for path, leaf in found:
        leaf_name = f"{name or 'scratch'}{jax.tree_util.keystr(path)}"
        if is_scratch(leaf):
            yield from _leaves(leaf, leaf_name)
        else:
            yield leaf_name, leaf
