"""What references and scalars share: they are `ir.Value`s of a class that says more."""

from typing import Any

from safegpu._jax import ir


class Value(ir.Value):
    """Base of safegpu's value classes. It has no slots: what is known of a value is in its class and type."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.type})"


def raw(value: Any) -> Any:
    """The object Mosaic GPU itself would have passed, for calls that tell OpResult from BlockArgument."""
    return value.maybe_downcast() if isinstance(value, Value) else value


def like(template: Any, value: Any) -> Any:
    """`value` in the class of `template`, where that is one of ours."""
    return type(template)(value) if isinstance(template, Value) and isinstance(value, ir.Value) else value
