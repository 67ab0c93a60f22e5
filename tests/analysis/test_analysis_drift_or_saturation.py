"""Drift or saturation: said where draws have one for the other, and only there."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.analysis.by_period import outcome_by_period
from core.analysis.learning.drift_or_saturation import (
    drift_or_saturation,
    factors,
    trade_off,
)
from core.model.build import build
from core.model.latents import n_dims
from core.model.reconstruct import latents_of, posterior_variables
from tests.small_market import market, spec

N = 300


@pytest.fixture(scope="module")
def model():
    """Two years and a half of spend that rises fivefold."""
    data = market(n_geos=1, n_times=130)
    rise = np.linspace(1.0, 5.0, 130)[None, :, None]
    media = replace(
        data.media, units=data.media.units * rise, spend=data.media.spend * rise
    )
    return build(replace(data, media=media), spec(effectiveness="drifting"))


@pytest.fixture(scope="module")
def draw(model):
    """A draw of everything."""
    position = 0.2 * jax.random.normal(
        jax.random.key(1), (n_dims(model.structure.latents),)
    )
    block = model.arrays.block
    noise = (
        jnp.zeros(len(block.precision)),
        jnp.zeros(block.local_scale.shape),
        jnp.zeros(()),
    )

    @jax.jit
    def variables(position, noise):
        latents = latents_of(model.structure, model.arrays, position, noise)
        return posterior_variables(model.structure, model.arrays, latents)

    return {
        name: np.asarray(value) for name, value in variables(position, noise).items()
    }


def draws(draw, together: float, drift=0.3, curve=1.5):
    """Draws whose drift and half-saturation go together as much as asked."""
    rng = np.random.default_rng(3)
    shared, own = rng.standard_normal((2, N))
    many = {name: np.repeat(value[None], N, axis=0) for name, value in draw.items()}
    mixed = together * shared + np.sqrt(1 - together**2) * own
    many["xi_drift"] = np.full_like(many["xi_drift"], drift)
    many["drift_m"] = np.zeros_like(many["drift_m"])
    many["drift_m"][:, 0, 0] = mixed
    many["ec_m"] = many["ec_m"] * np.exp(curve * shared)[:, None]
    return many


def test_one_that_rises_as_the_other_falls_is_named(model, draw):
    """A later saturation lets the return fall less, and so does a rising effect."""
    of = {sign: trade_off(model, draws(draw, sign))["tv"] for sign in (-1.0, 1.0)}
    (against,) = (sign for sign in of if of[sign] < 0)
    assert of[against] < -0.9 < 0.9 < of[-against]
    assert "Of tv the data cannot tell" in drift_or_saturation(
        model, draws(draw, against)
    )
    assert drift_or_saturation(model, draws(draw, -against)) == ""


def test_the_two_factors_are_those_of_the_return(model, draw):
    """Spend that rises fivefold brings more, and less per unit of it."""
    many = draws(draw, 0.5)
    one = factors(model, many)["tv"]
    spend = model.data.media.spend[0, :, 0]
    outcome = outcome_by_period(model, many)[:, 0]
    roi = [
        outcome[:, year].sum(axis=1) / spend[year].sum()
        for year in (slice(-52, None), slice(-104, -52))
    ]
    np.testing.assert_allclose(
        one.drift + one.saturation, np.log(roi[0] / roi[1]), atol=1e-5
    )


def test_two_that_are_known_apart_are_not(model, draw):
    apart = draws(draw, 0.0)
    assert abs(trade_off(model, apart)["tv"]) < 0.2
    assert drift_or_saturation(model, apart) == ""


@pytest.mark.parametrize("known", [{"drift": 0.01}, {"curve": 0.01}])
def test_what_is_known_is_left_out(model, draw, known):
    for sign in (-1.0, 1.0):
        assert trade_off(model, draws(draw, sign, **known)) == {}


def test_nothing_is_said_of_effects_that_are_constant(draw):
    still = build(market(n_geos=1, n_times=130), spec())
    draws = {k: np.stack([v, v]) for k, v in draw.items() if "drift" not in k}
    assert trade_off(still, draws) == {}
