"""Scalars: the values a kernel computes with, one class for each MLIR type, with Python's operators.

An operator is one `arith` operation on operands of one type; Python numbers become constants of it. MLIR's
integers have no sign, so the operators pick one: `//`, `%` and `>>` are unsigned, and ordered comparisons, `min` and
`max` are unsigned for `Index` and signed for the others. `==` stays the comparison of two Python objects, because
values are dictionary keys; `eq` and `ne` compare on the GPU.
"""

import functools
import numbers
import types
from collections.abc import Callable
from typing import Any, ClassVar, Self

from safegpu._dtype import ir_type, is_token
from safegpu._gate import truth
from safegpu._jax import arith, gpu, ir, utils
from safegpu._quick import constant_of
from safegpu._value import Value

__all__ = [
    "BF16", "F16", "F32", "F64", "I1", "I8", "I16", "I32", "I64", "Dimension", "Index", "block_id", "c",
    "cluster_block_id", "grid_dim", "thread_id", "thread_idx", "warp_idx", "warpgroup_idx",
]  # fmt: skip

Dimension = gpu.Dimension


_create = ir.Operation.create  # by name: the functions of MLIR's dialects take three times as long


class Scalar(Value):
    """Base of the scalar classes."""

    __slots__ = ()
    mlir_type: ClassVar[str]
    # The Python numbers that an operand may be, and what makes a constant of one.
    _python: ClassVar[tuple[Any, Callable[[Any], int | float]]] = (numbers.Integral, int)
    _attribute: ClassVar[Any] = ir.IntegerAttr
    __class_getitem__ = classmethod(types.GenericAlias)

    def __init_subclass__(cls) -> None:
        if "mlir_type" in vars(cls):
            _CLASSES[cls.mlir_type] = cls

    def _operand(self, other: object, name: str) -> ir.Value | None:
        """`other` as a value of this scalar's type; None for what Python should ask the other operand."""
        if type(other) is type(self):  # a class is one type's: the common case, and the comparison of types is slow
            return other
        if isinstance(other, ir.Value):
            if other.type != self.type:
                raise TypeError(
                    f"{name}: expected two scalars of one type, got {_name_of(self)} and {_name_of(other)}; "
                    f"convert one of them{_hint(self, other)}"
                )
            return other
        number, constant = self._python
        if type(other) is not constant and not isinstance(other, number):
            return None
        return constant_of(self._attribute.get(self.type, constant(other)))

    def __bool__(self) -> bool:
        return truth(f"a scalar of type {type(self).__name__}")

    def _refused(self, symbol: str, other: object) -> Any:
        if symbol.isalpha():  # a method: Python asks nobody else
            raise TypeError(f"{symbol}: expected {_name_of(self)} or a number of its kind, got {other!r}")
        return NotImplemented


_CLASSES: dict[str, type[Scalar]] = {}


def wrap_scalar(value: Any) -> Any:
    """A value of a scalar type, or each of several, in the class of that type; anything else as it is."""
    if isinstance(value, tuple | list):
        return type(value)(map(wrap_scalar, value))
    cls = _class_of(value.type) if isinstance(value, ir.Value) else None
    return value if cls is None else cls(value)


def _class_of(ty: ir.Type) -> type[Scalar] | None:
    # The spelling of a type says all, and takes long. MLIR's class of a float or of index is one type's, and integers
    # of one width that have no sign are one type.
    kind = type(ty)
    key: Any = kind
    if kind is ir.IntegerType:
        key = ty.width if ty.is_signless else None
    elif kind not in _BY_KIND and not issubclass(kind, ir.IndexType | ir.FloatType):
        return None
    if key not in _BY_KIND:
        _BY_KIND[key] = _CLASSES.get(str(ty))
    return _BY_KIND[key]


_BY_KIND: dict[Any, type[Scalar] | None] = {None: None}


def _name_of(value: ir.Value) -> str:
    cls = _class_of(value.type)
    return str(value.type) if cls is None else cls.__name__


def _hint(*operands: ir.Value) -> str:
    return " (to_i32, to_index)" if {_name_of(operand) for operand in operands} == {"Index", "I32"} else ""


def _binary(symbol: str, operation: str, *, swapped: bool = False) -> Any:
    """An operator, whose result is of the scalar's own class."""

    def operator(self: Scalar, other: object) -> Any:
        cls = type(self)
        operand = other if isinstance(other, cls) else self._operand(other, symbol)
        if operand is None:
            return self._refused(symbol, other)
        operands = (operand, self) if swapped else (self, operand)
        return cls(_create(operation, operands=operands, infer_type=True).result)

    return operator


