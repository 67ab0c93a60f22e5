r"""Reweighted: what the draws of the last fit say once new rows have come.

The draws $\theta_s$ of the old posterior stand for the new one with weights

    w_s \propto p_new(theta_s) / p_old(theta_s)

where both densities have the linear block integrated out, so that the ratio is the
likelihood of the new rows given the old ones, and of rows that changed. The largest
weights are smoothed (PSIS, Vehtari et al., 2024); Pareto's k tells whether the draws
reach as far as the new posterior: above 0.7 they do not, and only a fit will tell.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from core.analysis.checking.loo import highest_k
from core.analysis.draws import kept
from core.analysis.refreshing.monte_carlo import monte_carlo_errors
from core.analysis.response.multiples import response
from core.analysis.returns import channel_names, spend_of
from core.data.mapping import PAID
from core.estimate import weighted
from core.fit.convergence import number
from core.fit.sampling.warm_start import WarmStart
from core.fit.start.approximation import smoothed
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import QUICK, persistent
from core.model.density import collapsed_log_density
from core.model.latents import constrain, n_dims
from core.model.media.group_arrays import MARGINAL_STEP
from core.model.media.treatments import media_and_effects

#: Draws that are weighed.
DRAWS = 1000
#: Effective draws that an answer takes: fewer have no tail to cut an interval from.
FEWEST = 50


class Reweighted(NamedTuple):
    """Weights of the last fit's draws, and what channels bring in each.

    Attributes:
        weight: chain draw; they add up to one.
        k_hat: Pareto's k of the raw weights.
        highest_k: Above which the weights cannot be relied on.
        outcome: Incremental outcome of the channels that carry over, at their media and
            at one per cent more; draw channel 2.
    """

    weight: np.ndarray
    k_hat: float
    highest_k: float
    outcome: np.ndarray

    @property
    def is_rough(self) -> bool:
        """Whether the weights cannot be relied on."""
        return not self.k_hat <= self.highest_k or self.size < FEWEST

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
    density, outcome = in_chunks(
        lambda some: _weighed(model.structure, model.arrays, some),
        position.reshape(-1, dim),
    )
    ratio = density.astype(float) - last.log_density[:, keep].reshape(-1).astype(float)
    if not np.isfinite(ratio).any():
        return None
    # A draw that the new data rule out: next to no weight, but a number, as the
    # smoothing sorts them.
    ratio[~np.isfinite(ratio)] = ratio[np.isfinite(ratio)].min() - 1e3
    log_weight, k_hat = smoothed(ratio)
    # Relative to the largest: logarithms of weights may be thousands.
    weight = np.exp(log_weight - log_weight.max())
    weight = (weight / weight.sum()).reshape(n_chains, -1)
    return Reweighted(weight, k_hat, highest_k(len(ratio)), outcome.astype(float))


@persistent(options=QUICK)
def _weighed(structure, arrays, positions):
    """Log density and outcome of positions."""
    multiples = jnp.array([1.0, 1.0 + MARGINAL_STEP], arrays.kpi.dtype)

    def of(position):
        density = collapsed_log_density(structure, position, arrays)
        draw, _ = constrain(structure.latents, position, arrays.priors, arrays.errors)
        for group in structure.groups:
            _, effects = media_and_effects(structure, group, arrays, draw)
            draw[f"beta_g{group.suffix}"] = effects.T
        return density, response(structure, arrays, draw, multiples)[0]

    return jax.lax.map(of, positions, batch_size=16)


def reweighted_channels(model: Model, reweighted: Reweighted) -> list[dict[str, Any]]:
    """Paid channels as summary.json has them, by the weighed draws.

    Args:
        model: The model of the newer data.
        reweighted: The weights.

    Returns:
        Rows with name, kind, spend, estimates of ROI, marginal ROI and contribution,
        and the Monte-Carlo error of their means, `mcse`.
    """
    chain = np.repeat(np.arange(len(reweighted.weight)), reweighted.weight.shape[1])
    weight = reweighted.weight.reshape(-1)
    names, kinds = channel_names(model)
    spend = spend_of(model)
    return [
        _row(name, kind, float(paid), reweighted.outcome[:, place], weight, chain)
        for place, (name, kind, paid) in enumerate(
            zip(names, kinds, spend, strict=True)
        )
        if kind in PAID
    ]


def _row(  # noqa: PLR0913
    name: str,
    kind: str,
    spend: float,
    outcome: np.ndarray,
    weight: np.ndarray,
    chain: np.ndarray,
) -> dict[str, Any]:
    with np.errstate(divide="ignore", invalid="ignore"):
        measures = {
            "roi": outcome[:, 0] / spend,
            "mroi": (outcome[:, 1] - outcome[:, 0]) / (MARGINAL_STEP * spend),
            "contribution": outcome[:, 0],
        }
    row: dict[str, Any] = {"name": name, "kind": kind, "spend": spend}
    row |= {key: weighted(each, weight) for key, each in measures.items()}
    errors = {
        key: number(weighted_error(each, weight, chain))
        for key, each in measures.items()
    }
    return row | {"mcse": errors}


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
