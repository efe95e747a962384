"""The examples are what they say: legal, Mosaic GPU's own kernels to the byte, and free of jax."""

import ast
import dataclasses
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import safegpu as mgpu
from examples import (
    all_gather,
    blackwell_matmul,
    blackwell_scaled_matmul,
    cluster_exchange,
    flash_attention,
    hopper_matmul,
    multimem_all_reduce,
    sparse_matmul,
)
from safegpu import kernel as safegpu_kernel
from safegpu._jax import LACKING
from safegpu.offline.elsewhere import Elsewhere
from safegpu.offline.lowering import lowered
from safegpu.offline.toolchain import is_available
from tests.raw import all_gather as raw_all_gather
from tests.raw import blackwell_matmul as raw_matmul
from tests.raw import blackwell_scaled_matmul as raw_scaled
from tests.raw import cluster_exchange as raw_exchange
from tests.raw import flash_attention as raw_attention
from tests.raw import hopper_matmul as raw_hopper
from tests.raw import multimem_all_reduce as raw_all_reduce
from tests.raw import sparse_matmul as raw_sparse

EXAMPLES = Path(cluster_exchange.__file__).parent
ROOT = EXAMPLES.parent
HOPPER, BLACKWELL = (9, 0), (10, 0)

OTHERWISE = hopper_matmul.Config(
    tile_n=192,
    tile_k=128,
    stages=2,
    cluster_m=1,
    cluster_n=2,
    grid_minor="n",
    grid_width=3,
    release_delay=1,
    blocks=4,
    producer_registers=56,
)
ALONE = hopper_matmul.Config(cluster_m=1, split="n")


def _attention(
    head_dim: int, dtype: type[mgpu.DType], config: flash_attention.Config, keys: int = 768
) -> tuple[Callable[[], Any], Callable[[], Any], tuple[int, int], int]:
    shape = (2, 384, keys, 4, 2, head_dim)
    build: Any = flash_attention.kernel
    keywords = dataclasses.asdict(config)
    return lambda: build(*shape, dtype, config), lambda: raw_attention.build(*shape, dtype.dtype, **keywords), HOPPER, 1


ATTENTIONS = {
    "64 warp-specialized": (64, flash_attention.Config(128, consumers=3), 768),
    "64 in turns": (64, dataclasses.replace(flash_attention.CONFIGS[64][0], turns=True), 768),
    "64 of one step": (64, flash_attention.CONFIGS[64][0], 128),
    "128 without turns": (128, flash_attention.Config(128, turns=False), 768),
    **{
        f"{head_dim} of {config.block_kv} keys a step": (head_dim, config, 768)
        for head_dim, configs in flash_attention.CONFIGS.items()
        for config in configs[1:]
    },
}


