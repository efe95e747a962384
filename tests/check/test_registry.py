"""The registry, the markers and the table name the same rules, and the table what the typed surface has."""

import ast
import itertools
import re
from pathlib import Path

import pytest

import safegpu
from safegpu.check import messages, surface, table
from safegpu.rules import FAMILIES, RULES, Rule, find

PACKAGE = Path(safegpu.__file__).parent
STUBS = sorted(PACKAGE.glob("*.pyi"))
MARKER = re.compile(r"\bSG\d\w*")
CALLABLES = table.ANY, "operator", "attribute", "max", "min"
NO_PARAMETER = {"()", "!", "self"}


def overloads() -> dict[str, list[ast.FunctionDef]]:
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


SURFACE = overloads()


def names(overload: ast.FunctionDef) -> list[str]:
    arguments = [*overload.args.posonlyargs, *overload.args.args]
    return [each.arg for each in arguments if each.arg not in ("self", "cls")]


TYPE_VARIABLES = {name for stub in STUBS for name in re.findall(r"^(\w+) = TypeVar\(", stub.read_text(), re.MULTILINE)}


def variables(overload: ast.FunctionDef) -> set[str]:
    old = {node.id for node in ast.walk(overload) if isinstance(node, ast.Name) and node.id in TYPE_VARIABLES}
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
    assert find(rule.code.removeprefix("SG")) is rule
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
        assert messages.MARKER.search(f'Missing named argument "{marker}" for "f"'), "shown by mypy and read by us"


def test_every_rule_is_recognised() -> None:
    marked = {marker[:5] for stub in STUBS for marker in MARKER.findall(stub.read_text())}
    by_checkers = {code for code, rule in RULES.items() if rule.gate != "lowering"}
    assert marked | {row.rule for row in table.ROWS} | {"SG000"} == by_checkers


def test_every_rule_of_lowering_is_raised() -> None:
    runtime = "".join(file.read_text() for file in PACKAGE.rglob("*.py"))
    raised = set(re.findall(r"refuse\(\s*\"(SG\d{3})\"", runtime))
    assert raised == {code for code, rule in RULES.items() if rule.gate != "types"}


@pytest.mark.parametrize("row", table.ROWS, ids=lambda row: f"{row.rule}-{row.call[:30]}-{row.parameter[:20]}")
def test_rows(row: table.Row) -> None:
    calls = row.call.split(" | ")
    assert all(call in CALLABLES or call in SURFACE for call in calls)
    found = [overload for call in calls for overload in SURFACE.get(call, [])]
    if row.call in CALLABLES or row.parameter == table.ANY:
        return
    keywords = {each.arg for overload in found for each in overload.args.kwonlyargs}
    known = {name for overload in found for name in names(overload)} | keywords
    known_variables = {f"~{variable}" for overload in found for variable in variables(overload)}
    missing = {f"!{name}" for name in known}
    assert set(row.parameter.split(" | ")) <= known | known_variables | missing | NO_PARAMETER


# --- what is read of the stubs at check time


@pytest.mark.parametrize("call", SURFACE)
def test_signatures_are_those_of_the_stubs(call: str) -> None:
    allowed = [each for each in SURFACE[call] if not any(MARKER.match(one.arg) for one in each.args.kwonlyargs)]
    read = surface.signatures(call)
    # where dtypes are those of a table there is one for each row
    assert len(read) >= len(allowed)
    assert {tuple(parameter.name for parameter in each.positional) for each in read} >= {
        tuple(names(each)) for each in allowed
    }
    runs = [each for each, _ in itertools.groupby(frozenset(one.name for one in each.keywords) for each in read)]
    assert runs == [
        each for each, _ in itertools.groupby(frozenset(one.arg for one in each.args.kwonlyargs) for each in allowed)
    ]
    assert not any(surface.carriers().keys() & {str(one.takes) for one in each.parameters} for each in read)


def test_aliases_and_variables_are_expanded() -> None:
    (store,) = [each for each in surface.signatures("FragmentedArray.load_strided")]
    assert str(store.parameters[0].takes) == "GmemRef[D] | SmemRef[D, Any] | ClusterSmemRef[D, Any]"
    reduction = surface.signatures("FragmentedArray.load_reduce_untiled")[-1].parameters[2]
    assert str(reduction.takes) == "Literal['add', 'min', 'max', 'and', 'or', 'xor']"
    assert str(surface.signatures("wgmma")[0].variables["D"]).startswith("float16 | bfloat16")
    assert surface.signatures("no_such_function") == ()


def test_names_are_as_an_author_writes_them() -> None:
    assert {each.name for each in surface.signatures("mma")} == {"mma", "tcgen05.mma"}
    assert {each.name for each in surface.signatures("copy_tiled")} == {"copy_tiled"}
    assert {each.name for each in surface.signatures("LaunchContext.async_copy")} == {"LaunchContext.async_copy"}
