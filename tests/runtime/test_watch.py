"""The author's calls, as the rules of lowering see them."""

import subprocess
import sys
from typing import Any

import pytest

import safegpu as mgpu
from safegpu.watch import _core, _program
from tests.runtime.kernels import trace


@pytest.fixture(autouse=True)
def only_these_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "_before", {})
    monkeypatch.setattr(_core, "_after", {})
    monkeypatch.setattr(_core, "_at_end", [])


def test_what_no_rule_asks_for_is_left_as_it_is() -> None:
    def function() -> None: ...

    assert _core.watched("f")(function) is function


def test_a_rule_sees_arguments_result_and_line() -> None:
    seen: list[Any] = []
    _core.before("f")(lambda call: seen.append((call.name, call["a"], call.get("b"), call.result)))
    # As a rule of safegpu would, which stands in a module of safegpu: the author's line is the first of another.
    rule = "lambda call: seen.append((call.result, told(call.place)))"
    names = {"seen": seen, "told": _core.told, "__file__": _core.__file__}
    _core.after("f")(eval(compile(rule, _core.__file__, "eval"), names))
    _core.at_end(lambda: seen.append("end"))
    function = _core.watched("f")(lambda a, b=1: a + b)

    def body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        function(1)
        function(2, b=3)

    function(4)  # outside a trace nothing is seen
    trace(body)
    line = body.__code__.co_firstlineno
    assert seen == [
        ("f", 1, None, None), (2, f"test_watch.py:{line + 1}"),
        ("f", 2, 3, None), (5, f"test_watch.py:{line + 2}"),
        "end",
    ]  # fmt: skip


def test_calls_inside_a_watched_call_are_not_the_authors() -> None:
    seen: list[str] = []
    _core.before("inner", "outer")(lambda call: seen.append(call.name))
    inner = _core.watched("inner")(lambda fails: 1 / (not fails))
    outer = _core.watched("outer")(lambda fails: inner(fails))

    def body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        outer(False)
        with pytest.raises(ZeroDivisionError):
            outer(True)
        inner(False)

    trace(body)
    assert seen == ["outer", "outer", "inner"]


def test_state_is_of_one_trace() -> None:
    class Counter:
        calls = 0

    def count(call: _core.Call) -> None:
        _core.state(Counter).calls += 1

    totals: list[int] = []
    _core.before("f")(count)
    _core.at_end(lambda: totals.append(_core.state(Counter).calls))
    function = _core.watched("f")(lambda: None)

    def body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        function()
        function()

    trace(body)
    trace(body)
    assert totals == [2, 2]


def test_calls_of_a_loop_are_in_its_block() -> None:
    blocks: list[Any] = []
    _core.before("f")(lambda call: blocks.append(call.block))
    function = _core.watched("f")(lambda: None)

    def body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        function()

        @mgpu.fori(mgpu.c(2, mgpu.Index), ())
        def _(i: Any, carried: Any) -> Any:
            function()
            return ()

        function()

    trace(body)
    before, inside, after = blocks
    assert before == after != inside


SHOWN = """
import importlib
import safegpu.watch
core = importlib.import_module("safegpu.watch._core")
shown, make = set(), core._watched
core._watched = lambda name, function: (shown.add(name), make(name, function))[1]
from safegpu import _hooks, _surface
_surface.public_names()
_hooks.install()
print(*sorted(core.names() - shown))
"""


def test_all_that_rules_ask_for_is_shown_to_them() -> None:
    """A name with a typing mistake, or of a function that no mirror watches, would never be called."""
    ran = subprocess.run([sys.executable, "-c", SHOWN], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        (0, 0, True), (0, 1, False), (slice(None), 5, True), (slice(2), 1, True), (slice(2), 2, False),
        (slice(2, 4), slice(3, None), True), (slice(2, 4), slice(4, None), False), (mgpu.ds(2, 2), 3, True),
        (mgpu.ds(2, 2), 4, False), (-1, 3, None), (-1, -1, None), (slice(-2, None), 3, None), (slice(0, -2), 0, None),
    ],
)  # fmt: skip
def test_indices_that_have_a_place_in_common(one: Any, other: Any, meet: bool | None) -> None:
    """What counts from the end is left to the views' types, which say where they lie."""
    assert _program._meet(one, other) is _program._meet(other, one) is meet
