"""A plan beside what happened: why the outcome was not the planned one, as a record."""

from typing import Any

from msgspec import Struct

from core import text as fmt
from core.estimate import Estimate
from core.plan.response.periods import Horizon


class Change(Estimate, frozen=True, kw_only=True):
    """What a cause changed, and whether its interval is on one side of zero."""

    is_firm: bool


class NamedChange(Change, frozen=True, kw_only=True):
    """A part of the difference: spend, response or baseline."""

    name: str


class ChannelChanges(Struct, frozen=True, kw_only=True):
    """What one channel's spend and response changed.

    Attributes:
        name: The channel.
        planned_spend: Of these periods, currency.
        actual_spend: Likewise.
        spend: What more, less or other timing of spend changed, outcome.
        response: What a change of its response since the fit changed, outcome.
        is_valued: Whether it ran a year earlier, so that its spend can be valued.
        beyond_grid: Whether it spent more than its curve reaches.
    """

    name: str
    planned_spend: float
    actual_spend: float
    spend: Change
    response: Change
    is_valued: bool
    beyond_grid: bool = False


class GeoChanges(Struct, frozen=True, kw_only=True):
    """What was spent in one geo and what media brings there.

    Attributes:
        name: The geo.
        planned_spend: Of all channels in these periods, currency.
        actual_spend: Likewise.
        brought: What the fit expects of what was spent there, outcome.
        spend: What other spend there than planned changed, outcome.
    """

    name: str
    planned_spend: float
    actual_spend: float
    brought: Estimate
    spend: Change


class PlanBesideActuals(fmt.Measured, frozen=True, kw_only=True):
    """Actual less planned outcome in its parts, as `actuals --json` prints it.

    Attributes:
        plan_id: Of the plan.
        name: Of the plan.
        plan_of: `channels`, `geos` or `weeks`.
        run_id: Of the fit that the plan was made with.
        start: First day of the first period.
        end: First day of the last period.
        periods: How many.
        actual: Outcome that came in.
        planned: Outcome that the plan expected.
        expected: Outcome that the fit expects at what was spent.
        probability_below: Of an outcome below the actual one, at what was spent.
        difference: Actual less planned.
        parts: Spend, response and baseline; they add up to the difference.
        confused: Causes that these periods cannot tell apart, in pairs.
        priors: What was thought usual of changes; empty in records of versions that
            told no causes.
        channels: In the order of the fit.
        believed: Channels without history, which are counted as they were planned.
        geos: In the order of the data; empty where the actuals do not say what was
            spent in which geo.
        as_planned: Channels whose geos the actuals do not say, so that the plan's
            shares stand for what ran; of one market none.
        is_repeated: Whether the fit's data are shorter than a year; see `Horizon`.
    """

    plan_id: str = ""
    name: str = ""
    plan_of: str = "channels"
    run_id: str = ""
    start: str
    end: str
    periods: int
    actual: float
    planned: Estimate
    expected: Estimate
    probability_below: float
    difference: Estimate
    parts: tuple[NamedChange, ...] = ()
    confused: tuple[tuple[str, str], ...] = ()
    priors: dict[str, Any] = {}
    channels: tuple[ChannelChanges, ...] = ()
    believed: tuple[str, ...] = ()
    geos: tuple[GeoChanges, ...] = ()
    as_planned: tuple[str, ...] = ()
    is_repeated: bool = False

    @property
    def horizon(self) -> Horizon:
        """Its periods, which know what ran in them before the plan."""
        return Horizon(
            self.start,
            self.end,
            self.periods,
            as_fitted=False,
            is_repeated=self.is_repeated,
        )

    @property
    def tells_causes(self) -> bool:
        """Whether it was written by a version that told causes as they are told now."""
        usual = (self.priors.get(name) for name in ("response", "level"))
        return all(isinstance(each, dict) and "wanders" in each for each in usual)
