"""Plan record: a plan as everybody reads it, over channels, geos or weeks.

One frozen type for what the planners found: the command line prints it, the workspace
keeps it, charts, reports and screens read its attributes. The names of its attributes
are the keys of `plan --json`; those with a default are left out where they have it.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np
from jaxtyping import Float
from msgspec import field

from core import text as fmt
from core.errors import PlanError, converted
from core.estimate import Estimate, estimate
from core.plan.advice.parts import Correlated, LiftTest, Recommendation, Turn
from core.plan.advice.rule import Advice
from core.plan.limits.asked import Over
from core.plan.limits.cents import difference
from core.plan.record.parts import (
    AgainstToday,
    Bound,
    BreakEven,
    Cell,
    Goal,
    Line,
    Objective,
    Outcomes,
    Profit,
    Project,
    Split,
    Supported,
    Today,
)
from core.plan.record.teaching import Share, Teaching, planned_shares, shares_of_cells
from core.plan.record.today import is_limited
from core.plan.response.periods import Horizon

if TYPE_CHECKING:
    import pandas as pd

#: What the content of a record is; changes when another version could not read it.
SCHEMA = 4


def _none() -> Any:
    return field(default_factory=type(None))


class PlanRecord(fmt.Measured, frozen=True, kw_only=True, omit_defaults=True):
    """A plan: spend for a horizon, its outcome, odds and bound, and where it is from.

    Money is currency, outcomes are in units of `outcome_unit`, intervals are 90 %.

    Attributes:
        over: What was planned: channels, channels and geos, or channels and weeks.
        budget: In whole cents; the channels add up to it.
        horizon: The periods that it is for.
        objective: What was made large.
        channels: In the order of the curves.
        outcome: Incremental outcome of the plan and of what it is compared with.
        gain: Over `current`.
        today: What ran.
        against_today: What the plan changes against it.
        bound: How good it could be.
        advice: Whether to change: the more careful of those on split and budget.
        reasons: Why.
        on_split: Advice on the split, against `current`.
        on_budget: Advice on the budget, against what ran; None where the two are one,
            where a goal decides, or where the outcome is no money.
        robustness: How much hidden demand turns the advice.
        hidden: How much hidden demand behind a mediator and the KPI turns it.
        current_scaled: Whether last year's split was scaled to the budget.
        scenario: What was asked for, in the words of a scenario file.
        currency: Of money; empty where unknown.
        outcome_unit: `revenue` or `kpi`; empty where unknown.
        draws: Outcome per draw, by the names of `outcome`.
        idle: Channels that did not run a year earlier: no part of the plan.
        test: The lift test that comes first.
        supported: The part of the best split that the draws support.
        best: The best split, where the supported part is the plan.
        goal: What the budget was found for.
        break_even: The budget of highest profit; None where it is not known.
        cash: What the plan costs with what channels make us spend on mediators, by
            draw; its mean is the budget. None where amounts are own spend.
        bounds: Limits of channels as multiples of today's spend.
        geos: Totals of geos.
        cells: Channels in geos.
        gain_over_channels: What moving money between geos adds to the best plan that
            keeps every pattern over geos; which is the plan where it is not advised.
        geo_advice: Whether to move money between geos.
        geo_reasons: Why.
        projects: Of a portfolio: whose channels they are, `Project: Channel`.
        weeks: First days of the weeks, YYYY-MM-DD.
        inherited: What media before the plan brings in its weeks, beside it.
        terminal: What of the plan's own outcome comes after them.
        gain_over_even: Over the split that ran, the same in every week.
        gain_over_fixed: Over the best split of last year's pattern.
        profit: Where the largest profit was asked for.
        discount: What comes a year later counts this much less.
        teaching: What a plan for outcome and knowledge costs and is to tell.
        shares: How channels' money is divided over geos in plans of weeks, of channels
            that divide it otherwise than last year.
        lifts: What channels of plans of weeks or geos bring by their shares over what
            they would at last year's, by channel and draw.
        run: Folder of the fit, as `plan` prints it.
        run_id: The fit.
        verdict: Of the fit.
        unseen: Channels that the data of the fit would hardly miss.
        name: Of the plan.
        notes: What is to be known about it.
        by: Who saved it.
        created: When, ISO 8601.
        number: Its place among the project's plans.
        plan_id: Its identifier.
    """

    over: Over
    budget: float
    horizon: Horizon
    objective: Objective
    channels: tuple[Line, ...]
    outcome: Outcomes
    gain: Estimate
    today: Today
    against_today: AgainstToday
    bound: Bound
    advice: Literal["change", "test", "keep"]
    reasons: tuple[str, ...]
    on_split: Recommendation
    robustness: tuple[Turn, ...]
    current_scaled: bool
    scenario: dict[str, Any]
    currency: str
    outcome_unit: str
    draws: dict[str, tuple[float, ...]]
    #: By factories, so that they are written where there is nothing, too.
    idle: tuple[str, ...] = field(default_factory=tuple)
    test: LiftTest | None = _none()
    supported: Supported | None = _none()
    best: Split | None = _none()
    goal: Goal | None = _none()
    on_budget: Recommendation | None = None
    hidden: tuple[Correlated, ...] = ()
    break_even: BreakEven | None = None
    cash: Estimate | None = None
    bounds: dict[str, tuple[float, float]] = {}
    geos: tuple[Line, ...] = ()
    cells: tuple[Cell, ...] = ()
    gain_over_channels: Estimate | None = None
    geo_advice: Literal["change", "keep"] | None = None
    geo_reasons: tuple[str, ...] = ()
    projects: tuple[Project, ...] = ()
    weeks: tuple[str, ...] = ()
    inherited: Estimate | None = None
    terminal: Estimate | None = None
    gain_over_even: Estimate | None = None
    gain_over_fixed: Estimate | None = None
    profit: Profit | None = None
    discount: float | None = None
    teaching: Teaching | None = None
    shares: tuple[Share, ...] = ()
    lifts: dict[str, tuple[float, ...]] = {}
    run: str = ""
    run_id: str = ""
    verdict: str = ""
    unseen: tuple[str, ...] = ()
    name: str = ""
    notes: str = ""
    by: str = ""
    created: str = ""
    number: int = 0
    plan_id: str = ""

    @property
    def comparison_scaled(self) -> bool:
        """Whether what it is compared with was scaled to its budget.

        Weeks of the largest profit are judged by the profit of what ran.
        """
        return self.current_scaled and self.profit is None

    @property
    def current_limited(self) -> bool:
        """Whether limits of weeks change what ran before the plan is compared."""
        ran = self.outcome.today
        if ran is None or self.comparison_scaled:
            return False
        return is_limited(ran.mean, self.outcome.current.mean)

    @property
    def compared_with(self) -> str:
        """What its split is compared with, in words."""
        return self.horizon.compared(
            is_scaled=self.comparison_scaled, is_limited=self.current_limited
        )

    @property
    def title(self) -> str:
        """Its name, or what it is."""
        return self.name or (
            "Plan" if self.over == "channels" else f"Plan of {self.over}"
        )

    @property
    def money(self) -> dict[str, float]:
        """Planned spend by channel, currency."""
        return {line.name: line.planned for line in self.channels}

    @property
    def divided(self) -> tuple[Share, ...]:
        """How channels' money is divided over geos, where otherwise than last year."""
        return self.shares or shares_of_cells(self.cells, self.lifts)

    @property
    def scenario_as_divided(self) -> dict[str, Any]:
        """What was asked for, with the shares of geos that the plan has found."""
        shares = planned_shares(self.shares)
        if not shares:
            return self.scenario
        channels = dict(self.scenario.get("channel", {}))
        for name, row in shares.items():
            channels[name] = {**channels.get(name, {}), "geos": row}
        return self.scenario | {"channel": channels}

    def table(self) -> "pd.DataFrame":
        """Channels in rows: spend today and planned, limits, odds; currency."""
        import pandas as pd

        names = ("name", "current", "planned", "multiplier", "low", "high")
        names += ("probability_up", "locked", "beyond_seen")
        lines = [
            {name: getattr(line, name) for name in names} for line in self.channels
        ]
        return pd.DataFrame(lines).set_index("name")

    def draws_of(self, name: str) -> Float[np.ndarray, " draw"]:
        """Outcome per draw of the plan, or of what it is compared with."""
        return np.array(self.draws[name])

    @property
    def gain_draws(self) -> Float[np.ndarray, " draw"]:
        """Outcome of the plan minus that of what it is compared with."""
        return difference(self.draws_of("planned"), self.draws_of("current"))


