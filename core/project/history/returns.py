"""Returns over time: each channel's ROI in one fit after the other."""

from dataclasses import dataclass
from pathlib import Path

from core.data.mapping import PAID
from core.errors import MMMError
from core.estimate import OptionalEstimate
from core.project.fits.runs import Run, list_runs
from core.store.fit_results import read_fit
from core.store.results import has_result
from core.store.run_about import read_about


@dataclass(frozen=True)
class FitReturns:
    """ROI of one fit.

    Attributes:
        run_id: The fit.
        created: When it was made, ISO UTC.
        end: First day of the last period of its data.
        roi: Estimate by paid channel: mean, lo, hi and more.
    """

    run_id: str
    created: str
    end: str
    roi: dict[str, OptionalEstimate]


#: Fits that are shown at most.
_MOST = 36


def returns_over_fits(folder: Path) -> list[FitReturns]:
    """ROI in the refreshes of a project up to its newest fit, oldest first.

    From the newest fit back to the one that it refreshed, and so on; then the newest
    fit of each older state of the data; 36 at most.

    Args:
        folder: The project's folder.
    """
    finished = [run for run in list_runs(folder, "fit") if has_result(run.folder)]
    fits: list[FitReturns] = []
    for run in _chain(finished):
        fit = _returns(run)
        if fit is not None:
            fits.append(fit)
        if len(fits) == _MOST:
            break
    return fits[::-1]


def _chain(finished: list[Run]) -> list[Run]:
    """Fits newest first: refreshes, and one for each state of the data before them."""
    by_id = {run.run_id: run for run in finished}
    chain: list[Run] = []
    run = finished[0] if finished else None
    while run is not None and run not in chain:
        chain.append(run)
        run = by_id.get(read_about(run.folder).before)
    if not chain:
        return []
    digests = {each.data_sha256 for each in chain}
    for older in finished:
        digest = older.data_sha256
        if older.number < chain[-1].number and digest not in digests:
            digests.add(digest)
            chain.append(older)
    return chain


def _returns(run: Run) -> FitReturns | None:
    try:
        fit = read_fit(run.folder)
    except MMMError:
        return None  # a damaged fit is a gap in the history, not its end
    roi = {
        channel.name: channel.roi
        for channel in fit.channels
        if channel.kind in PAID and channel.has_roi
    }
    return FitReturns(run.run_id, run.created, fit.end, roi)
