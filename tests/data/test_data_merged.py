"""Names in the first row of their group alone are refused; names left out are not."""

import numpy as np
import pandas as pd
import pytest

from core.data.layout.kinds.exports import tidied
from core.data.layout.reading import mapping_of_table, read_files
from core.errors import ValueRangeError
from tests.data.test_data_layout_join import ads, daily


def read(frame):
    return read_files([tidied("ads.csv", frame), tidied("shop.csv", daily())])


def channels(table):
    return {channel.name for channel in mapping_of_table(table).channels}


@pytest.mark.parametrize("first", ["campaign", "day"])
def test_a_name_in_the_first_row_of_its_group_is_refused(first):
    frame = ads()
    keys = ["campaign", "day"]
    if first == "day":  # an ad below its campaign, day by day
        frame = pd.concat([frame.assign(ad="a"), frame.assign(ad="b")])
        keys = ["day", "campaign", "ad"]
    frame = frame.sort_values(keys, ignore_index=True)
    again = frame["campaign"] == frame["campaign"].shift()
    frame["campaign"] = frame["campaign"].mask(again)
    with pytest.raises(ValueRangeError, match="cells are merged"):
        read(frame)


def test_rows_without_a_name_are_a_channel_of_their_own():
    frame = ads(names=("A", "B", "C"))
    frame["campaign"] = frame["campaign"].mask(frame["campaign"] == "C")
    assert channels(read(frame)) == {"A", "B", "Other"}


def test_names_in_two_alphabets_are_one_channel():
    frame = ads(names=("Search", "TV"))
    other = frame["campaign"].str.replace("e", "\u0435").str.replace("T", "\u0422")
    some = np.arange(len(frame)) % 3 == 0
    frame["campaign"] = frame["campaign"].where(~some, other)
    table = read(frame)
    assert channels(table) == {"Search", "TV"}
    said = [f.message for f in table.findings if "another alphabet" in f.message]
    assert len(said) == 1
