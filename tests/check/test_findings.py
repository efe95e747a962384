"""What a finding says: which rule, which argument of which call, what it got and what it expected."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from safegpu.check import Finding, check, mypy_run
from safegpu.check.closer import look
from safegpu.check.source import Source, columns
from safegpu.rules import RULES

TWINS = Path(__file__).parents[1] / "rules"

HEAD = """\
from typing import Any, Final, Literal

import safegpu as mgpu
from safegpu import layouts as ll, tcgen05

X = mgpu.Dimension.x
SWIZZLE: Final = 128
ADD: Final = "add"


class S(mgpu.Scratch):
    half = mgpu.SMEM((128, 64), mgpu.float16, swizzle=128)
    bhalf = mgpu.SMEM((128, 64), mgpu.bfloat16, swizzle=128)
    narrow = mgpu.SMEM((64, 64), mgpu.float16, swizzle=64)
    single = mgpu.SMEM((128, 64), mgpu.float32, swizzle=128)
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    m64 = mgpu.TMEM((64, 64), mgpu.float32)
    packed = mgpu.TMEM((128, 64), mgpu.float16, packing=2)
    unpacked = mgpu.TMEM((128, 64), mgpu.float16)
    one = mgpu.Barrier(1)
    several = mgpu.Barrier(1, 2)
    collective = mgpu.ClusterBarrier([X])


BF16, F32 = mgpu.GMEM((64, 64), mgpu.bfloat16), mgpu.GMEM((64, 64), mgpu.float32)


def kernel(ctx: mgpu.LaunchContext, x: mgpu.GmemRef[mgpu.bfloat16], out: mgpu.GmemRef[mgpu.bfloat16], s: S) -> None: ...


def in_place(
    ctx: mgpu.LaunchContext,
    x: mgpu.GmemRef[mgpu.bfloat16],
    both: mgpu.GmemRef[mgpu.float32],
    out: mgpu.GmemRef[mgpu.bfloat16],
    s: S,
) -> None: ...


def build(body: Any = kernel, in_shape: Any = (BF16,)) -> None: ...


def body(
    ctx: mgpu.LaunchContext,
    g: mgpu.GmemRef[mgpu.bfloat16],
    f: mgpu.GmemRef[mgpu.float32],
    m: mgpu.MultimemRef[mgpu.float32],
    x: mgpu.FragmentedArray[mgpu.float16, ll.WGMMA],
    w: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA],
    y: mgpu.FragmentedArray[mgpu.float32, ll.TCGEN05],
    row: mgpu.FragmentedArray[mgpu.float32, ll.WGMMA_ROW],
    peer: mgpu.Index,
    hopper: mgpu.LaunchContext[mgpu.sm_90a],
    n: int,
    op: Literal["add", "max"],
    s: S,
) -> Any:
    zero = mgpu.c(0.0, mgpu.float32)
"""


class Case(NamedTuple):
    line: str
    rule: str
    code: str
    says: str
    """What the message ends with, or all of it for SG000."""
    fix: str = ""
    """What to do, where that is not what the rule says in general."""


CASES = [
    Case(line, rule, code, says, fix)
    for line, said, fix in re.findall(
        r"^(\S.*)\n    (.*)$(?:\n        fix: (.*)$)?",
        Path(__file__).with_name("findings.txt").read_text().partition("\n")[2],
        re.MULTILINE,
    )
    for rule, code, says in re.findall(r"^(SG\d{3}) \[(.*?)\] (.*)$", said)
]

CLEAN = """\
    acc = mgpu.FragmentedArray.splat(zero, (128, 64))
    acc = acc + y
    acc += y
    for _ in range(2):
        acc = acc * y
    made = mgpu.FragmentedArray.splat(zero, (128, 64), mgpu.TCGEN05_LAYOUT).astype(mgpu.float32) + y
    s.acc.store(made)
"""


def told(path: Path) -> list[Finding]:
    return check([path], extra_args=["--cache-dir", str(path.parent / "cache")])


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[Finding]]:
    """What each case is told, by its line: one run."""
    path = tmp_path_factory.mktemp("cases") / "kernel.py"
    path.write_text(HEAD + CLEAN + "".join(f"    {case.line}\n" for case in CASES))
    found: dict[int, list[Finding]] = {}
    for finding in told(path):
        found.setdefault(finding.line, []).append(finding)
    return found


FIRST = len((HEAD + CLEAN).splitlines()) + 1


def test_nothing_else_is_found(findings: dict[int, list[Finding]]) -> None:
    assert {line for line in findings if line < FIRST} == set()


@pytest.mark.parametrize(("line", "case"), [*enumerate(CASES, start=FIRST)], ids=lambda each: getattr(each, "line", ""))
def test_finding(findings: dict[int, list[Finding]], line: int, case: Case) -> None:
    (finding,) = findings[line]
    assert finding.rule == case.rule
    assert finding.message.endswith(case.says)
    assert finding.fix == (case.fix or ("" if case.rule == "SG000" else RULES[case.rule].fix))
    if case.rule == "SG000":
        assert finding.message == case.says
    assert re.fullmatch(case.code, finding.mypy_code)
    assert str(finding).splitlines()[0].endswith(f"{case.says}  [{finding.mypy_code}]")


def test_every_finding_can_be_silenced(tmp_path: Path, findings: dict[int, list[Finding]]) -> None:
    """By mypy's code, on the line that the finding names."""
    lines = (HEAD + CLEAN + "".join(f"    {case.line}\n" for case in CASES)).splitlines()
    for line, (finding, *_) in findings.items():
        lines[line - 1] += f"  # type: ignore[{finding.mypy_code}]"
    path = tmp_path / "kernel.py"
    path.write_text("\n".join(lines))
    assert told(path) == []


