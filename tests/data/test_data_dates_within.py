"""Two columns of dates, of which one names the period of the other."""

import numpy as np
import pandas as pd
import pytest

from core.data.layout.kinds.dating import find_date
from core.data.layout.opening import opened
from core.data.layout.reading import mapping_of_table, read_files

N_WEEKS = 60
WEEKS = pd.date_range("2022-01-03", periods=N_WEEKS, freq="7D")
DAYS = pd.date_range("2022-01-03", periods=140, freq="D")
MONTHS = {
    "first day": lambda days: days.strftime("%Y-%m-01"),
    "year and month": lambda days: days.strftime("%Y-%m"),
    "name": lambda days: days.strftime("%B %Y"),
    "of the week's end": lambda days: (days + pd.Timedelta(days=6)).strftime("%Y-%m"),
    "quarter": lambda days: days.to_period("Q").start_time.strftime("%Y-%m-%d"),
}


def dated(month: str, fine: str, *, first: bool) -> pd.DataFrame:
    """A column of months before or behind one of weeks or days."""
    days = DAYS if fine == "Day" else WEEKS
    columns = {"Month": MONTHS[month](days), fine: days.strftime("%Y-%m-%d")}
    return pd.DataFrame(columns if first else dict(reversed(columns.items())))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("fine", ["Week", "Week ending", "Day"])
@pytest.mark.parametrize("month", MONTHS)
def test_the_finer_of_two_columns_is_the_one_of_the_rows(month, fine, first):
    if fine == "Day" and month == "of the week's end":
        return
    assert find_date(dated(month, fine, first=first)) == fine


def test_days_in_named_weeks_are_the_dates_of_the_rows():
    week = DAYS - pd.to_timedelta(DAYS.day_of_week, unit="D")
    table = pd.DataFrame({"Week": week.astype(str), "Booked": DAYS.astype(str)})
    assert find_date(table) == "Booked"


def test_dates_outside_of_the_months_beside_them_are_something_else():
    table = dated("first day", "Week", first=True)
    shifted = table.assign(Week=(WEEKS + pd.Timedelta(days=60)).astype(str))
    assert find_date(shifted) == "Month"
    random = np.random.default_rng(3)
    ends = pd.to_datetime(table["Month"]) + pd.to_timedelta(
        random.integers(3, 27, N_WEEKS), unit="D"
    )
    flights = pd.DataFrame({"Start": table["Month"], "End": ends.astype(str)})
    assert find_date(flights) == "Start"


@pytest.mark.parametrize("month", ["first day", "year and month", "of the week's end"])
def test_tables_with_a_month_beside_the_week_are_weekly(month: str):
    random = np.random.default_rng(1)
    dates = dated(month, "Week", first=True)
    spend = {name: random.integers(100, 900, N_WEEKS) for name in ("TV", "Radio")}
    sales = pd.DataFrame({"Week": dates["Week"], "Sales": 1000 + 3 * spend["TV"]})
    wide = dates.assign(Sales=sales["Sales"])
    for name, amounts in spend.items():
        wide[f"{name} Spend"] = amounts
    long = pd.concat(
        [dates.assign(Channel=name, Cost=cost) for name, cost in spend.items()]
    )
    joined = [opened("sales.csv", sales), opened("media.csv", long)]
    for files in ([opened("wide.csv", wide)], joined):
        read = read_files(files)
        mapping = mapping_of_table(read)
        assert (mapping.time, mapping.kpi) == ("Week", "Sales")
        sums = {one.name: read.frame[one.spend].sum() for one in mapping.channels}
        assert sums == {name: amounts.sum() for name, amounts in spend.items()}
        assert len(read.frame) == N_WEEKS
