r"""Media left over: whether what the model does not explain still goes with a channel.

The residuals $r$ of a model that is free to say what a channel does are unrelated to
the channel's effect $s$ over time. Where a prior holds the channel back, what it did
stays in the residuals. The correlation of $r$ and $s$ is compared with its spread if
there were none, $\sqrt{(1 + \rho_r\rho_s)/(1 - \rho_r\rho_s)/n}$, where $\rho$ is the
correlation with the period before (Bartlett 1935): both may be slow.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from core.analysis.incremental import outcome_at
from core.model.build import Model
from core.model.mediation.mediators import carrying

#: Correlation from which a channel's residuals matter, and how many times its spread
#: it must be.
MATTERS, TIMES_SPREAD = 0.25, 4.0


class Left(NamedTuple):
    """How residuals go with a channel's effect.

    Attributes:
        correlation: Over the cells that the likelihood saw.
        distance: The same in units of its spread if there were none.
    """

    correlation: float
    distance: float

    @property
    def is_held_back(self) -> bool:
        """Whether the channel did more, or less, than the model lets it."""
        return abs(self.correlation) > MATTERS and abs(self.distance) > TIMES_SPREAD


def media_left(
    model: Model, draws: Mapping[str, np.ndarray], means: np.ndarray
) -> dict[str, Left]:
    """How the residuals go with each channel that carries over.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
        means: Of the scaled KPI by the same draws; draw geo time.
    """
    observed = np.asarray(model.arrays.is_seen) > 0
    residual = np.asarray(model.arrays.kpi, np.float64) - means.mean(axis=0)
    middle = {name: np.asarray(values).mean(axis=0) for name, values in draws.items()}
    effects = outcome_at(model, middle)
    scaled = effects / np.asarray(model.arrays.outcome_scale)
    names = carrying(model)
    return {
        name: _together(residual, effect, observed)
        for name, effect in zip(names, scaled[: len(names)], strict=True)
    }


def _together(residual: np.ndarray, effect: np.ndarray, observed: np.ndarray) -> Left:
    """Correlation within geos, of cells that were seen."""
    count = np.maximum(observed.sum(axis=1, keepdims=True), 1)
    # Within geos: levels of geos go together for many other reasons.
    first, second = (
        np.where(
            observed,
            values - (values * observed).sum(axis=1, keepdims=True) / count,
            0.0,
        )
        for values in (residual, effect)
    )
    size = np.sqrt((first**2).sum() * (second**2).sum())
    n = int(observed.sum())
    if n < 4 or not size > 0:
        return Left(0.0, 0.0)
    correlation = float((first * second).sum() / size)
    # Clipped: near one the spread has no end, and short series overshoot.
    slow = np.clip(_from_before(first) * _from_before(second), -0.9, 0.95)
    spread = np.sqrt((1 + slow) / (1 - slow) / n)
    return Left(correlation, float(correlation / spread))


def _from_before(values: np.ndarray) -> float:
    """Correlation with the period before."""
    return float((values[:, 1:] * values[:, :-1]).sum() / (values**2).sum())
