"""The forecast that a fit leaves behind: the current plan gone on with, and around it.

forecast.nc holds draws, so that a screen can multiply the media of a channel and ask
for the odds of a goal without the model.
"""

import jax
import numpy as np
import xarray as xr

from core.analysis.ahead.forecast import Draws, forecast
from core.analysis.ahead.future import future_with_mediators, media_with_mediators
from core.analysis.ahead.outlook import LEVELS
from core.analysis.ahead.planned_periods import paid_spend
from core.analysis.draws import flat_draws
from core.analysis.incremental import per_draw, treatment_outcome
from core.analysis.returns import channel_names
from core.data.ahead.horizon import (
    ahead,
    is_short,
    longest_horizon,
    multiplied,
    year_before,
)
from core.data.input_data import InputData
from core.data.mapping import PAID
from core.dims import DRAW, GEO, TIME
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import PLAIN
from core.model.mediation.mediators import carrying

#: Multiples of the planned media for which outcomes are kept.
MULTIPLIERS = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0])
#: Most periods, most and fewest draws, and about how many numbers of responses.
_PERIODS, _DRAWS, _FEWEST, _NUMBERS = 182, 500, 100, 1.5e6


def forecast_view(model: Model, posterior: xr.Dataset, seed: int) -> xr.Dataset | None:
    """Forecast of the next periods under the plan from a year earlier.

    Args:
        model: The model.
        posterior: Dims chain, draw, ...
        seed: Of the residual noise.

    Returns:
        What `core.analysis.ahead.forecast.forecast` gives, and: `response` (draw, paid,
        multiplier, time), the outcome of each paid channel at multiples of its
        media; `spend` (paid, time); `year_before` (time), the actual outcome of the
        same periods one year earlier; with several geos `outcome_geo` as quantiles
        (level, geo, time). Its attribute `horizon_repeated` says that the data are
        shorter than a year. None where the baseline is made of knots.
    """
    n = min(longest_horizon(model.data), _PERIODS)
    if not _goes_on(model) or n < 2:
        return None
    names, kinds = channel_names(model)
    paid = [name for name, kind in zip(names, kinds, strict=True) if kind in PAID]
    size = max(1, len(paid)) * len(MULTIPLIERS) * n
    draws = flat_draws(posterior, int(np.clip(_NUMBERS / size, _FEWEST, _DRAWS)))
    future = ahead(model.data, n)
    predicted = forecast(model, draws, future, seed)
    responses = media_responses(model, draws, future, MULTIPLIERS)
    spend = paid_spend(future).sum(axis=0).T
    view = predicted.drop_vars("outcome_geo", errors="ignore").assign(
        response=(
            (DRAW, "paid", "multiplier", TIME),
            np.moveaxis(responses[:, :, : len(paid)], 1, 2),
        ),
        spend=(("paid", TIME), spend),
        year_before=(TIME, model.data.outcome.sum(axis=0)[year_before(model.data, n)]),
    )
    if "outcome_geo" in predicted:
        view = view.assign(
            outcome_geo=(
                ("level", GEO, TIME),
                np.quantile(predicted["outcome_geo"], LEVELS, axis=0),
            )
        )
    view = view.assign_coords(paid=paid, multiplier=MULTIPLIERS)
    if "outcome_geo" in view:
        view = view.assign_coords(level=list(LEVELS), geo=list(model.data.geos))
    view.attrs["horizon_repeated"] = int(is_short(model.data))
    return view.astype(np.float32)


def _goes_on(model: Model) -> bool:
    """Whether the baseline does after the data, and that of every mediator's model."""
    return model.spec.is_structural and all(map(_goes_on, model.mediators))


def media_responses(
    model: Model, draws: Draws, future: InputData, multipliers: np.ndarray
) -> np.ndarray:
    """Outcome of each channel that carries over, at multiples of its planned media.

    Media before the horizon stays as it ran, so that a multiple of zero still has
    what carries over from it.

    Returns:
        draw multiplier channel time.
    """
    structure, arrays = future_with_mediators(model, future)
    names = carrying(model)
    plans = [
        media_with_mediators(model, multiplied(future, dict.fromkeys(names, float(by))))
        for by in multipliers
    ]
    # NumPy's, which has nothing to compile.
    stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *plans)
    responses = in_chunks(
        lambda some: _responses(structure, arrays, some, stacked),
        model.filled.of(draws),
    )
    return np.asarray(responses, np.float64)


@per_draw(options=PLAIN)
def _responses(structure, arrays, draw, plans):
    def of_plan(media):
        return treatment_outcome(structure, arrays, draw, media).sum(axis=1)

    return jax.lax.map(of_plan, plans)
