"""A place per file: places in the names of files and sheets become rows of geos."""

import numpy as np
import pandas as pd
import pytest

from core.data.layout.again import read_again
from core.data.layout.kinds.exports import Doubtful
from core.data.layout.opening import opened
from core.data.layout.reading import mapping_of_table, read_files
from core.data.layout.stated import StatedColumns
from core.errors import SchemaError

PLACES = ("Bayern", "Hessen", "New York")
#: How files of places are called, by what they all have in common.
CALLED = {
    "media_{}.csv": {},
    "{}.xlsx": {},
    "2024-05 export {} final.csv": {},
    "market.xlsx": {"part": True},
}


def frame(place: str, weeks: int = 30, *, campaigns: bool = False) -> pd.DataFrame:
    random = np.random.default_rng([*place.encode()])
    days = pd.date_range("2024-01-01", periods=weeks, freq="7D")
    if campaigns:
        days = days.repeat(2)
    n = len(days)
    table = pd.DataFrame({"week": days.strftime("%Y-%m-%d")})
    if campaigns:
        table["Campaign"] = ["Brand", "Generic"] * weeks
        table["Cost"] = random.gamma(3, 90, n).round(2)
        table["Impressions"] = random.integers(100, 900, n)
        return table
    table["TV spend"] = random.gamma(3, 90, n).round(2)
    table["Revenue"] = random.gamma(90, 90, n).round(2)
    return table


def files(called: str = "media_{}.csv", *, weeks: int = 30, **kind):
    is_part = "{}" not in called
    return [
        opened(called.format(place), frame(place, weeks, **kind), is_part and place)
        if is_part
        else opened(called.format(place), frame(place, weeks, **kind))
        for place in PLACES
    ]


def sums(table: pd.DataFrame, column: str = "TV spend") -> dict[str, float]:
    return table.groupby("geo")[column].sum().round(2).to_dict()


TRUTH = {place: round(float(frame(place)["TV spend"].sum()), 2) for place in PLACES}


@pytest.mark.parametrize("called", CALLED)
def test_each_file_is_a_place_with_rows_of_its_own(called):
    table = read_files(files(called), StatedColumns(overlap="places"))
    assert mapping_of_table(table).geo == "geo"
    assert sums(table.frame) == TRUTH
    assert any("a place each: Bayern, Hessen and" in f.message for f in table.findings)


def test_it_is_among_the_answers_unless_files_have_geos():
    with pytest.raises(Doubtful) as asked:
        read_files(files())
    assert "places" in [choice for choice, _ in asked.value.question.choices]
    geos = np.repeat(["x", "y"], 30)
    with_geos = [
        opened(name, pd.concat([frame(name), frame(name[1:])]).assign(geo=geos))
        for name in ("a.csv", "b.csv")
    ]
    with pytest.raises(Doubtful) as asked:
        read_files(with_geos)
    assert "places" not in [choice for choice, _ in asked.value.question.choices]


def test_a_file_of_the_whole_market_is_left_out():
    whole = sum(frame(place).iloc[:, 1:] for place in PLACES)
    whole.insert(0, "week", frame("Bayern")["week"])
    every = [*files(), opened("media_all.csv", whole.round(2))]
    table = read_files(every, StatedColumns(overlap="places"))
    assert sums(table.frame) == TRUTH
    assert any("geo all" in finding.message for finding in table.findings)


def test_two_exports_of_a_place_are_put_together():
    halves = [
        opened(f"media_{place}_{at}.csv", half)
        for place in PLACES
        for at, half in enumerate((frame(place)[:20], frame(place)[15:]), start=1)
    ]
    table = read_files(halves, StatedColumns(overlap="places"))
    assert sums(table.frame) == TRUTH


def test_one_file_under_the_names_of_two_places_is_refused():
    twice = [opened(f"{place}.csv", frame("Bayern")) for place in PLACES[:2]]
    with pytest.raises(SchemaError, match="have the same content"):
        read_files(twice, StatedColumns(overlap="places"))


def test_campaigns_of_places_beside_sales_by_place():
    sales = pd.concat(
        frame(place)[["week", "Revenue"]].assign(country=place) for place in PLACES
    )
    every = [*files(campaigns=True), opened("sales.csv", sales)]
    table = read_files(every, StatedColumns(overlap="places"))
    mapping = mapping_of_table(table)
    assert [channel.name for channel in mapping.channels] == ["Brand", "Generic"]
    spent = table.frame[["Brand_spend", "Generic_spend"]].sum(axis=1)
    truth = {
        place: round(float(frame(place, campaigns=True)["Cost"].sum()), 2)
        for place in PLACES
    }
    by_place = spent.groupby(table.frame[mapping.geo]).sum().round(2).to_dict()
    assert by_place == truth


def test_new_files_go_the_same_way_and_one_alone_is_refused():
    first = read_files(files(weeks=20), StatedColumns(overlap="places"))
    mapping = mapping_of_table(first)
    again = read_again(first.layout, files(), mapping)
    assert sums(again.frame) == TRUTH
    with pytest.raises(SchemaError, match="media_Bayern.csv is of one place") as alone:
        read_again(first.layout, files()[:1], mapping)
    assert "all places" in alone.value.hint
