"""Generate stubs of `jax.experimental.mosaic.gpu` from safegpu's typed surface.

Raw code never calls `wrap`: its references are plain `ir.Value`s, its dtypes jnp's, its scalars MLIR's. So of the
surface stays what they do not decide:

- a parameter that is a reference to global or shared memory takes any `ir.Value`, and such a result is unknown;
- what followed from the reference alone (the dtype of what is loaded) is unknown;
- a scalar that a function gives is a plain value of its MLIR type, which has no operators;
- a `TMEMRef` of unknown contents is accepted where one of known contents is asked for.

Nothing is written here that safegpu's stubs say. `python stubs/mosaic-gpu/generate.py DIRECTORY` writes `jax-stubs`
into a directory.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

SAFEGPU = Path(__file__).resolve().parents[2] / "safegpu"
MOSAIC = "jax.experimental.mosaic.gpu"

# Modules of Mosaic GPU, and safegpu's own, whose names several of Mosaic GPU's share.
PUBLIC = ("fragmented_array", "launch_context", "profiler", "tcgen05", "utils")
SHARED = ("barriers", "matmul", "refs", "scalars")

REFERENCES = {"GmemRef", "SmemRef", "ClusterSmemRef", "InGmem", "InSmem"}
TMEM = {"DenseTMEM", "InTmem", "ScalesTMEM", "SparseMetaTMEM"}
INTEGERS = {"I1", "I8", "I16", "I32", "I64"}
SCALARS = {
    "Index": "ir.Value[ir.IndexType]",
    **dict.fromkeys(sorted(INTEGERS), "ir.Value[ir.IntegerType]"),
    **dict.fromkeys(("F16", "BF16", "F32", "F64"), "ir.Value[ir.FloatType]"),
}

# Members that safegpu's classes have and Mosaic GPU's have not.
# fmt: off
ADDED = {
    "": {
        "block_barrier", "block_id", "cluster_block_id", "grid_dim", "set_max_registers", "thread_id",
        "wgmma_commit_group", "wgmma_wait_group",
    },
    "MultimemRef": {"dtype", "element_type"},
}
# fmt: on
ADDED_EVERYWHERE = {"wrap"}
ADDED_KEYWORDS = {"arch"}

# Members that Mosaic GPU's classes have and safegpu leaves out (tests/surface/test_complete.py).
# The private ones are what jax's own tests use.
LEFT_OUT = {
    "fragmented_array": "def _tiled_wgmma_layout(shape: Any) -> Any: ...",
    "launch_context": "def _is_tma_reduction_op_supported(reduction_op: Any, dtype: Any) -> bool: ...",
    "utils": "logger: Any",
    "LaunchContext": "buffers: list[ir.Value]\ntma_descriptors: dict[Any, ir.Value]\nnum_params: int",
    "TMEMRef": """\
@property
def _holds(self) -> Any: ...
def slice(self, *idxs: Any) -> Any: ...
def load(self, layout: Any = ..., is_signed: bool | None = ..., reduce: Any = ...) -> Any: ...
def store(self, value: Any) -> None: ...
def _debug_print(self) -> None: ...
""",
    **dict.fromkeys(("DenseTMEM", "ScalesTMEM", "SparseMetaTMEM"), "@property\ndef _holds(self) -> _Known: ..."),
}
UNKNOWN_TMEM = """\
class _Known: ...
class _Unknown: ...
class _UnknownTMEM(Protocol):
    @property
    def _holds(self) -> _Unknown: ...
"""

# The specs: in raw code the dataclasses that they are at run time, of which a body's parameters do not follow.
CORE = """\
import dataclasses
import enum
from collections.abc import Callable, Sequence
from typing import Any, Protocol
from jaxlib.mlir import ir
from jax.experimental.mosaic.gpu.fragmented_array import FragmentedLayout
from jax.experimental.mosaic.gpu.launch_context import LaunchContext
from jax.experimental.mosaic.gpu.profiler import ProfilerSpec
from jax.experimental.mosaic.gpu.tcgen05 import TMEMLayout
from jax.experimental.mosaic.gpu._scalars import Dim
@dataclasses.dataclass(frozen=True)
class Barrier:
    arrival_count: int
    num_barriers: int = 1
    orders_tensor_core: bool = False
@dataclasses.dataclass(frozen=True)
class ClusterBarrier:
    collective_dims: Sequence[Dim | Sequence[Dim]]
    arrival_count: int = 1
    num_barriers: int = 1
    _: dataclasses.KW_ONLY
    orders_tensor_core: bool = False
    leader_tracked: bool = False
@dataclasses.dataclass(frozen=True)
class CtaBarrier:
    arrival_count: int
    num_barriers: int = 1
