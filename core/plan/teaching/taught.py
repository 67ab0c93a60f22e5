"""Taught: the plan of weeks for outcome and knowledge, and what it promises."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import xarray as xr
from jaxtyping import Float

from core.analysis.draws import CURVE_DRAWS, flat_draws
from core.analysis.response.curves import SPEND_MULTIPLIERS
from core.analysis.response.curves import response_curves as stored_curves
from core.data.ahead.horizon import PlanHorizon, next_times, periods_per_year
from core.errors import PlanError
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
from core.plan.scenario.weeks import Teach, WeekRequest, weeks_ahead
from core.plan.solve.rounding import cells_in_whole_steps
from core.plan.solve.weeks.objective import Objective
from core.plan.solve.weeks.on_off import around
from core.plan.teaching.beside import beside_by_geo, beside_media
from core.plan.teaching.by_geo import BesideByGeo, KnowledgeByGeo
from core.plan.teaching.geo_search import Spread, bound_of, divisions, spread_of
from core.plan.teaching.knowledge import Knowledge, Reading
from core.plan.teaching.lesson import Both, apart, changed, learned
from core.plan.teaching.sample import gains_of_sample
from core.plan.teaching.search import Goal, finalists
from core.plan.teaching.shares import Multiple, shares_of, stated_shares
from core.plan.teaching.stakes import Stakes, stakes

Spend = Float[np.ndarray, "channel week"]

#: About how many draws an ascent takes, and every how many-th knot of a curve.
_FEW, _KNOTS = 250, 4
#: Part of the cost that rounding to cents may use.
_ROOM = 0.995
#: Share of its usual share from which on a geo counts as one that differs.
_DIFFERS = 0.005


class Choice(NamedTuple):
    """A plan of weeks.

    Attributes:
        spend: Weekly, of all geos together.
        multiple: Of geos' usual shares; None where these stay.
    """

    spend: Spend
    multiple: Multiple | None = None


Exact = Callable[[Choice], Float[np.ndarray, " draw"]]


class Earning(NamedTuple):
    """The plan that only earns, and how plans are valued.

    Attributes:
        spend: Weekly.
        bound: No plan within the limits brings more.
        worth: What a choice brings, by draw, as it counts in the objective.
        objective: The same as a mean, with its gradient.
        cells: Limits.
    """

    spend: Spend
    bound: float
    worth: Exact
    objective: Objective
    cells: Cells


class Geos(NamedTuple):
    """What there is to learn from geos one by one.

    Attributes:
        names: Of the geos.
        spread: What they may differ by.
        knowledge: Of their weeks, over many draws.
        few: The same over draws that an ascent affords.
    """

    names: tuple[str, ...]
    spread: Spread
    knowledge: KnowledgeByGeo
    few: KnowledgeByGeo


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
        geos: The same of geos one by one; None where they are read all together.
    """

    model: Model
    draws: dict[str, np.ndarray]
    stakes: Stakes
    knowledge: Knowledge
    few: Knowledge
    counted: float
    geos: Geos | None = None

    def read(
        self,
        choice: Choice,
        quantities: Float[np.ndarray, "draw quantity"] | None = None,
    ) -> Reading:
        """How the weeks of a choice are read; for what the next plan needs if None."""
        if self.geos is None:
            return self.knowledge.reading(choice.spend, quantities)
        multiple = choice.multiple
        if multiple is None:
            multiple = np.ones_like(self.geos.spread.shares)
        return self.geos.knowledge.reading(choice.spend, multiple, quantities)


