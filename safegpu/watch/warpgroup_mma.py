"""SG904, SG907: products of `wgmma` that are used before they are there, and products that nobody uses.

`wgmma` starts a product and returns at once. Its accumulator and its operands are the tensor core's until the group
that it is committed to has been waited for.
"""

import functools
from typing import Any, NamedTuple

from safegpu import _gate
from safegpu._jax import fa, ir
from safegpu.rules import allows_here
from safegpu.watch._copies import copy_of
from safegpu.watch._core import Call, Place, after, at_end, found, told
from safegpu.watch._program import Window, follows, overlap, unseen, window

_COMMIT = r"wgmma\.commit\.group"
_WAIT = r"wgmma\.wait\.group"


class _Product:
    """A product under way."""

    def __init__(self, call: Call) -> None:
        self.block, self.place = call.block, call.place
        self.result, self.refs = call.result, (call["a"], call["b"])
        self.committed = False
        self.groups_after: int | None = 0  # committed after its own; None where a loop or a conditional decides

    @functools.cached_property
    def instructions(self) -> set[ir.Value | None]:
        """What its registers come from, by rows of tiles."""
        return {_instruction(registers.flat[0]) for registers in self.result._value.registers}

    @functools.cached_property
    def operands(self) -> list[Window]:
        return [each for each in map(window, self.refs) if each is not None]


class _Products:
    def __init__(self) -> None:
        self.commits = self.waits = 0
        self.under_way: list[_Product] = []


@after("wgmma")
def _started(call: Call) -> None:
    call.states[_Products].under_way.append(_Product(call))


@after("wgmma_commit_group")
def _committed(call: Call) -> None:
    products = call.states[_Products]
    products.commits += 1
    for product in products.under_way:
        if not product.committed:
            product.committed = True
        elif product.groups_after is not None:
            product.groups_after = product.groups_after + 1 if call.block == product.block else None


@after("wgmma_wait_group")
def _waited(call: Call) -> None:
    products, allowed = call.states[_Products], call["allow_groups"]
    products.waits += 1
    products.under_way = [each for each in products.under_way if _is_surely_under_way(each, allowed, call.block)]


def _is_surely_under_way(product: _Product, allowed: Any, block: ir.Block) -> bool:
    """Whether a wait for all but `allowed` groups leaves the product under way."""
    if not product.committed:
        return True
    if not isinstance(allowed, int) or product.groups_after is None or block != product.block:
        return False
    return product.groups_after < allowed


# --- the accumulator


@after(
    "FragmentedArray.store_tiled",
    "FragmentedArray.store_untiled",
    "FragmentedArray.store_tiled_async",
    "TMEMRef.store",
)
def _stored(call: Call) -> None:
    _check_arrays(call, "stores", call["value"] if call.name == "TMEMRef.store" else call["self"])


@after("fragmented_array.optimization_barrier")
def _held_back(call: Call) -> None:
    given = call["arrays"]
    _check_arrays(call, "reads", *(given if isinstance(given, tuple) else (given,)))


def _check_arrays(call: Call, does: str, *arrays: Any) -> None:
    products = call.states[_Products]
    if not products.under_way:
        return
    instructions = {_instruction(each.registers.flat[0]) for each in arrays if isinstance(each, fa.FragmentedArray)}
    for product in list(products.under_way):
        if instructions.isdisjoint(product.instructions) or _may_be_done(product, products, call.block):
            continue
        _gate.refuse("SG904", f"{call.name} {does} the product of {told(product.place)}, which {_remedy(product)}")


def _instruction(register: ir.Value) -> ir.Value | None:
    """The product that a register is, or is computed of in steps that have nothing else to wait for."""
    seen: set[ir.Value] = set()
    waiting = [register]
    while waiting and len(seen) < 256:
        value = waiting.pop()
        owner: Any = value.owner
        if value in seen or isinstance(owner, ir.Block):
            continue
        seen.add(value)
        if owner.name == "llvm.inline_asm" and "wgmma.mma_async" in owner.attributes["asm_string"].value:
            return value
        if owner.name.startswith(("arith.", "math.", "vector.", "llvm.", "builtin.")):
            waiting.extend(owner.operands)
        elif owner.name == "scf.for":
            number = ir.OpResult(value).result_number
            waiting.append(list(owner.regions[0].blocks[0].operations)[-1].operands[number])
    return None


