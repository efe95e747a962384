"""What a kernel's author said of its buffers, for as long as the kernel is traced.

Facts are kept in a table beside the values and not on the wrapper objects: a table survives raw `memref_*`
functions, loop carries and anything else that makes a new Python object for the same buffer. Only allocations
are entered; the facts of a view are found by walking back from it, and only when somebody asks.
"""

import functools
from typing import Any, Literal, NamedTuple

from safegpu._jax import DYNAMIC, ir, utils
from safegpu._trace import current
from safegpu.dtypes import DType


class Facts(NamedTuple):
    """What is known of a buffer; None is unknown."""

    dtype: type[DType] | None = None
    swizzle: int | None = None
    tiling: tuple[int, ...] | None = None
    any_swizzle: bool = False
    """Whether the spec left the swizzle out: then it is Mosaic GPU's default, and any is taken."""
    role: Literal["input", "multimem"] | None = None
    """What the memory is beside a place for data: an input of the kernel, or what only multimem operations access."""


UNKNOWN = Facts()

NO_SWIZZLE = 16  # bytes: Mosaic GPU's default, and the width of the atoms that a swizzle permutes

# Operations whose first operand is the buffer that their result views.
VIEWS = frozenset({
    "memref.cast", "memref.collapse_shape", "memref.expand_shape", "memref.reinterpret_cast",
    "memref.subview", "memref.transpose",
})  # fmt: skip
_BOUNDS_OF_FOR = 3  # scf.for's operands are lower bound, upper bound, step, then the carried values


def record(buffer: ir.Value, facts: Facts) -> None:
    """Enters an allocation, or a pointer past which the walk cannot see. Outside a trace nothing is kept."""
    trace = current()
    if trace is not None:
        trace.facts[buffer] = facts
        trace.paths.clear()  # which know the facts of before


def facts_of(ref: ir.Value) -> Facts:
    """The facts of the allocation that `ref` is, or is a view of."""
    trace = current()
    if trace is None:
        return UNKNOWN
    allocation = allocation_of(ref)
    return UNKNOWN if allocation is None else trace.facts[allocation]


def allocation_of(ref: ir.Value) -> ir.Value | None:
    """The value of which facts are kept and that `ref` is, or is a view of; None when the walk back finds none."""
    trace = current()
    value: ir.Value | None = ref if trace is not None and trace.facts else None
    while value is not None and value not in trace.facts:  # type: ignore[union-attr]
        value = _viewed(value)
    return value


