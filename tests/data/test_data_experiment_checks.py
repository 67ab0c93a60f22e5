"""Lift tests against the data: each fault is named with its row and its remedy."""

import msgspec
import pytest

from core.data.assemble import assemble
from core.data.experiments.entry import Entry
from core.data.experiments.experiment_checks import check_experiments, is_complete
from tests.data.data_tables import GEO, NATIONAL, by_geo, national, of

KINDS = {"TV": "media", "Radio": "media", "Price": "non_media"}
GOOD = {
    "channel": "Radio",
    "geos": [],
    "start": "2021-03-01",
    "end": "2021-03-28",
    "incremental_outcome": 500.0,
    "standard_error": 100.0,
}


@pytest.fixture(scope="module")
def market():
    return assemble(by_geo(), GEO)


def entry(table):
    return msgspec.convert(table, Entry)


def check(row, data=None, before=()):
    entries = [entry(each) for each in (*before, GOOD | row)]
    return check_experiments(entries, KINDS, data)


def test_a_good_test_says_nothing(market):
    assert check({}, market) == []
    assert (
        check({"geos": ["Berlin", "Rome"], "incremental_outcome": -9.0}, market) == []
    )


@pytest.mark.parametrize(
    ("row", "said", "hint"),
    [
        ({"channel": "TVs"}, "tests TVs, which is not a channel", "TV and Radio"),
        ({"channel": "Price"}, "non-media treatment", "TV and Radio"),
        ({"standard_error": 0.0}, "must be above zero", "3.29"),
        ({"standard_error": -1.0}, "must be above zero", "3.29"),
        ({"end": "2021-02-01"}, "before it starts on 2021-03-01", "Swap"),
        ({"incremental_outcome": float("inf")}, "no number", "negative"),
        (
            {"together_with": ["TVs"]},
            "tests TVs, which is not a channel",
            "TV and Radio",
        ),
        ({"together_with": ["Radio"]}, "names a channel twice", "once"),
        ({"multiple": 1.0}, "1 times as much", "0.5 for half"),
        ({"amount": -5.0}, "amount -5", "zero or more"),
        ({"amount": 5.0, "together_with": ["TV"]}, "one amount for", "multiple"),
        ({"half_life": 0.0}, "half-life of 0 weeks", "52"),
        ({"geos": ["Berlin", "Mars"]}, "ran in Mars", "Berlin, Paris and Rome"),
        ({"end": "2031-03-01"}, "the data from 2021-01-04 to", "Shorten"),
        ({"start": "2020-11-01"}, "the data from 2021-01-04 to", "Shorten"),
        (
            {"start": "2021-03-02", "end": "2021-03-05"},
            "no period of the data",
            "first",
        ),
    ],
)
def test_faults_block(market, row, said, hint):
    (finding,) = check(row, market)
    assert finding.severity == "error"
    assert finding.where == "Test 1"
    assert finding.message.startswith("Test 1 (")
    assert said in finding.message
    assert hint in finding.hint


def test_no_media_in_the_window():
    frame = national()
    frame.loc[8:11, "Radio_spend"] = 0.0
    (finding,) = check({}, assemble(frame, NATIONAL))
    assert finding.severity == "error"
    assert "Radio has no media in its geos and dates" in finding.message


def test_media_in_other_geos_is_no_help():
    frame = by_geo()
    frame.loc[(frame.geo == "Paris") & frame.week.between(*_WINDOW), "Radio_spend"] = 0
    data = assemble(frame, GEO)
    assert check({}, data) == []
    (finding,) = check({"geos": ["Paris"]}, data)
    assert "no media" in finding.message


_WINDOW = ("2021-03-01", "2021-03-28")


def test_what_deserves_a_look(market):
    (within,) = check({"start": "2021-03-03"}, market)
    assert within.severity == "warning"
    assert "3 periods, beginning 2021-03-08 to 2021-03-22" in within.message
    (large,) = check({"incremental_outcome": 1e9}, market)
    assert large.severity == "warning"
    assert "says 1,000,000,000, more than the whole outcome" in large.message
    (twice,) = check({}, market, before=[GOOD])
    assert twice.where == "Test 2"
    assert "has the cells of test 1" in twice.message


def test_what_lacks_is_said_once_and_blocks_nothing(market):
    row = {"end": None, "standard_error": None}
    (finding,) = check(row, market)
    assert finding.severity == "warning"
    assert "still needs its last day and its standard error" in finding.message
    assert not is_complete(entry(GOOD | row))
    assert is_complete(entry(GOOD))


def test_a_national_market_has_no_geos():
    (finding,) = check({"geos": ["Berlin"]}, assemble(national(), NATIONAL))
    assert "leave geos out" in finding.hint


def test_without_data_a_row_is_still_checked_by_itself():
    assert check({"end": "2031-03-01"}) == []
    assert len(of(check({"channel": "x", "standard_error": 0.0}), "error")) == 2


def test_an_amount_stands_in_where_the_channel_was_off():
    frame = by_geo()
    frame.loc[(frame.geo == "Paris") & frame.week.between(*_WINDOW), "Radio_spend"] = 0
    data = assemble(frame, GEO)
    assert check({"geos": ["Paris"], "amount": 100.0}, data) == []


@pytest.mark.parametrize(
    ("row", "overlaps"),
    [
        ({"start": "2021-03-15", "end": "2021-04-11"}, True),
        ({"start": "2021-03-29", "end": "2021-04-25"}, False),
        ({"channel": "TV", "start": "2021-03-15", "end": "2021-04-11"}, False),
        ({"channel": "TV", "together_with": ["Radio"]}, True),
    ],
)
def test_overlapping_tests_of_a_channel_are_named(row, overlaps):
    said = of(check(row, before=[GOOD]), "warning")
    assert [("overlaps with test 1" in message) for message in said] == [
        True
    ] * overlaps
