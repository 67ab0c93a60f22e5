"""The Plan screen pays for what channels make us spend on a mediator, if asked to."""

from dataclasses import replace

import numpy as np

from core.analysis.response.by_way import Mediated
from pages.ui import planning
from tests.pages import worlds
from tests.pages.said import CONSTRAINED, edition, is_sound, texts, unfold


def test_a_share_of_a_mediator_that_is_bought(screen, fitted, monkeypatch):
    plain = planning.curves_of

    def with_clicks(files):
        curves = plain(files)
        size = np.where(np.arange(len(curves.names)) == 0, 0.25, 0.0) * curves.spend
        spent = np.zeros_like(curves.value) + size[:, None] * curves.grid
        slope = np.zeros_like(spent) + size[:, None]
        none = np.zeros_like(spent)
        parts = (none, none), (spent, slope), np.ones(curves.n_draws)
        clicks = Mediated("Clicks", curves.names, curves.grid, *parts)
        return replace(curves, mediators=(clicks,))

    monkeypatch.setattr(planning, "curves_of", with_clicks)
    at = screen("plan", worlds.MARKET, **CONSTRAINED)
    unfold(at, "plan.rare")
    assert is_sound(at.run())
    usual = at.session_state["plan.budget"]
    field = at.number_input(key=f"plan.more.bought.0.{edition(at, 'more')}")
    assert field.value is None
    field.set_value(100.0).run()
    assert is_sound(at)
    assert at.session_state["draft.more.now"].bought == (("Clicks", 1.0),)
    assert at.session_state["plan.budget"] > usual
    assert "also pays for what channels make us spend elsewhere" in texts(at)
    again = screen("plan", worlds.MARKET, draft=at.query_params["draft"])
    assert is_sound(again)
    assert again.session_state["draft.more.now"].bought == (("Clicks", 1.0),)


def test_demand_behind_a_mediator_and_the_kpi_names_both(screen, fitted, monkeypatch):
    plain = planning.curves_of

    def with_clicks(files):
        curves = plain(files)
        value, slope = 0.3 * curves.value, 0.3 * curves.slope
        parts = (value, slope), (0 * value, 0 * slope), np.full(curves.n_draws, 0.2)
        clicks = Mediated("Clicks", curves.names, curves.grid, *parts)
        return replace(curves, mediators=(clicks,))

    monkeypatch.setattr(planning, "curves_of", with_clicks)
    at = screen("plan", worlds.MARKET)
    assert is_sound(at)
    assert "hidden demand moves Clicks and Orders alike" in texts(at)


def test_weeks_pay_for_what_the_plan_over_channels_buys(screen, fitted, monkeypatch):
    plain, begun = planning.curves_of, []

    def with_clicks(files):
        curves = plain(files)
        size = np.where(np.arange(len(curves.names)) == 0, 0.25, 0.0) * curves.spend
        slope = np.zeros_like(curves.value) + size[:, None]
        parts = (0 * slope, 0 * slope), (slope * curves.grid, slope)
        clicks = Mediated(
            "Clicks", curves.names, curves.grid, *parts, np.ones(curves.n_draws)
        )
        return replace(curves, mediators=(clicks,))

    monkeypatch.setattr(planning, "curves_of", with_clicks)
    monkeypatch.setattr(
        "core.service.plans.start_weeks", lambda run, table: begun.append(table)
    )
    at = screen("plan", worlds.MARKET, **CONSTRAINED)
    unfold(at, "plan.rare")
    at.run()
    at.number_input(key=f"plan.more.bought.0.{edition(at, 'more')}").set_value(100.0)
    at = at.run()
    at.segmented_control(key="plan.over").set_value("Weeks")
    at = at.run()
    assert is_sound(at)
    assert "flight.teach" not in [each.key for each in at.toggle]  # refused with them
    at.button(key="flight.go").click()
    assert is_sound(at.run())
    (table,) = begun
    assert table["mediator"] == {"Clicks": {"bought": 1.0}}
    first, *_ = table["channel"].values()
    assert first["max"] < 1.25 * table["budget"]  # its own spend, not what it causes
