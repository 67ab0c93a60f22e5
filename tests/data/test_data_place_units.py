"""One geo whose money is in another unit is named; geos that only differ are not."""

import numpy as np
import pandas as pd
import pytest

from core.data.checks.validate import check_table
from core.data.recognition.recognise import guess_mapping

GEOS = ("Bayern", "Hessen", "Sachsen", "Berlin")


def market(seed: int, n_geos: int) -> pd.DataFrame:
    """Weeks of geos whose size differs by up to forty times."""
    random = np.random.default_rng(seed)
    weeks = pd.date_range("2022-01-03", periods=80, freq="7D").astype(str)
    size = np.repeat(random.uniform(0.1, 4.0, n_geos), len(weeks))
    rows = len(size)
    return pd.DataFrame(
        {
            "week": np.tile(weeks, n_geos),
            "region": np.repeat(GEOS[:n_geos], len(weeks)),
            "revenue": (size * random.lognormal(9, 0.2, rows)).round(2),
            "tv_spend": (size * random.lognormal(6, 0.6, rows)).round(2),
            "search_spend": (size * random.lognormal(5, 0.4, rows)).round(2),
        }
    )


def said(frame: pd.DataFrame) -> list[str]:
    findings = check_table(frame, guess_mapping(frame))
    return [f.message for f in findings if "beside the other amounts" in f.message]


@pytest.mark.parametrize("column", ["revenue", "tv_spend", "search_spend"])
@pytest.mark.parametrize("factor", [100.0, 1000.0, 0.001])
def test_a_geo_in_another_unit_is_named(column, factor):
    for seed in range(8):
        frame = market(seed, 3 + seed % 2)
        assert said(frame) == []
        geo = GEOS[seed % 3]
        frame.loc[frame["region"] == geo, column] *= factor
        (message,) = said(frame)
        assert f"Column {column} of {geo} is " in message


def test_nothing_is_said_of_a_geo_without_media():
    frame = market(1, 3)
    frame.loc[frame["region"] == "Hessen", "tv_spend"] = 0.0
    assert said(frame) == []
