"""The examples are what they say: legal, Mosaic GPU's own kernels to the byte, and free of jax."""

import ast
import dataclasses
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import safegpu as mgpu
from examples import cluster_exchange, flash_attention, multimem_all_reduce, sparse_matmul
from safegpu import kernel as safegpu_kernel
from safegpu.offline.lowering import lowered
from tests.raw import cluster_exchange as raw_exchange
from tests.raw import flash_attention as raw_attention
from tests.raw import multimem_all_reduce as raw_all_reduce
from tests.raw import sparse_matmul as raw_sparse

EXAMPLES = Path(cluster_exchange.__file__).parent
HOPPER, BLACKWELL = (9, 0), (10, 0)


def _attention(
    head_dim: int, dtype: type[mgpu.DType]
) -> tuple[Callable[[], Any], Callable[[], Any], tuple[int, int], int]:
    shape = (2, 384, 768, 4, 2, head_dim)
    build: Any = flash_attention.kernel
    config = dataclasses.asdict(flash_attention.CONFIGS[head_dim][0])
    return lambda: build(*shape, dtype), lambda: raw_attention.build(*shape, dtype.dtype, **config), HOPPER, 1


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
    **{
        f"flash_attention {head_dim} {dtype.__name__}": _attention(head_dim, dtype)
        for head_dim in (64, 128, 256)
        for dtype in (mgpu.float16, mgpu.bfloat16)
    },
    "multimem_all_reduce": (multimem_all_reduce.kernel, raw_all_reduce.build, HOPPER, 2),
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


@pytest.mark.parametrize("path", sorted({*EXAMPLES.glob("*.py"), *EXAMPLES.glob("bugs/*.py")} - {EXAMPLES / "run.py"}))
def test_kernel_modules_import_no_jax(path: Path) -> None:
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names])
    }
    assert not imported & {"jax", "jaxlib"}
