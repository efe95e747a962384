"""Architectures in words: what the one that a kernel states lacks, and where a kernel states two."""

import ast
from collections.abc import Iterable

from safegpu import architectures
from safegpu.architectures import INSTEAD, NOUNS, Architecture, having
from safegpu.check.compare import SCRATCH, is_architecture, is_capability
from safegpu.check.compare import argument as type_argument
from safegpu.check.matching import Mismatch
from safegpu.check.surface import signatures
from safegpu.check.typeexpr import ANYTHING, Type, parse


def lacking(call: str, mismatches: Iterable[Mismatch], tree: ast.Module | None) -> str:
    """What the architectures of these arguments lack: `sm_90a has no tensor memory; sm_100a and sm_103a have it`."""
    return "; ".join(dict.fromkeys(_lacking(*each) for each in _pairs(call, mismatches, tree)))


def instead(call: str, mismatches: Iterable[Mismatch], tree: ast.Module | None) -> str:
    """What to do on these architectures; empty where they are not known."""
    advice = []
    for states, capability, _ in _pairs(call, mismatches, tree):
        for each in _tokens(states):
            if not issubclass(each, needed := _class(capability)):
                advice.append(next(todo for has, todo in INSTEAD[needed] if issubclass(each, has)))
    return "; ".join(dict.fromkeys(advice))


def other(call: str, mismatches: Iterable[Mismatch], tree: ast.Module | None) -> str:
    """Which architecture a buffer is of, and which one is expected."""
    said = []
    for each in mismatches:
        for states, expected, scratch in _pairs(call, [each], tree):
            what = f"the scratch `{scratch}` states" if scratch else f"argument `{each.parameter}` is of"
            said.append(f"{what} {states or 'another architecture'}, expected {expected}")
    return "; ".join(dict.fromkeys(said))


def of_scratch(name: str, tree: ast.Module | None) -> Type | None:
    """What the scratch class of this name states, where this file says it."""
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.ClassDef) and node.name == name:
            for base in map(parse, map(ast.unparse, node.bases)):
                if base.name == SCRATCH and base.args:
                    return base.args[0]
                if base.name != name and (above := of_scratch(base.name, tree)):
                    return above
    return None


def _pairs(call: str, mismatches: Iterable[Mismatch], tree: ast.Module | None) -> list[tuple[Type | None, Type, str]]:
    """What is stated, what is needed, and the scratch that states it, if it is one."""
    found: list[tuple[Type | None, Type, str]] = []
    for each in mismatches:
        got, expected = each.got or ANYTHING, each.expected or ANYTHING
        if each.parameter.startswith("~"):
            limits = [one.variables.get(each.parameter[1:]) for one in signatures(call)]
            found += [(got, limit, "") for limit in limits[:1] if limit]
        elif is_architecture(got):
            found.append((got, expected, ""))
        elif expected.name == SCRATCH:
            found.append((of_scratch(got.name, tree), expected.args[0], got.name))
        else:
            alike = [one for one in expected.alternatives if one.name == got.name] or [*expected.alternatives]
            stated, needed = type_argument(got, "architecture"), type_argument(alike[0], "architecture")
            if stated and needed and (is_architecture(needed) or is_capability(needed)):
                found.append((stated, needed, ""))
    return found


def _lacking(states: Type | None, capability: Type, scratch: str) -> str:
    has = [each.__name__ for each in having(_class(capability))]
    lacks = [each.__name__ for each in _tokens(states) if not issubclass(each, _class(capability))]
    who = f"{listed(lacks)} {_have(lacks)} no" if lacks else f"the scratch `{scratch}` states an architecture without"
    return f"{who} {NOUNS[_class(capability)]}; {listed(has)} {_have(has)} it"


def _tokens(states: Type | None) -> list[type[Architecture]]:
    return [_class(each) for each in states.alternatives if is_architecture(each)] if states else []


def _class(written: Type) -> type[Architecture]:
    found: type[Architecture] = vars(architectures)[written.name]
    return found


def _have(names: list[str]) -> str:
    return "have" if len(names) > 1 else "has"


def listed(names: list[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
