"""The illegal twins of the examples: each says in its docstring what safegpu says of it, and Mosaic GPU agrees."""

import ast
import importlib
from collections import defaultdict
from pathlib import Path

import pytest

from examples.run import refusal
from safegpu.check import Finding, check
from safegpu.offline.lowering import lowered

ROOT = Path(__file__).parent.parent
HOPPER, BLACKWELL = (9, 0), (10, 0)

# What Mosaic GPU raises when the types are bypassed; None where it says nothing, and the GPU tests show what comes out.
WORDS: dict[str, tuple[tuple[int, int], int, str | None]] = {
    "async_store_of_strided_array": (HOPPER, 1, r"^WGStridedFragLayout\("),
    "async_store_outside_smem": (HOPPER, 1, "Expected SMEM but got: None"),
    "async_store_to_multimem": (HOPPER, 2, "Multimem refs are not supported in store_tiled_async"),
    "dense_tmem_as_metadata": (BLACKWELL, 1, "A sparse metadata dtype mismatch"),
    "minimum_of_the_other_sign": (HOPPER, 1, None),
    "product_of_one_block_in_a_pair": (BLACKWELL, 1, None),
    "reinterpreted_dtype": (HOPPER, 1, None),
    "sparse_mma_with_64_rows": (BLACKWELL, 1, "Sparse MMA not supported for M=64"),
    "splat_store_to_multimem": (HOPPER, 2, "Splat layout does not support multimem"),
    "store_to_sparse_metadata": (BLACKWELL, 1, "Sparse meta layout stores unsupported"),
    "tile_read_in_another_swizzle": (HOPPER, 1, None),
    "wgmma_on_blackwell": (BLACKWELL, 1, None),
}

# What checkers cannot see and lowering refuses; each states its architecture. Mosaic GPU says nothing.
REFUSED = [
    "accumulate_by_default",
    "announced_elements",
    "barrier_before_a_tile",
    "barrier_in_a_union",
    "block_of_two_warps",
    "block_without_a_cluster",
    "condition_in_python",
    "discarded_product",
    "input_written",
    "last_barrier_from_the_end",
    "load_before_its_wait",
    "misaligned_window",
    "operand_filled_too_early",
    "overwritten_copy_source",
    "product_by_all_threads",
    "slice_to_zero",
    "store_in_one_thread",
    "surplus_index",
    "too_few_arrivals",
    "transposed_tiles",
    "uncommitted_operand",
    "unfenced_copy",
    "unordered_product",
    "view_within_a_swizzle",
]


@pytest.fixture(scope="module")
def findings() -> dict[str, list[Finding]]:
    """What `safegpu check examples` says, by the name of the file."""
    found = defaultdict(list)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        for finding in check(["examples"]):
            found[Path(finding.path).stem].append(finding)
    return found


def test_the_rest_of_the_examples_is_clean(findings: dict[str, list[Finding]]) -> None:
    assert findings.keys() == WORDS.keys()
    assert {path.stem for path in (ROOT / "examples/bugs").glob("[!_]*.py")} == {*WORDS, *REFUSED}


@pytest.mark.parametrize("name", WORDS)
def test_docstring_quotes_the_finding(findings: dict[str, list[Finding]], name: str) -> None:
    (finding,) = findings[name]
    assert_quoted(name, str(finding))


@pytest.mark.parametrize("name", REFUSED)
def test_docstring_quotes_the_refusal(name: str) -> None:
    assert_quoted(name, str(refusal(name)))


def assert_quoted(name: str, said: str) -> None:
    docstring = ast.get_docstring(ast.parse((ROOT / f"examples/bugs/{name}.py").read_text()))
    assert docstring
    quoted = "\n".join(f"    {line}" for line in said.splitlines())
    assert quoted in docstring, f"examples/bugs/{name}.py: its docstring should quote\n{quoted}"


@pytest.mark.parametrize("name", REFUSED)
def test_mosaic_gpu_lowers_what_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("safegpu._gate.refuse", lambda code, message: None)
    assert refusal(name) is None


@pytest.mark.parametrize(("name", "arch", "peers", "words"), [(name, *rest) for name, rest in WORDS.items()])
def test_mosaic_gpu_agrees(
    name: str, arch: tuple[int, int], peers: int, words: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("safegpu._gate.refuse", lambda code, message: None)
    kernel = importlib.import_module(f"examples.bugs.{name}").kernel
    if words is None:
        assert lowered(kernel, arch, peers=peers)
        return
    with pytest.raises((ValueError, NotImplementedError), match=words):
        lowered(kernel, arch, peers=peers)
