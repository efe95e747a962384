"""The places in Mosaic GPU's sources that raise: what each is known as, read from the text alone.

A site is known by its function and by what it says, not by its line: lines move with every release. What it says is
the condition that leads to a `raise` and the words raised, or the condition of an `assert`. Numbers tell apart what
one function says twice.
"""

import ast
import importlib.util
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HOLE = "…"
"""Stands for what an f-string fills in."""


@dataclass(frozen=True)
class Site:
    """A `raise` or an `assert` of Mosaic GPU."""

    module: str
    function: str
    """Qualified as in its module: `TMEMRef.load`, `mma.fold`."""
    says: str
    first_line: int
    last_line: int

    @property
    def key(self) -> tuple[str, str, str]:
        return self.module, self.function, self.says


def folder() -> Path:
    """Where the installed jax keeps Mosaic GPU; jax is not imported."""
    jax = importlib.util.find_spec("jax")
    if jax is None or jax.origin is None:
        raise ImportError("the sources of Mosaic GPU come with jax: pip install 'safegpu[jax]'")
    return Path(jax.origin).parent / "experimental" / "mosaic" / "gpu"


def sites_of(module: str, source: str) -> list[Site]:
    """The sites of a module, in the order of its lines."""
    found: list[Site] = []
    times: Counter[tuple[str, str]] = Counter()
    for function, guard, node in _walk(ast.parse(source)):
        says = _assertion(node) if isinstance(node, ast.Assert) else guard + _exception(node)
        times[function, says] += 1
        if times[function, says] > 1:
            says += f" ({times[function, says]})"
        found.append(Site(module, function, says, node.lineno, node.end_lineno or node.lineno))
    return found


def _walk(module: ast.Module) -> Iterator[tuple[str, str, ast.Raise | ast.Assert]]:
    """Each site with its function and the innermost condition that leads to it."""

    def visit(nodes: list[ast.stmt], function: str, guard: str) -> Iterator[tuple[str, str, ast.Raise | ast.Assert]]:
        for node in nodes:
            match node:
                case ast.Raise() | ast.Assert():
                    yield function, guard, node
                case ast.FunctionDef() | ast.ClassDef():
                    yield from visit(node.body, f"{function}.{node.name}".lstrip("."), "")
                case ast.If():
                    test = ast.unparse(node.test)
                    yield from visit(node.body, function, f"if {test}: ")
                    yield from visit(node.orelse, function, f"unless {test}: ")
                case ast.Match():
                    for case in node.cases:
                        condition = f" if {ast.unparse(case.guard)}" if case.guard else ""
                        yield from visit(case.body, function, f"case {ast.unparse(case.pattern)}{condition}: ")
                case ast.Try():
                    yield from visit(node.body, function, guard)
                    for handler in node.handlers:
                        caught = f"except {ast.unparse(handler.type)}: " if handler.type else "except: "
                        yield from visit(handler.body, function, caught)
                    yield from visit([*node.orelse, *node.finalbody], function, guard)
                case ast.For() | ast.While():
                    yield from visit([*node.body, *node.orelse], function, guard)
                case ast.With():
                    yield from visit(node.body, function, guard)

    return visit(module.body, "", "")


def _assertion(node: ast.Assert) -> str:
    said = f", {_words(node.msg)}" if node.msg is not None and isinstance(node.test, ast.Constant) else ""
    return f"assert {ast.unparse(node.test)}{said}"


def _exception(node: ast.Raise) -> str:
    match node.exc:
        case None:
            return "raise"
        case ast.Call(func=kind, args=[words, *_]):
            return f"{ast.unparse(kind)}: {_words(words)}"
        case ast.Call(func=kind) | kind:
            return ast.unparse(kind)


def _words(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_words(part) for part in parts)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _words(left) + _words(right)
        case _:
            return HOLE
