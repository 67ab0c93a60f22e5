"""Predicted: intervals of what would be counted hold what was counted."""

from dataclasses import replace
from functools import partial

import jax
import numpy as np
import pytest
import scipy.stats

from core.analysis.checking.residual import later_noise
from core.analysis.draws import flat_draws
from core.analysis.learning.prior_draws import prior_draws
from core.analysis.weeks import predictive_interval, spread, weeks
from core.data.assemble import assemble
from core.data.simulate import simulate_market
from core.fit.fit import fit
from core.fit.settings import SamplerSettings
from core.model.build import build
from core.model.holdout import Holdout
from core.model.reconstruct import posterior_variables
from core.project.settings.defaults import default_spec
from tests.small_market import market, spec


def test_the_interval_of_one_draw_is_that_of_a_normal():
    made = predictive_interval(np.full((3, 2), 5.0), np.full((1, 1), 2.0))
    exact = scipy.stats.norm.ppf([0.05, 0.95], 5.0, 2.0)
    np.testing.assert_allclose(made, [exact, exact], rtol=1e-5)


def test_the_interval_of_draws_is_that_of_their_mixture():
    rng = np.random.default_rng(1)
    mean, scale = rng.normal(0, 1, (200, 1)), rng.uniform(0.5, 2, (200, 1))
    made = predictive_interval(mean, scale)[0]
    drawn = (mean + scale * rng.normal(size=(200, 20_000))).ravel()
    np.testing.assert_allclose(made, np.quantile(drawn, [0.05, 0.95]), atol=0.01)


def test_the_interval_of_draws_that_are_far_apart_is_found_by_halves():
    """Where Newton's steps lead nowhere: between two heaps no draw has any density."""
    rng = np.random.default_rng(2)
    mean = np.where(rng.random((500, 3)) < 0.3, 1000.0, 0.0) + rng.normal(size=(500, 3))
    scale = rng.uniform(0.01, 2.0, (500, 1))
    made = predictive_interval(mean, scale)
    for end, share in ((0, 0.05), (1, 0.95)):
        below = scipy.stats.norm.cdf(made[:, end], mean, scale).mean(axis=0)
        np.testing.assert_allclose(below, share, atol=1e-6)


@pytest.mark.parametrize("memory", [False, True])
def test_the_scale_is_that_of_the_noise_that_a_forecast_draws(memory):
    """Of cells and of their sum, with what geos have in common."""
    options = {"baseline": "structural", "preset": "mixwright"}
    given = market(n_geos=3, n_times=30)
    model = build(given, spec(**options, autocorrelation=memory))
    variables = partial(posterior_variables, model.structure, model.arrays)
    drawn = jax.jit(jax.vmap(variables))(prior_draws(model, 1, 3))
    draws = {
        name: np.repeat(np.asarray(value), 4000, axis=0)
        for name, value in drawn.items()
        if value.size
    }
    made = spread(model, draws)
    noise = later_noise(model, draws, model.data.times, seed=2) * made.scale
    np.testing.assert_allclose(noise.sum(axis=1).std(axis=0), made.total[0], rtol=0.06)
    by_geo = made.own[0][:, None] * made.scale
    np.testing.assert_allclose(noise.std(axis=0), by_geo, rtol=0.06)


def inside(view, interval):
    low, high = view[interval].values.T
    return (low <= view["actual"].values) & (view["actual"].values <= high)


@pytest.mark.slow
def test_nine_of_ten_observations_lie_in_the_band():
    """On a simulated market, of those the model saw and of those it did not."""
    simulated = simulate_market(3)
    data = assemble(simulated.frame, simulated.mapping)
    held = Holdout(dates=((str(data.times[-12]), str(data.times[-1])),))
    options = replace(default_spec(simulated.mapping), holdout=held)
    model = build(data, options)
    settings = SamplerSettings(chains=2, warmup=200, draws=200, precision="float64")
    fitted = fit(model, settings)
    view, _ = weeks(model, flat_draws(fitted.posterior, 300))
    held_out = view["held_out"].values > 0
    assert held_out.sum() == 12
    assert 0.85 <= inside(view, "predicted_ci")[~held_out].mean() <= 0.97
    assert inside(view, "predicted_ci")[held_out].mean() >= 0.75
    assert inside(view, "expected_ci")[~held_out].mean() < 0.7
