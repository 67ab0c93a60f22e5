"""Flighting: how much each channel spends in each week, and what that brings.

The objective is the incremental outcome of what paid channels spend in the weeks of the
plan, in these weeks and after them: the mean over joint posterior draws, or the mean of
the worst of them. What ran before brings its own, which no plan changes. The objective
is climbed from several starts, among them the best plan with last year's pattern, and
bounded by the maximum of its concave ceiling:

    bound = U(x) + max_y  dU/dx (y - x)    for a ceiling U, at its highest point x
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import xarray as xr
from jaxtyping import Float

from core.analysis.ahead.planned_periods import planned_periods
from core.analysis.draws import CURVE_DRAWS, flat_draws, to_level
from core.analysis.response.best_frequency import best_frequency
from core.data.ahead.horizon import periods_per_year
from core.errors import PlanError, WorkspaceError
from core.model.build import Model
from core.plan.limits.cells import Cells
from core.plan.limits.cents import step
from core.plan.record.teaching import Teaching
from core.plan.record.weeks import Parts, result
from core.plan.response.horizon import WeekResponse, horizon
from core.plan.response.price import best_frequencies, gammas_of
from core.plan.response.weeks import outcomes
from core.plan.response.worth import Worth, worth_of
from core.plan.scenario.measure import Measure, measure_of, tail_weights
from core.plan.scenario.week_limits import (
    cells_as_given,
    cells_of,
    factors,
    given_spend,
)
from core.plan.scenario.weeks import FlightWish, weeks_ahead
from core.plan.solve.rounding import cells_in_whole_steps
from core.plan.solve.weeks.bound import bounded
from core.plan.solve.weeks.objective import Objective
from core.plan.solve.weeks.on_off import around, best_choice, nearest_allowed
from core.plan.solve.weeks.projected_gradient import climb
from core.plan.solve.weeks.projection import Spend
from core.plan.solve.weeks.starts import Starts, best_of, pulses, starts
from core.plan.teaching.taught import Earning, lesson, refuse_geos, taught

#: Joint draws that the objective is of, and about how many a coarse ascent takes.
DRAWS, _FEW = 200, 50
#: Gap to the bound below which no more starts are tried.
_CLOSE = 1e-3
#: Evaluations of an ascent: from another start, of few draws, at the end; and the
#: growth of ten steps at which it ends.
_SHORT, _LONG, _LAST, _FLAT = 25, 60, 60, 1e-6
#: Evaluations in double precision with which ascents end.
_EXACT = 10

Report = Callable[[str, float], None]


@dataclass(frozen=True)
class Search:
    """What a search found.

    Attributes:
        spend: The plan, in whole cents.
        starts: Plans to compare with.
        bound: No plan within the limits has an objective above this.
    """

    spend: Spend
    starts: Starts
    bound: float


def flight(
    model: Model,
    posterior: xr.Dataset,
    wish: FlightWish,
    *,
    currency: str = "",
    verdict: str | None = None,
    report: Report | None = None,
    n_draws: int = DRAWS,
) -> xr.Dataset:
    """The best plan of weeks for a wish.

    Args:
        model: The model, in double precision.
        posterior: Dims chain, draw, ...
        wish: What it is to keep to.
        currency: Of money.
        verdict: The fit's; a `failed` one supports no change.
        report: Takes what is being done, and how far it is.
        n_draws: Joint draws to use.

    Returns:
        See `core.plan.record.weeks.result`.

    Raises:
        PlanError: The wish cannot be met.
    """
    tell = report or (lambda *_: None)
    tell("preparing", 0.05)
    if wish.teach is not None:
        refuse_geos(model)
    response = _horizon(model, wish, posterior)
    cells = _limits(wish, response, currency)
    draws = _levelled(response, posterior, n_draws)
    measure = measure_of(wish.objective)
    n = len(response.weeks)
    worth = _worth(wish, response, periods_per_year(model.data.times))
    if wish.spend is None:
        best = search(response, draws, cells, measure, tell, worth)
    else:
        best = _as_given(given_spend(wish, response.names, n), response)
    valued = Valued(response, draws, cells, worth)
    planned, teaching = best.spend, None
    if wish.teach is not None:
        tell("teaching", 0.8)
        planned, teaching = _teaching(model, posterior, wish, valued, best)
    tell("analysis", 0.9)
    spends = {"planned": planned, **best.starts._asdict(), "today": response.usual}
    none = outcomes(response, draws, np.zeros_like(best.spend))
    brought = {
        name: outcomes(response, draws, spend) - none for name, spend in spends.items()
    }
    parts = Parts(
        response=response,
        cells=cells,
        spends=spends,
        brought=brought,
        ran=ran_of(response, draws).sum(axis=1),
        none=none,
        measure=measure,
        bound=best.bound,
        verdict=verdict,
        worth=worth,
        teaching=teaching,
    )
    return result(parts, _about(model, wish, currency))


def _limits(wish: FlightWish, response: WeekResponse, currency: str) -> Cells:
    """The limits of a wish; those of exact amounts allow nothing else."""
    names, weeks = response.names, response.weeks
    if wish.spend is not None:
        return cells_as_given(given_spend(wish, names, len(weeks)), names, weeks)
    return cells_of(wish, names, weeks, response.usual, response.dearest, currency)


def _worth(wish: FlightWish, response: WeekResponse, per_year: int) -> Worth:
    """What outcome and money of each week count for."""
    margin = None if wish.find is None else wish.find.margin
    n, n_after = len(response.weeks), response.n_after
    return worth_of(n, n_after, per_year, wish.discount, margin)


class Valued(NamedTuple):
    """What plans are valued with: draws, limits, and what weeks count for."""

    response: WeekResponse
    draws: dict[str, np.ndarray]
    cells: Cells
    worth: Worth

    def of(self, spend: Spend) -> Float[np.ndarray, " draw"]:
        """What a spend is worth in each draw."""
        none = outcomes(self.response, self.draws, np.zeros_like(spend))
        return self.worth.of(outcomes(self.response, self.draws, spend) - none, spend)


def _teaching(
    model: Model, posterior: xr.Dataset, wish: FlightWish, valued: Valued, best: Search
) -> tuple[Spend, Teaching]:
    """The plan for outcome and knowledge, and what it promises."""
    response, draws = valued.response, valued.draws
    known = lesson(model, posterior, wish, response, partial(media_draws, response))
    n = len(next(iter(draws.values())))
    objective = Objective(response, draws, np.full(n, 1 / n), valued.worth)
    earning = Earning(best.spend, best.bound, valued.of, objective, valued.cells)
    return taught(known, earning, wish)


def _about(model: Model, wish: FlightWish, currency: str) -> dict[str, object]:
    """What a plan of weeks says of itself."""
    return {
        "currency": currency,
        "outcome_unit": model.data.outcome_unit,
        "objective": wish.objective if wish.find is None else "profit",
        "discount": wish.discount,
    }


def _horizon(model: Model, wish: FlightWish, posterior: xr.Dataset) -> WeekResponse:
    """The weeks of a wish, at its prices and values."""
    ahead = weeks_ahead(wish, model.data.times)
    names = horizon(model, ahead.n, skip=ahead.skip).names
    price, value = factors(wish, names, ahead.n)
    return horizon(
        model,
        ahead.n,
        skip=ahead.skip,
        price=price,
        value=value,
        after=wish.after,
        gammas=gammas_of({"channel": wish.channels}),
        often=_frequencies(model, wish, posterior, names),
    )


def _frequencies(
    model: Model, wish: FlightWish, posterior: xr.Dataset, names: tuple[str, ...]
) -> dict[str, float]:
    """The best frequency of channels that are to be bought at it.

    Raises:
        PlanError: One has no reach and frequency.
    """
    asked = best_frequencies({"channel": wish.channels})
    if not asked:
        return {}
    ahead = weeks_ahead(wish, model.data.times)
    draws = flat_draws(posterior, DRAWS)
    known = best_frequency(model, draws, planned_periods(model, ahead))
    best = dict.fromkeys(names, np.nan)
    if known is not None:
        best = dict(zip(names, known.best.tolist(), strict=True))
    for name in asked:
        if not np.isfinite(best.get(name, np.nan)):
            raise PlanError(
                f"{name} has no reach and frequency here, so no best frequency.",
                hint="Leave its frequency out.",
                where=name,
            )
    return {name: best[name] for name in asked}


def _levelled(
    response: WeekResponse, posterior: xr.Dataset, most: int
) -> dict[str, np.ndarray]:
    """Parameters of some draws, by which what ran brings what it does in the curves.

    The search affords fewer draws than the curves of channels. Outcome is in proportion
    to a channel's effect, so that is scaled by what the draws left out make of it.
    """
    few, many = (
        media_draws(response, flat_draws(posterior, n)) for n in (most, CURVE_DRAWS)
    )
    if len(next(iter(few.values()))) == len(next(iter(many.values()))):
        return few
    factor = to_level(*(ran_of(response, draws) for draws in (few, many)))
    first = 0
    for group in response.structure.groups:
        own = factor[first : first + group.n_channels]
        first += group.n_channels
        few[f"beta_g{group.suffix}"] = few[f"beta_g{group.suffix}"] * own
    return few


def ran_of(
    response: WeekResponse, draws: dict[str, np.ndarray]
) -> Float[np.ndarray, "draw channel"]:
    """Outcome of the media as it ran a year earlier, at the price of each week."""
    none = outcomes(response, draws, np.zeros_like(response.usual))
    return (outcomes(response, draws, None) - none).sum(axis=2)


def media_draws(
    response: WeekResponse, draws: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """The parameters of draws that paid media need.

    Raises:
        WorkspaceError: The draws lack changes of effectiveness that the model has.
    """
    stems = ("alpha", "theta", "lam", "k", "ec", "slope", "beta_g")
    wanted = {
        f"{stem}{'' if stem == 'beta_g' else '_'}{group.suffix}"
        for group in response.structure.groups
        for stem in stems
    }
    wanted |= {"xi_drift", *(f"drift_{x.suffix}" for x in response.structure.groups)}
    changes = {f"drift_{x.suffix}" for x in response.structure.groups if x.drifts}
    if changes - set(draws):
        raise WorkspaceError(
            "The fit was made by an earlier version, in which effects did not change "
            "over the years.",
            hint="Fit the model again, then plan.",
        )
    return {name: values for name, values in draws.items() if name in wanted}


def ranks(measure: Measure, n: int) -> np.ndarray:
    """Weights of the draws from worst to best."""
    if measure.kind == "mean":
        return np.full(n, 1 / n)
    return tail_weights(n, measure.level)


def search(
    response: WeekResponse,
    draws: dict[str, np.ndarray],
    cells: Cells,
    measure: Measure,
    tell: Report = lambda *_: None,
    worth: Worth | None = None,
) -> Search:
    """The best plan found within limits, and a bound on every one.

    Args:
        response: That of the weeks.
        draws: Joint posterior draws.
        cells: Limits that can be met.
        measure: What is made large.
        tell: Takes what is being done, and how far it is.
        worth: What outcome and money of each week count for; None for one.
    """
    n = len(next(iter(draws.values())))
    objective = Objective(response, draws, ranks(measure, n), worth)
    some = {name: drawn[:: max(1, n // _FEW)] for name, drawn in draws.items()}
    coarse = Objective(
        response, some, ranks(measure, len(next(iter(some.values())))), worth
    )
    best, begin, bound = _searched(objective, coarse, cells.relaxed, response, tell)
    plans, is_allowed = [best, *begin], np.ones(1 + len(begin), bool)
    if not cells.is_whole:
        tell("pausing", 0.8)
        near = [nearest_allowed(cells, plan) for plan in begin]
        is_allowed[1:] = [plan is not None for plan in near]
        plans = [best_choice(coarse, cells, best)] + [
            plan if kept is None else kept
            for plan, kept in zip(begin, near, strict=True)
        ]
        limits = around(cells, plans[0])
        plans[0] = climb(objective, limits, plans[0], most=_LAST, tolerance=_FLAT).spend
    limits = [around(cells, plan) for plan in plans]
    plans[0] = climb(objective.exact, limits[0], plans[0], most=_EXACT).spend
    size = float(step(cells.budget))
    whole = [
        cells_in_whole_steps(*each, size) for each in zip(limits, plans, strict=True)
    ]
    none = outcomes(response, draws, np.zeros_like(best))

    def exact(spend: Spend) -> float:
        gains = outcomes(response, draws, spend) - none
        if worth is not None:
            return float(measure.of(worth.of(gains, spend)))
        return float(measure.of(gains.sum(axis=(1, 2))))

    allowed = [plan for plan, may in zip(whole, is_allowed, strict=True) if may]
    spend, value, _ = best_of(allowed, exact)
    return Search(spend, Starts(*whole[1:]), max(bound, value))


def _searched(
    objective: Objective,
    coarse: Objective,
    cells: Cells,
    response: WeekResponse,
    tell: Report,
) -> tuple[Spend, Starts, float]:
    """The best plan within convex limits, plans to compare with, and the bound."""
    tell("compiling", 0.1)
    begin = starts(objective, cells, response.usual)
    tell("climbing", 0.3)
    first, _, _ = best_of(list(begin), lambda spend: objective(spend)[0])
    near = climb(coarse, cells, first, most=_LONG, tolerance=_FLAT)
    best = climb(objective, cells, near.spend, most=_LAST, tolerance=_FLAT)
    tell("bounding", 0.5)
    top, bound = bounded(objective, cells, best.spend)
    tell("climbing", 0.7)
    if bound - best.value > _CLOSE * abs(bound):
        other = _elsewhere(coarse, cells, best.spend, top)
        tried = climb(objective, cells, other, most=_LAST, tolerance=_FLAT)
        best = tried if tried.value > best.value else best
    return best.spend, begin, bound


def _as_given(spend: Spend, response: WeekResponse) -> Search:
    """The spend that was given, without a search and without a bound."""
    current = response.usual * (spend.sum() / max(float(response.usual.sum()), 1e-300))
    even = np.repeat(current.mean(axis=1, keepdims=True), len(response.weeks), axis=1)
    return Search(spend, Starts(current, even, current), np.nan)


def _elsewhere(coarse: Objective, cells: Cells, spend: Spend, other: Spend) -> Spend:
    """The best place that short ascents from other starts end at, or where it was."""
    best, value = spend, coarse(spend)[0]
    for start in (other, *pulses(cells, spend)):
        tried = climb(coarse, cells, start, most=_SHORT)
        if tried.value > value:
            best, value = tried.spend, tried.value
    return best
