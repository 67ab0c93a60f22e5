"""What a test did: what the fit before made of it, and how the plan moved."""

from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from core.data.experiments.entry import Entry
from core.experiments.movement import believed, plan_moved
from tests.experiments.geo_panels import market

ENTRY = Entry(
    channel="c0",
    geos=("g00", "g03"),
    start="2024-03-04",
    end="2024-03-31",
    multiple=0.0,
)


def ran_of(made, name):
    """Spend of the test's weeks over the mean, in its geos."""
    money = made.panel.spend[name][made.panel.is_in(ENTRY.geos)].sum(axis=0)
    inside = made.panel.within(ENTRY.start, ENTRY.end)
    return money[inside].mean() / money.mean(), money[inside].sum()


def believed_mean(made, **changes):
    return believed(made, structs.replace(ENTRY, **changes), made.panel)["mean"]


def test_what_was_believed_is_the_effect_of_the_spend_that_ran():
    made = market(3, 12, seed=1)
    level, _ = ran_of(made, "c0")
    change, _ = made.difference("c0", tuple(ENTRY.geos), 0.0, level)
    expected = -change.mean() * 4 / 104 * made.seen("c0", 4)
    assert believed_mean(made) == pytest.approx(expected)
    assert believed_mean(made, multiple=0.5) < expected
    both = believed_mean(made, together_with=("c1",))
    assert both == pytest.approx(expected + believed_mean(made, channel="c1"))


def test_the_other_arm_may_be_an_amount_where_nothing_ran():
    made = market(3, 12, seed=1)
    _, money = ran_of(made, "c0")
    usual = believed_mean(made)
    spend = {name: each.copy() for name, each in made.panel.spend.items()}
    inside = made.panel.within(ENTRY.start, ENTRY.end)
    spend["c0"][np.ix_(made.panel.is_in(ENTRY.geos), inside)] = 0.0
    dark = replace(made.panel, spend=spend)
    entry = structs.replace(ENTRY, amount=float(money), multiple=None)
    assert believed(made, entry, dark)["mean"] == pytest.approx(usual)


@pytest.mark.parametrize(
    "changes",
    [
        {"channel": "radio"},
        {"geos": ("nowhere",)},
        {"start": "2031-01-06", "end": "2031-02-02"},
        {"multiple": 1.0, "channel": "c0", "start": "2031-01-06", "end": "2031-01-07"},
    ],
)
def test_a_test_that_the_fit_knows_nothing_of_has_no_belief(changes):
    made = market(3, 12, seed=1)
    assert believed(made, structs.replace(ENTRY, **changes), made.panel) is None


def test_the_same_fit_twice_moves_nothing():
    made = market(4, 12, seed=2)
    moved = plan_moved(made, made)
    assert moved.moved == 0
    assert moved.worth.mean == pytest.approx(0, abs=1e-6)
    assert moved.budget == pytest.approx(made.curves.spend.sum() / 2, rel=0.01)


def test_a_channel_that_turns_out_stronger_gets_money_and_that_is_worth_some():
    before = market(4, 12, seed=2)
    curves = before.curves
    value, slope = curves.value.copy(), curves.slope.copy()
    value[:, 1], slope[:, 1] = 4 * value[:, 1], 4 * slope[:, 1]
    after = replace(before, curves=replace(curves, value=value, slope=slope))
    moved = plan_moved(before, after)
    (own,) = [each for each in moved.channels if each.name == "c1"]
    assert own.after > own.before
    assert sum(each.after for each in moved.channels) == pytest.approx(moved.budget)
    assert moved.worth.mean > 0 and moved.moved > 0
    assert moved.worth.probability_positive > 0.5


def test_fits_of_other_channels_have_no_plan_to_compare():
    assert plan_moved(market(3, 12, seed=2), market(4, 12, seed=2)) is None


def test_a_longer_history_alone_moves_nothing():
    """The same response per week, over twice the weeks."""
    short = market(4, 12, seed=2)
    curves = short.curves
    twice = replace(
        curves,
        spend=2 * curves.spend,
        value=2 * curves.value,
        slope=2 * curves.slope,
    )
    long = replace(short, curves=twice, n_times=2 * short.n_times)
    assert plan_moved(short, long).share == pytest.approx(0, abs=1e-6)
