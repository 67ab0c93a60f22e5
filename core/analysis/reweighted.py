r"""Reweighted: what the draws of the last fit say once new rows have come.

The draws $\theta_s$ of the old posterior stand for the new one with weights

    w_s \propto p_new(theta_s) / p_old(theta_s)

where both densities have the linear block integrated out, so that the ratio is the
likelihood of the new rows given the old ones, and of rows that changed. The largest
weights are smoothed (PSIS, Vehtari et al., 2024); Pareto's k tells whether the draws
reach as far as the new posterior: above 0.7 they do not, and only a fit will tell.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np
import xarray as xr

from core.analysis.draws import flat_draws, kept
from core.analysis.estimate import quantiles
from core.analysis.loo import highest_k
from core.analysis.monte_carlo import monte_carlo_errors
from core.analysis.returns import returns
from core.data.mapping import PAID
from core.fit.approximation import smoothed
from core.fit.convergence import number
from core.fit.reconstruction import Reconstruction
from core.fit.warm_start import WarmStart
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.density import collapsed_log_density
from core.model.latents import n_dims

#: Draws that are weighed.
DRAWS = 1000
#: Measures of a channel, and the variables of the returns.
_MEASURES = {
    "roi": "roi",
    "mroi": "mroi",
    "contribution": "incremental_outcome",
    "contribution_share": "contribution",
}


class Reweighted(NamedTuple):
    """Weights of the last fit's draws.

    Attributes:
        position: The draws, chain draw dim.
        weight: chain draw; they add up to one.
        k_hat: Pareto's k of the raw weights.
        highest_k: Above which the weights cannot be relied on.
    """

    position: np.ndarray
    weight: np.ndarray
    k_hat: float
    highest_k: float

    @property
    def is_rough(self) -> bool:
        """Whether the weights cannot be relied on."""
        return not self.k_hat <= self.highest_k

    @property
    def size(self) -> float:
        """Effective number of draws, 1 / sum w^2."""
        return float(1 / (self.weight**2).sum())


def reweighted(model: Model, last: WarmStart) -> Reweighted | None:
    """The draws of the last fit, weighed for a model of newer data.

    Args:
        model: The model of the newer data, of the same specification.
        last: What the last fit knows.

    Returns:
        None where the model has other coordinates than the last fit.
    """
    n_chains, n_draws, dim = last.position.shape
    if dim != n_dims(model.structure.latents):
        return None
    keep = kept(n_draws, max(1, DRAWS // n_chains))
    position = last.position[:, keep].astype(model.arrays.kpi.dtype)
    flat = position.reshape(-1, dim)
    density = in_chunks(
        lambda some: _log_densities(model.structure, model.arrays, some), flat
    )
    ratio = density.astype(float) - last.log_density[:, keep].reshape(-1).astype(float)
    if not np.isfinite(ratio).any():
        return None
    ratio[~np.isfinite(ratio)] = ratio[np.isfinite(ratio)].min() - 1e3
    log_weight, k_hat = smoothed(ratio)
    weight = np.exp(log_weight - log_weight.max())
    weight = (weight / weight.sum()).reshape(n_chains, -1)
    return Reweighted(position, weight, k_hat, highest_k(len(flat)))


@partial(jax.jit, static_argnums=0)
def _log_densities(structure, arrays, positions):
    def of(position):
        return collapsed_log_density(structure, position, arrays)

    return jax.lax.map(of, positions, batch_size=16)


def reweighted_channels(
    model: Model, found: Reweighted, reconstruction: Reconstruction
) -> list[dict[str, Any]]:
    """Channels as summary.json has them, by the weighed draws.

    Args:
        model: The model of the newer data.
        found: The weights.
        reconstruction: Posterior variables of positions.

    Returns:
        Rows with name, kind, spend, estimates of ROI, marginal ROI and contribution,
        and the Monte-Carlo error of their means, `mcse`.
    """
    channels = returns(model, flat_draws(reconstruction(found.position)))
    chain = np.repeat(np.arange(len(found.weight)), found.weight.shape[1])
    weight = found.weight.reshape(-1)
    return [
        _row(channels.isel(channel=place), weight, chain)
        for place in range(channels.sizes["channel"])
        if str(channels["kind"][place].item()) in PAID
    ]


def _row(channel: xr.Dataset, weight: np.ndarray, chain: np.ndarray) -> dict[str, Any]:
    spend = float(channel["spend"])
    row: dict[str, Any] = {
        "name": str(channel["channel"].item()),
        "kind": str(channel["kind"].item()),
        "spend": None if np.isnan(spend) else spend,
    }
    errors = {}
    for key, variable in _MEASURES.items():
        values = channel[variable].to_numpy()
        row[key] = weighted_estimate(values, weight)
        errors[key] = number(weighted_error(values, weight, chain))
    return row | {"mcse": errors}


def weighted_estimate(
    values: np.ndarray, weight: np.ndarray
) -> dict[str, float | None]:
    """Mean, median, standard deviation and interval of weighed draws.

    Args:
        values: One number per draw.
        weight: Of each draw; they add up to one.
    """
    if not np.isfinite(values).all():
        return dict.fromkeys(("mean", "median", "sd", "lo", "hi"))
    mean = float(weight @ values)
    order = np.argsort(values)
    share = np.cumsum(weight[order]) - 0.5 * weight[order]
    lo, median, hi = np.interp(quantiles(), share, values[order])
    sd = float(np.sqrt(weight @ (values - mean) ** 2))
    return {
        "mean": mean,
        "median": float(median),
        "sd": sd,
        "lo": float(lo),
        "hi": float(hi),
    }


def weighted_error(values: np.ndarray, weight: np.ndarray, chain: np.ndarray) -> float:
    r"""Monte-Carlo error of a weighed mean.

    The mean is $\sum w_s x_s$ with $\sum w_s = 1$; its error is that of the mean of
    $n w_s (x_s - \bar x)$, whose draws are as dependent as the chain's are.

    Args:
        values: One number per draw.
        weight: Of each draw.
        chain: The chain that each draw is of.
    """
    if not np.isfinite(values).all():
        return np.nan
    terms = len(values) * weight * (values - weight @ values)
    return float(monte_carlo_errors(terms[:, None], chain)[0])
