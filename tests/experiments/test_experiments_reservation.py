"""Reservations: what planned tests fix of a plan, by geo and week."""

import numpy as np
import pytest

from core.errors import SpecError
from core.experiments.kept import as_kept
from core.experiments.panel import panel_of
from core.experiments.reservation import reservations, usual_spend
from tests.small_market import market

TEST = {
    "name": "tv off",
    "channels": ["tv"],
    "kind": "dark",
    "multiple": 0.0,
    "geos": ["g1"],
    "start": "2025-02-10",
    "end": "2025-02-23",
}


@pytest.fixture(scope="module")
def usual():
    """A plan of twelve weeks after two years of data."""
    return usual_spend(market(n_times=104 - 52), "2024-12-30", 12)


def test_usual_spend_is_that_of_the_year_before(usual):
    data = market(n_times=52)
    past = panel_of(data).spend["tv"]
    assert usual.starts[0] == np.datetime64("2024-12-30") and len(usual.starts) == 13
    assert usual.spend["tv"] == pytest.approx(past[:, :12])


def test_treated_geos_get_the_multiple_and_control_geos_the_usual(usual):
    (made,) = reservations(usual, [as_kept(TEST)])
    money = usual.spend["tv"]
    assert list(made.weeks) == ["2025-02-10", "2025-02-17"]
    kept = money[[0, 2]].sum(axis=0)[6:8]
    assert list(made.weeks.values()) == pytest.approx(kept, abs=0.02)
    assert made.geos["g1"] == (pytest.approx(money[1, 6:8].sum(), abs=0.01), 0.0)
    assert made.geos["g0"][0] == made.geos["g0"][1]


def test_a_test_that_begins_within_a_week_fixes_its_part_of_it(usual):
    (made,) = reservations(usual, [as_kept(TEST | {"start": "2025-02-12", "geos": []})])
    whole = usual.spend["tv"].sum(axis=0)[6:8]
    expected = [whole[0] * 2 / 7, 0.0]
    assert list(made.weeks.values()) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(
    "changes",
    [
        {"readout": {"p": 0.1}},
        {"in_model": True},
        {"start": "2024-11-04", "end": "2024-12-01"},
        {"start": "2026-02-02", "end": "2026-03-01"},
        {"start": "", "end": ""},
        {"start": "soon"},
        {"channels": ["radio"]},
        {"geos": ["nowhere"]},
        {"multiple": None},
    ],
)
def test_tests_that_are_over_or_say_too_little_fix_nothing(usual, changes):
    assert reservations(usual, [as_kept(TEST | changes)]) == ()


def test_two_tests_of_a_channel_count_each_week_of_a_geo_once(usual):
    other = TEST | {"name": "tv up", "multiple": 1.5, "geos": ["g2"]}
    first, second = reservations(usual, [as_kept(TEST), as_kept(other)])
    money = usual.spend["tv"][:, 6:8]
    both = money[0] + 1.5 * money[2]
    for made in (first, second):
        assert list(made.weeks.values()) == pytest.approx(both, abs=0.02)
    for place, geo in enumerate(usual.geos):
        was = first.geos[geo][0] + second.geos[geo][0]
        assert was == pytest.approx(money[place].sum(), abs=0.02)


def test_two_tests_of_a_geo_have_their_parts_of_the_week_between_them(usual):
    early = TEST | {"end": "2025-02-12"}
    late = TEST | {"name": "tv off again", "start": "2025-02-15", "end": "2025-02-23"}
    first, _ = reservations(usual, [as_kept(early), as_kept(late)])
    money = usual.spend["tv"][:, 6]
    left = money[[0, 2]].sum() + money[1] * 2 / 7
    assert first.weeks["2025-02-10"] == pytest.approx(left, abs=0.02)


def test_two_tests_that_want_different_spend_are_both_named(usual):
    other = TEST | {"name": "tv up", "multiple": 1.5}
    with pytest.raises(SpecError, match="tv off and tv up both change tv"):
        reservations(usual, [as_kept(TEST), as_kept(other)])
