r"""Weeks that pay: a budget that also holds what channels make us spend elsewhere.

With x own spend by week, g_d(x) what it makes be spent on mediators in draw d and after
it, and r the share of that demand which is bought, the plan of cash B is

    max F_r(x)    with    C(x) = sum_t x_t + r mean_d g_d(x) = B

where what is not bought does not sell. The cash of a week bends down in its spend, so
plans of one cash are no convex set, and the budget has a price: for every rate q > 0
and every plan of that cash

    F_r(x) <= q ( max_y [ F_r(y) / q - C(y) ] + B )

which is a plan of weeks for a profit. The rate is found at which its best plan costs B;
own spend is then settled so that it does to the cent, on average over draws.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float
from scipy.optimize import brentq

from core.errors import PlanError
from core.model.build import Model
from core.model.mediation.mediators import mediator_names, units_per_scaled
from core.plan.limits.cells import Cells
from core.plan.limits.cents import step
from core.plan.limits.channels import Money
from core.plan.money.elsewhere import check_bought
from core.plan.response.horizon import WeekResponse
from core.plan.response.weeks import induced_of
from core.plan.response.worth import Worth, worth_of
from core.plan.scenario.measure import measure_of
from core.plan.solve.rounding import cells_in_whole_steps
from core.plan.solve.weeks.objective import Objective
from core.plan.solve.weeks.projected_gradient import climb
from core.plan.solve.weeks.projection import Spend, nearest
from core.plan.solve.weeks.search import Report, Search, search
from core.plan.solve.weeks.starts import Starts, units_of

#: Draws that a rate is looked for with, rates tried, and how far apart they may lie.
_FEW, _TRIED, _WIDE = 50, 13, 64.0
#: Evaluations of an ascent at each rate, and of one at the own budget at the end.
_EACH, _SETTLING = 40, 25
#: Ascents and roundings at the end; how near the cash of a plan and a pattern is.
_POLISHED, _ROUNDED, _NEAR, _CENT = 3, 6, 0.02, 0.006
#: The largest multiple of a pattern that is tried.
_MOST = 1e6


class Paying(NamedTuple):
    """A response of weeks with what its channels make us spend on mediators.

    Attributes:
        response: The weeks.
        draws: In which what is not bought does not sell.
        prices: What a unit of scaled mediator costs, as bought; by place, geo.
    """

    response: WeekResponse
    draws: dict[str, np.ndarray]
    prices: dict[str, jax.Array]

    def induced(self, spend: Spend) -> Float[np.ndarray, "draw channel"]:
        """What each channel makes be spent on mediators, in the plan and after it."""
        return induced_of(self.response, self.draws, self.prices, spend)

    def cash(self, spend: Spend) -> Float[np.ndarray, " draw"]:
        """What a plan costs in all."""
        return float(spend.sum()) + self.induced(spend).sum(axis=1)

    def at(self, rate: float) -> WeekResponse:
        """The weeks with outcome net of that spend, at a rate of outcome per cash."""
        charge = {place: rate * price for place, price in self.prices.items()}
        return self.response._replace(charge=charge)

    def in_cash(self, pattern: Spend, cash: float) -> Spend:
        """A pattern scaled so that it costs so much on average."""

        def short(times: float) -> float:
            return float(self.cash(times * pattern).mean()) - cash

        if not pattern.any() or abs(short(1.0)) <= _CENT:
            return pattern
        most = 2.0
        while short(most) < 0 and most < _MOST:
            most *= 2
        return brentq(short, 0.0, most, xtol=1e-9) * pattern


def paying(
    model: Model,
    response: WeekResponse,
    draws: dict[str, np.ndarray],
    bought: Mapping[str, float],
) -> Paying | None:
    """The weeks of a plan that pays; None where nothing is bought.

    Args:
        model: The model.
        response: Its weeks.
        draws: Parameters of paid channels and of mediators.
        bought: Share of the demand that is bought, by mediator.

    Raises:
        PlanError: A mediator is unknown or costs nothing, or a share is none.
    """
    if not bought:
        return None
    names, costs = mediator_names(model), model.mediator_prices
    paid = [name for name, cost in zip(names, costs, strict=False) if cost > 0]
    check_bought(paid, bought)
    scale, prices, draws = units_per_scaled(model), {}, dict(draws)
    for place, (name, link) in enumerate(
        zip(names, response.structure.mediators, strict=True)
    ):
        if name not in bought:
            continue
        effect = f"beta_g{link.suffix}"
        scaled = np.array(draws[effect])
        scaled[:, :, link.place] *= bought[name]
        draws[effect] = scaled
        price = bought[name] * costs[place] * scale[place]
        prices[str(place)] = jnp.asarray(price, response.arrays.kpi.dtype)
    return Paying(response, draws, prices)


def costing_as(other: Spend, pattern: Spend, pays: Paying | None) -> Spend:
    """A pattern of weeks scaled so that it costs what another does."""
    if pays is not None:
        return pays.in_cash(pattern, float(pays.cash(other).mean()))
    return pattern * (float(other.sum()) / max(float(pattern.sum()), 1e-300))


def cash_of(pays: Paying, budget: float | None) -> float:
    """The budget in whole cents; without one what the weeks cost a year earlier."""
    usual = float(pays.cash(pays.response.usual).mean())
    return round(usual if budget is None else budget, 2)


def paid_search(
    pays: Paying, cells: Cells, cash: float, tell: Report, currency: str = ""
) -> Search:
    """The best plan of a cash that was found, and a bound on every one.

    Args:
        pays: The weeks.
        cells: Limits of own spend, whatever their budget.
        cash: What the plan costs in all, on average over draws.
        tell: Takes what is being done, and how far it is.
        currency: For messages.

    Raises:
        PlanError: Weeks pause or come in steps, or no plan within the limits costs
            that.
    """
    if not cells.is_whole:
        raise PlanError(
            "Weeks that pause or are bought in steps cannot pay for what channels make "
            "us spend elsewhere yet.",
            hint="Leave week_min, may_be_off and step out, or leave [mediator] out.",
            where="mediator",
        )
    least = float(max(cells.least.sum(), cells.low.sum()))
    most = float(min(cells.most.sum(), cells.high.sum(), cash))
    free = replace(cells, budget=max(most, least), spare=max(most - least, 0.0))
    tell("budget", 0.1)
    rate, near = _rate(pays, free, cash)
    worth = _profit(pays, rate)
    result = search(pays.at(rate), pays.draws, free, measure_of("mean"), tell, worth)
    bound = rate * (result.bound + cash)
    plan = _settled(pays, rate, free, [result.spend, *near], cash)
    reached = float(pays.cash(plan).mean())
    cent = 0.01 * reached / max(float(plan.sum()), 1e-300)  # of own spend
    if abs(reached - cash) > max(_NEAR, 1e-6 * cash, cent):
        money = Money(currency)
        raise PlanError(
            f"No plan within the limits costs {money(cash)} with what channels make us "
            f"spend elsewhere: the nearest costs {money(round(reached, 2))}.",
            hint="Change the budget, or the limits of channels.",
            where="budget",
        )
    usual = pays.response.usual
    even = np.repeat(usual.mean(axis=1, keepdims=True), usual.shape[1], axis=1)
    patterns = (usual, even, result.starts.fixed)
    return Search(plan, Starts(*(pays.in_cash(each, cash) for each in patterns)), bound)


def _profit(pays: Paying, rate: float) -> Worth:
    """What outcome and own spend count at a rate."""
    return worth_of(len(pays.response.weeks), pays.response.n_after, 1, margin=1 / rate)


def _objective(
    pays: Paying, rate: float, draws: dict[str, np.ndarray]
) -> Callable[[Spend], tuple[float, np.ndarray]]:
    n = len(next(iter(draws.values())))
    ranks = np.full(n, 1 / n)
    return Objective(pays.at(rate), draws, ranks, _profit(pays, rate))


def _rate(pays: Paying, free: Cells, cash: float) -> tuple[float, list[Spend]]:
    """The rate of outcome per cash at which the best plan costs so much, about.

    And the plans of both sides: between them the cash may jump.
    """
    n = len(next(iter(pays.draws.values())))
    some = {name: each[:: max(1, n // _FEW)] for name, each in pays.draws.items()}
    few = pays._replace(draws=some)
    spend = nearest(free, pays.in_cash(pays.response.usual, cash), units_of(free))
    plain = Objective(pays.response, some, np.ones(len(few.cash(spend))))
    mean = max(float(plain.by_draw(spend).mean()), 1e-9 * cash) / cash
    low, high = mean / _WIDE, mean * _WIDE**0.5
    sides: dict[bool, Spend] = {}
    for _ in range(_TRIED):
        middle = float(np.sqrt(low * high))
        objective = _objective(few, middle, some)
        spend = climb(objective, free, spend, most=_EACH, tolerance=1e-6).spend
        is_dear = float(few.cash(spend).mean()) > cash
        sides[is_dear] = spend
        low, high = (middle, high) if is_dear else (low, middle)
    return float(np.sqrt(low * high)), list(sides.values())


def _settled(
    pays: Paying, rate: float, free: Cells, spends: Sequence[Spend], cash: float
) -> Spend:
    """The best plan that costs the cash, in cents, from plans that nearly do."""
    objective = _objective(pays, rate, pays.draws)
    plain = Objective(pays.response, pays.draws, np.ones(1))

    def value(spend: Spend) -> float:
        return float(plain.by_draw(spend).mean())

    best = max((_of_cash(pays, free, each, cash) for each in spends), key=value)
    for _ in range(_POLISHED):
        limits = _of_budget(free, float(best.sum()))
        begin = nearest(limits, best, units_of(limits))
        moved = climb(objective, limits, begin, most=_SETTLING, tolerance=1e-8).spend
        other = _of_cash(pays, free, moved, cash)
        if value(other) <= value(best) * (1 + 1e-7):
            break
        best = other
    return _in_cents(pays, free, best, cash)


def _in_cents(pays: Paying, free: Cells, plan: Spend, cash: float) -> Spend:
    """A plan in whole cents: what rounding cells does to the cash is settled again."""
    total, results = max(float(plan.sum()), 1e-300), []
    budget, least, most = total, free.budget - free.spare, free.budget
    per_own = float(pays.cash(plan).mean()) / total  # a cent of own spend costs more
    for _ in range(_ROUNDED):
        limits = _of_budget(free, float(np.clip(budget, least, most)))
        scaled = plan * (limits.budget / total)
        near = nearest(limits, scaled, units_of(limits))
        whole = cells_in_whole_steps(limits, near, float(step(limits.budget)))
        gap = cash - float(pays.cash(whole).mean())
        results.append((abs(gap), whole))
        if abs(gap) <= _CENT:
            break
        budget = limits.budget + gap / per_own
    return min(results, key=lambda each: each[0])[1]


def _of_budget(free: Cells, budget: float) -> Cells:
    """The limits with an own budget in whole cents."""
    return replace(free, budget=round(budget, 2), spare=0.0)


def _of_cash(pays: Paying, free: Cells, pattern: Spend, cash: float) -> Spend:
    """A pattern within the limits, at the own budget at which it costs the cash."""
    total = max(float(pattern.sum()), 1e-300)

    def at(budget: float) -> Spend:
        limits = replace(free, budget=budget, spare=0.0)
        return nearest(limits, pattern * (budget / total), units_of(limits))

    def short(budget: float) -> float:
        return float(pays.cash(at(budget)).mean()) - cash

    least, most = free.budget - free.spare, free.budget
    if short(most) <= 0:
        return at(most)
    if short(least) >= 0:
        return at(least)
    return at(brentq(short, least, most, xtol=1e-3, rtol=1e-9))
