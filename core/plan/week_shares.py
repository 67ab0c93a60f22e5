"""Geos of a plan of weeks: the shares that are stated or found, and what they do."""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float

from core.errors import PlanError
from core.model.build import Model
from core.plan.record.teaching import Share
from core.plan.response.horizon import WeekResponse
from core.plan.scenario.weeks import WeekRequest
from core.plan.teaching.shares import (
    Multiple,
    divided,
    multiples_stated,
    shares_of,
    stated_shares,
)
from core.plan.teaching.taught import Choice

Brought = Float[np.ndarray, "draw channel time"]
Brings = Callable[[list[np.ndarray]], tuple[np.ndarray, list[np.ndarray]]]


def stated_in(
    model: Model, ask: WeekRequest, response: WeekResponse
) -> Multiple | None:
    """Multiples of geos' shares that a scenario states; None where it states none.

    Args:
        model: The fit's.
        ask: The request.
        response: That of the weeks, channels without history last.

    Raises:
        PlanError: They are not understood, or the model is of a funnel.
    """
    stated = stated_shares(ask.channels)
    if stated and model.mediators:
        raise PlanError(
            "Channels of a funnel divide their money over geos as a year earlier.",
            hint="Leave geos out of [channel].",
            where=next(iter(stated)),
        )
    usual = shares_of(response, model.data.population)
    new = {belief.name for belief in ask.beliefs}
    names = [name for name in response.names if name not in new]
    fitted = multiples_stated(ask.channels, names, model.data.geos, usual[: len(names)])
    if fitted is None:
        return None
    return np.concatenate([fitted, np.ones_like(usual[len(names) :])])


def in_all(choice: Choice, stated: Multiple | None) -> Choice:
    """A choice whose geos have multiples of the shares that were stated.

    Args:
        choice: Its multiples are of these.
        stated: What `stated_in` gives.
    """
    if stated is None:
        return choice
    own = 1.0 if choice.multiple is None else choice.multiple
    return choice._replace(multiple=stated * own)


def shares_in(
    model: Model, response: WeekResponse, choice: Choice
) -> tuple[Share, ...]:
    """Shares of every geo, of channels whose geos differ from last year.

    Args:
        model: The fit's.
        response: That of the weeks, at last year's shares.
        choice: The plan.
    """
    if choice.multiple is None:
        return ()
    usual = shares_of(response, model.data.population)
    return tuple(
        Share(
            channel=name,
            geo=geo,
            usual=float(usual[c, g]),
            planned=float(usual[c, g] * choice.multiple[c, g]),
        )
        for c, name in enumerate(response.names)
        if (choice.multiple[c] != 1).any()
        for g, geo in enumerate(model.data.geos)
    )


def over_geos(
    model: Model,
    response: WeekResponse,
    choice: Choice,
    brought: Brought,
    brings: Brings,
) -> dict[str, Any]:
    """How a plan divides money over geos, and what that does, as a result has it.

    Args:
        model: The fit's.
        response: That of the weeks, at last year's shares.
        choice: The plan.
        brought: What it brings.
        brings: Gives what media around plans brings, and plans at last year's shares.
    """
    if choice.multiple is None:
        return {}
    usual = brings([choice.spend])[1][0]
    planned, other = (each.sum(axis=2).T for each in (brought, usual))
    return {
        "shares": shares_in(model, response, choice),
        # What channels bring over what they would at last year's shares.
        "lift": np.divide(planned, other, out=np.ones_like(other), where=other > 0),
    }


def at_shares(response: WeekResponse, stated: Multiple | None) -> WeekResponse:
    """The weeks at the shares that are stated.

    Args:
        response: At last year's.
        stated: What `stated_in` gives.
    """
    return response if stated is None else divided(response, stated)
