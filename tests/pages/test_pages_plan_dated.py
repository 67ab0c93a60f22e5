"""Prices and values that change at a date, and channels without history, on screen."""

from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from core.jobs import executor
from core.plan.response.belief import Belief
from core.plan.response.periods import Horizon
from core.project.fits.derived import asked, derived
from core.project.fits.runs import latest_fit
from pages.plan import goal
from pages.plan.address import form
from pages.plan.more import More
from pages.plan.rare import dated
from pages.ui import planning
from tests.pages import worlds
from tests.pages.said import CONSTRAINED, edition, is_sound, texts
from tests.plan.records import line, record

YEAR = Horizon("2024-01-01", "2024-12-23", 52, as_fitted=False)


def test_odds_over_data_shorter_than_a_year_are_not_of_last_year():
    year = record(line("TV", 100.0), horizon=YEAR)
    short = structs.replace(year, horizon=replace(YEAR, is_repeated=True))
    assert goal._odds_of(year, is_typed=False) == "Odds of last year's total"
    assert goal._odds_of(short, is_typed=False) == "Odds of the total as it ran"
    assert goal._odds_of(short, is_typed=True) == "Odds of the goal"


def test_prices_and_rows_are_each_other():
    days = dated.days_of(YEAR)
    rows = (("TV", "2024-03-04", 1.1), ("TV", "2024-09-02", 0.9))
    prices = dated.by_period(rows, "TV", days)
    assert len(prices) == 52
    assert prices[:9] == (1.0,) * 9 and prices[9] == 1.1 and prices[-1] == 0.9
    assert dated.rows_of(prices, days, "TV") == rows
    assert dated.by_period(rows, "Radio", days) == ()
    # A day between two first days counts from the next period on.
    between = dated.by_period((("TV", "2024-03-05", 1.1),), "TV", days)
    assert between[9] == 1.0 and between[10] == 1.1


def test_periods_of_months_begin_on_their_first_days():
    year = Horizon("2024-03-01", "2025-02-01", 12, as_fitted=False)
    days = dated.days_of(year).astype(str).tolist()
    assert days[:3] == ["2024-03-01", "2024-04-01", "2024-05-01"]
    assert days[-1] == "2025-02-01"


def test_the_address_keeps_them():
    more = More(
        dated=(("TV", "2024-03-04", 1.1),),
        beliefs=(Belief("Podcast", 2e5, (0.8, 3.0)), Belief("Radio", 1e5)),
    )
    assert form.read(form.written(more), ("TV", "Search")) == more
    assert more.count == 3
    junk = {"dated": [["TV", "soon", 1], ["X", "2024-03-04", 1.1], 3], "new": {"a": 1}}
    assert form.read(junk, ("TV", "Search")) == More()


def test_days_that_there_are_not_and_channels_without_a_name_are_left_out():
    for day in ("2024-13-45", "2025-02-29", "0000-01-01", "20240304"):
        assert form.read({"dated": [["TV", day, 1.1]]}, ("TV",)) == More()
    assert form.read({"new": {" ": {"spend": 5.0}}}, ("TV",)) == More()


def of_next_year(screen, more):
    at = screen("plan", worlds.MARKET)
    at.session_state["draft.more"] = at.session_state["draft.more.now"] = more
    return at.run()


@pytest.mark.parametrize("view", ["Channels", "Weeks", "By hand"])
def test_a_channel_without_history_is_in_every_view(screen, fitted, view):
    more = More(beliefs=(Belief("Podcast", 2e5, (4.0, 9.0)),))
    at = of_next_year(screen, more)
    if view != "Channels":
        at = at.segmented_control(key="plan.over").set_value(view).run()
    assert is_sound(at)
    assert not at.error
    if view == "Channels":
        assert "is a belief, not a measurement" in texts(at)


def test_weeks_are_asked_for_at_the_prices_and_with_the_beliefs(
    screen, fitted, monkeypatch
):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    read = planning.response_curves

    def with_periods(stored):
        curves = read(stored)
        n = curves.horizon.periods
        return replace(curves, by_period=np.tile(curves.spend / n, (n, 1)))

    monkeypatch.setattr(planning, "response_curves", with_periods)
    more = More(
        beliefs=(Belief("Podcast", 2e5, (4.0, 9.0)),),
        dated=(("TV", "2024-03-04", 1.1),),
    )
    at = of_next_year(screen, more)
    at = at.segmented_control(key="plan.over").set_value("Weeks").run()
    assert not at.error
    at.button(key="flight.go").click().run()
    (run,) = submitted
    table = asked(run)[1]
    assert table["belief"] == {"Podcast": {"spend": 2e5, "roi": [4.0, 9.0]}}
    price = np.array(table["channel"]["TV"]["price"])
    assert len(price) == table["horizon"]["periods"]
    assert set(price) == {1.0, 1.1} and price[-1] == 1.1


def test_values_of_the_kpi_are_worked_out_once(screen, fitted, monkeypatch):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    at = screen("plan", worlds.MARKET, **CONSTRAINED)
    rows = [{"from": "2024-03-04", "price": 1.2}]
    at.session_state[f"plan.values.{edition(at, 'plan.values')}"] = {
        "edited_rows": {},
        "added_rows": rows,
        "deleted_rows": [],
    }
    at.run()
    assert is_sound(at)
    fit = latest_fit(fitted).folder
    (run,) = submitted
    assert [one.folder for one in derived(fitted, "horizon", fit.name)] == [run]
    value = asked(run)[1]["value"]
    assert set(value) == {1.0, 1.2} and value[-1] == 1.2


def test_values_of_the_kpi_stay_while_another_view_is_shown(screen, fitted):
    at = screen("plan", worlds.MARKET, **CONSTRAINED)
    rows = [{"from": "2024-03-04", "price": 1.0}]  # the curves stay as they are
    at.session_state[f"plan.values.{edition(at, 'plan.values')}"] = {
        "edited_rows": {},
        "added_rows": rows,
        "deleted_rows": [],
    }
    at = at.run()
    for view in ("Weeks", "Channels"):
        at = at.segmented_control(key="plan.over").set_value(view).run()
        assert is_sound(at)
    assert at.session_state["draft.plan.values.now"] == (("2024-03-04", 1.0),)
    assert at.session_state["draft.plan.values"] == (("2024-03-04", 1.0),)
