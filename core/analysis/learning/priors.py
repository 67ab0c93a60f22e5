"""Priors beside posteriors: what was assumed, and what the data made of it."""

import numpy as np
import xarray as xr

from core.analysis.draws import kernel_density
from core.analysis.returns import channel_names
from core.model.build import Model
from core.model.model_latents import treatment_prior
from core.model.priors.distribution import density, estimate, quantile
from core.model.priors.prior import Prior, describe

#: Points of a density.
N_POINTS = 201


def treatment_priors(model: Model) -> dict[str, Prior]:
    """The prior of each treatment's parameter, by channel."""
    names, _ = channel_names(model)
    return {
        name: treatment_prior(model.spec, model.data, model.spec.channel(name))
        for name in names
    }


def treatment_draws(
    model: Model, draws: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Posterior draws of each treatment's parameter, by channel."""
    result: dict[str, np.ndarray] = {}
    groups = [(group.kind, group.treatment) for group in model.structure.groups]
    if model.structure.non_media is not None:
        groups.append(("non_media", model.structure.non_media.treatment))
    for kind, treatment in groups:
        names = model.channels(kind)
        for parameter, places in treatment:
            for column, place in enumerate(places):
                result[names[place]] = draws[parameter][:, column]
    return result


def prior_and_posterior(model: Model, draws: dict[str, np.ndarray]) -> xr.Dataset:
    """Density of each treatment's parameter before and after the data.

    Returns:
        Dims channel_all (every treatment), point: `prior_grid` in the parameter's
        unit, `prior_density` and `posterior_density`; `prior_kind` per channel.
    """
    names, _ = channel_names(model)
    priors, posteriors = treatment_priors(model), treatment_draws(model, draws)
    grids, before, after = [], [], []
    for name in names:
        prior, by_draw = priors[name], posteriors[name]
        grid = _grid(prior, by_draw)
        grids.append(grid)
        before.append(density(prior, grid)[1])
        after.append(_posterior_density(by_draw, grid))
    kinds = [model.spec.channel(name).effective_prior_kind for name in names]
    dims = ("channel_all", "prior_point")
    return xr.Dataset(
        {
            "prior_grid": (dims, np.array(grids)),
            "prior_density": (dims, np.array(before)),
            "posterior_density": (dims, np.array(after)),
        },
        coords={"channel_all": names, "prior_kind": ("channel_all", kinds)},
    )


def prior_summary(model: Model) -> dict[str, dict]:
    """What each treatment's prior says: kind, text, numbers, mean and interval."""
    result = {}
    for name, prior in treatment_priors(model).items():
        statistics = estimate(prior)
        result[name] = {
            "kind": model.spec.channel(name).effective_prior_kind,
            "text": describe(prior),
            "family": prior.family,
            "parameters": prior.parameters(),
            "shift": prior.shift,
            "mean": statistics.mean,
            "lo": statistics.lo,
            "hi": statistics.hi,
        }
    return result


def _grid(prior: Prior, draws: np.ndarray) -> np.ndarray:
    low, high = (float(quantile(prior, q)) for q in (0.005, 0.98))
    low, high = min(low, draws.min()), max(high, np.quantile(draws, 0.999))
    if not high > low:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, N_POINTS)


def _posterior_density(draws: np.ndarray, grid: np.ndarray) -> np.ndarray:
    if np.ptp(draws) < 1e-12 * max(1.0, abs(float(draws.mean()))):
        return np.zeros_like(grid)  # a fixed parameter has no density
    return kernel_density(draws, grid)
