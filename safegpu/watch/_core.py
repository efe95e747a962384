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

from safegpu._jax import NOT_THE_AUTHORS, ir
from safegpu._trace import States, Trace, current

Place = tuple[CodeType, int]
"""An instruction of the author's code, cheap to take; `told` finds its line."""


class Call(dict[str, Any]):
    """One call of a watched function, the dict of its arguments by the names of Mosaic GPU's parameters.

    What the author left out is not there. Rules run at every call of a kernel, mostly to find nothing: what takes time
    is worked out when the first of them asks.
    """

    __slots__ = ("_block", "_place", "_runs", "copied", "name", "result", "states", "trace")
    name: str
    """`LaunchContext.async_copy`, `tcgen05.mma`, `utils.commit_shared`, `wgmma`."""
    trace: Trace
    states: States
    """The one object of each class in the trace, of a rule that remembers what it saw: `call.states[Seen]`."""
    result: Any
    """What the function returned, for the rules that run after it."""
    copied: Any
    """The ends of an `async_copy`: ask `safegpu.watch._copies.copy_of`."""
    _runs: bool
    _block: ir.Block | None
    _place: Place | None

    @property
    def place(self) -> Place | None:
        """The author's line, of the first frame that is neither safegpu's nor jax's.

        While the call runs only: a rule that keeps the call asks before it returns, and afterwards it is None.
        """
        if self._place is None and self._runs:  # several rules ask
            frame: FrameType | None = sys._getframe(1)
            # Of its module: to ask for the code, which has the file too, is an audit event.
            while frame is not None and str(frame.f_globals.get("__file__", "")).startswith(NOT_THE_AUTHORS):
                frame = frame.f_back
            self._place = None if frame is None else (frame.f_code, frame.f_lasti)
        return self._place

    @property
    def block(self) -> ir.Block:
        """The MLIR block that the call emits into: calls of one block run one after the other."""
        if self._block is None:
            self._block = ir.InsertionPoint.current.block
        return self._block


def told(place: Place | None) -> str:
    """A line for a message, "kernel.py:12"."""
    if place is None:
        return "an unknown line"
    code, at = place
    line = next((line for start, end, line in code.co_lines() if start <= at < end), None)
    return f"{Path(code.co_filename).name}:{line}"


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
    """The one `cls()` of the trace that is being made; a rule of a call has it from `call.states`."""
    trace = current()
    return cls() if trace is None else trace.states[cls]


def found[T](cls: type[T]) -> T | None:
    """The same where a rule of a call has asked for it; None where there is nothing to look at in the end."""
    trace = current()
    made: T | None = None if trace is None else trace.states.get(cls)
    return made


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
    first, then = tuple(_before.get(name, ())), tuple(_after.get(name, ()))
    # A signature takes long to make, and there are many functions.
    code = inspect.unwrap(function).__code__
    rest = code.co_argcount if code.co_flags & inspect.CO_VARARGS else None
    parameters = code.co_varnames[: code.co_argcount]
    if rest is not None:
        parameters += (code.co_varnames[code.co_argcount + code.co_kwonlyargcount],)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        if trace is None or not trace.watching:
            return function(*args, **kwargs)
        this = Call(kwargs)
        this.name = name
        # Of `slice(self, *idxs)`, all indices are the one argument.
        named = args if rest is None else (*args[:rest], args[rest:])
        this.update(zip(parameters, named))  # noqa: B905  # some are left out
        this.trace = trace
        this.states = trace.states
        this._runs = True
        this._block = this._place = this.copied = this.result = None
        for rule in first:
            rule(this)
        trace.watching = False
        try:
            result = function(*args, **kwargs)
        finally:
            trace.watching = True
        if then:
            this.result = result
            for rule in then:
                rule(this)
        this._runs = False  # the author's frame is gone from here on
        return result

    return call
