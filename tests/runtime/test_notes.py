"""What Mosaic GPU raises out of a kernel's body says which rule it is about, and stays Mosaic GPU's."""

import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import safegpu as mgpu
from safegpu import tcgen05
from safegpu.offline.lowering import tracing_context
from safegpu.rules import RULES, inventory

ROOT = Path(__file__).parents[2]


class Memory(mgpu.Scratch):
    a = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    brain = mgpu.SMEM((64, 64), mgpu.bfloat16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    barrier = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 64), mgpu.float32)


def raised(use: Callable[[Any], object]) -> Exception:
    """What comes out of a kernel that does this with its scratch."""

    @mgpu.single_thread()
    def body(ctx: Any, out: Any, scratch: Any) -> None:
        use(scratch)

    kernel: Any = mgpu.as_gpu_kernel
    with tracing_context((10, 0)), pytest.raises(Exception) as info:
        kernel(body, (1, 1, 1), (128, 1, 1), (), mgpu.GMEM((128, 64), mgpu.float32), Memory)
    return info.value


def notes(error: Exception) -> list[str]:
    return getattr(error, "__notes__", [])


def test_the_rule_is_named() -> None:
    error = raised(lambda scratch: tcgen05.mma(scratch.acc, scratch.a, scratch.brain))
    assert type(error) is ValueError
    assert str(error).startswith("MMA requires A and B to have the same element type")
    assert notes(error) == [
        "SG303 mma-operand-dtype: the tensor core does not multiply these dtypes into that accumulator\n"
        "    fix: use one dtype for both operands (fp8 may mix) and an accumulator dtype that it accumulates in\n"
        "    more: safegpu explain SG303"
    ]
    assert notes(error)[0] in "".join(traceback.format_exception(error))


def test_an_assert_without_words_has_a_reason() -> None:
    def use(scratch: Any) -> None:
        half, single = (
            mgpu.FragmentedArray.splat(mgpu.c(1, dtype), (64, 64), mgpu.WGMMA_LAYOUT)
            for dtype in (mgpu.float16, mgpu.float32)
        )
        single.max(half)

    error = raised(use)
    assert type(error) is AssertionError
    assert str(error) == ""
    assert [note.split(":")[0] for note in notes(error)] == ["SG305 array-dtype-mismatch"]


def test_a_bare_exception_that_no_rule_is_about_has_a_reason() -> None:
    def use(scratch: Any) -> None:
        number = mgpu.c(1, mgpu.Index)

        @mgpu.fori(number, (number, number))
        def loop(_i: Any, carried: Any) -> Any:
            return carried

        _ = loop.result

    error = raised(use)
    assert type(error) is ValueError
    assert notes(error) == ["raised for: `result` of a loop that carries several values"]


def test_what_a_rule_is_about_in_part_may_be_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("safegpu._gate.refuse", lambda code, message: None)  # which is sure of it
    error = raised(lambda scratch: tcgen05.mma(scratch.acc, scratch.a, scratch.b, b_swizzle=64))
    assert notes(error)[0].startswith("perhaps SG701 swizzle-mismatch: ")


def test_no_note_where_there_is_nothing_to_say() -> None:
    def own(scratch: Any) -> None:
        raise ValueError("the author's own")

    def of_a_callback(scratch: Any) -> None:
        scratch.acc.load().foreach(own)

    def in_words(scratch: Any) -> None:
        scratch.acc.load()[0:63]

    def of_safegpu(scratch: Any) -> None:
        mgpu.c(1, mgpu.Index) + mgpu.c(1, mgpu.int32)  # type: ignore[operator]

    for use in (own, of_a_callback, in_words, of_safegpu):
        assert notes(raised(use)) == []


def test_nothing_is_read_unless_something_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        raise AssertionError("read")

    monkeypatch.setattr(inventory, "site_at", read)
    monkeypatch.setattr(inventory, "_data", read)

    def body(ctx: Any, out: Any, scratch: Any) -> None:
        scratch.acc.load().store_untiled(out, optimized=False)

    kernel: Any = mgpu.as_gpu_kernel
    with tracing_context((10, 0)):
        kernel(body, (1, 1, 1), (128, 1, 1), (), mgpu.GMEM((128, 64), mgpu.float32), Memory)


