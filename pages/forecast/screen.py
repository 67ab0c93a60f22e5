"""Forecast: what comes next under the plan, and will it reach the goal?"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.charts.drawing.marks import period
from core.errors import WorkspaceError
from core.service.projects.settings import load_project
from core.service.records.fit import Run
from core.service.records.forecast import horizon_to_come, outlook
from core.service.runs import result_files
from core.text.languages.language import marked, say
from pages.forecast import backtest, plan
from pages.forecast import view as forecast_view
from pages.ui import fit_needed, layout, navigation, planning, reading, state
from pages.ui.findings import show_error
from pages.ui.reading import Opened

_CHOICES = (4, 8, 13, 26, 52, 104, 182)


def render() -> None:
    """Draw the screen."""
    actions = layout.header(navigation.FORECAST)
    here = layout.begin()
    run = fit_needed.fit_or_empty(here, say("A forecast appears here"))
    if run is None:
        return
    view = navigation.view(
        say("View"), (marked("Outlook"), marked("Backtest")), key="forecast.view"
    )
    if view == "Backtest":
        backtest.show(here, run, reading.fit(run.folder).units, _word(run))
    elif not _is_missing(run):
        _outlook(actions, here, run)


def _word(run: Run) -> str:
    """What a period of the fit's data is called."""
    try:
        weeks = reading.result_dataset(run.folder, "weeks")
    except WorkspaceError:  # the backtest stands without it
        return "period"
    return period(weeks["time"].to_numpy())


def _outlook(actions: DeltaGenerator, here: Opened, run: Run) -> None:
    """The periods to come."""
    fit = reading.fit(run.folder)
    units = fit.units
    try:
        view = reading.result_dataset(run.folder, "forecast")
        weeks = reading.result_dataset(run.folder, "weeks")
    except WorkspaceError as error:
        show_error(error)
        navigation.go_button(navigation.FIT, say("Fit again"))
        return
    fit_needed.doubts(here, run, fit, is_said=False)
    with st.container(horizontal=True, vertical_alignment="top"):
        n = _periods(view.sizes["time"], period(weeks["time"].to_numpy()))
        days = view["time"].to_numpy()[:n].astype("datetime64[D]").astype(str)
        horizon = horizon_to_come(view.attrs, days.tolist())
        of_plan = plan.of_plan(here, view, horizon)
    typed = plan.typed(run, view, of_plan)
    multipliers = of_plan.multiples | typed
    forecast = plan.forecast(run, view, n, of_plan, typed)
    before = forecast["year_before"].to_numpy().astype(float)
    columns = st.columns(4, gap="small")
    table = outlook(forecast)
    with layout.card(columns[2]):
        goal = planning.goal(float(before.sum()), units, horizon, key="forecast.goal")
        st.caption(forecast_view.goal(goal, float(before.sum()), units, horizon))
    forecast_view.tiles(columns, forecast, table, goal, units, horizon)
    with st.container(key="forecast-charts"):
        left, right = st.columns([6, 5], gap="medium")
    key = (n, tuple(sorted(multipliers.items())), table.total.mean)
    with left:
        forecast_view.periods(run, weeks, table.weeks, before, horizon, key)
        some = view.isel(time=slice(n))
        plan.table(run, some, of_plan, multipliers, units, horizon)
    with right:
        forecast_view.parts(run, forecast, key)
        with st.expander(say("Odds of other goals"), icon=":material/flag:"):
            forecast_view.odds(run, forecast, goal, key)
    with actions:
        forecast_view.download(table.weeks, here.name)
        navigation.go_button(navigation.PLAN, say("Plan the budget"))


def _periods(longest: int, word: str) -> int:
    """How many periods are shown."""
    choices = [n for n in _CHOICES if n < longest] + [longest]
    usual = next(n for n in choices if n >= min(13, longest))
    if state.widget("forecast.periods", None) not in choices:
        by_name = {str(n): n for n in choices}
        first = by_name.get(navigation.asked("forecast.periods") or "", usual)
        state.put("forecast.periods", first)
    periods = st.segmented_control(
        say("{periods} to come", periods=fmt.periods_heading(word)),
        choices,
        required=True,
        key="forecast.periods",
        persist_state="session",
    )
    navigation.remember("forecast.periods", None if periods == usual else str(periods))
    return periods


def _is_missing(run: Run) -> bool:
    """Whether the fit left no forecast behind; says why, and what to do."""
    if "forecast.nc" in result_files(run.folder):
        return False
    if load_project(run.folder).spec.is_structural:
        layout.empty(
            say("This fit has no forecast"),
            say(
                "It was made before Mixwright could forecast, or its data are too "
                "short. A new fit has one."
            ),
            navigation.FIT,
            say("Go to Fit"),
        )
    else:
        layout.empty(
            say("A baseline of knots cannot be forecast"),
            say(
                "Knots say nothing about the time after the last one. Choose the "
                "structural baseline on the Model screen, then fit."
            ),
            navigation.MODEL,
            say("Go to Model"),
        )
    return True
