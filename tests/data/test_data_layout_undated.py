"""Rows without dates: arrays as LightweightMMM keeps them, numbered from a date."""

import numpy as np
import pandas as pd
import pytest

from core.data.layout.kinds.exports import tidied
from core.data.layout.reading import mapping_of_table, read_files
from core.data.layout.tables.undated import numbered
from core.errors import SchemaError


def arrays(n=60):
    rng = np.random.default_rng(0)
    names = ("channel_0", "channel_1", "extra_feature_0", "target")
    return pd.DataFrame({name: rng.random(n) * 100 for name in names})


@pytest.mark.parametrize(
    ("step", "last"),
    [("day", "2024-03-30"), ("week", "2025-03-19"), ("month", "2028-12-31")],
)
def test_rows_are_numbered_from_the_first_date(step, last):
    file = numbered(tidied("arrays.csv", arrays()), "2024-01-31", step)
    dates = pd.DatetimeIndex(file.frame["date"])
    assert dates[0] == pd.Timestamp("2024-01-31")
    assert dates[-1] == pd.Timestamp(last)
    assert len(set(dates)) == 60
    assert "counted from 2024-01-31" in file.findings[-1].message


def test_the_arrays_of_lightweightmmm_get_their_roles():
    file = numbered(tidied("arrays.csv", arrays()), "2024-01-01", "week")
    mapping = mapping_of_table(read_files([file]))
    assert (mapping.time, mapping.kpi) == ("date", "target")
    assert [channel.name for channel in mapping.of_kind("media")] == [
        "channel_0",
        "channel_1",
    ]
    assert mapping.controls == ("extra_feature_0",)


def test_every_geo_is_counted_for_itself():
    frame = pd.concat([arrays(), arrays()], ignore_index=True)
    frame["region"] = np.repeat(["north", "south"], 60)
    file = numbered(tidied("arrays.csv", frame), "2024-01-01", "week")
    assert file.frame.groupby("region")["date"].nunique().tolist() == [60, 60]
    with pytest.raises(SchemaError, match="60 rows of north and 59 of south"):
        numbered(tidied("arrays.csv", frame.iloc[:-1]), "2024-01-01", "week")


def test_nothing_is_guessed():
    with pytest.raises(SchemaError, match="No column holds dates") as caught:
        mapping_of_table(read_files([tidied("arrays.csv", arrays())]))
    assert "--start" in caught.value.hint


def test_a_table_with_dates_stays_and_a_wrong_date_is_refused():
    dated = arrays().assign(week=pd.date_range("2024-01-01", periods=60, freq="7D"))
    file = tidied("dated.csv", dated)
    assert numbered(file, "2020-01-01", "week") is file
    for start in ("soon", "", "2024-13-01", "9999-12-31"):
        with pytest.raises(SchemaError, match="is not a date"):
            numbered(tidied("arrays.csv", arrays()), start, "week")


@pytest.mark.parametrize("step", ["day", "week", "month"])
@pytest.mark.parametrize("name", ["Nth week", "Nth day", "nth_month"])
@pytest.mark.parametrize("gaps", [False, True])
def test_numbers_of_periods_count_whatever_the_order_of_the_rows(step, name, gaps):
    rng = np.random.default_rng(len(name) + gaps)
    table = pd.DataFrame({name: np.arange(60), "revenue": 1000.0 + np.arange(60)})
    table = table.drop(index=[7, 31]) if gaps else table
    mixed = table.sample(frac=1.0, random_state=rng)
    right = numbered(tidied("ga4.csv", table), "2024-01-01", step).frame
    file = numbered(tidied("ga4.csv", mixed), "2024-01-01", step)
    found = file.frame.sort_values("date")
    assert list(found["revenue"]) == list(table["revenue"])
    assert list(found["date"]) == list(right["date"])
    assert len(set(found["date"])) == len(table)
    assert f"the numbers in {name}" in file.findings[-1].message


@pytest.mark.parametrize("numbers", [[-1, 0, 1], [0.5, 1, 2], [0, 1, 10**12]])
def test_what_numbers_no_periods_is_not_counted_by(numbers):
    table = pd.DataFrame({"Nth week": numbers, "revenue": [1.0, 2.0, 3.0]})
    file = numbered(tidied("ga4.csv", table), "2024-01-01", "week")
    assert "the order of its rows" in file.findings[-1].message
