"""What `bench.device` measures: a problem, and the implementations that solve it."""

import dataclasses
import importlib.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

type Function = Callable[..., Any]
"""Of a problem's inputs."""


@dataclass(frozen=True)
class Implementation:
    """One of those compared, and its configurations: the first is measured, or with --tune the fastest."""

    build: Callable[[Any], Function]
    configs: Sequence[Any] = (None,)
    must_tune: bool = False
    """Whether all configurations are tried anyway, for those of which none is known to be the best."""


class Problem(Protocol):
    """Sizes and dtypes for an example."""

    @property
    def kernel(self) -> str:
        """The example's name."""
        ...

    @property
    def label(self) -> str:
        """The sizes, in a few characters."""
        ...

    @property
    def flop(self) -> int: ...

    @property
    def tolerance(self) -> float:
        """The largest `error` of a right result."""
        ...

    def inputs(self) -> tuple[Any, ...]: ...

    def reference(self, inputs: tuple[Any, ...]) -> Any:
        """What `error` compares results with, in float32."""
        ...

    def error(self, result: Any, expected: Any) -> float: ...

    def raw(self, config: Any) -> Function:
        """The raw twin of the example with this configuration."""
        ...

    def implementations(self, examples: dict[str, ModuleType]) -> dict[str, Implementation]:
        """By name: `safegpu`, then what others have. `examples` are those of jax, by the name of their file."""
        ...


def described(config: Any) -> str:
    """What differs from the default configuration; a configuration that is no dataclass as it is."""
    if not dataclasses.is_dataclass(config):
        return "" if config is None else str(config)
    values = {field.name: getattr(config, field.name) for field in dataclasses.fields(config)}
    defaults = {field.name: field.default for field in dataclasses.fields(config)}
    return ", ".join(f"{name}={value}" for name, value in values.items() if value != defaults[name]) or "default"


def load(path: Path) -> ModuleType:
    """A module of a jax checkout, which is in no package here."""
    spec = importlib.util.spec_from_file_location(f"jax_example_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
