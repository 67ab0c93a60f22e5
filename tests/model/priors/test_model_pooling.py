"""Priors from others: fits without their own priors, pooled with heterogeneity."""

import math

import numpy as np
import pytest

from core.model.priors.distribution import quantile
from core.model.priors.pooling.joint import log_weights
from core.model.priors.pooling.learnt import NOTHING, Learnt, divided, learnt
from core.model.priors.pooling.pooled import (
    APART,
    FAR,
    LEAST,
    TAU,
    Source,
    grid,
    pooled,
)
from core.model.priors.prior import prior

DEFAULT = (0.2, 0.9)
ROI = prior("LogNormal", loc=0.2, scale=0.9)


def posterior(location: float, spread: float, seed: int = 0, n: int = 1000):
    """Draws of an ROI whose data say Normal(location, spread) of its logarithm."""
    before, data = 0.9**-2, spread**-2
    middle = (0.2 * before + location * data) / (before + data)
    z = np.random.default_rng(seed).standard_normal(n)
    return np.exp(middle + z / math.sqrt(before + data))


def test_the_prior_of_a_fit_is_divided_out():
    known = learnt(posterior(1.1, 0.3, n=100_000), ROI)
    assert known.location == pytest.approx(1.1, abs=0.02)
    assert 0.3 <= known.spread < 0.31  # what finite draws cost is on the safe side
    few = learnt(posterior(1.1, 0.3), ROI)
    assert few.spread == pytest.approx(0.33, abs=0.03)


def test_a_prior_on_the_share_is_divided_out_in_roi():
    share = prior("Beta", concentration1=1.5, concentration0=13.5)
    even = quantile(share, (np.arange(4000) + 0.5) / 4000)
    assert learnt(even * 7.0, share, 7.0) == NOTHING
    data = np.random.default_rng(1).choice(even, 4000, p=_weight(even, 0.2, 0.1))
    known = learnt(data * 7.0, share, 7.0)
    assert known.location == pytest.approx(math.log(0.2 * 7), abs=0.05)


def _weight(share, middle, spread):
    weight = np.exp(-0.5 * ((np.log(share) - math.log(middle)) / spread) ** 2)
    return weight / weight.sum()


def test_eight_copies_of_a_fit_that_learnt_nothing_change_nothing():
    for seed in range(100):
        draws = np.exp(0.2 + 0.9 * np.random.default_rng(seed).standard_normal(1000))
        copies = [Source(learnt(draws, ROI))] * 8
        assert pooled(copies, DEFAULT) is None
    assert learnt(np.full(1000, 1.3), prior("Deterministic", loc=1.3)) == NOTHING
    assert divided(Learnt(0.3, 1.2), Learnt(0.2, 0.9)) == NOTHING  # wider than before


def test_a_source_that_says_nothing_has_no_say():
    known = [Source(Learnt(0.5, 0.2)), Source(Learnt(0.7, 0.4))]
    one, more = pooled(known, DEFAULT), pooled([*known, Source(NOTHING)], DEFAULT)
    assert one is not None and more is not None
    assert (more.loc, more.scale) == (one.loc, one.scale)
    assert more.weights == (*one.weights, 0.0)
    assert sum(one.weights) + one.default_weight == pytest.approx(1.0)
    assert one.weights[0] > one.weights[1]


def test_the_suggestion_is_the_prediction_of_the_model():
    """Against a million draws of the model, weighed by the sources."""
    known = [Learnt(0.9, 0.25), Learnt(0.3, 0.3), Learnt(1.4, 0.5)]
    rng = np.random.default_rng(3)
    n = 1_000_000
    mu = 0.2 + math.sqrt(0.81 - TAU**2 - APART * FAR) * rng.standard_normal(n)
    tau = TAU * np.abs(rng.standard_normal(n))
    weight = np.ones(n)
    for each in known:
        shares = ((1 - APART, 0.0), (APART, FAR))
        weight *= sum(
            share
            * np.exp(-0.5 * (each.location - mu) ** 2 / v)
            / np.sqrt(2 * np.pi * v)
            for share, v in ((s, tau**2 + more + each.spread**2) for s, more in shares)
        )
    far = rng.random(n) < APART
    theta = mu + np.sqrt(tau**2 + far * FAR) * rng.standard_normal(n)
    order = np.argsort(theta)
    below = np.cumsum(weight[order]) / weight.sum()
    low, high = theta[order][np.searchsorted(below, [0.05, 0.95])]
    one = pooled([Source(each) for each in known], DEFAULT)
    assert one is not None
    assert one.loc == pytest.approx((low + high) / 2, abs=0.02)
    assert one.scale == pytest.approx((high - low) / 3.29, abs=0.02)
    nodes = grid(known, DEFAULT)
    assert nodes.weight @ nodes.mu == pytest.approx(
        weight @ mu / weight.sum(), abs=0.01
    )


