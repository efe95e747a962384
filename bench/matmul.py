"""`examples/hopper_matmul.py` beside its raw twin, cuBLAS, jax's Pallas kernel and jax's example, for `bench.device`.

Large products run at the power that the GPU may draw, and what the inputs hold decides how much they need: these are
normally distributed. cuBLAS is what XLA calls for `jnp.dot` without Triton; Pallas and jax's example take 16 bits.
"""

import dataclasses
import functools
import math
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp

import safegpu as mgpu
from bench.contenders import Function, Implementation
from examples.hopper_matmul import Config, kernel
from safegpu._jax import mlir_context
from tests.raw import hopper_matmul as raw

type Size = tuple[int, int, int]

TOKENS: dict[str, Any] = {
    "float16": mgpu.float16,
    "bfloat16": mgpu.bfloat16,
    "float8_e4m3fn": mgpu.float8_e4m3fn,
    "float8_e5m2": mgpu.float8_e5m2,
    "float32": mgpu.float32,
}

_ORDERS: list[dict[str, Any]] = [
    {"grid_minor": minor, "grid_width": width} for minor in ("m", "n") for width in (4, 8, 16)
]
CONFIGS: tuple[Config, ...] = (
    *(Config(**order) for order in _ORDERS),
    *(Config(**order, cluster_m=1, cluster_n=2) for order in _ORDERS),
    Config(cluster_m=1),
    Config(release_delay=1),
    Config(split="n"),
    Config(tile_m=256, tile_n=128, cluster_m=1, cluster_n=2),
    Config(tile_n=128, stages=6),
    Config(tile_n=128, stages=6, cluster_m=1, cluster_n=2),
    # Less depth, for wider copies of the output.
    Config(stages=3, epilogue_n=64),
    Config(stages=3, epilogue_n=128),
    Config(tile_n=128, stages=5, epilogue_n=64),
)
"""What `--tune` tries, the default first; what does not divide a size is left out."""

EXAMPLE: tuple[tuple[tuple[str, int], ...], ...] = tuple(
    (("tile_m", 128), ("tile_n", 128), ("cluster_m", m), ("cluster_n", n), ("stages", 5), ("grid_tile_n", width))
    for m, n, width in ((1, 2, 4), (2, 1, 4), (1, 2, 16), (1, 1, 4))
)
"""Of the configurations that jax's example tries itself, the ones with the largest tile and depth."""


@dataclasses.dataclass(frozen=True)
class Matmul:
    """A (m, k) @ B, with B (k, n), or (n, k) for the 8-bit dtypes, which is the only one that wgmma reads."""

    size: Size
    dtype: str = "float16"
    out_dtype: str = "float16"

    kernel = "hopper_matmul"

    @property
    def label(self) -> str:
        sizes = "x".join(map(str, self.size)) if len(set(self.size)) > 1 else str(self.size[0])
        dtypes = self.dtype if self.dtype == self.out_dtype else f"{self.dtype} to {self.out_dtype}"
        return f"{sizes} {dtypes}"

    @property
    def flop(self) -> int:
        return 2 * math.prod(self.size)

    @property
    def tolerance(self) -> float:
        """Of the largest error, by the largest result. The tensor cores add products of 8-bit floats in 22 bits."""
        rounding = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1e-5}[self.out_dtype]
        return rounding + (1e-2 if self.transposed else 0)

    @property
    def transposed(self) -> bool:
        return self.dtype.startswith("float8")

    def inputs(self) -> tuple[jax.Array, jax.Array]:
        m, n, k = self.size
        for_a, for_b = jax.random.split(jax.random.key(0))
        a = jax.random.normal(for_a, (m, k), jnp.float32)
        b = jax.random.normal(for_b, (n, k) if self.transposed else (k, n), jnp.float32)
        return a.astype(self.dtype), b.astype(self.dtype)

    def reference(self, inputs: tuple[jax.Array, ...]) -> jax.Array:
        a, b = (each.astype("float16") for each in inputs) if self.transposed else inputs
        return jax.jit(functools.partial(self._product, out_dtype="float32"))(a, b)

    def error(self, result: jax.Array, expected: jax.Array) -> float:
        difference = jnp.abs(result.astype("float32") - expected)
        return float(jnp.max(difference) / jnp.max(jnp.abs(expected)))

    def raw(self, config: Config) -> Function:
        with mlir_context():
            options = dataclasses.asdict(self._fitted(config))
            built: Function = raw.build(*self.size, self.dtype, self.out_dtype, b_transposed=self.transposed, **options)
        return built

    def implementations(self, examples: dict[str, ModuleType]) -> dict[str, Implementation]:
        found = {
            "safegpu": Implementation(self._safegpu, CONFIGS),
            "cuBLAS": Implementation(lambda _: functools.partial(self._product, out_dtype=self.out_dtype)),
        }
        m, n, k = self.size
        if self.dtype == self.out_dtype and not (self.transposed or m % 256 or n % 256 or k % 64):
            orders = [(axis, width) for axis in "NM" for width in (16, 8, 4)]
            found["Pallas"] = Implementation(self._pallas, orders)
        if "matmul" in examples and not self.transposed:
            build = functools.partial(self._example, examples["matmul"])
            found["jax's example"] = Implementation(build, EXAMPLE, must_tune=True)
        return found

    def _product(self, a: jax.Array, b: jax.Array, out_dtype: str) -> jax.Array:
        contracted = ((1,), (1 if self.transposed else 0,))
        return jax.lax.dot_general(a, b, (contracted, ((), ())), preferred_element_type=out_dtype)

    def _fitted(self, config: Config) -> Config:
        """With no more blocks than this GPU runs at a time."""
        return dataclasses.replace(config, blocks=min(config.blocks, jax.devices()[0].core_count))

    def _safegpu(self, config: Config) -> Function:
        dtypes = TOKENS[self.dtype], TOKENS[self.out_dtype]
        return kernel(*self.size, *dtypes, self._fitted(config), b_transposed=self.transposed)

    def _pallas(self, order: tuple[str, int]) -> Function:
        """jax's kernel as it is best for large matrices, but for the order of the tiles."""
        from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu as pallas

        minor, width = order
        config = pallas.TuningConfig(
            tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4, grid_minor_dim=pallas.MatmulDimension[minor],
            grid_tile_width=width, cluster_dimension=pallas.MatmulDimension.M,
        )  # fmt: skip
        return functools.partial(pallas.matmul, c=None, config=config)

    def _example(self, example: ModuleType, config: tuple[tuple[str, int], ...]) -> Function:
        dtypes = jnp.dtype(self.dtype), jnp.dtype(self.dtype), jnp.dtype(self.out_dtype)
        with mlir_context():
            built: Function = example.build_kernel(*self.size, *dtypes, **dict(config))
        return built
