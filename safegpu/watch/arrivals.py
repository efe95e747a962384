"""SG407, SG408: a barrier that cannot complete, because too few threads arrive or other bytes come than were announced.

What arrives at a barrier is read from the module when the body has returned: from the instructions that have the
barrier's address, whoever emitted them. An instruction that is not known here may do anything.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from safegpu import _gate
from safegpu._jax import ir, utils
from safegpu._trace import current
from safegpu.rules import allows_here
from safegpu.watch._copies import copy_of
from safegpu.watch._core import Call, Place, after, at_end, found, told
from safegpu.watch._program import Mbarrier, constant, index_of, mbarrier
from safegpu.watch._threads import ONE, of_condition, of_kernel, of_operation

# --- what has a barrier's address

_WAITS = ("nvvm.mbarrier.init", "nvvm.mbarrier.test.wait", "nvvm.mbarrier.try_wait.parity")
_EXPECT = "nvvm.mbarrier.arrive.expect_tx"
# Since jax 0.12 the author's own is inline PTX.
_EXPECT_PTX = re.compile(r"^(?:@\$\d+ )?mbarrier\.arrive\.expect_tx[.:\w]* _, \[\$\d+\], \$\d+;$")
_ARRIVE = re.compile(
    r"^(?:@\$\d+ )?mbarrier\.arrive(?:\.release|\.shared|\.b64|(?:\.|::)(?:cta|cluster))*"
    r" (?:_|\$\d+), \[\$\d+\](?:, (\d+))?;$"
)
_COPY = re.compile(r"^\s*@\$\d+ cp\.async\.bulk\.[^\n]*complete_tx::bytes[^\n]*;\s*$")


class _Use(NamedTuple):
    """An instruction with the address of a barrier; `number` is None where a value decides of which."""

    number: int | None
    operation: Any
    kind: str
    """"init", "wait", "expect" (an arrival, too), "arrive", "copy", or "other"."""
    arrivals: int = 0
    """Of each thread that runs it."""


def _uses(allocation: ir.Value) -> Iterator[_Use]:
    for use in allocation.uses:
        address: Any = use.owner
        if address.name != "llvm.getelementptr":
            yield _Use(None, address, "other")
            continue
        number = _number(address)
        for each in address.results[0].uses:
            yield _use(number, each.owner)


def _number(address: Any) -> int | None:
    """Which of those allocated together lies there."""
    if address.attributes["elem_type"].value != ir.IntegerType.get_signless(64):
        return None
    if len(address.operands) > 1:
        return index_of(address.operands[1])
    indices = address.attributes["rawConstantIndices"]
    return indices[0] if len(indices) == 1 else None


def _use(number: int | None, operation: Any) -> _Use:
    name: str = operation.name
    if name in _WAITS:
        return _Use(number, operation, "init" if name == "nvvm.mbarrier.init" else "wait")
    if name == _EXPECT:
        return _Use(number, operation, "expect", 1)
    if name.startswith("nvvm.cp.async.bulk.tensor."):
        return _Use(number, operation, "copy")
    if name == "llvm.call_intrinsic" and operation.attributes["intrin"].value == "llvm.nvvm.tcgen05.commit.cg1":
        return _Use(number, operation, "arrive", 1)
    if name == "llvm.inline_asm":
        text: str = operation.attributes["asm_string"].value
        if _EXPECT_PTX.match(text):
            return _Use(number, operation, "expect", 1)
        if arrive := _ARRIVE.match(text):
            return _Use(number, operation, "arrive", int(arrive[1] or 1))
        if _COPY.match(text):
            return _Use(number, operation, "copy")
    return _Use(number, operation, "other")


# --- SG407


class _Wait(NamedTuple):
    barrier: Any
    place: Place | None


class _Waits:
    """The waits that each thread of the kernel gets to."""

    def __init__(self) -> None:
        self.waits: list[_Wait] = []


@after("BarrierRef.wait", "CollectiveBarrierRef.wait")
def _waited(call: Call) -> None:
    launch: Any = call.block.owner
    if launch.name == "gpu.launch" and not allows_here("SG407"):
        call.states[_Waits].waits.append(_Wait(call["self"], call.place))


@at_end
def _too_few() -> None:
    of: dict[tuple[ir.Value, int], list[_Wait]] = {}
    if (seen := found(_Waits)) is None:
        return
    for wait in seen.waits:
        barrier = mbarrier(wait.barrier)
        if barrier is not None and barrier.number is not None:
            of.setdefault((barrier.allocation, barrier.number), []).append(wait)
    for (allocation, number), waits in of.items():
        if not _is_of_spec(allocation):
            continue
        expected = _declared(allocation, number)
        if expected is not None and (most := _most(allocation, number, expected * len(waits))) is not None:
            _refuse_arrivals(waits, expected, most)


def _is_of_spec(allocation: ir.Value) -> bool:
    """Whether a spec allocated the barrier. Of what an author initializes, others may have pointers of their own."""
    trace = current()
    return trace is not None and allocation in trace.barriers


def _declared(allocation: ir.Value, number: int) -> int | None:
    """How many arrivals complete a phase of the barrier."""
    for use in allocation.uses:
        address: Any = use.owner
        if address.name == "llvm.getelementptr" and len(address.operands) == 1 and _number(address) == number:
            for each in address.results[0].uses:
                if each.owner.name == "nvvm.mbarrier.init":
                    return constant(each.owner.operands[1])
    return None


def _most(allocation: ir.Value, number: int, needed: int) -> int | None:
    """How many arrivals there are at most, where they are fewer than `needed` for sure."""
    arriving: list[_Use] = []
    for use in _uses(allocation):
        if use.number not in (number, None) or (use.arrivals == 0 and use.kind != "other"):
            continue
        arriving.append(use)
        if use.kind == "other" or len(arriving) >= needed:  # each may be one
            return None
    most = 0
    for use in arriving:
        threads = of_operation(use.operation)
        if threads is None:
            return None
        most += use.arrivals * threads.number
    return most if most < needed else None


def _refuse_arrivals(waits: list[_Wait], expected: int, most: int) -> None:
    times = "" if len(waits) == 1 else f", each of the {len(waits)} times that it is waited for"
    arrive = "nothing arrives there" if most == 0 else f"there are at most {most} in all"
    number = f"{expected} arrival{'s' if expected > 1 else ''}"
    _gate.refuse(
        "SG407",
        f"the wait at {told(waits[0].place)} never ends: the barrier expects {number}{times}, and {arrive}; a copy, an "
        "arrive_expect_tx and a commit_arrive arrive once for each thread that issues them: declare the barrier with "
        "that number, or arrive there",
    )


# --- SG408


class _Transfer(NamedTuple):
    """A copy, or an announcement of bytes, as it was called."""

    call: Call
    block: ir.Block
    place: Place | None


class _Bytes(NamedTuple):
    """What it announces, None where that is not known, and what it brings."""

    barrier: Mbarrier
    block: ir.Block
    place: Place | None
    announced: int | None
    brought: int
    arrives: bool


class _Transfers:
    def __init__(self) -> None:
        self.announcements = 0
        self.calls: list[_Transfer] = []


@after("BarrierRef.arrive_expect_tx")
def _announced(call: Call) -> None:
    transfers = call.states[_Transfers]
    transfers.announcements += not allows_here("SG408")
    transfers.calls.append(_Transfer(call, call.block, call.place))


@after("LaunchContext.async_copy")
def _copied(call: Call) -> None:
    if call.get("barrier") is not None:
        transfers = call.states[_Transfers]
        transfers.announcements += call.get("arrive") is False and not allows_here("SG408")
        transfers.calls.append(_Transfer(call, call.block, call.place))


@at_end
def _other_bytes() -> None:
    transfers = found(_Transfers)
    if transfers is None or not transfers.announcements:  # each copy announces its own
        return
    if not any("barrier" in transfer.call for transfer in transfers.calls):  # nothing that is known here comes
        return
    of: dict[ir.Value, list[_Bytes]] = {}
    for transfer in transfers.calls:
        this = _bytes_of_copy(transfer) if "barrier" in transfer.call else _bytes_announced(transfer)
        if this is not None:
            of.setdefault(this.barrier.allocation, []).append(this)
    for allocation, events in of.items():
        if not _is_of_spec(allocation):
            continue
        announced, brought = sum(each.announced or 0 for each in events), sum(each.brought for each in events)
        if announced != brought and brought and _are_together(events) and _are_all(allocation, events):
            _refuse_bytes(events, announced, brought)


def _bytes_announced(transfer: _Transfer) -> _Bytes | None:
    call, block, place = transfer
    barrier = mbarrier(call["self"])
    if barrier is None:
        return None
    count, predicate = call["tx_count"], call.get("predicate")
    known = count if isinstance(count, int) else constant(count)
    alone = predicate is None or of_condition(predicate, of_kernel(block)).number == 1
    return _Bytes(barrier, block, place, known if alone else None, 0, True)


def _bytes_of_copy(transfer: _Transfer) -> _Bytes | None:
    call, block, place = transfer
    barrier = mbarrier(call["barrier"])
    if barrier is None:
        return None
    arrives = call.get("arrive") is not False
    plain = copy_of(call).by_tma and call.get("leader_tracked") is None
    known = plain and call.get("predicate") is None  # given as None, or left out
    reference = ir.MemRefType(call["dst_ref"].type)
    size = utils.bitwidth(reference.element_type)
    for extent in reference.shape:
        size *= extent
    return _Bytes(barrier, block, place, (size // 8 if arrives else 0) if known else None, size // 8, arrives)


def _are_together(events: list[_Bytes]) -> bool:
    """Whether all are known, of one barrier, in one place."""
    first = events[0]
    return all(
        each.announced is not None and each.block == first.block and each.barrier.is_surely(first.barrier)
        for each in events
    )


def _are_all(allocation: ir.Value, events: list[_Bytes]) -> bool:
    """Whether nothing else announces or brings bytes, and one thread does each of these."""
    uses = list(_uses(allocation))
    if any(use.kind == "other" for use in uses):
        return False
    transfers = [use for use in uses if use.kind in ("expect", "copy")]
    number = sum(event.arrives + (event.brought > 0) for event in events)
    return number == len(transfers) and all(of_operation(use.operation, loops=True) == ONE for use in transfers)


def _refuse_bytes(events: list[_Bytes], announced: int, brought: int) -> None:
    copies = [event for event in events if event.brought]
    announcements = [event for event in events if not event.brought]
    told_copies = ", ".join(dict.fromkeys(told(each.place) for each in copies))
    own = "; a copy without arrive=False announces its own" if any(each.arrives for each in copies) else ""
    where = f" at {', '.join(dict.fromkeys(told(each.place) for each in announcements))}" if announcements else ""
    _gate.refuse(
        "SG408",
        f"{announced} bytes are announced{where}, and the copies at {told_copies} bring {brought}: the barrier "
        f"{'never completes' if announced > brought else 'completes too early, or never'}; announce {brought}{own}",
    )
