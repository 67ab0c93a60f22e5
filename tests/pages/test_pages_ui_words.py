"""Words, tables and priors as typed: what stands behind the screens."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest

from core.data.layout.reading import Table
from core.data.reading.findings import Finding
from core.errors import SchemaError, SpecError
from core.model.market import Market
from core.model.priors.prior import describe, prior
from core.model.shares.totals import Totals
from core.model.spec import ChannelSpec, ModelSpec
from core.text import Units
from core.text.languages.language import messages, spoken_in
from pages.model import prior_text
from pages.model.channel import table
from pages.ui import tables, words
from pages.ui.findings import plain, said, tally
from pages.upload import mapping_table
from tests.pages import worlds

#: A day as files and options have it.
DAY = re.compile(r"\d{4}-\d\d-\d\d")
ABOUT = Market(Totals(1e7, {"TV": 1e6}, "revenue"), Units("revenue", "EUR", "sales"))


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(3, "3\u00a0s"), (100, "2\u00a0min"), (8000, "2\u00a0h"), (3e5, "3\u00a0days")],
)
def test_duration(seconds, said):
    assert words.duration(seconds) == said


def test_clock():
    assert words.clock(187) == "3:07"
    assert words.clock(3765) == "1:02:45"


def test_ago():
    now = datetime.now(UTC)
    assert words.ago(now) == "just now"
    assert words.ago(now - timedelta(minutes=5)) == "5\u00a0min ago"
    assert words.ago("nonsense") == ""


def test_plain_text_keeps_markup_as_typed():
    assert plain("**a** [b](c)\n<i>") == r"\*\*a\*\* \[b\]\(c\) \<i\>"


def test_tally():
    found = [Finding("warning", "", ""), Finding("error", "", ""), *[]]
    assert tally(found) == "1 error, 1 warning"


@pytest.mark.parametrize(
    "text",
    [
        "0.5 to 3",
        "0.5 to 3, 80 %",
        "0.5 to 3, likely 1.25",
        "Gamma 0.5 to 3",
        "Normal -1 to 2.5, 50 %",
        "mean 1.5, sd 0.8",
        "Beta mean 0.2, sd 0.1",
    ],
)
def test_prior_text_is_shown_as_typed(text):
    given = prior_text.parse(text)
    assert prior_text.shown(given) == text
    assert prior_text.parse(prior_text.shown(given)) == given


@pytest.mark.parametrize("family", ["Normal", "LogNormal", "HalfNormal", "Beta"])
def test_prior_text_round_trip(family):
    numbers = (0.25,) if family == "HalfNormal" else (0.25, 2.0)
    given = prior(family, **dict(zip(prior_names(family), numbers, strict=True)))
    assert prior_text.parse(describe(given)) == given
    shifted = replace(given, shift=0.1)
    assert prior_text.parse(describe(shifted)) == shifted


def prior_names(family):
    from core.model.priors.prior import PARAMETERS

    return PARAMETERS[family]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("LogNormal 0.2", "is not a prior"),
        ("Lognorml(0, 1)", "Did you mean LogNormal"),
        ("Normal(a, b)", "are not numbers"),
        ("Normal(0)", "takes loc, scale"),
        ("Normal(0, -1)", "above zero"),
        ("Beta(nan, 1)", "finite"),
        ("3 to 0.5", "empty"),
        ("0.5.1 to 3", "not a number"),
        ("Cauchy 1 to 2", "no prior family"),
        ("HalfNormal mean 1, sd 1", "cannot be made"),
        ("__import__('os')", "no prior family"),
    ],
)
def test_prior_text_explains(text, said):
    with pytest.raises(SpecError) as caught:
        prior_text.parse(text, "Channel TV")
    assert said in str(caught.value)


def test_csv_cells_are_no_formulas():
    frame = pd.DataFrame(
        {"=a": ["=1+1", "@x", "+1", "-2", "fine"], "n": [-1, 2, 3, 4, 5]}
    )
    lines = tables.csv(frame).decode("utf-8-sig").splitlines()
    assert lines[0] == "'=a,n"
    assert lines[1] == "'=1+1,-1"
    assert lines[5] == "fine,5"


def test_mapping_table_round_trip():
    frame = worlds.table()
    rows = mapping_table.rows_of(frame, worlds.mapping())
    assert list(rows.columns) == list(mapping_table.COLUMNS)
    assert mapping_table.mapping_of(rows) == worlds.mapping()


def test_mapping_table_knows_what_spend_is_about():
    frame, mapping = worlds.table(), worlds.mapping()
    rows = mapping_table.rows_of(frame, mapping)
    rows.loc[rows["column"] == "TV_spend", "role"] = "Spend, all geos"
    rows.loc[rows["column"] == "Print_spend", "role"] = "Spend, total"
    made = mapping_table.mapping_of(rows)
    levels = {one.name: one.spend_level for one in made.channels}
    assert (levels["TV"], levels["Search"], levels["Print"]) == (
        "time",
        "geo_time",
        "total",
    )
    pd.testing.assert_frame_equal(mapping_table.rows_of(frame, made), rows)
    guess = mapping_table.guessed(Table(frame, None))
    again = mapping_table.with_spend_levels(guess, made)
    assert "Spend, total" in set(again["role"]) and "Spend, total" not in set(
        guess["role"]
    )


def test_mapping_table_collects_every_fault():
    rows = mapping_table.rows_of(worlds.table(), worlds.mapping())
    rows.loc[rows["column"] == "week", "role"] = "Ignore"
    rows.loc[rows["column"] == "TV_spend", "channel"] = None
    with pytest.raises(SchemaError) as caught:
        mapping_table.mapping_of(rows)
    assert len(caught.value.findings) >= 2


def test_typed_range_is_shown_until_the_prior_changes():
    spec = ModelSpec(channels=(ChannelSpec("TV"),))
    before = table.marketer_rows(spec, ABOUT)
    after = before.copy()
    after.loc[0, ["low", "likely", "high"]] = [0.5, 1.5, 4.0]
    made, edited = table.apply(spec, before, after, ABOUT)
    assert edited == ["TV"]
    shown = table.marketer_rows(made, ABOUT)
    assert list(shown.loc[0, ["low", "likely", "high"]]) == [0.5, 1.5, 4.0]
    other = made.with_channel(replace(made.channel("TV"), prior=None))
    again = table.marketer_rows(other, ABOUT)
    assert again.loc[0, "low"] == pytest.approx(0.278, abs=1e-3)


def test_unchanged_table_changes_nothing():
    spec = ModelSpec(channels=(ChannelSpec("TV"), ChannelSpec("P", "non_media")))
    for rows in (
        table.marketer_rows(spec, ABOUT),
        table.analyst_rows(spec, ABOUT),
    ):
        assert table.apply(spec, rows, rows.copy(), ABOUT) == (spec, [])


@pytest.mark.parametrize("code", ["en", "de", "fr", "es"])
def test_dates_that_show_how_to_write_dates_stay_as_they_are_typed(code):
    with spoken_in(code):
        texts = [text for pair in messages() for text in pair]
        examples = [text for text in texts if DAY.search(text)]
        changed = [
            text for text in examples if DAY.findall(said(text)) != DAY.findall(text)
        ]
    assert (len(examples) > 10, changed) == (True, [])
    assert (
        said("Add every week after 2024-12-30.") == "Add every week after 30 Dec 2024."
    )
    assert said("42759 was read as 2017-01-24.") == "42759 was read as 24 Jan 2017."
