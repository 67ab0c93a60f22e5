r"""Hidden: how much demand behind a mediator and the KPI alike turns the advice.

Where the errors of the two fits are correlated by rho, a regression of the KPI on the
mediator finds too much (`core.analysis.response.mediated`). Of what channels bring by
way of it there is left, in draw d,

    left_d(rho) = max(1 - rho / sqrt(1 - rho^2) / k_d, 0)

and the gain of the plan is less by (1 - left_d) of what it gains that way. The smallest
rho at which the advice is another is the turning correlation.
"""

import numpy as np
from jaxtyping import Float

from core.analysis.response.by_way import Mediated
from core.plan.advice.parts import Correlated
from core.plan.advice.robustness import first_turn
from core.plan.advice.rule import is_supported
from core.plan.money.elsewhere import own_and_elsewhere
from core.plan.response.curves import ResponseCurves
from core.plan.response.price import units
from core.plan.scenario.measure import Measure

#: The largest correlation that is tried: beyond it the two KPIs are one.
_LARGEST = 0.95

Pair = tuple[np.ndarray, np.ndarray]


def turning_correlation(
    mediator: str,
    outcome: Pair,
    through: Pair,
    k: Float[np.ndarray, " draw"],
    measure: Measure,
    *,
    cost: float = 0.0,
) -> Correlated | None:
    """The correlation at which the advice turns; None where the plan moves nothing.

    Args:
        mediator: Its name.
        outcome: Of what the plan is compared with and of the plan, by draw; profit
            before media where the plan makes a profit large.
        through: What of that comes by way of the mediator, by draw.
        k: Its own noise as it moves the KPI, over the KPI's.
        measure: What the plan makes large.
        cost: What the plan spends more; only where outcome is profit before media.
    """
    if not np.any(through[1] - through[0]):
        return None
    old, new = (each[:, None] for each in outcome)
    before, after = (each[:, None] for each in through)

    def stands(correlation: np.ndarray) -> np.ndarray:
        demand = correlation / np.sqrt(1 - correlation**2)
        loss = np.clip(demand / np.maximum(k, 1e-9)[:, None], 0.0, 1.0)
        low, high = old - loss * before, new - loss * after
        growth = measure.growth(low, high) - cost
        level = low.mean(axis=0)
        return is_supported(high - low - cost, growth, level)

    (turn,) = first_turn(stands, 1, _LARGEST)
    return Correlated(mediator, None if np.isnan(turn) else float(turn))


def turning_correlations(
    curves: ResponseCurves,
    spend: Pair,
    outcome: Pair,
    measure: Measure,
    *,
    margin: float = 1.0,
    cost: float = 0.0,
) -> tuple[Correlated, ...]:
    """The turning correlation of every mediator that the plan moves.

    Args:
        curves: All draws, in the plan's money.
        spend: What the plan is compared with, and the plan; by channel.
        outcome: Of both; draw channel.
        measure: What the plan makes large.
        margin: What a unit of outcome counts in it.
        cost: See `turning_correlation`.
    """
    if not curves.mediators:
        return ()
    both = tuple(each.sum(axis=1) for each in outcome)
    multiples = [_multiples(curves, amounts) for amounts in spend]
    bought = {} if curves.elsewhere is None else curves.elsewhere.bought
    results = []
    for each in curves.mediators:
        counts = margin * bought.get(each.mediator, 1.0)
        through = tuple(counts * _through(curves, each, m) for m in multiples)
        results.append(
            turning_correlation(
                each.mediator, both, through, each.k, measure, cost=cost
            )
        )
    return tuple(one for one in results if one is not None)


def _multiples(
    curves: ResponseCurves, amounts: Float[np.ndarray, " channel"]
) -> Float[np.ndarray, " channel"]:
    """Media in amounts of a plan, as multiples of what ran."""
    own, ran = amounts, curves.spend
    if curves.elsewhere is not None:
        own, ran = own_and_elsewhere(curves, amounts)[0], curves.elsewhere.before.spend
    multiple = own / ran
    if curves.prices:
        multiple = multiple / np.array(curves.prices)
    if curves.gammas:
        multiple = units(multiple, np.array(curves.gammas))
    return multiple


def _through(
    curves: ResponseCurves,
    mediated: Mediated,
    multiples: Float[np.ndarray, " channel"],
) -> Float[np.ndarray, " draw"]:
    """Outcome by way of a mediator, between knots on a line."""
    value, grid = mediated.through[0], mediated.grid
    total = np.zeros(value.shape[0])
    for place, name in enumerate(mediated.names):
        if name not in curves.names or not value[:, place].any():
            continue
        multiple = multiples[curves.names.index(name)]
        at = int(np.searchsorted(grid, multiple).clip(1, len(grid) - 1))
        share = (multiple - grid[at - 1]) / (grid[at] - grid[at - 1])
        row = value[:, place]
        total += (1 - share) * row[:, at - 1] + share * row[:, at]
    return total
