"""Rules of lowering that an author takes back."""

from typing import Any

import pytest

import safegpu as mgpu
from safegpu import _gate
from safegpu.rules import RULES
from tests.runtime.kernels import trace


def truth(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    array = mgpu.FragmentedArray.load_strided(x, is_signed=True)
    if array:
        array.store_untiled(o, optimized=False)


def test_in_a_block() -> None:
    with pytest.raises(mgpu.RuleError, match="SG811"):
        trace(truth)
    with mgpu.allow("SG902", "SG811"):
        trace(truth)
    with pytest.raises(mgpu.RuleError, match="SG811"), mgpu.allow("SG902"):
        trace(truth)
    with pytest.raises(mgpu.RuleError, match="SG811"):
        trace(truth)


def test_in_a_body() -> None:
    def body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        with mgpu.allow("SG811"), mgpu.allow("SG902"):
            truth(ctx, x, o, smem)

    trace(body)


def test_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFEGPU_ALLOW", "SG902, SG811")
    trace(truth)
    monkeypatch.setenv("SAFEGPU_ALLOW", "all")
    trace(truth)
    monkeypatch.setenv("SAFEGPU_ALLOW", "SG902")
    with pytest.raises(mgpu.RuleError, match="SG811"):
        trace(truth)


@pytest.mark.parametrize(
    ("code", "words"),
    [("sg811", "'sg811' is no code of a rule; `safegpu rules` lists them"), ("SG101", "SG101 is decided by checkers")],
)
def test_of_no_rule_of_lowering(code: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=f"allow: {words}"), mgpu.allow(code):
        pass
    monkeypatch.setenv("SAFEGPU_ALLOW", code)
    with pytest.raises(ValueError, match=f"SAFEGPU_ALLOW: {words}"):
        trace(truth)


@pytest.mark.parametrize("code", [code for code, rule in RULES.items() if rule.gate != "types"])
def test_every_rule_of_lowering(code: str) -> None:
    with pytest.raises(mgpu.RuleError, match=code):
        _gate.refuse(code, "")
    with mgpu.allow(code):
        _gate.refuse(code, "")
