"""The examples are what they say: legal, Mosaic GPU's own kernels to the byte, and free of jax."""

import ast
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from examples import (
    all_gather,
    blackwell_matmul,
    blackwell_scaled_matmul,
    cluster_exchange,
    multimem_all_reduce,
    sparse_matmul,
)
from safegpu import kernel as safegpu_kernel
from safegpu.offline.lowering import lowered
from tests.raw import all_gather as raw_all_gather
from tests.raw import blackwell_matmul as raw_matmul
from tests.raw import blackwell_scaled_matmul as raw_scaled
from tests.raw import cluster_exchange as raw_exchange
from tests.raw import multimem_all_reduce as raw_all_reduce
from tests.raw import sparse_matmul as raw_sparse

EXAMPLES = Path(cluster_exchange.__file__).parent
HOPPER, BLACKWELL = (9, 0), (10, 0)

TWINS: dict[str, tuple[Callable[[], Any], Callable[[], Any], tuple[int, int], int]] = {
    "cluster_exchange": (cluster_exchange.exchange, raw_exchange.build, HOPPER, 1),
    "cluster_reduce": (cluster_exchange.reduce, raw_exchange.build_reduce, HOPPER, 1),
    "sparse_matmul float16": (sparse_matmul.float16, raw_sparse.build, BLACKWELL, 1),
    "sparse_matmul float8": (
        sparse_matmul.float8,
        lambda: raw_sparse.build("float8_e4m3fn"),
        BLACKWELL,
        1,
    ),
    "blackwell_matmul float16": (blackwell_matmul.float16, raw_matmul.build, BLACKWELL, 1),
    "blackwell_matmul bfloat16": (
        blackwell_matmul.bfloat16,
        lambda: raw_matmul.build("bfloat16", "float32"),
        BLACKWELL,
        1,
    ),
    "blackwell_matmul float8": (
        blackwell_matmul.float8,
        lambda: raw_matmul.build("float8_e4m3fn", "bfloat16"),
        BLACKWELL,
        1,
    ),
    "blackwell_scaled_matmul mxfp8": (blackwell_scaled_matmul.mxfp8, raw_scaled.build, BLACKWELL, 1),
    "blackwell_scaled_matmul mxfp4": (
        blackwell_scaled_matmul.mxfp4,
        lambda: raw_scaled.build("float4_e2m1fn", "float8_e8m0fnu", 32),
        BLACKWELL,
        1,
    ),
    "blackwell_scaled_matmul nvfp4": (
        blackwell_scaled_matmul.nvfp4,
        lambda: raw_scaled.build("float4_e2m1fn", "float8_e4m3fn", 16),
        BLACKWELL,
        1,
    ),
    "multimem_all_reduce": (multimem_all_reduce.kernel, raw_all_reduce.build, HOPPER, 2),
    "all_gather alone": (lambda: all_gather.kernel(1), lambda: raw_all_gather.build(1), HOPPER, 1),
    "all_gather of 2": (all_gather.kernel, raw_all_gather.build, HOPPER, 2),
    "all_gather of 4": (lambda: all_gather.kernel(4), lambda: raw_all_gather.build(4), BLACKWELL, 4),
}


@pytest.mark.parametrize(("typed", "raw", "arch", "peers"), TWINS.values(), ids=TWINS)
def test_lowers_to_the_same_bytes(
    typed: Callable[[], Any], raw: Callable[[], Any], arch: tuple[int, int], peers: int
) -> None:
    assert lowered(typed, arch, peers=peers) == lowered(raw, arch, peers=peers)


@pytest.mark.parametrize(("typed", "_raw", "arch", "peers"), TWINS.values(), ids=TWINS)
def test_annotations_evaluate(
    monkeypatch: pytest.MonkeyPatch,
    typed: Callable[[], Any],
    _raw: Callable[[], Any],
    arch: tuple[int, int],
    peers: int,
) -> None:
    bodies = []
    traced = safegpu_kernel._traced
    monkeypatch.setattr(safegpu_kernel, "_traced", lambda body, *specs: bodies.append(body) or traced(body, *specs))
    lowered(typed, arch, peers=peers)
    (body,) = bodies
    assert {"ctx", "return"} < typing.get_type_hints(body).keys()
    typing.get_type_hints(typed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"devices": 0}, "devices must be at least 1, got 0"),
        ({"rows": 100}, r"whole tiles of 64x128, got \(100, 1024\)"),
        ({"columns": 64}, r"whole tiles of 64x128, got \(256, 64\)"),
        ({"blocks": 33}, "blocks must be at most 32, the number of tiles, got 33"),
        ({"devices": 4}, "devices is 4, but the mesh that is set has 2"),
        ({"devices": 1}, "devices is 1, but the mesh that is set has 2"),
    ],
)
def test_all_gather_says_what_is_wrong(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lowered(lambda: all_gather.kernel(**arguments), HOPPER, peers=2)


@pytest.mark.parametrize("path", sorted({*EXAMPLES.glob("*.py"), *EXAMPLES.glob("bugs/*.py")} - {EXAMPLES / "run.py"}))
def test_kernel_modules_import_no_jax(path: Path) -> None:
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names])
    }
    assert not imported & {"jax", "jaxlib"}
