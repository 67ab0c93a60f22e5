"""Prior predictive check: what the assumptions say before the KPI is looked at."""

from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np

from core.analysis.incremental import (
    expected_outcome,
    incremental_outcome,
    per_draw,
    scaled_mean_kpi,
)
from core.analysis.learning.prior_draws import prior_draws
from core.analysis.record.prior_check import ImpliedChannel, ImpliedKpi, PriorCheck
from core.analysis.returns import channel_names, spend_of
from core.estimate import estimate, interval
from core.model.build import Model
from core.model.reconstruct import posterior_variables
from core.text.languages.language import say

#: Draws of the check, and of what the KPI may be.
_DRAWS, _KPI_DRAWS = 500, 200
_TAIL = 0.01


@per_draw()
def _from_prior(structure, arrays, latents, kpi_zero):
    draw = posterior_variables(structure, arrays, latents)
    expected = expected_outcome(structure, arrays, draw, kpi_zero).sum(axis=0)
    added = incremental_outcome(structure, arrays, draw).sum(axis=(1, 2))
    return expected, added


def prior_predictive(model: Model, seed: int) -> PriorCheck:
    """Baseline share, contributions, ROI and KPI that the priors imply.

    The prior of knots and controls is wide on purpose, so shares are of the actual
    outcome, not of the drawn one.

    Args:
        model: The model.
        seed: Of the draws.
    """
    latents = prior_draws(model, _DRAWS, seed)
    zero = np.asarray(model.scale.mean / model.scale.std, model.arrays.kpi.dtype)
    expected, added = (
        np.asarray(part, np.float64)
        for part in _from_prior(model.structure, model.arrays, latents, zero)
    )
    names, _ = channel_names(model)
    spend = spend_of(model)
    actual = model.data.outcome.sum(axis=0)
    total = actual.sum()
    band = interval(expected)
    return PriorCheck(
        baseline_share=estimate(1 - added.sum(axis=1) / total),
        channels=tuple(
            ImpliedChannel(
                name=name,
                contribution_share=estimate(added[:, place] / total),
                roi=None
                if np.isnan(spend[place])
                else estimate(added[:, place] / spend[place]),
            )
            for place, name in enumerate(names)
        ),
        kpi=ImpliedKpi(
            time=tuple(str(date) for date in model.data.times),
            actual=tuple(actual.tolist()),
            median=tuple(np.median(expected, axis=0).tolist()),
            lo=tuple(band[:, 0].tolist()),
            hi=tuple(band[:, 1].tolist()),
        ),
        outcome_unit=model.data.outcome_unit,
    )


def movement_missed(model: Model, seed: int) -> Iterator[str]:
    """A reason where the KPI moves more than 99 % of draws from the priors.

    The default priors of baseline and noise are in standard deviations of the KPI, so
    they always allow it; only priors that somebody stated can miss it.

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
    latents = prior_draws(model, _KPI_DRAWS, seed)
    arrays = model.arrays._replace(block=None)
    return np.asarray(_spreads(model.structure, arrays, latents), np.float64)


@per_draw()
def _spreads(structure, arrays, values):
    draw = posterior_variables(structure, arrays, values)
    mean = scaled_mean_kpi(structure, arrays, draw)
    noise = jnp.mean(draw["sigma"] ** 2)
    # Noise adds its variance; drawing it would only blur this.
    return jnp.sqrt(mean.var() + noise)
