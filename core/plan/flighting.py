"""Flighting: how much each channel spends in each week, and what that brings.

The objective is the incremental outcome of what paid channels spend in the weeks of the
plan, in these weeks and after them: the mean over joint posterior draws, or the mean of
the worst of them, a quantile of them, or the odds of a goal. What ran before brings its
own, which no plan changes. How it is searched for: `core.plan.solve.weeks.search`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from jaxtyping import Float

from core.analysis.draws import CURVE_DRAWS, flat_draws, to_level
from core.analysis.following import untested
from core.data.ahead.horizon import periods_per_year
from core.errors import PlanError, WorkspaceError
from core.model.build import Model
from core.model.media.structure import Structure
from core.model.mediation.mediators import prefix
from core.model.spec import CARRYOVER
from core.plan.break_even import break_even_of_weeks
from core.plan.limits.cells import Cells
from core.plan.limits.channels import Money
from core.plan.record.parts import BreakEven
from core.plan.record.teaching import Teaching
from core.plan.record.week_plans import WeekPlans
from core.plan.record.weeks import Flight, Parts
from core.plan.response.belief import Belief
from core.plan.response.horizon import WeekResponse
from core.plan.response.weeks import believed_draws, outcomes, ways, with_beliefs
from core.plan.response.worth import Worth, worth_of
from core.plan.scenario.measure import Measure, measure_of
from core.plan.scenario.week_limits import (
    cells_as_given,
    cells_of,
    given_spend,
    own_budget,
)
from core.plan.scenario.weeks import WeekRequest
from core.plan.solve.budget import nothing_pays
from core.plan.solve.weeks.objective import Objective
from core.plan.solve.weeks.projection import Spend
from core.plan.solve.weeks.search import Report, Search, search
from core.plan.solve.weeks.starts import Starts
from core.plan.teaching.shares import divided
from core.plan.teaching.taught import Choice, Earning, Lesson, lesson, taught
from core.plan.week_budget import budget_of_weeks
from core.plan.week_elsewhere import Paying, cash_of, costing_as, paid_search, paying
from core.plan.week_mediators import turning, without
from core.plan.week_shares import at_shares, in_all, over_geos, stated_in
from core.plan.week_terms import notes_of_weeks, weeks_of

#: Joint draws that the objective is of.
DRAWS = 200


def flight(
    model: Model,
    posterior: xr.Dataset,
    ask: WeekRequest,
    *,
    currency: str = "",
    verdict: str | None = None,
    report: Report | None = None,
    n_draws: int = DRAWS,
) -> Flight:
    """The best plan of weeks for a request.

    Args:
        model: The model, in double precision.
        posterior: Dims chain, draw, ...
        ask: What it is to keep to.
        currency: Of money.
        verdict: The fit's; a `failed` one supports no change.
        report: Takes what is being done, and how far it is.
        n_draws: Joint draws to use.

    Raises:
        PlanError: The request cannot be met.
    """
    (tell := report or (lambda *_: None))("preparing", 0.05)
    fitted, response, draws = _weeks(model, posterior, ask, n_draws)
    ran = ran_of(response, draws).sum(axis=1)
    pays, draws = _paying(model, response, draws, ask)
    stated = stated_in(model, ask, response)
    weeks = at_shares(response, stated), draws, pays
    ask = _with_budget(ask, *weeks[:2], currency, tell)
    worth, measure = _worth(ask, response, model), measure_of(ask.objective)
    cells, best = _found(ask, weeks, measure, worth, (currency, tell))
    valued = Valued(response, draws, cells, worth)
    choice, teaching = Choice(best.spend), None
    if ask.teach is not None:
        tell("teaching", 0.8)
        lesson = _lesson(model, posterior, ask, fitted, weeks[0])
        choice, teaching = _teaching(lesson, ask, weeks[0], valued, best)
    choice = in_all(choice, stated)
    tell("analysis", 0.9)
    spends = WeekPlans(choice.spend, *best.starts, today=response.usual)
    none, brought = valued.brought_by(choice, spends)
    return Parts(
        response=response,
        cells=cells,
        spends=spends,
        brought=WeekPlans(*brought),
        ran=ran,
        alone=valued.alone(choice, pays),
        none=none,
        ask=ask,
        bound=_bound(best, choice, teaching),
        verdict=verdict,
        worth=worth,
        currency=currency,
        outcome_unit=model.data.outcome_unit,
        teaching=teaching,
        break_even=_break_even(model, ask, valued.divided(choice), choice.spend),
        notes=notes_of_weeks(model, posterior, response, ask),
        induced=None if pays is None else spends.each(pays.induced),
        **_of_demand(model, posterior, valued, spends, measure),
        **over_geos(model, response, choice, brought[0], valued.brought),
    ).as_flight()


def _weeks(
    model: Model, posterior: xr.Dataset, ask: WeekRequest, n_draws: int
) -> tuple[WeekResponse, WeekResponse, dict[str, np.ndarray]]:
    """The weeks of the fit's channels, of all channels, and draws of these."""
    fitted = weeks_of(model, ask, posterior)
    draws = _levelled(fitted, posterior, n_draws)
    response = with_beliefs(fitted, ask.beliefs)
    return fitted, response, _believed(fitted, response, draws, ask.beliefs)


