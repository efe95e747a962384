"""The Hopper matmul beside its raw twin, cuBLAS and jax's Pallas kernel: TFLOP/s on a GPU, in one process.

python -m bench.matmul [--size 8192 | --sizes 4096 8192x8192x2048 ...] [--dtype float16] [--tune] [--out FILE]

Large products run at the power that the GPU may draw, and what the inputs hold decides how much they need: these are
normally distributed, or with `--inputs uniform` in [0, 1), which needs less. All results are compared with one product
in float32. cuBLAS is what XLA calls for `jnp.dot` without Triton; Pallas takes 16-bit dtypes.
"""

import argparse
import dataclasses
import functools
import json
import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental.mosaic.gpu import profiler

import safegpu as mgpu
from bench.timing import device_ms
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
TUNED: tuple[Config, ...] = (
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
"""What `--tune` tries; what does not divide a size is left out."""


@dataclasses.dataclass(frozen=True)
class Problem:
    """A (m, k) @ B, with B (k, n), or (n, k) for the 8-bit dtypes, which is the only one that wgmma reads."""

    size: Size
    dtype: str
    out_dtype: str
    distribution: str = "normal"

    @property
    def transposed(self) -> bool:
        return self.dtype.startswith("float8")

    @property
    def tolerance(self) -> float:
        """Of the largest error, by the largest result. The tensor cores add products of 8-bit floats in 22 bits."""
        rounding = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1e-5}[self.out_dtype]
        return rounding + (1e-2 if self.transposed else 0)

    def inputs(self) -> tuple[jax.Array, jax.Array]:
        m, n, k = self.size
        draw = getattr(jax.random, self.distribution)
        for_a, for_b = jax.random.split(jax.random.key(0))
        a = draw(for_a, (m, k), jnp.float32)
        b = draw(for_b, (n, k) if self.transposed else (k, n), jnp.float32)
        return a.astype(self.dtype), b.astype(self.dtype)

    def product(self, a: jax.Array, b: jax.Array, out_dtype: str) -> jax.Array:
        contracted = ((1,), (1 if self.transposed else 0,))
        return jax.lax.dot_general(a, b, (contracted, ((), ())), preferred_element_type=out_dtype)

    def cublas(self) -> Any:
        return jax.jit(functools.partial(self.product, out_dtype=self.out_dtype))

    def reference(self, a: jax.Array, b: jax.Array) -> jax.Array:
        if self.transposed:
            a, b = a.astype("float16"), b.astype("float16")
        return jax.jit(functools.partial(self.product, out_dtype="float32"))(a, b)

    def safegpu(self, config: Config) -> Callable[..., Any]:
        return kernel(*self.size, TOKENS[self.dtype], TOKENS[self.out_dtype], config, b_transposed=self.transposed)

    def twin(self, config: Config) -> Any:
        with mlir_context():
            return raw.build(
                *self.size, self.dtype, self.out_dtype, b_transposed=self.transposed, **dataclasses.asdict(config)
            )

    def pallas(self, tune: bool) -> dict[str, Callable[..., Any]]:
        """jax's kernel as it is best for large matrices, or with all orders of tiles; it gives the dtype it takes."""
        m, n, k = self.size
        if self.dtype != self.out_dtype or self.transposed or m % 256 or n % 256 or k % 64:
            return {}
        from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu as pallas

        axes = pallas.MatmulDimension
        orders = [(minor, width) for minor in axes for width in (4, 8, 16)] if tune else [(axes.N, 16)]
        functions: dict[str, Callable[..., Any]] = {}
        for minor, width in orders:
            config = pallas.TuningConfig(
                tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4,
                grid_minor_dim=minor, grid_tile_width=width, cluster_dimension=axes.M,
            )  # fmt: skip
            functions[f"Pallas, {minor} {width}"] = jax.jit(functools.partial(pallas.matmul, c=None, config=config))
        return functions


def relative_error(result: jax.Array, expected: jax.Array) -> float:
    difference = jnp.abs(result.astype("float32") - expected)
    return float(jnp.max(difference) / jnp.max(jnp.abs(expected)))


def description(config: Config) -> str:
    """The tile, and what differs from the default."""
    default = dataclasses.asdict(Config())
    differs = [
        f"{name}={value}"
        for name, value in dataclasses.asdict(config).items()
        if value != default[name] and name not in ("tile_m", "tile_n")
    ]
    return " ".join([f"{config.tile_m}x{config.tile_n}", *differs])


def right(
    functions: dict[str, Callable[..., Any]], arrays: tuple[jax.Array, jax.Array], expected: jax.Array, tolerance: float
) -> dict[str, Callable[..., Any]]:
    """The functions that run and whose result is right. What is wrong with the others is printed."""
    good = {}
    for name, function in functions.items():
        try:
            error = relative_error(function(*arrays), expected)
        except Exception as failure:
            print(f"  {name}: {type(failure).__name__}: {str(failure).splitlines()[0][:160]}")
            continue
        if error <= tolerance:  # and no NaN
            good[name] = function
        else:
            print(f"  {name}: WRONG, relative error {error:.2e} above {tolerance:.0e}")
    return good