def as_draws(outcome: Float[np.ndarray, " draw"]) -> tuple[float, ...]:
    """Draws as a record has them."""
    return tuple(outcome.tolist())


def record_of(
    over: Over,
    advice: Advice,
    outcome: Mapping[str, Float[np.ndarray, " draw"]],
    **fields: Any,
) -> PlanRecord:
    """The record of a plan, with what is the same whatever it is over.

    Args:
        over: What the plan is over.
        advice: What it advises.
        outcome: Per draw, of the plan and of what it is compared with, by name.
        **fields: Its other fields, by name.
    """
    return PlanRecord(
        over=over,
        advice=advice.advice,
        reasons=advice.reasons,
        on_split=advice.split,
        on_budget=advice.budget,
        outcome=Outcomes(**{name: estimate(each) for name, each in outcome.items()}),
        draws={name: as_draws(each) for name, each in outcome.items()},
        **fields,
    )


def as_dict(record: PlanRecord) -> dict[str, Any]:
    """The record as `plan --json` prints it and the workspace keeps it."""
    return msgspec.to_builtins(record)


def as_record(content: dict[str, Any]) -> PlanRecord:
    """A record of what `as_dict` gives.

    Raises:
        PlanError: It is none; the message names the place.
    """
    fault = ("This is not a plan", "Plan again and save it.", "plan")
    return converted(content, PlanRecord, PlanError, *fault)


def with_details(record: PlanRecord, **details: Any) -> PlanRecord:
    """The same plan with other details, such as its name."""
    return msgspec.structs.replace(record, **details)


def in_same_periods(plans: Iterable[PlanRecord]) -> bool:
    """Whether plans are for the same periods, so that their sums can be compared."""
    return len({(plan.horizon.start, plan.horizon.periods) for plan in plans}) <= 1
