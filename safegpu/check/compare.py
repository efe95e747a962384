"""What keeps one type from being another: the class, the memory space, or the type arguments that differ."""

from collections.abc import Mapping

from safegpu import architectures, layouts
from safegpu.check.operations import PROTOCOL, supports
from safegpu.check.surface import as_class
from safegpu.check.typeexpr import UNION, Type

PARAMETERS = {
    "GmemRef": ("dtype",),
    "SmemRef": ("dtype", "swizzle", "architecture"),
    "ClusterSmemRef": ("dtype", "swizzle"),
    "MultimemRef": ("dtype", "architecture"),
    "DenseTMEM": ("dtype", "layout", "collective", "architecture"),
    "ScalesTMEM": ("dtype", "collective"),
    "SparseMetaTMEM": ("collective",),
    "FragmentedArray": ("dtype", "layout"),
    "FragmentedLayout": ("layout",),
    "TiledLayout": ("layout",),
    "TMEMLayout": ("layout",),
    "WGMMAAccumulator": ("dtype",),
    "DynamicSlice": ("scalar",),
    "Value": ("scalar",),
    "LaunchContext": ("architecture",),
    "Scratch": ("architecture",),
}
"""What the type arguments of the public classes are."""

IN_OWN_WORDS = frozenset(["collective", "architecture"])
"""Of these a rule speaks in words of its own: whose tensor memory it is, and what a kernel states that it is for."""

TENSOR_MEMORY = frozenset(["TMEMRef", "DenseTMEM", "SparseMetaTMEM", "ScalesTMEM"])
REFERENCES = frozenset(["GmemRef", "SmemRef", "ClusterSmemRef", "MultimemRef"]) | TENSOR_MEMORY
RAW = frozenset(["Value", "OpResult", "BlockArgument"])
LAYOUTS = frozenset("FragmentedLayout TiledLayout TMEMLayout WGStridedFragLayout WGSplatFragLayout".split())
SCALARS = frozenset("Index I1 I8 I16 I32 I64 F16 BF16 F32 F64".split())
BARRIERS = frozenset(f"{kind}Barrier{what}" for kind in ("", "Collective", "Cta") for what in ("Ref", "Array"))

SCRATCH = "Scratch"
CAPABILITIES = tuple(sorted(name for name in vars(architectures) if name.startswith("Has")))

NUMBERS = {"bool": ("int", "float"), "int": ("float",)}

_UNKNOWN = frozenset(["Any", "Never"])


def differences(got: Type, expected: Type) -> frozenset[str]:
    """Why `got` is not `expected`.

    Nothing; or "space", "barrier", "scalar" or "class", where the class is another; "literal", where the value is; or
    the names of the type arguments that differ from those of the nearest alternative, and "capability" for an
    architecture that lacks what is asked for.
    """
    for alternative in got.alternatives:
        nearest = min((_differences(alternative, other) for other in expected.alternatives), key=_distance)
        if nearest == {"class"}:
            return frozenset([_kind(alternative, expected)])
        if nearest:
            return nearest
    return frozenset()


def without_unstated(written: Type) -> Type:
    """The type without the architecture that nobody stated."""
    args = written.args[:-1] if argument(written, "architecture") == Type("Any") else written.args
    return Type(written.name, tuple(map(without_unstated, args)))


def satisfies(got: Type, expected: Type) -> bool:
    return not differences(got, expected)


def argument(written: Type, name: str) -> Type | None:
    """The type argument of this name (`PARAMETERS`); None where the class has none, or it is not spelled out."""
    names = PARAMETERS.get(written.name, ())
    at = names.index(name) if name in names else len(written.args)
    return written.args[at] if at < len(written.args) else None


def short(written: Type) -> Type:
    """The type as an author writes it: without the arguments that are unknown anyway."""
    names = PARAMETERS.get(written.name, ())
    args = [each for at, each in enumerate(written.args) if not IN_OWN_WORDS.intersection(names[at : at + 1])]
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
    # an author's own scratch, as one of an architecture: `Scratch[HasWGMMA]`
    wanted_of = argument(expected, "architecture") if expected.name == SCRATCH else expected
    if wanted_of and (is_architecture(got) or expected.name == SCRATCH):
        if is_capability(wanted_of):
            return "capability"
        if is_architecture(wanted_of):
            return "architecture"
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
    if got.name == SCRATCH and not got.args and expected.args:
        return frozenset(["class"])  # an author's own class of that name: mypy spells out what safegpu's states
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
            name = names[index] if index < len(names) else "class"
            differing.add("capability" if name == "architecture" and is_capability(theirs) else name)
    return frozenset(differing)


def is_architecture(written: Type) -> bool:
    return written.name in architectures.__all__


def is_capability(written: Type) -> bool:
    """Whether it is what an architecture has, and no architecture."""
    return written.name in CAPABILITIES


def _accepts(expected: Type, got: Type) -> bool:
    if expected.name == "int" and got.name == "Literal":
        return True
    return satisfies(got, expected)


def _is_subclass(got: str, expected: str) -> bool:
    if expected == "object" or (got in RAW and expected in RAW) or expected in NUMBERS.get(got, ()):
        return True
    return any(_is_below(vars(module), got, expected) for module in (layouts, architectures))


def _is_below(classes: Mapping[str, object], got: str, expected: str) -> bool:
    mine, theirs = classes.get(got), classes.get(expected)
    return isinstance(mine, type) and isinstance(theirs, type) and issubclass(mine, theirs)
