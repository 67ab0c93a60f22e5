"""The KPI of a plan's weeks beside its paid media, with its noise."""

import numpy as np
from jaxtyping import Float

from core.analysis.ahead.forecast import (
    at_later_periods,
    expected_ahead,
    forecast,
    kpi_zeros,
    noise_of,
)
from core.analysis.ahead.future import future_model
from core.analysis.incremental import over_draws, treatment_outcome
from core.data.ahead.horizon import PlanHorizon, ahead, between
from core.data.mapping import PAID
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import persistent
from core.plan.teaching.by_geo import BesideByGeo
from core.plan.teaching.knowledge import Beside

#: Least variance of a direction of the noise, as a share of the mean one.
_LEAST = 1e-3


def beside_media(
    model: Model,
    draws: dict[str, np.ndarray],
    horizon: PlanHorizon,
    value: Float[np.ndarray, " week"] | float,
    seed: int,
) -> Beside:
    """What the KPI of the weeks is beside paid media, in each draw.

    The noise is that of a forecast: of the weeks themselves, what goes on in it, and
    hidden demand, which spend that is set beforehand does not follow.

    Args:
        model: With several geos what is read is the KPI of all together, which tells
            less than each by itself.
        draws: All posterior variables.
        horizon: The plan's weeks.
        value: Of a KPI unit over last year's.
        seed: Of the noise.

    Raises:
        SpecError: The baseline is made of knots, and cannot be forecast.
    """
    stop = horizon.skip + horizon.n
    future = between(ahead(model.data, stop), horizon.skip, stop)
    view = forecast(model, draws, future, seed)
    paid = np.isin(view["kind"].to_numpy(), PAID)
    media = view["contribution"].to_numpy()[:, paid].sum(axis=1)
    scale = np.broadcast_to(value, horizon.n)
    per_unit = future.revenue_per_kpi
    unit = 1.0 if per_unit is None else per_unit.mean(axis=0)
    expected = view["expected"].to_numpy()
    noise = (view["outcome"].to_numpy() - expected) / unit
    per_kpi = scale * unit
    covariance = stationary(noise) * np.outer(per_kpi, per_kpi)
    return Beside((expected - media) * scale, covariance)


def beside_by_geo(
    model: Model,
    draws: dict[str, np.ndarray],
    horizon: PlanHorizon,
    value: Float[np.ndarray, " week"] | float,
    seed: int,
) -> BesideByGeo:
    """What the KPI of each geo's weeks is beside paid media, in each draw.

    The noise of geos and that of weeks are taken apart: as a covariance of geos, and
    the same correlation over weeks in each.

    Args:
        model: Of several geos, without mediators.
        draws: All posterior variables.
        horizon: The plan's weeks.
        value: Of a KPI unit over last year's.
        seed: Of the noise.

    Raises:
        SpecError: The baseline is made of knots, and cannot be forecast.
    """
    stop = horizon.skip + horizon.n
    future = between(ahead(model.data, stop), horizon.skip, stop)
    structure, arrays = future_model(model, future)
    zeros = kpi_zeros(model)
    expected = in_chunks(
        lambda some: _beside_paid(structure, arrays, some, zeros), draws
    )
    noise = noise_of(model, draws, future.times, seed)
    scale = np.broadcast_to(value, horizon.n)
    size = np.sqrt((noise**2).mean(axis=(0, 2), keepdims=True))
    alike = (noise / np.maximum(size, 1e-300)).reshape(-1, horizon.n)
    return BesideByGeo(
        expected=expected.astype(np.float64) * scale,
        geos=_between(noise),
        weeks=stationary(alike),
        unit=np.asarray(arrays.outcome_scale, np.float64) * scale,
    )


@persistent()
def _beside_paid(structure, arrays, draws, zeros):
    paid = [[group.kind in PAID] * group.n_channels for group in structure.groups]
    places = np.flatnonzero(sum(paid, []))

    def of_draw(draw):
        draw = at_later_periods(structure, arrays, draw)
        media = treatment_outcome(structure, arrays, draw)[places].sum(axis=0)
        return expected_ahead(structure, arrays, draw, zeros) - media

    return over_draws(of_draw, draws)


def _between(noise: Float[np.ndarray, "draw geo week"]) -> Float[np.ndarray, "g g"]:
    """Covariance of the noise of geos, with a least variance in every direction."""
    rows = np.moveaxis(noise, 1, 0).reshape(noise.shape[1], -1)
    value, vector = np.linalg.eigh(rows @ rows.T / rows.shape[1])
    least = max(_LEAST * float(value.mean()), 1e-300)
    return (vector * np.maximum(value, least)) @ vector.T


def stationary(noise: Float[np.ndarray, "draw week"]) -> Float[np.ndarray, "week week"]:
    """Covariance of noise that is the same at any time, from draws of it."""
    n = noise.shape[1]
    lag = [float((noise[:, : n - k] * noise[:, k:]).mean()) for k in range(n)]
    place = np.arange(n)
    value, vector = np.linalg.eigh(np.array(lag)[np.abs(place[:, None] - place)])
    least = max(_LEAST * lag[0], 1e-300)
    return (vector * np.maximum(value, least)) @ vector.T
