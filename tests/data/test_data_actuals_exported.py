"""Actuals as people export them read as the plain table of the same amounts."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from core.data.ahead.actual_table import read_actuals
from core.data.ahead.as_exported import laid_out
from core.data.ahead.horizon import ahead
from core.data.assemble import assemble
from core.data.files.load import load_table
from core.data.layout.opening import opened
from core.data.layout.reading import mapping_of_table, read_files
from core.data.layout.stated import StatedColumns
from core.errors import CoverageError, DataError, SchemaError
from tests.data.test_data_actual_table import GEOS, market, rows

PAID = ("tv", "search")


def amounts(data, geos, n=4, seed=0):
    """What happened by week (and geo), in the columns of the data."""
    random = np.random.default_rng(seed)
    parts = []
    for geo in geos or ("",):
        frame = pd.DataFrame({"week": ahead(data, n).times.astype(str)})
        for name in ("units", "tv_spend", "search_spend"):
            frame[name] = 7.0 * random.integers(1, 9, n)
        parts.append(frame.assign(region=geo) if geos else frame)
    return pd.concat(parts, ignore_index=True)


def daily(frame):
    """Each week's amounts in seven equal days."""
    days = frame.loc[frame.index.repeat(7)].reset_index(drop=True)
    offset = np.arange(len(days)) % 7
    days["week"] = (pd.to_datetime(days["week"]) + pd.to_timedelta(offset, "D")).astype(
        "str"
    )
    for name in ("units", "tv_spend", "search_spend"):
        days[name] /= 7
    return days


def across(frame):
    """A row per geo and measure, a column per date."""
    labels = [name for name in ("region",) if name in frame]
    long = frame.melt(["week", *labels], var_name="what")
    wide = long.pivot(index=[*labels, "what"], columns="week", values="value")
    return wide.reset_index().rename_axis(columns=None)


def long(frame):
    """A row per date, geo and measure."""
    labels = [name for name in ("region",) if name in frame]
    return frame.melt(["week", *labels], var_name="variable", value_name="value")


def campaigns(frame):
    """A row per date, geo and channel with its spend, the KPI beside the first."""
    labels = [name for name in ("region",) if name in frame]
    spend = frame.rename(columns={f"{name}_spend": name for name in PAID})
    return spend.melt(["week", *labels], PAID, var_name="channel", value_name="spend")


def read(data, mapping, frame, sep=","):
    loaded = load_table(frame.to_csv(index=False, sep=sep).encode(), "a.csv")
    named = laid_out({"a.csv": loaded}, mapping, rows().columns)
    return read_actuals(data, named, mapping)


def same(told, plain):
    assert told.times.tolist() == plain.times.tolist()
    np.testing.assert_allclose(told.outcome, plain.outcome)
    assert told.spend.keys() == plain.spend.keys()
    for name, spend in plain.spend.items():
        np.testing.assert_allclose(told.spend[name], spend)
    for name, spend in plain.by_geo.items():
        np.testing.assert_allclose(told.by_geo[name], spend)


