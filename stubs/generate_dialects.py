"""The dialects' part of `generate.py`: typed modules `jaxlib.mlir.dialects.*` from jaxlib's sources.

A dialect is a module that TableGen wrote (`_arith_ops_gen.py`), enums that it wrote, and what people wrote over it
(`arith.py`). The first two are read whole, and their annotations kept but for what is untrue of them: an operand may
be an operation, too, and a result that is a reference is unknown. Of the third, what has no rule in `REVIEWED` is
taken as it is written, and what is not annotated is unknown.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

DIALECTS = ("arith", "builtin", "cf", "func", "gpu", "llvm", "math", "memref", "nvvm", "scf", "vector")
LINE_LENGTH = 110

# Modules whose names a dialect has as well.
RE_EXPORTED = {
    "gpu": """\
from jaxlib.mlir._mlir_libs._mlirDialectsGPU import *
from jaxlib.mlir.dialects.arith import ConstantOp as ConstantOp
from jaxlib.mlir.dialects.arith import constant as constant
""",
    "llvm": "from jaxlib.mlir._mlir_libs._mlirDialectsLLVM import *\n",
    "scf": "from jaxlib.mlir.dialects.arith import constant as constant\n",
}

ALIASES = """\
type _Op = ir.OpView | ir.Operation
type _Operand = ir.Value | _Op
type _Operands = Sequence[_Operand] | _Op
"""

# A value of unknown type passes for one of `_UnknownType`, and a value of a known type does not.
UNKNOWN = """\
class _UnknownType(ir.Type): ...

