"""SG901, SG903, SG906: tensor memory is read before what writes it is done, or before anything has written it.

Nothing in tensor memory waits by itself: loads and stores of the threads and products of the tensor core run on beside
each other, and a product adds to whatever its accumulator holds.
"""

from typing import Any, NamedTuple

from safegpu import _gate
from safegpu._jax import ir, tcgen05
from safegpu._trace import current
from safegpu.rules import allows_here
from safegpu.watch._core import Call, Place, after, at_end, before, found, told
from safegpu.watch._program import (
    Mbarrier,
    Span,
    conditional_in_loop,
    enclosing,
    follows,
    mbarrier,
    span,
    spans_overlap,
    unseen,
)

# --- SG903: stores of threads, until commit_tmem

_WAIT_OF_STORES = r"tcgen05\.wait(\.st|<store)"


class _Access(NamedTuple):
    span: Span
    block: ir.Block
    place: Place | None


class _Stores:
    def __init__(self) -> None:
        self.commits = 0
        self.uncommitted: list[_Access] = []


@after("TMEMRef.store")
def _stored(call: Call) -> None:
    call.states[_Stores].uncommitted.append(_Access(span(call["self"]), call.block, call.place))


@after("tcgen05.commit_tmem")
def _committed(call: Call) -> None:
    stores = call.states[_Stores]
    stores.commits += 1
    stores.uncommitted.clear()


@after("TMEMRef.load")
def _loads_what_was_stored(call: Call) -> None:
    _check_stores(call, "the load", call["self"])


@after("tcgen05.mma")
def _multiplies_what_was_stored(call: Call) -> None:
    operands = [call.get(each) for each in ("a", "a_scale", "b_scale")]
    if call.get("accumulate", True) is True:
        operands.append(call.get("d"))
    _check_stores(call, "the tensor core", *(each for each in operands if isinstance(each, tcgen05.TMEMRef)))


@after("tcgen05.mma")
def _replaced(call: Call) -> None:
    """What a product has been written over is read no more."""
    stores = call.states[_Stores]
    if stores.uncommitted:
        allocation = span(call["d"]).allocation
        stores.uncommitted = [each for each in stores.uncommitted if each.span.allocation != allocation]


def _check_stores(call: Call, reader: str, *refs: Any) -> None:
    stores = call.states[_Stores]
    if not stores.uncommitted:
        return
    for ref in refs:
        read = span(ref)
        for store in stores.uncommitted:
            if not follows(store.block, call.block) or not spans_overlap(store.span, read):
                continue
            if unseen(call.block, _WAIT_OF_STORES, stores.commits):
                stores.uncommitted.clear()
                return
            _gate.refuse(
                "SG903",
                f"{call.name} reads tensor memory that was stored to at {told(store.place)}, with no "
                f"tcgen05.commit_tmem() between: {reader} may read what was there before; call it after the store",
            )


# --- SG901: products, until a wait that orders the tensor core

_FENCE = r"tcgen05\.fence(<after|\.after)"


class _Product(NamedTuple):
    span: Span
    block: ir.Block
    place: Place | None
    commits: int
    """How many commits came before it."""


class _Wait(NamedTuple):
    barrier: Mbarrier
    block: ir.Block
    place: Place | None
    commits: int


class _Products:
    """What happened since the last wait that orders the tensor core."""

    def __init__(self) -> None:
        self.fences = 0
        self.products: list[_Product] = []
        self.commits: list[Mbarrier] = []
        self.waits: list[_Wait] = []


@after("tcgen05.mma")
def _multiplied(call: Call) -> None:
    products = call.states[_Products]
    products.products.append(_Product(span(call["d"]), call.block, call.place, len(products.commits)))


@after("tcgen05.commit_arrive")
def _commit(call: Call) -> None:
    if (barrier := mbarrier(call["barrier"])) is not None:
        call.states[_Products].commits.append(barrier)


@after(
    "BarrierRef.wait",
    "BarrierRef.wait_parity",
    "BarrierRef.test",
    "BarrierRef.test_parity",
    "CollectiveBarrierRef.wait",
    "CollectiveBarrierRef.wait_parity",
)
def _waited(call: Call) -> None:
    products = call.states[_Products]
    if _orders(call):
        products.fences += "orders_tensor_core" in call
        for each in (products.products, products.commits, products.waits):
            each.clear()
    elif products.commits and (barrier := mbarrier(call["self"])) is not None:
        products.waits.append(_Wait(barrier, call.block, call.place, len(products.commits)))


def _orders(call: Call) -> bool:
    """Whether the wait orders the tensor core; a collective barrier's may say so by a position that is not seen."""
    given = call.get("orders_tensor_core", False)
    return bool(given) or (call.name.startswith("CollectiveBarrierRef.") and "args" in call)