TWINS: dict[str, tuple[Callable[[], Any], Callable[[], Any], tuple[int, int], int]] = {
    "cluster_exchange": (cluster_exchange.exchange, raw_exchange.build, HOPPER, 1),
    "cluster_reduce": (cluster_exchange.reduce, raw_exchange.build_reduce, HOPPER, 1),
    "hopper_matmul float16": (
        hopper_matmul.float16,
        lambda: raw_hopper.build(2048, 2048, 2048, "float16", "float16"),
        HOPPER,
        1,
    ),
    "hopper_matmul bfloat16": (
        hopper_matmul.bfloat16,
        lambda: raw_hopper.build(2048, 2048, 2048, "bfloat16", "float32"),
        HOPPER,
        1,
    ),
    "hopper_matmul float8": (
        hopper_matmul.float8,
        lambda: raw_hopper.build(2048, 2048, 2048, "float8_e4m3fn", "float16", b_transposed=True),
        HOPPER,
        1,
    ),
    # Every choice of a configuration that is not the default.
    "hopper_matmul otherwise": (
        lambda: hopper_matmul.kernel(512, 768, 256, mgpu.float16, mgpu.float32, OTHERWISE),
        lambda: raw_hopper.build(512, 768, 256, "float16", "float32", **dataclasses.asdict(OTHERWISE)),
        HOPPER,
        1,
    ),
    "hopper_matmul transposed": (
        lambda: hopper_matmul.kernel(256, 512, 256, mgpu.float16, mgpu.float16, ALONE, b_transposed=True),
        lambda: raw_hopper.build(256, 512, 256, b_transposed=True, **dataclasses.asdict(ALONE)),
        HOPPER,
        1,
    ),
    "sparse_matmul float16": (sparse_matmul.float16, raw_sparse.build, BLACKWELL, 1),
    "sparse_matmul float8": (
        sparse_matmul.float8,
        lambda: raw_sparse.build("float8_e4m3fn"),
        BLACKWELL,
        1,
    ),
    **{
        f"flash_attention {head_dim} {dtype.__name__}": _attention(head_dim, dtype, configs[0])
        for head_dim, configs in flash_attention.CONFIGS.items()
        for dtype in (mgpu.float16, mgpu.bfloat16)
    },
    **{
        f"flash_attention {name}": _attention(head_dim, mgpu.float16, config, keys)
        for name, (head_dim, config, keys) in ATTENTIONS.items()
    },
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


needs_codegen = pytest.mark.skipif(not is_available(), reason="needs the CUDA plugin, ptxas and nvdisasm")


@pytest.mark.parametrize(("typed", "raw", "arch", "peers"), TWINS.values(), ids=TWINS)
def test_lowers_to_the_same_bytes(
    typed: Callable[[], Any], raw: Callable[[], Any], arch: tuple[int, int], peers: int
) -> None:
    assert lowered(typed, arch, peers=peers) == lowered(raw, arch, peers=peers)


@pytest.fixture(scope="module")
def raw_compilers() -> Iterator[dict[tuple[int, int], Elsewhere]]:
    with Elsewhere([str(ROOT)]) as hopper, Elsewhere([str(ROOT)]) as blackwell:
        yield {HOPPER: hopper, BLACKWELL: blackwell}


@needs_codegen
@pytest.mark.parametrize("name", TWINS)
def test_compiles_to_the_same_code(name: str, raw_compilers: dict[tuple[int, int], Elsewhere]) -> None:
    """The raw kernel's PTX and SASS as jax compiles what it jitted, in a process that has not seen the other.

    Of one PTX, ptxas makes this SASS in one process and another in the next with jax 0.12.
    """
    typed, _, capability, peers = TWINS[name]
    arch = {HOPPER: "sm_90a", BLACKWELL: "sm_100a"}[capability]
    ptx, sass = raw_compilers[capability].call("tests.support.jitted:code", name, arch)
    compiled = mgpu.compile_kernel(typed, arch=arch, peers=peers)
    assert f".target {arch}" in ptx
    assert compiled.ptx == ptx
    if LACKING:  # what 0.12 brought: jax 0.11
        assert compiled.sass == sass


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


@pytest.mark.parametrize(
    ("sizes", "config", "says"),
    [
        ((512, 512, 96), hopper_matmul.Config(), "k is 96, which is no multiple of 64"),
        ((384, 512, 64), hopper_matmul.Config(), "m is 384, which is no multiple of 256"),
        ((256, 256, 64), hopper_matmul.Config(cluster_n=2), "n is 256, which is no multiple of 512"),
        ((512, 512, 64), hopper_matmul.Config(tile_m=64), "tile_m is 64, which is no multiple of 128"),
        ((512, 512, 64), hopper_matmul.Config(tile_n=96), "tile_n is 96, which is no multiple of 64"),
        ((512, 512, 64), hopper_matmul.Config(tile_k=32), "tile_k is 32, which is no multiple of 64"),
        ((512, 512, 64), hopper_matmul.Config(tile_n=512), "512 columns, and wgmma has at most 256"),
        ((512, 512, 64), hopper_matmul.Config(tile_m=256), "128x256 accumulator takes 256 of a thread's 232"),
        ((512, 512, 64), hopper_matmul.Config(stages=1), "stages is 1: between 2 and 8"),
        ((512, 512, 64), hopper_matmul.Config(blocks=1), "blocks is 1, fewer than the 2x1 of a cluster"),
        ((512, 512, 64), hopper_matmul.Config(cluster_m=0), "cluster_m is 0"),
        ((512, 512, 64), hopper_matmul.Config(grid_width=0), "grid_width is 0"),
        ((512, 512, 64), hopper_matmul.Config(epilogue_n=32), "epilogue_n is 32, which is no multiple of 64"),
        ((512, 576, 64), hopper_matmul.Config(tile_n=192), "3 chunks: take an even number"),
        ((512, 512, 64), hopper_matmul.Config(producer_registers=50), "setmaxnreg counts in eights"),
    ],
)
def test_matmul_says_what_does_not_divide(sizes: tuple[int, int, int], config: hopper_matmul.Config, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        hopper_matmul.kernel(*sizes, mgpu.float16, mgpu.float16, config)


def test_matmul_wants_8_bit_operands_along_k() -> None:
    with pytest.raises(ValueError, match="pass b_transposed=True"):
        hopper_matmul.kernel(512, 512, 128, mgpu.float8_e5m2, mgpu.float16)
