"""Figures of forecasts: what they draw and say."""

import numpy as np
import pytest

from core.analysis.ahead.outlook import outlook
from core.charts import forecast
from core.charts.drawing import style
from tests.charts import synthetic


@pytest.fixture(scope="module")
def made():
    return synthetic.forecast().isel(time=slice(13))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_periods_have_both_bands_and_the_past(made, theme):
    weeks = synthetic.weeks()
    ahead = outlook(made).weeks
    before = made["year_before"].to_numpy()
    with style.in_theme(theme):
        drawn = forecast.periods(weeks, ahead, year_before=before)
    assert sum(trace.fill == "toself" for trace in drawn.data) == 2
    past = next(trace for trace in drawn.data if trace.mode == "markers")
    assert len(past.x) == 26
    assert past.x.max() < np.datetime64(ahead[0].time)
    assert "Revenue to come, " in drawn.layout.title.text
    assert "€ per week" in drawn.layout.title.text
    assert drawn.layout.yaxis.title.text is None  # the title says it


def test_parts_add_up_and_name_events(made):
    drawn = forecast.parts(made)
    labels = drawn.layout.yaxis.ticktext
    assert labels[0] == "Baseline"
    assert {"Events", "TV"} <= set(labels)
    bars = next(trace for trace in drawn.data if trace.type == "bar")
    steps = np.array(bars.x)
    assert steps[:-1].sum() == pytest.approx(steps[-1])


def test_odds_fall_and_the_goal_is_marked(made):
    goal = float(made["outcome"].sum("time").median())
    drawn = forecast.odds(made, goal)
    line, mark = drawn.data
    assert (np.diff(line.y) <= 0).all()
    assert mark.text == ("50\u00a0%",) and mark.cliponaxis is False
    assert len(forecast.odds(made, None).data) == 1


def test_units_that_nobody_has_said_are_left_out(made):
    nameless = made.assign_attrs(currency="")
    weeks = synthetic.weeks().assign_attrs(currency="")
    ahead = outlook(nameless).weeks
    figures = (
        forecast.periods(weeks, ahead),
        forecast.parts(nameless),
        forecast.odds(nameless, 1.0),
    )
    assert not any("no name" in drawn.to_json() for drawn in figures)
    assert figures[0].layout.yaxis.title.text in ("thousands", "millions")


def test_hostile_names_stay_text():
    hostile = synthetic.forecast(names=synthetic.HOSTILE)
    shown = forecast.parts(hostile).to_json()
    assert "<img" not in shown
    assert "<script" not in shown
