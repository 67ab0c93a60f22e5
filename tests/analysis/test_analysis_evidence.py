"""Data or prior: contraction, power-scaling, and the reason in words."""

from dataclasses import replace
from functools import partial

import jax
import numpy as np
import pytest
import xarray as xr

from core.analysis.learning import evidence as evidence_of
from core.analysis.learning.evidence import (
    contraction,
    evidence,
    log_likelihoods,
    log_priors,
    with_evidence,
)
from core.analysis.learning.no_effect import below_least, extrapolated
from core.analysis.learning.prior_draws import prior_draws
from core.analysis.learning.shortage import movement, shortage
from core.data.input_data import Treatments
from core.model.build import build
from core.model.latents import log_prior
from core.model.priors.prior import prior
from core.model.reconstruct import posterior_variables
from core.model.spec import ChannelSpec, ModelSpec
from tests.given_latents import log_likelihood
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


def test_densities_are_those_of_the_model(world):
    model, latents, draws = world
    ours = log_likelihoods(model, draws)
    theirs = jax.jit(jax.vmap(partial(log_likelihood, model.structure, model.arrays)))(
        latents
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-8)
    one = build(market(), spec())
    given = prior_draws(one, 5, 1)
    priors = jax.vmap(
        lambda values: log_prior(one.structure.latents, values, one.arrays.priors)
    )
    parts = jax.jit(priors)(given)
    total = sum(parts[name] for name in ("roi_m", "alpha_m", "ec_m", "slope_m"))
    np.testing.assert_allclose(log_priors(one, given, "tv"), total, rtol=1e-9)


def test_what_learned_nothing_is_mostly_prior(world):
    model, _, draws = world
    told = evidence(model, as_dataset(draws))
    assert set(told) == {"tv", "search", "video"}
    for row in told.values():
        assert row["label"] == "mostly assumed"
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
        ("free", "of ordinary noise from week to week", "large change"),
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
    reason, remedy = shortage(*beside_search(data, tv), "tv")
    assert says in reason
    assert helps in remedy


def test_an_effect_larger_than_noise_is_not_hidden_by_it():
    data = market(n_geos=1, n_times=40, every_kind=True)
    model, draws = beside_search(data, data.media.units[:, :, 0])
    reason, remedy = shortage(model, draws | {"sigma": draws["sigma"] * 1e-4}, "tv")
    assert "noise" not in reason
    assert "tell them apart only in part" in reason
    assert "large change" in remedy


def beside_search(data, tv):
    """A model of two channels, and draws of its prior."""
    units = np.stack([tv, data.media.units[:, :, 1]], axis=-1)
    media = Treatments(("tv", "search"), units, spend=np.maximum(units, 1) * 0.02)
    model = build(
        data.__class__(**vars(data) | {"media": media}), spec(every_kind=True)
    )
    variables = partial(posterior_variables, model.structure, model.arrays)
    drawn = jax.jit(jax.vmap(variables))(prior_draws(model, 20, 3))
    return model, {name: np.asarray(value) for name, value in drawn.items()}


def test_a_return_below_the_least_spend_is_by_hand():
    """Constant media is all of it, a pause none, and between by the equations."""
    floor = np.array([40.0, 0.0])
    rng = np.random.default_rng(6)
    units = floor + np.where(np.arange(30)[:, None] % 4, rng.gamma(2, 90, (30, 2)), 0.0)
    units = np.stack([np.full(30, 70.0), *units.T], axis=1)[None]
    names = ("still", "tv", "paused")
    data = market(n_geos=1, n_times=30)
    data = replace(data, media=Treatments(names, units, spend=units + 1))
    priors = tuple(
        (stem, prior("Deterministic", loc=value))
        for stem, value in (("alpha", 0.0), ("ec", 0.7), ("slope", 1.4))
    )
    bare = tuple(ChannelSpec(name, priors=priors) for name in names)
    channels = (*bare, ChannelSpec("price", "non_media"))
    model = build(data, ModelSpec(channels, baseline="knots", knots=3))
    variables = partial(posterior_variables, model.structure, model.arrays)
    drawn = jax.jit(jax.vmap(variables))(prior_draws(model, 4, 3))
    share = below_least(model, {name: np.asarray(v) for name, v in drawn.items()})
    half = 0.7 * (units[0, :, 1] ** 2).sum() / units[0, :, 1].sum()
    curve = 1 / (1 + (np.array([40.0, *units[0, :, 1]]) / half) ** -1.4)
    worth = data.revenue_per_kpi[0]
    by_hand = curve[0] * worth.sum() / (curve[1:] * worth).sum()
    np.testing.assert_allclose(share["tv"], by_hand, rtol=1e-6)
    np.testing.assert_allclose(share["still"], 1.0, rtol=1e-6)
    assert (share["paused"] == 0).all()
    said = extrapolated({name: float(own.mean()) for name, own in share.items()})
    assert said.startswith("100\u00a0% of still's return is below the least it ever")
    assert extrapolated({"tv": 0.2}) == ""


def test_movement_is_relative():
    assert movement(np.array([[1.0, 1.0, 1.0]])) == 0
    assert movement(np.array([[0.0, 2.0, 0.0, 2.0]])) == pytest.approx(2.0)


def test_a_lift_test_is_evidence_of_its_kind():
    """Its channel is `tested`, whatever its spend alone would have said."""
    said = {"label": "mostly assumed", "reason": "its spend hardly moved"}
    after = evidence_of.tested(said | {"remedy": "Vary its spend."})
    assert after["label"] == "tested"
    assert after["reason"].endswith(said["reason"])
    assert after["remedy"] == "Vary its spend."
