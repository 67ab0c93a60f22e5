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
from core.plan.response.horizon import WeekResponse, horizon
from core.plan.response.price import best_frequencies, gammas_of
from core.plan.scenario.week_limits import factors
from core.plan.scenario.weeks import FlightWish, weeks_ahead
from core.plan.week_mediators import refuse_to_teach

#: Joint draws that best frequencies are of.
_DRAWS = 200


def weeks_of(model: Model, ask: FlightWish, posterior: xr.Dataset) -> WeekResponse:
    """The weeks of a wish, at its prices and values."""
    refuse_to_teach(model, ask)
    ahead = weeks_ahead(ask, model.data.times)
    names = horizon(model, ahead.n, skip=ahead.skip).names
    price, value = factors(ask, names, ahead.n)
    return horizon(
        model,
        ahead.n,
        skip=ahead.skip,
        price=price,
        value=value,
        after=ask.after,
        gammas=gammas_of({"channel": ask.channels}),
        often=_frequencies(model, ask, posterior, names),
    )


def _frequencies(
    model: Model, ask: FlightWish, posterior: xr.Dataset, names: tuple[str, ...]
) -> dict[str, float]:
    """The best frequency of channels that are to be bought at it.

    Raises:
        PlanError: One has no reach and frequency.
    """
    asked = best_frequencies({"channel": ask.channels})
    if not asked:
        return {}
    ahead = weeks_ahead(ask, model.data.times)
    draws = flat_draws(posterior, _DRAWS)
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


def prices_of_plan(model: Model, ask: FlightWish) -> dict[str, tuple[float, ...]]:
    """Price of each week over last year's, by the channels' price index."""
    ahead, times = weeks_ahead(ask, model.data.times), model.data.times
    return prices_of_weeks(model.data, ahead.skip, ahead.n, periods_per_year(times))


def about_weeks(model: Model, ask: FlightWish, currency: str) -> dict[str, object]:
    """What a plan of weeks says of itself.

    Args:
        model: The fit's.
        ask: The wish, whose budget may be found.
        currency: Of money.
    """
    return {
        "currency": currency,
        "outcome_unit": model.data.outcome_unit,
        "objective": ask.objective if ask.find is None else "profit",
        "discount": ask.discount,
        "found_for": "" if ask.found_for is None else ask.found_for.kind,
        "target": np.nan if ask.found_for is None else ask.found_for.target,
    }
