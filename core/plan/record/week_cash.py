"""Cash of a plan of weeks: own spend and what channels make us spend on mediators."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from core.dims import CHANNEL, DRAW
from core.estimate import Estimate, estimate
from core.plan.limits.cents import is_another

#: What plans make us spend on mediators, and which plan each is.
INDUCED, PLAN = "induced", "plan"
_PLANNED, _SPEND, _TODAY, _OUTCOME = "planned", "spend", "today", "outcome_channel"
_CURRENT = "current"


def stored(
    induced: Mapping[str, np.ndarray], plans: Sequence[str]
) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
    """What plans make us spend on mediators, as a plan of weeks is stored.

    Args:
        induced: By plan, draw channel; currency.
        plans: In their order.
    """
    spent = np.stack([induced[name] for name in plans])
    return {INDUCED: ((PLAN, DRAW, CHANNEL), spent)}


def cash_of_plans(flight: xr.Dataset) -> dict[str, np.ndarray] | None:
    """What plans cost with what they make us spend on mediators; None without."""
    if INDUCED not in flight:
        return None
    own = {_PLANNED: flight[_SPEND], _TODAY: flight[f"{_SPEND}_{_TODAY}"]}
    return {
        name: float(spend.sum())
        + flight[INDUCED].sel({PLAN: name}).sum(CHANNEL).to_numpy()
        for name, spend in own.items()
    }


def estimated(flight: xr.Dataset) -> Estimate | None:
    """What the plan costs in all, by draw; None where that is its own spend."""
    cash = cash_of_plans(flight)
    return None if cash is None else estimate(cash[_PLANNED])


def is_scaled_to(flight: xr.Dataset, planned: float, today: float) -> bool:
    """Whether last year's spend was scaled to the budget.

    Args:
        flight: A plan of weeks.
        planned: What it costs, currency.
        today: What ran.
    """
    if INDUCED not in flight:
        return is_another(planned, today)
    own = (flight[f"{_SPEND}_{each}"].sum() for each in (_CURRENT, _TODAY))
    return is_another(*map(float, own))


def with_elsewhere(of: xr.Dataset, own: float) -> dict[str, Any]:
    """A channel's own spend beside what it makes us spend on mediators; or nothing."""
    if INDUCED not in of or not (spent := of[INDUCED].sel({PLAN: _PLANNED})).any():
        return {}
    outcome, spent = of[_OUTCOME].to_numpy(), spent.to_numpy()
    rois = {}
    if own > 0:
        rois["roi_of_own"] = estimate(outcome / own)
        rois["roi_with_induced"] = estimate(outcome / (own + spent))
    return {"own": own, "induced": estimate(spent), **rois}