type _Unknown = ir.Value[_UnknownType] | ir.Value[ir.Type] | _Op
"""

# What an operation on scalars takes beside vectors: MLIR's SignlessIntegerLike and FloatLike.
INTEGERS = ("ir.IndexType", "ir.IntegerType")
FLOATS = ("ir.FloatType",)
VECTORS = ("ir.VectorType",)
EVERY_TYPE = (*INTEGERS, *FLOATS, *VECTORS)

# Operations of `math` on integers, of which MLIR lets `Index` in.
INTEGER_MATH = {"absi", "ctlz", "ctpop", "cttz", "ipowi"}

CONSTANT = """\
@overload
def {name}({self}result: ir.IndexType, value: int | ir.Attribute, *, {where}) -> {index}: ...
@overload
def {name}({self}result: ir.IntegerType, value: int | ir.Attribute, *, {where}) -> {integer}: ...
@overload
def {name}({self}result: ir.FloatType, value: float | ir.Attribute, *, {where}) -> {float}: ...
@overload
def {name}({self}result: ir.Type, value: float | ir.Attribute | array[Any], *, {where}) -> {other}: ...
@overload
def {name}({self}result: ir.Attribute, value: None, *, {where}) -> {other}: ...
"""
WHERE = "loc: ir.Location | None = None, ip: ir.InsertionPoint | None = None"

# What people wrote, and wrote without types or with wrong ones: (dialect, class or "", name).
REVIEWED = {
    ("arith", "ConstantOp", "__init__"): CONSTANT.format(
        name="__init__", self="self, ", where=WHERE, index="None", integer="None", float="None", other="None"
    ),
    ("arith", "", "constant"): CONSTANT.format(
        name="constant",
        self="",
        where=WHERE,
        index="ir.OpResult[ir.IndexType]",
        integer="ir.OpResult[ir.IntegerType]",
        float="ir.OpResult[ir.FloatType]",
        other="ir.OpResult",
    ),
    ("builtin", "ModuleOp", "body"): "@property\ndef body(self) -> ir.Block: ...",
    # `region_op` makes a decorator of it, which builds the module's body.
    ("builtin", "", "module"): "module: Any",
    ("func", "ConstantOp", "type"): "@property\ndef type(self) -> ir.Type: ...",
    ("func", "", "func"): "func = FuncOp.from_py_func",
    ("gpu", "", "gpu_async_token"): "def gpu_async_token() -> ir.Type: ...",
    ("gpu", "", "launch"): "launch: Any",
    ("gpu", "", "printf"): f"def printf(format: str, *args: _Operand, {WHERE}) -> PrintfOp: ...",
    ("memref", "", "subview"): (
        "def subview(source: _Operand, offsets: Any, sizes: Any, strides: Any, *, "
        f"result_type: ir.MemRefType | None = None, {WHERE}) -> Any: ..."
    ),
    ("scf", "ForOp", "__init__"): (
        "def __init__(self, lower_bound: _Operand, upper_bound: _Operand, step: _Operand, "
        f"iter_args: _Operands | None = None, *, {WHERE}) -> None: ..."
    ),
    ("scf", "ForOp", "body"): "@property\ndef body(self) -> ir.Block: ...",
    ("scf", "ForOp", "induction_variable"): "@property\ndef induction_variable(self) -> ir.BlockArgument: ...",
    ("scf", "ForOp", "inner_iter_args"): "@property\ndef inner_iter_args(self) -> ir.BlockArgumentList: ...",
    ("scf", "IfOp", "__init__"): (
        "def __init__(self, cond: _Operand, results_: Sequence[ir.Type] | None = None, *, "
        f"has_else: bool = False, {WHERE}) -> None: ..."
    ),
    # Where there is none the block is not asked for.
    ("scf", "IfOp", "else_block"): "@property\ndef else_block(self) -> Any: ...",
    ("scf", "InParallelOp", "__init__"): (
        "def __init__(self, loc: ir.Location | None = None, ip: ir.InsertionPoint | None = None) -> None: ..."
    ),
    # One value for each turn: the induction variable, or a tuple of it, what is carried and the results.
    ("scf", "", "for_"): (
        "def for_(start: _Operand | int, stop: _Operand | int | None = None, step: _Operand | int | None = None, "
        f"iter_args: Sequence[ir.Value] | None = None, *, {WHERE}) -> Iterator[Any]: ..."
    ),
}


# jaxlib overrides `name`, `result` and `attributes` of operations by what is no subtype, and an operand of unknown
# type fits several overloads.
UNCHECKED = """\
# fmt: off
# mypy: disable-error-code="assignment, overload-overlap, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
# pyright: reportOverlappingOverload=false
"""


# Keywords that jaxlib 0.12 adds, each optional: (dialect, operation or function) and their names.
_MASKED = ("access_groups", "alias_scopes", "noalias_scopes", "tbaa")
LATER = {
    ("llvm", "AtomicRMWOp"): ("ignore_denormal_mode",),
    ("llvm", "GEPOp"): ("inrange",),
    ("llvm", "LLVMFuncOp"): ("disable_tail_calls", "sample_profile_suffix_elision_policy"),
    ("llvm", "LoadOp"): ("noundef", "range"),
    ("llvm", "MaskedLoadOp"): _MASKED,
    ("llvm", "MaskedStoreOp"): _MASKED,
    ("llvm", "masked_gather"): _MASKED,
    ("llvm", "masked_scatter"): _MASKED,
    ("llvm", "atomicrmw"): ("ignore_denormal_mode",),
    ("llvm", "func"): ("disable_tail_calls", "sample_profile_suffix_elision_policy"),
    ("llvm", "getelementptr"): ("inrange",),
    ("llvm", "intr_masked_gather"): _MASKED,
    ("llvm", "intr_masked_load"): _MASKED,
    ("llvm", "intr_masked_scatter"): _MASKED,
    ("llvm", "intr_masked_store"): _MASKED,
    ("llvm", "load"): ("noundef", "range"),
    ("nvvm", "MBarrierInitOp"): ("layout",),
    ("nvvm", "mbarrier_init"): ("layout",),
    ("scf", "ParallelOp"): ("unsignedCmp",),
    ("scf", "parallel"): ("unsigned_cmp",),
}
# Operations that jaxlib 0.12 adds, with their functions: not typed, and not wrong.
LATER_NAMES = {
    "arith": "MaximumNumFOp MinimumNumFOp maximumnumf minimumnumf",
    "llvm": (
        "ClmulOp MaximumNumOp MinimumNumOp ModfOp SMulHOp UMulHOp VPReduceFMaximumOp VPReduceFMinimumOp intr_clmul "
        "intr_maximumnum intr_minimumnum intr_modf intr_smulh intr_umulh intr_vector_reduce_fmaximumnum "
        "intr_vector_reduce_fminimumnum intr_vp_reduce_fmaximum intr_vp_reduce_fminimum vector_reduce_fmaximumnum "
        "vector_reduce_fminimumnum"
    ),
    "nvvm": "MBarrierCheckLayoutOp mbarrier_check_layout",
}
# Members that it adds to enums.
LATER_MEMBERS = {
    "AllReduceOperation": {"MINIMUMNUMF": 13, "MAXIMUMNUMF": 14},
    "CombiningKind": {"MINIMUMNUMF": 13, "MAXIMUMNUMF": 14},
}


class DialectError(Exception):
    """What jaxlib holds has no rule here."""


def ir_name(node: ast.expr) -> str | None:
    """`Value` of `_ods_ir.Value`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "_ods_ir":
        return node.attr
    return None