def _compare(symbol: str, operation: str, predicate: Any) -> Any:
    """A comparison, whose result is an I1."""

    def operator(self: Scalar, other: object) -> Any:
        operand = self._operand(other, symbol)
        if operand is None:
            return self._refused(symbol, other)
        attribute = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), predicate)
        given = {"operands": (self, operand), "attributes": {"predicate": attribute}}
        return I1(_create(operation, **given, infer_type=True).result)

    return operator


_INT = arith.CmpIPredicate
_FLOAT = arith.CmpFPredicate


class _Integral(Scalar):
    __slots__ = ()

    __add__ = _binary("+", "arith.addi")
    __radd__ = _binary("+", "arith.addi", swapped=True)
    __sub__ = _binary("-", "arith.subi")
    __rsub__ = _binary("-", "arith.subi", swapped=True)
    __mul__ = _binary("*", "arith.muli")
    __rmul__ = _binary("*", "arith.muli", swapped=True)
    __floordiv__ = _binary("//", "arith.divui")
    __rfloordiv__ = _binary("//", "arith.divui", swapped=True)
    __mod__ = _binary("%", "arith.remui")
    __rmod__ = _binary("%", "arith.remui", swapped=True)
    __lshift__ = _binary("<<", "arith.shli")
    __rlshift__ = _binary("<<", "arith.shli", swapped=True)
    __rshift__ = _binary(">>", "arith.shrui")
    __rrshift__ = _binary(">>", "arith.shrui", swapped=True)
    __and__ = _binary("&", "arith.andi")
    __rand__ = _binary("&", "arith.andi", swapped=True)
    __or__ = _binary("|", "arith.ori")
    __ror__ = _binary("|", "arith.ori", swapped=True)
    __xor__ = _binary("^", "arith.xori")
    __rxor__ = _binary("^", "arith.xori", swapped=True)
    min, max = _binary("min", "arith.minui"), _binary("max", "arith.maxui")
    eq = _compare("eq", "arith.cmpi", _INT.eq)
    ne = _compare("ne", "arith.cmpi", _INT.ne)


class _Ordered(_Integral):
    __slots__ = ()

    min, max = _binary("min", "arith.minsi"), _binary("max", "arith.maxsi")
    __lt__ = _compare("<", "arith.cmpi", _INT.slt)
    __le__ = _compare("<=", "arith.cmpi", _INT.sle)
    __gt__ = _compare(">", "arith.cmpi", _INT.sgt)
    __ge__ = _compare(">=", "arith.cmpi", _INT.sge)


class Index(_Integral):
    """A value of MLIR's `index` type: block and thread indices, loop counters, subscripts."""

    __slots__ = ()
    mlir_type = "index"

    __lt__ = _compare("<", "arith.cmpi", _INT.ult)
    __le__ = _compare("<=", "arith.cmpi", _INT.ule)
    __gt__ = _compare(">", "arith.cmpi", _INT.ugt)
    __ge__ = _compare(">=", "arith.cmpi", _INT.uge)

    def to_i32(self) -> "I32":
        return I32(arith.index_cast(ir.IntegerType.get_signless(32), self))


class I1(Scalar):
    """A truth value: what comparisons give, and what predicates and `when` take."""

    __slots__ = ()
    mlir_type = "i1"

    __and__ = _binary("&", "arith.andi")
    __rand__ = _binary("&", "arith.andi", swapped=True)
    __or__ = _binary("|", "arith.ori")
    __ror__ = _binary("|", "arith.ori", swapped=True)
    __xor__ = _binary("^", "arith.xori")
    __rxor__ = _binary("^", "arith.xori", swapped=True)

    def __invert__(self) -> Self:
        return self ^ 1

    def select(self, on_true: Any, on_false: Any) -> Any:
        """`on_true` where this holds and `on_false` elsewhere, two scalars of one type; one may be a number."""
        scalar = next((each for each in (on_true, on_false) if isinstance(each, Scalar)), None)
        if scalar is None:
            raise TypeError(f"select: expected a scalar among the two values, got {on_true!r} and {on_false!r}")
        operands = [scalar._operand(each, "select") for each in (on_true, on_false)]
        if any(operand is None for operand in operands):
            raise TypeError(f"select: expected two scalars or numbers of one type, got {on_true!r} and {on_false!r}")
        return wrap_scalar(arith.select(self, *operands))


