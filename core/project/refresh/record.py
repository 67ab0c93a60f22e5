"""The record of a refresh: what moved since the fit before, and why.

refresh.json is its serialisation, and plans.json that of the plans scored again.
"""

from typing import Any

from msgspec import Struct

from core import text as fmt
from core.estimate import Estimate
from core.plan.against.rescore import Rescored
from core.plan.record.actuals import PlanBesideActuals
from core.plan.response.periods import Horizon


class Came(Struct, frozen=True, kw_only=True):
    """What the newer table has beyond the older one.

    Attributes:
        periods: New ones, first days.
        rows: How many are new.
        changed: Cells of old rows that changed; the first 500.
        n_changed: How many did.
        idle: Channels without anything new.
    """

    periods: tuple[str, ...] = ()
    rows: int = 0
    changed: tuple[dict[str, Any], ...] = ()
    n_changed: int = 0
    idle: tuple[str, ...] = ()


class FirstAnswer(Struct, frozen=True, kw_only=True):
    """The answer from reweighted draws, before the fit was done.

    Attributes:
        k_hat: Pareto's; None where it is not finite.
        highest_k: The highest that is relied on.
        is_rough: Whether the earlier draws do not reach the new data.
        draws: How many draws it is worth.
        seconds: From the start.
        channels: Rows as in summary.json.
    """

    k_hat: float | None
    highest_k: float
    is_rough: bool
    draws: float
    method: str = "reweighted"
    before: str = ""
    seconds: float | None = None
    processor_seconds: float | None = None
    channels: tuple[dict[str, Any], ...] = ()
    plan: dict[str, Any] | None = None


class Moved(Struct, frozen=True, kw_only=True):
    """The move of a channel's ROI.

    Attributes:
        name: The channel.
        before: ROI by the earlier fit.
        after: By the new one.
        move: Of the mean.
        sds: The same in standard deviations of before; None where there is none.
        units: The same in Monte-Carlo errors; None where unknown.
        by: Each cause's part, in standard deviations; None where unknown.
    """

    name: str
    before: Estimate
    after: Estimate
    move: float
    sds: float | None
    units: float | None
    by: dict[str, float | None] = {}

    def is_beyond(self, noise: float) -> bool:
        """Whether Monte-Carlo error does not explain it."""
        return self.units is None or abs(self.units) > noise


class Gain(Estimate, frozen=True, kw_only=True):
    """A difference whose odds are known."""

    probability_positive: float


class ScoredPlan(Rescored, frozen=True, kw_only=True):
    """A saved plan by a newer fit, and advice.

    Attributes:
        start: First day of what is left of its periods.
        end: First day of the last period.
        periods: How many are left.
        saved_as: The advice that it was saved with.
        was: The advice by its own fit.
        advice: By the new fit.
        reasons: Of the new advice.
        is_changed: Whether they differ.
    """

    plan_id: str = ""
    name: str
    run_id: str = ""
    gain: Gain
    start: str
    end: str
    periods: int
    saved_as: str = ""
    was: str = ""
    advice: str = ""
    reasons: tuple[str, ...] = ()
    is_changed: bool = False
    on_split: dict[str, Any] | None = None
    on_budget: dict[str, Any] | None = None

    @property
    def horizon(self) -> Horizon:
        """Its periods, which know what ran in them."""
        return Horizon(
            self.start,
            self.end,
            self.periods,
            as_fitted=self.as_fitted,
            is_repeated=self.is_repeated,
        )


class RefreshRecord(fmt.Measured, frozen=True, kw_only=True):
    """What a fit says of the one before.

    Attributes:
        before: The earlier fit.
        after: The new one.
        came: What came.
        causes: What changed in between, in the order in which it is told apart.
        fast: The first answer; None where there was none.
        is_warm: Whether it began from the earlier fit's draws.
        channels: The moves.
        moved: The largest, standard deviations.
        moved_channel: Whose it is; None where nothing can be compared.
        noise: Monte-Carlo errors beyond which a move is more than chance.
        only_before: Channels that the new fit lacks.
        only_after: Channels that the earlier one lacked.
        fast_agrees: Whether the first answer was the fit's; None without one.
        fast_beyond: Where it was not.
        plan: The plan of record by the new fit; None, with `no_plan`, where not known.
        no_plan: Why there is none.
        actuals: That plan beside what happened; None, with `no_actuals`, likewise.
        no_actuals: Why there is none.
    """

    before: str
    after: str
    came: Came = Came()
    causes: tuple[str, ...]
    fast: FirstAnswer | None = None
    is_warm: bool = False
    channels: tuple[Moved, ...]
    moved: float
    moved_channel: str | None
    noise: float
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()
    fast_agrees: bool | None = None
    fast_beyond: tuple[dict[str, Any], ...] = ()
    plan: ScoredPlan | None = None
    no_plan: str = ""
    actuals: PlanBesideActuals | None = None
    no_actuals: str = ""
