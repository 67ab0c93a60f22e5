"""Next month's files by the same layout: no question, and no silence."""

import numpy as np
import pandas as pd
import pytest

from core.data.layout.again import read_again
from core.data.layout.kinds.exports import tidied
from core.data.layout.reading import mapping_of_table, read_files
from core.data.layout.stated import StatedColumns
from core.errors import DataError, SchemaError
from tests.data.test_data_layout_join import DAYS, ads, daily

NEXT = pd.date_range("2024-01-01", periods=308)


def files(*frames, names=("a.csv", "b.csv", "c.csv")):
    return [tidied(name, frame) for name, frame in zip(names, frames, strict=False)]


def first(**said):
    table = read_files(files(daily(), ads()), StatedColumns(**said))
    return table, mapping_of_table(table)


def test_new_files_in_any_order_and_with_other_names():
    table, mapping = first(week_begins="wednesday", group=(("Both", ("A", "B")),))
    newer = files(ads(NEXT), daily(days=NEXT), names=("x.csv", "y.csv"))
    again = read_again(table.layout, newer, mapping)
    assert list(again.frame) == list(table.frame)
    assert len(again.frame) == len(table.frame) + 4
    assert mapping_of_table(again) == mapping
    assert again.layout == table.layout


def test_the_same_files_give_the_same_table():
    table, mapping = first()
    again = read_again(table.layout, files(daily(), ads()), mapping)
    pd.testing.assert_frame_equal(again.frame, table.frame)


def test_months_in_files_of_their_own_are_put_together():
    table, mapping = first()
    months = files(daily(days=NEXT), ads(DAYS[:140]), ads(NEXT[140:], seed=8))
    again = read_again(table.layout, months, mapping)
    assert len(again.frame) == 44


def test_a_channel_that_stopped_is_zero_and_a_new_one_is_named():
    table, mapping = first()
    newer = files(daily(days=NEXT), ads(NEXT, names=("A", "C")))
    again = read_again(table.layout, newer, mapping)
    assert (again.frame["B_spend"] == 0).all()
    said = " ".join(finding.message for finding in again.findings)
    assert "B did not run in the new files" in said
    assert "C is new and spent" in said


def test_a_missing_column_is_named_with_its_file():
    table, mapping = first()
    newer = files(daily(days=NEXT), ads(NEXT).rename(columns={"spend": "Kosten"}))
    with pytest.raises(SchemaError) as raised:
        read_again(table.layout, newer, mapping)
    assert "b.csv" in raised.value.message
    assert "it lacks spend" in raised.value.message


def test_a_missing_file_is_named():
    table, mapping = first()
    with pytest.raises(SchemaError, match="No file has the columns of b.csv"):
        read_again(table.layout, files(daily(days=NEXT)), mapping)


def test_a_currency_that_is_new_is_not_mixed_in():
    frames = daily(currency="EUR"), ads(currency="EUR")
    table = read_files(files(*frames))
    mapping = mapping_of_table(table)
    both = np.where(np.arange(2 * len(NEXT)) % 2, "EUR", "GBP")
    newer = files(daily(days=NEXT, currency="EUR"), ads(NEXT, currency=both))
    with pytest.raises(DataError, match="EUR and GBP|GBP and EUR"):
        read_again(table.layout, newer, mapping)
