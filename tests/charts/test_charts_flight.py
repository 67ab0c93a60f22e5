"""Spend by week: a cell with more money is never lighter than one with less."""

import numpy as np

from core.charts.planning import flight

WEEKS = np.arange("2024-01-01", "2024-01-29", 7, dtype="datetime64[D]")


def shades(amounts):
    figure = flight.spend(["TV", "Radio"], WEEKS, np.array(amounts), currency="EUR")
    return np.array(figure.data[0].z, dtype=float)


def test_shades_follow_money_across_channels():
    amounts = [[900.0, 400.0, 0.0, 100.0], [100.0, 90.0, 80.0, 70.0]]
    order = np.argsort(np.ravel(amounts), kind="stable")
    assert np.all(np.diff(shades(amounts).ravel()[order]) >= 0)
    assert shades(amounts).max() == 1.0


def test_a_channel_that_falls_gets_lighter():
    before = shades([[900.0] * 4, [100.0, 100.0, 100.0, 100.0]])
    after = shades([[900.0] * 4, [50.0, 50.0, 50.0, 50.0]])
    assert np.all(after[1] < before[1])


def test_nothing_spent_is_blank():
    assert shades([[0.0] * 4, [0.0] * 4]).max() == 0.0


def test_dates_below_are_first_days_of_weeks():
    weeks = np.arange("2024-12-30", "2025-12-29", 7, dtype="datetime64[D]")
    amounts = np.ones((2, len(weeks)))
    axis = flight.spend(["TV", "Radio"], weeks, amounts).layout.xaxis
    assert axis.tickvals[:2] == ("2024-12-30", "2025-02-17")
    assert len(axis.tickvals) <= 8
    assert set(axis.tickvals) <= set(weeks.astype(str))
