"""Matrix products in registers: wgmma's accumulator takes dtype tokens, the rest is Mosaic GPU's."""

import functools
from typing import Any

from safegpu import _optimized
from safegpu._dtype import ir_type, is_token, signedness
from safegpu._facade import Facade, facade
from safegpu._gate import needing, require
from safegpu._jax import mgpu, nvvm
from safegpu.architectures import HasFloat8, HasWGMMA
from safegpu.refs import is_float8
from safegpu.watch import watched

__all__ = ["MMALayouts", "WGMMAAccumulator", "mma", "wgmma", "wgmma_commit_group", "wgmma_wait_group"]

_Real = mgpu.WGMMAAccumulator

MMALayouts = facade(mgpu.MMALayouts)


@watched("mma")
@functools.wraps(mgpu.mma)
def mma(acc: Any, a: Any, b: Any) -> Any:
    if is_float8(a.mlir_dtype):
        require(HasFloat8, "mma of 8-bit floats")
    return mgpu.mma(acc, a, b)


@watched("wgmma")
@functools.wraps(mgpu.wgmma)
def wgmma(acc: Any, a: Any, b: Any, **kwargs: Any) -> Any:
    require(HasWGMMA, "wgmma")
    if not __debug__:
        _optimized.in_smem("wgmma", a=a, b=b)
    return mgpu.wgmma(acc, a, b, **kwargs)


class WGMMAAccumulator(_Real, metaclass=Facade):
    """The accumulator of wgmma."""

    @classmethod
    @watched("WGMMAAccumulator.zero")
    @functools.wraps(_Real.zero.__func__)
    def zero(cls, m: int, n: int, dtype: Any = None, *, is_signed: bool | None = None) -> Any:
        require(HasWGMMA, "WGMMAAccumulator.zero")
        is_signed = signedness("WGMMAAccumulator.zero", dtype, is_signed)
        return _Real.zero(m, n, ir_type(dtype) if is_token(dtype) else dtype, is_signed=is_signed)

    @classmethod
    @watched("WGMMAAccumulator.from_registers")
    @functools.wraps(_Real.from_registers.__func__)
    def from_registers(cls, registers: Any, sync: bool = True) -> Any:
        require(HasWGMMA, "WGMMAAccumulator.from_registers")
        return _Real.from_registers(registers, sync)


@watched("wgmma_commit_group")
@needing(HasWGMMA, "wgmma_commit_group")
def wgmma_commit_group() -> None:
    """Makes a group of the wgmma issued since the last one (PTX ISA, "wgmma.commit_group")."""
    nvvm.wgmma_commit_group_sync_aligned()


@watched("wgmma_wait_group")
@needing(HasWGMMA, "wgmma_wait_group")
def wgmma_wait_group(allow_groups: int) -> None:
    """Waits until at most `allow_groups` groups of wgmma are under way (PTX ISA, "wgmma.wait_group")."""
    nvvm.wgmma_wait_group_sync_aligned(allow_groups)
