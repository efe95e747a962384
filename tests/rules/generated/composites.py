"""Random kernels, line by line, by Mosaic GPU and by a checker: `python -m tests.rules.generated.composites`.

The tables of cells hold one operation each. Here one uses what another gave, so what a checker knows of the result is
held against Mosaic GPU, too. hypothesis writes the kernels, the same ones for the same `--seed`. What a line gives that
Mosaic GPU refuses, no later line uses.

A checker has to reject a line where `sites.toml` says that types decide the site that refuses it, or where lowering
through safegpu refuses it by a rule that checkers have as well. It may reject a line that lowers where the rule is one
that Mosaic GPU says nothing of.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import hypothesis
import jax
from hypothesis import strategies

import safegpu as mgpu
from safegpu._jax import ir
from safegpu.check.mapping import identify
from safegpu.offline.lowering import tracing_context
from safegpu.rules import RULES, allow, inventory
from tests.support.checkers import ROOT, STUBS, Checker, Message, Mypy, Pyright, environment
from tests.support.raised import Lowered, site_of

CHECKERS: dict[str, Checker] = {"mypy": Mypy(), "pyright": Pyright()}

SHARED = {
    "half": "mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)",
    "brain": "mgpu.SMEM((64, 64), mgpu.bfloat16, swizzle=128)",
    "narrow": "mgpu.SMEM((64, 64), mgpu.float16, swizzle=64)",
    "single": "mgpu.SMEM((64, 64), mgpu.float32, swizzle=128)",
    "word": "mgpu.SMEM((64, 64), mgpu.int32, swizzle=128)",
    "natural": "mgpu.SMEM((64, 64), mgpu.uint32, swizzle=128)",
    "byte": "mgpu.SMEM((64, 128), mgpu.int8, swizzle=128)",
    "ubyte": "mgpu.SMEM((64, 128), mgpu.uint8, swizzle=128)",
    "eighth": "mgpu.SMEM((64, 128), mgpu.float8_e4m3fn, swizzle=128)",
    "plain": "mgpu.SMEM((64, 64), mgpu.float32, swizzle=16)",
    "any_swizzle": "mgpu.SMEM((64, 64), mgpu.float16, tiling=(8, 64))",
    "one": "mgpu.Barrier(1)",
    "several": "mgpu.Barrier(1, num_barriers=3)",
}
TENSOR = {
    "acc": "mgpu.TMEM((128, 64), mgpu.float32)",
    "sums": "mgpu.TMEM((128, 64), mgpu.int32)",
    "left": "mgpu.TMEM((128, 64), mgpu.float16, packing=2)",
    "meta": "mgpu.TMEM((128, 64), mgpu.uint2, layout=tcgen05.sparse_meta_layout())",
    "scales": "mgpu.TMEM((128, 4), mgpu.float8_e8m0fnu, layout=tcgen05.scales_layout())",
}
TALL = {
    "tall": "mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)",
    "tall_single": "mgpu.SMEM((128, 64), mgpu.float32, swizzle=128)",
    "tall_eighth": "mgpu.SMEM((128, 128), mgpu.float8_e4m3fn, swizzle=128)",
    "tall_byte": "mgpu.SMEM((128, 128), mgpu.int8, swizzle=128)",
}
GLOBAL = {"g_half": "float16", "g_single": "float32", "g_word": "int32", "g_byte": "int8"}

DTYPES = (
    "float16", "bfloat16", "float32", "int32", "uint32", "int16", "uint16", "int8", "uint8", "float8_e4m3fn", "bool_",
)  # fmt: skip
SWIZZLES = ("swizzle=128", "swizzle=128", "swizzle=128", "swizzle=64", "swizzle=16", "")
LAYOUTS = (
    "mgpu.WGMMA_LAYOUT", "mgpu.WGMMA_LAYOUT", "mgpu.WGMMA_TRANSPOSED_LAYOUT", "mgpu.TCGEN05_LAYOUT",
    "mgpu.TMEM_NATIVE_LAYOUT", "mgpu.WGMMA_LAYOUT_UPCAST_2X",
)  # fmt: skip
BINARY = ("+", "-", "*", "/", "//", "%", "&", "|", "^", "<", "<=", "==", "!=")
METHODS = (
    "max({y})", "min({y})", "exp()", "exp2(approx=True)", "tanh(approx=True)", "rsqrt()", "abs()", "round()",
    'reduce("add", 1)', 'reduce("max", 0)', 'reduce("add", (0, 1))', "select({x}, {y})",
)  # fmt: skip
COPIED = {"half": ("g_half", "(8, 64)"), "single": ("g_single", "(8, 32)"), "word": ("g_word", "(8, 32)")}
"""What may be copied to each other, and the tiles of shared memory."""
PRODUCTS = (("s.half", "s.half"), ("s.brain", "s.brain"), ("s.half", "s.brain"), ("s.eighth", "s.eighth"))
VIEWS = (
    "memref_slice({r}, 0)", "memref_slice({r}, mgpu.ds(0, 4))", "memref_transpose({r}, (1, 0, 3, 2))",
    "memref_transpose({r}, (0, 1, 3, 2))", "memref_unsqueeze({r}, 0)", "memref_fold({r}, 0, 2)",
)  # fmt: skip


def _head() -> str:
    """What all kernels of a module share."""
    lines = ["import safegpu as mgpu", "from safegpu import tcgen05"]
    for name, specs in (("Hopper", SHARED), ("Blackwell", SHARED | TENSOR | TALL)):
        lines += [f"class {name}(mgpu.Scratch):", *(f"    {each} = {spec}" for each, spec in specs.items())]
    return "\n".join(lines) + "\n"


def _signature(number: int, tensor: bool) -> str:
    """Two lines."""
    memory = ", ".join(f"{name}: mgpu.GmemRef[mgpu.{dtype}]" for name, dtype in GLOBAL.items())
    scratch = "Blackwell" if tensor else "Hopper"
    return (
        f"def kernel_{number}(ctx: mgpu.LaunchContext, {memory}, s: {scratch}) -> None:\n"
        "    index = mgpu.block_id(mgpu.Dimension.x)\n"
    )


class Names:
    """What the lines so far gave, by what it is."""

    def __init__(self, space: dict[str, Any], tensor: bool) -> None:
        self.space, self.tensor = space, tensor
        shared = [f"s.{name}" for name in SHARED | (TALL if tensor else {}) if name not in ("one", "several")]
        self.buffers = [*shared, *GLOBAL]
        self.tmem = [f"s.{name}" for name in TENSOR] if tensor else []
        self.arrays: list[str] = []
        self.accumulators: list[str] = []

    def enter(self, name: str, value: object) -> None:
        self.space[name] = value
        if isinstance(value, mgpu.FragmentedArray):
            self.arrays.append(name)
        elif isinstance(value, mgpu.WGMMAAccumulator):
            self.accumulators.append(name)
        elif isinstance(value, mgpu.SmemRef | mgpu.GmemRef):
            self.buffers.append(name)
        elif isinstance(value, mgpu.tcgen05.TMEMRef):
            self.tmem.append(name)


def _statement(names: Names, pick: Callable[[Sequence[str]], str]) -> tuple[str, bool]:
    """A line, and whether it gives something: an expression that a name is to be given to."""

    def call(function: str, *arguments: str) -> str:
        return f"{function}({', '.join(filter(None, arguments))})"

    array, buffers, tmem = "mgpu.FragmentedArray", names.buffers, names.tmem
    kinds = ["load", "load", "splat", "copy", "view", "barrier"]
    kinds += ["operator", "method", "astype", "layout", "store", "store"] * bool(names.arrays)
    of_wgmma = ["zero", "wgmma", "wgmma", "value"] if names.accumulators else ["zero"]
    kinds += ["tmem", "tmem", "tcgen05", "tcgen05"] if names.tensor else of_wgmma
    match pick(kinds):
        case "load":
            layout = pick(("", "", *(f"layout={each}" for each in LAYOUTS)))
            tiled, strided = call(f"{array}.load_tiled", pick(buffers), pick(SWIZZLES), layout), pick(list(GLOBAL))
            return pick((tiled, tiled, call(f"{array}.load_strided", strided))), True
        case "splat":
            value = pick(("mgpu.c(1.0, mgpu.F32)", "mgpu.c(1, mgpu.I32)", "mgpu.c(1.0, mgpu.F16)"))
            layout = pick(("", *(f"layout={each}" for each in LAYOUTS)))
            return call(f"{array}.splat", value, "(64, 64)", layout, pick(("", "is_signed=True"))), True
        case "operator":
            return f"{pick(names.arrays)} {pick(BINARY)} {pick([*names.arrays, '2', '2.0'])}", True
        case "method":
            method = pick(METHODS).format(x=pick(names.arrays), y=pick(names.arrays))
            return f"{pick(names.arrays)}.{method}", True
        case "astype":
            return f"{pick(names.arrays)}.{pick(('astype', 'astype', 'bitcast'))}(mgpu.{pick(DTYPES)})", True
        case "layout":
            return f"{pick(names.arrays)}.to_layout({pick(LAYOUTS)})", True
        case "store":
            x = pick(names.arrays)
            tiled = call(f"{x}.store_tiled", pick(buffers), pick(SWIZZLES))
            atomic = call(f"{x}.store_untiled", pick(list(GLOBAL)), 'atomic="add"', "optimized=False")
            return pick((tiled, tiled, call(f"{x}.store_untiled", pick(buffers), "optimized=False"), atomic)), False
        case "copy":
            name = pick(list(COPIED))
            memory, tiles = COPIED[name]
            source, target = pick(((memory, f"s.{name}"), (f"s.{name}", memory), (pick(buffers), pick(buffers))))
            inward = ("barrier=s.one", "barrier=s.several[1]", "barrier=s.several")
            barrier = pick((*inward, "") if source == memory else ("", "", "", *inward))
            reduction = pick(("", "", "", 'reduction_op="add"', 'reduction_op="smax"'))
            how = (f"gmem_transform=mgpu.TileTransform({tiles})", pick(SWIZZLES), barrier, reduction)
            return call("ctx.async_copy", f"src_ref={source}", f"dst_ref={target}", *how), False
        case "view":
            return f"mgpu.{pick(VIEWS).format(r=pick(buffers))}", True
        case "barrier":
            barrier = pick(("s.one", "s.several", "s.several[1]", "s.several[index]"))
            return f"{barrier}.{pick(('wait()', 'arrive()', 'arrive_expect_tx(1024)'))}", False
        case "zero":
            dtype = pick(("", "dtype=mgpu.float16", "dtype=mgpu.int32", "dtype=mgpu.bfloat16"))
            return call("mgpu.WGMMAAccumulator.zero", "64", "64", dtype), True
        case "wgmma":
            left, right = pick((*PRODUCTS, (pick([*buffers, *names.arrays]), pick(buffers))))
            return call("mgpu.wgmma", pick(names.accumulators), left, right, pick(SWIZZLES)), True
        case "value":
            return f"{pick(names.accumulators)}.value", True
        case "tmem":
            load = call(f"{pick(tmem)}.load", pick(("", *LAYOUTS)))
            part = f"{pick(tmem)}.slice(slice(None), slice(0, 32))"
            if not names.arrays or pick(("load", "store")) == "load":
                return pick((load, load, part)), True
            return call(f"{pick(tmem)}.store", pick(names.arrays)), False
        case _:
            left, right = pick((("s.tall", "s.half"), ("s.left", "s.half"), (pick([*buffers, *tmem]), pick(buffers))))
            swizzles = pick(("", "a_swizzle=128, b_swizzle=128", "a_swizzle=64"))
            more = pick(("", "", "a_sparse_metadata=s.meta", "a_scale=s.scales, b_scale=s.scales"))
            return call(
                "tcgen05.mma", pick(("s.acc", pick(tmem))), left, right, swizzles, more, "accumulate=False"
            ), False


LOWERING = [code for code, rule in RULES.items() if rule.gate == "lowering" or code.startswith("SG6")]
"""What checkers cannot know, of order above all: no line is refused for it."""


@dataclasses.dataclass
class Line:
    """A line of a kernel, and why it is refused: for checkers, and in what words."""

    text: str
    words: str = ""
    for_checkers: bool = False
    why_not: str = ""
    """Why it is not for checkers."""


@dataclasses.dataclass
class Kernel:
    """A random kernel, of Hopper or with tensor memory."""

    tensor: bool
    lines: list[Line]

    def needed_for(self, line: Line) -> list[Line]:
        """The lines that give what this one uses, and it."""
        wanted = set(re.findall(r"\bv\d+\b", line.text))
        found = [line]
        before = itertools.takewhile(lambda each: each is not line, self.lines)
        for other in reversed(list(before)):
            name, is_given, value = other.text.partition(" = ")
            if is_given and name in wanted:
                found.append(other)
                wanted |= set(re.findall(r"\bv\d+\b", value))
        return found[::-1]


EXCEPTIONS = (
    (
        r"\.to_layout\(.*\Z",
        "Cannot convert",
        "types know the layouts, which convert for other dtypes or on another jax",
    ),
    (r" [!=]= 2\.0\Z", "<class 'float'>", "a float compared to integers: Python's float has an answer of its own"),
    (r"load_strided\(", "Incompatible FragmentedArray layouts", "how many elements in a row a strided layout has"),
    (r"\.reduce\(", "Incompatible FragmentedArray layouts", "what a reduction leaves may be a layout without a name"),
    (r"\.store_untiled\(.*\Z", "SG701", "an array of one value is stored in any order"),
    (
        r"\buint\d+\b",
        "rejected, and lowers: Unsupported operand types",
        "Mosaic GPU takes integers for the left one's kind",
    ),
)
"""Kernels that a checker and Mosaic GPU take differently at the last line, what is said of it, and why they may."""


def _answered(line: Line, run: Callable[[], object]) -> object:
    """What the line gives; None where it is refused, which the line then says."""
    block = ir.InsertionPoint.current.block
    before = len(list(block.operations))
    try:
        value = run()
        for operation in list(block.operations)[before:]:
            operation.operation.verify()
    except mgpu.RuleError as error:
        line.words, line.for_checkers = str(error), RULES[error.code].gate == "both"
        line.why_not = "by a rule of lowering alone"
    except Exception as error:
        site = site_of(error)
        verdict = None if site is None else inventory.verdicts().get(site.key)
        line.words = f"{type(error).__name__}: {error}"
        # What Python says of two operands is of a class that has no such operator.
        of_python = isinstance(error, TypeError) and str(error).startswith("unsupported operand type(s)")
        line.for_checkers = of_python or (verdict is not None and verdict.gate == "types")
        line.why_not = (
            f"at a site of which sites.toml says `{verdict.gate}`"
            if verdict
            else "by Python or MLIR, at none of its sites"
        )
    else:
        if value is not NotImplemented:
            return value
        line.words, line.for_checkers = "the result is NotImplemented", True
    return None


def written(data: strategies.DataObject, length: int) -> Kernel:
    """A kernel, of which each line was tried."""
    made = Kernel(data.draw(strategies.booleans()), [])
    space: dict[str, Any] = {}
    exec(_head(), space)

    def body(ctx: Any, *references: Any) -> None:
        *memory, space["s"] = references
        space.update(zip(GLOBAL, memory, strict=True), ctx=ctx, index=mgpu.block_id(mgpu.Dimension.x))
        names = Names(space, made.tensor)
        for number in range(length):
            text, gives = _statement(names, lambda choices: data.draw(strategies.sampled_from(choices)))
            made.lines.append(line := Line(f"v{number} = {text}" if gives else text))
            value = _answered(line, lambda text=text: eval(text, space))  # type: ignore[misc]
            if gives and not line.words:
                names.enter(f"v{number}", value)
        raise Lowered

    kernel: Any = mgpu.as_gpu_kernel
    specs = tuple(mgpu.GMEM((64, 64), getattr(mgpu, dtype)) for dtype in GLOBAL.values())
    with tracing_context((10, 0) if made.tensor else (9, 0)), allow(*LOWERING):
        try:
            kernel(body, (1, 1, 1), (128, 1, 1), (), specs, space["Blackwell" if made.tensor else "Hopper"])
        except Lowered:
            return made
    raise AssertionError("the body ends with Lowered")


def kernels(number: int, length: int, seed: int) -> list[Kernel]:
    """So many kernels, of so many lines each."""
    found: list[Kernel] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=number,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategies.data())
    def write(data: strategies.DataObject) -> None:
        found.append(written(data, length))

    write()
    return found


@dataclasses.dataclass(frozen=True)
class Comparison:
    """How many lines came out in which way, and those that a checker and Mosaic GPU take differently for no reason."""

    counts: Counter[str]
    reasons: Counter[tuple[str, str]]
    """Of those that they take differently, for which reason, by the way in which they came out."""
    disagreements: list[str]


def compare(written: Sequence[Kernel], checker: Checker, folder: Path) -> Comparison:
    """The kernels, beside what a checker says of them in an environment of its own."""
    text, places = _head(), []
    for number, kernel in enumerate(written):
        text += _signature(number, kernel.tensor)
        for line in kernel.lines:
            places.append((text.count("\n") + 1, kernel, line))
            text += f"    {line.text}\n"
    file = folder / "kernels.py"
    file.write_text(text, encoding="utf-8")
    report = checker.check([file], environment(folder / "environment", ROOT, STUBS), folder / "cache")
    counts: Counter[str] = Counter()
    reasons: Counter[tuple[str, str]] = Counter()
    found: list[str] = []
    unknown: set[int] = set()  # lines whose results are unknown to the checker, which has rejected them
    for place, kernel, line in places:
        messages = report.pop((file.name, place), [])
        outcome = f"{'refused' if line.words else 'lowers'}, {'rejected' if messages else 'accepted'}"
        counts[outcome] += 1
        needed = kernel.needed_for(line)
        if messages:
            unknown.add(id(line))
        if bool(line.words) == bool(messages):
            continue
        if not (why := _disagreement(line, messages)):
            reasons[outcome, line.why_not or "by a rule of which Mosaic GPU says nothing"] += 1
            continue
        if any(id(each) in unknown for each in needed[:-1]):
            reasons[outcome, "it uses what a line gives that the checker rejects"] += 1
            continue
        text = "\n".join([*(each.text for each in needed), f"    {why}"])
        before = text.partition("\n    ")[0]
        if listed := [reason for pattern, words, reason in EXCEPTIONS if re.search(pattern, before) and words in why]:
            reasons[outcome, f"one of EXCEPTIONS: {listed[0]}"] += 1
        else:
            found.append(text)
    if report:
        raise RuntimeError(f"errors outside of the kernels' lines: {report}")
    return Comparison(counts, reasons, found)


def _disagreement(line: Line, messages: Sequence[Message]) -> str:
    if line.words:
        return f"accepted, and refused: {line.words}" if line.for_checkers and not messages else ""
    codes = {identify(each.text, each.code) for each in messages}
    silent = all(code != "SG000" and not RULES[code].mosaic for code in codes)
    return "" if silent else f"rejected, and lowers: {messages[0].text}"


def told(found: Comparison, checker: str) -> list[str]:
    """How many lines came out in which way, and why that is no disagreement where the two differ."""
    said = {
        "lowers, accepted": f"Mosaic GPU lowers, {checker} accepts",
        "refused, rejected": f"Mosaic GPU or safegpu refuses at lowering, {checker} rejects",
        "refused, accepted": f"refused at lowering, {checker} accepts",
        "lowers, rejected": f"Mosaic GPU lowers, {checker} rejects",
    }
    lines = []
    for outcome, what in said.items():
        lines.append(f"{found.counts[outcome]:7} lines: {what}")
        of = [(reason, number) for (way, reason), number in found.reasons.most_common() if way == outcome]
        lines += [f"{number:15} {reason}" for reason, number in of]
    return [*lines, f"{len(found.disagreements):7} disagreements, which have none of these reasons"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.rules.generated.composites", description=__doc__)
    parser.add_argument("--kernels", type=int, default=500, help="how many (500)")
    parser.add_argument("--lines", type=int, default=30, help="of each (30)")
    parser.add_argument("--seed", type=int, default=0, help="other kernels for another number (0)")
    parser.add_argument("--checker", choices=CHECKERS, default="mypy")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = kernels(options.kernels, options.lines, options.seed)
        found = compare(made, CHECKERS[options.checker], Path(folder))
    for each in found.disagreements:
        print(f"{each}\n")
    print(f"seed {options.seed}, jax {jax.__version__}, {options.checker}")
    print("\n".join(told(found, options.checker)))
    return 1 if found.disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
