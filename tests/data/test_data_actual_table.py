"""Tables of actuals: period by period, and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.data.ahead.actual_table import read_actuals, template
from core.data.ahead.future_table import planned, read_columns
from core.data.ahead.horizon import ahead
from core.data.assemble import assemble
from core.data.files.load import load_table
from core.data.mapping import ChannelColumns, ColumnMapping
from core.errors import DataError

GEOS = ("North", "South")


def rows(geos: tuple[str, ...] = ()) -> pd.DataFrame:
    n = 60
    weeks = pd.date_range("2023-01-02", periods=n, freq="7D").strftime("%Y-%m-%d")
    parts = []
    for place, geo in enumerate(geos or ("all",)):
        rng = np.random.default_rng(place)
        sold = rng.uniform(80, 120, n)
        frame = pd.DataFrame({"week": weeks, "units": sold, "price": 2.0})
        for name in ("tv", "search"):
            wave = rng.uniform(0.5, 2, n)
            frame[f"{name}_views"] = 1000 * wave
            frame[f"{name}_spend"] = 10 * wave
        parts.append(frame.assign(region=geo) if geos else frame)
    return pd.concat(parts, ignore_index=True)


def market(geos: tuple[str, ...] = ()):
    channels = tuple(
        ChannelColumns(name, "media", media=f"{name}_views", spend=f"{name}_spend")
        for name in ("tv", "search")
    )
    mapping = ColumnMapping(
        "week",
        "units",
        geo="region" if geos else None,
        revenue_per_kpi="price",
        channels=channels,
    )
    return assemble(rows(geos), mapping), mapping


def happened(data, n: int = 3, **columns) -> pd.DataFrame:
    weeks = ahead(data, n).times.astype(str)
    return pd.DataFrame(
        {"week": weeks, "units": [50.0] * n, "tv": [7.0] * n, "search_spend": [1.0] * n}
        | columns
    )


def test_totals_in_the_unit_of_the_fit():
    data, mapping = market()
    told = read_actuals(data, happened(data), mapping)
    assert told.n_times == 3
    assert told.outcome.tolist() == [100.0] * 3  # at the price from a year earlier
    assert told.spend["tv"].tolist() == [7.0] * 3
    assert told.spend["search"].tolist() == [1.0] * 3
    dearer = read_actuals(data, happened(data, price=[3.0, 3.0, None]), mapping)
    assert dearer.outcome.tolist() == [150.0, 150.0, 100.0]


def test_geos_in_any_order():
    data, mapping = market(GEOS)
    rows = [happened(data).assign(region=geo) for geo in reversed(GEOS)]
    told = read_actuals(data, pd.concat(rows).sample(frac=1, random_state=1), mapping)
    assert told.outcome.tolist() == [200.0] * 3
    assert told.spend["tv"].tolist() == [14.0] * 3
    assert told.by_geo["search"].tolist() == [[1.0] * 3] * 2


def test_rows_of_all_geos_together_say_nothing_of_geos():
    """A unit is then worth what it was on average, by what each geo sold."""
    table = rows(GEOS)
    south = table["region"] == "South"
    table.loc[south, "price"] = 6.0
    table.loc[~south, "units"] = 3 * table.loc[south, "units"].to_numpy()
    _, mapping = market(GEOS)
    data = assemble(table, mapping)
    told = read_actuals(data, happened(data), mapping)
    np.testing.assert_allclose(told.outcome, 50.0 * (0.75 * 2.0 + 0.25 * 6.0))
    assert told.spend["tv"].tolist() == [7.0] * 3 and told.by_geo == {}
    stated = read_actuals(data, happened(data, price=[5.0] * 3), mapping)
    np.testing.assert_allclose(stated.outcome, 250.0)
    doubled = pd.concat([happened(data)] * 2)
    with pytest.raises(DataError, match="several rows|twice"):
        read_actuals(data, doubled, mapping)


def test_spend_that_is_known_for_all_geos_only_is_none_of_theirs():
    _, mapping = market(GEOS)
    tv, search = mapping.channels
    mapping = replace(mapping, channels=(replace(tv, spend_level="time"), search))
    known = rows(GEOS)
    known["tv_spend"] = np.tile(known["tv_spend"].to_numpy()[:60], 2)
    data = assemble(known, mapping)
    table = pd.concat([happened(data).assign(region=geo) for geo in GEOS])
    told = read_actuals(data, table, mapping)
    assert told.spend["tv"].tolist() == [7.0] * 3
    assert list(told.by_geo) == ["search"]


def test_names_of_the_template_never_run_as_formulas_and_are_read_again():
    names = {"tv_spend": "=HYPERLINK(1)", "units": "-units", "region": "@region"}
    odd = ("+North", "South")
    _, mapping = market(GEOS)
    channels = tuple(
        replace(channel, spend=names.get(channel.spend, channel.spend))
        for channel in mapping.channels
    )
    mapping = replace(mapping, kpi="-units", geo="@region", channels=channels)
    frame = rows(GEOS).rename(columns=names)
    data = assemble(frame.replace({"North": "+North"}), mapping)
    blank = template(data, mapping, 3)
    signs = tuple("=+-@")
    assert not [name for name in blank.columns if name.startswith(signs)]
    assert not blank["'@region"].str.startswith(signs).any()
    for filled in (
        blank.replace("", 5.0),  # as a spreadsheet saves it, which keeps the sign
        blank.replace("", 5.0).rename(columns=lambda name: name.removeprefix("'")),
    ):
        told = read_actuals(data, filled, mapping)
        assert told.spend["tv"].tolist() == [10.0] * 3
    assert data.geos == odd


@pytest.mark.parametrize("geos", [(), GEOS])
def test_the_template_asks_for_what_is_read(geos):
    data, mapping = market(geos)
    blank = template(data, mapping, 4)
    assert len(blank) == 4 * max(len(geos), 1)
    filled = blank.replace("", "5")
    assert read_actuals(data, filled, mapping).outcome.sum() == 25 * len(filled)
    with pytest.raises(DataError, match="has empty cells"):
        read_actuals(data, blank, mapping)


REFUSED = {
    "no spend": (lambda t: t.drop(columns="tv"), "does not say what tv spent"),
    "no KPI": (lambda t: t.drop(columns="units"), "has no column units"),
    "no date": (lambda t: t.drop(columns="week"), "has no column week"),
    "empty": (lambda t: t.iloc[:0], "has no periods"),
    "a gap": (lambda t: t.drop(index=1), "has no row for 2024-03-04"),
    "late": (lambda t: t.iloc[1:], "has no row for 2024-02-26"),
    "twice": (lambda t: pd.concat([t, t.iloc[:1]]), "has 2024-02-26 twice"),
    "before": (lambda t: t.assign(week="2023-01-02").iloc[:1], "not a future period"),
    "no number": (lambda t: t.assign(tv="much"), "is not a number"),
    "negative": (lambda t: t.assign(tv=-1.0), "are negative"),
    "unknown": (
        lambda t: t.assign(tvv=1.0),
        "tvv of the table of actuals is not",
    ),
}


def test_returns_may_exceed_what_was_sold():
    data, mapping = market()
    known = read_actuals(data, happened(data, units=[-5.0, 50.0, 50.0]), mapping)
    assert known.outcome.tolist() == [-10.0, 100.0, 100.0]


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    change, words = REFUSED[case]
    data, mapping = market()
    with pytest.raises(DataError, match=words):
        read_actuals(data, change(happened(data)), mapping)


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("tv", 12_000.0, "times as much as the data's usual"),
        ("units", 90_000.0, "times as much as the data's usual"),
        ("units", 0.09, "a part in"),
    ],
)
@pytest.mark.parametrize("geos", [(), GEOS])
def test_a_column_in_another_unit_is_refused(geos, column, cell, said):
    data, mapping = market(geos)
    n, places = 3, geos or ("all",)
    frame = pd.concat(
        [happened(data, n, **({"region": geo} if geos else {})) for geo in places]
    )
    read_actuals(data, frame, mapping)
    frame[column] = cell
    with pytest.raises(DataError, match=said) as caught:
        read_actuals(data, frame, mapping)
    assert column in caught.value.message


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"units": [10_000.0] * 3}, "Column units"),  # cents
        ({"tv": [900.0] * 3, "search_spend": [900.0] * 3}, "All channels"),
        ({"tv": [0.01] * 3, "search_spend": [0.0] * 3}, "All channels"),
    ],
)
def test_cents_and_thousands_of_all_that_is_spent_or_sold_are_refused(columns, said):
    data, mapping = market()
    with pytest.raises(DataError, match=f"{said} .* the data's usual"):
        read_actuals(data, happened(data, **columns), mapping)
    read_actuals(data, happened(data, tv=[0.0] * 3, search_spend=[0.0] * 3), mapping)


@pytest.mark.parametrize("geos", [(), GEOS])
@pytest.mark.parametrize("at", [0, 2])
def test_a_period_in_which_nothing_came_in_is_asked_about_unless_the_data_have_one(
    geos, at
):
    data, mapping = market(geos)
    units = [0.0 if place == at else 50.0 for place in range(3)]
    places = [{"region": geo} for geo in geos] or [{}]
    frame = pd.concat([happened(data, units=units, **place) for place in places])
    with pytest.raises(DataError, match="is 0 in 1 period, the first") as caught:
        read_actuals(data, frame, mapping)
    assert str(ahead(data, 3).times[at]) in caught.value.message
    one = frame.copy()
    one.iloc[at, 1] = 1.0  # of all geos, one sold
    assert read_actuals(data, one, mapping)
    kpi = data.kpi.copy()
    kpi[:, 5] = 0.0
    assert read_actuals(replace(data, kpi=kpi), frame, mapping)


@pytest.mark.parametrize("geos", [(), GEOS])
@pytest.mark.parametrize(
    "called",
    [
        str.upper,
        str.title,
        lambda name: name.replace("_", " "),
        lambda name: f" {name}",
    ],
)
def test_columns_and_geos_are_known_in_every_case_and_with_other_signs(geos, called):
    data, mapping = market(geos)
    places = [{"region": called(geo)} for geo in geos] or [{}]
    frame = pd.concat([happened(data, **place) for place in places], ignore_index=True)
    renamed = frame.rename(
        columns={name: called(name) for name in frame if name != "tv"}
    )
    read = read_columns(renamed, mapping, rows(geos).columns)
    told = read_actuals(data, read, mapping)
    expected = read_actuals(data, frame.replace({called(g): g for g in geos}), mapping)
    assert told.outcome.tolist() == expected.outcome.tolist()
    assert told.spend["search"].tolist() == expected.spend["search"].tolist()
    as_plan = read.drop(columns="units")
    assert planned(ahead(data, 3), as_plan, mapping).media.spend[..., 0].max() == 7.0


def test_the_only_dates_are_those_that_are_meant_whatever_they_are_called():
    data, mapping = market()
    frame = happened(data).rename(columns={"week": "Datum"})
    told = read_actuals(data, read_columns(frame, mapping, rows().columns), mapping)
    assert told.n_times == 3
    two = frame.assign(booked=frame["Datum"])
    with pytest.raises(DataError, match="has no column week"):
        read_actuals(data, read_columns(two, mapping, rows().columns), mapping)


@pytest.mark.parametrize("column", ["tv", "search_spend", "units"])
def test_percentages_are_no_amounts(column):
    data, mapping = market()
    frame = happened(data, **{column: ["40 %", "30 %", "30 %"]})
    file = load_table(frame.to_csv(index=False).encode(), "a.csv")
    for table in (frame, file):
        with pytest.raises(DataError, match=f"Column {column} .* in percent"):
            read_actuals(data, table, mapping)


def test_a_channel_may_nearly_stop_or_grow_tenfold():
    data, mapping = market()
    for cell in (0.001, 200.0):
        assert read_actuals(data, happened(data, tv=[cell] * 3), mapping)


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        ({"tv_spend": ["tbd", "1", "2"]}, "Write it like 1234.5, in one way in the"),
        ({"tv_spend": [-1.0, 2.0, 3.0]}, "it is 0 or more"),
        ({"tv_spend": ["#NV", "2", "3"]}, "Mend the formula"),
        (
            {"week": ["2020-01-06", "2020-01-13", "2020-01-20"]},
            "Delete the rows before",
        ),
        ({"week": ["2099-01-05", "2099-01-12", "2099-01-19"]}, "rhythm of the data."),
    ],
)
def test_a_remedy_is_one_of_actuals(change, hint):
    """Of what happened, no cell can be left empty and nothing can be forecast."""
    data, mapping = market(())
    with pytest.raises(DataError) as caught:
        read_actuals(data, happened(data).assign(**change), mapping)
    assert hint in caught.value.hint
    assert "year earlier" not in caught.value.hint
    assert "forecast" not in caught.value.hint
