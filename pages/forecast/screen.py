"""Forecast: what comes next under the plan, and will it reach the goal?"""

from collections.abc import Hashable, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
import xarray as xr
from msgspec.structs import asdict
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.charts import forecast as figures
from core.charts.drawing.marks import period
from core.errors import WorkspaceError
from core.estimate import estimate
from core.service.projects.settings import load_project
from core.service.records.fit import Run
from core.service.records.forecast import (
    Outlook,
    Period,
    goal_odds,
    horizon_to_come,
    outlook,
)
from core.service.records.plan import Horizon
from core.service.runs import result_files
from core.text.languages.language import marked, say
from pages.forecast import backtest, plan
from pages.ui import drawn, fit_needed, layout, navigation, planning, reading, state
from pages.ui.findings import plain, show_error
from pages.ui.reading import Opened
from pages.ui.tables import csv

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
        st.caption(_goal_in_short(goal, float(before.sum()), units, horizon))
    _tiles(columns, forecast, table, goal, units, horizon)
    with st.container(key="forecast-charts"):
        left, right = st.columns([6, 5], gap="medium")
    key = (n, tuple(sorted(multipliers.items())), table.total.mean)
    with left:
        _figure_of_periods(run, weeks, table.weeks, before, horizon, key)
        some = view.isel(time=slice(n))
        plan.table(run, some, of_plan, multipliers, units, horizon)
    with right:
        _figure_of_parts(run, forecast, key)
        with st.expander(say("Odds of other goals"), icon=":material/flag:"):
            _figure_of_odds(run, forecast, goal, key)
    with actions:
        _download(table.weeks, here.name)
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


def _tiles(
    columns,
    forecast: xr.Dataset,
    table: Outlook,
    goal: float | None,
    units: fmt.Units,
    horizon: Horizon,
) -> None:
    """Total of these periods, change over a year earlier, and the odds of the goal."""
    word = period(forecast["time"].to_numpy())
    window = say(
        "{start} to {end}", start=fmt.date(table.start), end=fmt.date(table.end)
    )
    total = forecast["outcome"].sum("time").to_numpy().astype(float)
    before = float(forecast["year_before"].sum())
    with layout.card(columns[0]):
        name = say(
            "{outcome}, next {periods}",
            outcome=units.outcome_name,
            periods=fmt.count(len(table.weeks), word),
        )
        layout.estimate(
            plain(name),
            units.estimate(table.total),
            say("In all periods, {window}.", window=window),
            navigation.FORECAST,
        )
    with layout.card(columns[1]):
        change = estimate(total / before - 1) if before > 0 else None
        text = fmt.estimate(change, "share", signed=True) if change else fmt.NONE
        amount, mark = units.show(before), horizon.compared_mark(is_scaled=False)
        about = say("Against {ran}: {before}.", ran=horizon.as_it_ran, before=amount)
        heading = say("Change over what ran")
        if horizon.has_last_year:
            heading = say("Change over last year")
        ran = f" · {mark} {amount}" if change else ""
        layout.estimate(heading, text, about, navigation.FORECAST, ran)
    with layout.card(columns[3]):
        odds_ = fmt.probability(None if goal is None else goal_odds(forecast, goal))
        st.metric(
            say("Goal odds"),
            odds_,
            help=navigation.explained(
                say(
                    "Probability that all periods together reach the goal, the ups and "
                    "downs of single periods included."
                ),
                navigation.FORECAST,
            ),
        )
        st.caption(_against(goal, table.total.mean))


def _goal_in_short(
    target: float, before: float, units: fmt.Units, horizon: Horizon
) -> str:
    """The goal in short, and whether it is the sum of what ran.

    Args:
        target: The goal.
        before: The same periods a year earlier.
        units: Words for the units.
        horizon: The periods.
    """
    amount = units.show(target)
    if target != before:
        return amount
    if horizon.has_last_year:
        return say("{goal}, as last year", goal=amount)
    return say("{goal}, as it ran", goal=amount)


def _against(goal: float | None, expected: float) -> str:
    if goal is None or expected <= 0:
        return fmt.NONE
    away = goal / expected - 1
    distance = fmt.share(abs(away))
    if away > 0:
        return say("goal {away} above the forecast", away=distance)
    return say("goal {away} below the forecast", away=distance)


def _figure_of_periods(
    run: Run,
    weeks: xr.Dataset,
    ahead: Sequence[Period],
    before: np.ndarray,
    horizon: Horizon,
    key: Hashable,
) -> None:
    """The past and the periods to come."""
    ran = horizon.compared_mark(is_scaled=False)
    make = partial(figures.periods, weeks, ahead, year_before=before, ran=ran)
    drawn.show("forecast.periods", make, key, run=run)


def _figure_of_parts(run: Run, forecast: xr.Dataset, key: Hashable) -> None:
    """Where the outcome comes from."""
    drawn.show("forecast.parts", partial(figures.parts, forecast), key, run=run)


def _figure_of_odds(
    run: Run, forecast: xr.Dataset, goal: float | None, key: Hashable
) -> None:
    """The odds of any goal."""
    drawn.show(
        "forecast.odds", partial(figures.odds, forecast, goal), key, goal, run=run
    )


def _download(ahead: Sequence[Period], name: str) -> None:
    """The periods as CSV."""

    def table() -> bytes:
        return csv(pd.DataFrame([asdict(week) for week in ahead]))

    file = f"{state.project_name() or name} forecast.csv"
    layout.download("CSV", table, file, "forecast.csv")
