"""A table that replaces a project's own says which of its periods are gone."""

import numpy as np
import pandas as pd

from core.data.recognition.recognise import guess_mapping
from core.service.projects.columns import gone


def table(first: str, n: int) -> pd.DataFrame:
    random = np.random.default_rng(1)
    weeks = pd.date_range(first, periods=n, freq="W-MON").strftime("%Y-%m-%d")
    revenue = random.gamma(9, 100, n).round(2)
    spend = random.gamma(2, 50, n).round(2)
    return pd.DataFrame({"week": weeks, "revenue": revenue, "TV spend": spend})


def test_periods_that_the_new_files_lack_are_named():
    had, new = table("2022-01-03", 104), table("2024-01-01", 13)
    (said,) = gone(had, new, guess_mapping(had))
    assert "104 dates that the project had, 2022-01-03 to 2023-12-25" in said.message
    assert "refresh" in said.hint


def test_a_longer_history_takes_nothing_away():
    had, new = table("2022-01-03", 104), table("2022-01-03", 117)
    assert gone(had, new, guess_mapping(had)) == []


def by_geo(*geos: str) -> pd.DataFrame:
    return pd.concat([table("2022-01-03", 104).assign(region=geo) for geo in geos])


def test_geos_that_the_new_files_lack_are_named():
    had, new = by_geo("North", "South", "West"), by_geo("North", "WEST")
    (said,) = gone(had, new, guess_mapping(had))
    assert "2 geos that the project had, South and West, are not" in said.message
    assert said.message.endswith("New in them: WEST.")
    assert gone(had, by_geo("West", "South", "North"), guess_mapping(had)) == []


def test_a_market_that_gets_geos_has_lost_none():
    had, new = table("2022-01-03", 104), by_geo("North", "South")
    assert gone(had, new, guess_mapping(new), earlier_mapping=guess_mapping(had)) == []
