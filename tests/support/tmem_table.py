"""Which register layouts each TMEM allocation stores from and loads to, as Mosaic GPU's lowering answers.

Run as a script, it prints the whole table and what goes with it: `python -m tests.support.tmem_table`.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jax
import jax.experimental.mosaic.gpu as mgpu
import jax.numpy as jnp
from jax.experimental.mosaic.gpu import fragmented_array as fa
from jax.experimental.mosaic.gpu import tcgen05, utils
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import gpu

from safegpu.offline.lowering import lowered, tracing_context

BLACKWELL = (10, 0)
OK = "ok"
COLUMNS = 128
BITWIDTH = {
    "float32": 32,
    "int32": 32,
    "float16": 16,
    "bfloat16": 16,
    "int16": 16,
    "float8_e4m3fn": 8,
    "int8": 8,
    "float4_e2m1fn": 4,
    "int4": 4,
    "int2": 2,
}

Layout = Any
LAYOUT_REPR = re.compile(r"(?:Tiled|TMEM)Layout\(.*?vector_dim=-?\d+\)|WG\w+FragLayout\(.*?\)")


@dataclasses.dataclass(frozen=True)
class Case:
    """One TMEM allocation. `layout` None lets Mosaic GPU infer it from rows, collective and packing."""

    name: str
    shape: tuple[int, int]
    dtype: str
    packing: int = 1
    collective: bool = False
    layout: tcgen05.TMEMLayout | None = None

    @property
    def is_signed(self) -> bool | None:
        return True if "int" in self.dtype else None

    def spec(self) -> mgpu.TMEM:
        packing = None if self.layout is not None else self.packing
        return mgpu.TMEM(
            self.shape, jnp.dtype(self.dtype), layout=self.layout, collective=self.collective, packing=packing
        )

    def tmem_layout(self) -> tcgen05.TMEMLayout:
        if self.layout is not None:
            return self.layout
        return tcgen05._infer_tmem_layout(self.shape, self.collective, self.packing)


def dense_cases() -> Iterator[Case]:
    """Every dense allocation: rows, dtype and packing."""
    for name in ("128", "128 explicit", "64", "64 collective", "256 explicit"):
        rows = int(name.split()[0])
        for dtype, bitwidth in BITWIDTH.items():
            for packing in sorted({1, 32 // bitwidth}):
                layout = tcgen05.tmem_default_layout(packing) if "explicit" in name else None
                yield Case(name, (rows, COLUMNS), dtype, packing, name == "64 collective", layout)


def special_cases() -> Iterator[Case]:
    """The allocations that hold scales and sparse metadata."""
    for dtype in ("float8_e8m0fnu", "float8_e4m3fn"):
        yield Case("scales", (128, 64), dtype, 4, layout=tcgen05.scales_layout())
        yield Case("scales 256", (256, 64), dtype, 4, layout=tcgen05.scales_layout())
        layout = tcgen05.b_scales_m64_collective_layout()
        yield Case("b_scales m64", (256, 64), dtype, 4, collective=True, layout=layout)
    for dtype in ("int2", "uint2"):
        yield Case("sparse meta", (128, 128), dtype, 16, layout=tcgen05.sparse_meta_layout())


def register_layouts(case: Case) -> dict[str, Callable[[], Layout]]:
    """Every register layout to try, by name; built late, because some cannot be built for every case."""
    named: dict[str, Layout] = {
        "WGMMA": fa.WGMMA_LAYOUT,
        "WGMMA_ACC_32BIT": fa.WGMMA_LAYOUT_ACC_32BIT,
        "WGMMA_TRANSPOSED": fa.WGMMA_TRANSPOSED_LAYOUT,
        "WGMMA_8BIT": fa.WGMMA_LAYOUT_8BIT,
        "WGMMA_UPCAST_2X": fa.WGMMA_LAYOUT_UPCAST_2X,
        "WGMMA_UPCAST_4X": fa.WGMMA_LAYOUT_UPCAST_4X,
        "WGMMA_ROW": fa.WGMMA_ROW_LAYOUT,
        "WGMMA_COL": fa.WGMMA_COL_LAYOUT,
        "TCGEN05": fa.TCGEN05_LAYOUT,
        "TCGEN05_TRANSPOSED": fa.TCGEN05_TRANSPOSED_LAYOUT,
        "TCGEN05_ROW": fa.TCGEN05_ROW_LAYOUT,
        "TCGEN05_COL": fa.TCGEN05_COL_LAYOUT,
        "NATIVE": fa.TMEM_NATIVE_LAYOUT,
        "MMA_LHS": mgpu.MMALayouts(jnp.dtype(case.dtype)).lhs,
        "MMA_RHS": mgpu.MMALayouts(jnp.dtype(case.dtype)).rhs,
        "MMA_ACC": mgpu.MMALayouts(jnp.dtype(case.dtype)).acc,
    }
    layouts: dict[str, Callable[[], Layout]] = {name: lambda value=value: value for name, value in named.items()}
    for length in (1, 2, 4, 8, 16):
        layouts[f"native({length})"] = lambda length=length: fa.tmem_native_layout(length)
    layouts["m64_collective"] = lambda: tcgen05.fa_m64_collective_layout(case.shape[1])
    layouts["own"] = lambda: case.tmem_layout().as_tiled_layout()
    dtype = jnp.dtype(case.dtype)
    layouts["WGStrided"] = lambda: fa.WGStridedFragLayout.from_shaped_type(
        ir.MemRefType.get(case.shape, utils.dtype_to_ir_type(dtype))
    )
    layouts["WGSplat"] = lambda: fa.WGSplatFragLayout(case.shape)
    return layouts


def lowers(body: Callable[[mgpu.TMEM], None], case: Case) -> str:
    """`ok`, or the exception that tracing `body` with this allocation raises."""

    def kernel(_ctx: Any, _out: Any, ref: Any) -> None:
        body(ref)

    def build() -> None:
        clusters = (2, 1, 1) if case.collective else (1, 1, 1)
        out = jax.ShapeDtypeStruct((1,), jnp.int32)
        mgpu.as_gpu_kernel(kernel, clusters, (128, 1, 1), (), out, case.spec(), cluster=clusters)

    return attempt(lambda: lowered(build, BLACKWELL))


def attempt(run: Callable[[], object]) -> str:
    try:
        run()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return OK


def splat(case: Case, layout: Layout) -> fa.FragmentedArray:
    """An array of the case's shape and dtype in `layout`."""
    dtype = utils.dtype_to_ir_type(jnp.dtype(case.dtype))
    zero = utils.c(0.0 if isinstance(dtype, ir.FloatType) else 0, dtype)
    return fa.FragmentedArray.splat(zero, case.shape, layout=layout, is_signed=case.is_signed)


