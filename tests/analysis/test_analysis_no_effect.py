"""The Bayes factor of no effect, against quadrature; who is told of it."""

from dataclasses import replace
from functools import partial

import jax
import numpy as np
import pytest

from core.analysis import learning
from core.analysis.incremental import scaled_expected_kpi
from core.analysis.learning.no_effect import AS_WELL, assumed, no_effect
from core.analysis.learning.prior_draws import prior_draws
from core.data.input_data import Treatments
from core.model.build import build
from core.model.density import collapsed_log_density
from core.model.latents import constrain, n_dims
from core.model.priors.prior import prior
from core.model.reconstruct import posterior_variables
from core.model.spec import ChannelSpec, ModelSpec
from tests.small_market import market, spec

N_DRAWS = 4000


@pytest.fixture(scope="module")
def model():
    """One return and a linear block; everything else is a number."""
    data = market(n_geos=1, n_times=40)
    bare = {"non_media": Treatments(), "kpi_type": "revenue", "revenue_per_kpi": None}
    scaled = data.kpi.sum() / data.media.spend.sum() * 0.2
    media = replace(data.media, spend=data.media.spend * scaled)
    data = replace(data, **bare, media=media)
    shape = tuple(
        (stem, prior("Deterministic", loc=value))
        for stem, value in (("alpha", 0.3), ("ec", 0.8), ("slope", 1.0), ("eta", 0.0))
    )
    one = prior("Deterministic", loc=1.0)
    channels = tuple(
        ChannelSpec(name, priors=shape, prior=one if place else None)
        for place, name in enumerate(media.names)
    )
    fixed = tuple(
        (name, prior("Deterministic", loc=value))
        for name, value in (("sigma", 0.7), ("xi_c", 0.5))
    )
    options = ModelSpec(channels, baseline="knots", knots=4, priors=fixed)
    return build(data, options)


@pytest.mark.parametrize("effect", [0.0, 1.5], ids=["nothing", "an effect"])
def test_the_factor_is_that_of_quadrature(model, effect, monkeypatch):
    monkeypatch.setattr(learning.no_effect, "_DRAWS", N_DRAWS)
    name = model.data.media.names[0]
    latents = {
        key: np.asarray(value) for key, value in prior_draws(model, N_DRAWS, 3).items()
    }
    variables = jax.jit(
        jax.vmap(partial(posterior_variables, model.structure, model.arrays))
    )
    made = with_effect(model, variables, latents, effect)
    grid = np.linspace(-9.0, 4.0, 400)
    likelihood, values = along(made, grid)
    mass = np.exp(-0.5 * ((np.log(values) - 0.2) / 0.9) ** 2) / values
    mass = mass * np.gradient(values)
    share = np.exp(likelihood - likelihood.max()) * mass
    nothing = np.exp(likelihood[0] - likelihood.max())
    exact = nothing / (share.sum() / mass.sum())
    # Draws of the posterior: the grid's values, as often as they are likely.
    rng = np.random.default_rng(1)
    drawn = rng.choice(values, N_DRAWS, p=share / share.sum())
    latents["roi_m"] = np.column_stack([drawn, latents["roi_m"][:, 1:]])
    draws = {key: np.asarray(own) for key, own in variables(latents).items()}
    found = no_effect(made, {key: own for key, own in draws.items() if own.size})
    assert set(found) == {name}  # what is fixed has no such factor
    assert np.log(found[name]) == pytest.approx(np.log(exact), abs=0.35)
    assert (found[name] >= AS_WELL) == (effect == 0.0)


def with_effect(model, variables, latents, effect):
    """The model with a KPI made by it: this return, and noise of its size."""
    own = {key: value[:1].copy() for key, value in latents.items()}
    own["roi_m"][:, 0] = max(effect, 1e-6)
    draw = {key: value[0] for key, value in variables(own).items()}
    expected = np.asarray(scaled_expected_kpi(model.structure, model.arrays, draw))
    noise = 0.7 * np.random.default_rng(5).standard_normal(expected.shape)
    return replace(model, arrays=model.arrays._replace(kpi=expected + noise))


def along(model, grid):
    """Log likelihood at positions of the one return, and its values there."""
    assert n_dims(model.structure.latents) == 1

    def at(position):
        params, log_prior = constrain(
            model.structure.latents, position, model.arrays.priors, model.arrays.errors
        )
        density = collapsed_log_density(model.structure, position, model.arrays)
        return density - log_prior, params["roi_m"][0]

    likelihood, values = jax.jit(jax.vmap(at))(grid[:, None])
    return np.asarray(likelihood, float), np.asarray(values, float)


def test_only_channels_that_the_data_would_not_miss_are_told_of():
    assert assumed({"TV": 1e-4, "Radio": None, "Print": 0.3}) == ""
    one = assumed({"TV": 1e-4, "Print": 0.4})
    assert one.startswith("Whether Print does anything is assumed")
    both = assumed({"TV": 2.0, "Print": 0.4})
    assert both.startswith("Whether TV and Print do anything is assumed")


def test_without_a_channel_is_as_if_it_had_brought_nothing():
    data = market(n_geos=3, n_times=40, every_kind=True)
    made = build(data, spec(every_kind=True, baseline="structural"))
    of_draw = partial(posterior_variables, made.structure, made.arrays)
    drawn = jax.jit(jax.vmap(of_draw))(prior_draws(made, 3, 4)).items()
    draws = {name: np.asarray(own) for name, own in drawn if own.size}
    found = learning.no_effect._likelihoods(made, draws)
    carrying = [
        (group.suffix, place)
        for group in made.structure.groups
        for place in range(group.n_channels)
    ]
    assert found.shape == (3, 1 + len(carrying))
    for column, (suffix, place) in enumerate(carrying, start=1):
        effects = draws[f"beta_g{suffix}"].copy()
        effects[:, :, place] = 0.0
        idle = draws | {f"beta_g{suffix}": effects}
        alone = learning.no_effect._likelihoods(made, idle)[:, 0]
        np.testing.assert_allclose(found[:, column], alone, rtol=1e-9)
        assert not np.allclose(found[:, column], found[:, 0], rtol=1e-8)
