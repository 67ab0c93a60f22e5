"""Places in columns: asked, and read the same way with next month's file."""

import io

import numpy as np
import pandas as pd
import pytest

from core.data.files.load import load_table
from core.data.layout.again import read_again
from core.data.layout.kinds.exports import Doubtful
from core.data.layout.opening import opened
from core.data.layout.reading import mapping_of_table, read_files
from core.data.layout.stated import StatedColumns


def file(frame):
    text = io.BytesIO()
    frame.to_csv(text, index=False)
    return opened("wide.csv", load_table(text.getvalue(), "wide.csv"))


def table(n, *names, seed=0):
    rng = np.random.default_rng(seed)
    weeks = pd.date_range("2022-01-03", periods=n, freq="7D").strftime("%Y-%m-%d")
    numbers = {name: rng.uniform(10, 90, n).round(2) for name in names}
    return pd.DataFrame({"week": weeks, **numbers})


BOTH = [f"{m}_{g}" for m in ("revenue", "tv_spend") for g in ("Bayern", "Hessen")]


def test_next_month_is_read_as_the_answer_says():
    first, longer = table(80, *BOTH, "price"), table(84, *BOTH, "price", seed=1)
    read = read_files([file(first)], StatedColumns(geo_columns="places"))
    mapping = mapping_of_table(read)
    assert (mapping.geo, [c.name for c in mapping.channels if c.spend]) == (
        "geo",
        ["tv"],
    )
    again = read_again(read.layout, [file(longer)], mapping)
    assert list(again.frame.columns) == list(read.frame.columns)
    assert len(again.frame) == 2 * 84
    of_hessen = again.frame[again.frame["geo"] == "Hessen"]
    assert of_hessen["tv_spend"].to_list() == longer["tv_spend_Hessen"].to_list()


def test_columns_of_their_own_stay_as_they_are():
    read = read_files([file(table(80, *BOTH))], StatedColumns(geo_columns="apart"))
    assert list(read.frame.columns) == ["week", *BOTH]
    again = read_again(read.layout, [file(table(84, *BOTH))], mapping_of_table(read))
    assert list(again.frame.columns) == ["week", *BOTH]


@pytest.mark.parametrize("once", ["revenue", "tv_spend"])
def test_what_is_there_once_makes_one_market(once):
    frame = table(80, once, *(name for name in BOTH if not name.startswith(once)))
    read = read_files([file(frame)], StatedColumns(geo_columns="places"))
    assert mapping_of_table(read).geo is None and len(read.frame) == 80
    sums = frame.drop(columns="week").sum().sum()
    assert np.isclose(read.frame[["revenue", "tv_spend"]].sum().sum(), sums)


def test_a_country_among_its_states_counts_once():
    frame = table(80, *[f"{m}_{g}" for m in ("revenue", "tv_spend") for g in "ABC"])
    frame = frame.rename(columns=lambda c: c.replace("_A", "_Bayern"))
    frame = frame.rename(columns=lambda c: c.replace("_B", "_Berlin", 1))
    frame = frame.rename(columns=lambda c: c.replace("_Berlinayern", "_Bayern"))
    frame = frame.rename(columns=lambda c: c.replace("_C", "_Sachsen"))
    truth = frame.filter(like="revenue").sum().sum()
    for what in ("revenue", "tv_spend"):
        frame[f"{what}_Deutschland"] = frame.filter(like=what).sum(axis=1).round(2)
    read = read_files([file(frame)], StatedColumns(geo_columns="places"))
    assert np.isclose(read.frame["revenue"].sum(), truth)
    assert set(read.frame["geo"]) == {"Bayern", "Berlin", "Sachsen"}


@pytest.mark.parametrize(
    "names",
    [
        ["revenue", "tv_spend", "radio_spend", "tv_impressions", "radio_impressions"],
        ["revenue", "google_conversions", "meta_conversions", "google_spend"]
        + ["meta_spend"],
        ["google_revenue", "meta_revenue", "google_spend", "meta_spend"],
        ["revenue_online", "revenue_store", "tv_spend"],
        ["sales", "sales_lag1", "sales_lag2", "tv_spend", "tv_spend_lag1"]
        + ["tv_spend_lag2"],
        ["sales", "spend_TV", "spend_PR", "spend_OOH"],
        ["sales", "tv_spend", "temp_Berlin", "temp_Hamburg"],
    ],
)
def test_what_is_no_place_is_no_question(names):
    assert read_files([file(table(80, *names))]).layout is None


def test_the_question_names_file_columns_and_option():
    with pytest.raises(Doubtful) as asked:
        read_files([file(table(80, *BOTH))])
    said = str(asked.value)
    assert "wide.csv" in said and "revenue_Hessen" in said and "--geo-columns" in said
