"""Channels that sales pay for, told from those that are planned with them."""

from dataclasses import replace

import numpy as np
import pytest

from bench.markets import market as other_market
from core.data.demand.paid_by_sale import paid_by_sale
from core.data.input_data import InputData, Treatments
from tests.data.test_data_demand import SEASON, market


def with_spend(data: InputData, spend: np.ndarray) -> InputData:
    """The market with a first channel of this spend."""
    every = data.media.spend.copy()
    every[:, :, 0] = spend
    return replace(data, media=Treatments(data.media.names, every, spend=every))


def seasonal(seed: int, n_geos: int) -> InputData:
    """Sales that double in season, with noise of a tenth."""
    data = market(seed, n_geos=n_geos)
    rng = np.random.default_rng([seed, 5])
    noise = 0.1 * rng.standard_normal(data.kpi.shape)
    return replace(data, kpi=1e6 * np.exp(0.35 * SEASON + noise))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_geos", [1, 3])
def test_a_commission_is_paid_by_sale(seed, n_geos):
    data = seasonal(seed, n_geos)
    rng = np.random.default_rng([seed, 6])
    spend = 0.03 * data.kpi * np.exp(0.05 * rng.standard_normal(data.kpi.shape))
    assert paid_by_sale(with_spend(data, spend)) == ("One",)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_geos", [1, 3])
def test_a_budget_that_is_planned_with_the_season_is_not(seed, n_geos):
    data = seasonal(seed, n_geos)
    rng = np.random.default_rng([seed, 7])
    expected = 1e6 * np.exp(0.35 * SEASON)
    spend = 0.03 * expected * np.exp(0.1 * rng.standard_normal(data.kpi.shape))
    assert paid_by_sale(with_spend(data, spend)) == ()


@pytest.mark.parametrize("family", ["steady", "always_on", "following_hidden"])
@pytest.mark.parametrize("seed", range(3))
def test_no_channel_of_markets_that_are_planned_is(family, seed):
    assert paid_by_sale(other_market(family, seed).data) == ()


def test_too_few_periods_tell_nothing():
    data = seasonal(0, 1)
    few = 0.03 * data.kpi * (np.arange(data.n_times) < 40)
    assert paid_by_sale(with_spend(data, few)) == ()
