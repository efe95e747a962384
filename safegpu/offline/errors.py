"""How compiling fails: by the kernel's fault, or by the caller's."""


class CompileError(RuntimeError):
    """A kernel that does not compile, in the words of the compiler or of ptxas."""


class Refused(RuntimeError):
    """The PTX of a kernel that ptxas refused. Why, it wrote to the standard error."""


class ImportFailed(RuntimeError):
    """A module that does not import: what it raised, and where."""


class BadTarget(ValueError):
    """What was given to compile is not there, is no kernel, or cannot be built as asked."""
