"""Terms of a plan of weeks: its periods, prices, values and frequencies."""

import numpy as np
import xarray as xr

from core.analysis.ahead.planned_periods import planned_periods
from core.analysis.draws import flat_draws
from core.analysis.response.best_frequency import best_frequency
from core.data.ahead.horizon import periods_per_year
from core.data.price_index import prices_of_weeks
from core.errors import PlanError
from core.model.build import Model
from core.plan.response.curves import Frequency
from core.plan.response.horizon import WeekResponse, horizon
from core.plan.response.price import (
    best_frequencies,
    frequency_notes,
    gammas_of,
    indexed_note,
)
from core.plan.scenario.week_limits import factors
from core.plan.scenario.weeks import WeekRequest, weeks_ahead
from core.plan.week_mediators import not_paid, refuse_to_teach

#: Joint draws that best frequencies are of.
_DRAWS = 200


def weeks_of(model: Model, ask: WeekRequest, posterior: xr.Dataset) -> WeekResponse:
    """The weeks of a request, at its prices and values."""
    refuse_to_teach(model, ask)
    ahead = weeks_ahead(ask, model.data.times)
    names = horizon(model, ahead.n, skip=ahead.skip).names
    price, value = factors(ask, names, ahead.n)
    often = _frequencies(model, ask, posterior, names)
    return horizon(
        model,
        ahead.n,
        skip=ahead.skip,
        price=price,
        value=value,
        after=ask.after,
        gammas=gammas_of(ask.of_channels),
        often={name: each.best for name, each in often.items()},
    )


def _frequencies(
    model: Model, ask: WeekRequest, posterior: xr.Dataset, names: tuple[str, ...]
) -> dict[str, Frequency]:
    """The best frequency of channels that are to be bought at it.

    Raises:
        PlanError: One has no reach and frequency.
    """
    channels = best_frequencies(ask.of_channels)
    if not channels:
        return {}
    ahead = weeks_ahead(ask, model.data.times)
    draws = flat_draws(posterior, _DRAWS)
    known = best_frequency(model, draws, planned_periods(model, ahead))
    often = {}
    if known is not None:
        rows = zip(names, known.best, known.ran, known.lift.T, strict=True)
        often = {
            name: Frequency(name, float(best), float(ran), lift)
            for name, best, ran, lift in rows
            if np.isfinite(best)
        }
    for name in channels:
        if name not in often:
            raise PlanError(
                f"{name} has no reach and frequency here, so no best frequency.",
                hint="Leave its frequency out.",
                where=name,
            )
    return {name: often[name] for name in channels}


def notes_of_weeks(
    model: Model, posterior: xr.Dataset, response: WeekResponse, ask: WeekRequest
) -> tuple[str, ...]:
    """What there is to say of spend elsewhere, of prices and of frequencies."""
    indexed = indexed_note(ask.of_channels, prices_of_plan(model, ask))
    new = {belief.name for belief in ask.beliefs}
    names = tuple(name for name in response.names if name not in new)
    often = frequency_notes(_frequencies(model, ask, posterior, names).values())
    notes = (*not_paid(model, response, ask.bought), indexed, *often)
    return tuple(note for note in notes if note)


def prices_of_plan(model: Model, ask: WeekRequest) -> dict[str, tuple[float, ...]]:
    """Price of each week over last year's, by the channels' price index."""
    ahead, times = weeks_ahead(ask, model.data.times), model.data.times
    return prices_of_weeks(model.data, ahead.skip, ahead.n, periods_per_year(times))
