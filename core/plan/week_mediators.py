"""Mediators of a plan of weeks: what it does not pay, and what it rests on them."""

from collections.abc import Collection, Mapping, Sequence

import jax.numpy as jnp
import numpy as np

from core.analysis.incremental import over_draws
from core.analysis.response.mediated import noise_ratio
from core.errors import PlanError
from core.model.build import Model
from core.model.mediation.mediators import mediator_names
from core.plan.advice.hidden import turning_correlation
from core.plan.advice.parts import Correlated
from core.plan.money.elsewhere import left_out
from core.plan.response.horizon import WeekResponse
from core.plan.response.worth import Worth
from core.plan.scenario.measure import Measure
from core.plan.scenario.weeks import WeekRequest
from core.text.sentences import listed

#: What plans bring, by plan: draw channel time.
Brought = Sequence[np.ndarray]


def refuse_to_teach(model: Model, ask: WeekRequest) -> None:
    """Refuse weeks that teach where channels work through a mediator.

    Raises:
        PlanError: They do.
    """
    if model.mediators and ask.teach is not None:
        raise PlanError(
            "Weeks that teach cannot be planned with a mediator "
            f"({listed(mediator_names(model))}) yet: what its own model would learn "
            "is not counted.",
            hint="Leave teach out: plans of weeks count what comes through mediators.",
            where="teach",
        )


def not_paid(
    model: Model, response: WeekResponse, bought: Collection[str] = ()
) -> tuple[str, ...]:
    """That channels make us spend on mediators, where some cost money."""
    links = response.structure.mediators
    costs = zip(mediator_names(model), links, model.mediator_prices, strict=False)
    paid = [
        (name, link.ours)
        for name, link, price in costs
        if price > 0 and link.ours and name not in bought
    ]
    if not paid:
        return ()
    rows = {row for _, ours in paid for row in ours}
    channels = [response.names[row] for row in sorted(rows)]
    return (left_out(channels, [name for name, _ in paid]),)


def without(
    model: Model, place: int, draws: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """The draws with a mediator that does nothing."""
    link = model.structure.mediators[place]
    name = f"beta_g{link.suffix}"
    effect = np.array(draws[name])
    effect[:, :, link.place] = 0.0
    return {**draws, name: effect}


def turning(
    model: Model,
    draws: dict[str, np.ndarray],
    brought: tuple[Brought, Sequence[Brought]],
    spends: tuple[np.ndarray, np.ndarray],
    counts: tuple[Worth, Measure],
) -> tuple[Correlated, ...]:
    """How much hidden demand behind each mediator and the KPI turns the advice.

    Args:
        model: The model.
        draws: All variables of the draws that the plan is of.
        brought: By what the plan is compared with, and by the plan: all of it, and
            without each mediator.
        spends: The same two; channel week.
        counts: What weeks count for, and what is made large.
    """
    worth, measure = counts
    whole, direct = brought

    def of(each: Brought) -> tuple[np.ndarray, ...]:
        return tuple(worth.by_channel(one).sum(axis=1) for one in each)

    before, after = spends
    cost = worth.cost_of(after - before)
    results = []
    for place, mediator in enumerate(mediator_names(model)):
        both, own = of(whole), of(direct[place])
        through = tuple(a - b for a, b in zip(both, own, strict=True))
        k = _known(model, draws, place)
        results.append(
            turning_correlation(mediator, both, through, k, measure, cost=cost)
        )
    return tuple(one for one in results if one is not None)


def _known(model: Model, draws: dict[str, np.ndarray], place: int) -> np.ndarray:
    """The mediator's own noise as it moves the KPI, over the KPI's."""
    structure, arrays = model.structure, model.arrays

    def of_draw(draw):
        return noise_ratio(structure, arrays, draw, place)

    on_device = {name: jnp.asarray(values) for name, values in draws.items()}
    return np.asarray(over_draws(of_draw, on_device), np.float64)
