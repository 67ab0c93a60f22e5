"""Parts of the Forecast screen: tiles, figures, download."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
import xarray as xr

from core import text as fmt
from core.analysis.ahead.outlook import goal_odds
from core.analysis.estimate import estimate
from core.charts import forecast as figures
from core.workspace.fits.runs import Run
from pages.ui import drawn, layout, state
from pages.ui.findings import plain
from pages.ui.tables import csv


def tiles(
    columns,
    made: xr.Dataset,
    told: Mapping[str, Any],
    asked: float | None,
    units: fmt.Units,
) -> None:
    """Total, change over a year earlier, and the odds of the goal."""
    kind, unit = (
        ("money", units.currency) if units.is_money else ("number", units.outcome)
    )
    window = f"{fmt.date(told['start'])} to {fmt.date(told['end'])}"
    total = made["outcome"].sum("time").to_numpy().astype(float)
    before = float(made["year_before"].sum())
    with columns[0].container(border=True, height="stretch", gap="xsmall"):
        text = fmt.estimate(told["total"], kind, unit)
        _metric(plain(units.outcome_name), text, f"In all periods, {window}.")
    with columns[1].container(border=True, height="stretch", gap="xsmall"):
        change = estimate(total / before - 1) if before > 0 else None
        text = fmt.estimate(change, "share", signed=True) if change else fmt.NONE
        about = f"Against {units.show(before)} in the same periods a year earlier."
        _metric("Change over a year", text, about)
    with columns[3].container(border=True, height="stretch", gap="xsmall"):
        odds_ = fmt.NONE if asked is None else fmt.probability(goal_odds(made, asked))
        st.metric(
            "Goal odds",
            odds_,
            help="Probability that all periods together reach the goal, from joint "
            "draws with the noise of the periods.",
        )
        st.caption(_against(asked, float(np.median(total)), units))


def _against(asked: float | None, median: float, units: fmt.Units) -> str:
    if asked is None or median <= 0:
        return fmt.NONE
    away = asked / median - 1
    side = "above" if away > 0 else "below"
    return f"goal {fmt.share(abs(away))} {side} the median {units.show(median)}"


def _metric(label: str, text: str, about: str) -> None:
    value, _, interval = text.partition(" (")
    st.metric(label, value, help=about)
    st.caption(f"90 % ({interval}" if interval else fmt.NONE)


def periods(
    run: Run,
    weeks: xr.Dataset,
    ahead: Sequence[Mapping[str, Any]],
    before: np.ndarray,
    key: Hashable,
) -> None:
    """The past and the periods to come."""
    theme = layout.theme()
    figure = drawn.of_run(
        lambda: figures.periods(weeks, ahead, year_before=before, theme=theme),
        run,
        "forecast.periods",
        key,
    )
    layout.chart(figure, "forecast.periods")


def parts(run: Run, made: xr.Dataset, key: Hashable) -> None:
    """What will make the outcome."""
    theme = layout.theme()
    figure = drawn.of_run(
        lambda: figures.parts(made, theme=theme), run, "forecast.parts", key
    )
    layout.chart(figure, "forecast.parts")


def odds(run: Run, made: xr.Dataset, asked: float | None, key: Hashable) -> None:
    """The odds of any goal."""
    theme = layout.theme()
    figure = drawn.of_run(
        lambda: figures.odds(made, asked, theme=theme),
        run,
        "forecast.odds",
        key,
        asked,
    )
    layout.chart(figure, "forecast.odds")


def download(ahead: Sequence[Mapping[str, Any]], name: str) -> None:
    """The periods as CSV."""

    def table() -> bytes:
        return csv(pd.DataFrame(list(ahead)))

    st.download_button(
        "CSV",
        data=table,
        file_name=f"{state.project_name() or name} forecast.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="forecast.csv",
    )
