"""The lift test's equation, evaluated directly: geos, window, carryover in and out."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.analysis.experiments import lifts_and_totals
from core.model.build import build
from core.model.density import log_likelihood, treatment_kpi_and_lifts
from core.model.experiment import Experiment
from core.model.prior_draws import prior_draws
from core.model.reconstruct import posterior_variables
from tests.small_market import market, spec

MAX_LAG = 3
TESTS = (
    Experiment("tv", "2024-02-05", "2024-03-03", 3e4, 5e3, geos=("g2", "g0")),
    Experiment("tv", "2024-01-01", "2024-05-19", -1e3, 2e3),
    Experiment("search", "2024-03-04", "2024-03-04", 0.0, 1e3, geos=("g1",)),
)


@pytest.fixture
def x64():
    with jax.enable_x64(True):
        yield


def one_draw(model, seed):
    drawn = prior_draws(model, 1, seed)
    return {name: jnp.asarray(values[0]) for name, values in drawn.items()}


def carried(media, alpha):
    """Geometric carryover of one geo, written as the sum that it is."""
    weights = alpha ** np.arange(MAX_LAG + 1)
    weights /= weights.sum()
    padded = np.concatenate([np.zeros(MAX_LAG), media])
    return np.array(
        [weights @ padded[t : t + MAX_LAG + 1][::-1] for t in range(len(media))]
    )


def direct(data, test, draw, scale, *, first_saturates=False):
    """Effect of media as it ran less that without the test's media, in its cells."""
    place = data.media.names.index(test.channel)
    units = data.media.units[:, :, place] / data.population[:, None]
    units = units / np.median(units[units > 0])
    low, high = np.datetime64(test.start), np.datetime64(test.end)
    inside = (data.times >= low) & (data.times <= high)
    alpha, ec = draw["alpha_m"][place], draw["ec_m"][place]
    total = 0.0
    for g, geo in enumerate(data.geos):
        if test.geos and geo not in test.geos:
            continue
        without = np.where(inside, 0.0, units[g])
        curves = []
        for media in (units[g], without):
            if first_saturates:
                curves.append(carried(media / (media + ec), alpha))
            else:
                x = carried(media, alpha)
                curves.append(x / (x + ec))
        per_week = draw["beta_gm"][g, place] * (curves[0] - curves[1])
        value = data.revenue_per_kpi[g] * data.population[g] * scale
        total += (per_week * value)[inside].sum()
    return total


@pytest.mark.parametrize("first", [False, True])
def test_lift_is_its_equation(x64, first):
    data = market(every_kind=True)
    given = spec(every_kind=True, experiments=TESTS, hill_before_adstock=first)
    model = build(data, given)
    latents = one_draw(model, seed=4)
    draw = posterior_variables(model.structure, model.arrays, latents)
    wanted = [
        direct(data, test, draw, model.scale.std, first_saturates=first)
        for test in TESTS
    ]
    _, in_density = treatment_kpi_and_lifts(model.structure, model.arrays, latents)
    after, _ = lifts_and_totals(model.structure, model.arrays, draw)
    np.testing.assert_allclose(np.array(in_density), wanted, rtol=1e-9)
    np.testing.assert_allclose(after, wanted, rtol=1e-9)


def test_tests_are_observations_with_normal_error(x64):
    data = market(every_kind=True)
    with_tests = build(data, spec(every_kind=True, experiments=TESTS))
    without = build(data, spec(every_kind=True))
    latents = one_draw(with_tests, seed=5)
    _, lifts = treatment_kpi_and_lifts(with_tests.structure, with_tests.arrays, latents)
    gained = log_likelihood(with_tests.structure, with_tests.arrays, latents)
    gained -= log_likelihood(without.structure, without.arrays, latents)
    wanted = sum(
        -0.5 * ((test.incremental_outcome - lift) / test.standard_error) ** 2
        - np.log(test.standard_error * np.sqrt(2 * np.pi))
        for test, lift in zip(TESTS, lifts, strict=True)
    )
    assert gained == pytest.approx(float(wanted), rel=1e-9)


def test_carryover_into_the_window_is_no_lift_and_out_of_it_is_not_counted(x64):
    """With no saturation, only media of the window counts, and only within it."""
    data = market(n_geos=1)
    linear = {"tv": {"saturation": "none"}}
    window = Experiment("tv", "2024-03-04", "2024-03-18", 1e3, 1e2)
    model = build(data, spec(channels=linear, experiments=(window,)))
    latents = one_draw(model, seed=6)
    draw = posterior_variables(model.structure, model.arrays, latents)
    lift = lifts_and_totals(model.structure, model.arrays, draw)[0][0]
    units = data.media.units[0, :, 0]
    inside = (data.times >= np.datetime64(window.start)) & (
        data.times <= np.datetime64(window.end)
    )
    own = carried(np.where(inside, units, 0.0) / np.median(units), draw["alpha_m"][0])
    value = draw["beta_gm"][0, 0] * model.scale.std * data.revenue_per_kpi[0]
    assert lift == pytest.approx(float((own * value)[inside].sum()), rel=1e-9)
    assert own[np.flatnonzero(inside)[-1] + 1] > 0  # what flows out and is left out
