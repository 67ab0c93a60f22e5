r"""Reweighted: what the draws of the last fit say once rows, priors or options changed.

The draws $\theta_s$ of the old posterior stand for the new one with weights

    w_s \propto p_new(theta_s) / p_old(theta_s)

where both densities are of the parameters and have the linear block integrated out: new
rows count by their likelihood given the old ones, another prior by its density over
that of the old one. The largest weights are smoothed (PSIS, Vehtari et al., 2024);
Pareto's k tells whether the draws reach as far as the new posterior: above 0.7 they do
not, and only a fit will tell.

Monte-Carlo error: how far a mean of draws is from what endless draws would give.
"""

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from core.analysis.draws import flat_draws, kept
from core.analysis.multiples import response
from core.analysis.returns import channel_names, spend_of, totals
from core.data.mapping import PAID
from core.dims import CHANNEL
from core.estimate import weighted
from core.fit.chains.chains import Chains
from core.fit.convergence import effective_sizes, number, split
from core.fit.importance import highest_k
from core.fit.reconstruction import Reconstruction
from core.fit.sampling.warm_start import WarmStart
from core.fit.settings import SamplerSettings
from core.fit.start.approximation import smoothed
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import QUICK, persistent
from core.model.density import collapsed_log_density, marginal_log_likelihood
from core.model.latents import constrain, free_entries, n_dims, of_geos, with_fixed
from core.model.media.group_arrays import MARGINAL_STEP
from core.model.media.treatments import media_and_effects
from core.model.model_latents import latents_and_priors
from core.model.priors.distribution import log_density
from core.model.priors.prior import Prior

#: Measures of a summary, and the variables of the returns that they are means of.
_MEASURES = {
    "roi": "roi",
    "mroi": "mroi",
    "contribution": "incremental_outcome",
    "contribution_share": "contribution",
}


def with_monte_carlo_errors(
    summary: dict[str, Any], channels: xr.Dataset, chain: np.ndarray
) -> dict[str, Any]:
    """The summary, each channel with the Monte-Carlo error of its means, `mcse`.

    Args:
        summary: What `core.analysis.summary.summary` gives.
        channels: The returns whose means it holds.
        chain: The chain that each draw is of.
    """
    errors = {
        measure: monte_carlo_errors(channels[name].to_numpy(), chain)
        for measure, name in _MEASURES.items()
    }
    place = {str(name): i for i, name in enumerate(channels[CHANNEL].to_numpy())}
    rows = [
        row
        | {
            "mcse": {
                key: number(each[place[row["name"]]]) for key, each in errors.items()
            }
        }
        for row in summary["channels"]
    ]
    return summary | {"channels": rows}


def monte_carlo_errors(draws: np.ndarray, chain: np.ndarray) -> np.ndarray:
    """Standard error of the mean of each column: sd over the root of the ESS.

    The effective sample size is that of the mean (Vehtari et al., 2021), of the draws
    given: thinned draws have the error of the thinned mean.

    Args:
        draws: draw column.
        chain: The chain that each draw is of.

    Returns:
        One error per column; NaN where draws do not vary, are no numbers or too few.
    """
    names, counts = np.unique(chain, return_counts=True)
    shortest = counts.min()
    by_chain = np.stack([draws[chain == name][:shortest] for name in names])
    columns = np.moveaxis(by_chain.astype(float), 2, 0)
    errors = np.full(len(columns), np.nan)
    if shortest < 4:
        return errors
    good = np.isfinite(columns).all(axis=(1, 2)) & (np.ptp(columns, axis=(1, 2)) > 0)
    sizes = effective_sizes(split(columns[good]))
    errors[good] = columns[good].std(axis=(1, 2)) / np.sqrt(sizes)
    return errors


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


