"""The host part of the examples.

`python -m examples.run` checks the examples, shows what their illegal twins in `bugs/` are told, lowers the legal ones
on the CPU, and compiles them for their GPUs where the CUDA wheels are installed.

`python -m examples.run EXAMPLE` runs one on the Hopper GPU of this machine, and compares it with numpy:
`cluster_exchange`, `hopper_matmul`, `flash_attention`; `all_gather` on all of the machine's GPUs.
"""

import argparse
import importlib
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Example:
    """A kernel, the GPU it is for, the number of GPUs it runs on together, and instructions worth counting."""

    build: Callable[[], mgpu.Kernel]
    arch: str
    instructions: tuple[str, ...]
    peers: int = 1


KERNELS = {
    "cluster_exchange": Example(cluster_exchange.exchange, "sm_90a", ("STAS",)),
    "cluster_reduce": Example(cluster_exchange.reduce, "sm_90a", ("REDAS.ADD.S32",)),
    "flash_attention 64": Example(flash_attention.head_dim_64, "sm_90a", ("HGMMA.64x128x16.F32", "MUFU.EX2")),
    "flash_attention 128": Example(flash_attention.head_dim_128, "sm_90a", ("HGMMA.64x192x16.F32", "MUFU.EX2")),
    "flash_attention 256": Example(flash_attention.head_dim_256, "sm_90a", ("HGMMA.64x256x16.F32", "MUFU.EX2")),
    "hopper_matmul float16": Example(hopper_matmul.float16, "sm_90a", ("HGMMA.64x256x16.F32", "UTMALDG.4D.MULTICAST")),
    "hopper_matmul bfloat16": Example(
        hopper_matmul.bfloat16, "sm_90a", ("HGMMA.64x256x16.F32.BF16", "UTMALDG.4D.MULTICAST")
    ),
    "hopper_matmul float8": Example(
        hopper_matmul.float8, "sm_90a", ("QGMMA.64x256x32.F32.E4M3.E4M3", "UTMALDG.4D.MULTICAST")
    ),
    "sparse_matmul float16": Example(sparse_matmul.float16, "sm_100a", ("UTCHMMA",)),
    "sparse_matmul float8": Example(sparse_matmul.float8, "sm_100a", ("UTCQMMA",)),
    "blackwell_matmul f16": Example(blackwell_matmul.float16, "sm_100a", ("UTCHMMA.2CTA",)),
    "blackwell_matmul f8": Example(blackwell_matmul.float8, "sm_100a", ("UTCQMMA.2CTA",)),
    "scaled_matmul mxfp8": Example(blackwell_scaled_matmul.mxfp8, "sm_100a", ("UTCQMMA", "UTCCP.T.S.4x32dp128bit")),
    "scaled_matmul nvfp4": Example(blackwell_scaled_matmul.nvfp4, "sm_100a", ("UTCOMMA.4X", "UTCCP.T.S.4x32dp128bit")),
    "multimem_all_reduce": Example(multimem_all_reduce.kernel, "sm_90a", ("LDGMC.E.ADD.F32x4.RN.STRONG.SYS",), peers=2),
    "all_gather": Example(all_gather.kernel, "sm_90a", ("UTMASTG.2D", "REDG.E.ADD.STRONG.SYS"), peers=2),
}


# --- without a GPU


def check_examples() -> bool:
    """Whether mypy finds the examples legal and every one of their twins illegal, printing what it says of these."""
    from safegpu.check import check

    findings = check([HERE])
    wrong = [finding for finding in findings if "bugs" not in Path(finding.path).parts]
    for finding in wrong:
        print(finding)
    legal = sorted(HERE.glob("*.py"))
    print(f"checked {len(legal)} files of examples/: {'clean' if not wrong else f'{len(wrong)} findings'}\n")
    missed = [
        bug.name
        for bug in sorted((HERE / "bugs").glob("[!_]*.py"))
        if not any(Path(finding.path).name == bug.name for finding in findings)
    ]
    print("their illegal twins, in examples/bugs/:")
    for finding in findings:
        if finding not in wrong:
            print(finding)
    print("\nthose that only lowering sees:")
    said = {name: refusal(Path(name).stem) for name in missed}
    for name, refused in said.items():
        print(refused or f"bugs/{name}: not rejected")
    return not wrong and all(said.values())


