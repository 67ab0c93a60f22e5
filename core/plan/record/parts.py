"""Parts of a plan record: estimates, channels and geos, bounds, advice, comparisons."""

from typing import NamedTuple

from msgspec import Struct, field

from core.estimate import Estimate
from core.text.languages.language import marked, say
from core.text.numbers import share

#: How the bound was found where weeks pause or are bought in steps.
RELAXED = "concave ceiling of the limits without pauses and steps"


class Pair(Struct, frozen=True):
    """Estimates of what a plan is compared with, and of the plan."""

    current: Estimate
    planned: Estimate


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A channel or a geo of a plan. Money is currency; intervals are 90 %.

    Attributes:
        name: The channel or the geo.
        current: What it spends today.
        comparison: The same scaled to the plan's budget.
        planned: Spend of the plan.
        multiplier: Planned over today's spend; None where it spends nothing today.
        outcome: Incremental outcome.
        beyond_seen: Whether a period would cost more than any seen.
        locked: Whether it was left alone.
        low: Least spend allowed.
        high: Most spend allowed.
        may_be_off: Whether it might have spent nothing.
        step: Steps that it is bought in; 0 for any amount.
        probability_up: Share of draws whose own best plan gives it more than today; a
            draw that leaves it there counts half.
        beyond_grid: Whether its curve is drawn on along the tangent.
        mroi: Outcome of the next unit of currency.
        gain: Outcome of the plan minus that of the comparison.
        weeks: Spend of each week.
        weeks_beyond_seen: Which of them cost more than any seen.
        booked: Which of them were fixed before.
        is_belief: Whether the fit never saw it, so that its response is a belief.
        own: Spend on its own media, where the plan's amounts also pay for what it makes
            us spend on mediators; None where they are its own spend.
        induced: What it makes us spend there.
        roi_of_own: Outcome over own spend.
        roi_with_induced: Outcome over both.
    """

    name: str
    current: float
    comparison: float
    planned: float
    multiplier: float | None
    outcome: Pair
    beyond_seen: bool
    locked: bool
    low: float | None = None
    high: float | None = None
    may_be_off: bool | None = None
    step: float | None = None
    probability_up: float | None = None
    beyond_grid: bool | None = None
    mroi: Pair | None = None
    gain: Estimate | None = None
    weeks: tuple[float, ...] = ()
    weeks_beyond_seen: tuple[bool, ...] = ()
    booked: tuple[bool, ...] = ()
    #: By a factory, so that it is written where it is false, too.
    is_belief: bool = field(default_factory=bool)
    own: float | None = None
    induced: Estimate | None = None
    roi_of_own: Estimate | None = None
    roi_with_induced: Estimate | None = None


class Project(Struct, frozen=True, kw_only=True):
    """What of a portfolio's plan is one project's. Money is the portfolio's currency.

    Attributes:
        name: The project.
        current: What its channels spend today; spend that it shares is in it whole.
        comparison: The same scaled to the plan's budget.
        planned: Spend of the plan.
        outcome: Incremental outcome, in money.
        gain: Outcome of the plan minus that of the comparison.
        spend: Of its channels, in its own currency.
        gammas: Its channels that get dearer with volume, and how much.
        prices: What a unit of its channels costs over last year's, where that differs.
        bought: Share of the demand that its amounts pay for, by mediator.
        run_id: Its fit.
        verdict: Of that fit.
    """

    name: str
    current: float
    comparison: float
    planned: float
    outcome: Pair
    gain: Estimate
    spend: dict[str, float]
    gammas: dict[str, float] = field(default_factory=dict)
    prices: dict[str, float] = field(default_factory=dict)
    bought: dict[str, float] = field(default_factory=dict)
    run_id: str = ""
    verdict: str = ""


class Cell(Struct, frozen=True, kw_only=True):
    """One channel in one geo; see `Line`."""

    channel: str
    geo: str
    current: float
    planned: float
    multiplier: float | None
    low: float
    high: float
    probability_up: float
    beyond_seen: bool


class Values(NamedTuple):
    """Of what was made large: what a plan is compared with, and the plan."""

    current: float
    planned: float


class Objective(Struct, frozen=True, omit_defaults=True):
    """What was made large, and its values; `current` where it is known."""

    name: str
    planned: float
    current: float | None = None


class Bound(Struct, frozen=True):
    """How good any plan within the limits could be.

    Attributes:
        best_possible: No plan has an objective above this; None where the spend was
            prescribed.
        gap: How far the plan can be from it, as a share of it.
        method: How it was found.
    """

    best_possible: float | None
    gap: float | None
    method: str


def bound_of(best_possible: float, reached: float, method: str) -> Bound:
    """How good any plan could be beside what one reaches of the objective."""
    short = max(best_possible - reached, 0.0)
    gap = short / abs(best_possible) if best_possible else 0.0
    return Bound(best_possible, gap, method)


class Today(Struct, frozen=True, omit_defaults=True):
    """What ran: what is spent, and what that brings.

    Attributes:
        spend: Currency.
        outcome: Of the media as it ran.
        at_plan_prices: Of the same money at the plan's prices of media, which the plan
            is compared with; None where the plan's media costs what it did.
    """

    spend: float
    outcome: Estimate
    at_plan_prices: Estimate | None = None


class Returns(Struct, frozen=True):
    """ROI of today's spend as it is, and of the plan."""

    today: Estimate
    planned: Estimate