def measure(problem: Problem, configs: list[Config], rounds: int, calls: int) -> dict[str, Any]:
    """Prints a table of the configurations, fastest first, and then all four implementations with the best."""
    arrays = problem.inputs()
    expected = problem.reference(*arrays)
    check = functools.partial(right, arrays=arrays, expected=expected, tolerance=problem.tolerance)
    # What a turn draws must be its own, and not what the turn before left of warmth: hence many calls a turn. Their
    # results are all there at its end.
    result_bytes = expected.size * TOKENS[problem.out_dtype].bits // 8
    timed = functools.partial(device_ms, rounds=rounds, calls=min(calls, max(5, 2**34 // result_bytes)))
    flop = 2 * math.prod(problem.size)

    print(f"\n{'x'.join(map(str, problem.size))} (m, n, k) {problem.dtype} to {problem.out_dtype}", flush=True)
    start = time.monotonic()
    candidates: dict[str, Callable[..., Any]] = {}
    for config in configs:
        try:
            candidates[description(config)] = problem.safegpu(config)
        except ValueError as error:
            print(f"  {description(config)}: left out, {str(error)[:120]}")
    candidates = check(candidates)
    pallas = check(problem.pallas(tune=len(configs) > 1))
    cublas = check({"cuBLAS": problem.cublas()})
    for function in cublas.values():
        _, launched = profiler.Cupti(finalize=False).measure(function, aggregate=False)(*arrays)
        print(f"  cuBLAS runs {', '.join(name for name, _ in launched)}")
    if not candidates:
        raise SystemExit("no configuration of the kernel works")
    times = timed(candidates | pallas | cublas, *arrays) if len(candidates) > 1 or len(pallas) > 1 else {}
    if len(candidates) > 1:
        for name, ms in sorted(times.items(), key=lambda item: item[1]):
            print(f"  {ms:8.4f} ms {flop / ms / 1e9:7.1f} TFLOP/s  {name}")
    best = min(candidates, key=lambda name: times.get(name, 0))
    (config,) = (each for each in configs if description(each) == best)

    finalists = {"safegpu": candidates[best]} | check({"raw twin": problem.twin(config)}) | cublas
    if pallas:
        finalists["Pallas"] = pallas[min(pallas, key=lambda name: times.get(name, 0))]
    if "raw twin" in finalists:
        same = bool(jnp.array_equal(finalists["safegpu"](*arrays), finalists["raw twin"](*arrays)))
        print(f"  safegpu and its raw twin give {'the same bits' if same else 'DIFFERENT BITS'}")
    final = timed(finalists, *arrays)
    print(f"  {config}\n  {time.monotonic() - start:.0f} s for building, checking and measuring\n")
    for name, ms in final.items():
        ratio = f"{final['cuBLAS'] / ms:6.3f} of cuBLAS" if "cuBLAS" in final else ""
        print(f"  {name:9} {ms:8.4f} ms {flop / ms / 1e9:7.1f} TFLOP/s {ratio}")
    return dataclasses.asdict(problem) | {
        "config": dataclasses.asdict(config),
        "ms": final,
        "tflops": {name: flop / ms / 1e9 for name, ms in final.items()},
        "tuned_ms": times,
    }


def size(text: str) -> Size:
    numbers = [int(number) for number in text.split("x")]
    if len(numbers) not in (1, 3):
        raise argparse.ArgumentTypeError("one number, or three as MxNxK")
    return (numbers[0],) * 3 if len(numbers) == 1 else tuple(numbers)  # type: ignore[return-value]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", "--sizes", type=size, nargs="+", default=[(8192, 8192, 8192)], help="N or MxNxK")
    parser.add_argument("--dtype", choices=list(TOKENS)[:-1], default="float16")
    parser.add_argument("--out-dtype", choices=("float16", "bfloat16", "float32"), help="default: DTYPE, or float16")
    parser.add_argument("--inputs", choices=("normal", "uniform"), default="normal", help="how they are distributed")
    parser.add_argument("--tune", action="store_true", help="try all configurations")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=40)
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    options = parser.parse_args()
    os.environ.setdefault("XLA_FLAGS", "--xla_gpu_enable_triton_gemm=false")
    if jax.default_backend() != "gpu":
        print("needs a Hopper GPU, and jax finds none: pip install 'jax[cuda13]'", file=sys.stderr)
        return 2
    out_dtype = options.out_dtype or ("float16" if options.dtype.startswith("float8") else options.dtype)
    blocks = jax.devices()[0].core_count
    configs = TUNED if options.tune else (Config(),)
    print(f"{jax.devices()[0].device_kind}, jax {jax.__version__}")
    figures = [
        measure(
            Problem(each, options.dtype, out_dtype, options.inputs),
            [dataclasses.replace(config, blocks=min(config.blocks, blocks)) for config in configs],
            options.rounds,
            options.calls,
        )
        for each in options.size
    ]
    if options.out:
        options.out.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
