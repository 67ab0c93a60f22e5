"""Taught: the plan of weeks for outcome and knowledge, and what it promises."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import xarray as xr
from jaxtyping import Float

from core.analysis.draws import CURVE_DRAWS, flat_draws
from core.analysis.response.curves import SPEND_MULTIPLIERS
from core.analysis.response.curves import response_curves as stored_curves
from core.data.ahead.horizon import PlanHorizon, next_times, periods_per_year
from core.estimate import estimate
from core.model.build import Model
from core.plan.limits.cells import Cells
from core.plan.limits.cents import step
from core.plan.money.elsewhere import as_bought
from core.plan.record.teaching import Teaching
from core.plan.response.belief import believed
from core.plan.response.curves import response_curves
from core.plan.response.horizon import WeekResponse
from core.plan.scenario.week_limits import factors
from core.plan.scenario.weeks import FlightWish, Teach, weeks_ahead
from core.plan.solve.rounding import cells_in_whole_steps
from core.plan.solve.weeks.objective import Objective
from core.plan.solve.weeks.on_off import around
from core.plan.teaching.beside import beside_media
from core.plan.teaching.knowledge import Knowledge
from core.plan.teaching.lesson import Both, apart, changed, learned
from core.plan.teaching.sample import gains_of_sample
from core.plan.teaching.search import Goal, finalists
from core.plan.teaching.stakes import Stakes, stakes

Spend = Float[np.ndarray, "channel week"]
Exact = Callable[[Spend], Float[np.ndarray, " draw"]]

#: About how many draws an ascent takes, and every how many-th knot of a curve.
_FEW, _KNOTS = 250, 4
#: Part of the cost that rounding to cents may use.
_ROOM = 0.995


class Earning(NamedTuple):
    """The plan that only earns, and how plans are valued.

    Attributes:
        spend: Weekly.
        bound: No plan within the limits brings more.
        worth: What a spend brings, by draw, as it counts in the objective.
        objective: The same as a mean, with its gradient.
        cells: Limits.
    """

    spend: Spend
    bound: float
    worth: Exact
    objective: Objective
    cells: Cells


@dataclass(frozen=True)
class Lesson:
    """What is known before the search.

    Attributes:
        model: The fit's.
        draws: All posterior variables of many draws.
        stakes: Of the next plan.
        knowledge: Of the plan's weeks, over the same draws.
        few: The same over draws that an ascent affords.
        counted: What the later horizons count together.
    """

    model: Model
    draws: dict[str, np.ndarray]
    stakes: Stakes
    knowledge: Knowledge
    few: Knowledge
    counted: float


def lesson(
    model: Model,
    posterior: xr.Dataset,
    ask: FlightWish,
    response: WeekResponse,
    media: Callable[[dict[str, np.ndarray]], dict[str, np.ndarray]],
) -> Lesson:
    """What there is to learn, and what it is worth.

    Args:
        model: The fit's.
        posterior: Dims chain, draw, ...
        ask: Asks for teaching.
        response: That of the weeks.
        media: Takes draws and gives the parameters of paid media.

    Raises:
        SpecError: The baseline cannot be forecast.
    """
    draws = flat_draws(posterior, CURVE_DRAWS)
    times = model.data.times
    ahead = weeks_ahead(ask, times)
    later = next_times(times, ahead.skip + 2 * ahead.n)[ahead.skip + ahead.n :]
    following = PlanHorizon(later, ahead.skip + ahead.n)
    knots = SPEND_MULTIPLIERS[::_KNOTS]
    curves = response_curves(stored_curves(model, draws, following, knots))
    curves = believed(as_bought(curves, {"channel": ask.channels}), ask.beliefs)
    # The next horizon is another season: its money stands to last year's as here.
    usual = float(response.usual.sum())
    growth = 1.0 if ask.budget is None or usual <= 0 else ask.budget / usual
    bounds = tuple(bound * (growth if ask.scaled else 1.0) for bound in ask.bounds)
    new = {belief.name: belief.spend for belief in ask.beliefs}
    at_stake = stakes(curves, bounds, growth * float(curves.spend.sum()), new)
    fitted = [name for name in response.names if name not in new]
    _, value = factors(ask, fitted, ahead.n)
    beside = beside_media(model, draws, ahead, value, ask.teach.seed)
    parts = media(draws)
    every = slice(None, None, max(1, len(at_stake.pull) // _FEW))
    some = {name: values[every] for name, values in parts.items()}
    few = beside._replace(expected=beside.expected[every])
    return Lesson(
        model,
        draws,
        at_stake,
        Knowledge(response, parts, beside, at_stake.pull),
        Knowledge(response, some, few, at_stake.pull[every]),
        counted(model, draws, at_stake, ask, ask.teach),
    )


def counted(
    model: Model,
    draws: dict[str, np.ndarray],
    at_stake: Stakes,
    ask: FlightWish,
    teach: Teach,
) -> float:
    r"""What the later horizons count together: $\sum_k d^k\,\kappa^{k-1}$.

    d discounts a horizon. Of what is known, with s the standard deviation of the
    logarithm of returns, a walk of xi a year leaves $\kappa = s^2 / (s^2 + \xi^2 T)$
    after the T years of a horizon.
    """
    n_years = len(weeks_ahead(ask, model.data.times).times)
    n_years /= periods_per_year(model.data.times)
    kept = 1.0
    if "xi_drift" in draws:
        outcome = at_stake.curves.outcome(at_stake.plan)
        spread = outcome.std(axis=0) / np.maximum(outcome.mean(axis=0), 1e-300)
        known, walked = (
            float(np.median(spread)) ** 2,
            float((draws["xi_drift"] ** 2).mean()),
        )
        kept = known / max(known + walked * n_years, 1e-300)
    discounted = (1 + ask.discount) ** -n_years
    return sum(discounted**k * kept ** (k - 1) for k in range(1, teach.later + 1))


def taught(lesson: Lesson, earning: Earning, ask: FlightWish) -> tuple[Spend, Teaching]:
    """The plan that earns and teaches, and what it promises.

    Args:
        lesson: What there is to learn.
        earning: The plan that only earns.
        ask: Asks for teaching.
    """
    teach, plan = ask.teach, earning.spend
    brings = earning.worth(plan)
    limit = teach.cost * max(float(brings.mean()), 0.0)
    results = [plan]
    if lesson.stakes.certainty > 0 and limit > 0:
        limits = around(earning.cells, plan)
        goal = Goal(
            earning.objective,
            lesson.few,
            lesson.counted,
            earning.objective(plan)[0] - _ROOM * limit,
            limit,
        )
        size = float(step(earning.cells.budget))
        results += [
            cells_in_whole_steps(limits, end, size)
            for end in finalists(goal, limits, plan, teach.seed)
        ]
    spend = _best(lesson, earning, results, limit, teach.seed)
    return spend, _promise(lesson, earning, spend, (limit, teach))


def _best(
    lesson: Lesson, earning: Earning, results: list[Spend], limit: float, seed: int
) -> Spend:
    """The finalist that earns and teaches most, by simulated weeks."""
    least = float(earning.worth(results[0]).mean()) - limit
    totals = []
    for spend in results:
        value = float(earning.worth(spend).mean())
        told = gains_of_sample(lesson.stakes, lesson.knowledge.reading(spend), seed)
        total = value + lesson.counted * float(told.mean())
        totals.append(total if value >= least else -np.inf)
    return results[int(np.argmax(totals))]


def _promise(
    lesson: Lesson, earning: Earning, spend: Spend, asked: tuple[float, Teach]
) -> Teaching:
    """What a plan costs and is expected to bring beside the one that only earns.

    The later gain is simulated with other weeks than those that it was chosen by.
    """
    (limit, teach), plan = asked, earning.spend
    response = lesson.knowledge.response
    readings = [lesson.knowledge.reading(each) for each in (plan, spend)]
    gains = [
        lesson.counted * gains_of_sample(lesson.stakes, each, teach.seed + 1)
        for each in readings
    ]
    brings, own = earning.worth(plan), earning.worth(spend)
    both = Both(
        lesson.model, lesson.draws, lesson.knowledge, lesson.stakes, plan, spend
    )
    told = lesson.counted * 0.5 * float(np.trace(readings[1].learned))
    certainty = lesson.counted * lesson.stakes.certainty
    return Teaching(
        is_other=spend is not plan,
        cost=estimate(brings - own),
        limit=limit,
        share=teach.cost,
        later=estimate(gains[1] - gains[0]),
        horizons=teach.later,
        counted=lesson.counted,
        certainty=certainty,
        bound=earning.bound + certainty,
        total=float(own.mean()) + told,
        channels=learned(both),
        apart=apart(both),
        changes=changed(response.names, response.weeks, plan, spend),
        earning={
            name: tuple(row.tolist())
            for name, row in zip(response.names, plan, strict=True)
        },
        seed=teach.seed,
    )
