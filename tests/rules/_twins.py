"""Twins: kernel bodies that differ in one thing, and what Mosaic GPU says of each.

`@legal(...)`, `@illegal(..., raises=)`, `@silent(..., because=)` and `@refused(...)` record the body below them with the
specs it is lowered with: its inputs and its output, then its scratch. A function without parameters is called as it is,
for what happens outside a body. With `one_thread=True` it runs under `single_thread()`, as what one thread issues must.
`# E: SGnnn` ends the lines that the checkers must reject, `# L: SGnnn` those that they
cannot see and lowering refuses; every other line must be clean.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
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
    *specs: Any, arch: Arch | None = "sm_100a", cluster: int = 1, peers: int = 1, one_thread: bool = False
) -> Callable[[F], F]:
    """The body lowers."""
    return _record(specs, arch, cluster, peers, None, one_thread=one_thread)


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
) -> Callable[[Any], Any]:
    def record(body: Any) -> Any:
        twin = Twin(body, specs, arch, cluster, peers, raises, because, refused, one_thread)
        TWINS.setdefault(body.__module__, []).append(twin)
        return body

    return record
