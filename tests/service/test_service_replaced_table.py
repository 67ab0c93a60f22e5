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
