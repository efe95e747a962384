"""The exception of a rule that is decided when a kernel is lowered."""


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
