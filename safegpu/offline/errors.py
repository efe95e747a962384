"""How compiling fails: by the kernel's fault, or by the caller's."""


class CompileError(RuntimeError):
    """A kernel that does not compile, in the words of the compiler or of ptxas."""


class BadTarget(ValueError):
    """What was given to compile is not there, is no kernel, or cannot be built as asked."""