class NoArrayError(Exception):
    """The array itself cannot be built, so the store says nothing."""


def store_answer(case: Case, layout: Callable[[], Layout]) -> str:
    def body(ref: Any) -> None:
        try:
            value = splat(case, layout())
        except Exception as error:
            raise NoArrayError(f"{type(error).__name__}: {error}") from error
        ref.store(value)

    return lowers(body, case)


def load_answer(case: Case, layout: Callable[[], Layout] | None, **kwargs: Any) -> tuple[str, Layout]:
    """Whether the load lowers, and the layout of what it gives."""
    result: Layout = None

    def body(ref: Any) -> None:
        nonlocal result
        options = {"is_signed": case.is_signed, **kwargs}
        if layout is not None:
            options["layout"] = layout()
        loaded = ref.load(**options)
        result = tuple(a.layout for a in loaded) if isinstance(loaded, tuple) else loaded.layout

    return lowers(body, case), result


def name_of(layout: Layout, case: Case) -> str:
    """The names of every tried layout that equals this one."""
    names = []
    for name, build in register_layouts(case).items():
        try:
            if build() == layout:
                names.append(name)
        except ValueError:
            continue
    return "=".join(names) or repr(layout)


class Legend:
    """Gives each distinct error a short number, so that a row fits on a line."""

    def __init__(self) -> None:
        self.codes: dict[str, str] = {}

    def cell(self, answer: str) -> str:
        if answer == OK:
            return OK
        answer = LAYOUT_REPR.sub("<layout>", answer)
        return self.codes.setdefault(answer, f"e{len(self.codes) + 1}")