@dataclasses.dataclass(frozen=True)
class TMABarrier:
    num_barriers: int = 1
@dataclasses.dataclass(frozen=True)
class TMEM:
    shape: tuple[int, ...]
    dtype: Any
    _: dataclasses.KW_ONLY
    layout: TMEMLayout[Any] | None = None
    collective: bool = False
    packing: int | None = None
@dataclasses.dataclass(frozen=True)
class Union[T]:
    members: Sequence[T]
    def __iter__(self) -> Any: ...
def __getattr__(name: str) -> Any: ...
"""
# What of safegpu's `kernel` is Mosaic GPU's as it is, and what a kernel is made of in raw code.
KERNEL = ("Kernel", "LoweringSemantics", "as_gpu_kernel", "as_torch_gpu_kernel", "is_nvshmem_available")
UNKNOWN_SPECS = {
    "body": "Callable[..., object]",
    **dict.fromkeys(("in_shape", "out_shape", "inout_shape", "smem_scratch_shape"), "Any"),
}

INIT = """\
from typing import Any
from jax import ShapeDtypeStruct as ShapeDtypeStruct
from . import core as core
from . import fragmented_array as fragmented_array
from . import launch_context as launch_context
from . import profiler as profiler
from . import tcgen05 as tcgen05
from . import utils as utils
{imports}
dialect: Any
layouts: Any
infer_layout: Any
lower_mgpu_dialect: Any
to_layout_attr: Any
"""
SPECS = ("TMEM", "Barrier", "ClusterBarrier", "CtaBarrier", "TMABarrier", "Union")

# Modules that `from jax.experimental.mosaic.gpu.utils import *` brings along; variables would clash with imports.
LEAKED = """\
import functools as functools
import itertools as itertools
import math as math
import jax as jax
import numpy as np
from jax import numpy as jnp
from jaxlib.mlir.dialects import arith as arith
from jaxlib.mlir.dialects import builtin as builtin
from jaxlib.mlir.dialects import gpu as gpu
from jaxlib.mlir.dialects import llvm as llvm
from jaxlib.mlir.dialects import memref as memref
from jaxlib.mlir.dialects import nvvm as nvvm
from jaxlib.mlir.dialects import scf as scf
from jaxlib.mlir.dialects import vector as vector
"""

# Modules of which authors use a few names: what else they have is unknown.
OF_A_MODULE = {
    "mma": ("MMALayouts", "mma"),
    "wgmma": ("WGMMAAccumulator", "wgmma"),
}
UNKNOWN_NAMES = "def __getattr__(name: str) -> Any: ...\n"

# Of jax's own: a name that examples import and that jax does not export.
JAX = {
    "_src/lib/mlir/__init__.pyi": (
        "from jaxlib.mlir import ir as ir\nfrom jaxlib.mlir import passmanager as passmanager\n"
    )
}


def parsed(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body


def head(node: ast.expr) -> str:
    """`SmemRef` of `SmemRef[D, W]`."""
    return ast.unparse(node.value if isinstance(node, ast.Subscript) else node)


def union(members: Iterable[ast.expr]) -> ast.expr:
    """Without what is said twice."""
    texts = dict.fromkeys(ast.unparse(member) for member in members)
    return parsed(" | ".join(texts))


def members(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*members(node.left), *members(node.right)]
    return [node]


def names(node: ast.AST | None) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} if node else set()


def parameter_name(node: ast.type_param) -> str:
    return str(getattr(node, "name"))  # noqa: B009  (typeshed does not know it)


def type_parameters(node: ast.FunctionDef | ast.ClassDef) -> set[str]:
    return {parameter_name(one) for one in node.type_params}


class Inlined(ast.NodeTransformer):
    """Aliases that stand for references, written out."""

    def __init__(self, aliases: dict[str, ast.TypeAlias]) -> None:
        self.aliases = aliases

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        alias = self.aliases.get(head(node))
        if alias is None:
            self.generic_visit(node)
            return node
        given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        by_name = {ast.unparse(one): value for one, value in zip(alias.type_params, given, strict=True)}
        written: ast.expr = Replaced(by_name).visit(parsed(ast.unparse(alias.value)))
        return written

    def visit_Name(self, node: ast.Name) -> ast.expr:
        alias = self.aliases.get(node.id)
        return node if alias is None else parsed(ast.unparse(alias.value))


class Replaced(ast.NodeTransformer):
    def __init__(self, by_name: dict[str, ast.expr]) -> None:
        self.by_name = by_name

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.by_name.get(node.id, node)


class Annotation(ast.NodeTransformer):
    """References of a parameter become plain values, those of a result unknown; scalars of a result plain values."""

    def __init__(self, *, result: bool) -> None:
        self.result = result

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        return union(self.visit(member) for member in members(node))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if head(node) in REFERENCES:
            return self.reference()
        node.slice = self.visit(node.slice)
        if head(node) in TMEM and not self.result:
            return union([node, parsed("_UnknownTMEM")])
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in REFERENCES:
            return self.reference()
        if node.id in TMEM and not self.result:
            return union([node, parsed("_UnknownTMEM")])
        if self.result and node.id in SCALARS:
            return parsed(SCALARS[node.id])
        return node

    def reference(self) -> ast.expr:
        return parsed("Any" if self.result else "ir.Value[Any]")


class Module:
    """One of safegpu's stubs, as a stub of Mosaic GPU's."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tree = ast.parse((SAFEGPU / f"{name}.pyi").read_text(encoding="utf-8"))
        aliases = {
            node.name.id: node
            for node in self.tree.body
            if isinstance(node, ast.TypeAlias) and names(node.value) & (REFERENCES | TMEM)
        }
        self.inlined = Inlined(aliases)
        self.dropped = set(aliases) | REFERENCES | ADDED[""]
        self.variables = {
            ast.unparse(node.targets[0])
            for node in self.tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and ast.unparse(node.value.func) == "TypeVar"
        }

    def text(self) -> str:
        body = list(self.body())
        lines = [ast.unparse(node) for node in body]
        if self.name == "utils":
            lines.insert(0, LEAKED)
        if self.name == "tcgen05":
            lines.insert(next(i for i, node in enumerate(body) if isinstance(node, ast.ClassDef)), UNKNOWN_TMEM)
            lines.insert(0, "from typing import Protocol")
        return "\n".join(lines) + "\n"

    def body(self) -> Iterator[ast.stmt]:
        if self.name == "scalars":  # its classes are safegpu's own
            classes = [node.name for node in self.tree.body if isinstance(node, ast.ClassDef)]
            aliases = [node.name.id for node in self.tree.body if isinstance(node, ast.TypeAlias)]
            for name in (*classes, *aliases):
                if not name.startswith("_"):
                    yield ast.parse(f"from safegpu.scalars import {name} as {name}").body[0]
        yield from overloads(self.statements(self.tree.body, None))

    def statements(self, body: list[ast.stmt], owner: ast.ClassDef | None) -> Iterator[ast.stmt]:
        own = owner.name if owner else ""
        for node in body:
            name = getattr(node, "name", "")
            if isinstance(name, ast.Name):
                name = name.id
            if name and (name in ADDED.get(own, ()) or (owner and name in ADDED_EVERYWHERE)):
                continue
            if not owner and name in self.dropped:
                continue
            if isinstance(node, ast.ImportFrom):
                yield from self.imported(node)
            elif isinstance(node, ast.FunctionDef):
                yield self.function(node, owner)
            elif isinstance(node, ast.ClassDef):
                if self.name != "scalars":
                    yield self.klass(node)
            elif isinstance(node, ast.AnnAssign):
                node.annotation = Annotation(result=True).visit(self.inlined.visit(node.annotation))
                yield node
            elif isinstance(node, ast.TypeAlias) and self.name == "scalars":
                continue
            else:
                yield node
        yield from ast.parse(LEFT_OUT.get(own if owner else self.name, "")).body

    def imported(self, node: ast.ImportFrom) -> Iterator[ast.stmt]:
        package, _, module = (node.module or "").partition(".")
        if package != "safegpu" or not module:
            yield node
            return
        node.names = [alias for alias in node.names if alias.name not in REFERENCES]
        if module == "specs":
            assert [alias.name for alias in node.names] == ["ShapeDtypeStruct"]
            node.module = "jax"
        elif module in PUBLIC:
            node.module = f"{MOSAIC}.{module}"
        elif module in SHARED:
            node.module = f"{MOSAIC}._{module}"
        if node.names:
            yield node

    def klass(self, node: ast.ClassDef) -> ast.ClassDef:
        node.body = overloads(self.statements(node.body, node)) or [ast.Expr(ast.Constant(...))]
        return node

    def function(self, node: ast.FunctionDef, owner: ast.ClassDef | None) -> ast.FunctionDef:
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [one for one in (arguments.vararg, arguments.kwarg) if one]
        static = any(ast.unparse(decorator) == "staticmethod" for decorator in node.decorator_list)
        for index, argument in enumerate(every):
            if argument.annotation is not None:
                of_self = owner is not None and index == 0 and not static
                given = self.inlined.visit(argument.annotation)
                argument.annotation = given if of_self else Annotation(result=False).visit(given)
        if node.returns is not None:
            node.returns = Annotation(result=True).visit(self.inlined.visit(node.returns))
        # A type variable that no parameter binds any more leaves its part of the result unknown.
        bound: set[str] = set().union(*(names(argument.annotation) for argument in every))
        if owner:
            bound |= set().union(*(names(base) for base in owner.bases), type_parameters(owner))
        own = type_parameters(node)
        unbound = {name: parsed("Any") for name in (own | self.variables) - bound}
        if node.returns is not None:
            node.returns = Replaced(unbound).visit(node.returns)
        node.type_params = [one for one in node.type_params if parameter_name(one) not in unbound]
        return without_added(node)