def subscripted(node: ast.expr) -> tuple[str, list[ast.expr]]:
    """`("Union", [X, Y])` of `_Union[X, Y]`, or `("", [])`."""
    if not isinstance(node, ast.Subscript):
        return "", []
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    name = ir_name(node.value) or ast.unparse(node.value).lstrip("_")
    return name, inner


def parameter_type(node: ast.expr | None) -> str:
    """The type of an operand, attribute or result type, where TableGen annotates it."""
    if node is None:
        return "Any"
    name, inner = subscripted(node)
    if name == "Optional":
        given = parameter_type(inner[0])
        return given if given == "Any" else f"{given} | None"
    if name == "Union":
        parts = [parameter_type(part) for part in inner]
        return "Any" if "Any" in parts else " | ".join(parts)
    if name == "Sequence":
        element = parameter_type(inner[0])
        if element == "_Operand":
            return "_Operands"
        return f"Sequence[{element}]" + (" | _Op" if "_Op" in element else "")
    if name == "Value":
        return f"ir.Value[ir.{ir_name(inner[0])}] | _Op"
    plain = ir_name(node)
    if plain == "Value":
        return "_Operand"
    if plain is not None:
        return f"ir.{plain}"
    return {"_Any": "Any", "dict": "dict[str, Any]"}.get(ast.unparse(node), ast.unparse(node))


def result_type(node: ast.expr | None, *, references: bool) -> str:
    """The type of a result or property; a reference, or what may be one, is unknown."""
    if node is None:
        return "Any"
    name, inner = subscripted(node)
    if name == "Optional":
        given = result_type(inner[0], references=references)
        return given if given == "Any" else f"{given} | None"
    if name in ("Value", "OpResult", "OpOperandList", "OpResultList"):
        kind = ir_name(inner[0])
        return "Any" if kind in ("MemRefType", "UnrankedMemRefType") else f"ir.{name}[ir.{kind}]"
    if name:
        return "Any"  # one result, several or the operation: who calls it knows
    plain = ir_name(node)
    if plain == "OpResult" and references:
        return "Any"
    return ast.unparse(node) if plain is None else f"ir.{plain}"


