"""`compile_kernel`, which is a name of the package."""

import atexit
from typing import TYPE_CHECKING, Any

from safegpu.offline.compiled import Compiled
from safegpu.offline.compiling import compile_in, for_architecture, require_toolchain
from safegpu.offline.elsewhere import Elsewhere, Ended
from safegpu.offline.errors import BadTarget, CompileError

if TYPE_CHECKING:
    from safegpu.offline.lowering import Lowered

_COMPILERS: dict[str, Elsewhere] = {}


def _compiler(arch: str) -> Elsewhere:
    """The process that compiles for `arch`, which lives as long as this one."""
    if arch not in _COMPILERS:
        _COMPILERS[arch] = Elsewhere()
        atexit.register(_COMPILERS[arch].close)
    return _COMPILERS[arch]


def compile_kernel(kernel: Any, *, arch: Any = None, peers: int | None = None) -> Compiled:
    """Compiles a kernel to SASS without a GPU. `public.pyi` says what it takes."""
    require_toolchain()
    if isinstance(arch, type):
        arch = arch.__name__
    if peers is not None and peers < 1:
        raise BadTarget(f"peers is the number of devices in the mesh and must be at least 1, got {peers}")
    from safegpu.offline.kernels import lower

    name = getattr(kernel, "__name__", repr(kernel))

    def lower_here(arch: str | None) -> "tuple[Lowered, int, str | None]":
        try:
            return lower(kernel, arch, peers)
        except BadTarget as error:
            raise BadTarget(f"{name} {error}") from None

    ready = for_architecture(name, lower_here, arch)
    try:
        return compile_in(_compiler(ready.arch), ready)
    except Ended as error:
        del _COMPILERS[ready.arch]
        raise CompileError(str(error)) from None
