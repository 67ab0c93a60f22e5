"""The KPI of a plan's weeks beside its paid media, with its noise."""

import numpy as np
from jaxtyping import Float

from core.analysis.ahead.forecast import forecast
from core.data.ahead.horizon import PlanHorizon, ahead, between
from core.data.mapping import PAID
from core.model.build import Model
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


def stationary(noise: Float[np.ndarray, "draw week"]) -> Float[np.ndarray, "week week"]:
    """Covariance of noise that is the same at any time, from draws of it."""
    n = noise.shape[1]
    lag = [float((noise[:, : n - k] * noise[:, k:]).mean()) for k in range(n)]
    place = np.arange(n)
    value, vector = np.linalg.eigh(np.array(lag)[np.abs(place[:, None] - place)])
    least = max(_LEAST * lag[0], 1e-300)
    return (vector * np.maximum(value, least)) @ vector.T
