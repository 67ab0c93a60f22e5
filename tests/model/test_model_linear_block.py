"""Collapsed density x conditional Gaussian = joint density, for every option."""

import jax.numpy as jnp
import numpy as np
import pytest

from core.data.input_data import InputData
from core.model.block.block_draw import conditional_draw
from core.model.build import build
from core.model.density import (
    block_given,
    collapsed_log_density,
    local_scale,
    residual,
    term_scale,
)
from core.model.inputs.events import Event
from core.model.latents import constrain, log_prior, n_dims
from core.model.noise import shock_g
from core.model.priors.prior import prior
from core.model.reconstruct import block_latents
from core.model.spec import ModelSpec
from core.model.terms.linear_terms import deviations
from tests.given_latents import log_likelihood
from tests.small_market import lift_test, market, spec

COEFFICIENT = {"price": {"prior_kind": "coefficient"}}
HOLDOUT = tuple(("g0", str(np.datetime64("2024-01-01") + 7 * i)) for i in (0, 4, 9))
OPTIONS = {
    "default": {},
    "every kind of channel": {"every_kind": True},
    "normal effects": {"media_effects": "normal"},
    "sigma of each geo": {"unique_sigma_for_each_geo": True},
    "holdout": {"holdout": HOLDOUT},
    "holdout and sigma of each geo": {
        "holdout": HOLDOUT,
        "unique_sigma_for_each_geo": True,
    },
    "non-media in the block": {"channels": COEFFICIENT},
    "baseline geo": {"baseline_geo": "g1"},
    "population-scaled controls": {"population_scaled_controls": ("c1",)},
    "priors with a mean": {
        "channels": {
            "price": {
                "prior_kind": "coefficient",
                "prior": prior("Normal", loc=0.5, scale=2.0),
            }
        },
        "priors": (
            ("knot_values", prior("Normal", loc=1.0, scale=3.0)),
            ("tau_g_excl_baseline", prior("Normal", loc=-1.0, scale=2.0)),
            ("gamma_c", prior("Normal", loc=0.3, scale=1.0)),
        ),
    },
    "knots sampled": {"priors": (("knot_values", prior("Uniform", low=-9, high=9)),)},
    "controls sampled": {"priors": (("gamma_c", prior("Uniform", low=-2, high=2)),)},
    "geo effects sampled": {
        "priors": (("tau_g_excl_baseline", prior("Uniform", low=-2, high=2)),)
    },
    "fixed spread of controls": {
        "priors": (("xi_c", prior("Deterministic", loc=0.7)),)
    },
    "one knot per period": {"knots": None},
    "season": {"seasonality": 2},
    "season with a learned scale, holdout": {
        "seasonality": 3,
        "holdout": HOLDOUT,
        "priors": (("xi_fourier", prior("HalfNormal", scale=1.0)),),
    },
    "season beside sampled knots, sigma of each geo": {
        "seasonality": 1,
        "unique_sigma_for_each_geo": True,
        "priors": (("knot_values", prior("Uniform", low=-9, high=9)),),
    },
    "structural": {"baseline": "structural", "smooth": 8},
    "structural, holdout, sigma of each geo": {
        "baseline": "structural",
        "holdout": HOLDOUT,
        "unique_sigma_for_each_geo": True,
        "holidays": "DE",
        "events": (Event("opening", "2024-02-01", "2024-02-20"),),
        "varies_by_geo": ("season", "smooth"),
    },
    "structural, a channel that follows demand, holdout": {
        "preset": "mixwright",
        "baseline": "structural",
        "smooth": 8,
        "holdout": HOLDOUT,
        "channels": {
            "tv": {"follows_demand": True},
            "search": {"follows_demand": False},
        },
    },
    "noise with memory": {"autocorrelation": True, "holdout": HOLDOUT},
    "noise with memory, structural, sigma of each geo": {
        "autocorrelation": True,
        "baseline": "structural",
        "smooth": 8,
        "holdout": HOLDOUT,
        "unique_sigma_for_each_geo": True,
    },
    "structural, independent noise": {
        "autocorrelation": False,
        "baseline": "structural",
        "smooth": 8,
    },
    "hill before adstock": {"hill_before_adstock": True},
    "lift tests": {
        "experiments": (
            lift_test("tv", "2024-01-15", "2024-02-12", 3e4, 5e3),
            lift_test("tv", "2024-03-04", "2024-03-25", -1e3, 2e3, geos=("g1",)),
        )
    },
    "other carryover": {
        "channels": {"tv": {"adstock": "weibull_pdf"}},
    },
    "several kinds of prior": {
        "every_kind": True,
        "channels": {
            "tv": {"prior_kind": "mroi"},
            "search": {"prior_kind": "contribution"},
            "blog": {"prior_kind": "coefficient"},
        },
    },
}


