"""`examples/flash_attention.py` beside its raw twin, cuDNN, jax's Pallas kernel and jax's example, for `bench.device`.

Every implementation computes softmax(Q @ K.T) @ V of the same float16 inputs, without a scale, which jax's kernels do
not have.
"""

import functools
from dataclasses import asdict, dataclass
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp

import safegpu as mgpu
from bench.contenders import Function, Implementation
from examples import flash_attention
from examples.flash_attention import Config
from safegpu._jax import mlir_context
from tests.raw import flash_attention as raw

HEAD_DIMS = (64, 128, 256)

# What else `--tune` tries, beside the example's own CONFIGS, where its shared memory has room.
MORE = {
    64: (
        Config(128, stages=2, consumers=2, warp_specialized=False, turns=False),
        Config(128, consumers=3),
    ),
    128: (Config(128, turns=False), Config(64, stages=3)),
    256: (Config(64),),
}
# Of the others the keys of a block, and of jax's example who copies, by head_dim, the best known first.
EXAMPLE = {
    64: [(128, "TWO_COMPUTE_WG"), (256, "TWO_COMPUTE_ONE_TMA_WG"), (128, "TWO_COMPUTE_ONE_TMA_WG")],
    128: [(128, "TWO_COMPUTE_ONE_TMA_WG"), (128, "TWO_COMPUTE_WG"), (64, "TWO_COMPUTE_ONE_TMA_WG")],
    256: [(64, "TWO_COMPUTE_ONE_TMA_WG"), (64, "TWO_COMPUTE_WG")],
}
PALLAS = {64: [256, 128], 128: [128, 64], 256: [64]}


@dataclass(frozen=True)
class Attention:
    """One shape: queries, keys and values have the same."""

    seq: int
    head_dim: int
    heads: int = 16
    batch: int = 1

    kernel = "flash_attention"
    tolerance = 2e-3
    """Of the norm of the error, by that of the result."""

    @property
    def label(self) -> str:
        return f"head_dim {self.head_dim}, {self.seq} keys"

    @property
    def flop(self) -> int:
        return 4 * self.batch * self.heads * self.seq**2 * self.head_dim

    def inputs(self) -> tuple[jax.Array, ...]:
        """Q, K and V as (batch, seq, heads, head_dim), and once more as the (heads, seq, head_dim) of jax's example."""
        shape = self.batch, self.seq, self.heads, self.head_dim
        q, k, v = (jax.random.normal(key, shape, jnp.float16) for key in jax.random.split(jax.random.key(1), 3))
        q *= self.head_dim**-0.5
        return q, k, v, *(each[0].swapaxes(0, 1).copy() for each in (q, k, v))

    def reference(self, inputs: tuple[jax.Array, ...]) -> jax.Array:
        """The last head of the result."""

        @jax.jit
        def attend(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
            q, k, v = (each[0, :, -1].astype(jnp.float32) for each in (q, k, v))
            weights = jax.nn.softmax(jnp.matmul(q, k.T, precision="highest"))
            return jnp.matmul(weights, v, precision="highest")

        return attend(*inputs[:3])

    def error(self, result: jax.Array, expected: jax.Array) -> float:
        by_head_first = result.ndim == 3
        got = (result[-1] if by_head_first else result[0, :, -1]).astype(jnp.float32)
        return float(jnp.linalg.norm(got - expected) / jnp.linalg.norm(expected))

    def raw(self, config: Config) -> Function:
        with mlir_context():
            kernel = raw.build(*self._sizes, jnp.float16, scale=1.0, **asdict(config))
        return lambda q, k, v, *_: kernel(q, k, v)

    def implementations(self, examples: dict[str, ModuleType]) -> dict[str, Implementation]:
        configs = [*flash_attention.CONFIGS[self.head_dim], *MORE[self.head_dim]]
        found = {
            "safegpu": Implementation(self._safegpu, [each for each in configs if self.seq % each.block_kv == 0]),
            "cuDNN": Implementation(self._cudnn),
            "Pallas": Implementation(self._pallas, [keys for keys in PALLAS[self.head_dim] if self.seq % keys == 0]),
        }
        if "flash_attention" in examples:
            build = functools.partial(self._example, examples["flash_attention"])
            fitting = [config for config in EXAMPLE[self.head_dim] if self.seq % config[0] == 0]
            found["jax's example"] = Implementation(build, fitting)
        return found

    @property
    def _sizes(self) -> tuple[int, int, int, int, int, int]:
        return self.batch, self.seq, self.seq, self.heads, self.heads, self.head_dim

    def _safegpu(self, config: Config) -> Function:
        kernel = flash_attention.kernel(*self._sizes, mgpu.float16, config, scale=1.0)
        return lambda q, k, v, *_: kernel(q, k, v)

    def _cudnn(self, _: None) -> Function:
        attend = functools.partial(jax.nn.dot_product_attention, scale=1.0, implementation="cudnn")
        return lambda q, k, v, *_: attend(q, k, v)

    def _pallas(self, block_kv: int) -> Function:
        from jax.experimental.pallas.ops.gpu import attention_mgpu as pallas

        config = pallas.TuningConfig(block_q=64, block_kv=block_kv, max_concurrent_steps=2)
        return lambda q, k, v, *_: pallas.attention(q, k, v, config)

    def _example(self, example: ModuleType, config: tuple[int, str]) -> Function:
        block_kv, warpgroups = config
        sizes = self.batch, self.heads, self.heads, self.seq, self.seq, self.head_dim
        with mlir_context():
            kernel: Any = example.build_kernel(
                *sizes,
                example.BlockSizes(q=64, kv=block_kv, stages=2),
                exp_impl=example.ExpImplementation.APPROX,
                impl=example.Implementation[warpgroups],
            )
        return lambda _q, _k, _v, *by_head: kernel(*by_head)
