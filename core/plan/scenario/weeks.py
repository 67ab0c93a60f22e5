"""Requests for a plan of weeks: what a scenario file or the screen says about them.

budget = 3_000_000           # of all weeks; default: what the year before spent in them
objective = "mean"           # mean, p10, cvar10, reach:41e6
bounds = ["70 %", "130 %"]   # of every channel's spend in the same weeks a year earlier
within_seen = true           # no week above the highest so far
discount = "8 %"             # what comes a year later counts this much less
teach = true                 # outcome and knowledge: see `Teach`

[find]                       # instead of a budget: core/plan/scenario/find.py
kind = "profit"              # margin times outcome, minus spend; mroi, roi, outcome
margin = 0.4                 # profit per unit of outcome; others: target = 2.0
least = 1_000_000            # the range of the budget; default: what limits allow
most = 4_000_000

[weeks]                      # [horizon] says which: core/plan/scenario/horizon.py
most = 200_000               # of each week, or {"2025-03-03" = 50_000}
budget = {"2025-01" = 300_000, "2025-Q2" = ["20 %", "40 %"]}  # of months, quarters
change = "30 %"              # of every channel from week to week, or money
value = [1.0, 1.1]           # value of a KPI unit over last year's: one, or per week
after = 1.0                  # media after the plan, a multiple of the year before's
reserved = [...]             # for planned tests: core/plan/scenario/reserved.py

[channel.TV]
min = 1_000_000              # of all weeks: money, or "80 %"
max = "120 %"
price = 1.05                 # cost of a media unit over last year's: one, or per week
dark = ["2025-02-03"]        # weeks without it
weeks = {"2025-01-06" = 50_000}   # booked
change = 20_000              # instead of the weeks'; inf for none
gamma = 0.2                  # dearer with a week's volume: core/plan/response/price.py
frequency = "best"           # reach is bought at the frequency that pays most
week_min = 20_000            # a week spends nothing, or at least this
may_be_off = false           # every week spends at least this
week_max = 90_000
step = 5_000                 # every week in steps
from = "2025-03-03"          # nothing before the week that begins then or after
until = "2025-09-01"         # nothing after the week that begins then or before
geos = {North = "60 %", South = "40 %"}   # shares of its money, in every week

[belief.Podcast]             # a channel that the fit has never seen run
spend = 200_000              # over all weeks; its most, unless [channel] says
roi = [0.8, 3.0]             # 90 % interval at that spend, spread evenly

[group.Video]
channels = ["TV", "Social"]
max = "40 %"                 # of the budget, or money; and min

[spend]                      # nothing is searched: exactly this is evaluated
TV = [50_000, 60_000]        # of every channel, one per week
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.data.ahead.horizon import PlanHorizon, periods_per_year, plan_horizon
from core.errors import PlanError, ValueRangeError
from core.plan.limits.channels import DEFAULT_BOUNDS
from core.plan.limits.findings import refuse
from core.plan.limits.stated import OF_WEEKS, Stated, StatedRow, Teach, row_of
from core.plan.scenario.amounts import (
    finish,
    gamma_of,
    is_at_best,
    not_negative,
    reader_of,
    refuse_money_goals,
    wrong,
)
from core.plan.scenario.find import Find, find_faults
from core.plan.scenario.horizon import NEXT_YEAR, HorizonRequest, horizon_request
from core.plan.scenario.measure import measure_of
from core.plan.scenario.reserved import Reserved, reserved_of
from core.plan.scenario.scenario import Request
from core.plan.scenario.table import options_of
from core.text.languages.language import marked
from core.toml.document import shown
from core.toml.table import TableReader, amount_of

#: What a scenario can say of a channel.
_OF_CHANNELS = ("min", "max", "lock", "price", "may_be_off", "step", *OF_WEEKS)

#: Most weeks of a plan.
MOST_WEEKS = 104
#: Most later horizons that a plan teaches for.
MOST_LATER = 10


@dataclass(frozen=True, kw_only=True)
class WeekRequest(Request):
    """What a plan of weeks is to keep to.

    Attributes:
        horizon: The weeks (periods of the data).
        bounds: Of every channel, multiples of its usual spend in these weeks.
        most: Most of each week, or by first day.
        value: Value of a KPI unit over last year's.
        after: Media after the plan, as a multiple of the year before's.
        channels: What is said about single channels, as in a scenario file.
        change: Largest change of a channel's spend from one week to the next: money,
            or a percentage of the week before.
        discount: Share by which what comes a year later counts less.
        found_for: What the budget was found for, once it is; else None.
        spend: Amounts per channel that are evaluated as they are.
        reserved: What planned tests fix.
        budgets: Of months, quarters or stretches: an amount, or its ends.
        teach: What the plan may do to teach; None for a plan that only earns.
    """

    horizon: HorizonRequest = NEXT_YEAR
    bounds: tuple[float, float] = DEFAULT_BOUNDS
    most: Any = None
    value: Any = 1.0
    after: float = 1.0
    channels: Mapping[str, StatedRow] = field(default_factory=dict)
    change: Any = None
    discount: float = 0.0
    found_for: Find | None = None
    spend: Mapping[str, Sequence[float]] | None = None
    reserved: tuple[Reserved, ...] = ()
    budgets: Mapping[str, Any] = field(default_factory=dict)
    teach: Teach | None = None

    @property
    def of_channels(self) -> Stated:
        """What is said about channels, as prices and frequencies are read from it."""
        return Stated(channel=self.channels)


def week_request(
    table: Mapping[str, Any], outcome_unit: str = "revenue"
) -> WeekRequest:
    """The request of a table, as a scenario file has it.

    Args:
        table: The table.
        outcome_unit: Of the fit: without a value of the KPI, profit needs its margin.

    Raises:
        PlanError: The table is not understood; `findings` has all that is not.
    """
    refuse_money_goals(table, outcome_unit)
    root = reader_of(table)
    beliefs, bought, options = options_of(root, outcome_unit)
    weeks, ahead = root.child("weeks"), _horizon(table)
    options |= {
        "discount": root.converted("discount", _discount),
        "teach": teach_of(root),
        "most": weeks.any("most"),
        "value": _value(weeks, ahead),
        "change": weeks.any("change"),
        "after": weeks.converted("after", not_negative),
        "reserved": reserved_of(weeks, "weeks"),
    }
    if weeks.any("budget") is not None:
        options["budgets"] = weeks.child("budget").table
    weeks.finish()
    if root.any("spend") is not None:
        options["spend"] = root.child("spend").table
    channels = root.named("channel")
    for row in channels.values():
        gamma_of(row)
        is_at_best(row)
        for key in _OF_CHANNELS:
            row.any(key)  # of what the channel spends in these weeks: see week_limits
        row.finish()
    finish(root)
    options = {key: value for key, value in options.items() if value is not None}
    ask = WeekRequest(
        horizon=ahead,
        channels={name: row_of(row.table, StatedRow) for name, row in channels.items()},
        beliefs=beliefs,
        bought=bought,
        **options,
    )
    _check_odds(ask)
    _check_find(ask)
    finds, fixed = ask.find is not None, ask.spend is not None
    check_teach(ask.teach, objective=ask.objective, finds=finds, fixed=fixed)
    return ask


def _check_bought(ask: WeekRequest) -> None:
    """Refuse what a plan that pays for mediators cannot have yet."""
    if not ask.bought:
        return
    has = {
        "an objective other than the mean": ask.objective != "mean",
        "a budget to find": ask.find is not None,
        "a discount": bool(ask.discount),
        "bounds scaled to the budget": ask.scaled,
        "budgets of single months or quarters": bool(ask.budgets),
        "groups": bool(ask.groups),
        "weeks that teach": ask.teach is not None,
    }
    for what, is_asked in has.items():
        if is_asked:
            raise wrong(
                f"A plan of weeks that pays for what channels make us spend elsewhere "
                f"cannot have {what} yet.",
                "Leave that out, or leave [mediator] out.",
            )


def _discount(value: Any) -> float:
    rate = amount_of(value, 1.0)
    if not (math.isfinite(rate) and rate > -1):
        raise ValueRangeError(
            f"{shown(value)} is not a yearly rate.", hint='Give one such as "8 %".'
        )
    return rate


def _value(weeks: TableReader, ahead: HorizonRequest) -> Any:
    """Values of a KPI unit; those of [horizon] where [weeks] has none."""
    stated = weeks.any("value")
    return list(ahead.value) or None if stated is None else stated


def _check_find(request: WeekRequest) -> None:
    """Refuse what a budget cannot be found with, or cannot pay for."""
    _check_bought(request)
    if request.find is None:
        return
    refuse(find_faults(request.find, request.objective))
    if request.budget is not None:
        raise wrong(
            "Set a fixed budget or ask Mixwright to find one, not both.",
            "Leave out budget or [find].",
        )
    if request.scaled:
        raise wrong(
            "Bounds cannot be scaled to a budget that is to be found.",
            "Leave scaled out.",
        )
    if request.discount and request.find.kind != "profit":
        raise wrong(
            f"A budget for {request.find.kind} counts every week alike.",
            "Leave discount out, or find the budget for profit.",
        )


def _check_odds(ask: WeekRequest) -> None:
    """Refuse an objective that is unknown, and odds of what is discounted."""
    if measure_of(str(ask.objective)).kind == "reach" and ask.discount:
        raise wrong(
            "Odds of a goal count every week alike.",
            "Leave discount out, or use the objective mean.",
        )


def _horizon(table: Mapping[str, Any]) -> HorizonRequest:
    """The weeks to plan.

    Raises:
        PlanError: They are not understood, over, or too many.
    """
    request = horizon_request(table)
    if request.as_fitted:
        raise PlanError(
            "Weeks are planned ahead, and the data's own periods are over.",
            hint="Plan channels as fitted, or weeks after the data.",
            where="horizon",
        )
    if request.periods is not None and not 1 <= request.periods <= MOST_WEEKS:
        raise PlanError(
            f"A plan of {request.periods} weeks is not possible.",
            hint=f"Ask for 1 to {MOST_WEEKS}.",
            where="horizon",
        )
    return request


def weeks_ahead(ask: WeekRequest, times: np.ndarray) -> PlanHorizon:
    """The weeks of the plan: a year's where nothing else is said.

    Args:
        ask: The request.
        times: Period starts of the data, datetime64[D].

    Raises:
        PlanError: They begin before the data end, or end too late.
    """
    usual = min(periods_per_year(times), len(times), MOST_WEEKS)
    n = usual if ask.horizon.periods is None else ask.horizon.periods
    return plan_horizon(times, n, ask.horizon.start)


def places(days: Sequence[str], weeks: np.ndarray, where: str) -> list[int]:
    """The place of each date among the weeks.

    Raises:
        PlanError: It is none of them.
    """
    listed = [str(week)[:10] for week in weeks]
    for day in days:
        if str(day)[:10] not in listed:
            raise PlanError(
                f"{day} is not the first day of a future week.",
                hint=f"They begin on {listed[0]}, the last on {listed[-1]}; keep the "
                "rhythm of the data.",
                where=where,
            )
    return [listed.index(str(day)[:10]) for day in days]


def teach_of(root: TableReader) -> Teach | None:
    """What a scenario says of teaching; None where it does not ask for it."""
    stated = root.any("teach")
    if stated is None or isinstance(stated, bool):
        return Teach() if stated else None
    row = root.child("teach")
    first = Teach()
    cost = row.converted("cost", _share)
    later = row.integer("later", first.later)
    seed = row.integer("seed", first.seed)
    spread = row.converted("spread", _spread)
    if later is not None and not 1 <= later <= MOST_LATER:
        hint = f"Use 1 to {MOST_LATER}: the horizons after this one."
        row.problem(f"{later} later horizons are not possible.", hint, "later")
    row.finish()
    if row.has_problems:
        return None
    cost = first.cost if cost is None else cost
    return Teach(cost, later, abs(seed), first.spread if spread is None else spread)


def _share(value: Any) -> float:
    share = amount_of(value, 1.0)
    if not (math.isfinite(share) and 0 < share <= 0.2):
        raise ValueRangeError(
            f"{shown(value)} is not a cost of learning.",
            hint='Use a share of what media bring, up to 20 %, such as "0.5 %".',
        )
    return share


def _spread(value: Any) -> float:
    spread = amount_of(value, 1.0)
    if not (math.isfinite(spread) and 0 <= spread <= 1):
        raise ValueRangeError(
            f"{shown(value)} is not a spread of geos.",
            hint='Use a share of up to 100 %, such as "20 %".',
        )
    return spread


def check_teach(
    teach: Teach | None, *, objective: str, finds: bool, fixed: bool
) -> None:
    """Refuse what cannot be planned for outcome and knowledge.

    Args:
        teach: What is asked.
        objective: Of the plan.
        finds: Whether the budget is to be found.
        fixed: Whether spend is prescribed.

    Raises:
        PlanError: It cannot be.
    """
    if teach is None:
        return
    conflicts = (
        (marked("spend that is prescribed"), "Leave out [spend]." if fixed else ""),
        (
            marked("a budget that is to be found"),
            "Find the budget without teach first, then set what it found as the budget."
            if finds
            else "",
        ),
        (f"the objective {objective}", "Use mean." if objective != "mean" else ""),
    )
    for what, hint in conflicts:
        if hint:
            raise PlanError(
                f"Weeks cannot be planned to teach with {what}.",
                hint=f"{hint} Or leave out teach.",
                where="teach",
            )
