"""Small tables for tests of checks and assembly."""

import numpy as np
import pandas as pd

from core.data.mapping import ChannelColumns, ColumnMapping


def weeks(n=60, start="2021-01-04"):
    """Mondays as text."""
    return np.datetime_as_string(np.datetime64(start) + 7 * np.arange(n))


def national(n=60, seed=0):
    """A good national table: TV with impressions and spend, Radio with spend only."""
    rng = np.random.default_rng(seed)
    tv = rng.integers(1000, 90_000, n) * (rng.random(n) < 0.7)
    return pd.DataFrame(
        {
            "week": weeks(n),
            "TV_impressions": tv,
            "TV_spend": np.round(tv * 0.01, 2),
            "Radio_spend": np.round(rng.random(n) * 500, 2),
            "temperature": np.round(rng.normal(10, 5, n), 1),
            "sales": rng.integers(5000, 9000, n),
        }
    )


NATIONAL = ColumnMapping(
    time="week",
    kpi="sales",
    revenue_per_kpi=2.5,
    controls=("temperature",),
    channels=(
        ChannelColumns("TV", "media", media="TV_impressions", spend="TV_spend"),
        ChannelColumns("Radio", "media", media="Radio_spend", spend="Radio_spend"),
    ),
)


def by_geo(geos=("Berlin", "Paris", "Rome"), n=60):
    """A good table of several geos."""
    parts = []
    for at, geo in enumerate(geos):
        part = national(n, seed=at + 1)
        part.insert(0, "geo", geo)
        part["population"] = 1000 * (at + 1)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


GEO = ColumnMapping(
    time="week",
    kpi="sales",
    geo="geo",
    revenue_per_kpi=2.5,
    population="population",
    controls=NATIONAL.controls,
    channels=NATIONAL.channels,
)


def of(findings, severity):
    """Messages of one severity."""
    return [one.message for one in findings if one.severity == severity]
