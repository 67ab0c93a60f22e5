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
from core.plan.advice.robustness import profit_over
from core.plan.advice.rule import Budgeted, Profit
from core.plan.limits.cents import is_another
from core.plan.money.elsewhere import returns_beside
from core.plan.record.parts import AgainstToday, BreakEven
from core.plan.record.teaching import Share, Teaching
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
        is_repeated: 1 where the data are shorter than a year; see `Horizon`.
        began: Since when channels run.
        beliefs: Channels that the fit never saw.
        hidden: How much hidden demand behind mediators turns the advice.
        teaching: What the plan is to tell; None where that was not asked for.
        shares: How channels' money is divided over geos.
        untested: Channels that probably follow demand and have no lift test.
        break_even: The budget of highest profit; None where it is not known.
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
    is_repeated: int = 0
    began: dict[str, str] = {}
    beliefs: tuple[str, ...] = ()
    hidden: tuple[Correlated, ...] = ()
    shares: tuple[Share, ...] = ()
    untested: tuple[str, ...] = ()
    teaching: Teaching | None = None
    break_even: BreakEven | None = None

    def as_attrs(self) -> dict[str, Any]:
        """As attributes of a file: no None; JSON of what is neither number nor text."""
        fields = msgspec.structs.asdict(self)
        return {
            name: msgspec.json.encode(value).decode() if name in _AS_JSON else value
            for name, value in fields.items()
            if value is not None
        }


#: Attributes that a file has as JSON.
_AS_JSON = (
    "began",
    "beliefs",
    "hidden",
    "shares",
    "untested",
    "teaching",
    "break_even",
)


def said_by(flight: xr.Dataset) -> Said:
    """What the attributes of a stored plan of weeks say."""
    attrs: Mapping[Any, Any] = flight.attrs
    plain = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in attrs.items()
    }
    parts = {name: json.loads(plain[name]) for name in _AS_JSON if name in plain}
    return msgspec.convert(plain | parts, Said, strict=False)


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
    return {
        "cash": estimated(flight),
        "hidden": said.hidden,
        "teaching": said.teaching,
        "break_even": said.break_even,
        "shares": said.shares,
        "lifts": {
            name: tuple(flight[_LIFT].sel({CHANNEL: name}).values.tolist())
            for name in dict.fromkeys(share.channel for share in said.shares)
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
    names = tuple(map(str, flight[CHANNEL].values))
    untested = said_by(flight).untested
    return profit_over(names, spend, outcome, over, change.spend, untested=untested)


def _money(spend: xr.DataArray) -> np.ndarray:
    """Spend of each channel in all weeks."""
    return spend.sum("week").values if "week" in spend.dims else spend.values
