"""Progress of a run on standard error."""

import sys
from pathlib import Path

from core.cli.answer import clean, tell
from core.service.runs import RunStatus, Watch
from core.view.progress import Pace, progress_text


def stopping_all() -> None:
    """Say that all runs were asked to stop."""
    tell("Stopping; press Ctrl-C again to leave them to stop by themselves.")


class Progress(Watch):
    """Progress on standard error: one line that moves, or a line now and then.

    The preview of a fit is told, once, as soon as there is one.
    """

    def __init__(self) -> None:
        self._pace = Pace()
        self.moves = sys.stderr.isatty()
        self._width = 0

    def started(self, run: Path, purpose: str) -> None:
        """Say what a run is for, or where it is."""
        self._pace = Pace(run)
        tell(purpose)

    def stopping(self) -> None:
        """Say that it was asked to stop."""
        tell("Stopping; press Ctrl-C again to leave it to stop by itself.")

    def __call__(self, status: RunStatus) -> None:
        """Show how a run stands."""
        if preview := self._pace.preview():
            self.ended()
            tell(preview)
        if not self.moves:
            if line := self._pace.line(status):
                tell(line)
        elif line := clean(progress_text(status)):
            self._width = max(self._width, len(line))
            print(f"\r{line:<{self._width}}", end="", file=sys.stderr, flush=True)

    def ended(self) -> None:
        """Leave the line that moved."""
        if self.moves and self._width:
            print(file=sys.stderr, flush=True)
