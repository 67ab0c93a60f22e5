"""By hand: sliders, what they bring, scenarios side by side, and the plan they make."""

import pytest

from tests.pages import worlds
from tests.pages.said import is_sound

RESULTS = [
    "Total",
    "Revenue from the planned spend",
    "Gain",
    "Odds of a gain",
]


@pytest.fixture
def by_hand(screen, fitted):
    at = screen("plan", worlds.MARKET)
    return at.segmented_control(key="plan.over").set_value("By hand").run()


def table(at):
    (shown,) = at.table
    return shown.value


def test_it_begins_with_the_best_plan_and_has_a_total(by_hand):
    assert is_sound(by_hand)
    shown = table(by_hand)
    assert list(shown.columns) == ["Same weeks last year", "Best plan", "A"]
    assert (shown["A"] == shown["Best plan"]).all()
    assert set(RESULTS) <= set(shown.index)
    assert shown["Same weeks last year"]["Gain"] == "–"
    assert len(by_hand.slider) == 4


def test_the_outcome_follows_a_slider_and_scenarios_are_kept(by_hand):
    before = table(by_hand)["A"]
    by_hand.slider[0].set_value(150).run()
    after = table(by_hand)["A"]
    for row in ("Total", "Revenue from the planned spend", "TV"):
        assert after[row] != before[row]
    by_hand.button(key="hand.keep.B").click().run()
    by_hand.slider[0].set_value(50).run()
    shown = table(by_hand)
    assert (shown["B"] == after).all()
    assert shown["A"]["TV"] != shown["B"]["TV"]
    by_hand.button(key="hand.ran").click().run()
    shown = table(by_hand)
    assert (shown["A"] == shown["Same weeks last year"]).all()


def test_what_the_sliders_count_is_said_once(by_hand):
    assert not any(slider.help for slider in by_hand.slider)
    said = [text.value for text in by_hand.caption]
    assert said.count("Percent of what the same weeks last year cost.") == 1


def test_amounts_become_the_plan(by_hand):
    by_hand.button(key="hand.ran").click().run()
    by_hand.slider[1].set_value(120).run()
    by_hand.button(key="hand.use").click().run()
    assert is_sound(by_hand)
    limits = by_hand.session_state["draft.limits.now"]
    assert all(limit.low == limit.high for limit in limits.values())
    total = sum(limit.low for limit in limits.values())
    assert by_hand.session_state["plan.budget"] == pytest.approx(total)


def test_sliders_and_scenarios_are_undone_and_done_again(by_hand):
    def undo():
        return by_hand.button(key="hand.undo")

    def redo():
        return by_hand.button(key="hand.redo")

    assert undo().disabled and redo().disabled
    first = table(by_hand)
    by_hand.slider[0].set_value(150).run()
    by_hand.button(key="hand.keep.B").click().run()
    moved = table(by_hand)
    by_hand.button(key="hand.ran").click().run()
    undo().click().run()
    assert table(by_hand).equals(moved)
    undo().click().run()
    assert "B" not in table(by_hand).columns
    undo().click().run()
    assert table(by_hand).equals(first)
    assert undo().disabled
    redo().click().run()
    assert by_hand.slider[0].value == 150
