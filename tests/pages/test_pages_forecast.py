"""The Forecast screen: what comes, its parts, the odds of a goal, and other plans."""

import json

import numpy as np
import pytest

from core.model.spec import ChannelSpec, ModelSpec
from core.project.plans.plans import mark_plan, save_plan
from pages.forecast import backtest as backtest_view
from tests.charts import synthetic
from tests.pages import worlds
from tests.pages.said import is_sound, texts
from tests.plan.records import AHEAD, line, record


def metric(at, label: str) -> str:
    return next(str(one.value) for one in at.metric if one.label == label)


#: What the forecast is of, with its periods.
REVENUE = "Revenue, next 13 weeks"


def test_data_shorter_than_a_year_are_not_called_last_year(screen, home, monkeypatch):
    usual, short = synthetic.forecast, synthetic.ATTRS | {"horizon_repeated": 1}
    monkeypatch.setattr(synthetic, "forecast", lambda: usual(attrs=short))
    worlds.fit(worlds.project())
    at = screen("forecast", worlds.MARKET)
    assert is_sound(at)
    assert "Change over what ran" in [one.label for one in at.metric]
    assert "; the data's weeks as they ran: " in texts(at)
    assert "last year" not in texts(at)


def test_without_a_project_or_a_fit(screen, home):
    assert "No project is open" in texts(screen("forecast"))
    worlds.project()
    at = screen("forecast", worlds.MARKET)
    assert is_sound(at)
    assert "Not fitted yet" in texts(at)


def test_the_next_weeks(screen, fitted):
    at = screen("forecast", worlds.MARKET)
    assert is_sound(at)
    assert not at.error
    assert len(at.get("plotly_chart")) == 3
    assert at.segmented_control(key="forecast.periods").value == 13
    assert metric(at, REVENUE).endswith("€")
    assert "90 %" in texts(at)


def test_the_odds_of_other_goals_are_a_click_away(screen, fitted):
    at = screen("forecast", worlds.MARKET)
    (other,) = [each for each in at.expander if each.label == "Odds of other goals"]
    assert not other.proto.expanded
    assert len(other.get("plotly_chart")) == 1


def test_odds_fall_with_the_goal(screen, fitted):
    at = screen("forecast", worlds.MARKET)
    at.text_input(key="forecast.goal.typed").set_value(str(1.0)).run()
    assert metric(at, "Goal odds") == ">\u00a099\u00a0%"
    at.text_input(key="forecast.goal.typed").set_value(str(1e9)).run()
    assert metric(at, "Goal odds") == "<\u00a01\u00a0%"
    assert is_sound(at)


@pytest.mark.parametrize("n", [4, 52])
def test_other_horizons(screen, fitted, n):
    at = screen("forecast", worlds.MARKET)
    before = metric(at, REVENUE)
    at.segmented_control(key="forecast.periods").set_value(n).run()
    assert is_sound(at)
    assert metric(at, f"Revenue, next {n} weeks") != before


def test_another_plan_moves_it(screen, fitted):
    at = screen("forecast", worlds.MARKET)
    before = metric(at, REVENUE)
    (run,) = (fitted / "runs").iterdir()
    at.session_state[f"forecast.plan.{run.name}.before"] = {
        "edited_rows": {0: {"multiple": 3.0}},
        "added_rows": [],
        "deleted_rows": [],
    }
    at.run()
    assert metric(at, REVENUE) != before


def test_what_has_no_forecast_says_why(screen, home):
    folder = worlds.project()
    worlds.fit(folder, has_forecast=False)
    assert "This fit has no forecast" in texts(screen("forecast", worlds.MARKET))


def test_knots_have_none(screen, home):
    kinds = dict(zip(synthetic.NAMES, synthetic.KINDS, strict=True))
    channels = tuple(ChannelSpec(name, kind) for name, kind in kinds.items())
    folder = worlds.project(spec=ModelSpec(channels=channels, knots=3))
    worlds.fit(folder, has_forecast=False)
    at = screen("forecast", worlds.MARKET)
    assert "A baseline of knots cannot be forecast" in texts(at)
    assert at.button(key="go.model")


def test_channels_say_data_or_prior(screen, fitted):
    at = screen("channels", worlds.MARKET)
    assert list(at.dataframe[0].value["evidence"].dropna())[-1] == "mostly assumed"
    assert "What would help the plan most: Print moved only 9 %" in texts(at)
    assert "Knowing its response exactly would be worth about" in texts(at)


def backtest(screen):
    at = screen("forecast", worlds.MARKET)
    return at.segmented_control(key="forecast.view").set_value("Backtest").run()


def test_a_backtest_is_started_in_the_queue(screen, fitted, monkeypatch):
    started = []
    monkeypatch.setattr(
        backtest_view.runs, "submit_all", lambda runs: started.extend(runs) or {}
    )
    at = backtest(screen)
    assert is_sound(at)
    assert "without looking ahead" in texts(at)
    at.number_input(key="backtest.folds").set_value(2).run()
    at.button(key="backtest.start").click().run()
    assert is_sound(at)
    assert len(started) == 2 + 4  # origins, and refits without 0, 4, 8, 12 periods


