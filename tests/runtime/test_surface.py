"""The public surface: names, laziness, and what is said when jax is missing or of another version."""

import ast
import inspect
import pathlib
import subprocess
import sys
import typing

import jax
import jax.experimental.mosaic.gpu as raw
import pytest

import safegpu as mgpu
from safegpu import fragmented_array, launch_context, profiler, tcgen05, utils
from safegpu._facade import Facade
from safegpu._jax import LACKING, SINCE

ROOT = pathlib.Path(mgpu.__file__).parents[1]


def python(code: str) -> subprocess.CompletedProcess[str]:
    """Runs `code` in a fresh interpreter that sees the package."""
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)


def last_line(result: subprocess.CompletedProcess[str]) -> str:
    return result.stderr.strip().splitlines()[-1]


def test_importing_the_package_imports_no_jax() -> None:
    code = "import sys, safegpu; safegpu.float16.bits; print({'jax', 'numpy'} & set(sys.modules))"
    assert python(code).stdout.strip() == "set()"


def test_using_the_package_reads_no_words_of_rules() -> None:
    code = "import sys, safegpu; [getattr(safegpu, name) for name in safegpu.__all__]; print('jax' in sys.modules"
    assert python(f"{code}, 'safegpu.rules.catalogue' in sys.modules)").stdout.strip() == "True False"


def test_every_raw_public_name_is_there() -> None:
    for name in vars(raw):
        if not name.startswith("_"):
            assert hasattr(mgpu, name), name
            assert name in dir(mgpu)


@pytest.mark.parametrize("mirror", [fragmented_array, launch_context, profiler, tcgen05, utils])
def test_every_name_of_a_mirrored_module_is_there(mirror: typing.Any) -> None:
    module = sys.modules[f"jax.experimental.mosaic.gpu.{mirror.__name__.split('.')[-1]}"]
    for name in vars(module):
        assert hasattr(mirror, name), name
        assert name in dir(mirror)


def star(module: str) -> set[str]:
    """What a star import of the module gives."""
    names: dict[str, typing.Any] = {}
    exec(f"from {module} import *", names)
    return names.keys() - {"__builtins__"}


def test_a_star_import_gives_the_names_of_the_raw_one() -> None:
    assert star("safegpu") == star(raw.__name__) | {"TMABarrier"}
    # Before anything has been used of the package, too.
    assert (
        python("from safegpu import *; as_gpu_kernel, fori, tcgen05; print('float16' in globals())").stdout == "False\n"
    )


@pytest.mark.parametrize("name", ["fragmented_array", "launch_context", "profiler", "tcgen05", "utils"])
def test_a_star_import_of_a_mirrored_module_gives_the_names_of_the_raw_one(name: str) -> None:
    more = star(f"safegpu.{name}") - star(f"{raw.__name__}.{name}")
    assert star(f"{raw.__name__}.{name}") <= star(f"safegpu.{name}")
    assert more <= {*vars(mgpu.tcgen05), *vars(mgpu.utils)}


def test_checkers_see_the_names_of_a_star_import() -> None:
    tree = ast.parse((ROOT / "safegpu/__init__.pyi").read_text())
    (seen,) = [ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign)]
    modules = {"constraints", "core", "dialect_lowering", "inference_utils", "layout_inference", "mma_utils"}
    assert star("safegpu") - modules == set(seen) - LACKING


