"""The examples to a checker: clean where it is strict, and no swizzle or layout of theirs unknown."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import examples
from safegpu.check import mypy_run
from safegpu.check.closer import REVEALED
from safegpu.check.typeexpr import Type, parse
from tests.support.checkers import Mypy, Pyright

EXAMPLES = Path(examples.__file__).parent
KERNELS = sorted(path for path in EXAMPLES.glob("*.py") if path.name not in ("__init__.py", "run.py"))

# Of each class, which type argument must be known. (A dtype may be the parameter of a builder.)
KNOWN = {
    "SmemRef": (1, "swizzle"),
    "ClusterSmemRef": (1, "swizzle"),
    "DenseTMEM": (1, "TMEM layout"),
    "FragmentedArray": (1, "register layout"),
    "WGMMAAccumulator": (1, "register layout"),
    "TiledLayout": (0, "register layout"),
    "FragmentedLayout": (0, "register layout"),
}

SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class _Revealing(ast.NodeTransformer):
    """Asks, before each statement of a function, for the types of what it evaluates.

    Each is asked for by itself: within another call, `reveal_type` would change what is inferred.
    """

    def __init__(self) -> None:
        self.depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> list[ast.stmt]:
        self.depth += 1
        node.body = self._asked(node.body)
        self.depth -= 1
        return [node]

    def _asked(self, body: list[ast.stmt]) -> list[ast.stmt]:
        asked: list[ast.stmt] = []
        for statement in body:
            parts = [] if isinstance(statement, ast.FunctionDef | ast.ClassDef) else list(_evaluated(statement))
            asked += [ast.Expr(ast.Call(ast.Name("reveal_type", ast.Load()), [each], [])) for each in parts]
            for block in ("body", "orelse"):
                if not isinstance(statement, ast.FunctionDef | ast.ClassDef) and getattr(statement, block, None):
                    setattr(statement, block, self._asked(getattr(statement, block)))
            visited = self.visit(statement)
            asked += visited if isinstance(visited, list) else [visited]
        return asked


def _evaluated(node: ast.AST) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.stmt, *SCOPES)):
            continue
        loads = isinstance(getattr(child, "ctx", ast.Load()), ast.Load)
        if isinstance(child, ast.Name | ast.Attribute | ast.Call | ast.Subscript) and loads:
            yield child
        yield from _evaluated(child)


def revealed(path: Path, folder: Path) -> list[list[Type]]:
    """The types of everything that the functions of a module evaluate; of a generic one, of each of its forms."""
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
    place, what = KNOWN.get(written.name, (len(written.args), ""))
    found = {f"the {what} of {written}"} if written.args[place:] and written.args[place] == Type("Any") else set()
    return found.union(*map(unknown, written.args))


def unknowns(places: list[list[Type]]) -> set[str]:
    return set().union(*(unknown(each) for forms in places for each in forms))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_every_swizzle_and_layout_is_known(path: Path, tmp_path: Path) -> None:
    places = revealed(path, tmp_path)
    assert len([forms for forms in places if forms[0].name in KNOWN]) > 1
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
        "the swizzle of SmemRef[float16, Any, Any]",
        "the register layout of FragmentedArray[float32, Any]",
    }


@pytest.mark.parametrize("checker", [Mypy("--strict"), Pyright()], ids=["mypy --strict", "pyright"])
def test_checkers_find_nothing(checker: Mypy | Pyright, tmp_path: Path) -> None:
    assert checker.check(KERNELS, Path(sys.executable), tmp_path) == {}