def refusal(name: str) -> str | None:
    """Why safegpu does not lower this illegal twin, for the architecture that it states, and where; None if it does."""
    from safegpu.offline.lowering import lowered

    module = importlib.import_module(f"examples.bugs.{name}")
    try:
        lowered(module.kernel, None)
    except mgpu.RuleError as error:
        (*_, line) = (
            frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == module.__file__
        )
        return f"examples/bugs/{name}.py:{line}: {error}"
    return None


def lower_examples() -> None:
    from safegpu.offline.devices import DEVICES
    from safegpu.offline.lowering import lowered

    print("\nlowered on the CPU:")
    for name, example in KERNELS.items():
        text = lowered(example.build, DEVICES[example.arch].arch, peers=example.peers)
        print(f"  {name:24}{example.arch:8}{len(text.splitlines()):6} lines of MLIR")


def compile_examples() -> bool:
    """Whether every example compiles, each for its GPU, printing what of it they use."""
    from safegpu.offline import toolchain
    from safegpu.offline.compiling import Failure, compile_targets

    if absent := toolchain.missing():
        print(f"\nnot compiled: pip install 'safegpu[codegen]' brings {', '.join(absent)}")
        return True
    print("\ncompiled without a GPU:", flush=True)
    targets = [f"{inspect.getfile(example.build)}:{example.build.__name__}" for example in KERNELS.values()]
    failed = False
    for (name, example), outcome in zip(KERNELS.items(), compile_targets(targets), strict=True):
        if isinstance(compiled := outcome.result, Failure):
            failed = True
            print(f"  {name:24}{compiled.said}")
            continue
        counts = ", ".join(f"{count} {each}" for each, count in compiled.sass_count(*example.instructions).items())
        spilled = compiled.spill_store_bytes + compiled.spill_load_bytes
        figures = f"{compiled.registers:4} registers, {spilled} bytes spilled"
        print(f"  {name:24}{compiled.arch:8}{figures}, {counts}", flush=True)
    return not failed


# --- with one


def run_cluster_exchange(pairs: int = 64) -> None:
    """Both forms of the exchange, on random input, against numpy. Raises AssertionError where a number differs."""
    import jax
    import numpy as np

    rng = np.random.default_rng()
    rows, columns = cluster_exchange.ROWS, cluster_exchange.COLUMNS

    def swapped(array: Any) -> Any:
        return array.reshape(pairs, 2, rows, columns)[:, ::-1].reshape(array.shape)

    halves = rng.standard_normal((2 * pairs * rows, columns)).astype(np.float16)
    exchanged = np.asarray(cluster_exchange.exchange(pairs)(jax.numpy.asarray(halves)))
    np.testing.assert_array_equal(exchanged, swapped(halves))
    print(f"cluster_exchange: {halves.shape} float16, equal to numpy")

    integers = rng.integers(-(2**30), 2**30, halves.shape, dtype=np.int32)
    summed = np.asarray(cluster_exchange.reduce(pairs)(jax.numpy.asarray(integers)))
    np.testing.assert_array_equal(summed, integers + swapped(integers))
    print(f"cluster_reduce: {integers.shape} int32, equal to numpy")


