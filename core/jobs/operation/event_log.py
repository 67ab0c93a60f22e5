"""Event log: what happened, as JSON lines in the file that MIXWRIGHT_LOG names.

A line names a request or a run, a screen or a command, and how it went. Nothing of
anybody's data, no project's name and no message is in it: `event` has no field for
them. Standard library only: the supervisor writes here.
"""

import contextlib
import json
import os
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

VARIABLE = "MIXWRIGHT_LOG"
_ROOT = Path(__file__).parents[3]


def event(
    what: Literal["page", "command", "run"],
    *,
    request: str = "",
    name: str = "",
    run: str = "",
    state: str = "",
    code: int | None = None,
    seconds: float | None = None,
    error: BaseException | None = None,
) -> None:
    """Add a line, if a file is named; never fails.

    Args:
        what: A screen that was drawn, a command that ended, a run's new state.
        request: Identifies the drawing or the command; screens show it with an error.
        name: The screen's address, or the command.
        run: The run's identifier.
        state: The run's new state.
        code: The command's exit status.
        seconds: How long it took.
        error: Its class and the place in Mixwright it comes from are written.
    """
    path = os.environ.get(VARIABLE, "")
    if not path:
        return
    line = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "event": what,
        "process": os.getpid(),
        "request": request,
        "name": name,
        "run": run,
        "state": state,
        "code": code,
        "seconds": None if seconds is None else round(seconds, 3),
        "error": type(error).__name__ if error is not None else "",
        "where": _place(error) if error is not None else "",
    }
    filled = {key: value for key, value in line.items() if value not in ("", None)}
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o640)
        try:
            os.write(
                handle, (json.dumps(filled) + "\n").encode()
            )  # whole, or not at all
        finally:
            os.close(handle)


def _place(error: BaseException) -> str:
    """The innermost line of Mixwright's own that an error went through."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        with contextlib.suppress(ValueError):
            return f"{Path(frame.filename).relative_to(_ROOT)}:{frame.lineno}"
    return ""
