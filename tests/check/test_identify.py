"""Each message of mypy is the right rule's."""

import re
from pathlib import Path

import pytest

from safegpu.check import identify
from safegpu.check.compare import differences, short
from safegpu.check.typeexpr import LIST, UNION, Type, parse

LINE = re.compile(r"(SG\d{3}) \[([\w-]+)\] (.*)")
SAID = [LINE.fullmatch(line) for line in Path(__file__).with_name("messages.txt").read_text().splitlines()[1:]]


@pytest.mark.parametrize("said", SAID)
def test_messages(said: re.Match[str]) -> None:
    rule, code, message = said.groups()
    assert identify(message, code) == rule
    assert identify(message) == rule


def incompatible(call: str, got: str, expected: str, argument: str = "1") -> str:
    return f'Argument {argument} to {call} has incompatible type "{got}"; expected "{expected}"'


@pytest.mark.parametrize(
    "message",
    [
        'Name "x" is not defined',
        incompatible('"store" of "Shelf"', "int", "str"),
        incompatible('"helper"', "SmemRef[float16, Any]", "SmemRef[float32, Any]"),
        incompatible('"as_gpu_kernel"', "tuple[int, int]", "tuple[int, int, int]", "2"),
        incompatible('"store_tiled" of "FragmentedArray"', "str", "bool", '"optimized"'),
        '"BarrierArray" has no attribute "wiat"; maybe "wait"?',
        'Unsupported operand types for + ("int" and "str")',
        'No overload variant of "mma" matches argument types "DenseTMEM[float32]", "SmemRef[float16, Any]"',
    ],
)
def test_unclaimed(message: str) -> None:
    assert identify(message) == "SG000"


def test_memory_space_of_any_function() -> None:
    message = incompatible('"helper"', "GmemRef[float16]", "SmemRef[float16, Any] | None")
    assert identify(message, "arg-type") == "SG109"


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("float16", Type("float16")),
        ("safegpu.dtypes.float16", Type("float16")),
        (
            "SmemRef[float16, Literal[128]]",
            Type("SmemRef", (Type("float16"), Type("Literal", (Type("128"),)))),
        ),
        ("A | None", Type(UNION, (Type("A"), Type("None")))),
        ("Callable[[A, B], C]", Type("Callable", (Type(LIST, (Type("A"), Type("B"))), Type("C")))),
        ("tuple[A, ...]", Type("tuple", (Type("A"), Type("...")))),
        ("Literal['a, b']", Type("Literal", (Type("'a, b'"),))),
        ("def (x: int) -> str", Type("def (x: int) -> str")),
        ("list[", Type("list[")),
    ],
)
def test_parse(text: str, parsed: Type) -> None:
    assert parse(text) == parsed


@pytest.mark.parametrize(
    ("got", "expected", "found"),
    [
        ("SmemRef[float16, Literal[128]]", "SmemRef[float32, Literal[64]]", {"dtype", "swizzle"}),
        ("SmemRef[float16, Literal[128]]", "GmemRef[float16] | SmemRef[float16, int]", set()),
        ("SmemRef[float16, Any]", "GmemRef[float16] | SmemRef[float32, Any]", {"dtype"}),
        ("DenseTMEM[float32, TMEM_HALF_LANE_32BIT]", "DenseTMEM[float32, M64Accumulator]", set()),
        ("DenseTMEM[float32, TMEM_HALF_LANE_32BIT]", "DenseTMEM[float32, M128Accumulator]", {"layout"}),
        ("FragmentedArray[float32, Splat]", "FragmentedArray[float32, WGMMA | TCGEN05]", {"layout"}),
        ("MultimemRef[float32]", "SmemRef[float32, Any]", {"space"}),
        ("Value[MemRefType]", "SmemRef[float32, Any] | None", {"space"}),
        ("BarrierArray", "BarrierRef | Value[Any]", {"barrier"}),
        ("str", "None", {"class"}),
        ("SmemRef[float16, Any] | GmemRef[float16]", "SmemRef[float16, Any]", {"space"}),
    ],
)
def test_differences(got: str, expected: str, found: set[str]) -> None:
    assert differences(parse(got), parse(expected)) == found


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("SmemRef[float16, Any]", "SmemRef[float16]"),
        ("SmemRef[float32, int]", "SmemRef[float32]"),
        ("GmemRef[Never] | SmemRef[Never, Any]", "GmemRef | SmemRef"),
        ("tuple[int, int]", "tuple[int, int]"),
        ("FragmentedArray[float16, WGMMA]", "FragmentedArray[float16, WGMMA]"),
    ],
)
def test_short(text: str, written: str) -> None:
    assert str(short(parse(text))) == written
