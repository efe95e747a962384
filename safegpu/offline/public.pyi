from collections.abc import Callable

from safegpu.architectures import Architecture
from safegpu.kernel import Kernel
from safegpu.offline.compiled import Compiled

def compile_kernel(
    kernel: Kernel | Callable[[], Kernel], *, arch: str | type[Architecture] | None = ..., peers: int | None = ...
) -> Compiled:
    """Compiles a kernel to SASS without a GPU.

    `kernel` is what `as_gpu_kernel` made, or a function without parameters that makes it. A kernel is lowered as it is
    made, so `arch` can choose the architecture (`mgpu.sm_90a`, or `"sm_90a"`) of a function's alone; without it, that is
    the one which the kernel states, or fits what it uses. `peers` is the number of devices of the mesh in which it is
    built and compiled; without it, a function's `devices: int = N`, or one.

    Raises CompileError where the compiler or ptxas refuses the kernel, and BadTarget, a ValueError, where there is
    nothing to compile as asked; what the function raises goes through.
    """