class HandWritten(ast.NodeTransformer):
    """Annotations as people write them in jaxlib, in names of this stub."""

    TYPING = {"List": "list", "Tuple": "tuple", "Sequence": "Sequence", "Callable": "Callable", "Any": "Any"}
    IR = {
        "ArrayAttr", "Attribute", "Block", "BlockArgumentList", "DenseI32ArrayAttr", "FlatSymbolRefAttr",
        "FunctionType", "Location", "MemRefType", "OpResult", "OpResultList", "OpView", "Operation", "Region",
        "StringAttr", "Type", "TypeAttr", "Value",
    }  # fmt: skip

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        name = ast.unparse(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        inner = [ast.unparse(self.visit(part)) for part in parts]
        if name == "Optional":
            return parsed(f"{inner[0]} | None")
        if name == "Union":
            return parsed(" | ".join(inner))
        # A parameter that is a list takes any sequence of values or operations in fact, and a list is invariant.
        return parsed(f"{'Sequence' if name == 'List' else self.TYPING.get(name, name)}[{', '.join(inner)}]")

    def visit_List(self, node: ast.List) -> ast.expr:
        return parsed(f"[{', '.join(ast.unparse(self.visit(part)) for part in node.elts)}]")

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == "dict":
            return parsed("dict[str, Any]")
        if node.id == "List":
            return parsed("Sequence[Any]")
        return parsed(f"ir.{node.id}") if node.id in self.IR else node


def parsed(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body


def hand_written(node: ast.expr | None, name: str = "") -> str:
    if node is None:
        return {"loc": "ir.Location | None", "ip": "ir.InsertionPoint | None"}.get(name, "Any")
    return ast.unparse(HandWritten().visit(node))


def wrapped(head: str, parameters: list[str], tail: str, indent: str) -> list[str]:
    """A signature on one line, or its parameters on lines of their own, as many as fit on each."""
    flat = ", ".join(parameters)
    if len(indent + head + flat + tail) <= LINE_LENGTH:
        return [indent + head + flat + tail]
    lines: list[str] = []
    deeper = indent + "    "
    for parameter in parameters:
        if lines and len(f"{lines[-1]} {parameter},") <= LINE_LENGTH:
            lines[-1] += f" {parameter},"
        else:
            lines.append(f"{deeper}{parameter},")
    lines[-1] = lines[-1].removesuffix(",")
    return [indent + head, *lines, indent + tail]


def default(node: ast.expr | None) -> str:
    if node is None:
        return ""
    return f" = {ast.unparse(node)}" if isinstance(node, ast.Constant) else " = ..."


class Parameter:
    def __init__(self, name: str, annotation: ast.expr | None, value: ast.expr | None, kind: str) -> None:
        self.name = name
        self.annotation = annotation
        self.value = value
        self.kind = kind  # "", "*", "*args" or "**"


def parameters(node: ast.FunctionDef) -> list[Parameter]:
    given = node.args
    if given.posonlyargs:
        raise DialectError(f"{node.name}: no rule for positional-only parameters")
    values: list[ast.expr | None] = [None] * (len(given.args) - len(given.defaults))
    values += given.defaults
    found = [Parameter(one.arg, one.annotation, value, "") for one, value in zip(given.args, values, strict=True)]
    if given.vararg:
        found.append(Parameter(given.vararg.arg, given.vararg.annotation, None, "*args"))
    for one, value in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        found.append(Parameter(one.arg, one.annotation, value, "*"))
    if given.kwarg:
        found.append(Parameter(given.kwarg.arg, given.kwarg.annotation, None, "**"))
    return found


def spelled(found: Iterable[tuple[Parameter, str]]) -> list[str]:
    """Parameters with their types, in Python's spelling."""
    texts: list[str] = []
    starred = False
    for parameter, annotation in found:
        if parameter.kind == "*" and not starred:
            texts.append("*")
        starred = starred or parameter.kind in ("*", "*args")
        prefix = {"*args": "*", "**": "**"}.get(parameter.kind, "")
        typed = f": {annotation}" if annotation else ""
        value = default(parameter.value)
        texts.append(f"{prefix}{parameter.name}{typed}{value if typed else value.replace(' ', '')}")
    return texts


def later(dialect: str, name: str, found: list[tuple[Parameter, str]]) -> list[tuple[Parameter, str]]:
    """With the keywords that a later jaxlib adds, before `loc` and `ip`."""
    known = {parameter.name for parameter, _ in found}
    names = [one for one in LATER.get((dialect, name), ()) if one not in known]
    added = [(Parameter(one, None, ast.Constant(None), "*"), "Any") for one in names]
    return [*found[:-2], *added, *found[-2:]] if added else found


def function_text(
    name: str, found: list[tuple[Parameter, str]], result: str, *, indent: str = "", generic: str = ""
) -> list[str]:
    return wrapped(f"def {name}{generic}(", spelled(found), f") -> {result}: ...", indent)


# --- what TableGen writes


def decorated(node: ast.FunctionDef) -> set[str]:
    return {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}


def table_gen_class(dialect: str, node: ast.ClassDef) -> list[str]:
    """An operation or its adaptor."""
    references = dialect == "memref" and node.name != "LoadOp"
    base = ast.unparse(node.bases[0]).replace("_ods_ir", "ir")
    lines = [f"class {node.name}({base}):"]
    settable = {
        member.name for member in node.body if isinstance(member, ast.FunctionDef) and "setter" in decorated(member)
    }
    for member in node.body:
        if isinstance(member, ast.Assign):
            name = ast.unparse(member.targets[0])
            if name == "OPERATION_NAME":
                lines.append(f"    {name} = {ast.unparse(member.value)}")
        elif isinstance(member, ast.FunctionDef):
            if member.name == "__init__":
                own, *rest = parameters(member)
                typed = [(own, ""), *((one, parameter_type(one.annotation)) for one in rest)]
                lines += function_text("__init__", later(dialect, node.name, typed), "None", indent="    ")
            elif "property" in decorated(member):
                result = result_type(member.returns, references=references)
                if member.name in settable:
                    lines.append(f"    {member.name}: {result}")
                else:
                    lines += ["    @property", f"    def {member.name}(self) -> {result}: ..."]
    return lines if len(lines) > 1 else [f"{lines[0]} ..."]


def results_of_first_operand(node: ast.ClassDef) -> bool:
    """Whether TableGen infers the type of the one result from the first operand."""
    return "results = [operands[0].type] * 1" in ast.unparse(node)


def table_gen_function(dialect: str, node: ast.FunctionDef, op: ast.ClassDef | None) -> list[str]:
    typed = later(dialect, node.name, [(one, parameter_type(one.annotation)) for one in parameters(node)])
    returns = ast.unparse(node.returns) if node.returns else ""
    if dialect in ("arith", "math") and returns == "_ods_ir.OpResult":
        if op is not None and results_of_first_operand(op):
            return same_type_overloads(dialect, node.name, typed)
        if node.name in ("cmpi", "cmpf"):
            return comparison_overloads(node.name, typed)
        if node.name == "select":
            return overload(node.name, typed, "V", "V", "ir.Value", only=("true_value", "false_value"))
        if typed[0][1] == "ir.Type":
            return result_type_overloads(node.name, typed)
    references = dialect == "memref" and node.name not in NOT_REFERENCES
    result = result_type(node.returns, references=references)
    # An operation and its function may have one name; the function is what the module keeps, and makes the operation.
    return function_text(node.name, typed, "Any" if result == node.name else result)


# Of `memref`'s results without a type, those that are elements or indices.
NOT_REFERENCES = {"atomic_rmw", "generic_atomic_rmw", "load"}


def overload(
    name: str,
    typed: list[tuple[Parameter, str]],
    variable: str,
    result: str,
    bound: str,
    only: tuple[str, ...] = (),
) -> list[str]:
    """A signature whose operands (or `only` some) are of one type variable; all but the first may be unknown."""
    first = True
    found = []
    for parameter, annotation in typed:
        if annotation == "_Operand" and (not only or parameter.name in only):
            annotation = variable if first else f"{variable} | _Unknown"
            first = False
        found.append((parameter, annotation))
    return function_text(name, found, result, generic=f"[{variable}: {bound}]")


def unknown_overload(name: str, typed: list[tuple[Parameter, str]]) -> list[str]:
    """The first operand is an operation, or of a type that is not known any closer."""
    found = []
    first = True
    for parameter, annotation in typed:
        if first and annotation == "_Operand":
            annotation, first = "ir.Value[ir.Type] | _Op", False
        found.append((parameter, annotation))
    return function_text(name, found, "ir.OpResult")


def overloads(*signatures: list[str]) -> list[str]:
    return list(itertools.chain.from_iterable(["@overload", *lines] for lines in signatures))


def same_type_overloads(dialect: str, name: str, typed: list[tuple[Parameter, str]]) -> list[str]:
    integers = name in INTEGER_MATH if dialect == "math" else not name.endswith("f") and name not in FLOAT_ARITH
    families = (*(INTEGERS if integers else FLOATS), *VECTORS)
    if name in CONDITIONS:
        families = ("ir.IntegerType", *(family for family in families if family != "ir.IntegerType"))
    return overloads(
        *(overload(name, typed, "V", "V", f"ir.Value[{family}]") for family in families), unknown_overload(name, typed)
    )


# Operations of conditions, mostly. Where an operand has an error of its own, `--strict`'s "untyped call",
# mypy holds the other against the first overload, and says that it does not fit: so theirs is that of integers.
CONDITIONS = {"andi", "ori", "xori"}

# Operations of `arith` on floats whose names do not end in "f".
FLOAT_ARITH = {"flush_denormals"}


def comparison_overloads(name: str, typed: list[tuple[Parameter, str]]) -> list[str]:
    families = INTEGERS if name == "cmpi" else FLOATS
    return overloads(
        *(overload(name, typed, "V", "ir.OpResult[ir.IntegerType]", f"ir.Value[{family}]") for family in families),
        *(overload(name, typed, "V", "ir.OpResult[ir.VectorType]", f"ir.Value[{family}]") for family in VECTORS),
        unknown_overload(name, typed),
    )


def result_type_overloads(name: str, typed: list[tuple[Parameter, str]]) -> list[str]:
    """The result is of the type that the first parameter names."""
    (first, _), *rest = typed
    return overloads(
        *(function_text(name, [(first, one), *rest], f"ir.OpResult[{one}]") for one in EVERY_TYPE),
        function_text(name, [(first, "ir.Type"), *rest], "ir.OpResult"),
    )


def enumeration(node: ast.ClassDef) -> list[str]:
    lines = [f"class {node.name}({', '.join(ast.unparse(base) for base in node.bases)}):"]
    for member in node.body:
        if isinstance(member, ast.Assign):
            name = ast.unparse(member.targets[0])
            value = ast.unparse(member.value) if isinstance(member.value, ast.Constant) else "..."
            lines.append(f"    {name} = {value}")
    for name, number in LATER_MEMBERS.get(node.name, {}).items():
        if not any(line.startswith(f"    {name} = ") for line in lines):
            lines.append(f"    {name} = {number}")
    return lines


# --- what people write


def written_function(dialect: str, owner: str, node: ast.FunctionDef, indent: str) -> list[str]:
    kinds = decorated(node)
    found = parameters(node)
    typed = [(one, hand_written(one.annotation, one.name)) for one in found]
    if owner and "staticmethod" not in kinds:
        typed[0][0].name = "cls" if "classmethod" in kinds else typed[0][0].name
        typed[0] = (typed[0][0], "")
    result = "None" if node.name == "__init__" else hand_written(node.returns)
    # jaxlib annotates several kinds of results in one: who calls it knows.
    result = "Any" if "|" in result and "None" not in result else result
    lines = [f"{indent}@{kind}" for kind in ("property", "classmethod", "staticmethod") if kind in kinds]
    return [*lines, *function_text(node.name, typed, result, indent=indent)]


def reviewed(dialect: str, owner: str, name: str, indent: str) -> list[str] | None:
    source = REVIEWED.get((dialect, owner, name))
    if source is None:
        return None
    lines: list[str] = []
    for line in source.strip().splitlines():
        head, opened, rest = line.partition("(")
        if not line.startswith("def ") or len(indent + line) <= LINE_LENGTH:
            lines.append(indent + line)
            continue
        _, _, tail = rest.rpartition(") -> ")
        node = ast.parse(line).body[0]
        assert isinstance(node, ast.FunctionDef)
        typed = [(one, ast.unparse(one.annotation) if one.annotation else "") for one in parameters(node)]
        lines += wrapped(f"{head}{opened}", spelled(typed), f") -> {tail}", indent)
    return lines


def written_class(dialect: str, node: ast.ClassDef, base: list[str]) -> list[str]:
    """A class that replaces TableGen's of the same name: its members over that one's."""
    own: dict[str, list[str]] = {}
    for member in node.body:
        name = getattr(member, "name", "")
        if isinstance(member, ast.Assign):
            name = ast.unparse(member.targets[0])
            if not name.startswith("_"):
                own[name] = [f"    {name} = {ast.unparse(member.value)}"]
        elif isinstance(member, ast.FunctionDef) and name not in own:
            kinds = decorated(member)
            if (name.startswith("_") and name != "__init__") or (
                "overload" in kinds and (dialect, node.name, name) not in REVIEWED
            ):
                continue
            setter = any(
                isinstance(other, ast.FunctionDef) and other.name == name and "setter" in decorated(other)
                for other in node.body
            )
            if setter:
                own[name] = [f"    {name}: Any"]
            else:
                own[name] = reviewed(dialect, node.name, name, "    ") or written_function(
                    dialect, node.name, member, "    "
                )
    inherited = without(base[1:], own)
    head = base[0].removesuffix(" ...") if base else f"class {node.name}:"
    return [head, *inherited, *itertools.chain.from_iterable(own.values())]


def without(lines: list[str], names: Iterable[str]) -> list[str]:
    """The body of a class without these members."""
    tree = ast.parse("class _:\n" + "\n".join(lines) if lines else "class _: ...")
    (node,) = tree.body
    assert isinstance(node, ast.ClassDef)
    kept: list[str] = []
    dropped = set(names)
    for member in node.body:
        name = getattr(member, "name", "")
        if isinstance(member, ast.AnnAssign | ast.Assign):
            name = ast.unparse(member.target if isinstance(member, ast.AnnAssign) else member.targets[0])
        if name in dropped or not lines:
            continue
        first = min([member.lineno, *(one.lineno for one in getattr(member, "decorator_list", []))])
        assert member.end_lineno is not None
        kept += lines[first - 2 : member.end_lineno - 1]
    return kept


def hand_written_module(dialect: str, tree: ast.Module, known: dict[str, list[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = written_class(dialect, node, known.get(node.name, []))
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            found[node.name] = reviewed(dialect, "", node.name, "") or written_function(dialect, "", node, "")
        elif isinstance(node, ast.Assign):
            name = ast.unparse(node.targets[0])
            if not name.startswith("_"):
                found[name] = reviewed(dialect, "", name, "") or [f"{name} = {ast.unparse(node.value)}"]
    return found


# --- whole modules


def definitions(dialect: str, folder: Path) -> Iterator[tuple[str, list[str]]]:
    operations = ast.parse((folder / f"_{dialect}_ops_gen.py").read_text(encoding="utf-8"))
    classes = {node.name: node for node in operations.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in operations.body if isinstance(node, ast.FunctionDef)}
    known: dict[str, list[str]] = {}
    for node in operations.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name not in functions:
            known[node.name] = table_gen_class(dialect, node)
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            known[node.name] = table_gen_function(dialect, node, made_by(node, classes))
    enums = folder / f"_{dialect}_enum_gen.py"
    if enums.is_file():
        for node in ast.parse(enums.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                known[node.name] = enumeration(node)
    own = written_module(dialect, folder)
    known |= hand_written_module(dialect, ast.parse(own.read_text(encoding="utf-8")), known)
    for name in LATER_NAMES.get(dialect, "").split():
        known.setdefault(name, [f"{name}: Any"])
    yield from known.items()


def made_by(node: ast.FunctionDef, classes: dict[str, ast.ClassDef]) -> ast.ClassDef | None:
    """The operation that a function makes."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id in classes:
            return classes[inner.func.id]
    return None


def written_module(dialect: str, folder: Path) -> Path:
    package = folder / dialect / "__init__.py"
    return package if package.is_file() else folder / f"{dialect}.py"


IMPORTABLE = {
    "array": ("array",),
    "collections.abc": ("Callable", "Iterator", "Sequence"),
    "enum": ("IntEnum", "IntFlag"),
    "typing": ("Any", "overload"),
}


def dialect_stub(dialect: str, folder: Path) -> str:
    """The text of the stub, without a header."""
    blocks = dict(definitions(dialect, folder))
    body: list[str] = []
    previous = ""
    for lines in blocks.values():
        kind = "class" if lines[0].startswith("class ") else "function"
        if body and not kind == previous == "function":
            body.append("")
        body += lines
        previous = kind
    text = "\n".join(body)
    aliases = UNKNOWN if "_Unknown" in text else ""
    aliases = ALIASES + ("\n" + aliases if aliases else "")
    used = {node.id for node in ast.walk(ast.parse(text + "\n" + aliases)) if isinstance(node, ast.Name)}
    lines = []
    for module, names in IMPORTABLE.items():
        if wanted := [name for name in names if name in used]:
            lines.append(f"from {module} import {', '.join(wanted)}")
    lines += ["", "from jaxlib.mlir import ir"]
    if dialect in RE_EXPORTED:
        lines.append(RE_EXPORTED[dialect].rstrip())
    return "\n".join([*lines, "", aliases, text, ""])


def dialect_stubs(mlir: Path) -> dict[Path, str]:
    """The stubs by path below `mlir`."""
    folder = mlir / "dialects"
    found = {}
    for dialect in DIALECTS:
        path = written_module(dialect, folder).with_suffix(".pyi").relative_to(mlir)
        found[path] = dialect_stub(dialect, folder)
    return found
