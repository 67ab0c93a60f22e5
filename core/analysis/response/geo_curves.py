"""Curves of geos: response to spend of each channel in each geo, per draw."""

import numpy as np
import xarray as xr

from core.analysis.ahead.planned_periods import of_periods, paid_spend, planned_periods
from core.analysis.following import n_lift_tests, probabilities
from core.analysis.incremental import on_cores
from core.analysis.multiples import response
from core.analysis.response.best_frequency import best_frequency
from core.analysis.response.mediated import mediated
from core.analysis.returns import channel_names
from core.data.ahead.horizon import PlanHorizon
from core.data.mapping import PAID
from core.dims import CHANNEL, DRAW, GEO
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import persistent

#: Multiples of the spend that ran, all of them on the grid of the market's curves:
#: closer where curves bend most, so that cubic pieces between them are within 3e-4 of
#: the outcome at three times the spend, and on average within 1e-5.
SPEND_MULTIPLIERS = np.array(
    [0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8]
    + [1.0, 1.2, 1.45, 1.7, 2.0, 2.35, 2.7, 3.0]
)


@persistent()
def _responses(structure, arrays, beside, draws, multipliers):
    def of_draw(draw):
        return response(
            structure, arrays, draw, multipliers, beside=beside, by_geo=True
        )

    return on_cores(of_draw, draws)


def geo_curves(
    model: Model, draws: dict[str, np.ndarray], horizon: PlanHorizon | None = None
) -> xr.Dataset:
    """Incremental outcome of each paid channel in each geo against its spend there.

    Spending k times as much in a geo means k times its media (reach, where frequency
    is given) there in every period. At equal multiples the geos add up to the market's
    response curve. Where spend is known for all geos together only, a geo's is its
    share of media units (`core.data.checks.spend_level`).

    Args:
        model: A model of several geos.
        draws: Posterior draws, see `core.analysis.draws.flat_draws`.
        horizon: The periods of the spend, see `planned_periods`; the data's own
            where not given.

    Returns:
        Dims draw, channel (paid), geo, spend_multiplier, single precision:
        `incremental_outcome` and its `slope`, the derivative with respect to the
        multiplier; `spend` per channel and geo, and `max_multiplier_seen`, the largest
        period's spend ever over the mean period's; where there are mediators, what
        comes by way of them (`mediated`). With reach and frequency, `frequency_best`
        and `frequency_ran` per channel, of all geos together, and `frequency_lift`
        (draw, channel, geo), what it brings in a geo at the one over what it brings
        there as it ran. `lift_tests` and `follows_demand` per channel are those of the
        market's curves. Attributes name the periods.
    """
    names, kinds = channel_names(model)
    is_paid = np.array([kind in PAID for kind in kinds])
    grid = np.asarray(SPEND_MULTIPLIERS, model.arrays.kpi.dtype)
    periods = planned_periods(model, horizon)
    draws = model.filled.of(draws)
    structure, arrays, beside, cost = periods
    value, slope = in_chunks(
        lambda some: _responses(structure, arrays, beside, some, grid), draws
    )
    carrying = is_paid[: value.shape[1]]
    by_way = mediated(model, periods, draws, SPEND_MULTIPLIERS, carrying, by_geo=True)
    mean, most = cost.mean(axis=1).T, paid_spend(model.data).max(axis=1).T
    seen = np.divide(most, mean, out=np.ones_like(mean), where=mean > 0)
    frequency = best_frequency(model, draws, periods, by_geo=True)
    if frequency is not None:
        by_way["frequency_lift"] = ((DRAW, CHANNEL, GEO), frequency.lift)
        by_way["frequency_best"] = (CHANNEL, frequency.best)
        by_way["frequency_ran"] = (CHANNEL, frequency.ran)
    dims = (DRAW, CHANNEL, GEO, "spend_multiplier")
    cells = (CHANNEL, GEO)
    following = probabilities(model, draws)
    paid = [name for name, is_one in zip(names, is_paid, strict=True) if is_one]
    return xr.Dataset(
        {
            "incremental_outcome": (dims, value[:, carrying].astype(np.float32)),
            "slope": (dims, slope[:, carrying].astype(np.float32)),
            **by_way,
        },
        coords={
            CHANNEL: paid,
            GEO: list(model.data.geos),
            "spend_multiplier": SPEND_MULTIPLIERS,
            "spend": (cells, cost.sum(axis=1).T),
            "max_multiplier_seen": (cells, seen),
            "lift_tests": (CHANNEL, n_lift_tests(model, paid)),
            "follows_demand": (CHANNEL, [following.get(name, 0.0) for name in paid]),
        },
        attrs=of_periods(model.data, horizon),
    )
