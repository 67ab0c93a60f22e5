"""Plans of weeks side by side: their cash, and what the stored result says of them."""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec
import numpy as np
import xarray as xr
from msgspec import Struct

from core.dims import CHANNEL, DRAW
from core.estimate import Estimate, estimate
from core.plan.advice.parts import Correlated
from core.plan.advice.robustness import turns
from core.plan.advice.rule import Budgeted, Profit
from core.plan.limits.cents import is_another
from core.plan.record.parts import AgainstToday, BreakEven
from core.plan.record.teaching import Share, Teaching
from core.plan.record.today import gain
from core.plan.response.periods import Horizon
from core.plan.scenario.measure import measure_of

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


class Said(Struct, frozen=True, kw_only=True):
    """What a plan of weeks says beside its numbers: the attributes of the stored file.

    Attributes:
        budget: Currency.
        objective: What was made large.
        value: Of the objective.
        bound: No plan has more of it; NaN where the spend was given.
        gap: How far the plan can be from it, as a share; NaN likewise.
        advice: Whether to change.
        reasons: A line each.
        outcome_unit: "revenue" or "kpi".
        currency: Of money.
        margin: Of a profit that was asked for; NaN otherwise.
        cost: What the plan costs beside what it is compared with.
        found_for: What the budget was found for; "" for a fixed one.
        target: The goal of that; NaN otherwise.
        discount: A year's.
        verdict: The fit's; "" where it is not known.
        is_relaxed: 1 where the bound is of the limits without pauses and steps.
        began: Since when channels run, as JSON.
        beliefs: Channels that the fit never saw, as JSON.
        hidden: How much hidden demand behind mediators turns the advice, as JSON.
        teaching: What the plan is to tell, as JSON; None where that was not asked for.
        shares: How channels' money is divided over geos, as JSON.
        break_even: The budget of highest profit, as JSON; None where it is not known.
    """

    budget: float
    objective: str
    value: float
    bound: float
    gap: float
    advice: str
    reasons: str
    outcome_unit: str
    currency: str
    margin: float
    cost: float
    found_for: str = ""
    target: float = math.nan
    discount: float = 0.0
    verdict: str = ""
    is_relaxed: int = 0
    began: str = "{}"
    beliefs: str = "[]"
    hidden: str = "[]"
    shares: str = "[]"
    teaching: str | None = None
    break_even: str | None = None

    @property
    def began_on(self) -> dict[str, str]:
        """Since when channels run that began lately."""
        return json.loads(self.began)

    @property
    def believed(self) -> list[str]:
        """Channels that the fit never saw."""
        return json.loads(self.beliefs)

    @property
    def correlated(self) -> tuple[Correlated, ...]:
        """How much hidden demand behind mediators turns the advice."""
        return msgspec.json.decode(self.hidden, type=tuple[Correlated, ...])

    @property
    def divided(self) -> tuple[Share, ...]:
        """How channels' money is divided over geos."""
        return msgspec.json.decode(self.shares, type=tuple[Share, ...])

    @property
    def taught(self) -> Teaching | None:
        """What the plan is to tell."""
        if self.teaching is None:
            return None
        return msgspec.json.decode(self.teaching, type=Teaching)

    @property
    def best_budget(self) -> BreakEven | None:
        """The budget of highest profit."""
        if self.break_even is None:
            return None
        return msgspec.json.decode(self.break_even, type=BreakEven)

    def as_attrs(self) -> dict[str, Any]:
        """As attributes of a file, which have no None."""
        fields = msgspec.structs.asdict(self)
        return {name: value for name, value in fields.items() if value is not None}


def said_by(flight: xr.Dataset) -> Said:
    """What the attributes of a stored plan of weeks say."""
    attrs: Mapping[Any, Any] = flight.attrs
    plain = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in attrs.items()
    }
    return msgspec.convert(plain, Said, strict=False)


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


def beside_spend(flight: xr.Dataset) -> dict[str, Any]:
    """What a plan is to tell, how it divides money over geos, and what it costs."""
    said = said_by(flight)
    shares = said.divided
    return {
        "cash": estimated(flight),
        "hidden": said.correlated,
        "teaching": said.taught,
        "break_even": said.best_budget,
        "shares": shares,
        "lifts": {
            name: tuple(flight[_LIFT].sel({CHANNEL: name}).values.tolist())
            for name in dict.fromkeys(share.channel for share in shares)
        },
    }


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


def budgeted(
    flight: xr.Dataset, horizon: Horizon, change: AgainstToday
) -> Budgeted | None:
    """What the budget does to profit, in the plan's weeks and in those of last year.

    None where a goal decides or where it is no money; last year's weeks are left out
    where they are not scaled to the budget.

    Args:
        flight: A plan of weeks of another budget than what ran.
        horizon: Its weeks.
        change: What it changes against what ran.
    """
    said = said_by(flight)
    is_goal = said.objective.startswith("reach:")
    if change.profit is None or is_goal or said.found_for:
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
    turning = turns(
        tuple(map(str, flight[CHANNEL].values)),
        spend,
        outcome,
        measure_of("mean"),
        cost=change.spend,
        material=0.0,
    )
    before, after = (each.sum(axis=1) for each in outcome)
    return Profit(gain(after - change.spend, before), over, turning)


def _money(spend: xr.DataArray) -> np.ndarray:
    """Spend of each channel in all weeks."""
    return spend.sum("week").values if "week" in spend.dims else spend.values
