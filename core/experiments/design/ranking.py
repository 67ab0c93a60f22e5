r"""Ranking: every design that is feasible, the one that brings most first.

Markets of geos are tested by geo: sets of geos of several sizes, two to twelve weeks,
spend off, halved or half as much again. National markets can only be tested over time
(`over_time`), which is far weaker.

Starts: when a test is best run.

Windows of the year differ in what a channel spends, in how large the outcome is, and so
in cost and precision; and what is learnt later is left with fewer weeks of the plan.
A few starts are tried. The value of a result takes a plan per bin of results, so it is
worked out where a start teaches most, scaled to the others by the share that they would
settle and the weeks that they leave, and worked out again where that promises most.

Over time: tests of a national market, where everything is treated at once.

There are no control geos. What is left is time: the outcome of the weeks of the test
against the weeks on both sides of it. How far such a comparison is off where nothing
was tested is read from the market's own history, season, trend and all:

    error = sd over windows of (mean of the window / mean of its neighbours - 1)

It is honest, and it is large: a market that is split by region is tested far better.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.errors import SpecError
from core.experiments.design.assignment import Assignment, Constraints, assign, scored
from core.experiments.design.candidate import (
    MULTIPLES,
    Arm,
    Design,
    Kind,
    Stakes,
    design,
    stakes,
)
from core.experiments.design.market import Market
from core.experiments.design.sample_value import Planner, planner
from core.experiments.panel import Panel
from core.text import count, listed, verb

#: Said with every design over time.
WEAK = (
    "A national market can only be tested over time: the test weeks are compared with "
    "the weeks around them, and every other change counts as error. Split your market "
    "by region first, if you can."
)


def arm_over_time(panel: Panel, weeks: int, start: str) -> Arm:
    """A test of everything for some weeks, with its error from the market's history.

    Args:
        panel: A market of one geo.
        weeks: How long.
        start: First day, ISO.
    """
    length = panel.periods(weeks)
    errors = errors_over_time(panel.kpi.sum(axis=0), length)
    per_period = panel.kpi.sum(axis=0)[-round(364 / panel.step) :].mean()
    return Arm(
        geos=(),
        weeks=weeks,
        length=length,
        errors=errors,
        outcome=float(per_period * length),
        start=start,
    )


def errors_over_time(total: np.ndarray, length: int) -> np.ndarray:
    """Every window of a series against its neighbours of half its length; shares."""
    half = max(length // 2, 1)
    summed = np.concatenate([[0.0], total.cumsum()])
    starts = np.arange(half, len(total) - length - half + 1)

    def mean(first: np.ndarray, n: int) -> np.ndarray:
        return (summed[first + n] - summed[first]) / n

    around = (mean(starts - half, half) + mean(starts + length, half)) / 2
    return mean(starts, length) / around - 1


#: Weeks after the data after which a test may begin.
STARTS = (0, 6, 13, 26)


def best_start(
    market: Market,
    planner: Planner,
    what: tuple[str, Kind],
    arm: Arm,
    weeks_of_plan: int,
) -> Design:
    """The design at the start with the largest net value of those that are tried.

    Args:
        market: What the fit says.
        planner: The plan that the result is for.
        what: The channel, and what happens to its spend.
        arm: Where, how long and how precise, at the first start.
        weeks_of_plan: That the result is for, from the first start on.
    """
    horizon = market.panel.periods(weeks_of_plan)
    every: list[tuple[Arm, int, Stakes]] = []
    for weeks in STARTS:
        delay = market.panel.periods(weeks) if weeks else 0
        remaining = horizon - delay - arm.length
        if every and remaining <= 0:
            break
        moved = _moved(market.panel, arm, delay)
        every.append((moved, horizon - delay, stakes(market, planner, *what, moved)))
    taught = np.array(
        [at.learnt * max(remaining - arm.length, 0) for _, remaining, at in every]
    )
    most = int(taught.argmax())
    first = design(market, planner, *what, every[most][0], every[most][1])
    scale = taught / taught[most] if taught[most] > 0 else np.ones(len(every))
    charged = np.array([float(at.charged.mean()) for _, _, at in every])
    best = int((first.value * scale - charged).argmax())
    if best == most:
        return first
    other = design(market, planner, *what, every[best][0], every[best][1])
    return max(first, other, key=lambda each: each.net.mean)


def _moved(panel: Panel, arm: Arm, delay: int) -> Arm:
    """The same test some periods later, at the outcome that is expected then."""
    if not delay:
        return arm
    start = str(np.datetime64(arm.start, "D") + delay * panel.step)
    if not arm.geos:
        return replace(arm, start=start)
    outcome = expected_outcome(panel, panel.is_in(arm.geos), arm.length, start)
    return replace(arm, start=start, outcome=outcome)


def expected_outcome(
    panel: Panel, inside: np.ndarray, length: int, start: str
) -> float:
    """Outcome of some geos in a window to come: that of the same weeks a year earlier.

    Where the data do not reach back that far, that of the last year's mean period.
    """
    per_period = panel.kpi[inside].sum(axis=0)
    first = panel.year_before(start)
    if 0 <= first and first + length <= len(per_period):
        return float(per_period[first : first + length].sum())
    return float(per_period[-round(364 / panel.step) :].mean() * length)


#: Shares of geos that are treated, and weeks, in the designs that are tried.
SHARES = (0.12, 0.3)
WEEKS = (2, 4, 8, 12)
#: Weeks of the plan that a result is for.
HORIZON = 52
#: Fewest geos for a test by geo: two treated, and two to compare them with.
FEWEST_GEOS = 4


@dataclass(frozen=True)
class Options:
    """What designs are looked for.

    Attributes:
        weeks: How long tests may be.
        kinds: What may happen to spend.
        geos: Treated geos, where somebody has chosen them; else they are drawn.
        left_out: Geos that take no part.
        in_control: Geos that must not be treated.
        most_at_risk: Largest share of the outcome in treated geos.
        start: First day of tests, ISO; the best of a few after the data where not
            given.
        horizon: Weeks of the plan that the result is for.
        bounds: Of the plan, multiples of spend.
        seed: Of the draw of geos.
    """

    weeks: tuple[int, ...] = WEEKS
    kinds: tuple[Kind, ...] = tuple(MULTIPLES)
    geos: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    in_control: tuple[str, ...] = ()
    most_at_risk: float = 0.3
    start: str | None = None
    horizon: int = HORIZON
    bounds: tuple[float, float] = (0.7, 1.3)
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse options that no design can have.

        Raises:
            SpecError: A date, a share or a horizon is impossible.
        """
        if self.start is not None:
            try:
                np.datetime64(self.start, "D")
            except ValueError as error:
                raise SpecError(
                    f"{self.start} is not a date.",
                    hint="Write dates like 2024-01-31.",
                    where="start",
                ) from error
        if not 0 < self.most_at_risk <= 1:
            raise SpecError(
                f"{self.most_at_risk:g} is not a share of the outcome.",
                hint="Give a share above 0, up to 1, such as 0.3.",
                where="at_risk",
            )
        if self.horizon < 1:
            raise SpecError(
                f"A plan of {self.horizon} weeks has no use for a result.",
                hint="Give the weeks of the next plan, such as 52.",
                where="horizon",
            )


