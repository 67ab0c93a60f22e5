"""The weeks of a plan: what is asked, what is refused, and a plan of weeks shown."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from core import text as fmt
from core.errors import WorkspaceError
from core.jobs import executor
from core.plan.limits.cents import with_total
from core.plan.record.parts import Bound, Objective, Outcomes
from core.plan.record.plan_record import as_dict, with_details
from core.plan.record.teaching import Share
from core.plan.response.periods import Horizon
from core.plan.scenario.weeks import week_request
from core.project.fits import runs
from core.project.fits.derived import asked, derived, new_derived
from core.project.plans.plan_actuals import actuals_template
from core.project.plans.plans import save_plan
from core.store.results import write_result
from core.store.run_state import write_state
from pages.plan.weeks.edit import take
from tests.charts import synthetic
from tests.pages import worlds
from tests.pages.said import BOXES, CONSTRAINED, edition, is_sound, texts, unfold
from tests.pages.test_pages_plan import limit
from tests.plan.records import about, line, record
from tests.plan.teaching_record import teaching
from tests.saved_plans import plans_over

N = 52
START = "2024-01-01"
HORIZON = {"periods": N, "start": START}


def flight_result(fit, *, state: str = "done", request=None, teaches=None, shares=()):
    """A plan of weeks as a worker leaves it."""
    made = new_derived(fit, "flight", request or {"horizon": HORIZON})
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
    estimate = about(2e6, 1e5, None)
    gain = about(2e6, 1e5, 0.93)
    lines = (
        line(
            name,
            float(row.sum()),
            float(now) / 3,
            beyond_seen=bool((row > 4.9e4).any()),
            weeks=tuple(row.tolist()),
            weeks_beyond_seen=tuple((row > 4.9e4).tolist()),
            booked=(False,) * N,
        )
        for name, row, now in zip(synthetic.PAID, spend, synthetic._SPEND, strict=True)
    )
    plan = record(
        *lines,
        over="weeks",
        horizon=Horizon(**synthetic.AHEAD, as_fitted=False),
        weeks=tuple(str(week)[:10] for week in weeks),
        scenario={"horizon": HORIZON},
        outcome=Outcomes(planned=estimate, current=estimate),
        inherited=estimate,
        terminal=estimate,
        gain=gain,
        gain_over_even=gain,
        bound=Bound(2.1e6, 0.004, "concave ceiling"),
        objective=Objective("mean", 2e6),
        reasons=(),
        teaching=teaches,
        shares=shares,
    )
    with write_result(made) as result:
        dataset.to_netcdf(result / "flight.nc", engine="h5netcdf")
        (result / "flight.json").write_text(json.dumps(as_dict(plan)))
    return made


def the_fit(folder):
    return runs.latest_fit(folder).folder


def weeks_of(screen, *unfolded: str):
    """The Weeks view of the Plan screen, with some of its boxes open."""
    at = screen("plan", worlds.MARKET)
    at.session_state["flight.books"] = True
    for key in unfolded:
        unfold(at, key)
    return at.segmented_control(key="plan.over").set_value("Weeks").run()


def test_last_years_weeks_before_there_is_a_plan(screen, fitted):
    at = weeks_of(screen)
    assert is_sound(at)
    assert not at.error
    assert len(at.get("plotly_chart")) == 1
    assert not at.button(key="flight.go").disabled


def test_weeks_that_teach_are_offered_where_they_can_be_planned(screen, fitted):
    assert "flight.teach" in [each.key for each in weeks_of(screen).toggle]
    at = screen("plan", worlds.MARKET)
    at.session_state["plan.objective"] = "p10"
    at = at.segmented_control(key="plan.over").set_value("Weeks").run()
    assert is_sound(at)
    assert "flight.teach" not in [each.key for each in at.toggle]


def test_nothing_is_typed_into_an_empty_table_of_bookings(screen, fitted):
    at = screen("plan", worlds.MARKET)
    unfold(at, "flight.bookings")
    at.segmented_control(key="plan.over").set_value("Weeks").run()
    assert is_sound(at)
    assert not at.toggle(key="flight.books").value
    table = f"flight.booked.{the_fit(fitted).name}.{N}.{START}.0"
    assert table not in at.session_state
    assert "flight.free" not in [each.key for each in at.button]
    at.toggle(key="flight.books").set_value(True).run()
    assert table in at.session_state
    assert at.button(key="flight.free")


def test_optimise_starts_a_run_with_what_was_asked(screen, fitted, monkeypatch):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    at = weeks_of(screen)
    at.number_input(key="flight.spread").set_value(10).run()
    at.button(key="flight.go").click().run()
    assert is_sound(at)
    (run,) = submitted
    fit, table = asked(run)
    assert fit == the_fit(fitted)
    assert table["horizon"] == HORIZON
    assert table["within_seen"] is True
    assert sum(row["max"] for row in table["channel"].values()) > table["budget"]
    assert [one.folder for one in derived(fitted, "flight", fit.name)] == [run]


@pytest.mark.parametrize(("unit", "most"), [("%", 110), ("money", 2_000_000)])
def test_limits_and_locks_of_channels_hold_for_weeks(
    screen, fitted, monkeypatch, unit, most
):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    at = screen("plan", worlds.MARKET, **CONSTRAINED)
    at.segmented_control(key="plan.unit").set_value(unit).run()
    at = limit(at, {0: {"lock": True}, 1: {"max": most}})
    typed = at.session_state["draft.limits.now"]
    assert typed["TV"].locked
    at.segmented_control(key="plan.over").set_value("Weeks").run()
    at.number_input(key="flight.change").set_value(50.0).run()  # once more
    assert is_sound(at)
    assert at.session_state["draft.limits.now"] == typed
    at.button(key="flight.go").click().run()
    _, table = asked(submitted[0])
    tv = typed["TV"].low / 0.7  # what it spends today
    assert table["channel"]["TV"]["min"] == pytest.approx(tv, abs=2)
    at.segmented_control(key="plan.over").set_value("Channels").run()
    assert is_sound(at)
    assert at.session_state["draft.limits.now"] == typed


def test_a_booked_week_is_part_of_the_request(screen, fitted, monkeypatch):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    at = weeks_of(screen, "flight.bookings")
    key = f"flight.booked.{the_fit(fitted).name}.{N}.{START}.0"
    edits = {"edited_rows": {0: {START: 1234.5}}, "added_rows": [], "deleted_rows": []}
    at.session_state[key] = edits
    at.run()
    at.button(key="flight.go").click().run()
    _, table = asked(submitted[0])
    assert table["channel"]["TV"]["weeks"] == {START: 1234.5}


def test_booked_weeks_stay_while_others_are_shown(screen, fitted, monkeypatch):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    at = weeks_of(screen, "flight.bookings")
    key = f"flight.booked.{the_fit(fitted).name}.{N}.{START}"
    edits = {"edited_rows": {0: {START: 1234.5}}, "added_rows": [], "deleted_rows": []}
    at.session_state[f"{key}.0"] = edits
    at.run()
    later = "2024-12-23"
    last = at.selectbox(key="flight.part").set_value("2024-11-04").run()
    assert is_sound(last)
    edits["edited_rows"] = {1: {later: 500.0}}
    at.session_state[f"{key}.{edition(at, 'booked')}"] = edits
    at.run()
    at.segmented_control(key="plan.over").set_value("Channels").run()
    at.segmented_control(key="plan.over").set_value("Weeks").run()
    assert is_sound(at)
    at.button(key="flight.go").click().run()
    _, table = asked(submitted[0])
    booked = {name: row.get("weeks") for name, row in table["channel"].items()}
    assert booked["TV"] == {START: 1234.5}
    assert booked[synthetic.PAID[1]] == {later: 500.0}


def test_limits_of_weeks_are_part_of_the_request_and_come_back(
    screen, fitted, monkeypatch
):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    at = weeks_of(screen, "flight.limited")
    none = {"added_rows": [], "deleted_rows": [], "edited_rows": {}}
    limits = {"week_min": 900.0, "step": 50.0, "until": "2024-12-02"}
    at.session_state["flight.limits.0"] = none | {"edited_rows": {0: limits}}
    spans = [{"period": "2024-Q1", "least": 5e5, "most": 9e6}]
    at.session_state["flight.periods.0"] = none | {"added_rows": spans}
    at.run()
    assert is_sound(at)
    for over in ("Channels", "Weeks"):  # another view, and back
        at.segmented_control(key="plan.over").set_value(over).run()
    assert "holds no whole number of them" in at.error[0].value
    at.number_input(key="flight.spread").set_value(60).run()
    assert not at.error
    at.button(key="flight.go").click().run()
    _, table = asked(submitted[0])
    assert limits.items() <= table["channel"]["TV"].items()
    assert table["weeks"]["budget"] == {"2024-Q1": [5e5, 9e6]}
    assert "week_min" not in table["channel"][synthetic.PAID[1]]


def test_outcome_and_knowledge_are_asked_for_with_their_cost(
    screen, fitted, monkeypatch
):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    at = weeks_of(screen)
    at.toggle(key="flight.teach").set_value(True).run()
    at.number_input(key="flight.teach_cost").set_value(1.0).run()
    assert "flight.teach_spread" not in [each.key for each in at.number_input]
    at.button(key="flight.go").click().run()
    assert is_sound(at)
    _, table = asked(submitted[0])
    assert table["teach"] == {"cost": "1 %", "later": 1}


def test_a_plan_that_teaches_says_what_it_costs_and_why(screen, fitted):
    flight_result(the_fit(fitted), teaches=teaching())
    at = weeks_of(screen)
    assert is_sound(at)
    # Tiles say what it costs and brings: no sentence says it again.
    assert "Learning costs" not in texts(at)
    assert "separates carryover from level" in texts(at)
    tiles = {tile.label: tile.value for tile in at.metric[-4:]}
    assert [*tiles][:2] == ["Cost of learning", "Expected later"]
    assert [*tiles][2:] == ["Value of certainty", "Best possible, both"]
    assert not any("(" in value for value in tiles.values())  # intervals stand below


def test_geos_may_differ_to_teach_where_a_fit_has_several(screen, fitted, monkeypatch):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    worlds.fit(fitted, has_geo_curves=True)
    at = weeks_of(screen)
    at.toggle(key="flight.teach").set_value(True).run()
    at.number_input(key="flight.teach_spread").set_value(20).run()
    at.button(key="flight.go").click().run()
    assert is_sound(at)
    _, table = asked(submitted[0])
    assert table["teach"] == {"cost": "0.5 %", "later": 1, "spread": "20 %"}
    share = Share(channel="TV", geo="Harbour", usual=0.4, planned=0.48)
    told = teaching(spread=0.2)
    flight_result(the_fit(fitted), teaches=told, shares=(share,), request=table)
    at = weeks_of(screen)
    assert is_sound(at)
    assert "in Harbour instead of" in texts(at)
    tables = [each.value for each in at.dataframe]
    assert any("Harbour" in each.to_numpy().ravel() for each in tables)


def kinds_of_main_buttons(at) -> list[str]:
    keys = ("flight.go", "plan.save")
    main = [button for button in at.button if button.key in keys]
    return [button.key for button in main if button.proto.type == "primary"]


def test_one_next_step_is_the_main_button(screen, fitted):
    assert kinds_of_main_buttons(weeks_of(screen)) == ["flight.go"]
    flight_result(the_fit(fitted))
    at = weeks_of(screen)
    assert len(kinds_of_main_buttons(at)) == 1


def test_a_channel_has_a_change_of_its_own(screen, fitted, monkeypatch):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    at = weeks_of(screen, "flight.bookings")
    key = f"flight.booked.{the_fit(fitted).name}.{N}.{START}.0"
    edits = {"edited_rows": {0: {"change": 10.0}}, "added_rows": [], "deleted_rows": []}
    at.session_state[key] = edits
    at.number_input(key="flight.change").set_value(30.0).run()
    at.button(key="flight.go").click().run()
    _, table = asked(submitted[0])
    assert table["weeks"]["change"] == "30 %"
    assert table["channel"]["TV"]["change"] == "10 %"
    request = week_request(table)
    assert request.change == "30 %" and request.channels["TV"].change == "10 %"


def test_a_change_of_a_channel_comes_back_with_its_plan(screen, fitted):
    flight_result(the_fit(fitted))
    at = weeks_of(screen)
    at.button(key="plan.save").click().run()
    (plan,) = plans_over(fitted, "weeks")
    scenario = {"channel": {"TV": {"change": "10 %", "dark": [plan.weeks[1]]}}}
    changed = with_details(plan, scenario=scenario, name="Steady")
    save_plan(fitted, changed)
    chosen = {"selection": {"rows": [0], "columns": [], "cells": []}}
    at = weeks_of(screen)
    at.session_state[f"plan.saved.{edition(at, 'limits')}"] = chosen
    at.run()
    at.button(key="plan.load").click().run()
    assert is_sound(at)
    name = the_fit(fitted).name
    frame = at.session_state[f"draft.flight.booked.{name}.{N}.{START}"]
    tv = frame[frame["channel"] == "TV"].iloc[0]
    assert tv["change"] == 10.0 and tv[plan.weeks[1]] == 0.0
    assert frame["change"].isna().sum() == len(frame) - 1


def test_what_was_typed_for_weeks_is_undone_and_done_again(screen, fitted):
    at = weeks_of(screen, "flight.bookings", "flight.limited")
    assert at.button(key="flight.undo").disabled
    name = f"flight.booked.{the_fit(fitted).name}.{N}.{START}"
    none = {"added_rows": [], "deleted_rows": [], "edited_rows": {}}
    at.session_state[f"{name}.0"] = none | {"edited_rows": {0: {START: 1234.5}}}
    at.number_input(key="flight.spread").set_value(10).run()
    limits = none | {"edited_rows": {0: {"week_min": 900.0}}}
    at.session_state["flight.limits.0"] = limits
    at.number_input(key="flight.change").set_value(30.0).run()

    def typed() -> tuple:
        booked = at.session_state[f"draft.{name}.typed"][1]
        limited = at.session_state["draft.flight.limits.typed"][1]
        kept = [at.number_input(key=f"flight.{key}").value for key in _NUMBERS]
        return *kept, booked.loc[0, START], limited.loc[0, "week_min"]

    stages = [(0, None, np.nan, np.nan), (10, None, 1234.5, np.nan)]
    stages.append((10, 30.0, 1234.5, 900.0))
    np.testing.assert_equal(typed(), stages[2])
    for button, stage in (("undo", 1), ("undo", 0), ("redo", 1), ("redo", 2)):
        at.button(key=f"flight.{button}").click().run()
        assert is_sound(at)
        np.testing.assert_equal(typed(), stages[stage])
    assert at.button(key="flight.redo").disabled


_NUMBERS = ("spread", "change")


def test_what_cannot_be_met_is_refused_at_once(screen, fitted):
    at = weeks_of(screen, "flight.bookings")
    key = f"flight.booked.{the_fit(fitted).name}.{N}.{START}.0"
    edits = {"edited_rows": {0: {START: 9e9}}, "added_rows": [], "deleted_rows": []}
    at.session_state[key] = edits
    at.run()
    assert is_sound(at)
    assert "TV has" in texts(at) and "booked, and its maximum is" in texts(at)
    assert at.button(key="flight.go").disabled


def test_weeks_are_asked_for_the_objective_of_the_channels(screen, fitted, monkeypatch):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    at = screen("plan", worlds.MARKET, **CONSTRAINED)
    at.selectbox(key="plan.objective").set_value("p10").run()
    at.segmented_control(key="plan.over").set_value("Weeks").run()
    assert is_sound(at)
    at.button(key="flight.go").click().run()
    (run,) = submitted
    assert asked(run)[1]["objective"] == "p10"


def test_a_plan_of_weeks(screen, fitted):
    flight_result(the_fit(fitted))
    at = weeks_of(screen, *BOXES)
    assert is_sound(at)
    assert len(at.get("plotly_chart")) == 2
    assert "below the best plan" in texts(at)
    assert "cells beyond observed spend" in texts(at)
    assert "93" in texts(at)
    at.button(key="flight.book").click().run()
    assert is_sound(at)


def test_a_plan_of_other_limits_is_out_of_date(screen, fitted, monkeypatch):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    weeks_of(screen).button(key="flight.go").click().run()
    (run,) = submitted
    fit, request = asked(run)
    shutil.rmtree(run)
    flight_result(fit, request=request)
    at = weeks_of(screen)
    assert "below the best plan" in texts(at)
    assert "out of date" not in texts(at)
    assert "green-badge" in texts(at)
    at.number_input(key="flight.spread").set_value(10).run()
    assert is_sound(at)
    assert "out of date: budget, limits or objective have changed" in texts(at)
    assert "green-badge" not in texts(at)


def test_a_plan_that_a_command_asked_for_is_shown(screen, fitted):
    """With fewer words than the form has: no first week, no budget, no limits."""
    flight_result(the_fit(fitted), request={"horizon": {"periods": N}})
    at = weeks_of(screen)
    assert is_sound(at)
    assert "below the best plan" in texts(at)
    assert "out of date" in texts(at)  # its totals are not those of the form


def test_a_plan_that_a_command_asked_for_is_shown_by_its_link(screen, fitted):
    flight_result(the_fit(fitted), request={"horizon": {"periods": N}})
    at = weeks_of(screen)
    at.button(key="plan.save").click().run()
    (kept,) = plans_over(fitted, "weeks")
    at = screen("plan", worlds.MARKET, plan=kept.plan_id)
    assert is_sound(at)
    assert at.session_state["plan.over"] == "Weeks"
    assert "below the best plan" in texts(at)
    assert "out of date" not in texts(at)


def test_a_plan_that_failed_says_why(screen, fitted):
    flight_result(the_fit(fitted), state="failed")
    at = weeks_of(screen)
    assert is_sound(at)
    assert "It broke." in texts(at)


def test_a_plan_is_saved_loaded_and_compared(screen, fitted):
    flight_result(the_fit(fitted))
    at = weeks_of(screen)
    at.text_input(key="plan.name.1").set_value("Spring").run()
    at.text_input(key="plans.by").set_value("Ada").run()
    at.button(key="plan.save").click().run()
    assert is_sound(at)
    (kept,) = plans_over(fitted, "weeks")
    assert (kept.name, kept.by, kept.over) == ("Spring", "Ada", "weeks")
    assert kept.run_id == the_fit(fitted).name
    assert kept.scenario == {"horizon": HORIZON}
    assert plans_over(fitted, "channels") == []
    with pytest.raises(WorkspaceError, match="Spring was planned with"):
        runs.delete_run(fitted, kept.run_id)
    at = screen("compare", worlds.MARKET)
    at.segmented_control(key="compare.view").set_value("Plans").run()
    assert is_sound(at)
    assert "Spring" in at.table[0].value.columns
    rows = at.table[0].value.set_index("")
    assert rows.loc["Over", "Spring"] == "channels and weeks"
    assert len(at.get("plotly_chart")) == 2


def test_a_plan_of_weeks_against_actuals(screen, fitted):
    fit = the_fit(fitted)
    flight_result(fit)
    at = weeks_of(screen)
    at.text_input(key="plan.name.1").set_value("Spring").run()
    at.button(key="plan.save").click().run()
    (kept,) = plans_over(fitted, "weeks")
    at = screen("history", worlds.MARKET, **{"history.view": "Plan against actuals"})
    head, *rows = actuals_template(fit).strip().splitlines()
    filled = [f"{row.split(',')[0]},9e5,60000,20000,15000,8000" for row in rows]
    table = "\n".join([head, *filled]).encode()
    at.get("file_uploader")[0].set_value(("actuals.csv", table, "text/csv")).run()
    assert is_sound(at)
    said = texts(at)
    assert "of 13 weeks" in said and "the plan's weeks among these periods" in said
    tables = [each.value for each in at.dataframe]
    frame = next(each for each in tables if "By spend" in each).set_index("Channel")
    tv = next(each for each in kept.channels if each.name == "TV")
    assert frame.loc["TV", "Planned"] == fmt.money(sum(tv.weeks[:13]), "EUR")


def test_what_is_asked_goes_into_the_scenario(screen, fitted, monkeypatch):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    at = weeks_of(screen)
    at.number_input(key="flight.change").set_value(30.0).run()
    at.number_input(key="flight.discount").set_value(8.0).run()
    at.button(key="flight.go").click().run()
    assert is_sound(at)
    _, table = asked(submitted[0])
    assert table["weeks"]["change"] == "30 %"
    assert table["discount"] == "8 %"
    assert table["budget"] == pytest.approx(17e6 / 3, abs=0.01)


def test_an_edited_total_is_handed_down_and_evaluated(screen, fitted, monkeypatch):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    done = flight_result(the_fit(fitted))
    at = weeks_of(screen, "flight.amounts")
    assert at.button(key="flight.evaluate").disabled
    key = f"flight.edit.{done.name}"
    spend = json.loads((done / "result" / "flight.json").read_text())["channels"]
    rows = np.array([row["weeks"] for row in spend])
    halved = rows.copy()
    halved[0] = with_total(rows[0], np.ones(N, bool), rows[0].sum() / 2)
    at.session_state[f"draft.{key}"] = (halved, np.zeros(rows.shape, bool))
    at.run()
    at.button(key="flight.evaluate").click().run()
    assert is_sound(at)
    _, table = asked(submitted[0])
    assert table["spend"]["TV"] == halved[0].tolist()


def test_what_is_typed_is_taken_up():
    spend, locked = np.array([[10.0, 20.0], [30.0, 40.0]]), np.zeros((2, 2), bool)
    days, free = ["a", "b"], np.full(2, np.inf)
    take(spend, locked, 0, "a", 5.0, days, free)
    assert locked.tolist() == [[True, False], [False, False]]
    take(spend, locked, 0, "total", 55.0, days, free)
    assert spend[0].tolist() == [5.0, 50.0]
    take(spend, locked, 2, "a", 15.0, days, free)
    assert spend[:, 0].tolist() == [5.0, 10.0]
    take(spend, locked, 2, "total", 195.0, days, free)
    assert spend.tolist() == [[5.0, 95.0], [19.0, 76.0]]


def test_a_saved_plan_goes_back_to_the_form(screen, fitted):
    flight_result(the_fit(fitted))
    at = weeks_of(screen)
    at.button(key="plan.save").click().run()
    (plan,) = plans_over(fitted, "weeks")
    chosen = {"selection": {"rows": [0], "columns": [], "cells": []}}
    at.session_state[f"plan.saved.{edition(at, 'limits')}"] = chosen
    at.run()
    at.button(key="plan.load").click().run()
    assert is_sound(at)
    assert at.segmented_control(key="plan.over").value == "Weeks"
    assert at.session_state["plan.budget"] == plan.budget
