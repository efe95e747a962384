"""`jaxlib-stubs` against the jaxlib that is installed, and as mypy and pyright see it."""

from __future__ import annotations

import ast
import enum
import importlib.metadata
import json
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parent
STUBS = HERE.parents[1] / "stubs"
PACKAGE = STUBS / "jaxlib-stubs"
CANARIES = {
    "jaxlib": ["canary_ir.py", "canary_dialects.py", "canary_jaxlib.py"],
    "bare": ["canary_ir.py", "canary_dialects.py"],
}

# What a later jaxlib has (LATER in stubs/generate.py).
LATER = {"Remark", "RemarkFormat", "RemarkKind", "RemarkPolicy"}
LATER_MEMBERS = {"emit_remark", "enable_remarks", "finalize_remarks", "remarks_enabled"}

# Names that jaxlib.mlir.ir holds because it imports them for its own use.
INCIDENTAL = {"Generator", "annotations", "contextmanager", "np"}


@pytest.fixture(scope="module")
def ir() -> ModuleType:
    module: ModuleType = pytest.importorskip("jaxlib.mlir.ir")
    return module


@pytest.fixture(scope="module")
def stub() -> dict[str, list[ast.stmt]]:
    return named(ast.parse((PACKAGE / "mlir" / "ir.pyi").read_text(encoding="utf-8")).body)


def named(body: list[ast.stmt]) -> dict[str, list[ast.stmt]]:
    found: dict[str, list[ast.stmt]] = {}
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.setdefault(node.target.id, []).append(node)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node)
    return found


def public(names: Iterator[str] | dict[str, object] | list[str]) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def inherited(stub: dict[str, list[ast.stmt]], name: str) -> dict[str, list[ast.stmt]]:
    (node,) = stub[name]
    assert isinstance(node, ast.ClassDef)
    found: dict[str, list[ast.stmt]] = {}
    for base in node.bases:
        base_name = ast.unparse(base).partition("[")[0]
        if base_name in stub:
            found |= inherited(stub, base_name)
    return found | named(node.body)


def test_names(ir: ModuleType, stub: dict[str, list[ast.stmt]]) -> None:
    assert public(dir(ir)) - INCIDENTAL | LATER == public(list(stub))
    assert {"_OperationBase", "_GlobalDebug"} <= stub.keys()


def test_members(ir: ModuleType, stub: dict[str, list[ast.stmt]]) -> None:
    differences = {}
    for name, nodes in stub.items():
        if not isinstance(nodes[0], ast.ClassDef):
            continue
        real = getattr(ir, name)
        # What BaseException and Enum bring is typed by their own stubs.
        builtin = set(dir(Exception)) | set(dir(enum.IntFlag))
        members = public(dir(real)) - builtin | (LATER_MEMBERS & public(list(inherited(stub, name))))
        typed = public(list(inherited(stub, name)))
        if members != typed:
            differences[name] = {"jaxlib only": members - typed, "stub only": typed - members}
    assert differences == {}


def test_kinds(ir: ModuleType, stub: dict[str, list[ast.stmt]]) -> None:
    for name, nodes in stub.items():
        node = nodes[0]
        if not isinstance(node, ast.ClassDef):
            continue
        real = getattr(ir, name)
        bases = {ast.unparse(base).partition("[")[0] for base in node.bases}
        typed_bases = {base for base in bases if base in stub}
        mro = {base.__name__ for base in real.__mro__}
        assert typed_bases <= mro, f"{name}: the stub derives it from {typed_bases}, jaxlib from {mro}"
        for member, definitions in named(node.body).items():
            first = definitions[0]
            if not isinstance(first, ast.FunctionDef) or member.startswith("__"):
                continue
            is_property = any(ast.unparse(decorator) == "property" for decorator in first.decorator_list)
            if member in LATER_MEMBERS:
                continue
            value = real.__dict__.get(member, getattr(real, member))
            assert is_property == isinstance(value, property), f"{name}.{member}"
        if "__hash__" in named(node.body):
            assert real.__hash__ is not None, f"{name} is not hashable"


