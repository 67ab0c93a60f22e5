"""Amounts to date, weeks to come and codes for what is not known are warned of."""

import numpy as np
import pandas as pd
import pytest

from core.data.checks.validate import check_table
from core.data.recognition.recognise import guess_mapping

KINDS = ("plain", "trend", "running", "month", "year", "future", "code", "unit")
SAID = ("running total", "never before", "another level")


def table(kind: str, seed: int) -> tuple[pd.DataFrame, str]:
    """A market by day or week, and the column at fault."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    step = int(rng.choice([1, 7]))
    n = int(rng.integers(80, 150)) * (1 if step == 7 else 3)
    days = pd.date_range("2021-11-01", periods=n, freq=f"{step}D")
    tv = rng.uniform(2_000, 9_000, n) * (rng.random(n) > 0.3)
    search = rng.gamma(8, 400, n)
    search[n // 3 :] *= rng.choice([0.3, 1, 4])
    growth = np.exp(np.linspace(0, rng.uniform(-0.5, 1.0), n))
    revenue = 60_000 * growth * rng.uniform(0.7, 1.4, n)
    frame = pd.DataFrame({"week": days.astype(str), "revenue": revenue})
    frame["tv_spend"], frame["search_spend"] = tv, search
    column = str(rng.choice(["revenue", "search_spend", "tv_spend"]))
    if kind == "trend":  # a plan that grows by one rate
        frame["search_spend"] = 1_000 * 1.01 ** (np.arange(n) / (7 / step))
    groups = {"month": days.to_period("M"), "year": days.year, "running": np.zeros(n)}
    if kind in groups:
        column = "search_spend" if column == "tv_spend" else column
        frame[column] = frame.groupby(groups[kind])[column].cumsum()
    last = slice(n - int(rng.integers(2, 9)), n)
    if kind == "future":
        column = "revenue"
        frame.loc[frame.index[last], column] = 0.0
    start = int(rng.integers(20, n - 30))
    middle = frame.index[start : start + int(rng.integers(5, 15))]
    if kind == "code":
        frame.loc[middle, column] = float(rng.choice([99_999_999, 999_999_999]))
    if kind == "unit":
        frame.loc[middle, column] *= float(rng.choice([1e-4, 1e4]))
    return frame, column


@pytest.mark.parametrize("kind", KINDS)
def test_amounts_that_are_no_period_s_own_are_named(kind):
    for seed in range(12):
        frame, column = table(kind, seed)
        told = [
            each.message
            for each in check_table(frame, guess_mapping(frame))
            if any(words in each.message for words in SAID)
        ]
        if kind in ("plain", "trend"):
            assert not told, (seed, told)
        else:
            assert any(column in each for each in told), (seed, column, told)
