"""The collapsed likelihood's own derivative is the derivative, for every option."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.model.block.collapsed import collapsed_log_likelihood
from core.model.build import build
from core.model.density import column_scale, local_scale, residual
from core.model.latents import constrain, n_dims
from core.model.noise import rho_of, shock_g
from core.model.priors.prior import prior
from tests.small_market import market, spec

HOLDOUT = tuple(("g0", str(np.datetime64("2024-01-01") + 7 * i)) for i in (0, 4, 9))
OPTIONS = {
    "knots": {},
    "sigma of each geo, holdout": {
        "unique_sigma_for_each_geo": True,
        "holdout": HOLDOUT,
    },
    "structural": {"baseline": "structural", "smooth": 8, "holdout": HOLDOUT},
    "structural, a period without any cell": {
        "baseline": "structural",
        "smooth": 8,
        "holdout": tuple((f"g{geo}", "2024-01-15") for geo in range(3)),
    },
    "structural, every part by geo": {
        "baseline": "structural",
        "smooth": 8,
        "varies_by_geo": ("trend", "season", "smooth"),
    },
    "structural, a channel that follows demand": {
        "preset": "mixwright",
        "baseline": "structural",
        "smooth": 8,
        "holdout": HOLDOUT,
        "channels": {
            "tv": {"follows_demand": True},
            "search": {"follows_demand": False},
        },
    },
    "structural, sigma of each geo": {
        "baseline": "structural",
        "smooth": 8,
        "unique_sigma_for_each_geo": True,
    },
    "structural, independent noise": {
        "baseline": "structural",
        "smooth": 8,
        "autocorrelation": False,
        "holdout": HOLDOUT,
    },
    "structural, memory, nothing in common": {
        "baseline": "structural",
        "smooth": 8,
        "holdout": HOLDOUT,
        "priors": (("xi_common", prior("Deterministic", loc=0.0)),),
    },
    "knots, memory, sigma of each geo": {
        "autocorrelation": True,
        "unique_sigma_for_each_geo": True,
        "holdout": HOLDOUT,
    },
}


def carrying(is_seen, rho):
    """The noise of each shock: the inverse of W, geo time time; by its definition."""
    n_geos, n_times = is_seen.shape
    matrices = []
    for geo in range(n_geos):
        rows = [jnp.zeros(n_times)]
        for t in range(n_times):
            shock = jnp.eye(n_times)[t]
            if t and is_seen[geo, t - 1]:
                rows.append(rho * rows[-1] + shock)
            else:
                rows.append(shock / jnp.sqrt(1 - rho**2))
        matrices.append(jnp.stack(rows[1:]))
    return matrices


def dense(is_seen, block, residual, sigma, scale_of_geo, scale_of_columns, rho):
    """Log density of the seen cells as one Normal vector, differentiated as it is."""
    n_geos, n_times = residual.shape
    seen = np.flatnonzero(is_seen)
    carried = carrying(is_seen, rho)
    common = jnp.stack([one @ block.shocks for one in carried])
    shared = jnp.broadcast_to(block.shared, (n_geos, *block.shared.shape))
    f = jnp.concatenate([shared, common, jnp.moveaxis(block.by_geo, 1, 2)], 2)
    f = (f * scale_of_columns).reshape(n_geos * n_times, -1)
    covariance = (f / block.precision) @ f.T
    for geo in range(n_geos):
        u = block.local[geo].T * scale_of_geo[geo]
        noise = sigma[geo] ** 2 * carried[geo] @ carried[geo].T
        at = slice(geo * n_times, (geo + 1) * n_times)
        covariance = covariance.at[at, at].add(u @ u.T + noise)
    covariance = covariance[np.ix_(seen, seen)]
    r = residual.ravel()[seen]
    _, log_det = jnp.linalg.slogdet(2 * jnp.pi * covariance)
    return -0.5 * (r @ jnp.linalg.solve(covariance, r) + log_det)


@pytest.mark.parametrize("n_geos", [1, 3])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_value_and_derivative_are_those_of_a_dense_gaussian(options, n_geos):
    if n_geos == 1:
        options = {name: given for name, given in options.items() if name != "holdout"}
    model = build(market(n_geos=n_geos), spec(**options))
    structure, arrays = model.structure, model.arrays
    rng = np.random.default_rng(5)
    position = jnp.asarray(0.3 * rng.normal(size=n_dims(structure.latents)))
    params, _ = constrain(structure.latents, position, arrays.priors, arrays.errors)
    given = (
        residual(structure, arrays, params),
        shock_g(structure, params),
        local_scale(structure, arrays, params),
        column_scale(structure, arrays, params),
        rho_of(params),
    )
    places = (1, 2, 3, 4, 5)
    assert (given[-1] != 0) == structure.has_memory
    assert (arrays.block.noise is not None) == (
        structure.n_geos > 1
        and any(term.is_noise for term in structure.terms)
        and not structure.unique_sigma
        and "varies_by_geo" not in options  # the geos first is the cheaper way
    )
    of = jax.value_and_grad(collapsed_log_likelihood, places)
    ours, slopes = jax.jit(of)(arrays.block, *given)
    theirs, expected = jax.jit(
        jax.value_and_grad(partial(dense, np.asarray(arrays.block.is_seen)), places)
    )(arrays.block, *given)
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)
    seen = np.asarray(arrays.block.is_seen)
    for place, (slope, wanted) in enumerate(zip(slopes, expected, strict=True)):
        slope, wanted = np.asarray(slope), np.asarray(wanted)
        if place == 4 and not structure.has_memory:
            slope = wanted  # there is nothing to differentiate
        if place == 0:
            slope = slope * seen
        if place == 1 and not structure.unique_sigma:  # one scale, shared by all
            slope, wanted = slope.sum(), wanted.sum()
        if place == 3 and arrays.block.noise is not None:  # one of all periods
            n_noise = arrays.block.noise.period.shape[1]
            first = arrays.block.shared.shape[1]
            noise = slice(first, first + n_noise)
            slope, wanted = (
                np.append(np.delete(each, noise), each[noise].sum())
                for each in (slope, wanted)
            )
        np.testing.assert_allclose(slope, wanted, rtol=1e-7, atol=1e-8)


def test_a_scale_of_zero_has_a_finite_slope():
    model = build(market(), spec(baseline="structural", smooth=8))
    structure, arrays = model.structure, model.arrays
    position = jnp.zeros(n_dims(structure.latents))
    params, _ = constrain(structure.latents, position, arrays.priors, arrays.errors)
    slopes = jax.jit(jax.grad(collapsed_log_likelihood, (3, 4)))(
        arrays.block,
        residual(structure, arrays, params),
        shock_g(structure, params),
        jnp.zeros_like(local_scale(structure, arrays, params)),
        jnp.zeros_like(column_scale(structure, arrays, params)),
        rho_of(params),
    )
    for slope in slopes:
        np.testing.assert_array_equal(slope, 0.0)
