"""What keeps one type from being another: the class, the memory space, or the type arguments that differ."""

from safegpu import layouts
from safegpu.check.operations import PROTOCOL, supports
from safegpu.check.surface import as_class
from safegpu.check.typeexpr import UNION, Type

PARAMETERS = {
    "GmemRef": ("dtype",),
    "SmemRef": ("dtype", "swizzle"),
    "ClusterSmemRef": ("dtype", "swizzle"),
    "MultimemRef": ("dtype",),
    "DenseTMEM": ("dtype", "layout", "collective"),
    "ScalesTMEM": ("dtype", "collective"),
    "SparseMetaTMEM": ("collective",),
    "FragmentedArray": ("dtype", "layout"),
    "FragmentedLayout": ("layout",),
    "TiledLayout": ("layout",),
    "TMEMLayout": ("layout",),
    "WGMMAAccumulator": ("dtype",),
    "DynamicSlice": ("scalar",),
    "Value": ("scalar",),
}
"""What the type arguments of the public classes are."""

REFERENCES = frozenset("GmemRef SmemRef ClusterSmemRef MultimemRef TMEMRef DenseTMEM SparseMetaTMEM ScalesTMEM".split())
RAW = frozenset(["Value", "OpResult", "BlockArgument"])
LAYOUTS = frozenset("FragmentedLayout TiledLayout TMEMLayout WGStridedFragLayout WGSplatFragLayout".split())
SCALARS = frozenset("Index I1 I8 I16 I32 I64 F16 BF16 F32 F64".split())
BARRIERS = frozenset(["BarrierRef", "BarrierArray", "CollectiveBarrierRef", "CollectiveBarrierArray"])

NUMBERS = {"bool": ("int", "float"), "int": ("float",)}

_UNKNOWN = frozenset(["Any", "Never"])


def differences(got: Type, expected: Type) -> frozenset[str]:
    """Why `got` is not `expected`.

    Nothing; or "space", "barrier", "scalar" or "class", where the class is another; "literal", where the value is; or
    the names of the type arguments that differ from those of the nearest alternative.
    """
    for alternative in got.alternatives:
        nearest = min((_differences(alternative, other) for other in expected.alternatives), key=_distance)
        if nearest == {"class"}:
            return frozenset([_kind(alternative, expected)])
        if nearest:
            return nearest
    return frozenset()


def satisfies(got: Type, expected: Type) -> bool:
    return not differences(got, expected)


def short(written: Type) -> Type:
    """The type as an author writes it: without the arguments that are unknown anyway."""
    # whose the tensor memory is, one rule says in words of its own
    names = PARAMETERS.get(written.name, ())
    args = [each for at, each in enumerate(written.args) if names[at : at + 1] != ("collective",)]
    if written.name in PARAMETERS or written.name == "slice":
        # an `int` swizzle is what mypy makes of a literal argument while it looks for the parameter's type
        while args and (args[-1].name in _UNKNOWN or (len(args) == 2 and args[-1].name == "int")):
            args.pop()
    if written.name == UNION:
        members = tuple(dict.fromkeys(map(short, args)))
        return members[0] if len(members) == 1 else Type(UNION, members)
    return Type(written.name, tuple(map(short, args)))


def _distance(found: frozenset[str]) -> int:
    return len(PARAMETERS["SmemRef"]) + 1 if "class" in found else len(found)


def _kind(got: Type, expected: Type) -> str:
    wanted = {alternative.name for alternative in expected.alternatives}
    if got.name in REFERENCES | RAW and wanted & REFERENCES:
        return "space"
    if got.name in BARRIERS and wanted & BARRIERS:
        return "barrier"
    if got.name in SCALARS and wanted & SCALARS:
        return "scalar"
    return "class"


def _differences(got: Type, expected: Type) -> frozenset[str]:
    if got.name in _UNKNOWN or expected.name in _UNKNOWN:
        return frozenset()
    if expected.name == PROTOCOL:
        return frozenset() if supports(got, expected.args[0]) else frozenset(["dtype"])
    if got.name != expected.name:
        if expected.name == "Literal" and got.name in ("int", "str"):
            return frozenset()  # of a literal argument mypy says no more
        # a reference is an MLIR value too, but where a raw one will do is another question
        alike = None if got.name in REFERENCES else as_class(got, expected.name)
        if alike is None:
            return frozenset() if _is_subclass(got.name, expected.name) else frozenset(["class"])
        got = alike
    if got.name == "Literal":
        # in a row of the table `Literal` alone is any
        return frozenset() if set(got.args) <= set(expected.args or got.args) else frozenset(["literal"])
    if got.name == "tuple":
        wanted = expected.args[:1] * len(got.args) if expected.args[1:] == (Type("..."),) else expected.args
        return frozenset().union(*(differences(*pair) for pair in zip(got.args, wanted, strict=False)))
    names = PARAMETERS.get(got.name, ())
    differing = set()
    for index, (mine, theirs) in enumerate(zip(got.args, expected.args, strict=False)):
        if not _accepts(theirs, mine):
            differing.add(names[index] if index < len(names) else "class")
    return frozenset(differing)


def _accepts(expected: Type, got: Type) -> bool:
    if expected.name == "int" and got.name == "Literal":
        return True
    return satisfies(got, expected)


def _is_subclass(got: str, expected: str) -> bool:
    if expected == "object" or (got in RAW and expected in RAW) or expected in NUMBERS.get(got, ()):
        return True
    mine, theirs = vars(layouts).get(got), vars(layouts).get(expected)
    return isinstance(mine, type) and isinstance(theirs, type) and issubclass(mine, theirs)