class I8(_Ordered):
    __slots__ = ()
    mlir_type = "i8"


class I16(_Ordered):
    __slots__ = ()
    mlir_type = "i16"


class I32(_Ordered):
    __slots__ = ()
    mlir_type = "i32"

    def to_index(self) -> Index:
        return Index(arith.index_cast(ir.IndexType.get(), self))


class I64(_Ordered):
    __slots__ = ()
    mlir_type = "i64"


class _Floating(Scalar):
    __slots__ = ()
    _python = (numbers.Real, float)
    _attribute = ir.FloatAttr

    __add__ = _binary("+", "arith.addf")
    __radd__ = _binary("+", "arith.addf", swapped=True)
    __sub__ = _binary("-", "arith.subf")
    __rsub__ = _binary("-", "arith.subf", swapped=True)
    __mul__ = _binary("*", "arith.mulf")
    __rmul__ = _binary("*", "arith.mulf", swapped=True)
    __truediv__ = _binary("/", "arith.divf")
    __rtruediv__ = _binary("/", "arith.divf", swapped=True)
    # NaN where one is NaN, as the `max` and `min` of arrays.
    min, max = _binary("min", "arith.minimumf"), _binary("max", "arith.maximumf")
    # Ordered comparisons: false where an operand is NaN, as in Python, and `ne` true.
    __lt__ = _compare("<", "arith.cmpf", _FLOAT.OLT)
    __le__ = _compare("<=", "arith.cmpf", _FLOAT.OLE)
    __gt__ = _compare(">", "arith.cmpf", _FLOAT.OGT)
    __ge__ = _compare(">=", "arith.cmpf", _FLOAT.OGE)
    eq = _compare("eq", "arith.cmpf", _FLOAT.OEQ)
    ne = _compare("ne", "arith.cmpf", _FLOAT.UNE)

    def __neg__(self) -> Self:
        return type(self)(arith.negf(self))


class F16(_Floating):
    __slots__ = ()
    mlir_type = "f16"


class BF16(_Floating):
    __slots__ = ()
    mlir_type = "bf16"


class F32(_Floating):
    __slots__ = ()
    mlir_type = "f32"


class F64(_Floating):
    __slots__ = ()
    mlir_type = "f64"


def giving_scalars[**P](function: Callable[P, Any]) -> Callable[P, Any]:
    """A function of Mosaic GPU or MLIR that gives a scalar, so that it gives one of ours."""

    @functools.wraps(function)
    def given(*args: P.args, **kwargs: P.kwargs) -> Any:
        return wrap_scalar(function(*args, **kwargs))

    return given


thread_idx = giving_scalars(utils.thread_idx)
warp_idx = giving_scalars(utils.warp_idx)
warpgroup_idx = giving_scalars(utils.warpgroup_idx)


def check_integral(where: str, value: Any) -> None:
    """Refuses a scalar that is no integer where MLIR makes an integer constant of its type, and may never return."""
    if isinstance(value, ir.Value) and not isinstance(value.type, ir.IndexType | ir.IntegerType):
        raise TypeError(f"{where}: expected an Index or another integer scalar, got {_name_of(value)}")


def scalar_type(ty: Any) -> Any:
    """The MLIR type of a scalar class or a dtype token; anything else as it is."""
    if ty is Index:
        return ir.IndexType.get()
    if isinstance(ty, type) and issubclass(ty, Scalar):
        return ir.Type.parse(ty.mlir_type)
    return ir_type(ty) if is_token(ty) else ty


@functools.wraps(utils.c)
def c(val: int | float, ty: Any) -> Any:
    return wrap_scalar(utils.c(val, scalar_type(ty)))


def block_id(dim: Dimension) -> Index:
    """The index of this block in the grid, along one axis."""
    return Index(gpu.block_id(dim))


def cluster_block_id(dim: Dimension) -> Index:
    """The index of this block in its cluster, along one axis."""
    return Index(gpu.cluster_block_id(dim))


def thread_id(dim: Dimension) -> Index:
    """The index of this thread in its block, along one axis."""
    return Index(gpu.thread_id(dim))


def grid_dim(dim: Dimension) -> Index:
    """The number of blocks in the grid, along one axis."""
    return Index(gpu.grid_dim(dim))
