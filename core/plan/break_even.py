r"""Break-even: the budget above which further spend returns less than it costs.

With channels free within their ranges, profit $m f_c(x_c) - x_c$ is largest channel by
channel, so the budget of highest profit is the sum of what each channel spends there:
of the mean curve, and of each draw for its interval.
"""

from dataclasses import replace

import numpy as np

from core.dims import INTERVAL
from core.plan.record.parts import BreakEven
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.scenario import Scenario

#: Spends of a channel that are tried, and draws that give the interval.
_TRIED, _DRAWS = 121, 200


def break_even(curves: ResponseCurves, scenario: Scenario) -> BreakEven | None:
    """The budget of highest profit within the limits of single channels.

    Args:
        curves: All draws, priced as the plan is.
        scenario: Its limits; its margin where the largest profit was asked for.

    Returns:
        None where outcome is no money and no margin is known, and where groups, pauses
        or steps tie channels together.
    """
    find = scenario.find
    margin = find.margin if find is not None and find.kind == "profit" else None
    if margin is None:
        margin = 1.0 if curves.outcome_unit == "revenue" else None
    is_tied = scenario.groups or not all(each.is_whole for each in scenario.channels)
    if margin is None or is_tied:
        return None
    low, high = scenario.ranges(curves.names)
    if not np.isfinite(high).all() or not (high > low).any():
        return None
    tried = np.linspace(low, high, _TRIED, axis=1)
    step = max(1, curves.n_draws // _DRAWS)
    few = replace(curves, value=curves.value[::step], slope=curves.slope[::step])
    mean, draws = (
        _budgets(margin * each.outcome_along(tried) - tried, tried)
        for each in (curves.mean(), few)
    )
    lo, hi = np.quantile(draws, [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2])
    budget = float(mean[0])
    return BreakEven(
        budget=budget,
        lo=float(min(lo, budget)),
        hi=float(max(hi, budget)),
        least=float(low.sum()),
        most=float(high.sum()),
        margin=margin,
    )


def _budgets(profit: np.ndarray, tried: np.ndarray) -> np.ndarray:
    """Spend of all channels where the profit of each is largest; by draw."""
    best = profit.argmax(axis=2)
    return tried[np.arange(tried.shape[0]), best].sum(axis=1)
