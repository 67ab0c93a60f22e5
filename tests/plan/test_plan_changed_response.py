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
    share, level = _drawn(rng) if drawn else (np.zeros(4), 0.0)
    steps = np.cumsum(prior.STEP * rng.standard_normal(N)) if drawn else np.zeros(N)
    own = usual * (level + steps) + 2 * rng.standard_normal(N)
    apart = ((1 + share)[:, None] * true).sum(axis=0) + own
    brought = true * np.exp(off) * fits
    left = np.broadcast_to(apart - true.sum(axis=0), (n_draws, N))
    return left, brought, usual, noise, share


def _drawn(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Changes of four responses and of the level, from the priors."""
    broke = np.zeros(4)
    n_broke = rng.choice(3, p=prior.RESPONSES_BROKE)
    broke[rng.choice(4, n_broke, replace=False)] = 1
    sd = np.sqrt(prior.RESPONSE.wanders**2 + broke * prior.RESPONSE.breaks**2)
    does = rng.uniform() < prior.LEVEL_BROKE
    level = np.sqrt(prior.LEVEL.wanders**2 + does * prior.LEVEL.breaks**2)
    return sd * rng.standard_normal(4), float(level * rng.standard_normal())


@pytest.fixture
def nothing_breaks(monkeypatch):
    """Everything wanders only, so that the posterior is one Gaussian."""
    monkeypatch.setattr(prior, "LEVEL_BROKE", 1e-12)
    monkeypatch.setattr(prior, "RESPONSES_BROKE", (1.0, 1e-12, 1e-12))


@pytest.mark.usefixtures("nothing_breaks")
def test_worked_by_hand():
    """One period leaves 20; TV brings 50, 100 are expected.

    Of what is left TV's response takes its share of the variances, 0.5^2 50^2 = 625 of
    625 + (0.03^2 + 0.01^2) 100^2 = 635: a change of 0.5 x 20 x 0.5 x 50 / 635, and
    0.5^2 (1 - 625 / 635) of its variance stays.
    """
    n = 40_000
    ones = np.ones((n, 1))
    share = changed_response(20 * ones, 50 * ones[:, None], np.array([100.0]), 0 * ones)
    assert share.mean() == pytest.approx(0.25 * 50 * 20 / 635, abs=0.003)
    assert share.std() == pytest.approx(0.5 * np.sqrt(10 / 635), rel=0.02)


def test_what_broke_is_summed_out_as_by_hand():
    """The same period with one channel: four cases, by the likelihood of 20 in each."""
    n = 40_000
    ones = np.ones((n, 1))
    share = changed_response(20 * ones, 50 * ones[:, None], np.array([100.0]), 0 * ones)
    weights, means = [], []
    for channel, odds in zip((0, 1), (0.3 / 0.7, 0.4 / 0.7), strict=True):
        for level, chance in zip((0, 1), (0.6, 0.4), strict=True):
            own = (0.5**2 + channel * 0.8**2) * 50**2
            whole = own + (0.03**2 + level * 0.08**2 + 0.01**2) * 100**2
            weights.append(
                odds * chance * np.exp(-0.5 * 20**2 / whole) / np.sqrt(whole)
            )
            means.append(20 / 50 * own / whole)
    assert share.mean() == pytest.approx(np.average(means, weights=weights), abs=0.004)


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


@pytest.mark.usefixtures("nothing_breaks")
def test_a_channel_that_cannot_be_told_from_demand_has_its_prior():
    """Constant spend has the shape of demand: the two trade for one another."""
    usual = np.full(N, 100.0)
    ones = np.ones((4000, N))
    noise = 0.5 * np.random.default_rng(1).standard_normal(ones.shape)
    got = changed_response(-8 * ones, 8 * ones[:, None], usual, noise)
    own, level = prior.RESPONSE.wanders**2 * 64, prior.LEVEL.wanders**2 * 1e4
    share = own / (own + level)
    assert got.mean() == pytest.approx(-share, abs=0.1)
    sd = prior.RESPONSE.wanders * np.sqrt(1 - share)
    assert 0.9 * sd < got.std() < 1.1 * prior.RESPONSE.wanders


def test_a_channel_with_a_shape_of_its_own_is_found():
    """A burst that brings as much as everything else, at a third of it."""
    usual = np.full(N, 100.0)
    burst = np.where(np.arange(N) % 4 == 0, 80.0, 0.0)
    brought = np.broadcast_to(burst, (1000, 1, N))
    noise = np.random.default_rng(1).standard_normal((1000, N))
    left = np.broadcast_to(-0.7 * burst, (1000, N))
    low, high = np.quantile(changed_response(left, brought, usual, noise), [0.05, 0.95])
    assert -0.8 < low < -0.7 < high < -0.6
