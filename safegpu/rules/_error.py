"""How a rule that is decided when a kernel is lowered is told: an exception, or a warning."""


class RuleError(ValueError):
    """A kernel breaks a rule, and Mosaic GPU would have lowered it: `safegpu explain CODE` says more."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        """The rule's code."""
        self.message = message
        """What is wrong, and what to do instead."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class RaceWarning(UserWarning):
    """A kernel whose body has no annotations has a race: what comes out depends on the time that its parts take.

    It may compute rightly for years, so it goes on to work when nothing but its imports are changed. With the first
    annotation of the body it is a `RuleError` instead. `warnings.simplefilter("error", mgpu.RaceWarning)` makes the
    warning itself an exception.
    """


for _told in (RuleError, RaceWarning):
    _told.__module__ = "safegpu"  # as which it is imported, so that a traceback says it
