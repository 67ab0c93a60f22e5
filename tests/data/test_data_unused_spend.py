"""Spend that no channel uses is said; totals and copies of what is used are not."""

import numpy as np
import pandas as pd
import pytest

from core.data.checks.validate import check_table
from core.data.layout.opening import opened
from core.data.layout.reading import mapping_of_table, read_files
from core.data.recognition.recognise import guess_mapping
from core.data.recognition.unused_spend import check_unused_spend

DAYS = pd.date_range("2024-01-01", periods=210)


def market(**more):
    random = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "week": pd.date_range("2023-01-02", periods=60, freq="W-MON"),
            "revenue": random.uniform(90, 200, 60) * 1e3,
            "TV_spend": random.uniform(8, 30, 60) * 1e3,
            "Search_spend": random.uniform(3, 9, 60) * 1e3,
        }
    )
    mapping = guess_mapping(frame)
    made = {name: build(frame, random) for name, build in more.items()}
    return frame.assign(**made), mapping


@pytest.mark.parametrize("name", ["Cost", "Radio_spend", "Media cost (EUR)", "Kosten"])
def test_spend_without_a_channel_is_a_warning_with_its_share(name):
    frame, mapping = market(**{name: lambda f, r: r.uniform(5, 20, len(f)) * 1e3})
    (finding,) = check_unused_spend(frame, mapping)
    share = frame[name].sum() / (
        frame[[name, "TV_spend", "Search_spend"]].to_numpy().sum()
    )
    assert finding.severity == "warning"
    assert name in finding.message
    assert f"{100 * share:.0f}\u00a0% of all" in finding.message
    assert finding in check_table(frame, mapping)


@pytest.mark.parametrize(
    ("name", "build"),
    [
        ("Total_spend", lambda f, r: f["TV_spend"] + f["Search_spend"]),
        ("Cost copy", lambda f, r: f["TV_spend"]),
        ("Media cost", lambda f, r: 0 * f["TV_spend"]),
        ("Retainer cost", lambda f, r: 0 * f["TV_spend"] + 4e3),
        ("Cost per click", lambda f, r: r.uniform(1, 2, len(f))),
        ("Shipping cost", lambda f, r: r.uniform(1, 2, len(f)) * 1e3),
        ("Planned spend", lambda f, r: r.uniform(8, 30, len(f)) * 1e3),
        ("Sales cost index", lambda f, r: r.uniform(1, 2, len(f))),
    ],
)
def test_what_is_no_further_spend_says_nothing(name, build):
    frame, mapping = market(**{name: build})
    assert not list(check_unused_spend(frame, mapping))


def export(**columns):
    random = np.random.default_rng(5)
    numbers = {
        name: np.round(random.uniform(200, 900, len(DAYS)), 2) for name in columns
    }
    return pd.DataFrame({"Day": DAYS} | numbers)


@pytest.mark.parametrize("campaign", [{"Campaign": "Brand"}, {}])
@pytest.mark.parametrize("names", [("Impr.", "Clicks", "Cost"), ("Kosten",)])
def test_an_export_of_one_campaign_or_none_is_a_channel(campaign, names):
    google = export(**dict.fromkeys(names)).assign(**campaign)
    meta = pd.concat(
        export(Impressions=None, **{"Amount spent (EUR)": None}).assign(Campaign=name)
        for name in ("Prospecting", "Retargeting")
    )
    sales = export(revenue=None)
    files = {"google.csv": google, "meta.csv": meta, "sales.csv": sales}
    table = read_files([opened(name, frame) for name, frame in files.items()])
    mapping = mapping_of_table(table)
    spent = [table.frame[channel.spend].sum() for channel in mapping.channels]
    assert len(spent) == 3
    assert np.isclose(spent, google[names[-1]].sum()).sum() == 1
    assert not list(check_unused_spend(table.frame, mapping))


def test_spend_left_out_for_its_twin_is_to_be_added_to_it():
    twin = {"Radio_spend": lambda f, r: f["TV_spend"] * r.normal(0.4, 4e-4, len(f))}
    frame, mapping = market(**twin)
    (finding,) = check_unused_spend(frame, mapping)
    assert finding.hint.startswith("Add it to TV_spend in the file")
    (same,) = [
        finding
        for finding in check_table(frame, guess_mapping(frame))
        if "say the same" in finding.message
    ]
    assert same.severity == "error"
    assert same.hint.startswith("Add them up in one column of the file")
    frame, mapping = market(Radio_spend=lambda f, r: r.uniform(5, 20, len(f)) * 1e3)
    (finding,) = check_unused_spend(frame, mapping)
    assert finding.hint.startswith("Make Radio_spend a channel's spend")
