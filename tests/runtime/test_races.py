"""A race may come out right: a kernel in which only the imports have changed goes on to work, and is warned of it."""

import functools
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import safegpu as mgpu
from safegpu.rules.catalogue import CATALOGUE
from tests.runtime import kernels
from tests.runtime.kernels import trace

TILE = mgpu.SMEM((128,), mgpu.int32)


def races(ctx, x, out, tile):  # type: ignore[no-untyped-def]
    mgpu.FragmentedArray.load_strided(x).store_untiled(tile)
    ctx.async_copy(src_ref=tile, dst_ref=out)
    ctx.await_async_copy(0)


def fenced(ctx, x, out, tile):  # type: ignore[no-untyped-def]
    mgpu.FragmentedArray.load_strided(x).store_untiled(tile)
    mgpu.commit_shared()
    ctx.async_copy(src_ref=tile, dst_ref=out)
    ctx.await_async_copy(0)


class Kernel:
    def method(self, ctx, x, out, tile):  # type: ignore[no-untyped-def]
        races(ctx, x, out, tile)

    def __call__(self, ctx, x, out, tile):  # type: ignore[no-untyped-def]
        races(ctx, x, out, tile)


def told(*args: Any, **kwargs: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        trace(*args, **kwargs)
    assert {each.category for each in given} <= {mgpu.RaceWarning}
    assert {each.filename for each in given} <= {__file__, kernels.__file__}, "the author's line"
    return [str(each.message) for each in given]


WARNING = (
    r"SG902: LaunchContext\.async_copy reads shared memory that store_untiled wrote at test_races\.py:\d+, with no "
    r"commit_shared\(\) between.* \(an error where the kernel's body has annotations\)$"
)


@pytest.mark.parametrize(
    "body",
    [races, lambda *refs: races(*refs), functools.partial(races), Kernel().method, Kernel()],
    ids=["function", "lambda", "partial", "method", "object"],
)
def test_a_body_without_annotations_is_warned(body: Callable[..., object]) -> None:
    with pytest.warns(mgpu.RaceWarning, match=WARNING):
        raced = trace(body, scratch=TILE)
    with mgpu.allow("SG902"):
        assert raced == trace(body, scratch=TILE)
    assert told(fenced, scratch=TILE) == []


def test_of_what_shows_at_the_end_it_is_warned_where_the_kernel_is_made() -> None:
    def doubtful(ctx, x, out, tile):  # type: ignore[no-untyped-def]
        mgpu.FragmentedArray.load_strided(x).store_untiled(tile)
        with mgpu.when(mgpu.c(1, mgpu.I1)):
            ctx.async_copy(src_ref=tile, dst_ref=out)

    (message,) = told(doubtful, scratch=TILE, block=(256, 1, 1))
    assert message.startswith("SG902")


def of_a_context(ctx: Any, x, out, tile):  # type: ignore[no-untyped-def]
    races(ctx, x, out, tile)


def of_nothing(ctx, x, out, tile) -> None:  # type: ignore[no-untyped-def]
    races(ctx, x, out, tile)


def of_a_parameter(n: int, ctx, x, out, tile):  # type: ignore[no-untyped-def]
    races(ctx, x, out, tile)


class Annotated:
    def method(self, ctx: Any, x: Any, out: Any, tile: Any) -> None:
        races(ctx, x, out, tile)

    @classmethod
    def of_class(cls, ctx, x, out, tile) -> None:  # type: ignore[no-untyped-def]
        races(ctx, x, out, tile)

    def __call__(self, ctx, x, out, tile) -> None:  # type: ignore[no-untyped-def]
        races(ctx, x, out, tile)


@pytest.mark.parametrize(
    "body",
    [
        Annotated().method,
        Annotated.of_class,
        Annotated(),
        of_a_context,
        of_nothing,
        functools.partial(of_nothing),
        functools.partial(of_a_parameter, 3),
    ],
)
def test_with_the_first_annotation_it_is_an_error(body: Callable[..., object]) -> None:
    with pytest.raises(mgpu.RuleError, match="SG902"):
        trace(body, scratch=TILE)


def test_a_filter_makes_it_an_error() -> None:
    with warnings.catch_warnings(), pytest.raises(mgpu.RaceWarning, match="SG902"):
        warnings.simplefilter("error", mgpu.RaceWarning)
        trace(races, scratch=TILE)


def test_allowed_is_not_told() -> None:
    with mgpu.allow("SG902"):
        assert told(races, scratch=TILE) == []


def test_what_is_wrong_whenever_it_runs_is_an_error() -> None:
    def written(ctx, x, out, _):  # type: ignore[no-untyped-def]
        mgpu.FragmentedArray.load_strided(out).store_untiled(x)

    with pytest.raises(mgpu.RuleError, match="SG110"):
        trace(written)


def test_pages_say_which_rules_are_of_races() -> None:
    for rule in CATALOGUE:
        assert rule.is_race == ("RaceWarning" in rule.page), rule.code
        assert not rule.is_race or (rule.family == "ordering" and rule.gate == "lowering")
