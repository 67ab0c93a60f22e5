"""Progress of a run in a notebook: a line on standard error now and then."""

import sys
from pathlib import Path

from core.service.runs import RunStatus, Watch
from core.view.progress import Pace


class Lines(Watch):
    """A line when a run starts, when its phase changes, and every ten seconds."""

    def __init__(self) -> None:
        self._pace = Pace()

    def started(self, run: Path, purpose: str) -> None:
        """Say what the run is for."""
        self._pace = Pace(run)
        _print(purpose)

    def __call__(self, status: RunStatus) -> None:
        """Say how it stands, where a line is due."""
        for line in filter(None, (self._pace.preview(), self._pace.line(status))):
            _print(line)

    def stopping(self) -> None:
        """Say that it was asked to stop."""
        _print("Stopping after the current block of draws.")


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
