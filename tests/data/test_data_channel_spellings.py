"""Channels whose names differ little stay two; one channel spelled twice stays one."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest

from core.data.recognition.recognise import guess_roles

#: Spellings that normalise alike and stand for two channels.
ALIKE = (
    ("TV 1", "TV1"),
    ("Paid_Social", "PaidSocial"),
    ("Meta-Ads", "Meta Ads"),
    ("Café", "Cafe"),
    ("You Tube", "YouTube"),
    ("google_brand", "googlebrand"),
    ("TV", "tv"),
)
MEASURES = (("spend",), ("spend", "impressions"), ("cost", "clicks"))


def table(columns: list[str]) -> pd.DataFrame:
    rng = np.random.default_rng(len("".join(columns)))
    weeks = pd.date_range("2022-01-03", periods=60, freq="W-MON")
    frame = pd.DataFrame({"week": weeks, "revenue": rng.gamma(9, 9, 60).round(2)})
    for column in columns:
        frame[column] = rng.gamma(2, 40, 60).round(2)
    return frame


def channels(columns: list[str]) -> dict[str, dict[str, str]]:
    """Columns of each channel by role."""
    by_channel: dict[str, dict[str, str]] = {}
    for entry in guess_roles(table(columns)):
        if entry.channel and entry.role != "ignored":
            by_channel.setdefault(entry.channel, {})[entry.role] = entry.column
    return by_channel


@pytest.mark.parametrize(("pair", "measures"), product(ALIKE, MEASURES))
def test_names_that_normalise_alike_are_two_channels(pair, measures):
    columns = [f"{name}_{measure}" for name in pair for measure in measures]
    for order in list(permutations(columns))[::5]:
        found = channels([*order, "Radio_spend"])
        assert set(found) == {*pair, "Radio"}
        for name in pair:
            assert set(found[name].values()) == {f"{name}_{m}" for m in measures}


@pytest.mark.parametrize(
    "columns",
    [
        ("TV 1_spend", "tv_1_impressions"),
        ("Facebook spend", "facebook_impressions"),
        ("PaidSocial_spend", "paid social clicks"),
        ("spend_TV", "TV_impressions", "tv_clicks"),
    ],
)
def test_one_channel_in_two_spellings_is_one(columns):
    assert len(channels([*columns, "Radio_spend"])) == 2


def test_spellings_are_told_apart_as_loosely_as_they_can_be():
    columns = ["TV 1_spend", "tv_1_impressions", "TV1_spend", "tv1 impressions"]
    found = channels(columns)
    assert {frozenset(parts.values()) for parts in found.values()} == {
        frozenset(columns[:2]),
        frozenset(columns[2:]),
    }
