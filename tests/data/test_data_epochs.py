"""Dates as numbers of seconds, or parts of a second, since 1970."""

import numpy as np
import pandas as pd
import pytest

from core.data.checks.validate import check_table
from core.data.layout.opening import opened
from core.data.layout.reading import mapping_of_table, read_files
from core.data.reading.dates import is_mostly_dates, parse_dates
from core.data.reading.epochs import is_epoch

MONDAYS = np.arange("2023-01-02", "2024-12-30", 7, dtype="datetime64[D]")
SECONDS = MONDAYS.astype("datetime64[s]").astype(np.int64)


def table(name, numbers) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    n = len(numbers)
    sales, tv = rng.gamma(9, 1000, n).round(2), rng.gamma(5, 100, n).round(2)
    return pd.DataFrame({name: numbers, "revenue": sales, "tv_spend": tv})


@pytest.mark.parametrize("unit", [1, 1_000, 1_000_000, 1_000_000_000])
@pytest.mark.parametrize("name", ["week", "timestamp", "t"])
def test_a_table_by_seconds_or_parts_of_them_is_read_as_its_days(name, unit):
    frame = table(name, SECONDS * unit)
    read = read_files([opened("table.csv", frame)])
    mapping = mapping_of_table(read)
    assert mapping.time == name
    assert (parse_dates(read.frame[name]).values == MONDAYS).all()
    findings = check_table(read.frame, mapping)
    assert not [each for each in findings if each.severity == "error"]
    assert any("since 1970" in each.message for each in findings)


@pytest.mark.parametrize(
    ("winter", "summer"),
    [(-1, -2), (5, 4), (-5.5, -5.5), (-9, -9), (3, 3), (10, 10), (-10, -11), (0, -1)],
)
def test_midnight_in_another_time_zone_is_the_day_that_begins_there(winter, summer):
    months = MONDAYS.astype("datetime64[M]").astype(int) % 12
    is_summer = (months > 2) & (months < 9)
    hours = np.where(is_summer, summer, winter)
    numbers = pd.Series(SECONDS + (3600 * hours).astype(np.int64))
    assert (parse_dates(numbers).values == MONDAYS).all()


def test_moments_of_orders_count_on_their_day_in_utc():
    moments = pd.Series([1704067212, 1704153599, 1704200000], name="created")
    assert parse_dates(moments).values.astype(str).tolist() == [
        *("2024-01-01", "2024-01-01", "2024-01-02"),
    ]
    assert is_mostly_dates(moments)


@pytest.mark.parametrize("ending", ["13", "1305", "130500", "00"])
def test_a_day_with_its_hour_in_one_number_is_that_day(ending):
    cells = pd.Series([int(f"{day}{ending}") for day in ("20240131", "20240201")])
    read = parse_dates(cells)
    assert read.values.astype(str).tolist() == ["2024-01-31", "2024-02-01"]
    assert is_mostly_dates(cells.rename("Date + hour (YYYYMMDDHH)"))
    assert not is_mostly_dates(cells.astype(str).rename("customer"))


def test_numbers_of_orders_and_sales_are_no_dates():
    ids = 1_700_000_000 + 137 * np.arange(40)
    assert not is_epoch(pd.Series(ids, name="order_id"))
    assert not is_epoch(pd.Series(ids.astype(float), name="revenue"))
    assert not is_mostly_dates(pd.Series(ids.astype(str), name="customer"))
    assert is_mostly_dates(pd.Series(SECONDS.astype(str), name="x"))
    assert np.isnat(parse_dates(pd.Series(["99999999999", "123456789"])).values).all()
