r"""Break-even: the budget above which further spend returns less than it costs.

With channels free within their ranges, profit $m f_c(x_c) - x_c$ is largest channel by
channel, so the budget of highest profit is the sum of what each channel spends there:
of the mean curve, and of each draw for its interval. Over weeks and geos a channel's
cells stay in proportion to the plan's, so that it has one amount, too.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float

from core.dims import INTERVAL
from core.plan.limits.cells import Cells
from core.plan.record.parts import BreakEven
from core.plan.response.curves import ResponseCurves
from core.plan.response.geos import GeoResponse
from core.plan.scenario.scenario import Scenario

#: Spends of a channel that are tried, and draws that give the interval.
_TRIED, _DRAWS = 121, 200
#: The same where every one asks the model.
_TRIED_OF_WEEKS = 41


def break_even(curves: ResponseCurves, scenario: Scenario) -> BreakEven | None:
    """The budget of highest profit within the limits of single channels.

    Args:
        curves: All draws, priced as the plan is.
        scenario: Its limits; its margin where the largest profit was asked for.

    Returns:
        None where outcome is no money and no margin is known, and where groups, pauses
        or steps tie channels together.
    """
    margin = _margin(curves, scenario)
    if margin is None:
        return None
    low, high = scenario.ranges(curves.names)
    if not np.isfinite(high).all() or not (high > low).any():
        return None
    tried = np.linspace(low, high, _TRIED, axis=1)
    mean, draws = (each.outcome_along(tried) for each in (curves.mean(), _few(curves)))
    return _between(mean, draws, tried, margin)


def break_even_of_geos(
    response: GeoResponse,
    scenario: Scenario,
    plan: Float[np.ndarray, " cell"],
    most: Float[np.ndarray, " cell"],
) -> BreakEven | None:
    """The same of a plan over geos, each channel's geos in proportion to the plan's.

    Args:
        response: By geo, priced as the plan is.
        scenario: Limits of channels; its margin where the largest profit was asked for.
        plan: Spend of each cell.
        most: Largest spend of each cell.

    Returns:
        None as above, and where a channel has no range or spends nothing.
    """
    curves, inside = response.curves, response.in_channel
    margin = _margin(curves, scenario)
    if margin is None:
        return None
    total = inside @ plan
    low, high = scenario.ranges(response.channels)
    share = plan / np.maximum(total, 1e-300)[response.channel]
    room = np.divide(most, share, out=np.full(len(plan), np.inf), where=share > 0)
    high = np.minimum(high, [room[own > 0].min() for own in inside])
    high = np.where(total > 0, high, 0.0)
    low = np.minimum(low, high)
    if not np.isfinite(high).all() or not (high > low).any():
        return None
    tried = np.linspace(low, high, _TRIED, axis=1)
    mean, draws = (
        np.stack(
            [
                _together(each, own > 0, share, at)
                for own, at in zip(inside, tried, strict=True)
            ],
            axis=1,
        )
        for each in (curves.mean(), _few(curves))
    )
    return _between(mean, draws, tried, margin)


def _together(
    curves: ResponseCurves,
    own: Bool[np.ndarray, " cell"],
    share: Float[np.ndarray, " cell"],
    tried: Float[np.ndarray, " tried"],
) -> Float[np.ndarray, "draw tried"]:
    """Outcome of one channel's cells: all cells at once would be too many numbers."""
    cells = replace(
        curves,
        names=tuple(
            name for name, is_own in zip(curves.names, own, strict=True) if is_own
        ),
        spend=curves.spend[own],
        value=curves.value[:, own],
        slope=curves.slope[:, own],
        highest_seen=curves.highest_seen[own],
    )
    return cells.outcome_along(share[own][:, None] * tried).sum(axis=1)


def _margin(curves: ResponseCurves, scenario: Scenario) -> float | None:
    """Profit per unit of outcome; None where it is not known, or channels are tied."""
    find = scenario.find
    if scenario.groups or not all(each.is_whole for each in scenario.channels):
        return None
    if find is not None and find.kind == "profit":
        return find.margin
    return 1.0 if curves.outcome_unit == "revenue" else None


def _few(curves: ResponseCurves) -> ResponseCurves:
    """The curves of the draws that give the interval."""
    step = max(1, curves.n_draws // _DRAWS)
    return replace(curves, value=curves.value[::step], slope=curves.slope[::step])


def break_even_of_weeks(
    along: Callable[[np.ndarray, np.ndarray], np.ndarray],
    cells: Cells,
    plan: Float[np.ndarray, "channel week"],
    margin: float,
) -> BreakEven:
    """The same of a plan of weeks, each channel's weeks in proportion to the plan's.

    Args:
        along: What each channel brings where its weeks of a plan are scaled to spends,
            draw channel tried.
        cells: Limits of channels and weeks.
        plan: Spend of each cell.
        margin: Profit per unit of outcome.
    """
    share = plan / np.maximum(plan.sum(axis=1, keepdims=True), 1e-300)
    room = np.divide(
        cells.high, share, out=np.full(plan.shape, np.inf), where=share > 0
    )
    most = np.minimum(cells.most, room.min(axis=1))
    most = np.where(plan.any(axis=1), most, 0.0)  # nothing has no proportions
    least = np.minimum(cells.least, most)
    tried = np.linspace(least, most, _TRIED_OF_WEEKS, axis=1)
    outcome = along(plan, tried)
    return _between(outcome.mean(axis=0, keepdims=True), outcome, tried, margin)


def _between(
    mean: np.ndarray, draws: np.ndarray, tried: np.ndarray, margin: float
) -> BreakEven:
    """The budget of highest profit of the mean, with its interval over draws."""
    of_mean, of_draws = (
        _budgets(margin * each - tried, tried) for each in (mean, draws)
    )
    lo, hi = np.quantile(of_draws, [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2])
    budget = float(of_mean[0])
    return BreakEven(
        budget=budget,
        lo=float(min(lo, budget)),
        hi=float(max(hi, budget)),
        least=float(tried[:, 0].sum()),
        most=float(tried[:, -1].sum()),
        margin=margin,
    )


def _budgets(profit: np.ndarray, tried: np.ndarray) -> np.ndarray:
    """Spend of all channels where the profit of each is largest; by draw."""
    best = profit.argmax(axis=2)
    return tried[np.arange(tried.shape[0]), best].sum(axis=1)