def rank(
    market: Market,
    channels: Sequence[str] = (),
    options: Options | None = None,
    on_progress: Callable[[float], None] = lambda share: None,
    *,
    arms: Sequence[Arm] = (),
) -> tuple[Design, ...]:
    """Designs by expected net value, the best first.

    Args:
        market: What a fit says.
        channels: To test; every paid one where none is named.
        options: What designs are looked for.
        on_progress: Told the share that is done.
        arms: Where and how long, where that is known already (`arms_of`).

    Raises:
        SpecError: There is no such channel, or no design is feasible.
    """
    options = options or Options()
    names = market.curves.names
    unknown = [name for name in channels if name not in names]
    if unknown:
        raise SpecError(
            f"{listed(unknown)} is not a channel with spend in this fit.",
            hint=f"Use one of {listed(list(names), limit=10)}.",
            where="channel",
        )
    plan = planner(market.curves, options.bounds)
    horizon = market.panel.periods(options.horizon)
    arms = arms or arms_of(
        market.panel,
        options,
        lambda share: on_progress(0.5 * share),
        over_time=market.cells is None,
    )
    cases = [
        (channel, kind, arm)
        for channel in channels or names
        for kind in options.kinds
        for arm in arms
    ]
    designs = []
    for number, (channel, kind, arm) in enumerate(cases, start=1):
        if options.start is None:
            best = best_start(market, plan, (channel, kind), arm, options.horizon)
        else:
            best = design(market, plan, channel, kind, arm, horizon)
        designs.append(best)
        on_progress(0.5 + 0.5 * number / len(cases))
    return tuple(sorted(designs, key=lambda each: -each.net.mean))