@pytest.mark.parametrize("geos", [(), GEOS], ids=["national", "geos"])
@pytest.mark.parametrize(
    "layout", [pd.DataFrame, across, long], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("every", [pd.DataFrame, daily], ids=["weeks", "days"])
@pytest.mark.parametrize("n", [3, 10])
def test_every_layout_reads_as_the_plain_table(layout, every, geos, n):
    data, mapping = market(geos)
    plain = amounts(data, geos, n, seed=n)
    same(
        read(data, mapping, layout(every(plain))),
        read_actuals(data, plain, mapping),
    )


@pytest.mark.parametrize("way", ["%d.%m.%Y", "%m/%d/%Y", "%d %b %Y", "KW %V %G"])
def test_dates_may_be_written_as_anywhere(way):
    data, mapping = market()
    plain = amounts(data, (), 5)
    expected = read_actuals(data, plain, mapping)
    tables = [plain] if way.startswith("KW") else [plain, daily(plain)]
    for table, layout in product(tables, (pd.DataFrame, across, long)):
        written = pd.to_datetime(table["week"]).dt.strftime(way)
        columns = layout(table.assign(week=table["week"]))
        if layout is across:
            names = dict(zip(table["week"], written, strict=True))
            same(read(data, mapping, columns.rename(columns=names)), expected)
        else:
            same(read(data, mapping, layout(table.assign(week=written))), expected)


def test_rows_of_channels_are_their_spend_and_need_the_kpi():
    data, mapping = market(GEOS)
    plain = amounts(data, GEOS)
    with pytest.raises(SchemaError, match="has no column units") as caught:
        read(data, mapping, campaigns(plain))
    assert "Give what came in" in caught.value.hint


def loaded(tables):
    return {
        name: load_table(frame.to_csv(index=False).encode(), name)
        for name, frame in tables.items()
    }


@pytest.mark.parametrize("geos", [(), GEOS], ids=["national", "geos"])
@pytest.mark.parametrize("every", [pd.DataFrame, daily], ids=["weeks", "days"])
def test_what_was_spent_and_what_came_in_may_be_two_files(every, geos):
    data, mapping = market(geos)
    plain = amounts(data, geos)
    sold = plain.drop(columns=["tv_spend", "search_spend"])
    spent = campaigns(plain)
    if every is daily:
        sold = daily(plain).drop(columns=["tv_spend", "search_spend"])
        spent = campaigns(daily(plain))
    tables = loaded({"ads.csv": spent, "shop.csv": sold})
    named = laid_out(tables, mapping, rows().columns)
    same(read_actuals(data, named, mapping), read_actuals(data, plain, mapping))


@pytest.mark.parametrize("stopped", [False, True])
@pytest.mark.parametrize("renamed", [False, True])
def test_exports_like_those_of_the_data_are_read_as_those_were(stopped, renamed):
    """Campaigns that somebody has grouped, and the whole history exported again."""
    days = pd.date_range("2024-01-01", periods=7 * 64).astype("str")
    cost = np.random.default_rng(3).uniform(10, 90, (len(days), 3)).round(2)
    ads = pd.DataFrame(cost, columns=["a1", "a2", "b1"]).assign(Day=days)
    ads = ads.melt("Day", var_name="Campaign", value_name="Cost")
    shop = pd.DataFrame({"Day": days, "Revenue": 900 + 3 * cost.sum(axis=1)})
    last = days[7 * 60]
    before = loaded({"ads.csv": ads[ads["Day"] < last], "shop.csv": shop[:420]})
    files = [opened(name, frame) for name, frame in before.items()]
    grouped = StatedColumns(group=(("A", ("a*",)), ("B", ("b*",))))
    table = read_files(files, grouped)
    mapping = mapping_of_table(table)
    data = assemble(table.frame, mapping)
    if stopped:
        ads = ads[(ads["Campaign"] != "b1") | (ads["Day"] < last)]
    if renamed:
        ads = ads.replace({"Campaign": {"a1": "c1", "a2": "c2"}})
    later = ads[ads["Day"] >= last] if renamed else ads
    tables = loaded({"ads.csv": later, "shop.csv": shop})

    def result():
        columns, end = table.frame.columns, data.times[-1]
        named = laid_out(tables, mapping, columns, table.layout, end)
        return read_actuals(data, named, mapping)

    if renamed:
        with pytest.raises(
            SchemaError, match="say nothing of A.* and have c1"
        ) as error:
            result()
        assert "call it in the files as in the data" in error.value.hint
        return
    actuals = result()
    weekly = cost[420:].reshape(4, 7, 3).sum(axis=1)
    np.testing.assert_allclose(actuals.spend["A"], weekly[:, :2].sum(axis=1))
    np.testing.assert_allclose(actuals.spend["B"], 0 if stopped else weekly[:, 2])


@pytest.mark.parametrize("geos", [(), GEOS], ids=["national", "geos"])
@pytest.mark.parametrize("lost", [0, 3, 13, 27])
def test_a_part_of_a_period_is_never_the_whole(lost, geos):
    data, mapping = market(geos)
    days = daily(amounts(data, geos)).drop(index=[lost])
    with pytest.raises(CoverageError, match="has 6 days of the 7 from") as caught:
        read(data, mapping, days)
    assert "delete the rows of this period" in caught.value.hint
    last = pd.to_datetime(days["week"]).max()
    short = daily(amounts(data, geos)).loc[lambda t: pd.to_datetime(t["week"]) < last]
    with pytest.raises(CoverageError, match="of the 7 from"):
        read(data, mapping, short)


def test_less_than_one_is_no_amount():
    data, mapping = market()
    table = amounts(data, ()).astype({"tv_spend": object})
    table.loc[1, "tv_spend"] = "<1"
    with pytest.raises(SchemaError, match="<1 in column tv_spend is not an amount"):
        read(data, mapping, table)


def test_days_of_the_data_and_doubled_days_are_refused():
    data, mapping = market()
    days = daily(amounts(data, ()))
    before = (pd.to_datetime(days["week"]) - pd.Timedelta(3, "D")).astype("str")
    with pytest.raises(CoverageError, match="and the data end on"):
        read(data, mapping, days.assign(week=before))
    with pytest.raises(DataError, match="twice"):
        read(data, mapping, pd.concat([days, days.iloc[[5]]]))


def test_what_a_unit_was_worth_is_weighed_by_what_was_sold():
    data, mapping = market()
    plain = amounts(data, (), 2)
    days = daily(plain).assign(price=np.tile([1.0, 1, 1, 1, 1, 1, 8], 2))
    told = read(data, mapping, days)
    np.testing.assert_allclose(told.outcome, 2.0 * plain["units"])