def print_dense(cases: Iterable[Case], legend: Legend) -> None:
    for case in cases:
        print(f"\n[{case.name}] {case.dtype} packing={case.packing} shape={case.shape}")
        spec = lowers(lambda _ref: None, case)
        if spec != OK:
            print(f"  allocation itself: {spec.splitlines()[0][:160]}")
            continue
        for verb, answers in (
            ("store", {n: store_answer(case, b) for n, b in register_layouts(case).items()}),
            ("load ", {n: load_answer(case, b)[0] for n, b in register_layouts(case).items()}),
        ):
            good = [n for n, a in answers.items() if a == OK]
            bad: dict[str, list[str]] = {}
            for name, answer in answers.items():
                if answer != OK:
                    bad.setdefault(legend.cell(answer), []).append(name)
            print(f"  {verb} ok: {' '.join(good) or '-'}")
            print("        no: " + "; ".join(f"{code}: {' '.join(names)}" for code, names in bad.items()))
        default, layout = load_answer(case, None)
        print(f"  load(None): {name_of(layout, case) if default == OK else legend.cell(default)}")
        if case.is_signed is not None:
            print(f"  load(is_signed=None): {legend.cell(load_answer(case, None, is_signed=None)[0])}")
        for op in ("min", "max", "absmin", "absmax"):
            row = {}
            layouts: dict[str, Any] = {"None": None, **register_layouts(case)}
            for name, build in layouts.items():
                for signed in {True, False} if case.is_signed else {None}:
                    answer, reduced = load_answer(case, build, reduce=op, is_signed=signed)
                    tag = f"{name}" if signed is None else f"{name}/{'s' if signed else 'u'}"
                    row[tag] = answer
                    if answer == OK:
                        row[tag] = f"{OK}->{name_of_reduced(reduced[1])}"
            good = [f"{n}:{a}" for n, a in row.items() if a.startswith(OK)]
            codes = sorted({legend.cell(a) for a in row.values() if not a.startswith(OK)})
            print(f"  load(reduce={op}): {' '.join(good) or '-'}  (else {' '.join(codes)})")


def one_dimensional() -> dict[str, Layout]:
    return {
        "WGMMA_ROW": fa.WGMMA_ROW_LAYOUT,
        "WGMMA_COL": fa.WGMMA_COL_LAYOUT,
        "TCGEN05_ROW": fa.TCGEN05_ROW_LAYOUT,
        "TCGEN05_COL": fa.TCGEN05_COL_LAYOUT,
        "TMA_INDICES": fa.TMA_INDICES_LAYOUT,
        "TMA_INDICES_4": fa.TMA_INDICES_4_LAYOUT,
        "native(1).reduce(1)": fa.tmem_native_layout(1).reduce((1,)),
        "native(2).reduce(1)": fa.tmem_native_layout(2).reduce((1,)),
        "native(4).reduce(1)": fa.tmem_native_layout(4).reduce((1,)),
        "native(2).reduce(0)": fa.tmem_native_layout(2).reduce((0,)),
        "WGMMA.reduce(1)": fa.WGMMA_LAYOUT.reduce((1,)),
        "WGMMA.reduce(0)": fa.WGMMA_LAYOUT.reduce((0,)),
        "TCGEN05.reduce(1)": fa.TCGEN05_LAYOUT.reduce((1,)),
        "TCGEN05.reduce(0)": fa.TCGEN05_LAYOUT.reduce((0,)),
        "m64_collective.reduce(1)": tcgen05.fa_m64_collective_layout(COLUMNS).reduce((1,)),
    }


def name_of_reduced(layout: Layout) -> str:
    return "=".join(n for n, value in one_dimensional().items() if value == layout) or repr(layout)


