"""Twins: kernel bodies that differ in one thing, and what Mosaic GPU says of each.

`@legal(...)`, `@illegal(..., raises=)`, `@silent(..., because=)` and `@refused(...)` record the body below them with the
specs it is lowered with: its inputs and its output, then its scratch. A function without parameters is called as it is,
for what happens outside a body. With `one_thread=True` it runs under `single_thread()`, as what one thread issues must.
`# E: SGnnn` ends the lines that the checkers must reject, `# L: SGnnn` those that they
cannot see and lowering refuses; every other line must be clean. `@since("0.12", …)` above says what a twin does from
that jax on, where it is something else.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable
from importlib import metadata
from typing import Any, Literal

type Arch = Literal["sm_80", "sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a"]

CAPABILITY: dict[Arch | None, tuple[int, int] | None] = {
    None: None,  # what the kernel states, else unknown
    "sm_80": (8, 0),
    "sm_90a": (9, 0),
    "sm_100a": (10, 0),
    "sm_103a": (10, 3),
    "sm_110a": (11, 0),
    "sm_120a": (12, 0),
}


@dataclasses.dataclass(frozen=True)
class Twin:
    """A body, how it is lowered, and the outcome: the words of the error, or none."""

    body: Callable[..., Any]
    specs: tuple[Any, ...]
    arch: Arch | None
    cluster: int
    peers: int
    raises: str | None
    because: str | None = None
    refused: bool = False
    one_thread: bool = False
    x64: bool = False
    before: Twin | None = None
    """What it is on the jax before the one of `since`."""

    @property
    def is_legal(self) -> bool:
        return self.raises is None and self.because is None and not self.refused

    @property
    def takes_nothing(self) -> bool:
        return not inspect.signature(self.body).parameters

    def build(self) -> object:
        """Makes the kernel; Mosaic GPU lowers it at once."""
        if self.takes_nothing:
            return self.body()
        import safegpu as mgpu

        *gmem, scratch = self.specs
        *inputs, out = gmem
        along_x: tuple[int, int, int] = (self.cluster, 1, 1)
        kernel: Any = mgpu.as_gpu_kernel
        body = mgpu.single_thread()(self.body) if self.one_thread else self.body
        return kernel(body, along_x, (128, 1, 1), tuple(inputs), out, scratch, cluster=along_x)


TWINS: dict[str, list[Twin]] = {}
"""The twins of each module, in the order of the file."""


def legal[F: Callable[..., Any]](
    *specs: Any,
    arch: Arch | None = "sm_100a",
    cluster: int = 1,
    peers: int = 1,
    one_thread: bool = False,
    x64: bool = False,
) -> Callable[[F], F]:
    """The body lowers; with `x64` where JAX has buffers of 64-bit dtypes."""
    return _record(specs, arch, cluster, peers, None, one_thread=one_thread, x64=x64)


def illegal[F: Callable[..., Any]](
    *specs: Any, raises: str, arch: Arch | None = "sm_100a", cluster: int = 1, peers: int = 1, one_thread: bool = False
) -> Callable[[F], F]:
    """The body's first marked line raises in Mosaic GPU, in these words."""
    return _record(specs, arch, cluster, peers, raises, one_thread=one_thread)


def silent[F: Callable[..., Any]](
    *specs: Any, because: str, arch: Arch | None = "sm_100a", cluster: int = 1, peers: int = 1, one_thread: bool = False
) -> Callable[[F], F]:
    """The body lowers although it is wrong; `because` says what it computes."""
    return _record(specs, arch, cluster, peers, None, because, one_thread=one_thread)


def refused[F: Callable[..., Any]](
    *specs: Any,
    raises: str | None = None,
    because: str | None = None,
    arch: Arch | None = "sm_100a",
    cluster: int = 1,
    peers: int = 1,
    one_thread: bool = False,
) -> Callable[[F], F]:
    """safegpu refuses the body's first marked line, by the rule of the mark, and Mosaic GPU alone lowers or `raises`."""
    return _record(specs, arch, cluster, peers, raises, because, refused=True, one_thread=one_thread)


def _record(
    specs: tuple[Any, ...],
    arch: Arch | None,
    cluster: int,
    peers: int,
    raises: str | None,
    because: str | None = None,
    refused: bool = False,
    one_thread: bool = False,
    x64: bool = False,
) -> Callable[[Any], Any]:
    def record(body: Any) -> Any:
        twin = Twin(body, specs, arch, cluster, peers, raises, because, refused, one_thread, x64)
        TWINS.setdefault(body.__module__, []).append(twin)
        return body

    return record


def since[F: Callable[..., Any]](
    jax: str, *, raises: str | None = None, because: str | None = None
) -> Callable[[F], F]:
    """From this jax on, the twin below raises in these words, or lowers: `because` says why.

    It is the same twin in all else: safegpu refuses what is refused, and a legal one that raises there has no mark.
    """

    def changed(body: F) -> F:
        if _numbers(metadata.version("jax")) >= _numbers(jax):
            twins = TWINS[body.__module__]
            twins[-1] = dataclasses.replace(twins[-1], raises=raises, because=because, before=twins[-1])
        return body

    return changed


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))
