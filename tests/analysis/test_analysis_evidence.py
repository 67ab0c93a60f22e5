"""Data or prior: contraction, power-scaling, and the reason in words."""

from functools import partial

import jax
import numpy as np
import pytest
import xarray as xr

from core.analysis.learning.evidence import (
    SENSITIVE,
    contraction,
    evidence,
    log_likelihoods,
    log_priors,
    sensitivity,
    with_evidence,
)
from core.analysis.learning.shortage import movement, shortage
from core.data.input_data import Treatments
from core.model.build import build
from core.model.density import log_likelihood
from core.model.latents import log_prior
from core.model.priors.prior import prior
from core.model.priors.prior_draws import prior_draws
from core.model.reconstruct import posterior_variables
from tests.small_market import market, spec

PRIOR = prior("LogNormal", loc=0.2, scale=0.9)


@pytest.fixture(scope="module")
def world():
    """Draws of the prior as if they were a posterior that learned nothing."""
    model = build(market(every_kind=True), spec(every_kind=True))
    latents = prior_draws(model, 400, 3)
    variables = partial(posterior_variables, model.structure, model.arrays)
    drawn = jax.jit(jax.vmap(variables))(latents)
    draws = {name: np.asarray(value) for name, value in drawn.items() if value.size}
    return model, latents, draws


def as_dataset(draws):
    return xr.Dataset(
        {
            name: (
                ("chain", "draw", *(f"{name}_{i}" for i in range(value.ndim - 1))),
                value.reshape(2, -1, *value.shape[1:]),
            )
            for name, value in draws.items()
        }
    )


def test_contraction_knows_nothing_and_everything():
    rng = np.random.default_rng(1)
    assert abs(contraction(PRIOR, rng.lognormal(0.2, 0.9, 50_000))) < 0.03
    assert contraction(PRIOR, rng.lognormal(1.0, 0.09, 5_000)) == pytest.approx(
        0.99, abs=0.002
    )
    assert contraction(
        prior("Normal", loc=0.0, scale=2.0), rng.normal(3, 1, 9_000)
    ) == (pytest.approx(0.75, abs=0.02))
    assert np.isnan(contraction(prior("Deterministic", loc=1.0), np.ones(5)))


def test_sensitivity_finds_the_part_that_holds_a_number():
    """Normal prior and likelihood: whichever is sharper moves the posterior more."""
    rng = np.random.default_rng(2)
    for prior_sd, kpi_sd in ((0.2, 2.0), (2.0, 0.2)):
        precision = prior_sd**-2 + kpi_sd**-2
        middle = kpi_sd**-2 * 1.0 / precision
        theta = middle + precision**-0.5 * rng.normal(size=(4, 500))
        of_prior = sensitivity(theta, -0.5 * (theta / prior_sd) ** 2)
        of_kpi = sensitivity(theta, -0.5 * ((theta - 1) / kpi_sd) ** 2)
        assert (of_prior > SENSITIVE) == (prior_sd < kpi_sd)
        assert (of_kpi > SENSITIVE) == (kpi_sd < prior_sd)
    assert np.isnan(sensitivity(theta, np.zeros_like(theta)))
    assert sensitivity(theta, rng.normal(size=theta.shape)) < SENSITIVE


def test_densities_are_those_of_the_model(world):
    model, latents, draws = world
    ours = log_likelihoods(model, draws)
    theirs = jax.vmap(partial(log_likelihood, model.structure, model.arrays))(latents)
    np.testing.assert_allclose(ours, theirs, rtol=1e-8)
    one = build(market(), spec())
    given = prior_draws(one, 5, 1)
    parts = jax.vmap(
        lambda values: log_prior(one.structure.latents, values, one.arrays.priors)
    )(given)
    total = sum(parts[name] for name in ("roi_m", "alpha_m", "ec_m", "slope_m"))
    np.testing.assert_allclose(log_priors(one, given, "tv"), total, rtol=1e-9)


def test_what_learned_nothing_is_mostly_prior(world):
    model, _, draws = world
    told = evidence(model, as_dataset(draws))
    assert set(told) == {"tv", "search", "video"}
    for row in told.values():
        assert row["label"] == "mostly prior"
        assert row["remedy"]
        assert abs(row["contraction"]) < 0.3
        assert row["prior_sensitivity"] > 0


def test_the_summary_has_evidence_of_paid_channels(world):
    model, _, draws = world
    rows = [{"name": name} for name in ("tv", "search", "video", "blog")]
    told = with_evidence({"channels": rows}, model, as_dataset(draws))["channels"]
    assert all(row["evidence"]["label"] for row in told[:3])
    assert told[3]["evidence"] is None


@pytest.mark.parametrize(
    ("series", "says", "helps"),
    [
        ("few", "ran in only 3 of 40 weeks", "more periods"),
        ("still", "moved only", "Vary its spend"),
        ("twin", "moves with search (correlation", "different times"),
        ("free", "of the noise of a week", "large change"),
    ],
)
def test_reasons(series, says, helps):
    rng = np.random.default_rng(4)
    data = market(n_geos=1, n_times=40, every_kind=True)
    search = data.media.units[:, :, 1]
    tv = {
        "few": np.where(np.arange(40) % 15 == 1, 100.0, 0.0)[None],
        "still": 100 + rng.normal(0, 3, (1, 40)),
        "twin": search + rng.normal(0, 5, (1, 40)),
        "free": data.media.units[:, :, 0],
    }[series]
    units = np.stack([tv, search], axis=-1)
    media = Treatments(("tv", "search"), units, spend=np.maximum(units, 1) * 0.02)
    model = build(
        data.__class__(**vars(data) | {"media": media}), spec(every_kind=True)
    )
    variables = partial(posterior_variables, model.structure, model.arrays)
    drawn = jax.jit(jax.vmap(variables))(prior_draws(model, 20, 3))
    draws = {name: np.asarray(value) for name, value in drawn.items()}
    reason, remedy = shortage(model, draws, "tv")
    assert says in reason
    assert helps in remedy


def test_movement_is_relative():
    assert movement(np.array([[1.0, 1.0, 1.0]])) == 0
    assert movement(np.array([[0.0, 2.0, 0.0, 2.0]])) == pytest.approx(2.0)
