"""The record of a fit, read from its folder."""

from pathlib import Path

from core.analysis.record.fit_record import FitRecord, as_record
from core.store.results import read_json


def read_fit(run: Path) -> FitRecord:
    """What a finished fit says, checked against the manifest.

    Args:
        run: The run's folder.

    Raises:
        WorkspaceError: There is no result, it is damaged or of another version.
    """
    return as_record(read_json(run, "summary"))
