"""SG407, SG408: a barrier that cannot complete, because too few threads arrive or other bytes come than were announced.

What arrives at a barrier is read from the module when the body has returned: from the instructions that have the
barrier's address, whoever emitted them. An instruction that is not known here may do anything.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from safegpu import _gate
from safegpu._jax import ir, launch_context, utils
from safegpu.watch._core import Call, Place, after, at_end, state, told
from safegpu.watch._program import Mbarrier, constant, enclosing, index_of, mbarrier
from safegpu.watch._threads import Threads, of_condition, of_kernel, of_operation

# --- what has a barrier's address

_WAITS = ("nvvm.mbarrier.init", "nvvm.mbarrier.test.wait", "nvvm.mbarrier.try_wait.parity")
_EXPECT = "nvvm.mbarrier.arrive.expect_tx"
_ARRIVE = re.compile(r"^(?:@\$\d+ )?mbarrier\.arrive\.[^\n]*?(?:, (\d+))?;$")
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
        index = (
            index_of(address.operands[1]) if len(address.operands) > 1 else address.attributes["rawConstantIndices"][0]
        )
        for each in address.results[0].uses:
            yield _use(index, each.owner)


def _use(index: int | None, operation: Any) -> _Use:
    name: str = operation.name
    if name in _WAITS:
        return _Use(index, operation, "init" if name == "nvvm.mbarrier.init" else "wait")
    if name == _EXPECT:
        return _Use(index, operation, "expect", 1)
    if name.startswith("nvvm.cp.async.bulk.tensor."):
        return _Use(index, operation, "copy")
    if name == "llvm.call_intrinsic" and operation.attributes["intrin"].value == "llvm.nvvm.tcgen05.commit.cg1":
        return _Use(index, operation, "arrive", 1)
    if name == "llvm.inline_asm":
        text: str = operation.attributes["asm_string"].value
        if arrive := _ARRIVE.match(text):
            return _Use(index, operation, "arrive", int(arrive[1] or 1))
        if _COPY.match(text):
            return _Use(index, operation, "copy")
    return _Use(index, operation, "other")


# --- SG407


class _Wait(NamedTuple):
    barrier: Mbarrier
    place: Place | None


class _Waits:
    """The waits that each thread of the kernel gets to."""

    def __init__(self) -> None:
        self.of: dict[ir.Value, list[_Wait]] = {}


@after("BarrierRef.wait", "CollectiveBarrierRef.wait")
def _waited(call: Call) -> None:
    barrier = mbarrier(call["self"])
    if barrier is not None and barrier.number is not None and next(enclosing(call.block)).name == "gpu.launch":
        state(_Waits).of.setdefault(barrier.allocation, []).append(_Wait(barrier, call.place))


@at_end
def _too_few() -> None:
    for allocation, waits in state(_Waits).of.items():
        uses = list(_uses(allocation))
        for index in {wait.barrier.number for wait in waits}:
            mine = [each for each in uses if each.number in (index, None)]
            here = [wait for wait in waits if wait.barrier.number == index]
            expected = [constant(each.operation.operands[1]) for each in mine if each.kind == "init"]
            if len(expected) != 1 or expected[0] is None:
                continue
            arriving = [_arrivals(each) for each in mine]
            if None in arriving or (most := sum(filter(None, arriving))) >= expected[0] * len(here):
                continue
            _refuse_arrivals(here, expected[0], most)


def _arrivals(use: _Use) -> int | None:
    """How many arrivals an instruction makes at most; None where a loop or another block decides."""
    if use.kind == "other":
        return None
    if use.arrivals == 0:
        return 0
    threads = of_operation(use.operation)
    return None if threads is None else use.arrivals * threads.number


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


class _Bytes(NamedTuple):
    """A copy, or an announcement of bytes."""

    barrier: Mbarrier
    block: ir.Block
    place: Place | None
    announced: int | None
    brought: int
    arrives: bool


class _Transfers:
    def __init__(self) -> None:
        self.of: dict[ir.Value, list[_Bytes]] = {}
        self.unknown: set[ir.Value] = set()


@after("BarrierRef.arrive_expect_tx")
def _announced(call: Call) -> None:
    count, predicate = call["tx_count"], call.get("predicate")
    known = count if isinstance(count, int) else constant(count)
    alone = predicate is None or (of_condition(predicate, of_kernel(call.block)).number == 1)
    _record(call, call["self"], known if alone else None, 0, True)


@after("LaunchContext.async_copy")
def _copied(call: Call) -> None:
    barrier = call.get("barrier")
    if barrier is None:
        return
    arrives, predicate = call.get("arrive") is not False, call.get("predicate")
    plain = call.get("implementation", _TMA) == _TMA and call.get("leader_tracked") is None
    known = plain and predicate is None  # given as None, or left out
    reference = ir.MemRefType(call["dst_ref"].type)
    size = utils.bitwidth(reference.element_type)
    for extent in reference.shape:
        size *= extent
    _record(call, barrier, (size // 8 if arrives else 0) if known else None, size // 8, arrives)


_TMA = launch_context.AsyncCopyImplementation.TMA


def _record(call: Call, reference: Any, announced: int | None, brought: int, arrives: bool) -> None:
    if (barrier := mbarrier(reference)) is not None:
        event = _Bytes(barrier, call.block, call.place, announced, brought, arrives)
        state(_Transfers).of.setdefault(barrier.allocation, []).append(event)


@at_end
def _other_bytes() -> None:
    for allocation, events in state(_Transfers).of.items():
        first = events[0]
        announced, brought = 0, 0
        for event in events:
            if event.announced is None or event.block != first.block or not event.barrier.is_surely(first.barrier):
                break
            announced += event.announced
            brought += event.brought
        else:
            if announced != brought and brought and _are_all(allocation, events):
                _refuse_bytes(events, announced, brought)


def _are_all(allocation: ir.Value, events: list[_Bytes]) -> bool:
    """Whether nothing else announces or brings bytes, and one thread does each of these."""
    uses = list(_uses(allocation))
    if any(use.kind == "other" for use in uses):
        return False
    transfers = [use for use in uses if use.kind in ("expect", "copy")]
    number = sum(event.arrives + (event.brought > 0) for event in events)
    return number == len(transfers) and all(
        of_operation(use.operation, loops=True) == Threads(1, 1) for use in transfers
    )


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