def test_every_code_of_the_inventory_can_be_noted() -> None:
    assert {code for verdict in inventory.verdicts().values() for code in verdict.codes} <= RULES.keys()


# --- python -O, which takes Mosaic GPU's asserts away

OPTIMIZED = """
import sys
import safegpu as mgpu
from safegpu import tcgen05, utils
from safegpu.offline.lowering import tracing_context

assert False, "python -O"
HALF = mgpu.float16
CP_ASYNC, REPLICATED = mgpu.AsyncCopyImplementation.CP_ASYNC, mgpu.CopyPartition.REPLICATED

class Hopper(mgpu.Scratch):
    b = mgpu.SMEM((64, 64), HALF, swizzle=128)

class Memory(mgpu.Scratch):
    tile = mgpu.SMEM((64, 64), HALF)
    a = mgpu.SMEM((128, 64), HALF, swizzle=128)
    b = mgpu.SMEM((64, 64), HALF, swizzle=128)
    barrier = mgpu.Barrier(1)
    acc = mgpu.TMEM((128, 64), mgpu.float32)

def wgmma(ctx, x, tiled, s):
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.b, tiled, swizzle=128)

def mma(ctx, x, tiled, s):
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, tiled)

def reduction(ctx, x, tiled, s):
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier, reduction_op="add")

def leader(ctx, x, tiled, s):
    ctx.async_copy(src_ref=x, dst_ref=s.tile, leader_tracked=REPLICATED, implementation=CP_ASYNC)

def leader_of_four(ctx, x, tiled, s):
    ctx.async_copy(
        src_ref=x, dst_ref=s.tile, barrier=s.barrier, collective=mgpu.Dimension.x, leader_tracked=REPLICATED
    )

def group(ctx, x, tiled, s):
    utils.warp_tree_reduce(mgpu.c(1, mgpu.int32), lambda a, b: a + b, 64)

def legal_wgmma(ctx, x, tiled, s):
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), s.b, s.b, swizzle=128)

def legal(ctx, x, tiled, s):
    with mgpu.single_thread():
        tcgen05.mma(s.acc, s.a, s.b, accumulate=False)
    ctx.async_copy(src_ref=x, dst_ref=s.tile, barrier=s.barrier)
    s.barrier.wait()
    ctx.async_copy(src_ref=s.tile, dst_ref=x, reduction_op="add")
    utils.warp_tree_reduce(mgpu.c(1, mgpu.int32), lambda a, b: a + b, 32)

for body in (wgmma, mma, reduction, leader, leader_of_four, group, legal, legal_wgmma):
    arch, memory = ((9, 0), Hopper) if "wgmma" in body.__name__ else ((10, 0), Memory)
    out = mgpu.GMEM((64, 64), HALF), mgpu.GMEM((8, 1, 8, 64), HALF)
    try:
        with tracing_context(arch):
            mgpu.as_gpu_kernel(body, (4, 1, 1), (128, 1, 1), (), out, memory, cluster=(4, 1, 1))
    except Exception as error:
        print(type(error).__name__, error)
    else:
        print("lowers")
"""


def test_what_asserts_found_is_found_without_them(tmp_path: Path) -> None:
    script = tmp_path / "optimized.py"
    script.write_text(OPTIMIZED)
    run = subprocess.run(
        [sys.executable, "-O", "-B", script], cwd=ROOT, env={"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"},
        capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [
        "TypeError wgmma: expected b in shared memory, got memref<8x1x8x64xf16>; copy it there first",
        "TypeError tcgen05.mma: expected b in shared memory, got memref<8x1x8x64xf16>; copy it there first",
        "ValueError async_copy: reduction_op is for copies out of shared memory; leave it out, or swap the references",
        "ValueError async_copy: leader_tracked is for TMA copies; leave it out, or leave out implementation",
        "ValueError async_copy: leader_tracked is for two blocks, got 4 along collective",
        "ValueError warp_tree_reduce: expected group_size to divide 32, got 64",
        "lowers",
        "lowers",
    ]
