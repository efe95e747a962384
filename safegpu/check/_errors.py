"""Why a run could not be made, or not quite as asked."""


class CannotCheck(Exception):
    """Nothing was checked; the message is one line that says why. `unchecked` counts the files that wait for it."""

    def __init__(self, message: str, unchecked: int = 0) -> None:
        super().__init__(message)
        self.unchecked = unchecked


class SettingsWarning(UserWarning):
    """A project's settings have an option that mypy passes over."""