def without_added(node: ast.FunctionDef) -> ast.FunctionDef:
    """Without the keywords that are safegpu's own."""
    keywords = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    kept = [(one, default) for one, default in keywords if one.arg not in ADDED_KEYWORDS]
    node.args.kwonlyargs, node.args.kw_defaults = [one for one, _ in kept], [default for _, default in kept]
    return node


def overloads(body: Iterable[ast.stmt]) -> list[ast.stmt]:
    """Each signature once, and what has one left not as an overload."""
    kept: list[ast.stmt] = []
    seen: dict[str, dict[str, int]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(one) == "overload" for one in node.decorator_list):
            text = ast.unparse([*node.type_params, node.args, node.returns])  # type: ignore[arg-type]
            of_name = seen.setdefault(node.name, {})
            if text in of_name:
                kept[of_name[text]] = node  # the last has the words
                continue
            of_name[text] = len(kept)
        kept.append(node)
    for of_name in seen.values():
        if len(of_name) == 1:
            (index,) = of_name.values()
            node = kept[index]
            assert isinstance(node, ast.FunctionDef)
            node.decorator_list = [one for one in node.decorator_list if ast.unparse(one) != "overload"]
    return kept


def core() -> str:
    """`as_gpu_kernel`, of a body and specs that nothing is known of."""
    tree = ast.parse((SAFEGPU / "kernel.pyi").read_text(encoding="utf-8"))
    found: dict[str, ast.stmt] = {}
    aliases = []
    for node in tree.body:
        name = getattr(node, "name", "")
        if name in KERNEL and name not in found:
            found[name] = node
        elif isinstance(node, ast.TypeAlias) and node.name.id == "_Size":
            aliases.append(ast.unparse(node))
    make = found["as_gpu_kernel"]
    assert isinstance(make, ast.FunctionDef)
    for node in found.values():
        if isinstance(node, ast.FunctionDef):
            without_added(node)
    make.decorator_list, make.type_params, make.body = [], [], [ast.Expr(ast.Constant(...))]
    for argument in [*make.args.args, *make.args.kwonlyargs]:
        if argument.arg in UNKNOWN_SPECS:
            argument.annotation = parsed(UNKNOWN_SPECS[argument.arg])
    text = "\n".join([CORE, *aliases, *(ast.unparse(found[name]) for name in KERNEL)]) + "\n"
    return re.sub(r"\bKernel\b", "_Kernel", text)


