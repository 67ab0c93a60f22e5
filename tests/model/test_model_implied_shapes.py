from dataclasses import replace
from typing import get_args

import jax.numpy as jnp
import numpy as np
import pytest

from core.model.decay import Decay, decay_weights
from core.model.media import saturation
from core.model.media.implied_shapes import (
    half_life,
    hill,
    implied_shapes,
    prior_weights,
)
from core.model.priors.prior import prior
from core.model.spec import ADSTOCK_PARAMETERS, Adstock, ChannelSpec, ModelSpec

RNG = np.random.default_rng(4)
VALUES = {
    "alpha": RNG.uniform(0.01, 0.99, 20),
    "theta": RNG.uniform(0, 6, 20),
    "lam": RNG.gamma(2.0, 2.0, 20),
    "k": RNG.gamma(2.0, 1.0, 20),
}
HALF = prior("Deterministic", loc=0.5)
ONE = prior("Deterministic", loc=1.0)


@pytest.mark.parametrize("kind", get_args(Adstock))
@pytest.mark.parametrize("window", [1, 2, 9])
def test_carryover_is_the_same_in_numpy_and_jax(kind, window):
    decay = Decay(**{key: jnp.asarray(v) for key, v in VALUES.items()})
    windows = jnp.full(20, float(window))
    theirs = decay_weights((kind,) * 20, decay, windows, window)
    np.testing.assert_allclose(
        prior_weights(kind, VALUES, window), theirs, rtol=1e-6, atol=1e-9
    )


def test_saturation_is_that_of_the_model():
    media = np.linspace(0, 5, 20)
    ec, slope = RNG.uniform(0.2, 3, 20), RNG.uniform(0.3, 4, 20)
    given = jnp.asarray(media)[:, None, None]
    theirs = saturation.hill(given, jnp.asarray(ec), jnp.asarray(slope))
    np.testing.assert_allclose(hill(media, ec, slope), theirs[:, 0, 0], rtol=1e-6)


def test_half_life_of_geometric_carryover():
    for alpha in (0.25, 0.5, np.sqrt(0.5), 0.5**0.25):
        weights = prior_weights("geometric", {"alpha": np.array([alpha])}, 200)
        known = np.log(0.5) / np.log(alpha)
        if known >= 1:
            assert half_life(weights)[0] == pytest.approx(known)
    assert half_life(np.array([[1.0, 0.0]]))[0] == 0.5


def test_fixed_parameters_have_no_spread():
    told = implied_shapes(
        ChannelSpec("TV"), {"alpha": HALF, "ec": ONE, "slope": ONE}, 8
    )
    one = told.sel(channel="TV")
    np.testing.assert_allclose(one["adstock"], 0.5 ** np.arange(9))
    np.testing.assert_allclose(one["adstock_ci"].sel(ci="lo"), one["adstock"])
    assert np.allclose(told["now"], 0.5)
    assert float(one["media_now"]) == 1.0


@pytest.mark.parametrize("kind", get_args(Adstock))
def test_every_default_prior_has_a_picture(kind):
    for channel in (ChannelSpec("TV"), ChannelSpec("TV", "reach_frequency")):
        channel = replace(channel, adstock=kind)
        stems = (*ADSTOCK_PARAMETERS[kind], "ec", "slope")
        priors = {stem: ModelSpec().channel_prior(channel, stem) for stem in stems}
        told = implied_shapes(channel, priors, 8)
        for name in ("adstock", "adstock_ci", "saturation", "half_life", "now"):
            assert np.isfinite(told[name]).all()