def reweighted(
    model: Model,
    earlier: Model,
    last: WarmStart,
    settings: SamplerSettings | None = None,
) -> Reweighted | None:
    """The draws of the last fit, weighed for a model of other data, priors or options.

    Args:
        model: The model that is to be fitted.
        earlier: That of the last fit, in the coordinates of its draws.
        last: What the last fit knows.
        settings: Of the fit to come: where its functions are compiled already, they
            weigh; None for a function of its own, which is quick to compile.

    Returns:
        None where the models have different parameters.
    """
    latents = earlier.structure.latents
    n_chains, n_draws, dim = last.position.shape
    if dim != n_dims(latents):
        return None
    if free_entries(latents) != free_entries(model.structure.latents):
        return None
    keep = kept(n_draws, max(1, DRAWS // n_chains))
    position = last.position[:, keep].astype(model.arrays.kpi.dtype)
    result = settings and _by_the_fit(model, earlier, position, settings)
    density, draws, outcome = result or _by_itself(model, earlier, position)
    density = density.astype(float) + _prior_change(model, earlier, draws)
    ratio = density - last.log_density[:, keep].reshape(-1).astype(float)
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


#: Density, parameters by name and outcome of positions of the earlier fit; these first.
_Parts = tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]


def _by_the_fit(
    model: Model, earlier: Model, position: np.ndarray, settings: SamplerSettings
) -> _Parts | None:
    """What `_by_itself` gives, by functions that the fit to come needs as well.

    Returns:
        None where they would have to be compiled first.
    """
    latents = model.structure.latents
    if latents != earlier.structure.latents:
        return None
    # The earlier prior of what moves, as the density has it; all else is the model's.
    numbers = {
        latent.name: earlier.arrays.priors[latent.name]
        for latent in latents
        if latent.n_free and "Deterministic" not in latent.families
    }
    if len(numbers) < sum(latent.n_free > 0 for latent in latents):
        return None
    arrays = model.arrays._replace(
        priors=model.arrays.priors | numbers, errors=earlier.arrays.errors
    )
    mixed = replace(model, arrays=arrays)
    structure, arrays, _ = mixed.filled
    chains = Chains(
        partial(collapsed_log_density, structure),
        arrays,
        position.shape[-1],
        settings,
        of_geos(latents),
    )
    if not chains.is_kept():
        return None
    points = position.reshape(-1, position.shape[-1]).astype(float)
    density, _ = chains.gradients(points, chains.plain)
    draws = flat_draws(Reconstruction(mixed, settings)(position))
    outcome, _, more, *_ = totals(mixed, draws, np.ones_like(model.data.kpi))
    ran = outcome[:, : more.shape[1]]
    names = [each.name for each in latents if each.n_free and each.name in draws]
    moving = {name: draws[name] for name in names}
    return density, moving, np.stack([ran, ran + more], axis=-1)


def _by_itself(model: Model, earlier: Model, position: np.ndarray) -> _Parts:
    """By one function, which is quick to compile."""
    numbers = earlier.arrays.priors, earlier.arrays.errors
    (structure, arrays, _), latents = model.filled, earlier.structure.latents
    return in_chunks(
        lambda some: _weighed(structure, latents, arrays, numbers, some),
        position.reshape(-1, position.shape[-1]),
    )


@persistent(n_static=2, options=QUICK)
def _weighed(structure, latents, arrays, numbers, positions):
    r"""Of positions of the earlier fit: density, parameters, outcome; position first.

    The density is the new likelihood times the earlier prior of the position.
    """
    multiples = jnp.array([1.0, 1.0 + MARGINAL_STEP], arrays.kpi.dtype)

    def of(position):
        draw, density = constrain(latents, position, *numbers)
        moving = {each.name: draw[each.name] for each in latents if each.n_free}
        draw = with_fixed(structure.latents, draw, arrays.priors)
        density += marginal_log_likelihood(structure, arrays, draw)
        for group in structure.groups:
            _, effects = media_and_effects(structure, group, arrays, draw)
            draw[f"beta_g{group.suffix}"] = effects.T
        return density, moving, response(structure, arrays, draw, multiples)[0]

    return jax.lax.map(of, positions, batch_size=16)


def _prior_change(
    model: Model, earlier: Model, draws: dict[str, np.ndarray]
) -> np.ndarray:
    """Log prior density of parameters less that by the earlier model; one per draw.

    Of the parameters whose prior is another one: the others' densities cancel.
    """
    new, old = _priors(model), _priors(earlier)
    total = np.zeros(len(next(iter(draws.values()))))
    for name, values in draws.items():
        if new[name] != old[name]:
            total += _log_prior(new[name], values) - _log_prior(old[name], values)
    return total


def _priors(model: Model) -> dict[str, list[Prior]]:
    """Priors of the entries of every latent, one where its entries share it."""
    return latents_and_priors(model.spec, model.data, len(model.knots), model.terms)[1]


def _log_prior(priors: list[Prior], values: np.ndarray) -> np.ndarray:
    """Log prior density of a latent; one per draw, which come first in its values."""
    if len(priors) == 1:
        density = log_density(priors[0], values)
    else:
        columns = (values[..., place] for place in range(len(priors)))
        density = np.stack(list(map(log_density, priors, columns)), axis=-1)
    return density.reshape(len(values), -1).sum(axis=1)


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
        _channel_row(
            name, kind, float(paid), reweighted.outcome[:, place], weight, chain
        )
        for place, (name, kind, paid) in enumerate(
            zip(names, kinds, spend, strict=True)
        )
        if kind in PAID
    ]


def _channel_row(  # noqa: PLR0913
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
