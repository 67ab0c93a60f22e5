"""A reader ahead: it imports its libraries while the caller still imports its own.

`core.data.files.isolated` needs pandas, and so does the reader's process; one after the
other they take twice as long. So a command that names a file has the process start
first of all. It waits for the name of a folder with a request, and ends without one.
Nothing is imported here that takes time.
"""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[3]


class Ahead:
    """At most one process that waits for what it is to read."""

    def __init__(self) -> None:
        self._reader: subprocess.Popen | None = None

    def prepare(self) -> None:
        """Start a reader, unless one waits; where none can be started, none does."""
        if self._reader is None:
            with contextlib.suppress(OSError):
                self._reader = start(subprocess.PIPE, subprocess.DEVNULL)

    def take(self, folder: Path) -> subprocess.Popen | None:
        """The reader that waits, at work on the request in a folder; None without."""
        reader, self._reader = self._reader, None
        if reader is None:
            return None
        try:
            with reader.stdin:
                reader.stdin.write(os.fsencode(folder))
        except OSError:  # it has ended: another one says why
            reader.kill()
            reader.wait()
            return None
        return reader


#: This process's.
AHEAD = Ahead()


def start(stdin: int, log: int, *arguments: str) -> subprocess.Popen:
    """The process that reads; without arguments it waits for a folder on `stdin`."""
    environment = os.environ | {"PYTHONPATH": str(_ROOT), "OMP_NUM_THREADS": "1"}
    environment |= {"OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(
        # -P: what lies in the current folder must not be imported as a module.
        [sys.executable, "-P", "-m", "core.data.files.reader", *arguments],
        stdin=stdin,
        stdout=log,
        stderr=log,
        env=environment,
        start_new_session=True,
    )
