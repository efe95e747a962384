"""Signatures whose dtypes are rows of a table (`safegpu.dtypes`), spelled out: one for each row.

To a checker, `d: InTmem[Tcgen05Accumulates[O], L]` is tensor memory of any dtype into which operands of dtype O are
accumulated. A reader wants to know which: `d: DenseTMEM[float32, L]` where O is one of four dtypes, and so on.
"""

import typing
from collections.abc import Iterator, Mapping
from functools import cache

from safegpu import architectures, dtypes
from safegpu.check.typeexpr import UNION, Type, parse


def spelled_out(
    takes: tuple[Type, ...], limits: Mapping[str, Type], carriers: Mapping[str, str]
) -> Iterator[tuple[tuple[Type, ...], Mapping[str, Type]]]:
    """What the parameters take and what the type variables can be, for each row of the first table among them.

    `carriers` says which class is behind a base that is there to carry such a dtype: of InTmem, DenseTMEM.
    """
    table = next((found for each in takes if (found := _table_in(each))), None)
    if table is None:
        yield takes, limits
        return
    for token, row in _rows(table.name):
        chosen = {**limits, **{variable.name: limit for variable, limit in zip(table.args, row, strict=True)}}
        instead = {str(table): Type(token)}
        written = tuple(_replaced(each, instead, carriers) for each in takes)
        yield from spelled_out(written, chosen, carriers)


def of_all_rows(written: Type, carriers: Mapping[str, str]) -> Type:
    """A type in a message, with all dtypes of the rows that fit: `DenseTMEM[float32 | float16, L]`."""
    table = _table_in(written)
    if table is None:
        return written
    fitting = tuple(
        Type(token)
        for token, row in _rows(table.name)
        if all(_fits(each, limit) for each, limit in zip(table.args, row, strict=True))
    )
    if not fitting:
        return written
    dtype = fitting[0] if len(fitting) == 1 else Type(UNION, fitting)
    return of_all_rows(_replaced(written, {str(table): dtype}, carriers), carriers)


def _fits(given: Type, limit: Type) -> bool:
    if limit.name in vars(architectures):
        return True  # which architecture a kernel is for says nothing of dtypes
    known = [each for each in given.alternatives if each.name not in ("Any", "Never")]
    return set(known) <= set(limit.alternatives) or all(
        each.name == limit.name == "Literal" and set(each.args) <= set(limit.args) for each in known
    )


def _table_in(written: Type) -> Type | None:
    if written.args and _rows(written.name):
        return written
    return next((found for each in written.args if (found := _table_in(each))), None)


def _replaced(written: Type, instead: Mapping[str, Type], carriers: Mapping[str, str]) -> Type:
    if str(written) in instead:
        return instead[str(written)]
    args = tuple(_replaced(each, instead, carriers) for each in written.args)
    changed = args != written.args
    return Type(carriers.get(written.name, written.name) if changed else written.name, args)


@cache
def _rows(table: str) -> tuple[tuple[str, tuple[Type, ...]], ...]:
    """The tokens that have a row in the table, each with what stands in it."""
    found = []
    for token in dtypes.DType.__subclasses__():
        for base in getattr(token, "__orig_bases__", ()):
            if getattr(typing.get_origin(base), "__name__", "") == table:
                found.append((token.__name__, tuple(map(_type, typing.get_args(base)))))
    return tuple(found)


def _type(argument: object) -> Type:
    if isinstance(argument, str):
        return parse(argument)
    if isinstance(argument, typing.TypeAliasType):
        return _type(argument.__value__)
    if typing.get_origin(argument) is typing.Literal:
        return Type("Literal", tuple(Type(repr(each)) for each in typing.get_args(argument)))
    return Type(getattr(argument, "__name__", str(argument)))