# --- the operands


@after("FragmentedArray.store_tiled", "FragmentedArray.store_untiled", "fragmented_array.copy_tiled")
def _overwritten(call: Call) -> None:
    if (products := call.states[_Products]).under_way:
        _check_operands(call, products, window(call.get("ref", call.get("dst"))))


@after("LaunchContext.async_copy")
def _copied_over(call: Call) -> None:
    if (products := call.states[_Products]).under_way:
        _check_operands(call, products, copy_of(call).written)


def _check_operands(call: Call, products: _Products, written: Window | None) -> None:
    if written is None:
        return
    for product in list(products.under_way):
        if not follows(product.block, call.block) or not any(overlap(each, written) for each in product.operands):
            continue
        if not _may_be_done(product, products, call.block):
            _gate.refuse(
                "SG904",
                f"{call.name} overwrites an operand of the product of {told(product.place)}, which {_remedy(product)}",
            )


def _may_be_done(product: _Product, products: _Products, block: ir.Block) -> bool:
    """Whether raw code may have waited for it; then nothing is known of the others either."""
    raw = unseen(block, _WAIT, products.waits) or unseen(block, _COMMIT, products.commits)
    if raw:
        products.under_way.clear()
    return raw


def _remedy(product: _Product) -> str:
    if product.committed:
        return "may be under way: call wgmma_wait_group(0) before, or allow fewer groups to be under way there"
    return "was never committed, so no wait waits for it: call wgmma_commit_group() after it and wgmma_wait_group(0)"


# --- SG907: the result


class _Result(NamedTuple):
    """A product, and how often its accumulator was used until then."""

    accumulator: ir.Value
    registers: list[ir.Value]
    uses: int
    place: Place | None
    name: str

    @property
    def is_used(self) -> bool:
        return any(True for register in self.registers for _ in register.uses)


class _Results:
    def __init__(self) -> None:
        self.of: dict[ir.Value, list[_Result]] = {}
        self.fresh: set[ir.Value] = set()  # accumulators of wgmma that are no product


@after("WGMMAAccumulator.zero", "WGMMAAccumulator.from_registers")
def _begun(call: Call) -> None:
    call.states[_Results].fresh.add(call.result._value.registers.flat[0])


@after("wgmma", "mma")
def _returned(call: Call) -> None:
    given, result = (getattr(each, "_value", each) for each in (call["acc"], call.result))
    accumulator = given.registers.flat[0]
    if allows_here("SG907"):
        return
    this = _Result(accumulator, list(result.registers.flat), _uses(accumulator), call.place, call.name)
    call.states[_Results].of.setdefault(accumulator, []).append(this)


@at_end
def _discarded() -> None:
    if (seen := found(_Results)) is None:
        return
    for accumulator, results in seen.of.items():
        unused = [each for each in results if not each.is_used]
        if not unused or (len(unused) < len(results) and (accumulator in seen.fresh or _is_constant(accumulator))):
            continue  # tiles that begin with one zero may be dropped, where nothing needs them
        if len(unused) < len(results) or _uses(accumulator) > unused[-1].uses:
            first = unused[0]
            _gate.refuse(
                "SG907",
                f"nothing uses what {first.name} returned at {told(first.place)}, and the accumulator given to it, "
                f"which does not have the product, is used again: write acc = {first.name}(acc, …)",
            )


def _is_constant(accumulator: ir.Value) -> bool:
    """Whether it is no product, but what those of mma begin with."""
    owner: Any = accumulator.owner
    return not isinstance(owner, ir.Block) and owner.name in ("arith.constant", "vector.broadcast", "vector.splat")


def _uses(value: ir.Value) -> int:
    return sum(1 for _ in value.uses)
