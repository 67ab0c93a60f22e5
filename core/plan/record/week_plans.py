"""Plans of weeks side by side: what they cost, and what their budgets do to profit."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from core.dims import CHANNEL, DRAW
from core.estimate import Estimate, estimate
from core.plan.advice.robustness import profit_over
from core.plan.advice.rule import Budgeted, Profit
from core.plan.limits.cents import is_another
from core.plan.money.elsewhere import returns_beside
from core.plan.record.parts import AgainstToday
from core.plan.response.periods import Horizon

#: What plans make us spend on mediators, and which plan each is.
INDUCED, PLAN = "induced", "plan"
_PLANNED, _SPEND, _TODAY, _OUTCOME = "planned", "spend", "today", "outcome_channel"
_CURRENT, _LIFT = "current", "lift"


class WeekPlans(NamedTuple):
    """Something of the best plan, of those it is compared with, and of today's spend.

    Attributes:
        planned: The best plan.
        current: The pattern and split of the year before, scaled to the budget.
        even: Its split, the same in every week.
        fixed: The pattern of the year before with the best split.
        today: Today's spend as it is.
    """

    planned: Any
    current: Any
    even: Any
    fixed: Any
    today: Any

    def each(self, of: Callable[[Any], Any]) -> "WeekPlans":
        """The same of every plan."""
        return WeekPlans(*map(of, self))


#: Names of the plans, in the order of the stored result.
PLANS = WeekPlans._fields


def stored(
    induced: WeekPlans | None, lift: np.ndarray | None
) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
    """What not every plan of weeks has, as it is stored.

    Args:
        induced: What plans make us spend on mediators, by plan, draw channel; currency.
        lift: What channels bring over what they would at last year's shares of geos,
            channel draw.
    """
    some: dict[str, tuple[tuple[str, ...], np.ndarray]] = {}
    if induced is not None:
        some[INDUCED] = ((PLAN, DRAW, CHANNEL), np.stack(induced))
    if lift is not None:
        some[_LIFT] = ((CHANNEL, DRAW), lift)
    return some


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


def with_elsewhere(of: xr.Dataset, own: tuple[float, float]) -> dict[str, Any]:
    """A channel's own spend beside what it makes us spend on mediators; or nothing.

    Args:
        of: Of the channel.
        own: Its own spend today, and by the plan.
    """
    if INDUCED not in of or not (spent := of[INDUCED].sel({PLAN: _PLANNED})).any():
        return {}
    return returns_beside(own, spent.to_numpy(), of[_OUTCOME].to_numpy())


def budgeted(
    flight: xr.Dataset, horizon: Horizon, change: AgainstToday
) -> Budgeted | None:
    """What the budget does to profit, in the plan's weeks and in those of last year.

    None where it is no money; last year's weeks are left out where they are not scaled
    to the budget.

    Args:
        flight: A plan of weeks of another budget than what ran.
        horizon: Its weeks.
        change: What it changes against what ran.
    """
    if change.profit is None:
        return None
    ran, before = horizon.as_it_ran, horizon.budget_that_ran
    is_scaled = "profit" not in flight
    return Budgeted(
        _growth(flight, change, ("_today", ""), ran),
        _growth(flight, change, ("_alone", ""), before),
        _growth(flight, change, ("_today", "_current"), ran) if is_scaled else None,
    )


def _growth(
    flight: xr.Dataset, change: AgainstToday, plans: tuple[str, str], over: str
) -> Profit:
    """What the second of two plans does to profit, at the change of the budget."""
    spend = tuple(_money(flight[f"spend{plan}"]) for plan in plans)
    outcome = tuple(
        change.profit.margin * flight[f"outcome_channel{plan}"].values.T
        for plan in plans
    )
    names = tuple(map(str, flight[CHANNEL].values))
    return profit_over(names, spend, outcome, over, change.spend)


def _money(spend: xr.DataArray) -> np.ndarray:
    """Spend of each channel in all weeks."""
    return spend.sum("week").values if "week" in spend.dims else spend.values