def test_every_name_that_checkers_see_is_there() -> None:
    tree = ast.parse((ROOT / "safegpu/__init__.pyi").read_text())
    aliases = [alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    names = [alias.asname for alias in aliases if alias.asname]  # what has none is not exported
    assert names
    assert [name for name in names if not hasattr(mgpu, name) and name not in LACKING] == []


# What the typed surface has of each version beyond 0.11.2, by where it is.
LATER = {
    mgpu: ("CtaBarrier", "CtaBarrierRef"),
    fragmented_array: ("Unreduced", "plan_gmem_transfer"),
    launch_context: ("HBM_ALIGNMENT",),
    launch_context.LaunchContext: ("async_copy_im2col",),
    utils: ("before_thread_sync", "memref_descriptor_type", "to_memref_descriptor"),
}


@pytest.mark.parametrize(("where", "name"), [(where, name) for where, names in LATER.items() for name in names])
def test_a_name_of_a_later_jax(where: typing.Any, name: str) -> None:
    """It is there, or the error says which jax has it."""
    if name not in LACKING:
        assert hasattr(where, name)
        return
    assert not hasattr(where, name)
    of = object.__new__(where) if isinstance(where, type) else where
    with pytest.raises(AttributeError, match=rf"^{name} needs jax >= {SINCE[name]}, got {jax.__version__}$"):
        getattr(of, name)


def test_what_later_jax_dropped_is_there() -> None:
    assert mgpu.TMABarrier(2).num_barriers == 2
    assert mgpu.TMABarrier().num_barriers == 1


def test_the_layout_types_stand_beside_the_functions_of_the_raw_module() -> None:
    theirs = sys.modules[f"{raw.__name__}.layouts"]
    assert [name for name in vars(theirs) if not name.startswith("__") and not hasattr(mgpu.layouts, name)] == []
    assert mgpu.layouts.to_layout_attr is theirs.to_layout_attr
    with pytest.raises(AttributeError, match=r"neither safegpu.layouts nor jax's .*layouts has 'no_such'"):
        mgpu.layouts.no_such  # noqa: B018


def test_dir_lists_everything_before_the_first_use() -> None:
    code = "import safegpu; print({'as_gpu_kernel', 'float16', 'layouts', 'utils'} - set(dir(safegpu)))"
    assert python(code).stdout.strip() == "set()"


@pytest.mark.parametrize("name", ["fragmented_array", "launch_context", "layouts", "profiler", "tcgen05", "utils"])
def test_submodules_are_ours(name: str) -> None:
    code = f"import safegpu; safegpu.c; print(safegpu.{name}.__name__)"
    assert python(code).stdout.strip() == f"safegpu.{name}"


def test_a_name_that_does_not_exist() -> None:
    with pytest.raises(AttributeError, match="neither safegpu nor the installed jax's Mosaic GPU has 'no_such'"):
        mgpu.no_such  # noqa: B018
    with pytest.raises(AttributeError, match=r"neither safegpu.utils nor jax's .*utils has 'no_such'"):
        utils.no_such  # noqa: B018


NO_JAX = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in ('jax', 'jaxlib'):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocked())
import safegpu
"""


def test_without_jax_the_first_use_is_one_line_that_names_the_extra() -> None:
    result = python(NO_JAX + "safegpu.as_gpu_kernel")
    assert last_line(result) == ("ImportError: safegpu needs jax to lower and run kernels: pip install 'safegpu[jax]'")


def test_without_jax_the_tokens_and_layout_types_are_there() -> None:
    result = python(NO_JAX + "print(safegpu.float16, safegpu.layouts.WGMMA.__name__, 'float16' in dir(safegpu))")
    assert result.stdout.split() == ["safegpu.float16", "WGMMA", "True"]


@pytest.mark.parametrize(("version", "info"), [("0.11.1", (0, 11, 1)), ("0.13.0", (0, 13, 0))])
def test_a_jax_of_another_version_is_refused(version: str, info: tuple[int, ...]) -> None:
    result = python(
        f"import jax; jax.__version__, jax.__version_info__ = {version!r}, {info}\n"
        "import safegpu; safegpu.as_gpu_kernel"
    )
    assert last_line(result) == (
        f"ImportError: safegpu needs jax >= 0.11.2 and < 0.13, got {version}: pip install 'safegpu[jax]'"
    )


def test_the_version_is_a_version() -> None:
    assert mgpu.__version__[0].isdigit()


# --- signatures


def parameters(function: typing.Any) -> list[tuple[str, typing.Any, typing.Any]]:
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


def assert_extends(ours: typing.Any, theirs: typing.Any) -> None:
    """The raw parameters, in order; ours beyond them are keyword-only and optional."""
    mine, raws = parameters(ours), parameters(theirs)
    assert mine[: len(raws)] == raws
    assert all(
        kind is inspect.Parameter.KEYWORD_ONLY and default is not inspect.Parameter.empty
        for _, kind, default in mine[len(raws) :]
    )


def callables(theirs: typing.Any, ours: typing.Any) -> list[typing.Any]:
    """The public functions and classes of a module that ours gives in another form."""
    pairs = [(name, getattr(ours, name), value) for name, value in vars(theirs).items() if not name.startswith("_")]
    return [
        pytest.param(mine, value, id=f"{theirs.__name__.split('.')[-1]}.{name}")
        for name, mine, value in pairs
        if mine is not value and callable(value)
    ]


PAIRS = [
    *callables(raw, mgpu),
    *[
        pair
        for name in ("fragmented_array", "launch_context", "profiler", "tcgen05", "utils")
        for pair in callables(sys.modules[f"jax.experimental.mosaic.gpu.{name}"], getattr(mgpu, name))
    ],
]


def test_there_are_signatures_to_compare() -> None:
    assert len(PAIRS) > 40


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_signatures_are_the_raw_ones(ours: typing.Any, theirs: typing.Any) -> None:
    if isinstance(theirs, type):
        methods = [name for name in vars(theirs) if not name.startswith("_") and callable(getattr(theirs, name))]
        for name in methods:
            assert_extends(getattr(ours, name), getattr(theirs, name))
        if theirs.__init__ is not object.__init__ and not isinstance(ours, Facade):
            assert_extends(ours.__init__, theirs.__init__)
    else:
        assert_extends(ours, theirs)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (mgpu.BarrierArray, utils.BarrierRef),
        (mgpu.CollectiveBarrierArray, utils.CollectiveBarrierRef),
        (mgpu.DenseTMEM, raw.tcgen05.TMEMRef),
        (mgpu.ScalesTMEM, raw.tcgen05.TMEMRef),
        (mgpu.SparseMetaTMEM, raw.tcgen05.TMEMRef),
    ],
)
def test_methods_of_classes_that_raw_has_not(ours: typing.Any, theirs: typing.Any) -> None:
    for name in vars(theirs):
        if not name.startswith("_") and callable(getattr(theirs, name)):
            assert_extends(getattr(ours, name), getattr(theirs, name))


# --- annotations


def annotated(
    ctx: mgpu.LaunchContext,
    x: mgpu.SmemRef[mgpu.float16, typing.Literal[128]],
    y: mgpu.FragmentedArray[mgpu.float32, mgpu.layouts.WGMMA],
    z: mgpu.GmemRef[mgpu.int8] | None,
    tmem: mgpu.DenseTMEM[mgpu.float32, typing.Any] | tcgen05.TMEMRef,
    layout: mgpu.TiledLayout[mgpu.layouts.WGMMA] | mgpu.FragmentedLayout[typing.Any] | None,
    where: tcgen05.TMEMLayout[typing.Any],
    acc: mgpu.WGMMAAccumulator[mgpu.float32],
    i: mgpu.Index,
    bars: tuple[mgpu.BarrierRef, mgpu.BarrierArray, mgpu.CollectiveBarrierRef, mgpu.DialectBarrierRef],
    kernel: mgpu.Kernel,
) -> None: ...


def test_annotations_evaluate_at_run_time() -> None:
    assert annotated.__annotations__["x"] == mgpu.SmemRef[mgpu.float16, typing.Literal[128]]
    assert typing.get_type_hints(annotated).keys() == inspect.signature(annotated).parameters.keys() | {"return"}
    assert typing.get_args(annotated.__annotations__["y"]) == (mgpu.float32, mgpu.layouts.WGMMA)
