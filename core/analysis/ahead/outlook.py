"""Outlook: what the draws of a forecast say, and how they change with the plan.

NumPy only: screens use it on forecast.nc, which holds the draws of every period and,
for each paid channel, its outcome at multiples of the planned media.
"""

from collections.abc import Mapping

import numpy as np
import xarray as xr
from msgspec import UNSET, Struct, UnsetType

from core.analysis.ahead.monotone import Monotone
from core.dims import CHANNEL, DRAW, TIME
from core.estimate import Estimate, Part, estimate, extended

#: Ends of the 90 and 50 % intervals and the median.
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
_NAMES = ("lo90", "lo50", "median", "hi50", "hi90")


class Total(Estimate, frozen=True, kw_only=True):
    """A sum over periods, with the ends of its 50 % interval."""

    lo50: float
    hi50: float


class Period(Struct, frozen=True, kw_only=True):
    """A period to come: its first day, its mean, and ends of both intervals."""

    time: str
    mean: float
    lo90: float
    lo50: float
    median: float
    hi50: float
    hi90: float


class GoalOdds(Struct, frozen=True):
    """An outcome to reach in sum, and how likely that is."""

    value: float
    probability: float


class Outlook(Struct, frozen=True, kw_only=True):
    """Periods to come as plain numbers.

    Attributes:
        periods: How many.
        start: First day of the first.
        end: First day of the last.
        weeks: Each of them.
        total: All together.
        parts: Estimates that add up to the expected total.
        goal: None where nobody asked for one.
        total_kpi: In units of the KPI, where these have a value.
    """

    periods: int
    start: str
    end: str
    weeks: tuple[Period, ...]
    total: Total
    parts: tuple[Part, ...]
    goal: GoalOdds | None = None
    total_kpi: Total | UnsetType = UNSET


def bands(draws: np.ndarray) -> dict[str, np.ndarray]:
    """Median and ends of the 50 and 90 % intervals over the first axis."""
    ends = np.quantile(draws, LEVELS, axis=0)
    return {name: np.asarray(end) for name, end in zip(_NAMES, ends, strict=True)}


def outlook(forecast: xr.Dataset, *, goal: float | None = None) -> Outlook:
    """The periods of a forecast as plain numbers.

    Args:
        forecast: What `core.analysis.ahead.forecast.forecast` gives, or `replanned`.
        goal: An outcome to reach in sum.
    """
    outcome = forecast["outcome"].to_numpy()
    ends = bands(outcome)
    weeks = tuple(
        Period(
            time=str(time)[:10],
            mean=float(outcome[:, i].mean()),
            **{name: float(values[i]) for name, values in ends.items()},
        )
        for i, time in enumerate(forecast[TIME].to_numpy())
    )
    return Outlook(
        periods=len(weeks),
        start=weeks[0].time,
        end=weeks[-1].time,
        weeks=weeks,
        total=_total(outcome),
        parts=tuple(_parts(forecast)),
        goal=None if goal is None else GoalOdds(float(goal), goal_odds(forecast, goal)),
        total_kpi=_total(forecast["kpi"].to_numpy()) if "kpi" in forecast else UNSET,
    )


def goal_odds(forecast: xr.Dataset, goal: float) -> float:
    """Probability that the outcome of all periods together reaches a goal.

    From joint draws: periods of one draw share their parameters, so that the sum's
    interval is as wide as it has to be.
    """
    return float((forecast["outcome"].sum(TIME).to_numpy() >= goal).mean())


def _total(draws: np.ndarray) -> Total:
    total = draws.sum(axis=1)
    ends = bands(total)
    half = {name: float(ends[name]) for name in ("lo50", "hi50")}
    return extended(Total, estimate(total), **half)


def _parts(forecast: xr.Dataset) -> list[Part]:
    """Baseline, events and every channel over all periods, as estimates."""
    parts = [_sum(forecast["baseline"], "Baseline", "baseline")]
    if "events" in forecast and np.abs(forecast["events"]).max() > 0:
        parts.append(_sum(forecast["events"], "Events", "events"))
    for name, kind in zip(
        forecast[CHANNEL].to_numpy(), forecast["kind"].to_numpy(), strict=True
    ):
        added = forecast["contribution"].sel({CHANNEL: name})
        parts.append(_sum(added, str(name), str(kind)))
    return parts


def _sum(part: xr.DataArray, name: str, kind: str) -> Part:
    draws = part.sum(TIME).to_numpy().astype(np.float64)
    return extended(Part, estimate(draws), name=name, kind=kind)


def replanned(view: xr.Dataset, multipliers: Mapping[str, float]) -> xr.Dataset:
    """A stored forecast with the media of some channels multiplied.

    Between the multiples that are stored, a channel's outcome per draw and period is
    a monotone cubic (PCHIP); beyond them it goes on along its tangent.

    Args:
        view: forecast.nc.
        multipliers: By paid channel; the others stay as planned.
    """
    changed = {name: by for name, by in multipliers.items() if by != 1.0}
    if not changed:
        return view
    outcome = view["outcome"].to_numpy().astype(np.float64)
    expected = view["expected"].to_numpy().astype(np.float64)
    added = view["contribution"].to_numpy().astype(np.float64)
    names = [str(name) for name in view[CHANNEL].to_numpy()]
    for name, by in changed.items():
        response = view["response"].sel(paid=name).transpose("multiplier", DRAW, TIME)
        grid = view["multiplier"].to_numpy().astype(np.float64)
        curve = Monotone(grid, response.to_numpy().astype(np.float64))
        value, place = curve.along(np.array([by]))[0], names.index(name)
        change = value - added[:, place]
        outcome, expected = outcome + change, expected + change
        added[:, place] = value
    forecast = view.assign(
        outcome=((DRAW, TIME), outcome),
        expected=((DRAW, TIME), expected),
        contribution=((DRAW, CHANNEL, TIME), added),
    )
    return forecast.drop_vars("kpi", errors="ignore")
