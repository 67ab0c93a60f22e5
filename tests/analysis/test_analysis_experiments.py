"""What each lift test did: direct numbers, and the weights that take a test out."""

import json

import jax
import numpy as np
import pytest
from msgspec import to_builtins
from msgspec.structs import asdict

from core.analysis.learning import experiments as analysis
from core.analysis.learning.prior_draws import prior_draws
from core.fit.importance import HIGHEST_K
from core.model.build import build
from core.model.media.result import Result
from core.model.reconstruct import posterior_variables
from tests.small_market import lift_test, market, spec

TESTS = (
    lift_test("tv", "2024-02-05", "2024-03-03", 3e4, 5e3, geos=("g2",)),
    lift_test("tv", "2024-03-04", "2024-03-18", 0.0, 1e9),
)


def test_without_tests_there_is_nothing_to_say():
    model = build(market(), spec(), precision="float32")
    assert analysis.experiments(model, {}, seed=1) == []


def test_every_test_is_told_with_prior_posterior_and_without():
    model = build(market(), spec(experiments=TESTS), precision="float32")
    latents = prior_draws(model, 200, seed=2)
    draws = jax.vmap(
        lambda one: posterior_variables(model.structure, model.arrays, one)
    )(latents)
    draws = {name: np.asarray(values) for name, values in draws.items()}
    told = analysis.experiments(model, draws, seed=2)
    json.dumps(to_builtins(told), allow_nan=False)
    assert [row.channel for row in told] == ["tv", "tv"]
    assert [row.geos for row in told] == [("g2",), ()]
    for row in told:
        assert row.test.hi - row.test.lo == pytest.approx(
            3.2897 * row.standard_error, rel=1e-3
        )
        assert row.prior.lo < row.prior.hi
        assert row.roi.posterior.mean == pytest.approx(
            float(draws["roi_m"].mean()), rel=1e-4
        )
    # A test that says nothing takes nothing out, and agrees with everything.
    silent = told[1]
    assert silent.agrees
    assert silent.without.mean == pytest.approx(silent.posterior.mean)
    assert silent.roi.without.mean == pytest.approx(silent.roi.posterior.mean)


def test_weights_take_a_test_out_of_a_normal_posterior():
    rng = np.random.default_rng(3)
    prior_sd, error, result = 2.0, 3.0, 4.0
    gain = prior_sd**2 / (prior_sd**2 + error**2)
    sd = np.sqrt(gain) * error
    draws = rng.normal(gain * result, sd, 4000)
    weights, k = analysis.without_test(-0.5 * ((result - draws) / error) ** 2)
    assert k < HIGHEST_K
    without = analysis.weighted(draws, weights)
    assert without.mean == pytest.approx(0.0, abs=0.2)
    assert without.sd == pytest.approx(prior_sd, rel=0.06)
    assert without.hi == pytest.approx(1.645 * prior_sd, rel=0.12)


def test_weights_of_a_test_that_decided_everything_are_refused():
    rng = np.random.default_rng(4)
    error = 0.05  # against a prior standard deviation of 2
    draws = rng.normal(4.0, error, 4000)
    told = analysis._of_test(
        Result(4.0, error), {"lift": draws, "roi": draws}, {"lift": draws, "roi": draws}
    )
    assert told["pareto_k"] > HIGHEST_K
    assert told["without"] is None
    assert told["roi"].without is None
    assert told["agrees"]


@pytest.mark.parametrize(("result", "agrees"), [(1.0, True), (9.0, False)])
def test_tension_is_told(result, agrees):
    draws = np.random.default_rng(5).normal(0.5, 0.5, 2000)
    told = analysis._of_test(
        Result(result, 2.0),
        {"lift": draws, "roi": draws},
        {"lift": draws, "roi": draws},
    )
    assert told["agrees"] is agrees


def test_equal_weights_change_nothing():
    draws = np.random.default_rng(6).normal(size=999)
    told = analysis.weighted(draws, np.full(999, 1 / 999))
    plain = analysis.estimate(draws)
    for key, value in asdict(plain).items():
        assert value is None or getattr(told, key) == pytest.approx(value, abs=5e-3)


@pytest.mark.parametrize(("apart", "agrees"), [(0.5, True), (9.0, False)])
def test_a_strong_test_is_held_against_a_fit_without_it(apart, agrees):
    """Where the posterior is the test's own, weights cannot take it out."""
    random = np.random.default_rng(7)
    after = random.normal(5.0, 0.25, 800)
    other = random.normal(5.0 - apart, 0.5, 600)
    told = analysis._of_test(
        Result(5.0, 0.05),
        {"lift": other, "roi": other},
        {"lift": after, "roi": after},
        {"lift": other, "roi": other},
    )
    assert told["without"].mean == pytest.approx(other.mean())
    assert told["roi"].without.mean == pytest.approx(other.mean())
    assert told["agrees"] is agrees
