"""Rows that are no groups and no totals, although they look like them."""

import pandas as pd
import pytest

from core.data.layout.opening import opened
from core.data.layout.tables.recognise import guess_sources
from core.data.reading.headers.header_rows import with_group_names
from core.errors import SchemaError

_NAMES = ["date", "revenue", "tv_spend", "search_spend"]
_CHANNELS = ["date", "revenue", "TV", "Search"]


@pytest.mark.parametrize(
    "above",
    [
        ["", "Marketing report", "", ""],
        ["", "", "All amounts in EUR", ""],
        ["", "Shop", "", "Exported 2024-02-02"],
        ["", "", "", "", "Page 1"],
    ],
)
def test_a_title_that_stands_further_right_is_no_part_of_names(above):
    assert with_group_names(above, _NAMES) == _NAMES


@pytest.mark.parametrize(
    ("above", "below", "names"),
    [
        (["", "", "Spend", ""], _CHANNELS, ["TV Spend", "Search Spend"]),
        (["", "", "Google", ""], ["d", "kpi", "Spend", "Clicks"], ["Google Spend",
         "Google Clicks"]),
        (["", "", "Google", "Meta"], ["d", "kpi", "Spend", "Spend"], ["Google Spend",
         "Meta Spend"]),
    ],
)  # fmt: skip
def test_groups_are_part_of_names(above, below, names):
    assert with_group_names(above, below) == [*below[:2], *names]


def _bursts(last: str) -> pd.DataFrame:
    """Two equal bursts, of which the last row, without a note, is one."""
    days = pd.date_range("2023-01-02", periods=20, freq="7D").strftime("%Y-%m-%d")
    frame = pd.DataFrame({"date": days, "revenue": 100.0, "tv_spend": 0.0, "note": "x"})
    frame.loc[[9, 19], "tv_spend"] = 5000.0
    frame.loc[19, "note"] = None
    frame.loc[19, "date"] = last
    return frame


def test_a_burst_as_large_as_all_before_it_is_a_day():
    assert len(opened("table.csv", _bursts("2023-05-15")).frame) == 20


def test_a_sum_on_the_first_day_of_a_report_is_left_out():
    assert len(opened("table.csv", _bursts("2023-01-02")).frame) == 19


def _of_letters(name: str) -> pd.DataFrame:
    days = pd.date_range("2023-01-02", periods=20, freq="7D").strftime("%Y-%m-%d")
    parts = [
        pd.DataFrame({"date": days, name: letter, "revenue": 100.0}) for letter in "CD"
    ]
    return pd.concat(parts, ignore_index=True)


def test_brands_of_one_letter_are_no_debits_and_credits():
    assert guess_sources(opened("table.csv", _of_letters("brand")))


@pytest.mark.parametrize("name", ["D/C", "Debit or credit", "Posting type"])
def test_amounts_whose_sign_stands_beside_them_are_refused(name):
    with pytest.raises(SchemaError, match="debits"):
        guess_sources(opened("table.csv", _of_letters(name)))
