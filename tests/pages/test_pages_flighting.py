"""The Flighting screen: what is asked, what is refused, and a plan of weeks shown."""

import json

import numpy as np
import pandas as pd
import xarray as xr

from core.jobs import executor
from core.workspace import runs
from core.workspace.flights import asked, flights, new_flight
from core.workspace.run_state import write_state
from tests.charts import synthetic
from tests.pages import worlds
from tests.pages.said import is_sound, texts

N = 26


def flight_result(fit, *, state: str = "done"):
    """A plan of weeks as a worker leaves it."""
    made = new_flight(fit, {"weeks": {"count": N}})
    write_state(made, state, message="" if state == "done" else "It broke.")
    if state != "done":
        return made
    weeks = pd.date_range("2024-01-01", periods=N, freq="7D")
    rng = np.random.default_rng(0)
    spend = np.round(rng.uniform(1e4, 5e4, (len(synthetic.PAID), N)), 2)
    after = 8
    times = np.full(N + after, 1e5)
    dataset = xr.Dataset(
        {
            "spend": (("channel", "week"), spend),
            "beyond_seen": (("channel", "week"), spend > 4.9e4),
            "outcome_time": ("time", times),
            "outcome_time_ci": (
                ("time", "ci"),
                np.stack([0.8 * times, 1.2 * times], 1),
            ),
            "inherited_time": ("time", np.linspace(2e4, 0, N + after)),
        },
        coords={"channel": list(synthetic.PAID), "week": weeks},
        attrs={"currency": "EUR", "outcome_unit": "revenue"},
    )
    estimate = synthetic.estimate(2e6, 1e5)
    gain = estimate | {"probability_positive": 0.93}
    told = {
        "budget": float(spend.sum()),
        "weeks": [str(week)[:10] for week in weeks],
        "channels": [
            {"name": name, "weeks": row.tolist(), "beyond_seen": (row > 4.9e4).tolist()}
            for name, row in zip(synthetic.PAID, spend, strict=True)
        ],
        "outcome": {"planned": estimate},
        "inherited": estimate,
        "terminal": estimate,
        "gain_over_current": gain,
        "gain_over_even": gain,
        "bound": {"best_possible": 2.1e6, "gap": 0.004},
        "advice": "change",
        "reasons": [],
    }
    with runs.write_result(made) as result:
        dataset.to_netcdf(result / "flight.nc", engine="h5netcdf")
        (result / "flight.json").write_text(json.dumps(told))
    return made


def the_fit(folder):
    return runs.latest_fit(folder).folder


def test_without_a_project_or_a_fit(screen, home):
    assert "No project is open" in texts(screen("flighting"))
    worlds.project()
    at = screen("flighting", worlds.MARKET)
    assert is_sound(at)
    assert "Not fitted yet" in texts(at)


def test_last_years_weeks_before_there_is_a_plan(screen, fitted):
    at = screen("flighting", worlds.MARKET)
    assert is_sound(at)
    assert not at.error
    assert len(at.get("plotly_chart")) == 1
    assert "Plan the budget first" in texts(at)
    assert not at.button(key="flight.go").disabled


def test_optimise_starts_a_run_with_what_was_asked(screen, fitted, monkeypatch):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    at = screen("flighting", worlds.MARKET)
    at.number_input(key="flight.count").set_value(13).run()
    at.button(key="flight.go").click().run()
    assert is_sound(at)
    (run,) = submitted
    fit, table = asked(run)
    assert fit == the_fit(fitted)
    assert table["weeks"]["count"] == 13
    assert table["within_seen"] is True
    assert [one.folder for one in flights(fitted, fit.name)] == [run]


def test_a_booked_week_is_part_of_the_wish(screen, fitted, monkeypatch):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    at = screen("flighting", worlds.MARKET)
    start = at.selectbox(key="flight.start").value
    key = f"flight.booked.{the_fit(fitted).name}.{N}.{start}.0"
    edits = {"edited_rows": {0: {start: 1234.5}}, "added_rows": [], "deleted_rows": []}
    at.session_state[key] = edits
    at.run()
    at.button(key="flight.go").click().run()
    _, table = asked(submitted[0])
    assert table["channel"]["TV"]["weeks"] == {start: 1234.5}


def test_what_cannot_be_met_is_refused_at_once(screen, fitted):
    at = screen("flighting", worlds.MARKET)
    start = at.selectbox(key="flight.start").value
    at.number_input(key=f"flight.budget.{N}.{start}").set_value(9e9).run()
    assert is_sound(at)
    assert "The limits leave room for" in texts(at) or "can take" in texts(at)
    assert at.button(key="flight.go").disabled


def test_a_plan_of_weeks(screen, fitted):
    flight_result(the_fit(fitted))
    at = screen("flighting", worlds.MARKET)
    assert is_sound(at)
    assert len(at.get("plotly_chart")) == 2
    assert "best possible plan" in texts(at)
    assert "cells beyond spend seen" in texts(at)
    assert "93" in texts(at)
    at.button(key="flight.book").click().run()
    assert is_sound(at)


def test_a_plan_that_failed_says_why(screen, fitted):
    flight_result(the_fit(fitted), state="failed")
    at = screen("flighting", worlds.MARKET)
    assert is_sound(at)
    assert "It broke." in texts(at)