def _paying(
    model: Model, response: WeekResponse, draws: dict[str, np.ndarray], ask: WeekRequest
) -> tuple[Paying | None, dict[str, np.ndarray]]:
    """What a plan pays of mediators, and draws in which the rest does not sell."""
    pays = paying(model, response, draws, ask.bought)
    return pays, draws if pays is None else pays.draws


def _found(
    ask: WeekRequest,
    weeks: tuple[WeekResponse, dict[str, np.ndarray], Paying | None],
    measure: Measure,
    worth: Worth,
    reported: tuple[str, Report],
) -> tuple[Cells, Search]:
    """Limits of own spend, and the best plan, or the spend that was given."""
    response, draws, pays = weeks
    currency, tell = reported
    if pays is not None and ask.spend is None:
        return _paid(pays, ask, currency, tell)
    cells = _limits(ask, response, currency)
    if ask.spend is not None:
        return cells, _as_given(ask, response)
    best = search(response, draws, cells, measure, tell, worth)
    if ask.find is not None and not best.spend.any():
        raise nothing_pays(ask.find)
    return cells, best


def _paid(
    pays: Paying, ask: WeekRequest, currency: str, tell: Report
) -> tuple[Cells, Search]:
    """Limits of own spend, and the best plan of a budget that pays for more."""
    cash, usual = cash_of(pays, ask.budget), pays.response.usual
    own = cash * float(usual.sum()) / max(float(pays.cash(usual).mean()), 1e-300)
    own = own_budget(ask, pays.response.names, usual, own)
    try:
        cells = _limits(replace(ask, budget=own), pays.response, currency)
    except PlanError as error:
        error.message += (
            " These are the channels' own amounts in a budget of "
            f"{Money(currency)(cash)}, which also pays for what they make us spend "
            "elsewhere."
        )
        raise
    return cells, paid_search(pays, cells, cash, tell, currency)


def _with_budget(
    ask: WeekRequest,
    response: WeekResponse,
    draws: dict[str, np.ndarray],
    currency: str,
    tell: Report,
) -> WeekRequest:
    """The request with the budget that its target asks for; profit leaves it free."""
    find = ask.find
    if find is None or find.kind == "profit" or ask.spend is not None:
        return ask
    tell("budget", 0.1)
    cells, measure = _limits(ask, response, currency), measure_of(ask.objective)
    budget = budget_of_weeks(find, response, draws, cells, measure, currency)
    return replace(ask, budget=budget, find=None, found_for=find)


def _limits(ask: WeekRequest, response: WeekResponse, currency: str) -> Cells:
    """The limits of a request; those of exact amounts allow nothing else."""
    names, weeks = response.names, response.weeks
    if ask.spend is not None:
        return cells_as_given(given_spend(ask, names, len(weeks)), names, weeks)
    return cells_of(ask, names, weeks, response.usual, response.dearest, currency)


