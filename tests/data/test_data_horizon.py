"""Horizons: which periods come next, and what runs in them."""

import numpy as np
import pytest

from core.data.ahead.horizon import (
    ahead,
    at_frequency,
    between,
    last_day,
    longest_horizon,
    multiplied,
    next_times,
    periods_per_year,
)
from tests.small_market import market


def days(*dates: str) -> np.ndarray:
    return np.array(dates, dtype="datetime64[D]")


def test_weeks_and_days_go_on():
    weeks = days("2024-01-01") + 7 * np.arange(30)
    assert (next_times(weeks, 2) == weeks[-1] + [7, 14]).all()
    daily = days("2024-02-27", "2024-02-28", "2024-02-29")
    assert (next_times(daily, 1) == days("2024-03-01")).all()
    assert (periods_per_year(weeks), periods_per_year(daily)) == (52, 364)


@pytest.mark.parametrize("day", ["01", "31"])
def test_months_follow_the_calendar(day):
    first = np.arange("2023-01", "2024-02", dtype="datetime64[M]")
    start = first.astype("datetime64[D]")
    last = (first + 1).astype("datetime64[D]") - 1
    times = start if day == "01" else last
    expected = days("2024-02-01", "2024-03-01")
    if day == "31":
        expected = days("2024-02-29", "2024-03-31")
    assert (next_times(times, 2) == expected).all()
    assert periods_per_year(times) == 12


def test_the_last_day_of_the_data_is_that_of_its_last_period():
    weeks = days("2024-01-01") + 7 * np.arange(30)
    months = np.arange("2023-01", "2024-03", dtype="datetime64[M]")
    assert last_day(weeks) == weeks[-1] + 6
    assert last_day(months.astype("datetime64[D]")) == days("2024-02-29")[0]
    assert last_day(weeks[:1]) == weeks[0]


def test_the_plan_is_that_of_a_year_before():
    data = market(n_times=60, every_kind=True)
    future = ahead(data, 10)
    np.testing.assert_array_equal(future.media.spend, data.media.spend[:, 8:18])
    np.testing.assert_array_equal(future.media.units[:, 60:], data.media.units[:, 8:18])
    np.testing.assert_array_equal(future.media.units[:, :60], data.media.units)
    np.testing.assert_array_equal(future.controls, data.controls[:, 8:18])
    assert np.isnan(future.kpi).all()
    assert longest_horizon(data) == 52


def test_short_data_repeat():
    data = market(n_times=8)
    future = ahead(data, 8)
    np.testing.assert_array_equal(future.media.spend, data.media.spend)
    assert longest_horizon(data) == 8


def test_multiples_are_of_the_future_only():
    data = market(n_times=60)
    future = multiplied(ahead(data, 4), {"tv": 2.0})
    np.testing.assert_array_equal(future.media.units[:, :60], data.media.units)
    np.testing.assert_array_equal(future.media.spend, 2 * data.media.spend[:, 8:12])


def test_a_window_has_nothing_after_it():
    data = market(n_times=60, every_kind=True)
    part = between(data, 40, 50)
    assert part.n_times == 10
    assert part.media.units.shape[1] == part.n_media_times == 50
    np.testing.assert_array_equal(part.kpi, data.kpi[:, 40:50])
    np.testing.assert_array_equal(part.non_media.units, data.non_media.units[:, 40:50])


def test_another_frequency_has_the_same_impressions_in_its_periods():
    future = ahead(market(n_times=60, every_kind=True), 4)
    where = np.array([False, True, True, False])
    often = at_frequency(future, {"video": 2.0}, where).reach_frequency
    ran = future.reach_frequency
    np.testing.assert_allclose(often.units * often.frequency, ran.units * ran.frequency)
    assert (often.frequency[:, -3:-1, 0] == 2.0).all()
    np.testing.assert_array_equal(often.frequency[:, :-3], ran.frequency[:, :-3])
    np.testing.assert_array_equal(often.frequency[:, -1], ran.frequency[:, -1])
    assert at_frequency(future, {}, where) is future
