"""The calls of a kernel, watched while its body is traced.

A rule is a function of a `Call`, declared with the names of the functions that it wants to see: `before` them, to
refuse, or `after` them, to remember. A mirror wraps a function of Mosaic GPU by `watched`; one that no rule
asks for is left as it is. Only calls of the author are seen, not those that Mosaic GPU makes inside a watched one;
so a function that calls the author's code back must not be watched.
"""

import functools
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from safegpu._jax import ir, jax
from safegpu._trace import current

Place = tuple[CodeType, int]
"""A line of the author's code, cheap to take and told by `told`."""

_OTHERS = tuple(f"{Path(file).parent}/" for file in (str(Path(__file__).parent), jax.__file__))


class Call:
    """One call of a watched function: `call["ref"]` is its argument by the name of Mosaic GPU's parameter."""

    __slots__ = ("_place", "arguments", "name", "result")

    def __init__(self, name: str, arguments: dict[str, Any]) -> None:
        self.name = name  # "LaunchContext.async_copy", "tcgen05.mma", "utils.commit_shared", "wgmma"
        self.arguments = arguments
        self.result: Any = None  # what the function returned, for those that run after it
        self._place: Place | None = None

    def __getitem__(self, parameter: str) -> Any:
        return self.arguments[parameter]

    def get(self, parameter: str, default: Any = None) -> Any:
        """The argument, or `default` where the author left it out."""
        return self.arguments.get(parameter, default)

    @property
    def place(self) -> Place | None:
        """The author's line: of the first frame that is neither ours nor jax's."""
        if self._place is None:  # several rules ask
            frame: FrameType | None = sys._getframe(1)
            while frame is not None and frame.f_code.co_filename.startswith(_OTHERS):
                frame = frame.f_back
            self._place = None if frame is None else (frame.f_code, frame.f_lineno)
        return self._place

    @property
    def block(self) -> ir.Block:
        """The MLIR block that the call emits into: calls of one block run one after the other."""
        return ir.InsertionPoint.current.block


def told(place: Place | None) -> str:
    """A line for a message, "kernel.py:12"."""
    return "an unknown line" if place is None else f"{Path(place[0].co_filename).name}:{place[1]}"


Rule = Callable[[Call], None]

_before: dict[str, list[Rule]] = {}
_after: dict[str, list[Rule]] = {}
_at_end: list[Callable[[], None]] = []


def before[R: Rule](*names: str) -> Callable[[R], R]:
    """Runs the function before each call of these."""
    return lambda rule: _declared(_before, names, rule)


def after[R: Rule](*names: str) -> Callable[[R], R]:
    """Runs the function after each call of these that returned."""
    return lambda rule: _declared(_after, names, rule)


def at_end[F: Callable[[], None]](rule: F) -> F:
    """Runs the function when the body has returned."""
    _at_end.append(rule)
    return rule


def _declared[R: Rule](rules: dict[str, list[Rule]], names: tuple[str, ...], rule: R) -> R:
    for name in names:
        rules.setdefault(name, []).append(rule)
    return rule


def state[T](cls: type[T]) -> T:
    """The one `cls()` of the trace that is being made."""
    trace = current()
    if trace is None:
        return cls()
    found: T | None = trace.states.get(cls)
    if found is None:
        found = trace.states[cls] = cls()
    return found


def finish() -> None:
    """The body has returned."""
    for rule in _at_end:
        rule()


def names() -> set[str]:
    """What the rules ask for."""
    return _before.keys() | _after.keys()


def watched(name: str) -> Callable[[Callable[..., Any]], Any]:
    """Puts the rules that ask for `name` around each call of a function in a trace."""
    return lambda function: _watched(name, function) if name in names() else function


def _watched(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    first, then = _before.get(name, ()), _after.get(name, ())
    declared = inspect.signature(function).parameters.values()
    parameters = tuple(each.name for each in declared)
    rest = next((at for at, each in enumerate(declared) if each.kind is each.VAR_POSITIONAL), None)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        if trace is None or not trace.watching:
            return function(*args, **kwargs)
        if rest is not None:  # of `slice(self, *idxs)`, all of them are the one argument
            this = Call(name, {**dict(zip(parameters, (*args[:rest], args[rest:]), strict=False)), **kwargs})
        else:
            this = Call(name, {**dict(zip(parameters, args, strict=False)), **kwargs})
        for rule in first:
            rule(this)
        trace.watching = False
        try:
            this.result = function(*args, **kwargs)
        finally:
            trace.watching = True
        for rule in then:
            rule(this)
        return this.result

    return call