def print_equalities() -> None:
    everything: dict[str, Layout] = {}
    for case in (
        Case("128", (128, COLUMNS), "float32"),
        Case("64", (64, COLUMNS), "float32"),
        Case("64 collective", (64, COLUMNS), "float32", collective=True),
        Case("128 p2", (128, COLUMNS), "float16", 2),
        Case("128 p4", (128, COLUMNS), "int8", 4),
        Case("64 p2", (64, COLUMNS), "float16", 2),
        Case("64 collective p2", (64, COLUMNS), "float16", 2, collective=True),
        *itertools.islice(special_cases(), 1),
        Case("sparse meta", (128, 128), "uint2", 16, layout=tcgen05.sparse_meta_layout()),
    ):
        for name, build in register_layouts(case).items():
            if name.startswith("WGS"):
                continue
            if name == "own":
                name = f"own[{case.name}]"
            if name not in everything:
                everything[name] = build()
    everything.update(one_dimensional())
    print("\n== equal at run time")
    for (a, left), (b, right) in itertools.combinations(everything.items(), 2):
        if left == right:
            print(f"  {a} == {b}")
    print("== with Replicated dims")
    for name, layout in everything.items():
        if any(isinstance(d, fa.Replicated) for d in (*layout.warp_dims, *layout.lane_dims)):
            print(f"  {name}")


def print_multimem() -> None:
    print("\n== views of a MultimemRef")

    def view_answer(view: Callable[[Any], object]) -> str:
        def kernel(ctx: Any, x: Any, _y: Any, _scratch: Any) -> None:
            result = view(ctx.to_remote_multicast(x))
            answers.append(f"{type(result).__name__} {getattr(result, 'type', '')}")

        def build() -> None:
            x = jax.ShapeDtypeStruct((64, 64), jnp.float32)
            mgpu.as_gpu_kernel(kernel, (1, 1, 1), (128, 1, 1), x, x, ())

        answers: list[str] = []
        answer = attempt(lambda: lowered(build, (9, 0), peers=2))
        return answers[0] if answer == OK else answer

    views: dict[str, Callable[[Any], object]] = {
        "memref_slice(r, 0)": lambda r: mgpu.memref_slice(r, 0),
        "memref_slice(r, ds)": lambda r: mgpu.memref_slice(r, (slice(0, 32), slice(None))),
        "memref_transpose": lambda r: mgpu.memref_transpose(r, (1, 0)),
        "memref_unfold": lambda r: mgpu.memref_unfold(r, 0, (2, 32)),
        "memref_unsqueeze": lambda r: mgpu.memref_unsqueeze(r, 0),
        "memref_fold": lambda r: mgpu.memref_fold(r, 0, 2),
        "memref_reshape": lambda r: mgpu.memref_reshape(r, (32, 128)),
        "memref_ptr": lambda r: utils.memref_ptr(r),
        "get_cluster_ref": lambda r: mgpu.get_cluster_ref(r, gpu.Dimension.x, utils.c(0, ir.IndexType.get())),
        "FragmentedArray.load_strided": lambda r: fa.FragmentedArray.load_strided(r),
        "FragmentedArray.load_untiled": lambda r: fa.FragmentedArray.load_untiled(
            r, layout=fa.WGMMA_LAYOUT, optimized=False
        ),
        "FragmentedArray.load_tiled": lambda r: fa.FragmentedArray.load_tiled(
            mgpu.memref_reshape(r, (1, 1, 64, 64)), swizzle=16, layout=fa.WGMMA_LAYOUT, optimized=False
        ),
        "load_reduce WGMMA f32 add": lambda r: fa.FragmentedArray.load_reduce_untiled(r, fa.WGMMA_LAYOUT, "add"),
        "load_reduce WGStrided": lambda r: fa.FragmentedArray.load_reduce_untiled(
            r, fa.WGStridedFragLayout((64, 64), 4), "add"
        ),
        "load_reduce WGSplat": lambda r: fa.FragmentedArray.load_reduce_untiled(
            r, fa.WGSplatFragLayout((64, 64)), "add"
        ),
        "load_reduce of a raw GMEM ref": lambda r: fa.FragmentedArray.load_reduce_untiled(
            r.ref, fa.WGMMA_LAYOUT, "add"
        ),
        "load_reduce raw GMEM, strided": lambda r: fa.FragmentedArray.load_reduce_untiled(
            r.ref, fa.WGStridedFragLayout((64, 64), 4), "add"
        ),
    }
    for name, view in views.items():
        print(f"  {name}: {view_answer(view)[:230]}")


