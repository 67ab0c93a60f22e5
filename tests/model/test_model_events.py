"""Columns of holidays, own events, days and weeks."""

import numpy as np
import pytest

from core.errors import SpecError
from core.model.inputs.events import Event, event_columns, holiday_columns
from core.model.terms.linear_terms import weekdays, weeks_of_year

WEEKS = np.datetime64("2023-11-06") + 7 * np.arange(12)
DAYS = np.datetime64("2023-12-20") + np.arange(14)


def column(columns, name):
    names, design = columns
    return design[:, names.index(name)]


def test_holidays_count_their_days_in_each_period():
    columns = holiday_columns("DE", (0, 0), WEEKS)
    christmas = column(columns, "Christmas Day")
    assert WEEKS[christmas > 0].astype(str).tolist() == ["2023-12-25"]
    assert christmas.max() == 1.0
    daily = column(holiday_columns("DE", (0, 0), DAYS), "Christmas Day")
    assert DAYS[daily > 0].astype(str).tolist() == ["2023-12-25"]


def test_leads_and_lags_are_the_same_column_shifted():
    columns = holiday_columns("DE", (2, 1), WEEKS)
    at = np.flatnonzero(column(columns, "Christmas Day"))
    for shift in (-2, -1, 1):
        moved = np.flatnonzero(column(columns, f"Christmas Day {shift:+d}"))
        np.testing.assert_array_equal(moved, at + shift)


def test_a_lead_of_a_holiday_after_the_data_is_seen():
    times = WEEKS[WEEKS < np.datetime64("2023-12-25")]
    columns = holiday_columns("DE", (1, 0), times)
    assert column(columns, "Christmas Day -1")[-1] == 1.0
    assert "Christmas Day" not in columns[0]


def test_regions_have_holidays_of_their_own():
    names, _ = holiday_columns("DE-BY", (0, 0), WEEKS)
    assert "Epiphany" in names
    assert "Epiphany" not in holiday_columns("DE", (0, 0), WEEKS)[0]


def test_codes_of_countries_are_read_in_small_letters_too():
    names, _ = holiday_columns("de-by", (0, 0), WEEKS)
    assert names == holiday_columns("DE-BY", (0, 0), WEEKS)[0]
    assert holiday_columns("Germany", (0, 0), WEEKS)[0]


@pytest.mark.parametrize("country", ["XX", "DE-XX", "nowhere"])
def test_unknown_calendars_are_refused(country):
    with pytest.raises(SpecError, match=f"no calendar of holidays for {country}"):
        holiday_columns(country, (0, 0), WEEKS)


def test_own_events_cover_a_share_of_their_periods():
    events = (
        Event("Sale", "2023-11-20", "2023-11-26"),
        Event("Sale", "2023-12-31", "2024-01-01"),
        Event("Strike", "2023-11-08", "2023-11-08"),
    )
    names, design = event_columns(events, WEEKS)
    assert names == ("Sale", "Strike")
    np.testing.assert_allclose(design[2, 0], 1.0)
    np.testing.assert_allclose(design[7:9, 0], 1 / 7)
    np.testing.assert_allclose(design[0, 1], 1 / 7)
    assert np.count_nonzero(design) == 4


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [("2024-02-30", "2024-03-01", "day"), ("2024-03-02", "2024-03-01", "ends before")],
)
def test_dates_of_events_must_mean_something(start, end, said):
    with pytest.raises(SpecError, match=said):
        Event("Fair", start, end)


def test_each_day_has_its_column():
    columns = weekdays(np.datetime64("2024-01-01") + np.arange(8))  # a Monday
    np.testing.assert_array_equal(columns.argmax(axis=1), [0, 1, 2, 3, 4, 5, 6, 0])


def test_weeks_of_the_year_share_a_period_by_its_days():
    times = np.datetime64("2022-01-03") + 7 * np.arange(160)
    columns = weeks_of_year(times)
    np.testing.assert_allclose(columns.sum(axis=1), 1.0)
    christmas = [
        columns[np.flatnonzero(times <= np.datetime64(f"{year}-12-24"))[-1]]
        for year in (2022, 2023, 2024)
    ]
    assert all(row[49:52].sum() > 0.99 for row in christmas)
