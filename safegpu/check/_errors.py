"""Why a run could not be made."""


class CannotCheck(Exception):
    """Nothing was checked; the message is one line that says why."""