def test_what_a_backtest_found(screen, fitted):
    worlds.backtest(fitted)
    at = backtest(screen)
    assert is_sound(at)
    assert metric(at, "Error of the forecasts") == "2.0\u00a0%"
    assert metric(at, "Against last year's values") == "80\u00a0% smaller"
    assert metric(at, "Against Meridian's baseline") == "60\u00a0% smaller"
    assert len(at.get("plotly_chart")) == 1
    assert len(at.dataframe) == 2
    columns = json.loads(at.dataframe[0].proto.columns)
    heads = {column.get("label") for column in columns.values()}
    assert {"All data", *(f"Without the last {n}" for n in (4, 8, 12))} <= heads


def test_parts_that_failed_are_named(screen, fitted):
    worlds.backtest(fitted, state="failed")
    at = backtest(screen)
    assert not at.exception
    assert "Left out the origin after 140 periods" in texts(at)


def test_the_plan_of_record_is_followed(screen, fitted):
    (run,) = (fitted / "runs").iterdir()
    at = screen("forecast", worlds.MARKET)
    before = metric(at, REVENUE)
    assert at.selectbox(key="forecast.of").value == "before"
    more = record(
        line("TV", 200.0, 100.0), name="Twice", run_id=run.name, horizon=AHEAD
    )
    plan = save_plan(fitted, more)
    mark_plan(fitted, plan.plan_id)
    at = screen("forecast", worlds.MARKET)
    assert is_sound(at)
    assert at.selectbox(key="forecast.of").value == plan.plan_id
    assert metric(at, REVENUE) != before
    frame = at.dataframe[0].value.set_index("channel")
    assert frame.loc["TV", "multiple"] == 2.0
    assert (frame["multiple"].drop("TV") == 1.0).all()


def test_a_plan_with_a_channel_without_history_is_followed(screen, fitted):
    (run,) = (fitted / "runs").iterdir()
    at = screen("forecast", worlds.MARKET)
    names = set(at.dataframe[0].value["channel"])
    new = line("Podcast", 5.2e6, 0.0, is_belief=True)
    plan = record(
        line("TV", 100.0, 100.0),
        new,
        name="With podcasts",
        run_id=run.name,
        horizon=AHEAD,
        scenario={"belief": {"Podcast": {"spend": 5.2e6, "roi": [2.0, 4.0]}}},
    )
    before = metric(at, REVENUE)
    mark_plan(fitted, save_plan(fitted, plan).plan_id)
    at = screen("forecast", worlds.MARKET)
    assert is_sound(at)
    assert metric(at, REVENUE) != before
    assert set(at.dataframe[0].value["channel"]) == names
    said = texts(at).replace("\u00a0", " ")
    assert "which bring what you believe: Podcast 1.30 M €" in said
    assert "Podcast" in at.get("plotly_chart")[1].proto.spec + (
        at.get("plotly_chart")[2].proto.spec
    )


def test_the_plan_being_worked_on_comes_first(screen, fitted):
    at = screen("plan", worlds.MARKET)
    assert is_sound(at)
    assert "to reach" in texts(at) and "with last year's media" in texts(at)
    working = at.session_state["draft.plan.working"]
    assert working.over == "channels" and working.name == ""


def test_a_plan_of_weeks_can_be_followed(screen, fitted):
    (run,) = (fitted / "runs").iterdir()
    first = np.datetime64(AHEAD.start)
    weeks = tuple(str(first + 7 * place) for place in range(AHEAD.periods))
    early = tuple(5e5 * (place < 4) for place in range(AHEAD.periods))
    plan = record(
        line("TV", sum(early), 3e6, weeks=early),
        name="Burst",
        run_id=run.name,
        over="weeks",
        horizon=AHEAD,
        weeks=weeks,
    )
    plan = save_plan(fitted, plan)
    at = screen("forecast", worlds.MARKET)
    before = metric(at, REVENUE)
    at.selectbox(key="forecast.of").set_value(plan.plan_id).run()
    assert is_sound(at)
    assert metric(at, REVENUE) != before
    frame = at.dataframe[0].value.set_index("channel")
    assert frame.loc["TV", "planned"] == "2,000,000"
    at.segmented_control(key="forecast.periods").set_value(4).run()
    frame = at.dataframe[0].value.set_index("channel")
    assert frame.loc["TV", "planned"] == "2,000,000"  # all of it in these weeks


def test_a_doubtful_fit_is_said_before_its_numbers(screen, home):
    worlds.fit(worlds.project(), "doubtful")
    at = screen("forecast", worlds.MARKET)
    kinds = [element.type for element in at.main]
    badge = next(
        place
        for place, element in enumerate(at.main)
        if element.type == "markdown" and "doubtful" in element.value
    )
    assert badge < kinds.index("metric")