class Path:
    """The views that lead to a reference; what is asked of them is kept for who asks next.

    MLIR makes an object for each operation that is looked at, so what a view is of is taken from the call that made it,
    where that is known, and the operations are looked at when somebody asks for them.
    """

    root: ir.Value
    """What is no view: a buffer, or what a loop or a conditional gives."""
    owner: Any
    """The operation that gives the root, or the block that it is an argument of."""
    name: str | None
    """The name of that operation; None of a block."""
    is_view: bool
    in_shared_memory: bool
    """Whether the root is an allocation there."""
    is_exact: bool
    """Whether the views say where in the root they lie."""

    def __init__(self, ref: ir.Value, of: "Path | None" = None, index: Any = None) -> None:
        self.ref = ref
        self.of = of
        self.index = index  # of a slice
        if of is None:
            self._walk()
        else:
            self.root, self.owner, self.name = of.root, of.owner, of.name
            self.is_view, self.is_exact, self.in_shared_memory = True, of.is_exact, of.in_shared_memory

    def _walk(self) -> list[tuple[str, Any]]:
        views: list[tuple[str, Any]] = []
        value = self.ref
        while True:
            owner: Any = value.owner
            name: str | None = None if isinstance(owner, ir.Block) else owner.name
            if name not in VIEWS:
                break
            views.append((name, owner))
            value = owner.operands[0]
        self.root, self.owner, self.name, self.views = value, owner, name, views
        self.is_view = bool(views)
        # An author may view bytes of global memory.
        self.in_shared_memory = name == "memref.view" and utils.is_smem_ref(value)
        self.is_exact = all(name != "memref.reinterpret_cast" for name, _ in views)
        return views

    @functools.cached_property
    def views(self) -> list[tuple[str, Any]]:
        """Name and operation of each view, the last first."""
        return self._walk()

    @functools.cached_property
    def facts(self) -> Facts:
        """The facts of the allocation that it is for sure: one that a loop carries may be another in the next round."""
        trace = current()
        if trace is None or not trace.facts:
            return UNKNOWN
        found = trace.facts.get(self.ref)
        if found is None and self.of is not None:
            return self.of.facts
        for _, view in self.views if found is None else ():
            if (found := trace.facts.get(view.operands[0])) is not None:
                break
        return UNKNOWN if found is None else found

    @functools.cached_property
    def type(self) -> ir.MemRefType | None:
        """The type of a reference to memory; None of another value."""
        type_ = self.ref.type
        return type_ if isinstance(type_, ir.MemRefType) else None

    @functools.cached_property
    def bits(self) -> int:
        """Of an element."""
        return 0 if self.type is None else utils.bitwidth(self.type.element_type)

    @functools.cached_property
    def layout(self) -> tuple[list[int], int]:
        """The strides and the offset that the type has, `DYNAMIC` where none is known."""
        return ([], DYNAMIC) if self.type is None else self.type.get_strides_and_offset()

    @property
    def offset(self) -> int:
        return self.layout[1]

    @functools.cached_property
    def extent(self) -> tuple[int, int] | None:
        """The first element of the buffer that is in the view, and the one behind the last; None where nobody knows."""
        strides, start = self.layout
        if self.type is None or start == DYNAMIC or DYNAMIC in strides:
            return None
        last = sum((size - 1) * stride for size, stride in zip(self.type.shape, strides, strict=True))
        return start, start + last + 1

    @functools.cached_property
    def steps(self) -> tuple[Any, ...]:
        """What leads there from the root, to compare; none for all of it."""
        return tuple(_step(name, view) for name, view in reversed(self.views))


def _step(name: str, view: Any) -> tuple[Any, ...]:
    if name != "memref.subview":
        return (name, view.results[0].type)  # which has the strides
    attributes = view.attributes
    return (name, attributes["static_offsets"], attributes["static_sizes"], tuple(view.operands)[1:])


def path_of(ref: ir.Value) -> Path:
    """The path to a reference, walked once in a trace."""
    trace = current()
    if trace is None:
        return Path(ref)
    path: Path | None = trace.paths.get(ref)
    if path is None:
        path = trace.paths[ref] = Path(ref)
    return path


def path_to(ref: Any) -> Path | None:
    """The path to a reference, also to a multimem one; None of what is none, of which Mosaic GPU speaks."""
    if isinstance(ref, utils.MultimemRef):
        ref = ref.ref
    return path_of(ref) if isinstance(ref, ir.Value) else None


def record_view(view: ir.Value, ref: ir.Value, index: Any = None) -> None:
    """Enters what a call has made a view of, and of a slice the index."""
    trace = current()
    if trace is not None and view is not ref:
        trace.paths[view] = Path(view, path_of(ref), index)


def _viewed(value: ir.Value) -> ir.Value | None:
    """The value that `value` was made of by one step: a view, or a loop that carries it."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        # A block argument of a loop is the induction variable or what the loop carries, which is taken to be
        # what it carries at first: the body that decides is still being traced. Blocks of other operations,
        # scf.if among them, say nothing of where their values come from.
        loop, carried = owner.owner, ir.BlockArgument(value).arg_number - 1
        return loop.operands[_BOUNDS_OF_FOR + carried] if loop.name == "scf.for" and carried >= 0 else None
    if owner.name in VIEWS:
        return owner.operands[0]
    if owner.name == "scf.for":
        return owner.operands[_BOUNDS_OF_FOR + ir.OpResult(value).result_number]
    return None