def print_store_tiled_async() -> None:
    print("\n== store_tiled_async")

    def answer(target: str, layout: Layout, dtype: str = "float16", atomic: str | None = None) -> str:
        def kernel(ctx: Any, gmem: Any, _y: Any, scratch: Any) -> None:
            smem, barrier = scratch
            peer = utils.c(1, ir.IndexType.get())
            ref = {
                "smem": lambda: smem,
                "gmem": lambda: gmem,
                "cluster": lambda: mgpu.get_cluster_ref(smem, gpu.Dimension.x, peer),
                "cluster generic=False": lambda: mgpu.get_cluster_ref(smem, gpu.Dimension.x, peer, generic=False),
                "multimem": lambda: ctx.to_remote_multicast(gmem),
            }[target]()
            ir_dtype = utils.dtype_to_ir_type(jnp.dtype(dtype))
            zero = utils.c(0.0 if isinstance(ir_dtype, ir.FloatType) else 0, ir_dtype)
            signed = True if "int" in dtype else None
            array = fa.FragmentedArray.splat(zero, (64, 64), layout=layout, is_signed=signed)
            array.store_tiled_async(ref, barrier, gpu.Dimension.x, peer, swizzle, atomic=atomic)

        swizzle = 128 if jnp.dtype(dtype).itemsize >= 2 else 64
        columns = 8 * swizzle // BITWIDTH[dtype]

        def build() -> None:
            tile = jax.ShapeDtypeStruct((8, 64 // columns, 8, columns), jnp.dtype(dtype))
            mgpu.as_gpu_kernel(kernel, (2, 1, 1), (128, 1, 1), tile, tile, (tile, mgpu.Barrier(1)), cluster=(2, 1, 1))

        return attempt(lambda: lowered(build, (9, 0), peers=2))

    layouts = {
        "WGMMA": fa.WGMMA_LAYOUT,
        "WGMMA_TRANSPOSED": fa.WGMMA_TRANSPOSED_LAYOUT,
        "WGMMA_8BIT": fa.WGMMA_LAYOUT_8BIT,
        "WGMMA_UPCAST_2X": fa.WGMMA_LAYOUT_UPCAST_2X,
        "WGMMA_UPCAST_4X": fa.WGMMA_LAYOUT_UPCAST_4X,
        "WGMMA_COL": fa.WGMMA_COL_LAYOUT,
        "WGMMA_ROW": fa.WGMMA_ROW_LAYOUT,
        "MMA_LHS f16": mgpu.MMALayouts(jnp.float16).lhs,
        "MMA_RHS f16": mgpu.MMALayouts(jnp.float16).rhs,
        "WGStrided": fa.WGStridedFragLayout((64, 64), 2),
        "WGSplat": fa.WGSplatFragLayout((64, 64)),
    }
    for target in ("smem", "gmem", "cluster", "cluster generic=False", "multimem"):
        print(f"  to {target}, WGMMA f16: {answer(target, fa.WGMMA_LAYOUT)[:300]}")
    for name, layout in layouts.items():
        for dtype in ("float16", "int32", "float32", "int8", "float8_e4m3fn"):
            print(f"  smem, {name} {dtype}: {answer('smem', layout, dtype)[:200]}")
    for dtype, op in itertools.product(
        ("int32", "float32", "float16", "int8"), ("add", "max", "min", "and", "or", "xor")
    ):
        print(f"  smem, WGMMA {dtype} atomic={op}: {answer('smem', fa.WGMMA_LAYOUT, dtype, op)[:200]}")


def main() -> None:
    legend = Legend()
    with tracing_context(BLACKWELL):
        print_equalities()
        print_multimem()
        print_store_tiled_async()
        print_dense(special_cases(), legend)
        print_dense(dense_cases(), legend)
    print("\n== errors")
    for text, code in legend.codes.items():
        print(f"  {code}: {text[:300]}")


if __name__ == "__main__":
    main()
