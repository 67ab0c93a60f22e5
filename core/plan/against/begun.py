r"""Begun: what a plan's channels without history bring, as far as that is believed.

A forecast knows the fit's channels only. What is believed of others is added draw by
draw, as the plan counted it: over weeks in the week of the spend,

    sum_t b_d h_d(x_t),    h_d(x) = x / (x + e_d s / n),    b_d h_d(s / n) = r_d s / n

over channels as one week of all the money, over geos as one week in each, of the geo's
share of today's spend.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float

from core.plan.against.actuals import by_period, covered, lags_of
from core.plan.against.carried import brought
from core.plan.record.plan_record import PlanRecord
from core.plan.response.belief import Belief, bend_of, roi_of
from core.plan.scenario.table import beliefs_of


class _Split(NamedTuple):
    """Over what a plan divides a channel's money.

    Attributes:
        money: Part of the channel's spend that goes there.
        size: Part of the belief that holds there.
    """

    money: Float[np.ndarray, " part"]
    size: Float[np.ndarray, " part"]


def begun_spend(plan: PlanRecord) -> dict[str, Float[np.ndarray, " time"]]:
    """What channels without history spend in each of the plan's periods, currency.

    Args:
        plan: A plan; over channels or geos it does not say when: evenly.
    """
    n = plan.horizon.periods
    return {
        line.name: np.array(line.weeks or [line.planned / n] * n)
        for line in plan.channels
        if line.is_belief
    }


def begun_outcome(
    plan: PlanRecord,
    view: xr.Dataset,
    inside: Bool[np.ndarray, " time"],
    spend: Mapping[str, Float[np.ndarray, " period"]],
) -> Float[np.ndarray, " draw"]:
    """What channels without history bring in all periods of a plan.

    Args:
        plan: The plan.
        view: forecast.nc of its fit.
        inside: Which of the forecast's first periods are the plan's.
        spend: Of each of these channels in each of the plan's periods.
    """
    total = np.zeros(view.sizes["draw"])
    for brings in begun_by_period(plan, view, inside, spend).values():
        total = total + brings.sum(axis=1)
    return total


def begun_by_period(
    plan: PlanRecord,
    view: xr.Dataset,
    inside: Bool[np.ndarray, " time"],
    spend: Mapping[str, Float[np.ndarray, " period"]],
) -> dict[str, Float[np.ndarray, "draw period"]]:
    """What each channel without history brings in each of the plan's periods.

    A plan over channels or geos does not say when: what it brings goes with its spend.

    Args:
        plan: The plan.
        view: forecast.nc of a fit.
        inside: Which of the forecast's first periods are the plan's.
        spend: Of each of these channels in each of the plan's periods.
    """
    beliefs = [each for each in beliefs_of(plan.scenario) if each.name in spend]
    if not beliefs:
        return {}
    names, measured = _measured(plan, view, inside)
    brought = {}
    for belief in beliefs:
        roi = roi_of(belief, names, measured)
        amounts = np.asarray(spend[belief.name])
        by_week = plan.over == "weeks"
        sums = amounts if by_week else amounts.sum(keepdims=True)
        split = _split(plan, belief.name)
        cells = split.money[:, None] * sums
        sizes = np.broadcast_to(split.size[:, None], cells.shape) / len(sums)
        brings = _curve(belief, roi, cells, sizes)
        if not by_week:
            brings = brings * (amounts / sums if sums[0] > 0 else 0.0 * amounts)
        brought[belief.name] = brings
    return brought


def _curve(
    belief: Belief,
    roi: Float[np.ndarray, " draw"],
    spend: Float[np.ndarray, "part period"],
    size: Float[np.ndarray, "part period"],
) -> Float[np.ndarray, "draw period"]:
    """Outcome of each period; parts without size have no media to buy."""
    bend = bend_of(belief, len(roi))
    top, half = roi * (1 + bend) * belief.spend, bend * belief.spend
    brings = np.zeros((len(roi), spend.shape[1]))
    for (part, period), amount in np.ndenumerate(spend):
        share = size[part, period]
        if share > 0:
            brings[:, period] += top * share * amount / (amount + half * share)
    return brings


def _split(plan: PlanRecord, channel: str) -> _Split:
    """How a plan divides a channel's money over geos; one part where it does not."""
    own = {cell.geo: cell.planned for cell in plan.cells if cell.channel == channel}
    total = sum(own.values())
    if total <= 0:
        return _Split(np.ones(1), np.ones(1))
    today = np.array([geo.current for geo in plan.geos])
    money = np.array([own.get(geo.name, 0.0) for geo in plan.geos]) / total
    return _Split(money, today / today.sum())


def _measured(
    plan: PlanRecord, view: xr.Dataset, inside: Bool[np.ndarray, " time"]
) -> tuple[list[str], Float[np.ndarray, "draw channel"]]:
    """The fit's channels that ran a year earlier, and their ROI in each draw."""
    some = covered(view, len(inside))
    names = [str(name) for name in some["paid"].to_numpy()]
    usual = by_period(some["spend"])
    lags = lags_of(tuple(names), {})
    now, none = (
        brought(some.response, each, usual, lags)[0] for each in (usual, 0 * usual)
    )
    money = usual[:, inside].sum(axis=1)
    outcome = (now - none)[:, :, inside].sum(axis=2)
    planned = {line.name for line in plan.channels if not line.is_belief}
    ran = [
        place for place, name in enumerate(names) if name in planned and money[place]
    ]
    return [names[place] for place in ran], outcome[:, ran] / money[ran]
