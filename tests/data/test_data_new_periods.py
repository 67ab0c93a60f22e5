"""Later tables beside earlier ones: what is new, what changed, what is refused."""

import numpy as np
import pandas as pd
import pytest

from core.data.ahead.new_periods import ChangedCell, arrival, joined
from core.data.mapping import ChannelColumns, ColumnMapping
from core.errors import CoverageError, SchemaError, ValueRangeError

NATIONAL = ColumnMapping(
    "week",
    "sales",
    kpi_type="revenue",
    channels=(ChannelColumns("TV", "media", media="TV", spend="TV_spend"),),
)
GEOS = ColumnMapping("week", "sales", geo="city", channels=NATIONAL.channels)


def table(n: int = 40, first: int = 0) -> pd.DataFrame:
    weeks = pd.date_range("2024-01-01", periods=n, freq="7D").strftime("%Y-%m-%d")
    place = np.arange(n, dtype=float)
    columns = {"week": weeks, "TV": 10 + place, "TV_spend": 5 + place % 3}
    return pd.DataFrame(columns | {"sales": 100 + place})[first:].reset_index(drop=True)


def by_city(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.concat(
        [frame.assign(city=city) for city in ("Köln", "Bonn")], ignore_index=True
    )


@pytest.mark.parametrize("first", [40, 38, 0], ids=["only new", "overlap", "whole"])
def test_new_rows_are_appended_however_much_is_given_again(first):
    whole, came = joined(table(40), table(44, first), NATIONAL)
    pd.testing.assert_frame_equal(whole, table(44))
    assert came.periods == tuple(table(44)["week"][40:])
    assert came.n_rows == 4
    assert not came.changed


def test_rows_of_geos_are_matched_by_geo():
    earlier, later = by_city(table(40)), by_city(table(42, 39))[::-1]
    later.loc[(later["city"] == "Bonn") & (later["week"] == "2024-09-30"), "sales"] = 7
    whole, came = joined(earlier, later, GEOS)
    assert len(whole) == 2 * 42
    assert came.n_rows == 4
    (cell,) = came.changed
    assert (cell.date, cell.geo, cell.column) == ("2024-09-30", "Bonn", "sales")
    assert (cell.before, cell.after) == (139.0, 7.0)
    at = (whole["city"] == "Bonn") & (whole["week"] == "2024-09-30")
    assert whole.loc[at, "sales"].tolist() == [7.0]


def test_nothing_comes_of_the_same_rows():
    whole, came = joined(table(40), table(40, 20), NATIONAL)
    assert came.is_empty
    assert len(whole) == 40


def test_changed_cells_are_named_one_by_one():
    later = table(40)
    later.loc[[3, 5], "TV_spend"] = [9.5, np.nan]
    came = arrival(table(40), later, NATIONAL)
    assert came.changed == (
        ChangedCell("2024-01-22", "", "TV_spend", 5.0, 9.5),
        ChangedCell("2024-02-05", "", "TV_spend", 7.0, None),
    )


def test_other_ways_of_writing_are_no_change():
    later = table(42, 36).astype({"TV_spend": str, "sales": str})
    later["week"] = pd.to_datetime(later["week"]).dt.strftime("%d.%m.%Y")
    later["sales"] = later["sales"].str.replace(".", ",")
    whole, came = joined(table(40), later, NATIONAL)
    assert not came.changed
    assert whole["sales"].tolist() == table(42)["sales"].tolist()
    again = arrival(table(42), whole, NATIONAL)
    assert again.is_empty


def test_a_date_of_two_meanings_is_read_as_the_next_period():
    later = table(41, 40)
    later["week"] = "07/10/2024"
    assert arrival(table(40), later, NATIONAL).periods == ("2024-10-07",)


def test_rows_that_are_left_out_are_named_and_stay():
    later = table(42, 36).drop(index=2)
    whole, came = joined(table(40), later, NATIONAL)
    assert came.absent == ("2024-09-23",)
    assert len(whole) == 42


def test_a_channel_that_stopped_is_named():
    later = table(44, 40).assign(TV=0.0, TV_spend=0.0)
    assert arrival(table(40), later, NATIONAL).idle == ("TV",)
    assert arrival(table(40), table(44, 40), NATIONAL).idle == ()


@pytest.mark.parametrize("at", [0, 1, 3])
def test_a_spend_a_thousand_times_too_low_is_asked_about(at):
    earlier, later = table(40), table(44, 40)
    earlier["TV_spend"] += 500.0
    later["TV_spend"] += 500.0
    assert not arrival(earlier, later, NATIONAL).spikes
    later.loc[later.index[at], "TV_spend"] /= 1000
    (spike,) = arrival(earlier, later, NATIONAL).spikes
    assert "TV_spend" in spike
    later.loc[later.index[at + 1 :], "TV_spend"] = 0.0  # the channel stops there
    assert bool(arrival(earlier, later, NATIONAL).spikes) == (at == 3)


def test_spoilt_rows_are_refused():
    with pytest.raises(SchemaError, match="TV_spend"):
        arrival(table(40), table(44).rename(columns={"TV_spend": "TV cost"}), NATIONAL)
    with pytest.raises(CoverageError, match="2024-10-07 twice"):
        arrival(table(40), pd.concat([table(44, 40)] * 2), NATIONAL)
    with pytest.raises(ValueRangeError, match="n/k"):
        spoilt = table(44, 40).astype({"sales": object})
        spoilt.loc[1, "sales"] = "n/k"
        arrival(table(40), spoilt, NATIONAL)
    with pytest.raises(CoverageError, match="soon"):
        arrival(table(40), table(44, 40).assign(week="soon"), NATIONAL)


@pytest.mark.parametrize("mapping", [NATIONAL, GEOS], ids=["national", "geos"])
@pytest.mark.parametrize("n_zero", [0, 1, 3])
def test_weeks_without_a_kpi_yet_are_asked_about(mapping, n_zero):
    later = table(44, 40)
    later.loc[later.index[4 - n_zero :], "sales"] = 0.0
    earlier = table(40)
    if mapping.geo:
        earlier, later = by_city(earlier), by_city(later)
    assert len(arrival(earlier, later, mapping).spikes) == (n_zero > 0)
    earlier.loc[earlier["week"] == earlier["week"][3], "sales"] = 0.0  # as before
    assert not arrival(earlier, later, mapping).spikes
