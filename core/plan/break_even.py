r"""Break-even: the budget above which further spend returns less than it costs.

With channels free within their ranges, profit $m f_c(x_c) - x_c$ is largest channel by
channel, so the budget of highest profit is the sum of what each channel spends there:
of the mean curve, and of each draw for its interval. Over weeks a channel's weeks stay
in proportion to the plan's, so that it has one amount, too.
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

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
    mean, draws = (each.outcome_along(tried) for each in (curves.mean(), few))
    return _between(mean, draws, tried, margin)


def break_even_of_weeks(
    outcome: Float[np.ndarray, "draw channel tried"],
    tried: Float[np.ndarray, "channel tried"],
    margin: float,
) -> BreakEven:
    """The same of a plan of weeks, each channel's weeks in proportion to the plan's.

    Args:
        outcome: What each channel brings.
        tried: At these spends of all weeks; currency.
        margin: Profit per unit of outcome.
    """
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
