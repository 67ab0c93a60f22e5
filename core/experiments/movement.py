"""Movement: what a test did to the model and to the plan, once a fit has seen it.

The fit before the test is set beside the fit with it: what each makes of the test, the
best plan of each for the same money, and, by what is known now, what the new plan
brings beyond the old. That is what the test was worth to the plan, and it stands beside
what its design expected. Where data came in between the fits, they moved the plan too.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float
from msgspec import Struct

from core.data.experiments.entry import Entry
from core.errors import SpecError
from core.estimate import Estimate, estimate, gain_of
from core.experiments.design.market import HIGHEST_LEVEL, Market
from core.experiments.panel import Panel
from core.plan.response.curves import ResponseCurves
from core.plan.solve.per_draw import own_plans

#: Limits of the plans that are compared, multiples of spend, and their weeks.
BOUNDS, WEEKS = (0.7, 1.3), 52


class ChannelMoved(Struct, frozen=True):
    """Best spend on a channel before a test and after it, currency."""

    name: str
    before: float
    after: float


class PlanMoved(Struct, frozen=True, kw_only=True):
    """How the best plan for the same money moved from a fit to another.

    Attributes:
        weeks: That the plan is for.
        budget: Currency.
        moved: Money that is elsewhere now.
        share: Of the budget.
        channels: Spend in both.
        worth: Outcome that the new plan brings beyond the old, by the new fit.
    """

    weeks: int
    budget: float
    moved: float
    share: float
    channels: tuple[ChannelMoved, ...]
    worth: Estimate


def believed(market: Market, entry: Entry, panel: Panel) -> Estimate | None:
    """What a fit makes of a test that it has not seen: the incremental outcome.

    Args:
        market: The fit's.
        entry: The test, as `[[experiment]]` has it.
        panel: Data that hold the test.

    Returns:
        An estimate; None where the fit has no spend of the channel there.
    """
    inside = panel.within(entry.start, entry.end)
    length = int(inside.sum())
    total: Any = 0.0
    for name in entry.channels:
        levels = _levels(market, entry, panel, name, inside)
        if levels is None:
            return None
        less, more = sorted(levels)
        if more <= 0:
            return None
        try:
            change, _ = market.difference(name, entry.geos, less / more, more)
        except SpecError:
            return None
        part = length / market.n_times
        total = total - change * part * market.seen(name, length)
    return estimate(total) if length else None


def _levels(
    market: Market, entry: Entry, panel: Panel, name: str, inside: np.ndarray
) -> tuple[float, float] | None:
    """Spend that ran and spend of the other arm, over the mean that the fit saw."""
    if name not in panel.spend or name not in market.panel.spend:
        return None
    geos = entry.geos or panel.geos
    of_fit = market.panel.spend[name][market.panel.is_in(geos)].sum(axis=0)
    mean = float(of_fit.mean()) if of_fit.size else 0.0
    if mean <= 0 or not inside.any():
        return None
    ran = float(panel.spend[name][panel.is_in(geos)][:, inside].sum(axis=0).mean())
    if entry.amount:
        other = entry.amount / float(inside.sum())
    else:
        other = ran * (entry.multiple or 0.0)
    return min(ran / mean, HIGHEST_LEVEL), min(other / mean, HIGHEST_LEVEL)


def plan_moved(before: Market, after: Market) -> PlanMoved | None:
    """How the best plan for the same money moved from a fit to another, and its worth.

    Args:
        before: The fit without the test.
        after: The fit with it, by which the plans are judged.

    Returns:
        None where the fits have other channels.
    """
    if before.curves.names != after.curves.names:
        return None
    old = _best(before.curves, after.curves.spend * before.n_times / after.n_times)
    old = old * after.n_times / before.n_times
    new = _best(after.curves, after.curves.spend)
    weeks = after.panel.periods(WEEKS) / after.n_times
    gain = after.curves.total(new[None])[:, 0] - after.curves.total(old[None])[:, 0]
    if gain.mean() < 0:  # plans are best up to the distance of knots
        new, gain = old, np.zeros_like(gain)
    moved = round(float(np.abs(new - old).sum()) / 2, 2)
    return PlanMoved(
        weeks=WEEKS,
        budget=float(new.sum()) * weeks,
        moved=moved * weeks,
        share=moved / float(new.sum()),
        channels=tuple(
            ChannelMoved(name, float(old_share) * weeks, float(two) * weeks)
            for name, old_share, two in zip(after.curves.names, old, new, strict=True)
        ),
        worth=gain_of(gain * weeks),
    )


def _best(
    curves: ResponseCurves, spend: Float[np.ndarray, " channel"]
) -> Float[np.ndarray, " channel"]:
    """The best split of today's money for the mean of the draws."""
    low, high = (bound * spend for bound in BOUNDS)
    expected_curves = replace(curves.mean(), highest_seen=curves.highest_seen)
    return own_plans(expected_curves, low, high, float(spend.sum()), spend).spend[0]
