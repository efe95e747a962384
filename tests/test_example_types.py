"""The examples to a checker: clean where it is strict, and no swizzle or layout of theirs unknown."""

import ast
import sys
from pathlib import Path

import pytest

import examples
from safegpu.check import mypy_run
from safegpu.check.closer import REVEALED
from safegpu.check.typeexpr import Type, parse
from tests.support.checkers import Mypy, Pyright

EXAMPLES = Path(examples.__file__).parent
KERNELS = sorted(path for path in EXAMPLES.glob("*.py") if path.name not in ("__init__.py", "run.py"))

# Of each class, which of its type arguments must be known.
KNOWN = {
    "SmemRef": {0: "dtype", 1: "swizzle"},
    "ClusterSmemRef": {0: "dtype", 1: "swizzle"},
    "GmemRef": {0: "dtype"},
    "MultimemRef": {0: "dtype"},
    "DenseTMEM": {0: "dtype", 1: "TMEM layout"},
    "ScalesTMEM": {0: "dtype"},
    "FragmentedArray": {0: "dtype", 1: "register layout"},
    "WGMMAAccumulator": {0: "dtype", 1: "register layout"},
    "TiledLayout": {0: "register layout"},
    "FragmentedLayout": {0: "register layout"},
}


class _Revealing(ast.NodeTransformer):
    """Asks for the type of every name, attribute and call that is evaluated inside a function."""

    def __init__(self) -> None:
        self.depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.depth += 1
        node.body = [self.visit(each) for each in node.body]
        self.depth -= 1
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        node.value = node.value and self.visit(node.value)
        return node

    def _revealed(self, node: ast.expr) -> ast.expr:
        self.generic_visit(node)
        loads = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if not self.depth or not loads:
            return node
        return ast.Call(ast.Name("reveal_type", ast.Load()), [node], [])

    visit_Name = visit_Attribute = visit_Call = visit_Subscript = _revealed


def revealed(path: Path, folder: Path) -> list[list[Type]]:
    """The types of everything that the functions of a module evaluate; where mypy tries overloads, one for each try."""
    tree = _Revealing().visit(ast.parse(path.read_text()))
    copy = folder / path.name
    copy.write_text(ast.unparse(ast.fix_missing_locations(tree)))
    said = mypy_run.run([str(path)], shadows={str(path): str(copy)})
    places: dict[tuple[int, int], list[Type]] = {}
    for each in said:
        if (match := REVEALED.match(each.text)) and not match[1].startswith(("def ", "Overload(")):
            places.setdefault((each.line, each.column), []).append(parse(match[1]))
    return list(places.values())


def unknown(written: Type) -> set[str]:
    """What of a type is `Any` and should not be, its arguments' arguments included."""
    found = set()
    for place, what in KNOWN.get(written.name, {}).items():
        if place < len(written.args) and written.args[place] == Type("Any"):
            found.add(f"the {what} of {written}")
    return found.union(*map(unknown, written.args))


def unknowns(places: list[list[Type]]) -> set[str]:
    return set().union(*(unknown(tries[0]) for tries in places if all(map(unknown, tries))))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_every_swizzle_and_layout_is_known(path: Path, tmp_path: Path) -> None:
    places = revealed(path, tmp_path)
    assert len([tries for tries in places if tries[0].name in KNOWN]) > 5
    assert unknowns(places) == set()


def test_what_is_unknown_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(
        "import safegpu as mgpu\n"
        "def f(s: mgpu.SmemRef[mgpu.float16], t: tuple[mgpu.FragmentedArray[mgpu.float32], int]) -> None:\n"
        "    s.shape\n"
        "    t[0]\n"
    )
    (tmp_path / "copy").mkdir()
    assert unknowns(revealed(path, tmp_path / "copy")) == {
        "the swizzle of SmemRef[float16, Any]",
        "the register layout of FragmentedArray[float32, Any]",
    }


@pytest.mark.parametrize("checker", [Mypy("--strict"), Pyright()], ids=["mypy --strict", "pyright"])
def test_checkers_find_nothing(checker: Mypy | Pyright, tmp_path: Path) -> None:
    assert checker.check(KERNELS, Path(sys.executable), tmp_path) == {}
