"""What a finished fit has learnt of the ROI of its channels, its priors divided out."""

import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.analysis.record.sections import ChannelPrior
from core.data.mapping import PAID
from core.errors import SpecError
from core.model.priors.pooling.learnt import NOTHING, Learnt, learnt
from core.model.priors.prior import Prior, prior
from core.project.fits.runs import Run
from core.project.settings.project import load_project
from core.store.fit_results import read_fit
from core.store.results import open_dataset
from core.text.languages.language import marked

#: Why a fit's channel says nothing to others.
_NO_MONEY = marked("what it brings is not counted in money")
_OTHER_PRIOR = "its prior is on its {kind}, which cannot be taken out of its ROI"
_WINDOW = marked("its prior is on the ROI of some of the dates")
_NO_ROI = marked("it has no ROI above zero")
_DIRECT = marked("its prior is on what it brings directly, not on its total")
_OLD = marked("the fit was made by another version: fit again")
#: The observed outcome of each period by its first day.
Outcome = Mapping[str, float]
_NAMES = {"mroi": "marginal ROI", "coefficient": "coefficient"}


@dataclass(frozen=True)
class Return:
    """What is known of the ROI of a channel of a project.

    Attributes:
        channel: The channel.
        learnt: What data say of the logarithm of its ROI.
        is_tested: Whether a lift test is in it.
        reason: Why it says nothing; empty where it does.
        test: Dates of the test that it is from; empty for a fit.
        prior: Of the fit, and the ROI for one unit of what it is of; None where it
            cannot be taken out.
    """

    channel: str
    learnt: Learnt
    is_tested: bool = False
    reason: str = ""
    test: str = ""
    prior: tuple[Prior, float] | None = None


@dataclass(frozen=True)
class OfFit:
    """What a fit says to other projects.

    Attributes:
        is_money: Whether its outcome is money, so that an ROI is a plain number.
        kpi: Name of its KPI.
        verdict: On the fit.
        returns: Of its paid channels.
        outcome: The observed outcome of each period by its first day, by which a
            market is known again.
    """

    is_money: bool
    kpi: str
    verdict: str
    returns: tuple[Return, ...]
    outcome: Outcome


def of_fit(run: Run) -> OfFit:
    """What a finished fit has learnt.

    Raises:
        WorkspaceError: The fit is damaged.
    """
    manifest = os.stat(run.folder / "result" / "manifest.json")
    return _of_fit(run.folder, manifest.st_mtime_ns, manifest.st_ino)


@functools.lru_cache(maxsize=256)
def _of_fit(folder: Path, *_: int) -> OfFit:
    fit = read_fit(folder)
    channels = open_dataset(folder, "channels")
    windows = {
        channel.name: bool(channel.calibration)
        for channel in load_project(folder).spec.channels
    }
    tested = {name for test in fit.experiments for name in test.channels}
    funnel = fit.funnel.channels if fit.funnel else ()
    mediated = {channel.name for channel in funnel}
    returns = []
    for channel in fit.channels:
        if channel.kind not in PAID:
            continue
        own = channels.sel(channel=channel.name)
        roi, share = own["roi"].to_numpy(), own["contribution"].to_numpy()
        reason, before = _NO_MONEY, None
        if fit.is_money:
            is_windowed = windows.get(channel.name, False)
            reason, before = _prior(channel.prior, roi, share, is_windowed)
        if channel.name in mediated:
            reason, before = _DIRECT, None
        evidence = NOTHING if before is None else learnt(roi, *before)
        is_tested = channel.name in tested
        returns.append(Return(channel.name, evidence, is_tested, reason, prior=before))
    weeks = open_dataset(folder, "weeks")
    return OfFit(
        fit.is_money,
        fit.kpi_name,
        fit.verdict,
        tuple(returns),
        by_day(weeks["time"].to_numpy(), weeks["actual"].to_numpy()),
    )


def by_day(times: np.ndarray, outcome: np.ndarray) -> Outcome:
    """Outcome by the first day of its period.

    Args:
        times: First days, datetime64.
        outcome: Of each.
    """
    days = np.asarray(times, "datetime64[D]").astype(str).tolist()
    return dict(zip(days, outcome.astype(float).tolist(), strict=True))


def _prior(
    about: ChannelPrior, roi: np.ndarray, share: np.ndarray, is_windowed: bool
) -> tuple[str, tuple[Prior, float] | None]:
    """The prior of a channel with its factor, or why it cannot be taken out."""
    if about.kind not in ("roi", "contribution"):
        return _OTHER_PRIOR.format(kind=_NAMES.get(about.kind, "scale")), None
    if is_windowed:
        return _WINDOW, None
    if not (np.isfinite(roi).all() and (roi > 0).all()):
        return _NO_ROI, None
    # Outcome over spend: the same in every draw, but for the noise of the outcome.
    factor = 1.0 if about.kind == "roi" else float(np.median(roi / share))
    try:
        own = prior(about.family, shift=about.shift, **about.parameters)
    except (SpecError, TypeError, KeyError):
        return _OLD, None
    return "", (own, factor)


def is_same_market(one: Outcome, other: Outcome) -> bool:
    """Whether two tables are of one market: the same outcome in most common periods."""
    common = [day for day in one if day in other]
    if len(common) < min(10, len(one), len(other)):
        return False
    same = [abs(one[day] - other[day]) <= 1e-6 * abs(one[day]) for day in common]
    return sum(same) > len(same) / 2