def _worth(ask: WeekRequest, response: WeekResponse, model: Model) -> Worth:
    """What outcome and money of each week count for."""
    per_year = periods_per_year(model.data.times)
    margin = None if ask.find is None else ask.find.margin
    n, n_after = len(response.weeks), response.n_after
    return worth_of(n, n_after, per_year, ask.discount, margin)


class Valued(NamedTuple):
    """What plans are valued with: draws, limits, and what weeks count for."""

    response: WeekResponse
    draws: dict[str, np.ndarray]
    cells: Cells
    worth: Worth

    def brought(self, spends: Sequence[Spend]) -> tuple[np.ndarray, list[np.ndarray]]:
        """Outcome of media around the plan alone, and what spends add; by period."""
        none = np.zeros_like(self.response.usual)
        alone = outcomes(self.response, self.draws, none)
        return alone, [
            outcomes(self.response, self.draws, spend) - alone for spend in spends
        ]

    def brought_by(
        self, choice: Choice, spends: WeekPlans
    ) -> tuple[np.ndarray, list[np.ndarray]]:
        """The same where geos have other shares in the plan, which is a choice."""
        alone, brought = self.brought(spends)
        if choice.multiple is not None:
            brought[0] = self.divided(choice).brought([choice.spend])[1][0]
        return alone, brought

    def alone(self, choice: Choice, pays: Paying | None) -> tuple[Spend, np.ndarray]:
        """A choice at the budget that ran, and what that adds; by period."""
        spend = costing_as(self.response.usual, choice.spend, pays)
        return spend, self.divided(choice).brought([spend])[1][0]

    def of(self, choice: Choice) -> Float[np.ndarray, " draw"]:
        """What a choice is worth in each draw."""
        spend, valued = choice.spend, self.divided(choice)
        return self.worth.of(valued.brought([spend])[1][0], spend)

    def divided(self, choice: Choice) -> "Valued":
        """The same where geos have the shares of a choice."""
        if choice.multiple is None:
            return self
        return self._replace(response=divided(self.response, choice.multiple))


def _of_demand(
    model: Model,
    posterior: xr.Dataset,
    valued: Valued,
    spends: WeekPlans,
    measure: Measure,
) -> dict[str, Any]:
    """How much hidden demand turns the advice, and who follows demand untested."""
    result = {"untested": untested(model, flat_draws(posterior, CURVE_DRAWS))}
    if not model.mediators:
        return result
    pair = spends.current, spends.planned
    n = len(next(iter(valued.draws.values())))
    whole = valued.brought(pair)[1]
    direct = [
        valued._replace(draws=without(model, place, valued.draws)).brought(pair)[1]
        for place in range(len(model.mediators))
    ]
    draws = flat_draws(posterior, n)
    hidden = turning(model, draws, (whole, direct), pair, (valued.worth, measure))
    return result | {"hidden": hidden}


def _lesson(
    model: Model,
    posterior: xr.Dataset,
    ask: WeekRequest,
    fitted: WeekResponse,
    response: WeekResponse,
) -> Lesson:
    """What weeks can teach, and what that is worth."""
    media = partial(_media, fitted, response, ask.beliefs)
    return lesson(model, posterior, ask, response, media)


def _teaching(
    lesson: Lesson,
    ask: WeekRequest,
    response: WeekResponse,
    valued: Valued,
    best: Search,
) -> tuple[Choice, Teaching]:
    """The plan for outcome and knowledge, and what it promises."""
    valued, draws = valued._replace(response=response), valued.draws
    n = len(next(iter(draws.values())))
    objective = Objective(response, draws, np.full(n, 1 / n), valued.worth)
    earning = Earning(best.spend, best.bound, valued.of, objective, valued.cells)
    return taught(lesson, earning, ask)