def test_no_narrower_than_half_on_the_log_scale_unless_tests_carry_it():
    near = [Learnt(0.6 + 0.02 * i, 0.05) for i in range(12)]
    fits = pooled([Source(each) for each in near], DEFAULT)
    tests = pooled([Source(each, is_tested=True) for each in near], DEFAULT)
    assert fits is not None and tests is not None
    assert fits.scale == LEAST and fits.is_held
    assert tests.scale < 0.35 and not tests.is_held
    one_test = [Source(near[0], is_tested=True), *(Source(each) for each in near[1:])]
    held = pooled(one_test, DEFAULT)
    assert held is not None and held.scale == LEAST


def test_one_brand_that_is_apart_costs_little():
    rng = np.random.default_rng(5)
    near = [Source(Learnt(0.6 + 0.2 * z, 0.25)) for z in rng.standard_normal(6)]
    plain = pooled([*near, Source(Learnt(0.6, 0.25))], DEFAULT)
    apart = pooled([*near, Source(Learnt(0.6 + math.log(8), 0.25))], DEFAULT)
    assert plain is not None and apart is not None
    assert abs(apart.loc - plain.loc) < 0.1 and apart.scale < 1.15 * plain.scale
    assert apart.weights[-1] < apart.weights[0] / 3


def test_little_learnt_leaves_the_prior_about_as_it_is():
    one = pooled([Source(Learnt(3.0, 2.0))], DEFAULT)
    assert one is not None
    assert one.scale == pytest.approx(0.9, abs=0.06) and one.loc < 0.6
    low, high = one.range
    ends = quantile(one.prior, [0.05, 0.95]).tolist()
    assert ends == pytest.approx([low, high])
    expected = [math.exp(one.loc + side * 1.645 * one.scale) for side in (-1, 1)]
    assert ends == pytest.approx(expected, rel=0.01)
    assert one.prior.written.numbers() == {"low": low, "high": high, "mass": 0.9}


def test_weights_of_draws_are_the_joint_posterior():
    """Two channels of a kind: against the posterior with mu and tau sampled."""
    rng = np.random.default_rng(8)
    others = [Learnt(0.9, 0.2), Learnt(1.1, 0.25), Learnt(0.7, 0.2)]
    data = [Learnt(0.2, 0.4), Learnt(0.6, 0.5)]
    draws = np.stack(
        [posterior(*each, seed=9 + i, n=20_000) for i, each in enumerate(data)], 1
    )
    own = [(ROI, 1.0)] * 2
    logs = log_weights(draws, own, ["TV", "TV"], {"TV": others}, DEFAULT)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    # mu and tau from all sources, theta given both, by Gibbs' exact conditionals of a
    # Normal where markets are alike, weighed for the share that is apart.
    nodes = grid([*others, *data], DEFAULT)
    place = rng.choice(len(nodes.weight), 200_000, p=nodes.weight)
    mu, tau = nodes.mu[place], nodes.tau[place]
    for column, each in enumerate(data):
        densities = [
            share
            * np.exp(-0.5 * (each.location - mu) ** 2 / (v + each.spread**2))
            / np.sqrt(v + each.spread**2)
            for share, v in ((1 - APART, tau**2), (APART, tau**2 + FAR))
        ]
        far = rng.random(len(mu)) < densities[1] / (densities[0] + densities[1])
        variance = tau**2 + far * FAR
        precision = 1 / variance + each.spread**-2
        middle = (mu / variance + each.location * each.spread**-2) / precision
        theta = middle + rng.standard_normal(len(mu)) / np.sqrt(precision)
        own_logs = np.log(draws[:, column])
        assert weights @ own_logs == pytest.approx(theta.mean(), abs=0.03)
        spread = math.sqrt(weights @ (own_logs - weights @ own_logs) ** 2)
        assert spread == pytest.approx(theta.std(), abs=0.03)


def test_weights_are_even_where_the_others_have_learnt_nothing():
    draws = np.stack([posterior(0.5, 0.3), posterior(0.1, 0.3, seed=1)], 1)
    kinds = ["TV", "Social"]
    logs = log_weights(draws, [(ROI, 1.0)] * 2, kinds, {"TV": [NOTHING]}, DEFAULT)
    assert np.ptp(logs) == 0
