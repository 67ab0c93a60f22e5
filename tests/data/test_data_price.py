"""How much dearer a channel gets with volume, from units and money in the data."""

import numpy as np
import pytest

from core.data.input_data import InputData, Treatments
from core.data.price import LEAST_PERIODS, price, prices
from core.view.suggestions.price_words import cells

WEEKS = 156


def bought(seed, gamma, *, n_geos=1, noise=0.1, lasting=0.0, n=WEEKS, spread=0.4):
    """Spend and units of a channel whose price rises with volume, trend and season."""
    rng = np.random.default_rng(seed)
    time = np.arange(n)
    season = 0.3 * np.sin(2 * np.pi * time / 52 + rng.uniform(0, 6))
    level = rng.normal(0, 0.5, (n_geos, 1))
    spend = np.exp(8 + level + season + spread * rng.standard_normal((n_geos, n)))
    shock = rng.standard_normal(n)
    for t in range(1, n):
        shock[t] = lasting * shock[t - 1] + np.sqrt(1 - lasting**2) * shock[t]
    log_price = gamma * np.log(spend) - level + 0.004 * time + 0.8 * season
    units = spend / np.exp(log_price - 4 + noise * shock)
    return spend, units


@pytest.mark.parametrize("n_geos", [1, 6])
@pytest.mark.parametrize("lasting", [0.0, 0.7])
def test_intervals_hold_the_truth(n_geos, lasting):
    held, gammas = 0, (0.0, 0.15, 0.4)
    for seed in range(60):
        gamma = gammas[seed % 3]
        found = price(
            "TV", *bought(seed, gamma, n_geos=n_geos, lasting=lasting), season=52
        )
        low, high = found.interval
        held += low <= gamma <= high
        assert abs(found.gamma - gamma) < 0.15
        assert 0 <= found.suggestion <= 0.9
    assert 0.75 * 60 <= held <= 60


@pytest.mark.parametrize("gamma", [-0.4, -0.1, 0.0, 0.3, 0.85, 0.97, 1.0, 1.3])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_shown_lies_in_its_own_interval(seed, gamma):
    """Whatever a plan may take of it."""
    found = price("TV", *bought(seed, gamma, noise=0.02), season=52)
    low, high = found.interval
    shown, interval, dearer, remark = cells(found)
    ends = [float(end.replace("−", "-")) for end in interval.split(" – ")]
    assert ends[0] <= float(shown.replace("−", "-")) <= ends[1]
    assert float(shown.replace("−", "-")) == pytest.approx(found.gamma, abs=0.006)
    if gamma >= 0.97:
        assert found.suggestion is None and "hardly rise" in remark
    else:
        assert found.suggestion == pytest.approx(max(found.gamma, 0.0), abs=1e-3)
        factor = 2 ** (1 / (1 - found.gamma))
        assert float(dearer.split()[0]) == pytest.approx(factor, abs=0.06)
    assert ("Cheaper" in remark) == (high < 0)


def test_units_that_are_money_have_no_price():
    spend, units = bought(1, 0.2)
    for money in (spend, spend / 1000, np.round(spend, 2) * 7.3):
        found = price("TV", spend, money, season=52)
        assert found.is_money and found.gamma is None and found.suggestion is None
        assert found.reason
    assert not price("TV", spend, units, season=52).is_money


def test_what_says_nothing_about_volume_is_said():
    cases = {
        "in 12 periods": bought(1, 0.2, n=12),
        "hardly varies": bought(1, 0.2, spread=0.01),
        "no period": (np.ones((1, 30)), np.zeros((1, 30))),
    }
    for reason, (spend, units) in cases.items():
        found = price("TV", spend, units, season=52)
        assert found.gamma is None and reason in found.reason, found
    spend, units = bought(2, 0.3)
    spend[0, LEAST_PERIODS + 40 :: 2] = 0  # gaps are no prices
    found = price("TV", spend, units, season=52)
    assert found.gamma == pytest.approx(0.3, abs=0.15) and found.periods < WEEKS


def test_channels_of_reach_are_priced_by_impressions():
    spend, units = bought(3, 0.25)
    frequency = np.linspace(1, 4, WEEKS)[None]
    times = np.datetime64("2022-01-03") + 7 * np.arange(WEEKS)

    def treatments(name, units, **more):
        return Treatments(
            names=(name,), units=units[..., None], spend=spend[..., None], **more
        )

    data = InputData(
        geos=("all",),
        times=times,
        media_times=times,
        kpi=np.ones((1, WEEKS)),
        kpi_type="revenue",
        revenue_per_kpi=None,
        population=np.ones(1),
        controls=np.zeros((1, WEEKS, 0)),
        control_names=(),
        media=treatments("TV", units),
        reach_frequency=treatments(
            "Video", units / frequency, frequency=frequency[..., None]
        ),
    )
    tv, video = prices(data)
    assert (tv.channel, video.channel) == ("TV", "Video")
    assert tv.gamma == pytest.approx(video.gamma)
