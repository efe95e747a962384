"""Attention on a Hopper GPU: the example's kernel beside jax's own, in one process.

python -m bench.attention [--jax-example PATH] [--seq 4096 12288] [--tune] [--out FILE]

PATH is a jax checkout's jax/experimental/mosaic/gpu/examples/flash_attention.py, which the wheel does not contain.
Every implementation computes softmax(Q @ K.T) @ V on the same random inputs, without a scale, which jax's kernels do
not have; each result is compared with a float32 reference, and each time is a median of the device's own. With --tune
each kernel first finds the best of its configurations.
"""

import argparse
import functools
import importlib.util
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
from jax._src.interpreters.mlir import make_ir_context
from jax.experimental.pallas.ops.gpu import attention_mgpu
from jaxlib.mlir import ir

import safegpu as mgpu
from bench.timing import device_ms
from examples import flash_attention
from examples.flash_attention import Config
from tests.raw import flash_attention as raw_attention


@dataclass(frozen=True)
class Problem:
    """One shape: queries, keys and values have the same."""

    seq: int
    head_dim: int
    heads: int = 16
    batch: int = 1

    @property
    def shape(self) -> tuple[int, int, int, int]:
        return self.batch, self.seq, self.heads, self.head_dim

    @property
    def flops(self) -> int:
        return 4 * self.batch * self.heads * self.seq**2 * self.head_dim

    def inputs(self) -> tuple[jax.Array, ...]:
        """Q, K and V as (batch, seq, heads, head_dim), and once more as the (heads, seq, head_dim) of jax's example."""
        q, k, v = (jax.random.normal(key, self.shape, jnp.float16) for key in jax.random.split(jax.random.key(1), 3))
        q *= self.head_dim**-0.5
        return q, k, v, *(each[0].swapaxes(0, 1).copy() for each in (q, k, v))


@dataclass(frozen=True)
class Implementation:
    """One of the functions compared: of all inputs of a problem. `heads_first` says what order its result has."""

    run: Callable[..., jax.Array]
    heads_first: bool = False


HEAD_DIMS = (64, 128, 256)


def safegpu(problem: Problem, config: Config) -> Implementation:
    batch, seq, heads, head_dim = problem.shape
    kernel = flash_attention.kernel(batch, seq, seq, heads, heads, head_dim, mgpu.float16, config, scale=1.0)
    return Implementation(lambda q, k, v, *_: kernel(q, k, v))


def raw_twin(problem: Problem, config: Config) -> Implementation:
    batch, seq, heads, head_dim = problem.shape
    with make_ir_context(), ir.Location.unknown():
        kernel = raw_attention.build(batch, seq, seq, heads, heads, head_dim, jnp.float16, scale=1.0, **asdict(config))
    return Implementation(lambda q, k, v, *_: kernel(q, k, v))


def jax_example(example: ModuleType, problem: Problem, block_kv: int, wgs: str) -> Implementation:
    batch, seq, heads, head_dim = problem.shape
    with make_ir_context(), ir.Location.unknown():
        kernel = example.build_kernel(
            batch,
            heads,
            heads,
            seq,
            seq,
            head_dim,
            example.BlockSizes(q=64, kv=block_kv, stages=2),
            exp_impl=example.ExpImplementation.APPROX,
            impl=example.Implementation[wgs],
        )
    return Implementation(lambda _q, _k, _v, *by_head: kernel(*by_head), heads_first=True)


def pallas(_problem: Problem, block_kv: int) -> Implementation:
    config = attention_mgpu.TuningConfig(block_q=64, block_kv=block_kv, max_concurrent_steps=2)
    return Implementation(lambda q, k, v, *_: attention_mgpu.attention(q, k, v, config))


def dot_product_attention(_problem: Problem, name: Any) -> Implementation:
    attend = functools.partial(jax.nn.dot_product_attention, scale=1.0, implementation=name)
    return Implementation(lambda q, k, v, *_: attend(q, k, v))


type Builder = Callable[..., Implementation]

# Of each implementation the configurations that its shared memory has room for, by head_dim, the best known first.
SAFEGPU = {
    64: [
        (Config(128, stages=3, consumers=4, warp_specialized=False, turns=False),),
        (Config(128, stages=2, consumers=2, warp_specialized=False, turns=False),),
        (Config(128, consumers=3),),
    ],
    128: [(Config(192),), (Config(128),), (Config(128, turns=False),), (Config(64, stages=3),)],
    256: [(Config(64, turns=False),), (Config(64),)],
}
EXAMPLE = {
    64: [(128, "TWO_COMPUTE_WG"), (256, "TWO_COMPUTE_ONE_TMA_WG"), (128, "TWO_COMPUTE_ONE_TMA_WG")],
    128: [(128, "TWO_COMPUTE_ONE_TMA_WG"), (128, "TWO_COMPUTE_WG"), (64, "TWO_COMPUTE_ONE_TMA_WG")],
    256: [(64, "TWO_COMPUTE_ONE_TMA_WG"), (64, "TWO_COMPUTE_WG")],
}
PALLAS = {64: [(256,), (128,)], 128: [(128,), (64,)], 256: [(64,)]}


def fitting(configs: list[Any], seq: int) -> list[Any]:
    """The configurations whose keys of a block divide the sequence."""

    def block_kv(config: tuple[Any, ...]) -> int:
        first = config[0]
        return first.block_kv if isinstance(first, Config) else first if isinstance(first, int) else 1

    return [config for config in configs if seq % block_kv(config) == 0]