def arms_of(
    panel: Panel,
    options: Options,
    on_progress: Callable[[float], None] = lambda share: None,
    *,
    over_time: bool = False,
) -> tuple[Arm, ...]:
    """Where and how long a market can be tested, and how precisely.

    Args:
        panel: The market up to now.
        options: What designs are looked for.
        on_progress: Told the share that is done.
        over_time: Whether everything is treated at once.

    Raises:
        SpecError: No design is feasible, or an option names a geo that is none.
    """
    _refuse_foreign(panel, options)
    arms = []
    for share, arm in _arms(panel, options, over_time=over_time):
        arms.append(arm)
        on_progress(share)
    return tuple(arms)


def _refuse_foreign(panel: Panel, options: Options) -> None:
    """Refuse geos that the data have not.

    Raises:
        SpecError: An option names one.
    """
    named = (*options.geos, *options.left_out, *options.in_control)
    panel.refuse_foreign(named)
    if taking_part := [geo for geo in options.geos if geo in options.left_out]:
        raise SpecError(
            f"{listed(taking_part)} cannot be treated and left out.",
            hint="Name it in one of the two.",
            where="geos",
        )


def _arms(
    panel: Panel, options: Options, *, over_time: bool
) -> Iterator[tuple[float, Arm]]:
    """Where and how long, with the share that is done."""
    fits = [
        weeks
        for weeks in options.weeks
        if 12 + 2 * panel.periods(weeks) <= len(panel.times)
    ]
    if not fits:
        raise SpecError(
            f"The data have {count(len(panel.times), 'period')}, too few to say how "
            f"precise a test of {count(min(options.weeks), 'week')} would be.",
            hint="Add earlier data, or ask for a shorter test.",
            where="weeks",
        )
    start = options.start or str(panel.times[-1] + panel.step)
    if over_time:
        for number, weeks in enumerate(fits, start=1):
            yield number / len(fits), arm_over_time(panel, weeks, start)
        return
    used = panel.without(options.left_out)
    sets = list(_geo_sets(used, options, panel.periods(max(fits))))
    for place, geos in enumerate(sets):
        for number, weeks in enumerate(fits, start=1):
            length = panel.periods(weeks)
            scores = scored(used, (geos,), length, seed=options.seed)
            share = (place + number / len(fits)) / len(sets)
            yield share, arm_of(panel, scores, weeks, length, start)


def _geo_sets(panel: Panel, options: Options, length: int) -> Iterator[tuple[str, ...]]:
    """Sets of geos to treat: the one that was chosen, or one drawn for each size."""
    if options.geos:
        yield options.geos
        return
    if len(panel.geos) < FEWEST_GEOS:
        raise SpecError(
            f"{count(len(panel.geos), 'geo')} {verb(len(panel.geos), 'are')} too few "
            "for a test by geo.",
            hint="Split the market into more regions; ten or more are better.",
            where="geos",
        )
    tried = set()
    for share in SHARES:
        n_treated = max(round(share * len(panel.geos)), 1)
        for fewer in range(n_treated, 0, -1):
            constraints = Constraints(
                n_treated=fewer,
                in_control=options.in_control,
                most_at_risk=options.most_at_risk,
                seed=options.seed,
            )
            try:
                geos = assign(panel, constraints, length).cells[0]
            except SpecError:
                if fewer == 1 and not tried:
                    raise
                continue
            if geos not in tried:
                tried.add(geos)
                yield geos
            break


def arm_of(
    panel: Panel, scores: Assignment, weeks: int, length: int, start: str
) -> Arm:
    """The arm of an assignment of one cell.

    Args:
        panel: The market without geos that take no part.
        scores: The assignment.
        weeks: How long.
        length: The same in periods.
        start: First day, ISO.
    """
    inside = panel.is_in(scores.cells[0])
    return Arm(
        geos=scores.cells[0],
        weeks=weeks,
        length=length,
        errors=scores.null[0].effect,
        outcome=expected_outcome(panel, inside, length, start),
        start=start,
    )
