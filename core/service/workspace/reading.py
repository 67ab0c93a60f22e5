"""Reading: a reader starts before a command has loaded what asks it for a table."""

from core.data.files.ahead import AHEAD


def prepare() -> None:
    """Have a reader do its imports while the caller gets to the file's name."""
    AHEAD.prepare()