def implementations(example: ModuleType | None) -> Iterator[tuple[str, Builder, dict[int, list[Any]]]]:
    """The name of each implementation, what builds it for a problem, and its configurations by head_dim."""
    yield "safegpu", safegpu, SAFEGPU
    yield "its raw twin", raw_twin, SAFEGPU
    if example is not None:
        yield "jax example", functools.partial(jax_example, example), EXAMPLE
    yield "pallas", pallas, PALLAS
    for name in ("xla", "cudnn"):
        yield f"dot_product_attention {name}", dot_product_attention, {d: [(name,)] for d in HEAD_DIMS}


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("jax_flash_attention_example", path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def built(name: str, build: Builder, problem: Problem, config: tuple[Any, ...], inputs: Any) -> Implementation | None:
    """The implementation, once it has run; None, and a line that says why, where it does not."""
    try:
        implementation = build(problem, *config)
        implementation = Implementation(jax.jit(implementation.run), implementation.heads_first)
        jax.block_until_ready(implementation.run(*inputs))
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        print(f"  {name} {config} does not run: {type(error).__name__}: {reason[:120]}", flush=True)
        return None
    return implementation


def tune(problem: Problem, example: ModuleType | None) -> dict[str, tuple[Any, ...]]:
    """The fastest configuration of each implementation."""
    inputs, best = problem.inputs(), {}
    print(f"\n{problem}", flush=True)
    for name, build, configs in implementations(example):
        candidates = fitting(configs[problem.head_dim], problem.seq)
        if name == "its raw twin":
            continue
        runs = {config: built(name, build, problem, config, inputs) for config in candidates}
        functions = {str(config): each.run for config, each in runs.items() if each}
        if len(candidates) < 2 or not functions:
            continue
        times = device_ms(functions, *inputs, rounds=3, calls=3)
        for config, ms in sorted(times.items(), key=lambda item: item[1]):
            print(f"  {name:14}{config:60}{ms:9.4f} ms{problem.flops / ms / 1e9:8.0f} TFLOP/s", flush=True)
        best[name] = min((config for config in candidates if str(config) in times), key=lambda each: times[str(each)])
    return best


def reference(inputs: tuple[jax.Array, ...], head: int) -> jax.Array:
    """One head of the result in float32."""

    @jax.jit
    def attend(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
        q, k, v = (each[0, :, head].astype(jnp.float32) for each in (q, k, v))
        weights = jax.nn.softmax(jnp.matmul(q, k.T, precision="highest"))
        return jnp.matmul(weights, v, precision="highest")

    return attend(*inputs[:3])


def compare(
    problem: Problem, example: ModuleType | None, best: dict[str, tuple[Any, ...]], rounds: int
) -> dict[str, dict[str, float]]:
    inputs = problem.inputs()
    running = {}
    for name, build, configs in implementations(example):
        tuned = best.get("safegpu" if name == "its raw twin" else name)
        config = (fitting([tuned], problem.seq) if tuned else []) or fitting(configs[problem.head_dim], problem.seq)
        if implementation := built(name, build, problem, config[0], inputs):
            running[name] = implementation
    head = problem.heads - 1
    expected = reference(inputs, head)
    errors = {}
    for name, each in running.items():
        result = each.run(*inputs)
        got = (result[head] if each.heads_first else result[0, :, head]).astype(jnp.float32)
        errors[name] = float(jnp.linalg.norm(got - expected) / jnp.linalg.norm(expected))
    times = device_ms({name: each.run for name, each in running.items()}, *inputs, rounds=rounds, calls=3)
    print(f"\n{problem}, {problem.flops / 1e12:.2f} TFLOP")
    for name, ms in times.items():
        speed = f"{ms:9.4f} ms{problem.flops / ms / 1e9:8.0f} TFLOP/s, safegpu takes {times['safegpu'] / ms:.3f} of it"
        print(f"  {name:28}{speed}, relative error {errors[name]:.1e}", flush=True)
        if not errors[name] < 2e-3:
            print(f"  {name}: WRONG", flush=True)
    return {
        name: {"ms": ms, "tflops": problem.flops / ms / 1e9, "relative_error": errors[name]}
        for name, ms in times.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jax-example", type=Path, help="flash_attention.py of a jax checkout")
    parser.add_argument("--tune", action="store_true", help="find the best configuration of each kernel first")
    parser.add_argument("--seq", type=int, nargs="+", default=[4096, 12288], help="queries, and as many keys")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", type=Path, help="write the results there, as JSON")
    options = parser.parse_args()
    example = load(options.jax_example) if options.jax_example else None
    start = time.monotonic()
    print(f"jax {jax.__version__}, {jax.devices()[0].device_kind}")
    results = []
    for head_dim in HEAD_DIMS:
        best = tune(Problem(6144, head_dim), example) if options.tune else {}
        for problem in (Problem(seq, head_dim) for seq in options.seq):
            results.append({**asdict(problem), "times": compare(problem, example, best, options.rounds)})
    print(f"\n{time.monotonic() - start:.0f} s in all")
    if options.out:
        options.out.write_text(json.dumps({"device": jax.devices()[0].device_kind, "results": results}, indent=1))


if __name__ == "__main__":
    main()
