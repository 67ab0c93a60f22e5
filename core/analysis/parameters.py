"""Parameters: draws beside priors, scalar by scalar, for who wants to look closely.

Those with a prior that people can give: of channels and controls, of noise and of the
scales of the baseline. Coefficients of the baseline and deviations of geos are left
out: there are hundreds, and they are in the posterior's file.
"""

from typing import NamedTuple

import numpy as np
import xarray as xr

from core.analysis.draws import kept, kernel_density
from core.analysis.learning.belief import tail_mass
from core.dims import CHAIN, DRAW
from core.fit.convergence import Table
from core.model.build import Model
from core.model.model_latents import latents_and_priors
from core.model.priors.distribution import density, quantile
from core.model.priors.prior import Prior

#: Draws of each chain that are kept, divergent transitions, points of a density and
#: the draws that it is made of.
MOST_DRAWS, MOST_DIVERGENT, N_POINTS, MOST_SMOOTHED = 400, 200, 121, 2000
#: Mass of a prior beyond the posterior's median at which the posterior leaves it.
LEAVES = 0.025
_ENDS = np.array([0.05, 0.95])


class Scalar(NamedTuple):
    """One number of the model.

    Attributes:
        parameter: Its name in the posterior.
        of: Channel or control; empty for one of the market.
        place: Where it is in the parameter's array.
        prior: Its prior.
    """

    parameter: str
    of: str
    place: tuple[int, ...]
    prior: Prior


def scalars(model: Model, posterior: xr.Dataset) -> list[Scalar]:
    """The numbers to show, channels first, in the order of the model."""
    latents, priors = latents_and_priors(
        model.spec, model.data, len(model.knots), model.terms
    )
    chosen = []
    for latent in latents:
        if latent.name not in posterior or latent.by_geo or len(latent.shape) > 1:
            continue
        if latent.name == "knot_values" or latent.role == "idle":
            continue
        variable = posterior[latent.name]
        names = [str(v) for axis in variable.dims[2:] for v in variable[axis].values]
        entries = priors[latent.name]
        for place, of in enumerate(names or [""]):
            own = entries[place] if len(entries) > 1 else entries[0]
            if own.family != "Deterministic":
                index = (place,) if names else ()
                chosen.append(Scalar(latent.name, of, index, own))
    return sorted(chosen, key=lambda scalar: not scalar.of)


def parameters(
    model: Model, posterior: xr.Dataset, diverging: np.ndarray, table: Table
) -> xr.Dataset:
    """Draws, prior and posterior density and convergence of the scalars to look at.

    Args:
        model: The model.
        posterior: All draws; dims chain, draw, ...
        diverging: Whether a transition diverged, chain draw.
        table: Convergence of every scalar.

    Returns:
        Dims chain, draw (thinned), parameter, divergence (draws that diverged), point,
        ci: `draws`, `divergent`; `grid` in the parameter's unit, `prior_density` and
        `posterior_density` on it; `prior_ci`; `tail`, the mass of the prior beyond the
        posterior's median, `leaves` where that is little; `mean`, `sd`, `rhat`,
        `ess_bulk`, `ess_tail`. Coordinates `name` and `of` say what it is.
    """
    chosen = scalars(model, posterior)
    whole = np.stack([_drawn(posterior, scalar) for scalar in chosen], axis=-1)
    some = kept(whole.shape[1], MOST_DRAWS)
    flat = whole.reshape(-1, len(chosen))
    lost = np.flatnonzero(diverging)
    own = "parameter"
    return xr.Dataset(
        {
            "draws": ((CHAIN, DRAW, own), whole[:, some].astype(np.float32)),
            "divergent": (
                ("divergence", own),
                flat[lost[kept(len(lost), MOST_DIVERGENT)]],
            ),
            "mean": (own, flat.mean(axis=0)),
            "sd": (own, flat.std(axis=0)),
        }
        | _of_priors(chosen, flat)
        | _convergence(chosen, table),
        coords={
            "draw": some + 1,
            "ci": ["lo", "hi"],
            own: [
                f"{scalar.parameter}[{scalar.of}]".replace("[]", "")
                for scalar in chosen
            ],
            "name": (own, [scalar.parameter for scalar in chosen]),
            "of": (own, [scalar.of for scalar in chosen]),
        },
    )


def _drawn(posterior: xr.Dataset, scalar: Scalar) -> np.ndarray:
    """Every draw of a scalar, chain draw."""
    values = posterior[scalar.parameter].transpose(CHAIN, DRAW, ...).to_numpy()
    return values[(slice(None), slice(None), *scalar.place)].astype(np.float64)


def _of_priors(chosen: list[Scalar], flat: np.ndarray) -> dict[str, tuple]:
    """Both densities, the prior's interval, and what it holds beyond the posterior."""
    few = flat[kept(len(flat), MOST_SMOOTHED)]
    curves = [_densities(scalar.prior, few[:, i]) for i, scalar in enumerate(chosen)]
    grid, before, after = (np.array(part) for part in zip(*curves, strict=True))
    tails = np.array(
        [
            tail_mass(scalar.prior, float(np.median(flat[:, i])))[0]
            for i, scalar in enumerate(chosen)
        ]
    )
    own, lines = "parameter", ("parameter", "point")
    return {
        "grid": (lines, grid),
        "prior_density": (lines, before),
        "posterior_density": (lines, after),
        "prior_ci": ((own, "ci"), [quantile(scalar.prior, _ENDS) for scalar in chosen]),
        "tail": (own, tails),
        "leaves": (own, (tails < LEAVES).astype(np.int8)),
    }


def _convergence(chosen: list[Scalar], table: Table) -> dict[str, tuple]:
    """R-hat and effective sample sizes; NaN for a scalar that never moves."""
    labels = zip(table.name, table.index, strict=True)
    row_of_label = {label: row for row, label in enumerate(labels)}
    at = [row_of_label.get((scalar.parameter, scalar.place)) for scalar in chosen]
    return {
        name: (
            "parameter",
            [np.nan if row is None else getattr(table, name)[row] for row in at],
        )
        for name in ("rhat", "ess_bulk", "ess_tail")
    }


def _densities(prior: Prior, draws: np.ndarray) -> tuple[np.ndarray, ...]:
    """A grid that holds posterior and most of the prior, and both densities on it."""
    low, high = (float(end) for end in quantile(prior, np.array([0.005, 0.98])))
    low, high = min(low, draws.min()), max(high, float(np.quantile(draws, 0.999)))
    grid = np.linspace(low, high, N_POINTS) if high > low else low + np.zeros(N_POINTS)
    if np.ptp(draws) < 1e-12 * max(1.0, abs(float(draws.mean()))):
        return grid, density(prior, grid)[1], np.zeros(N_POINTS)
    return grid, density(prior, grid)[1], kernel_density(draws, grid)
