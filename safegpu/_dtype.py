"""Dtype tokens met with MLIR's types: a typed call takes either."""

from typing import Any, TypeGuard

from safegpu import dtypes
from safegpu._jax import ir, jax, utils
from safegpu.dtypes import DType


def is_token(dtype: object) -> TypeGuard[type[DType]]:
    return isinstance(dtype, type) and issubclass(dtype, DType)


def token_of(dtype: Any) -> type[DType] | None:
    """The token of a dtype in any of JAX's spellings; None for an `ir.Type`, which knows no signedness."""
    if is_token(dtype):
        return dtype
    if isinstance(dtype, ir.Type):
        return None
    name = jax.numpy.dtype(dtype).name
    token = getattr(dtypes, "bool_" if name == "bool" else name, None)
    return token if is_token(token) else None


def ir_type(dtype: Any) -> ir.Type:
    """The MLIR type of a dtype; an `ir.Type` is its own."""
    return dtype if isinstance(dtype, ir.Type) else utils.dtype_to_ir_type(dtype)


def name_of(dtype: Any) -> str:
    """How an author writes this dtype."""
    token = token_of(dtype)
    return str(dtype) if token is None else token.__name__


def signedness(where: str, dtype: Any, is_signed: bool | None, keyword: str = "is_signed") -> bool | None:
    """`is_signed`, filled in from a token where the author left it out."""
    if not is_token(dtype):
        return is_signed
    if is_signed is not None and is_signed is not dtype.is_signed:
        raise ValueError(
            f"{where}: expected {keyword}={dtype.is_signed}, as {dtype.__name__} says, got {is_signed}; "
            f"leave {keyword} out"
        )
    return dtype.is_signed


def check_dtype(where: str, actual: ir.Type, dtype: Any) -> None:
    if actual != (expected := ir_type(dtype)):
        raise ValueError(
            f"{where}: expected elements of {name_of(dtype)} ({expected}), got {actual}; "
            "pass the dtype that it was declared with as dtype"
        )
