"""Channels that began in the last year run on as they did lately."""

from dataclasses import replace

import numpy as np
import pytest

from core.data.ahead.horizon import ahead, began_since
from tests.small_market import market


def started(first: int, n: int = 120, last: int | None = None):
    """A market whose video began in a period, and ended before another."""
    data = market(n_times=n, every_kind=True)
    seen = data.reach_frequency
    runs = (np.arange(n) >= first) & (np.arange(n) < (n if last is None else last))
    changed = replace(
        seen,
        units=seen.units * runs[:, None],
        spend=seen.spend * runs[:, None],
    )
    return replace(data, reach_frequency=changed)


@pytest.mark.parametrize("first", [70, 100, 115])
def test_a_new_channel_runs_as_lately_where_it_had_not_begun(first):
    data, n = started(first), 60
    future = ahead(data, n).reach_frequency
    seen = data.reach_frequency
    place = 120 - 52 + np.arange(n) % 52
    since = slice(max(first, 120 - 13), None)
    ran = place >= first
    np.testing.assert_array_equal(future.spend[:, ran], seen.spend[:, place[ran]])
    cost = seen.spend[:, since].mean(axis=1, keepdims=True)
    np.testing.assert_allclose(future.spend[:, ~ran] - cost, 0, atol=1e-12)
    units = seen.units[:, since].mean(axis=1, keepdims=True)
    np.testing.assert_allclose(future.units[:, 120:][:, ~ran] - units, 0, atol=1e-9)
    shown = (seen.units * seen.frequency)[:, since].mean(axis=1, keepdims=True)
    often = future.frequency[:, 120:][:, ~ran]
    np.testing.assert_allclose(often - shown / units, 0, atol=1e-9)
    np.testing.assert_array_equal(future.units[:, :120], seen.units)
    tv = ahead(data, n).media.spend
    np.testing.assert_array_equal(tv, data.media.spend[:, place])
    assert began_since(data, 0, n) == {"video": str(data.times[first])}


@pytest.mark.parametrize(
    ("first", "n", "last"),
    [
        pytest.param(30, 120, None, id="more than a year ago"),
        pytest.param(70, 120, 100, id="over again"),
        pytest.param(45, 52, None, id="perhaps a season"),
        pytest.param(60, 64, None, id="too little before"),
    ],
)
def test_other_channels_run_as_a_year_earlier(first, n, last):
    data = started(first, n, last)
    future = ahead(data, 20).reach_frequency
    place = n - 52 + np.arange(20)
    seen = data.reach_frequency
    np.testing.assert_array_equal(future.spend, seen.spend[:, place])
    np.testing.assert_array_equal(future.frequency[:, n:], seen.frequency[:, place])
    assert began_since(data, 0, 20) == {}


def test_only_periods_in_which_it_had_not_begun_are_named():
    data = started(100)
    assert began_since(data, 0, 20)
    assert not began_since(data, 40, 10)