# --- the twins of tests/rules


MARK = re.compile(r"# E: (SG\d{3})$")
SAYS_ALL = {"SG000", "SG101", "SG102", "SG204", "SG411"}
"""Rules whose message is about the receiver alone, and needs no argument."""


@pytest.fixture(scope="module")
def of_twins(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], list[Finding]]:
    found: dict[tuple[str, int], list[Finding]] = {}
    cache = ["--cache-dir", str(tmp_path_factory.mktemp("cache"))]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(TWINS)
        for finding in check(sorted(path.name for path in TWINS.glob("*.py")), extra_args=cache):
            found.setdefault((finding.path, finding.line), []).append(finding)
    return found


def test_each_mark_is_found_and_nothing_else(of_twins: dict[tuple[str, int], list[Finding]]) -> None:
    marks = {
        (path.name, number): match[1]
        for path in TWINS.glob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if (match := MARK.search(line))
    }
    rules = {place: {finding.rule for finding in found} for place, found in of_twins.items()}
    assert marks.keys() == rules.keys()
    # mypy may say the same a second time in words that no rule is about
    assert {place: rules[place] for place in marks if rules[place] - {"SG000"} not in ({marks[place]}, set())} == {}
    assert {place for place in marks if marks[place] not in rules[place]} == set()


def test_findings_of_twins_say_what_was_got(of_twins: dict[tuple[str, int], list[Finding]]) -> None:
    for found in of_twins.values():
        for finding in found:
            said = finding.message.removeprefix(RULES[finding.rule].message)
            assert said or finding.rule in SAYS_ALL, finding


# --- the second look


def messages(path: Path, source: str) -> list[mypy_run.Message]:
    path.write_text(source)
    return mypy_run.run([str(path)], extra_args=["--cache-dir", str(path.parent / "cache")])


def test_mypy_runs_once_where_its_words_suffice(tmp_path: Path) -> None:
    said = messages(tmp_path / "kernel.py", f"{HEAD}    w + y\n    s.acc.store(x)\n")
    assert len(said) == 2

    def rerun(*, shadows: object) -> list[mypy_run.Message]:
        raise AssertionError("mypy runs again")

    assert look(said, rerun).given == {}


def test_several_lines_and_other_alphabets(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(
        f"{HEAD}    'größe €'; tcgen05.mma(s.acc, s.half, s.bhalf)\n"
        "    tcgen05.mma(\n        s.acc,\n        s.half,  # a comment\n        s.bhalf,\n    )\n"
        "    print(f'{tcgen05.mma(s.acc, s.half, s.bhalf)}')\n"
        "    tcgen05.mma(*(s.acc, s.half, s.bhalf))\n"
        "    x.store_untiled(\n        mgpu.memref_slice(\n            g, 0\n        ), optimized=False\n    )\n"
    )
    found = told(path)
    assert [(each.line, each.rule) for each in found] == [
        (each, rule)
        for each, rule in zip(
            (HEAD.count("\n") + at for at in (1, 2, 7, 8, 11)),
            ("SG303", "SG303", "SG303", "SG303", "SG302"),
            strict=True,
        )
    ]
    wrong = "argument `b` of tcgen05.mma: got SmemRef[bfloat16], expected SmemRef[float16]"
    assert [each.message.endswith(wrong) for each in found[:2]] == [True, True]
    assert found[-1].message.endswith("got GmemRef[bfloat16], expected GmemRef[float16]")


def test_columns() -> None:
    assert columns("ab cd", 3) == {3}
    assert columns('"é" x', 5) == {5, 4, 3}


def test_calls_in_the_source() -> None:
    source = Source("f(g(1),\n  h=k(2))\n")
    call = source.call(1, 2, "g")
    assert call is not None
    assert source.in_context(call)
    outer = source.call(1, 0, "f")
    assert outer is not None
    assert not source.in_context(outer)
    assert source.call(2, 4, "k") is not None
    assert source.call(2, 6, "k") is source.call(2, 4, "k")
    assert source.call(1, 0, "no") is None
