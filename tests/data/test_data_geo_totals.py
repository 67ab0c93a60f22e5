"""A row for the whole country among geos is never a geo, whatever it is called."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from core.data.files.load import load_table
from core.data.layout.opening import open_files, opened
from core.data.layout.reading import read_files
from core.errors import SchemaError

NAMES = ("Total", "All", "Germany", "DE", "Gesamt", "National", "Nord", "")
GEOS = ("Bavaria", "Berlin", "Hesse", "Saxony")


def market(n_geos: int = 4, *, seed: int = 0, weeks: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    dates = pd.date_range("2023-01-02", periods=weeks, freq="W-MON").strftime(
        "%Y-%m-%d"
    )
    rows = [
        {
            "week": date,
            "region": geo,
            "revenue": round(rng.gamma(9, 900), 2),
            "tv_spend": round(rng.gamma(3, 80), 2),
            "search_spend": round(rng.gamma(3, 50), 2),
            "temperature": round(rng.normal(12, 6), 1),
            "price": 9.99,
        }
        for date in dates
        for geo in GEOS[:n_geos]
    ]
    return pd.DataFrame(rows)


def with_total(frame: pd.DataFrame, name: str, *, first: bool, more: float = 1.0):
    """The frame with a row per week for the country."""
    amounts = ["revenue", "tv_spend", "search_spend"]
    total = frame.groupby("week", as_index=False)[amounts].sum().round(2)
    total[amounts] *= more
    means = frame.groupby("week", as_index=False)[["temperature", "price"]].mean()
    total = total.merge(means, on="week").assign(region=name)
    return pd.concat([total, frame] if first else [frame, total], ignore_index=True)


def read(frame: pd.DataFrame, *, decimal: str = ".", sep: str = ","):
    content = frame.to_csv(index=False, sep=sep, decimal=decimal).encode()
    return read_files([opened("sales.csv", load_table(content, "sales.csv"))])


@pytest.mark.parametrize(("name", "first"), product(NAMES, (True, False)))
def test_a_total_is_left_out_and_said(name, first):
    frame = market(seed=len(name))
    for decimal, sep in ((".", ","), (",", ";")):
        table = read(with_total(frame, name, first=first), decimal=decimal, sep=sep)
        assert set(table.frame["region"]) == set(GEOS)
        assert len(table.frame) == len(frame)
        said = " ".join(finding.message for finding in table.findings)
        assert "sum of the other geos" in said


def test_rows_of_campaigns_by_geo():
    """Long tables: several rows per week and geo."""
    rng = np.random.default_rng(5)
    base = market()
    rows = base.loc[base.index.repeat(3), ["week", "region"]].reset_index(drop=True)
    rows["campaign"] = np.tile(["Brand", "Video", "Shopping"], len(base))
    rows["cost"] = rng.gamma(3, 30, len(rows)).round(2)
    rows["impressions"] = rng.poisson(4000, len(rows))
    total = rows.groupby(["week", "campaign"], as_index=False)[["cost", "impressions"]]
    total = total.sum().assign(region="Deutschland")
    both = pd.concat([rows, total], ignore_index=True)
    file = open_files([(both.to_csv(index=False).encode(), "ads.csv")])[0]
    assert np.isclose(file.frame["cost"].sum(), rows["cost"].sum())
    assert file.findings[-1].message.startswith("region Deutschland of ads.csv is the")


def test_a_total_with_more_than_the_geos_is_left_out_by_name_or_asked_about():
    frame = market(seed=3)
    named = read(with_total(frame, "Total", first=False, more=1.02))
    assert set(named.frame["region"]) == set(GEOS)
    unnamed = read(with_total(frame, "DE", first=False, more=1.02))
    warnings = [f for f in unnamed.findings if f.severity == "warning"]
    assert any("nearly the sum" in finding.message for finding in warnings)


def test_places_at_two_levels_are_refused():
    cities = market(seed=7)
    regions = cities.assign(
        region=cities["region"].map(
            {"Bavaria": "S", "Hesse": "S", "Berlin": "N", "Saxony": "N"}
        )
    )
    regions = regions.groupby(["week", "region"], as_index=False).sum()
    country = with_total(cities, "DE", first=True)
    with pytest.raises(SchemaError, match="several levels"):
        read(pd.concat([country, regions], ignore_index=True))


@pytest.mark.parametrize("n_geos", [1, 2, 3, 4])
def test_markets_without_a_total_keep_every_geo(n_geos):
    for seed in range(12):
        frame = market(n_geos, seed=seed)
        table = read(frame)
        assert len(table.frame) == len(frame)
        assert not [f for f in table.findings if "sum of" in f.message]


def test_two_geos_that_are_alike_are_kept_unless_one_is_called_a_total():
    frame = market(1)
    twin = frame.assign(region="Hamburg")
    assert len(read(pd.concat([frame, twin])).frame) == 2 * len(frame)
    total = frame.assign(region="Total")
    assert set(read(pd.concat([frame, total])).frame["region"]) == {"Bavaria"}
