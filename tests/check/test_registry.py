"""The registry, the markers and the table name the same rules, and the table what the typed surface has."""

import ast
import re
from pathlib import Path

import pytest

import safegpu
from safegpu.check import messages, table
from safegpu.rules import FAMILIES, RULES, Rule, find

PACKAGE = Path(safegpu.__file__).parent
STUBS = sorted(PACKAGE.glob("*.pyi"))
MARKER = re.compile(r"\bSG\d\w*")
CALLABLES = table.ANY, "operator", "attribute"


def surface() -> dict[str, list[ast.FunctionDef]]:
    """The overloads of each callable of the stubs, under the name that the table has for it."""
    found: dict[str, list[ast.FunctionDef]] = {}
    for stub in STUBS:
        for node in ast.parse(stub.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.ClassDef):
                for member in node.body:
                    if isinstance(member, ast.FunctionDef):
                        found.setdefault(f"{node.name}.{member.name}", []).append(member)
    return found


SURFACE = surface()


def names(overload: ast.FunctionDef) -> list[str]:
    arguments = [*overload.args.posonlyargs, *overload.args.args]
    return [each.arg for each in arguments if each.arg not in ("self", "cls")]


def variables(overload: ast.FunctionDef) -> set[str]:
    old = {node.id for node in ast.walk(overload) if isinstance(node, ast.Name) and node.id.startswith("_")}
    return {each.lstrip("_") for each in old} | {
        each.name.lstrip("_") for each in overload.type_params if isinstance(each, ast.TypeVar)
    }


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)
def test_rule(rule: Rule) -> None:
    assert re.fullmatch(r"SG\d{3}", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", rule.name)
    assert rule.family == FAMILIES[rule.code[2]]
    for line in (rule.message, rule.fix):
        assert line
        assert "\n" not in line
        assert not line.endswith(".")
    assert rule.references
    assert find(rule.code.lower()) is rule
    assert find(rule.name) is rule


def test_codes_and_names_are_unique_and_in_order() -> None:
    assert list(RULES) == sorted(RULES)
    assert len({rule.name for rule in RULES.values()}) == len(RULES)


def test_markers() -> None:
    markers = {marker for stub in STUBS for marker in MARKER.findall(stub.read_text())}
    assert markers
    for marker in markers:
        assert re.fullmatch(r"SG\d{3}(_[a-z0-9]+)+", marker), "a code, then advice"
        assert marker[:5] in RULES
        assert messages.MARKER.search(f'Missing named argument "{marker}" for "f"'), (
            "shown by mypy and read by us"
        )


def test_every_rule_is_recognised() -> None:
    marked = {marker[:5] for stub in STUBS for marker in MARKER.findall(stub.read_text())}
    assert marked | {row.rule for row in table.ROWS} == RULES.keys()


@pytest.mark.parametrize(
    "row", table.ROWS, ids=lambda row: f"{row.rule}-{row.call[:30]}-{row.parameter[:20]}"
)
def test_rows(row: table.Row) -> None:
    calls = row.call.split(" | ")
    assert all(call in CALLABLES or call in SURFACE for call in calls)
    overloads = [overload for call in calls for overload in SURFACE.get(call, [])]
    if row.call in CALLABLES or row.parameter == table.ANY:
        return
    keywords = {each.arg for overload in overloads for each in overload.args.kwonlyargs}
    known = {name for overload in overloads for name in names(overload)} | keywords
    known_variables = {f"~{variable}" for overload in overloads for variable in variables(overload)}
    assert set(row.parameter.split(" | ")) <= known | known_variables | {"()"}


@pytest.mark.parametrize("call", table.SIGNATURES)
def test_signatures(call: str) -> None:
    for signature in table.SIGNATURES[call]:
        positional, _, keywords = signature.partition("*, ")
        parameters = [part.split(": ")[0].rstrip("?") for part in positional.split(", ") if part]
        assert any(names(overload)[: len(parameters)] == parameters for overload in SURFACE[call])
        wanted = {part.split(": ")[0].rstrip("?") for part in keywords.split(", ") if part}
        assert any(wanted <= {each.arg for each in overload.args.kwonlyargs} for overload in SURFACE[call])
