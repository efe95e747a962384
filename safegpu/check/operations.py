"""Which operations of an array its dtype has: `safegpu.dtypes.Supports`, read as a checker reads it."""

import typing
from functools import cache

from safegpu import dtypes
from safegpu.check.surface import SELF, Signature, signatures
from safegpu.check.typeexpr import Type

PROTOCOL = dtypes.Supporting.__name__

METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow",
    "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
    "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
}  # fmt: skip
MIRRORED = {"==": "eq", "!=": "ne", "<": "gt", "<=": "ge", ">": "lt", ">=": "le"}
SYMBOLS = {f"__{method}__": symbol for symbol, method in METHODS.items()} | {"__neg__": "-", "__invert__": "~"}
"""How an author writes a method."""

ARRAY = "FragmentedArray"
SPLAT = Type("Splat")
NOTHING = "_Untyped"


def supports(dtype: Type, operations: Type) -> bool:
    """Whether arrays of this dtype have these operations, literals; what is no token may be any dtype."""
    return all(
        each.name not in dtypes.__all__ or {str(name) for name in operations.args} <= set(map(repr, _of(each.name)))
        for each in dtype.alternatives
    )


def having(call: str) -> list[str]:
    """The dtypes whose arrays have a method."""
    wanted = [_operations(each) for each in _of_any_layout(call)]
    return [
        token.__name__
        for token in dtypes.DType.__subclasses__()
        if any(each is None or supports(Type(token.__name__), each) for each in wanted)
    ]


def lacking(array: Type, method: str) -> bool:
    """Whether the dtype of an array is known, and has no such method."""
    dtype = array.args[0] if array.name == ARRAY and array.args else None
    return dtype is not None and any(
        each.name in dtypes.__all__ and each.name not in having(f"{ARRAY}.{method}") for each in dtype.alternatives
    )


def targets(call: str, source: Type) -> list[str]:
    """The dtypes to which arrays of this one convert by a method."""
    found: dict[str, None] = {}
    for each in signatures(call):
        wanted = _operations(each)
        if wanted and supports(source, wanted):
            [dtype] = [one.takes.args[0] for one in each.parameters if one.takes.name == "type"]
            found |= dict.fromkeys(str(one) for one in each.variables.get(dtype.name, dtype).alternatives)
    return [token.__name__ for token in dtypes.DType.__subclasses__() if token.__name__ in found]


def operator(symbol: str, left: Type, right: Type) -> tuple[Type, str] | None:
    """The array that decides about an operator, and its method; None where there is none."""
    if symbol not in METHODS:
        return None
    if left.name == ARRAY:
        return left, f"__{METHODS[symbol]}__"
    if right.name == ARRAY:
        return right, f"__{MIRRORED.get(symbol, 'r' + METHODS[symbol])}__"
    return None


def _operations(signature: Signature) -> Type | None:
    """What an overload asks of the array's dtype."""
    own = next((each.takes for each in signature.parameters if each.name == SELF), None)
    return own.args[0].args[0] if own and own.args and own.args[0].name == PROTOCOL else None


def _of_any_layout(call: str) -> list[Signature]:
    """The overloads that decide: not those of splats alone, nor the one that takes nothing."""
    takes = {each: {one.name: one.takes for one in each.parameters} for each in signatures(call)}
    return [
        each
        for each, types in takes.items()
        if types.get(SELF, SPLAT).args[1:] != (SPLAT,) and types.get("other", SPLAT).name != NOTHING
    ]


@cache
def _of(token: str) -> frozenset[str]:
    bases = getattr(getattr(dtypes, token), "__orig_bases__", ())
    return frozenset(name for base in bases if typing.get_origin(base) is dtypes.Supports for name in _names(base))


def _names(written: object) -> list[str]:
    if isinstance(written, typing.TypeAliasType):
        return _names(written.__value__)
    arguments = typing.get_args(written)
    if typing.get_origin(written) is typing.Literal:
        return [str(each) for each in arguments]
    return [name for each in arguments for name in _names(each)]
