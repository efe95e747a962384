"""The arguments of a call against the overloads of its callable: which fits best, and what keeps it from fitting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from safegpu.check.compare import BARRIERS, LAYOUTS, RAW, REFERENCES, differences
from safegpu.check.surface import SELF, Parameter, Signature
from safegpu.check.typeexpr import ANYTHING, UNION, Type

TOLD_APART = REFERENCES | BARRIERS

FAMILIES = (TOLD_APART | RAW, LAYOUTS)
"""Classes that stand in for each other by mistake."""

POSITIONAL = ""
UNKNOWN = "?"


@dataclass(frozen=True)
class Mismatch:
    """One argument of a call. `parameter` is written as in `table.py`, empty where it is unknown."""

    parameter: str
    got: Type | None = None
    expected: Type | None = None

    @property
    def differs(self) -> frozenset[str]:
        if self.got is None or self.expected is None:
            return frozenset()
        return differences(self.got, self.expected)


@dataclass(frozen=True)
class Argument:
    """What a call is given: for a keyword, at the next position (""), or by a keyword that is not known ("?")."""

    got: Type
    keyword: str = POSITIONAL


@dataclass(frozen=True)
class Reading:
    """A call read as one of the overloads. `pairs` are all of its arguments, those that fit among them."""

    signature: Signature
    pairs: tuple[Mismatch, ...]
    missing: tuple[Parameter, ...]
    superfluous: tuple[Argument, ...]

    @property
    def misfits(self) -> tuple[Mismatch, ...]:
        return tuple(each for each in self.pairs if each.differs)

    @property
    def cost(self) -> int:
        """How far the call is from this overload: another class weighs more than another dtype."""
        arity = 5 * (len(self.missing) + len(self.superfluous))
        return arity + sum(_cost(each) for each in self.misfits)


def _cost(misfit: Mismatch) -> int:
    if misfit.parameter == SELF and misfit.differs != {"capability"}:
        return 6
    return _COSTS.get(next(iter(misfit.differs)), len(misfit.differs))


_COSTS = {"class": 4, "space": 3, "barrier": 3}


def best(overloads: Sequence[Signature], arguments: Sequence[Argument]) -> Reading | None:
    """The nearest reading of the call, the first of those that are equally near."""
    return min((read_as(each, arguments) for each in overloads), key=lambda each: each.cost, default=None)


def read_as(signature: Signature, arguments: Sequence[Argument]) -> Reading:
    given, superfluous = _paired(signature, arguments)
    bound: dict[str, Type] = {}
    for parameter, got in given:
        _bind(parameter.takes, got, signature.variables, bound)
    pairs = [
        Mismatch(parameter.name, got, _known(parameter.takes, signature.variables, bound)) for parameter, got in given
    ]
    taken = {parameter.name for parameter, _ in given}
    missing = tuple(each for each in signature.parameters if each.required and each.name not in taken)
    return Reading(signature, tuple(pairs), missing, tuple(superfluous))


def _paired(signature: Signature, arguments: Sequence[Argument]) -> tuple[list[tuple[Parameter, Type]], list[Argument]]:
    by_name = {each.name: each for each in signature.parameters}
    positional = signature.positional
    given: list[tuple[Parameter, Type]] = []
    superfluous, nameless = [], []
    for argument in arguments:
        if argument.keyword == POSITIONAL and positional:
            given.append((positional.pop(0), argument.got))
        elif argument.keyword in by_name:
            given.append((by_name[argument.keyword], argument.got))
        elif argument.keyword == UNKNOWN:
            nameless.append(argument.got)
        elif not signature.takes_anything:
            superfluous.append(argument)
    # mypy lists the types of keyword arguments without their names: these are told apart by what they are
    while (
        positional and nameless and not differences(nameless[0], _known(positional[0].takes, signature.variables, {}))
    ):
        given.append((positional.pop(0), nameless.pop(0)))
    free = [*positional, *signature.keywords]
    for fitting in (True, False):
        for got in list(nameless):
            if parameter := _parameter_for(got, free, fitting):
                free.remove(parameter)
                nameless.remove(got)
                given.append((parameter, got))
    given.sort(key=lambda pair: signature.parameters.index(pair[0]))
    superfluous += [Argument(got, UNKNOWN) for got in nameless if got.name in TOLD_APART]
    return given, superfluous


def _parameter_for(got: Type, free: list[Parameter], fitting: bool) -> Parameter | None:
    family = next((each for each in FAMILIES if got.name in each), None)
    if family is None:
        return None
    wanted = [each for each in free if {one.name for one in each.takes.alternatives} & (family - RAW)]
    if fitting:
        names = [each for each in wanted if got.name in {one.name for one in each.takes.alternatives}]
        return names[0] if names else None
    # a reference that no parameter takes stands where a reference is wanted: in the place of a required one
    return min(wanted, key=lambda each: not each.required, default=None)


def _bind(takes: Type, got: Type, variables: Mapping[str, Type], bound: dict[str, Type]) -> None:
    """Settles the type variables of `takes`, as far as `got` says what they are and as they may be that."""
    if takes.name in variables and not takes.args:
        limit = variables[takes.name]
        if takes.name not in bound and got.name not in ("Any", "Never", "None") and not differences(got, limit):
            bound[takes.name] = got
        return
    alternatives = takes.alternatives
    for mine in got.alternatives[:1]:
        same = [each for each in alternatives if each.name == mine.name] or [
            each for each in alternatives if each.name in variables
        ]
        for one in same[:1]:
            if one.name in variables and not one.args:
                _bind(one, mine, variables, bound)
            for inner, theirs in zip(one.args, mine.args, strict=False):
                _bind(inner, theirs, variables, bound)


def _known(takes: Type, variables: Mapping[str, Type], bound: Mapping[str, Type]) -> Type:
    """`takes` with its type variables settled; one that is not stands for all that it can be."""
    if takes.name in variables and not takes.args:
        return bound.get(takes.name, variables[takes.name])
    args = tuple(_known(each, variables, bound) for each in takes.args)
    if takes.name == UNION:
        return Type(UNION, tuple(one for each in args for one in each.alternatives))
    return Type(takes.name, args)


def literal(value: object) -> Type:
    """The type of a constant in the source."""
    if value is None:
        return Type("None")
    if isinstance(value, bool):
        return Type("bool")
    if isinstance(value, int | str):
        return Type("Literal", (Type(repr(value)),))
    return Type(type(value).__name__)


__all__ = ["ANYTHING", "Argument", "Mismatch", "Reading", "best", "literal", "read_as"]
