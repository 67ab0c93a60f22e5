"""A column of the spend of all channels is no channel, whatever it is called."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.data.checks.validate import check_table
from core.data.mapping import ChannelColumns
from core.data.recognition.recognise import guess_mapping
from core.data.recognition.unused_spend import check_unused_spend


def said(name: str, factor: float, idle: str = "") -> list[str]:
    random = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "week": pd.date_range("2022-01-03", periods=80, freq="7D").astype(str),
            "revenue": random.lognormal(9, 0.2, 80).round(2),
            "tv_spend": random.lognormal(6, 0.6, 80).round(2),
            "radio_spend": random.lognormal(5, 0.6, 80).round(2),
        }
    )
    frame[name] = ((frame["tv_spend"] + frame["radio_spend"]) * factor).round(2)
    if idle:
        frame[idle] = 0.0
    # Recognition makes no channel of it; somebody may have.
    mapping = guess_mapping(frame.drop(columns=name))
    total = ChannelColumns(name, "media", media=name, spend=name)
    mapping = replace(mapping, channels=(*mapping.channels, total))
    findings = check_table(frame, mapping)
    return [f.message for f in findings if "counts twice" in f.message]


@pytest.mark.parametrize("name", ["all_channels_spend", "Aktivitaet spend", "sum cost"])
def test_a_sum_of_channels_is_an_error_with_its_name(name):
    assert all("is their sum" in message for message in said(name, 1.0))
    assert said("all_channels_spend", 1.0)
    assert said(name, 0.9) == []


def test_a_channel_that_never_ran_hides_no_sum():
    assert said("all_channels_spend", 1.0, "cinema_spend") == said(
        "all_channels_spend", 1.0
    )
    assert said("all_channels_spend", 0.9, "cinema_spend") == []


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e-9])
def test_amounts_below_a_cent_are_no_sum_of_each_other(unit):
    """Spend in millions, or in a coin."""
    random = np.random.default_rng(4)
    names = ("tv_spend", "radio_spend", "search_spend", "social_spend")
    spend = {name: unit * random.lognormal(6, 0.6, 80) for name in names}
    week = pd.date_range("2022-01-03", periods=80, freq="7D").astype(str)
    revenue = unit * random.lognormal(9, 0.2, 80)
    frame = pd.DataFrame({"week": week, "revenue": revenue, **spend})
    used = [channel.name for channel in guess_mapping(frame).channels]
    assert used == ["tv", "radio", "search", "social"]
    whole = frame.assign(all_channels_spend=sum(spend.values()))
    assert guess_mapping(whole).channels == guess_mapping(frame).channels
    idle = frame.rename(columns={"tv_spend": "Media cost"})
    mapping = guess_mapping(idle.drop(columns="Media cost"))
    (finding,) = check_unused_spend(idle, mapping)
    assert "Media cost" in finding.message