def _bound(best: Search, choice: Choice, teaching: Teaching | None) -> float:
    """No plan within the limits brings more; with geos that differ where they do."""
    if choice.multiple is None or teaching is None:
        return best.bound
    return teaching.bound - teaching.certainty


def _media(
    fitted: WeekResponse,
    response: WeekResponse,
    beliefs: Sequence[Belief],
    draws: Mapping[str, np.ndarray],
) -> dict[str, np.ndarray]:
    """The parameters of draws that paid media need, beliefs included."""
    return _believed(fitted, response, media_draws(fitted, draws), beliefs)


def _believed(
    fitted: WeekResponse,
    response: WeekResponse,
    draws: dict[str, np.ndarray],
    beliefs: Sequence[Belief],
) -> dict[str, np.ndarray]:
    """Parameters of the fit's channels, and of those that are believed in."""
    if not beliefs:
        return draws
    spend = fitted.usual.sum(axis=1)
    ran = np.where(spend > 0, spend, np.nan)
    own = believed_draws(response, beliefs, ran_of(fitted, draws) / ran)
    return draws | own


def _break_even(
    model: Model, ask: WeekRequest, valued: "Valued", plan: Spend
) -> BreakEven | None:
    """The budget of highest profit, each channel's weeks in the plan's proportions.

    None where outcome is no money and no margin is known, where limits tie channels or
    single weeks, and where a discount counts weeks differently.
    """
    cells, response = valued.cells, valued.response
    margin = 1.0 if model.data.outcome_unit == "revenue" else None
    if ask.find is not None:
        margin = ask.find.margin
    # Limits that tie weeks or channels do not let proportions stay at another budget.
    is_tied = cells.joint is not None or np.isfinite(cells.column_most).any()
    is_tied |= not cells.is_whole or bool((cells.fixed & (plan > 0)).any())
    is_tied |= bool(ask.bought)
    if margin is None or is_tied or ask.discount or ask.spend is not None:
        return None
    even = np.full(len(next(iter(valued.draws.values()))), 1.0)
    objective = Objective(response, valued.draws, even / len(even))
    return break_even_of_weeks(objective.along, cells, plan, margin)


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
    for way in ways(response.structure):
        name = f"{way.path}beta_g{way.group.suffix}"
        few[name] = few[name] * factor[list(way.rows)]
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
    """The parameters of draws that paid media need, by way of mediators as well.

    Raises:
        WorkspaceError: The draws lack changes of effectiveness that the model has.
    """
    names, changes = _parameters(response.structure)
    if changes - set(draws):
        raise WorkspaceError(
            "The fit was made by an earlier version, in which effects did not change "
            "over the years.",
            hint="Fit the model again, then plan.",
        )
    return {name: values for name, values in draws.items() if name in names}


def _parameters(structure: Structure) -> tuple[set[str], set[str]]:
    """Names of what paid channels and mediators need; those of changing effects."""
    stems = (*CARRYOVER, "ec", "slope", "beta_g")
    groups = [*structure.groups, *(link.group for link in structure.mediators)]
    wanted = {
        f"{stem}{'' if stem == 'beta_g' else '_'}{group.suffix}"
        for group in groups
        for stem in stems
    }
    wanted |= {"xi_drift", *(f"drift_{x.suffix}" for x in groups)}
    changes = {f"drift_{x.suffix}" for x in groups if x.drifts}
    for place, link in enumerate(structure.mediators):
        parts = (wanted, changes), _parameters(link.structure)
        for names, theirs in zip(*parts, strict=True):
            names |= {prefix(place) + name for name in theirs}
    return wanted, changes


def _as_given(ask: WeekRequest, response: WeekResponse) -> Search:
    """The spend that was given, without a search and without a bound."""
    spend = given_spend(ask, response.names, len(response.weeks))
    current = response.usual * (spend.sum() / max(float(response.usual.sum()), 1e-300))
    even = np.repeat(current.mean(axis=1, keepdims=True), len(response.weeks), axis=1)
    return Search(spend, Starts(current, even, current), np.nan)