def init() -> str:
    """Mosaic GPU's own names: those of the star import of safegpu that are typed by its modules."""
    tree = ast.parse((SAFEGPU / "__init__.pyi").read_text(encoding="utf-8"))
    (everything,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    lines = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("safegpu."):
            module = node.module.removeprefix("safegpu.")
            if module in (*PUBLIC, *SHARED):
                target = f"{MOSAIC}.{module if module in PUBLIC else '_' + module}"
                lines += [
                    f"from {target} import {one.name} as {one.name}" for one in node.names if one.name in everything
                ]
    lines += [f"from {MOSAIC}.core import {name} as {name}" for name in (*SPECS, *KERNEL) if name != "Kernel"]
    lines.append(f"from {MOSAIC}._refs import MultimemRef as MultimemRef")
    return INIT.format(imports="\n".join(lines))


HEADER = """\
# Generated by stubs/mosaic-gpu/generate.py from safegpu's typed surface. Do not edit.
# mypy: ignore-errors
# pyright: basic
"""


def stubs() -> dict[str, str]:
    """The files of `jax-stubs`."""
    folder = "experimental/mosaic/gpu"
    files = {f"{folder}/__init__.pyi": init(), f"{folder}/core.pyi": core()}
    for name in PUBLIC:
        files[f"{folder}/{name}.pyi"] = Module(name).text()
    for name in SHARED:
        files[f"{folder}/_{name}.pyi"] = Module(name).text()
    for name, own in OF_A_MODULE.items():
        imports = "".join(f"from {MOSAIC}._matmul import {one} as {one}\n" for one in own)
        files[f"{folder}/{name}.pyi"] = f"from typing import Any\n{imports}{UNKNOWN_NAMES}"
    files |= JAX
    return {"py.typed": "partial\n"} | {path: HEADER + text for path, text in files.items()}


def write(directory: Path) -> None:
    for path, text in stubs().items():
        target = directory / "jax-stubs" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