def run_flash_attention(seq_len: int = 2048) -> None:
    """Attention of normally distributed inputs against numpy. Raises AssertionError where the error is too large."""
    import jax
    import numpy as np

    def attention(q: Any, k: Any, v: Any) -> Any:
        q, k, v = (each.astype(np.float32).swapaxes(1, 2) for each in (q, k, v))
        k, v = (each.repeat(q.shape[1] // k.shape[1], axis=1) for each in (k, v))
        weights = np.exp(q @ k.swapaxes(2, 3) / np.sqrt(q.shape[-1]))
        return (weights @ v / weights.sum(axis=-1, keepdims=True)).swapaxes(1, 2)

    def run(head_dim: int, dtype: Any, tolerance: float) -> None:
        shapes = [(2, seq_len, heads, head_dim) for heads in (4, 2, 2)]
        inputs = [rng.standard_normal(shape, np.float32).astype(dtype.dtype) for shape in shapes]
        kernel = flash_attention.kernel(2, seq_len, seq_len, 4, 2, head_dim, dtype)
        result = np.asarray(kernel(*map(jax.numpy.asarray, inputs))).astype(np.float32)
        expected = attention(*inputs)
        error = np.linalg.norm(result - expected) / np.linalg.norm(expected)
        print(f"flash_attention: head_dim {head_dim}, {dtype.__name__}, relative error {error:.1e}")
        assert error < tolerance

    rng = np.random.default_rng()
    for head_dim in (64, 128, 256):
        run(head_dim, mgpu.float16, 1e-3)
        run(head_dim, mgpu.bfloat16, 1e-2)


def run_hopper_matmul(size: int = 2048) -> None:
    """Products of normally distributed matrices against numpy. Raises AssertionError where the error is too large."""
    import jax
    import numpy as np

    def run(dtype: Any, out_dtype: Any, b_transposed: bool, tolerance: float) -> None:
        kernel = hopper_matmul.kernel(size, size, size, dtype, out_dtype, b_transposed=b_transposed)
        a, b = (rng.standard_normal((size, size), np.float32).astype(dtype.dtype) for _ in range(2))
        expected = a.astype(np.float32) @ (b.T if b_transposed else b).astype(np.float32)
        result = np.asarray(kernel(jax.numpy.asarray(a), jax.numpy.asarray(b))).astype(np.float32)
        error = np.abs(result - expected).max() / np.abs(expected).max()
        layout = "(n, k)" if b_transposed else "(k, n)"
        print(f"hopper_matmul: {dtype.__name__} to {out_dtype.__name__}, B {layout}, relative error {error:.1e}")
        assert error < tolerance

    rng = np.random.default_rng()
    run(mgpu.float16, mgpu.float16, False, 1e-3)
    run(mgpu.float16, mgpu.float32, True, 1e-5)
    run(mgpu.bfloat16, mgpu.bfloat16, False, 8e-3)
    run(mgpu.float8_e4m3fn, mgpu.float16, True, 1e-2)
    run(mgpu.float8_e5m2, mgpu.float32, True, 1e-2)


def all_gather_over(devices: Sequence[Any], rows: int, columns: int, blocks: int) -> Callable[..., Any]:
    """The all-gather over these GPUs.

    It takes their rows, (devices * rows, columns), and their semaphores, (devices,) zeros. What it returns holds each
    GPU's result below that of the one before it, (devices * devices * rows, columns), and the semaphores.
    """
    import jax
    import numpy as np

    mesh = jax.sharding.Mesh(np.array(devices), ("gpus",))
    each = jax.sharding.PartitionSpec("gpus")
    with jax.set_mesh(mesh):
        kernel = all_gather.kernel(len(devices), rows, columns, blocks)
    return jax.jit(jax.shard_map(kernel, mesh=mesh, in_specs=each, out_specs=each, check_vma=False))


def run_all_gather(rows: int = 1024, columns: int = 4096, blocks: int = 128) -> None:
    """The rows of every GPU of this machine, random, to all of them. Raises AssertionError where a number differs."""
    import jax
    import numpy as np

    devices = jax.devices()
    if len(devices) == 1:
        print("all_gather: this machine has one GPU, which gathers from itself alone")
    source = np.random.default_rng().standard_normal((len(devices) * rows, columns)).astype(jax.numpy.bfloat16)
    gather = all_gather_over(devices, rows, columns, blocks)
    results, semaphores = gather(source, np.zeros(len(devices), np.int32))
    for result in np.split(np.asarray(results), len(devices)):
        np.testing.assert_array_equal(result, source)
    np.testing.assert_array_equal(semaphores, 0)
    print(f"all_gather: {source.shape} bfloat16 on each of {len(devices)} GPUs, equal to numpy")


RUNS: dict[str, Callable[[], None]] = {
    "cluster_exchange": run_cluster_exchange,
    "hopper_matmul": run_hopper_matmul,
    "flash_attention": run_flash_attention,
    "all_gather": run_all_gather,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m examples.run", description=__doc__)
    parser.add_argument("example", nargs="?", choices=RUNS, help="run this one on the GPU")
    example = parser.parse_args().example
    if example:
        import jax

        if jax.default_backend() != "gpu":
            print(f"{example} runs on a Hopper GPU, and jax finds none: pip install 'jax[cuda13]'", file=sys.stderr)
            return 2
        RUNS[example]()
        return 0
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    legal = check_examples()
    lower_examples()
    compiled = compile_examples()
    return 0 if legal and compiled else 1


if __name__ == "__main__":
    sys.exit(main())
