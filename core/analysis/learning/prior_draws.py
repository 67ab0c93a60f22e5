"""Draws from the prior: every latent of a model, by inverse distribution functions.

In NumPy on purpose: compiling samplers of all families takes half a minute, and the
draws take milliseconds.
"""

import numpy as np

from core.model.build import Model
from core.model.model_latents import latents_and_priors
from core.model.priors.distribution import quantile
from core.model.terms.demand import PRESENT
from core.model.terms.linear_terms import deviations


def prior_draws(model: Model, n_draws: int, seed: int) -> dict[str, np.ndarray]:
    """Joint draws of every latent from its prior.

    Args:
        model: The model.
        n_draws: Number of draws.
        seed: Of the draws.

    Returns:
        Latents by name, draws first, in the model's precision.
    """
    latents, priors = latents_and_priors(
        model.spec, model.data, len(model.knots), model.terms
    )
    rng = np.random.default_rng(seed)
    dtype = model.arrays.kpi.dtype
    values = {}
    for latent in latents:
        entries = priors[latent.name]
        shares = rng.uniform(size=(n_draws, *latent.shape))
        if len(entries) == 1:
            draws = quantile(entries[0], shares)
        else:
            columns = [
                quantile(prior, shares[..., place])
                for place, prior in enumerate(entries)
            ]
            draws = np.stack(columns, axis=-1)
        values[latent.name] = draws.astype(dtype)
    for design in model.terms:
        log_odds = design.term.log_odds
        if n := len(log_odds):
            chance = 1.0 / (1.0 + np.exp(-log_odds[:, 0]))
            present = (rng.uniform(size=(n_draws, n)) < chance).astype(dtype)
            by_column = np.repeat(present, log_odds.shape[1], axis=1)
            values[deviations(design.structure.name)][:, -log_odds.size :] *= by_column
            values[PRESENT] = present
    return values
