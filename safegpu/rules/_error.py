"""The exception of a rule that is decided when a kernel is lowered."""


class RuleError(ValueError):
    """A kernel breaks a rule, and Mosaic GPU would have lowered it. `code` is the rule's: `safegpu explain CODE`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
