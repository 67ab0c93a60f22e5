"""Prior movement: whether the priors let the KPI move as much as it does.

The default priors of baseline and noise are in standard deviations of the KPI, so
they always do; only priors that somebody gave can miss it, and only then is it asked.
"""

from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np

from core.analysis.incremental import over_draws, scaled_mean_kpi
from core.model.build import Model
from core.model.compiled.executables import persistent
from core.model.priors.prior_draws import prior_draws
from core.model.reconstruct import posterior_variables
from core.text.languages.language import say

_DRAWS = 200
_TAIL = 0.01


def movement_missed(model: Model, seed: int) -> Iterator[str]:
    """A reason where the KPI moves more than 99 % of draws from the priors.

    Args:
        model: The model.
        seed: Of the draws.
    """
    if not model.spec.priors:
        return
    actual = float(np.asarray(model.arrays.kpi, np.float64).std())
    allowed = _movement(model, seed)
    if (allowed >= actual).mean() >= _TAIL:
        return
    low, high = np.quantile(allowed, [0.05, 0.95]) * model.scale.std
    moves = actual * model.scale.std
    yield (
        say(
            "By the priors the KPI moves by {low} to {high} around its "
            "mean (standard deviation, 90 %); it moves by {moves}. Widen "
            "the priors of {names} on the Model screen.",
            low=f"{low:,.3g}",
            high=f"{high:,.3g}",
            moves=f"{moves:,.3g}",
            names=", ".join((name for name, _ in model.spec.priors)),
        )
    )


def _movement(model: Model, seed: int) -> np.ndarray:
    """Standard deviation over all cells of KPIs drawn from the priors, scaled KPI."""
    latents = prior_draws(model, _DRAWS, seed)
    arrays = model.arrays._replace(block=None)
    return np.asarray(_spreads(model.structure, arrays, latents), np.float64)


@persistent()
def _spreads(structure, arrays, latents):
    def of_draw(values):
        draw = posterior_variables(structure, arrays, values)
        mean = scaled_mean_kpi(structure, arrays, draw)
        noise = jnp.mean(draw["sigma"] ** 2)
        # Noise adds its variance; drawing it would only blur this.
        return jnp.sqrt(mean.var() + noise)

    return over_draws(of_draw, latents)