def lesson(
    model: Model,
    posterior: xr.Dataset,
    ask: WeekRequest,
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
        PlanError: Geos are to differ, and there is one market.
        SpecError: The baseline cannot be forecast.
    """
    if ask.teach.spread and model.data.n_geos == 1:
        raise PlanError(
            "The fit is of one market: it has no geos that could differ.",
            hint="Leave spread out of teach, or fit data of several geos.",
            where="teach",
        )
    draws = flat_draws(posterior, CURVE_DRAWS)
    times = model.data.times
    ahead = weeks_ahead(ask, times)
    later = next_times(times, ahead.skip + 2 * ahead.n)[ahead.skip + ahead.n :]
    following = PlanHorizon(later, ahead.skip + ahead.n)
    knots = SPEND_MULTIPLIERS[::_KNOTS]
    curves = response_curves(stored_curves(model, draws, following, knots))
    curves = believed(as_bought(curves, ask.of_channels), ask.beliefs)
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
    many = Knowledge(response, parts, beside, at_stake.pull)
    few = Knowledge(response, some, few, at_stake.pull[every])
    geos = None
    if ask.teach.spread:
        by_geo = beside_by_geo(model, draws, ahead, value, ask.teach.seed)
        geos = _geos(model, ask, by_geo, (many, few), every)
    count = counted(model, draws, at_stake, ask, ask.teach)
    return Lesson(model, draws, at_stake, many, few, count, geos)


def _geos(
    model: Model,
    ask: WeekRequest,
    beside: BesideByGeo,
    knowledge: tuple[Knowledge, Knowledge],
    every: slice,
) -> Geos:
    """What there is to learn from geos one by one.

    Args:
        model: The fit's.
        ask: Asks for geos that differ.
        beside: The KPI of the geos beside paid media.
        knowledge: Of all geos together, over many draws and over few.
        every: Which of the many the few are.
    """
    many, few = knowledge
    # A test has its own geos, of a channel that never ran nothing is known by geo, and
    # shares that are stated are kept to.
    fixed = {each.channel for each in ask.reserved}
    fixed |= {belief.name for belief in ask.beliefs} | set(stated_shares(ask.channels))
    shares = shares_of(many.response, model.data.population)
    some = beside._replace(expected=beside.expected[every])
    return Geos(
        names=model.data.geos,
        spread=spread_of(many.response, shares, ask.teach.spread, fixed),
        knowledge=KnowledgeByGeo(many, beside),
        few=KnowledgeByGeo(few, some),
    )


def counted(
    model: Model,
    draws: dict[str, np.ndarray],
    at_stake: Stakes,
    ask: WeekRequest,
    teach: Teach,
) -> float:
    r"""What the later horizons count together: $\sum_k d^k\,\kappa^{k-1}$.

    d discounts a horizon. Of what is known, with s the standard deviation of the
    logarithm of returns, a walk of xi a year leaves $\kappa = s^2 / (s^2 + \xi^2 T)$
    after the T years of a horizon.
    """
    n_years = len(weeks_ahead(ask, model.data.times).times)
    n_years /= periods_per_year(model.data.times)
    persistence = 1.0
    if "xi_drift" in draws:
        outcome = at_stake.curves.outcome(at_stake.plan)
        spread = outcome.std(axis=0) / np.maximum(outcome.mean(axis=0), 1e-300)
        variance, walked = (
            float(np.median(spread)) ** 2,
            float((draws["xi_drift"] ** 2).mean()),
        )
        persistence = variance / max(variance + walked * n_years, 1e-300)
    discounted = (1 + ask.discount) ** -n_years
    return sum(
        discounted**k * persistence ** (k - 1) for k in range(1, teach.later + 1)
    )


def taught(
    lesson: Lesson, earning: Earning, ask: WeekRequest
) -> tuple[Choice, Teaching]:
    """The plan that earns and teaches, and what it promises.

    Args:
        lesson: What there is to learn.
        earning: The plan that only earns.
        ask: Asks for teaching.
    """
    teach, plan = ask.teach, earning.spend
    if lesson.geos is not None:
        limits = earning.cells.relaxed, lesson.geos.spread
        bound = bound_of(earning.objective, *limits, plan)
        earning = earning._replace(bound=bound)
    choices = [Choice(plan)]
    brings = float(earning.worth(choices[0]).mean())
    limit = teach.cost * max(brings, 0.0)
    is_open = lesson.stakes.certainty > 0 and limit > 0
    if is_open:
        limits = around(earning.cells, plan)
        goal = Goal(
            earning.objective,
            lesson.few,
            lesson.counted,
            earning.objective(plan)[0] - _ROOM * limit,
            limit,
        )
        size = float(step(earning.cells.budget))
        choices += [
            Choice(cells_in_whole_steps(limits, end, size))
            for end in finalists(goal, limits, plan, teach.seed)
        ]
    choice = _best(lesson, earning, choices, limit, teach.seed)
    if is_open and lesson.geos is not None:
        begin = [choices[0], *([choice] if choice is not choices[0] else [])]
        ends = [
            end
            for each in begin
            for end in _divided(lesson, earning, each, limit, teach.seed)
        ]
        choice = _best(lesson, earning, [*begin, *ends], limit, teach.seed)
    return choice, _promise(lesson, earning, choice, (limit, teach))


def _divided(
    lesson: Lesson, earning: Earning, choice: Choice, limit: float, seed: int
) -> list[Choice]:
    """A choice with other shares of geos, that may earn and teach most."""
    objective = earning.objective
    least = objective(earning.spend)[0] - _ROOM * limit
    goal = objective, lesson.counted, least, limit
    spread, few = lesson.geos.spread, lesson.geos.few
    ends = divisions(spread, choice.spend, few, goal, seed)
    return [choice._replace(multiple=end) for end in map(_plain, ends) if np.ptp(end)]


def _plain(multiple: Multiple) -> Multiple:
    """Multiples of shares, where channels whose geos hardly differ keep theirs."""
    differs = np.abs(multiple - 1).max(axis=1, keepdims=True) > _DIFFERS
    return np.where(differs, multiple, 1.0)


def _best(
    lesson: Lesson, earning: Earning, choices: list[Choice], limit: float, seed: int
) -> Choice:
    """The finalist that earns and teaches most, by simulated weeks; the first earns."""
    least = float(earning.worth(choices[0]).mean()) - limit
    totals = []
    for choice in choices:
        value = float(earning.worth(choice).mean())
        gain = gains_of_sample(lesson.stakes, lesson.read(choice), seed)
        total = value + lesson.counted * float(gain.mean())
        totals.append(total if value >= least else -np.inf)
    return choices[int(np.argmax(totals))]


def _promise(
    lesson: Lesson, earning: Earning, choice: Choice, terms: tuple[float, Teach]
) -> Teaching:
    """What a plan costs and is expected to bring beside the one that only earns.

    The later gain is simulated with other weeks than those that it was chosen by.
    """
    (limit, teach), plan = terms, Choice(earning.spend)
    response = lesson.knowledge.response
    readings = [lesson.read(each) for each in (plan, choice)]
    gains = [
        lesson.counted * gains_of_sample(lesson.stakes, each, teach.seed + 1)
        for each in readings
    ]
    brings, own = earning.worth(plan), earning.worth(choice)
    both = Both(
        lesson.model,
        lesson.draws,
        lesson.knowledge,
        lesson.stakes,
        earning=partial(lesson.read, plan),
        teaching=partial(lesson.read, choice),
    )
    learning = lesson.counted * 0.5 * float(np.trace(readings[1].learned))
    certainty = lesson.counted * lesson.stakes.certainty
    return Teaching(
        is_other=choice.spend is not plan.spend or choice.multiple is not None,
        cost=estimate(brings - own),
        limit=limit,
        share=teach.cost,
        later=estimate(gains[1] - gains[0]),
        horizons=teach.later,
        counted=lesson.counted,
        certainty=certainty,
        bound=earning.bound + certainty,
        total=float(own.mean()) + learning,
        channels=learned(both),
        apart=apart(both),
        changes=changed(response.names, response.weeks, plan.spend, choice.spend),
        earning={
            name: tuple(row.tolist())
            for name, row in zip(response.names, plan.spend, strict=True)
        },
        seed=teach.seed,
        spread=teach.spread,
    )
