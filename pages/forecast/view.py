"""Parts of the Forecast screen: tiles, figures, download."""

from collections.abc import Hashable, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
import xarray as xr
from msgspec.structs import asdict

from core import text as fmt
from core.charts import forecast as figures
from core.charts.drawing.marks import period
from core.estimate import estimate
from core.service.records.fit import Run
from core.service.records.forecast import Outlook, Period, goal_odds
from core.service.records.plan import Horizon
from core.text.languages.language import say
from pages.ui import drawn, layout, navigation, state
from pages.ui.findings import plain
from pages.ui.tables import csv


def tiles(
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


def goal(target: float, before: float, units: fmt.Units, horizon: Horizon) -> str:
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


def periods(
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


def parts(run: Run, forecast: xr.Dataset, key: Hashable) -> None:
    """Where the outcome comes from."""
    drawn.show("forecast.parts", partial(figures.parts, forecast), key, run=run)


def odds(run: Run, forecast: xr.Dataset, goal: float | None, key: Hashable) -> None:
    """The odds of any goal."""
    drawn.show(
        "forecast.odds", partial(figures.odds, forecast, goal), key, goal, run=run
    )


def download(ahead: Sequence[Period], name: str) -> None:
    """The periods as CSV."""

    def table() -> bytes:
        return csv(pd.DataFrame([asdict(week) for week in ahead]))

    file = f"{state.project_name() or name} forecast.csv"
    layout.download("CSV", table, file, "forecast.csv")
