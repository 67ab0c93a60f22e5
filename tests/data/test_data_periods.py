"""Periods: frequency, gaps, dates out of step."""

import numpy as np
import pandas as pd
import pytest

from core.data.periods import periods, weekday


def dates(start, count, freq):
    found = pd.date_range(start, periods=count, freq=freq)
    return found.to_numpy().astype("datetime64[D]")


@pytest.mark.parametrize(
    ("start", "freq", "frequency", "days"),
    [
        ("2021-01-04", "D", "daily", 1),
        ("2021-01-04", "7D", "weekly", 7),
        ("2021-01-03", "7D", "weekly", 7),
        ("2021-01-04", "28D", "every n days", 28),
        ("2021-01-04", "14D", "every n days", 14),
        ("2021-01-01", "MS", "monthly", None),
        ("2021-01-31", "ME", "monthly", None),
        ("2021-01-01", "QS", "quarterly", None),
        ("2021-03-31", "QE", "quarterly", None),
        ("2021-01-01", "YS", "yearly", None),
    ],
)
def test_frequency(start, freq, frequency, days):
    found = periods(dates(start, 40, freq))
    assert (found.frequency, found.days) == (frequency, days)
    assert not len(found.missing)
    assert not len(found.out_of_step)


@pytest.mark.parametrize("freq", ["D", "7D", "MS", "ME", "QS"])
def test_gaps_are_found(freq):
    every = dates("2021-01-31" if freq == "ME" else "2021-01-01", 40, freq)
    gone = [3, 4, 20]
    found = periods(np.random.default_rng(0).permutation(np.delete(every, gone)))
    months = found.missing.astype("datetime64[M]")
    assert months.tolist() == every[gone].astype("datetime64[M]").tolist()
    if freq != "ME":
        assert np.array_equal(found.missing, every[gone])


def test_dates_out_of_step():
    stray = np.datetime64("2021-02-03")
    found = periods(np.append(dates("2021-01-04", 20, "7D"), stray))
    assert found.frequency == "weekly"
    assert found.out_of_step.tolist() == [stray]
    assert not len(found.missing)


def test_no_step_at_all():
    steps = np.cumsum([0, 3, 11, 2, 29, 5, 17, 1, 40])
    assert periods(np.datetime64("2021-01-04") + steps).frequency == "irregular"
    assert periods(np.array(["2021-01-04"], "datetime64[D]")).frequency == "irregular"
    assert periods(np.array(["NaT"], "datetime64[D]")).frequency == "irregular"


def test_weekday():
    assert weekday(np.datetime64("2021-01-04")) == "Monday"
    assert weekday(np.datetime64("1969-12-28")) == "Sunday"
