"""Reserved spend: planned tests fix cells of a plan, and conflicts name the test."""

import numpy as np
import pytest

from core.errors import PlanError
from core.plan.geo_plan import geo_plan
from core.plan.scenario.geos import geo_request
from core.plan.scenario.reserved import tests_of as carried_out
from core.plan.scenario.week_limits import cells_of
from core.plan.scenario.weeks import week_request
from core.view import plan_words
from tests.plan.geo_market import response
from tests.plan.test_plan_geos import request

WEEKS = np.datetime64("2025-01-06") + 7 * np.arange(4)
USUAL = np.array([[100.0] * 4, [50.0] * 4])
DARK = {"test": "TV off", "channel": "TV", "weeks": {"2025-01-13": 20, "2025-01-20": 0}}


def cells(table, reserved=(DARK,)):
    weeks = {"weeks": {"reserved": list(reserved)}}
    request = week_request({**table, "horizon": {"periods": 4}} | weeks)
    return cells_of(
        request, ("TV", "Radio"), WEEKS, USUAL, np.array([150.0, 80.0]), "EUR"
    )


def test_weeks_of_a_test_are_fixed_and_the_others_are_free():
    made = cells({"bounds": [0.5, 1.5]})
    assert made.low[0].tolist() == [0, 20, 0, 0]
    assert made.high[0, 1:3].tolist() == [20, 0]
    assert (made.high[0, [0, 3]] > 100).all() and (made.low[1] == 0).all()


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (
            {"channel": {"TV": {"weeks": {"2025-01-20": 70}}}},
            ("week 2025-01-20 is fixed at 70", "the test TV off needs 0", "Free that"),
        ),
        (
            {"within_seen": True, "channel": {"TV": {"min": 400, "max": 400}}},
            ("The test TV off contradicts", "The weeks of TV can take", "without"),
        ),
    ],
)
def test_a_conflict_names_the_test_and_the_other_limit(table, words):
    with pytest.raises(PlanError) as refused:
        cells(table)
    said = f"{refused.value.message} {refused.value.hint}".replace("\u00a0", " ")
    assert all(word in said for word in words), said


def test_limits_that_no_plan_meets_do_not_blame_the_test():
    with pytest.raises(PlanError) as refused:
        cells({"budget": 1.0})
    assert "TV off" not in refused.value.message


def test_what_is_booked_as_the_test_wants_is_no_conflict():
    made = cells({"channel": {"TV": {"weeks": {"2025-01-13": 20}}}})
    assert made.high[0, 1] == 20


@pytest.mark.parametrize(
    ("row", "word"),
    [
        ({"channel": "TV"}, "lacks test"),
        (DARK | {"weeks": {"2025-01-13": -1}}, "-1 is not 0 or more"),
        (DARK | {"channel": "Tv"}, "There is no channel Tv"),
        (DARK | {"geos": {}}, "unknown key geos"),
    ],
)
def test_reserved_spend_that_means_nothing_is_refused(row, word):
    with pytest.raises(PlanError, match=word):
        cells({}, [row])


def reserved_geos(given, spent: float, geo: str = "North"):
    """A test of a quarter of the year in one geo; the others keep usual spend."""
    now = given.table(given.curves.spend)
    quarter = {name: now[0, place] / 4 for place, name in enumerate(given.geos)}
    return {
        "test": "TV off",
        "channel": "TV",
        "geos": {
            name: [usual, spent * usual if name == geo else usual]
            for name, usual in quarter.items()
        },
    }


def test_cells_of_a_test_keep_their_range_in_the_other_weeks_only():
    given = response((3, 4), seed=9)
    now = given.table(given.curves.spend)
    table = {"bounds": [0.5, 2.0], "reserved": [reserved_geos(given, 0.0)]}
    made = geo_plan(given, request(given), geo_request(table))
    domain = made.limits.domain
    low, high = given.table(domain.low), given.table(domain.high)
    assert low[0, 0] == pytest.approx(0.5 * 0.75 * now[0, 0], abs=0.02)
    assert high[0, 0] == pytest.approx(2.0 * 0.75 * now[0, 0], abs=0.02)
    assert high[0, 1] == pytest.approx((2.0 * 0.75 + 0.25) * now[0, 1], abs=0.02)
    assert high[1, 0] == pytest.approx(2.0 * now[1, 0], abs=0.02)
    planned = given.table(made.spend.planned)
    assert (planned <= high + 0.02).all() and (planned >= low - 0.02).all()
    record = made.record()
    assert carried_out(record.scenario) == ("TV off",)
    assert "planned test TV off" in plan_words.tests(record)
    assert geo_request(record.scenario["geos"]).reserved == made.request.reserved


@pytest.mark.parametrize(
    ("options", "geos", "words"),
    [
        ({}, {"geo": {"North": {"lock": True}}}, ("TV in North is locked", "TV off")),
        (
            {"channel": {"TV": {"lock": True}}},
            {},
            ("TV in North is locked", "Unlock it"),
        ),
        ({}, {"bounds": [1, 1]}, ("The test TV off contradicts", "lower the budget")),
    ],
)
def test_a_test_that_contradicts_a_lock_or_the_total_is_refused(options, geos, words):
    given = response((3, 4), seed=9)
    table = geos | {"reserved": [reserved_geos(given, 0.0)]}
    with pytest.raises(PlanError) as refused:
        geo_plan(given, request(given, **options), geo_request(table))
    said = f"{refused.value.message} {refused.value.hint}"
    assert all(word in said for word in words), said


def test_a_locked_geo_that_the_test_leaves_alone_is_no_conflict():
    given = response((3, 4), seed=9)
    table = {
        "geo": {"West": {"lock": True}},
        "reserved": [reserved_geos(given, 0.0)],
    }
    made = geo_plan(given, request(given), geo_request(table))
    locked = given.table(made.spend.planned)[:, 3]
    assert locked == pytest.approx(given.table(given.curves.spend)[:, 3], abs=0.011)