@after("TMEMRef.load")
def _loads_a_product(call: Call) -> None:
    products = call.states[_Products]
    if not products.products:
        return
    read, block = span(call["self"]), call.block
    for product in reversed(products.products):
        if not spans_overlap(product.span, read):
            continue
        wait = _wait_for(product, products, block)
        beside = follows(product.block, block) or follows(block, product.block)
        if not beside and (wait is None or conditional_in_loop(block)):
            continue
        if unseen(block, _FENCE, products.fences):
            products.products.clear()
            return
        waited = f", and the wait at {told(wait.place)} does not order the tensor core" if wait else ""
        _gate.refuse(
            "SG901",
            f"TMEMRef.load reads the product of {told(product.place)}{waited}: it may read what was there before; "
            "wait for the barrier that the product arrives at by tcgen05.commit_arrive, with "
            "barrier.wait(orders_tensor_core=True)",
        )


def _wait_for(product: _Product, products: _Products, block: ir.Block) -> _Wait | None:
    """The last wait in this code for a barrier at which the product arrives."""
    for wait in reversed(products.waits):
        arrivals = products.commits[product.commits : wait.commits]
        if follows(wait.block, block) and any(wait.barrier.is_surely(each) for each in arrivals):
            return wait
    return None


# --- SG906: accumulators, until something has written them


class _First(NamedTuple):
    """The first product of an accumulator, which adds to what nobody has written yet."""

    block: ir.Block
    place: Place | None


class _Accumulators:
    def __init__(self) -> None:
        self.written: set[ir.Value] = set()
        self.unwritten: dict[ir.Value, _First] = {}
        self.uses: dict[ir.Value, int] = {}


@before("tcgen05.mma")
def _accumulates(call: Call) -> None:
    if not isinstance(call.get("d"), tcgen05.TMEMRef):
        return  # which Mosaic GPU says
    accumulators, allocation = call.states[_Accumulators], span(call["d"]).allocation
    if call.get("accumulate", True) is not True:
        _written(accumulators, allocation, call.block)
    elif allocation not in accumulators.written:
        if not _of_spec(allocation) or _uses(allocation) != accumulators.uses.get(allocation, 0):
            accumulators.written.add(allocation)  # by raw code, perhaps
            accumulators.unwritten.pop(allocation, None)
            return
        if not allows_here("SG906"):
            accumulators.unwritten.setdefault(allocation, _First(call.block, call.place))


@after("tcgen05.mma")
def _accumulated(call: Call) -> None:
    accumulators, allocation = call.states[_Accumulators], span(call["d"]).allocation
    if allocation in accumulators.unwritten:
        accumulators.uses[allocation] = _uses(allocation)


@after("TMEMRef.store")
def _stored_to_accumulator(call: Call) -> None:
    _written(call.states[_Accumulators], span(call["self"]).allocation, call.block)


@after("tcgen05.async_copy_smem_to_tmem")
def _copied_to_accumulator(call: Call) -> None:
    _written(call.states[_Accumulators], span(call["tmem_ref"]).allocation, call.block)


def _written(accumulators: _Accumulators, allocation: ir.Value, block: ir.Block) -> None:
    first = accumulators.unwritten.get(allocation)
    if first is not None and (not follows(first.block, block) or _in_loop(first.block)):
        del accumulators.unwritten[allocation]  # another warpgroup, or the pass of a loop before, may have been first
    accumulators.written.add(allocation)


@at_end
def _never_written() -> None:
    if (accumulators := found(_Accumulators)) is None:
        return
    for allocation, first in accumulators.unwritten.items():
        if _uses(allocation) == accumulators.uses[allocation]:
            _refuse_accumulation(first)


def _refuse_accumulation(first: _First) -> None:
    _gate.refuse(
        "SG906",
        f"tcgen05.mma at {told(first.place)} adds to an accumulator that nothing has written: tensor memory holds what "
        "the last kernel left there; pass accumulate=False, or in a loop accumulate=step > 0",
    )


def _in_loop(block: ir.Block) -> bool:
    return any(each.name not in ("scf.if", "gpu.launch") for each in enclosing(block))


def _of_spec(allocation: ir.Value) -> bool:
    """Whether a spec allocated it. The address of what an author allocates may be read more than once."""
    owner: Any = allocation.owner
    trace = current()
    return (
        trace is not None
        and not isinstance(owner, ir.Block)
        and owner.name == "memref.load"
        and owner.operands[0] not in trace.facts
    )


def _uses(address: ir.Value) -> int:
    """How many instructions have an address, or one made of it, other than loads: what may have written there."""
    count = 0
    for use in address.uses:
        operation: Any = use.owner
        if operation.name.startswith("arith."):
            count += sum(_uses(result) for result in operation.results)
        elif operation.name != "llvm.inline_asm" or "tcgen05.ld" not in operation.attributes["asm_string"].value:
            count += 1
    return count
