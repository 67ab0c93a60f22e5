"""Promises: what fits, plans and tests of a project said, and what came of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from core.project.promises.calibration import Calibration, calibrated
from core.project.promises.record import Kind, Promise, Score
from core.project.promises.scoring import settle
from core.view import promises as words


@dataclass(frozen=True)
class Record:
    """Every promise of a project.

    Attributes:
        settled: With what came of each, oldest first.
    """

    settled: list[tuple[Promise, Score]]

    def calibrated(self, kind: Kind | None = None) -> list[Calibration]:
        """How many intervals held, by level; empty where nothing was scored.

        Args:
            kind: Of one kind only; None for all.
        """
        return calibrated(self.settled, kind)

    def as_dict(self) -> dict[str, Any]:
        """As `history --promises --json` prints it."""
        rows = []
        for promise, score in self.settled:
            about = msgspec.to_builtins(promise)
            about.pop("draws")
            outcomes = msgspec.to_builtins(score)
            for internal in ("data", "chances"):
                outcomes.pop(internal)
            rows.append(about | {"score": outcomes})
        kinds = {promise.kind for promise, _ in self.settled}
        return {
            "promises": rows,
            "calibration": [each._asdict() for each in self.calibrated()],
            "calibration_by_kind": {
                kind: [each._asdict() for each in self.calibrated(kind)]
                for kind in sorted(kinds)
            },
            "said": list(words.findings(self.settled)),
        }


def record(project: Path, *, keeps: bool = True) -> Record:
    """Every promise of a project, scored as far as its data go.

    What is scored for the first time is kept, so that it is read only the next time.

    Args:
        project: Its folder.
        keeps: Whether it may be kept.

    Raises:
        WorkspaceError: The project is damaged.
    """
    return Record(settle(project, keeps=keeps))
