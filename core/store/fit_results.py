"""The records of a fit and of its making, read from its folder."""

from pathlib import Path
from typing import Any

from msgspec import Struct

from core.analysis.record.fit_record import FitRecord, as_record, part_of_result
from core.analysis.record.sections import Diagnostics
from core.store.results import read_json


def read_fit(run: Path) -> FitRecord:
    """What a finished fit says, checked against the manifest.

    Args:
        run: The run's folder.

    Raises:
        WorkspaceError: There is no result, it is damaged or of another version.
    """
    return as_record(read_json(run, "summary"))


class FitReport(Struct, frozen=True, kw_only=True):
    """What a fit says of its making: fit.json.

    Attributes:
        run: Where it is.
        seconds: What its parts took, `total` and `results` among them.
        peak_rss_bytes: Memory at most.
        precision: Floating point type.
        device: What it was computed on.
        seed: Of its random numbers.
        chains: Independent chains.
        warmup: Iterations per chain that were thrown away.
        draws: Draws kept per chain.
        notes: What the sampler has to say.
        continues: The fit whose draws it begins with.
        versions: What it was made with.
        diagnostics: The verdict.
        compilations: Functions that were compiled.
    """

    run: str = ""
    seconds: dict[str, float | None] = {}
    peak_rss_bytes: int | None = None
    precision: str = ""
    device: str = ""
    seed: int | None = None
    chains: int | None = None
    warmup: int | None = None
    draws: int | None = None
    notes: tuple[str, ...] = ()
    continues: str | None = None
    versions: dict[str, Any] = {}
    diagnostics: Diagnostics | None = None
    compilations: int | None = None

    @property
    def total_seconds(self) -> float | None:
        """What it took in all; None where that is not known."""
        return self.seconds.get("total")

    @property
    def results_seconds(self) -> float | None:
        """What its results took; None where that is not known."""
        return self.seconds.get("results")


def read_report(run: Path) -> FitReport:
    """What a finished fit says of its making.

    Raises:
        WorkspaceError: There is no result, or it is damaged.
    """
    return part_of_result(read_json(run, "fit"), FitReport, "fit")