def test_no_imports_of_packages() -> None:
    tree = ast.parse((PACKAGE / "mlir" / "ir.pyi").read_text(encoding="utf-8"))
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module or ".")
    assert modules <= {"collections.abc", "contextlib", "enum", "typing", "typing_extensions"}


def test_generated(ir: ModuleType) -> None:
    """A generator that is run again writes the same bytes, of the jaxlib that the stubs name."""
    first = (PACKAGE / "mlir" / "ir.pyi").read_text(encoding="utf-8").splitlines()[0]
    version = importlib.metadata.version("jaxlib")
    if f" jaxlib {version}. " not in first:
        pytest.skip(f"the stubs are of another jaxlib than {version}")
    command = [sys.executable, str(STUBS / "generate.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_clean(tmp_path: Path) -> None:
    """The stub itself, under names that no checker takes for an installed package."""
    copy = tmp_path / "ir_copy.pyi"
    copy.write_bytes((PACKAGE / "mlir" / "ir.pyi").read_bytes())
    errors = mypy(Path(sys.executable), [copy], tmp_path) | pyright(Path(sys.executable), [copy])
    assert errors == set()


@pytest.fixture(scope="module", params=["jaxlib", "bare"])
def environment(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    kind: str = request.param
    if kind == "jaxlib":
        pytest.importorskip("jaxlib")
    return kind, make_environment(tmp_path_factory.mktemp(kind), kind, stubs=True)


def make_environment(root: Path, kind: str, *, stubs: bool) -> Path:
    """An environment that sees jaxlib and the stubs as an editable install does, through a .pth file."""
    venv.create(root, with_pip=False, symlinks=True)
    installed = sysconfig.get_paths()["purelib"]
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(root), "platbase": str(root)}))
    lines = [installed] * (kind == "jaxlib") + [str(STUBS)] * stubs
    (site / "paths.pth").write_text("".join(f"{line}\n" for line in lines))
    return root / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def mypy(python: Path, files: list[Path], cache: Path) -> set[tuple[str, int]]:
    """(file, line) of the errors."""
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--output=json"]
    command += [f"--cache-dir={cache / 'mypy_cache'}", f"--python-executable={python}", *map(str, files)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE)
    assert result.returncode in (0, 1), result.stdout + result.stderr
    found = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    return {(Path(one["file"]).name, one["line"]) for one in found if one["severity"] == "error"}


def pyright(python: Path, files: list[Path]) -> set[tuple[str, int]]:
    """(file, line) of the errors."""
    command = [sys.executable, "-m", "pyright", "--outputjson", f"--pythonpath={python}", *map(str, files)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE)
    assert result.returncode in (0, 1), result.stdout + result.stderr
    found = json.loads(result.stdout)["generalDiagnostics"]
    errors = [one for one in found if one["severity"] == "error"]
    return {(Path(one["file"]).name, one["range"]["start"]["line"] + 1) for one in errors}


def marked(names: list[str]) -> set[tuple[str, int]]:
    return {
        (name, number)
        for name in names
        for number, line in enumerate((HERE / name).read_text(encoding="utf-8").splitlines(), 1)
        if line.endswith("# error")
    }


def test_mypy(environment: tuple[str, Path], tmp_path: Path) -> None:
    kind, python = environment
    names = CANARIES[kind]
    assert mypy(python, [HERE / name for name in names], tmp_path) == marked(names)


def test_pyright(environment: tuple[str, Path]) -> None:
    kind, python = environment
    names = CANARIES[kind]
    assert pyright(python, [HERE / name for name in names]) == marked(names)


def test_canaries_need_the_stub(tmp_path: Path) -> None:
    """Without the stub and without jaxlib `ir.Value` is unknown, and no marked line is rejected."""
    python = make_environment(tmp_path / "venv", "bare", stubs=False)
    names = CANARIES["bare"]
    files = [HERE / name for name in names]
    assert not mypy(python, files, tmp_path) & marked(names)
    assert not pyright(python, files) & marked(names)
