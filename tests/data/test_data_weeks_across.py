"""Weeks side by side are read whatever stands left of them."""

import numpy as np
import pandas as pd
import pytest

from core.data.files.load import load_table
from core.data.layout.opening import opened
from core.data.layout.reading import mapping_of_table, read_files
from core.errors import SchemaError

WEEKS = pd.date_range("2022-01-03", periods=60, freq="7D")
RANDOM = np.random.default_rng(4)
SPEND = {name: RANDOM.lognormal(6, 0.5, 60).round(2) for name in ("Falcon", "Osprey")}
REVENUE = RANDOM.lognormal(10, 0.2, 60).round(2)

#: Label columns, and the labels of a row of a channel's spend, its clicks, the KPI.
LABELS = {
    "two": (["Channel", "Metric"], ["{c}", "{m}"], ["Shop", "Revenue"]),
    "total": (["Channel", "Metric"], ["{c}", "{m}"], ["Total", "Revenue"]),
    "nobody": (["Channel", "Metric"], ["{c}", "{m}"], [None, "Revenue"]),
    "turned": (["Metric", "Channel"], ["{m}", "{c}"], ["Revenue", "Shop"]),
    "units": (["Channel", "Metric", "Unit"], ["{c}", "{m}", "EUR"], ["", "Sales", "€"]),
    "country": (
        ["Country", "Type", "Channel", "Metric"],
        ["DE", "paid", "{c}", "{m}"],
        ["DE", "own", "Shop", "Revenue"],
    ),
}


def table(labels: str, *, merged: bool = False, newest_first: bool = False):
    heads, of_channel, of_kpi = LABELS[labels]
    rows = []
    for channel, spend in SPEND.items():
        for measure, values in (("Spend", spend), ("Clicks", (spend * 3).round())):
            cells = [cell.format(c=channel, m=measure) for cell in of_channel]
            is_below = merged and measure == "Clicks"
            cells = [None if is_below and c == channel else c for c in cells]
            rows.append([*cells, *values])
    rows.append([*of_kpi, *REVENUE])
    frame = pd.DataFrame(rows, columns=[*heads, *WEEKS.strftime("%Y-%m-%d")])
    weeks = list(frame.columns[len(heads) :])
    return frame[[*heads, *weeks[::-1]]] if newest_first else frame


def read(frame: pd.DataFrame):
    result = read_files([opened("plan.xlsx", frame)])
    return result.frame, mapping_of_table(result)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("newest_first", [False, True])
def test_any_number_of_labels_says_what_a_row_is(labels, newest_first):
    frame, mapping = read(table(labels, newest_first=newest_first))
    assert frame[mapping.kpi].sum() == pytest.approx(REVENUE.sum())
    spent = [frame[c.spend].sum() for c in mapping.channels if c.spend != c.media]
    assert spent == pytest.approx([values.sum() for values in SPEND.values()])


def test_a_name_of_merged_cells_is_that_of_the_rows_below_it():
    frame, mapping = read(table("two", merged=True))
    assert [c.name for c in mapping.channels] == ["Falcon", "Osprey"]
    assert frame[mapping.channels[1].media].sum() == (SPEND["Osprey"] * 3).round().sum()


def test_titles_of_blocks_say_the_measure():
    weeks = list(WEEKS.strftime("%Y-%m-%d"))
    empty = [None] * len(weeks)
    rows = [["Spend", *empty], *([name, *values] for name, values in SPEND.items())]
    rows += [["Clicks", *empty], *([name, *(v * 3)] for name, v in SPEND.items())]
    frame = pd.DataFrame([["Revenue", *REVENUE], *rows], columns=["What", *weeks])
    frame, mapping = read(frame)
    assert mapping.kpi == "Revenue"
    spent = [frame[c.spend].sum() for c in mapping.channels]
    assert spent == pytest.approx([values.sum() for values in SPEND.values()])


def of_regions(north: object, south: object) -> pd.DataFrame:
    weeks = list(WEEKS.strftime("%Y-%m-%d"))
    rows = []
    for region, size in ((north, 1), (south, 2)):
        cells = [region, *[None if region is north else region] * 2]
        rows.append([cells[0], "Falcon", "Spend", *(SPEND["Falcon"] * size)])
        rows.append([cells[1], "Osprey", "Spend", *(SPEND["Osprey"] * size)])
        rows.append([cells[2], "Shop", "Revenue", *(REVENUE * size)])
    return pd.DataFrame(rows, columns=["Region", "Channel", "Metric", *weeks])


def test_geos_of_merged_cells_stay_geos():
    frame, mapping = read(of_regions("North", "South"))
    assert mapping.geo == "Region" and set(frame["Region"]) == {"North", "South"}
    sums = frame.groupby("Region")[mapping.kpi].sum()
    assert sums["North"] == pytest.approx(REVENUE.sum())


def test_rows_of_no_geo_beside_geos_are_refused():
    frame = of_regions("North", "South")
    frame.loc[len(frame)] = [None, "TV", "Spend", *REVENUE]
    with pytest.raises(SchemaError, match=r"1 row .* has no Region, such as TV Spend"):
        opened("plan.xlsx", frame)


def test_months_above_weeks_are_no_part_of_their_dates():
    weeks = list(WEEKS.strftime("%Y-%m-%d"))
    lines = [["", "", *WEEKS.strftime("%B")], ["Channel", "Metric", *weeks]]
    lines += [["Shop", "Revenue", *REVENUE], ["Falcon", "Spend", *SPEND["Falcon"]]]
    data = "\n".join(",".join(map(str, line)) for line in lines).encode()
    assert list(load_table(data, "plan.csv").columns) == ["Channel", "Metric", *weeks]