class Profit(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Margin times outcome, less spend: of the plan and of what it is compared with."""

    margin: float
    planned: Estimate
    gain: Estimate
    today: Estimate | None = None
    current: Estimate | None = None


class Outcomes(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Incremental outcome of a plan and of what it is compared with.

    Attributes:
        current: Of the same split at its budget.
        planned: Of the plan.
        channels: Of the best plan that keeps every pattern over geos.
        even: Of the split that ran, the same in every week.
        fixed: Of the best split of last year's pattern.
        today: Of what ran.
    """

    current: Estimate
    planned: Estimate
    channels: Estimate | None = None
    even: Estimate | None = None
    fixed: Estimate | None = None
    today: Estimate | None = None


class AgainstToday(Struct, frozen=True):
    """What the plan changes against what ran; profit where it is known."""

    spend: float
    outcome: Estimate
    roi: Returns
    profit: Profit | None


class BreakEven(Struct, frozen=True):
    """The budget above which further spend returns less than it costs, currency.

    Attributes:
        budget: By the mean of the draws.
        lo: Low end of its 90 % interval.
        hi: High end.
        least: Least that the limits of channels allow in all.
        most: Most that they allow.
        margin: Profit before media per unit of outcome.
    """

    budget: float
    lo: float
    hi: float
    least: float
    most: float
    margin: float


class Amount(Struct, frozen=True):
    """Spend of one channel."""

    name: str
    planned: float


class Split(Struct, frozen=True):
    """A split that is not the plan, and what it gains."""

    channels: tuple[Amount, ...]
    gain: Estimate


class Supported(Split, frozen=True):
    """The part of the best split that the draws support.

    Attributes:
        is_plan: Whether it is the plan.
        step: How far it goes from last year's split to the best one.
        held: Channels that it does not raise because they follow demand.
    """

    is_plan: bool
    step: float
    held: tuple[str, ...]


class Goal(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a budget was found for, and what is reached.

    Attributes:
        kind: `profit`, `outcome`, `roi` or `mroi`.
        target: Of the last three.
        margin: Of profit.
        probability: That the target of the outcome is reached.
        roi: ROI of the plan.
        profit: Of the plan.
    """

    kind: str
    target: float | None = None
    margin: float | None = None
    probability: float | None = None
    roi: Estimate | None = None
    profit: Estimate | None = None


#: How sure a direction must be to be called firm, and likely.
FIRM, LIKELY = 0.9, 0.75


#: What the marks of a direction say, wherever they are shown.
MARKS = marked(
    "▲ ▼ firm (90\u00a0% sure of the direction), △ ▽ likely (75\u00a0%), ◇ open."
)


def direction(line: Line | Cell) -> tuple[str, str]:
    """Sign and word for how sure it is that a channel's spend should move this way.

    Args:
        line: A channel, a geo, or a channel in a geo.

    Returns:
        `▲`/`▼` and "firm", `△`/`▽` and "likely", `◇` and "open", or `=` and
        "unchanged"; no sign where a lock moved it, which says nothing of what pays.
    """
    change = _multiplier(line) - 1
    if abs(change) < 0.005:
        return "=", say("unchanged")
    if isinstance(line, Line) and line.locked:
        return "", say("locked")
    up = change > 0
    sure = line.probability_up
    if sure is None:
        return ("▲" if up else "▼"), ""
    sure = sure if up else 1 - sure
    if sure >= FIRM:
        return ("▲" if up else "▼"), say("firm")
    if sure >= LIKELY:
        return ("△" if up else "▽"), say("likely")
    return "◇", say("open")


def change_of_spend(line: Line) -> str:
    """By how much spend changes, after the sign of how sure its direction is."""
    sign, _ = direction(line)
    if line.multiplier is None:
        return say("{sign} new", sign=sign).lstrip()
    return f"{sign} {share(line.multiplier - 1, signed=True)}".lstrip()


def odds_of_more(line: Line | Cell) -> float | None:
    """How sure it is that more would pay; None where a lock left nothing to choose."""
    return None if isinstance(line, Line) and line.locked else line.probability_up


def _multiplier(line: Line | Cell) -> float:
    current, planned = line.current, line.planned
    if current == 0:
        return 1.0 if planned == 0 else float("inf")
    return planned / current