def identity(structure, position, noise, arrays):
    """Both sides of: collapsed density x conditional Gaussian = joint density."""
    params, prior_on_line = constrain(
        structure.latents, position, arrays.priors, arrays.errors
    )
    scale = local_scale(structure, arrays, params)
    rest = residual(structure, arrays, params)
    sigma = shock_g(structure, params)
    given_scales = block_given(structure, arrays, params)
    drawn = conditional_draw(given_scales, rest, sigma, scale, noise)
    block = block_latents(structure, arrays, drawn.shared, drawn.local, scale)
    # The density of u in terms of Meridian's standardised deviations.
    log_density = drawn.log_density
    widths = {
        dev: params[width]
        for dev, width in (("gamma_gc_dev", "xi_c"), ("gamma_gn_dev", "xi_n"))
        if structure.is_integrated(dev)
    }
    for term in structure.geo_terms:
        widths[deviations(term.name)] = term_scale(arrays, params, term)
    for name, width in widths.items():
        log_density += jnp.log(jnp.broadcast_to(width, block[name].shape)).sum()
    idle = {
        latent.name: jnp.zeros(latent.shape)
        for latent in structure.latents
        if latent.role == "idle" and latent.name not in params
    }
    on_own_scale = [one for one in structure.latents if one.name in params | idle]
    given = log_prior(tuple(on_own_scale), params | idle, arrays.priors)
    collapsed = collapsed_log_density(structure, position, arrays)
    left = collapsed - prior_on_line + sum(given.values()) + log_density
    every = params | block | idle
    prior = sum(log_prior(structure.latents, every, arrays.priors).values())
    return left, prior + log_likelihood(structure, arrays, every)


def check_identity(data: InputData, options: ModelSpec) -> None:
    model = build(data, options)
    structure, arrays = model.structure, model.arrays
    rng = np.random.default_rng(1)
    for _ in range(3):
        position = jnp.asarray(rng.normal(size=n_dims(structure.latents)) * 0.5)
        noise = (
            jnp.asarray(rng.normal(size=arrays.block.precision.shape)),
            jnp.asarray(rng.normal(size=arrays.block.local_scale.shape)),
            jnp.asarray(0.5),
        )
        # Step by step: cases share most steps, and compile no whole of their own.
        left, right = identity(structure, position, noise, arrays)
        np.testing.assert_allclose(left, right, rtol=1e-10)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_collapsed_times_conditional_is_joint(options):
    check_identity(market(every_kind=options.get("every_kind", False)), spec(**options))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"channels": COEFFICIENT},
        {"knots": 1, "autocorrelation": True},
        {"baseline": "structural"},
    ],
)
def test_collapsed_times_conditional_is_joint_national(options):
    check_identity(market(n_geos=1), spec(**options))


def test_collapsed_density_agrees_with_a_dense_gaussian():
    """Without geos: the KPI is Normal with covariance sigma^2 I + F P^-1 F'."""
    model = build(market(n_geos=1), spec())
    structure, arrays = model.structure, model.arrays
    position = jnp.asarray(
        np.random.default_rng(3).normal(size=n_dims(structure.latents)) * 0.3
    )
    params, log_prior_ = constrain(
        structure.latents, position, arrays.priors, arrays.errors
    )
    r = np.asarray(residual(structure, arrays, params))[0]
    block = arrays.block
    f = np.concatenate([block.shared, block.by_geo[0].T], axis=1)
    covariance = f @ np.diag(1 / np.asarray(block.precision)) @ f.T
    covariance += float(params["sigma"]) ** 2 * np.eye(len(r))
    _, log_det = np.linalg.slogdet(2 * np.pi * covariance)
    dense = -0.5 * (r @ np.linalg.solve(covariance, r) + log_det)
    collapsed = collapsed_log_density(structure, position, arrays) - log_prior_
    np.testing.assert_allclose(collapsed, dense, rtol=1e-9)
