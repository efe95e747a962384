"""No `Any` by accident: where an annotation of the typed surface says it, a reason is given here."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.surface.reading import stubs

MARKER = re.compile(r"SG\d{3}_\w+")


class Reasoned(NamedTuple):
    where: str
    """A pattern of `module.Class.function(parameter)`, `module.function ->`, or `module.Class.attribute`."""
    form: str
    """A pattern of the smallest type around the `Any`: `Any` itself, or `SmemRef[D, Any]`."""
    reason: str


UNKNOWN = r"(?!ir\.)[\w.]+\[.*\bAny\b.*\]"
RAW = r"ir\.\w+\[Any\]"
_OPERATORS = r"__\w+__|max|min|copysign|atan2|trunc_div|select|splat"
_DTYPES = r"GMEM|SMEM|TMEM|TMEMRef\.(__new__|from_alloc)|\w+\.wrap|WGMMAAccumulator\.zero"
_DTYPES_OF_ARRAYS = r"splat|astype|bitcast|broadcasted_iota"

REASONED = (
    # what is not known
    Reasoned(rf"\w+\.({_DTYPES}) ->", UNKNOWN, "of a dtype, rows or a swizzle that is not known"),
    Reasoned(rf".*FragmentedArray\.({_DTYPES_OF_ARRAYS}) ->", UNKNOWN, "of a dtype that is not known"),
    Reasoned(r"scalars\.c ->", "Any", "of a dtype that is not known"),
    Reasoned(r".*FragmentedArray\.(foreach|build) ->", UNKNOWN, "of the dtype of what the author's function gives"),
    Reasoned(r".*FragmentedArray\.foreach(\(fn\)| ->)", r"Any|_Map\[Any\]", "an array or none, as a bool says"),
    Reasoned(r".*\.FragmentedArray\.reduce ->", UNKNOWN, "the layouts that have no name, and axes that are not known"),
    Reasoned(r".*Layout\.(reduce|remove_dimension|subdivide_tile|as_tiled_layout|__new__) ->", UNKNOWN, "has no name"),
    Reasoned(r".*(tmem_\w+_layout|tiled_copy_smem_gmem_layout) ->", UNKNOWN, "by a width that is not known"),
    Reasoned(r".*FragmentedArray\.broadcast_minor ->", UNKNOWN, "of a layout that is not known"),
    Reasoned(r"matmul\.MMALayouts\.\w+ ->", UNKNOWN, "by a dtype or a shape that is not known"),
    Reasoned(r"matmul\.mma\([ab]\)", UNKNOWN, "the layouts of 64-bit operands have no name"),
    Reasoned(r"matmul\.WGMMAAccumulator\.from_registers ->", UNKNOWN, "wgmma does not say that it keeps this layout"),
    Reasoned(r"barriers\.\w+\.initialize ->|specs\.\w*Barrier ->", "Any", "one or several, by a number not known"),
    Reasoned(r"specs\.Union\..*|kernel\._(Leaf|Foreign)", "Any|" + UNKNOWN, "specs that are not ours, or in a list"),
    Reasoned(r"kernel\.as_(torch_)?gpu_kernel\(\w+\)", "Any|" + UNKNOWN, "specs that are not ours, and unknown bodies"),
    Reasoned(r"tcgen05\.TMEMRef\.layout ->", UNKNOWN, "the type of TMEM says what it exchanges with, not its layout"),
    Reasoned(r"utils\.fori(\(\w+\)| ->)", "Any|" + UNKNOWN, "an index of a plain value; the one carry of a tuple"),
    # what may be anything
    Reasoned(rf".*\.FragmentedArray\.({_OPERATORS})\(\w+\)", RAW, "a scalar of any type; of which, Mosaic GPU checks"),
    Reasoned(
        r"fragmented_array\.(_Reduction|_Map|FragmentedArray\.(foreach|build)\(fn\))", RAW, "registers, or scalars"
    ),
    Reasoned(
        r"fragmented_array\.(_Store\w*|FragmentedArray\.store_untiled\(ref\))",
        UNKNOWN,
        "with any swizzle: these are stores to what is not tiled",
    ),
    Reasoned(
        r"tcgen05\.async_copy_(scales|sparse)\w+\(smem_ref\)", UNKNOWN, "these buffers have no swizzle to agree on"
    ),
    Reasoned(
        r".*\.(reduce\(scratch|\w+_cancel\(result_ref|async_prefetch\(gmem_ref)\)", UNKNOWN, "of any dtype and swizzle"
    ),
    Reasoned(r".*\.load_tiled\(_load_fun\)", UNKNOWN, "for Mosaic GPU's own use"),
    Reasoned(r".*\.(optimization_barrier|plan_\w+_transfer)(\(\w+\)| ->)", UNKNOWN, "arrays and layouts of any kind"),
    Reasoned(r".*\.(to_layout_attr|wrap|transfer_tiled)\(layout\)", UNKNOWN, "of any layout"),
    Reasoned(r".*\.(foreach|as_tiled_layout)\(self\)", UNKNOWN, "of any layout, or width"),
    Reasoned(r"tcgen05\.DenseTMEM\.load\(self\)", UNKNOWN, "of one block or of two"),
    Reasoned(
        r".*\.FragmentedArray\.\w+\(self\)", r"_[A-Z]\w+\[Any\]|InRegisters\[Supporting\[.*\], Any\]", "of any layout"
    ),
    Reasoned(r"specs\.TMEM\(layout\)|tcgen05\._Dense", UNKNOWN, "of any width"),
    Reasoned(
        r"fragmented_array\.(FragmentedArray\.\w+\(self\)|_InWholeRegisters)",
        r"InRegisters\[(Any, \w+|.*, Any)\]",
        "of any dtype where the layout decides, and in any layout where the dtype does",
    ),
    Reasoned(
        r"fragmented_array\.FragmentedArray\.load_untiled\(ref\)", UNKNOWN, "the swizzle says less than `swizzle=`"
    ),
    Reasoned(r"utils\.warp_tree_reduce\(op\)", "Any", "plain values, of which no type is known"),
    Reasoned(r"utils\.cluster_idx\(dim\)", UNKNOWN, "lists are of one class, and axes are of two"),
    Reasoned(r"scalars\._Raw", RAW, "plain MLIR values"),
    Reasoned(
        r"utils\.(debug_print|warp_tree_reduce|is_\w+|bitcast|inline_ptx|vector_\w+|pack_array)(\(\w+\)| ->)",
        RAW,
        "of any type",
    ),
    Reasoned(r"(utils|refs)\.(multimem_\w+|MultimemRef\.store)(\(\w+\)| ->)", RAW, "a vector, and a pointer"),
    Reasoned(
        r".*(ptr|address|tmem_addr|barrier|to_memref_descriptor)(\)|( ->)|$)",
        RAW,
        "a pointer: the stubs have no LLVM types",
    ),
    Reasoned(r"launch_context\.Scratch\.host_init", RAW, "a pointer: the stubs have no LLVM types"),
    Reasoned(r"scalars\.c ->", RAW, "a constant of a dtype that no scalar class is for"),
    # what is not ours to type
    Reasoned(r".*\.tree_(un)?flatten(\(\w+\)| ->)", "Any|" + UNKNOWN, "JAX calls it, with what JAX keeps"),
    Reasoned(
        r"kernel\.Kernel\..*|.*_gpu_kernel ->", "Any|" + UNKNOWN, "JAX's arrays and stages: jax is not needed here"
    ),
    Reasoned(r"kernel\._(Ranked|WeaklyTyped)\..*|specs\.ShapeDtypeStruct\..*", "Any", "JAX's and numpy's attributes"),
    Reasoned(r"profiler\.ProfilerSpec\.dump\(buffer\)", "Any", "an array of JAX's or numpy's"),
    Reasoned(r".*\.FragmentedArray\.(registers|__init__\(_registers\))", "Any", "an array of numpy's"),
    Reasoned(
        r".*\.FragmentedArray\.transfer_\w+(\(ref\)| ->)", "Any|" + UNKNOWN, "the steps of Mosaic GPU's own loads"
    ),
    Reasoned(r"__init__\.dialect", "Any", "the dialect of Warpgroup semantics"),
    Reasoned(
        r"launch_context\.LaunchContext\.named_region\(\w+\)", "Any", "handed on to the profiler, if there is one"
    ),
    Reasoned(r"tcgen05\.create_scaled_\w+\(\w+\)", "Any", "Mosaic GPU takes *args and **kwargs"),
)


class Occurrence(NamedTuple):
    where: str
    form: str

    def __str__(self) -> str:
        return f"{self.where}: {self.form}"


def occurrences(tree: ast.Module, stub: str) -> Iterator[Occurrence]:
    """Every `Any` of an annotation, but what an overload that forbids a call takes and gives."""
    for owner in [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]:
        prefix = f"{stub}.{owner.name}" if isinstance(owner, ast.ClassDef) else stub
        for node in owner.body:
            for where, annotation in annotations(node):
                yield from (Occurrence(f"{prefix}.{where}", form) for form in forms(annotation))


def annotations(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.FunctionDef(name=name, args=arguments, returns=returns):
            each = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
            if any(MARKER.fullmatch(argument.arg) for argument in arguments.kwonlyargs):
                return
            yield from ((f"{name}({one.arg})", one.annotation) for one in each if one and one.annotation)
            if returns:
                yield f"{name} ->", returns
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
            yield name, annotation
        case ast.TypeAlias(name=ast.Name(id=name), value=value):
            yield name, value


def forms(annotation: ast.expr) -> Iterator[str]:
    """The smallest types of an annotation that have `Any` as an argument, or are `Any`."""
    if isinstance(annotation, ast.Subscript):
        inside = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
        if any(_is_any(each) for each in inside):
            yield ast.unparse(annotation)
        for each in inside:
            yield from () if _is_any(each) else forms(each)
    elif _is_any(annotation):
        yield "Any"
    else:
        for child in ast.iter_child_nodes(annotation):
            yield from forms(child) if isinstance(child, ast.expr) else ()


def _is_any(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "Any"


FOUND = sorted({one for stub, tree in stubs().items() for one in occurrences(tree, stub)})


def applies(entry: Reasoned, one: Occurrence) -> bool:
    return bool(re.fullmatch(entry.where, one.where) and re.fullmatch(entry.form, one.form))


def test_every_any_has_a_reason() -> None:
    assert [str(one) for one in FOUND if not any(applies(entry, one) for entry in REASONED)] == []


@pytest.mark.parametrize("entry", REASONED, ids=lambda entry: entry.where[:40])
def test_every_reason_is_needed(entry: Reasoned) -> None:
    mine = [one for one in FOUND if applies(entry, one)]
    others = [each for each in REASONED if each is not entry]
    assert [one for one in mine if not any(applies(each, one) for each in others)], "nothing, or nothing else, needs it"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("def f(x: Any) -> int: ...", {"m.f(x): Any"}),
        ("def f(x: int) -> A[B, Any] | None: ...", {"m.f ->: A[B, Any]"}),
        ("def f(*x: Callable[[A[Any]], Any]) -> int: ...", {"m.f(x): A[Any]", "m.f(x): Callable[[A[Any]], Any]"}),
        (
            "class C:\n    x: list[Any]\n    def f(self, /, *, y: Any) -> int: ...",
            {"m.C.x: list[Any]", "m.C.f(y): Any"},
        ),
        ("type T = Any | int", {"m.T: Any"}),
        ("def f(*a: object, SG101_do_it_otherwise: Never, **k: object) -> Any: ...", set()),
    ],
)
def test_an_any_is_seen(line: str, found: set[str]) -> None:
    assert {str(one) for one in occurrences(ast.parse(line), "m")} == found
