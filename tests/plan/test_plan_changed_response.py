"""What changed since the fit: by hand, and markets whose causes are known."""

import numpy as np
import pytest

from core.plan.against import changed_response as prior
from core.plan.against.changed_response import changed_response

N = 13


def market(seed: int, *, n_draws: int = 300, drawn: bool = False):
    """What channels bring, what is usual, noise, and true changes of a market.

    The draws are those of a fit that knows each channel to about a fifth; `drawn`
    takes the changes from the priors, else nothing changed.
    """
    rng = np.random.default_rng(seed)
    at = np.arange(N)
    waves = 1 + 0.6 * np.sin(at / rng.uniform(1, 4, (4, 1)) + rng.uniform(0, 6, (4, 1)))
    true = rng.uniform(2, 9, (4, 1)) * waves * rng.uniform(0.7, 1.3, (4, N))
    usual = 100 + 5 * np.sin(at / 8)
    fits = rng.lognormal(0, 0.2, (n_draws, 4, 1))
    off = rng.normal(0, 0.2)
    noise = 2 * rng.standard_normal((n_draws, N))
    share = prior.RESPONSE * rng.standard_normal(4) if drawn else np.zeros(4)
    level = prior.LEVEL * rng.standard_normal() if drawn else 0.0
    steps = np.cumsum(prior.STEP * rng.standard_normal(N)) if drawn else np.zeros(N)
    own = usual * (level + steps) + 2 * rng.standard_normal(N)
    apart = ((1 + share)[:, None] * true).sum(axis=0) + own
    brought = true * np.exp(off) * fits
    left = np.broadcast_to(apart - true.sum(axis=0), (n_draws, N))
    return left, brought, usual, noise, share


def test_worked_by_hand():
    """One period leaves 20; TV brings 50, 100 are expected.

    Of what is left TV's response takes its share of the variances, 0.6^2 50^2 = 900 of
    900 + (0.08^2 + 0.01^2) 100^2 = 965: a change of 0.6 x 20 x 0.6 x 50 / 965, and
    0.6^2 (1 - 900 / 965) of its variance stays.
    """
    n = 40_000
    ones = np.ones((n, 1))
    share = changed_response(20 * ones, 50 * ones[:, None], np.array([100.0]), 0 * ones)
    assert share.mean() == pytest.approx(0.36 * 50 * 20 / 965, abs=0.003)
    assert share.std() == pytest.approx(0.6 * np.sqrt(65 / 965), rel=0.02)


def test_drawn_causes_are_held_as_often_as_intervals_say():
    """Changes from the priors, in 150 markets: the intervals are what they say."""
    held = {80: [], 90: []}
    for seed in range(150):
        left, brought, usual, noise, share = market(seed, drawn=True)
        got = changed_response(left, brought, usual, noise)
        for size, ends in held.items():
            low, high = np.quantile(
                got, [(1 - size / 100) / 2, (1 + size / 100) / 2], 0
            )
            ends.append((low <= share) & (share <= high))
    assert 0.74 <= np.mean(held[80]) <= 0.86
    assert 0.85 <= np.mean(held[90]) <= 0.95


@pytest.mark.parametrize("demand", [0.0, -0.08, 0.08, -0.2])
def test_demand_is_not_blamed_on_a_channel(demand):
    """No channel changed: fewer than one in twenty is blamed firmly."""
    firm = []
    for seed in range(40):
        left, brought, usual, noise, _ = market(seed)
        got = changed_response(left + demand * usual, brought, usual, noise)
        low, high = np.quantile(got, [0.05, 0.95], axis=0)
        firm.append((low > 0) | (high < 0))
    assert np.mean(firm) < 0.05


def test_a_channel_that_cannot_be_told_from_demand_has_its_prior():
    """Constant spend has the shape of demand: the two trade for one another."""
    usual = np.full(N, 100.0)
    ones = np.ones((4000, N))
    noise = 0.5 * np.random.default_rng(1).standard_normal(ones.shape)
    got = changed_response(-8 * ones, 8 * ones[:, None], usual, noise)
    share = prior.RESPONSE**2 * 64 / (prior.RESPONSE**2 * 64 + prior.LEVEL**2 * 1e4)
    assert got.mean() == pytest.approx(-share, abs=0.1)
    assert got.std() > 0.9 * prior.RESPONSE * np.sqrt(1 - share)


def test_a_channel_with_a_shape_of_its_own_is_found():
    """A burst that brings as much as everything else, at a third of it."""
    usual = np.full(N, 100.0)
    burst = np.where(np.arange(N) % 4 == 0, 80.0, 0.0)
    brought = np.broadcast_to(burst, (1000, 1, N))
    noise = np.random.default_rng(1).standard_normal((1000, N))
    left = np.broadcast_to(-0.7 * burst, (1000, N))
    low, high = np.quantile(changed_response(left, brought, usual, noise), [0.05, 0.95])
    assert -0.8 < low < -0.7 < high < -0.6
