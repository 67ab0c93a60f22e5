"""Backtest of the project's model: would it have forecast, and do results stay?"""

from functools import partial

import streamlit as st

from core import text as fmt
from core.charts.fits import backtest as figures
from core.service import runs
from core.service.projects.comparisons import (
    Backtest,
    list_backtests,
    new_backtest,
    read_backtest,
)
from core.service.records.backtest import BacktestRecord
from core.service.records.fit import Run
from core.service.runs import status
from core.text import scores
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.view.sections import evaluation
from pages.ui import drawn, layout, navigation, reading, sections, state, words
from pages.ui.fields import gated
from pages.ui.findings import plain
from pages.ui.guard import guarded
from pages.ui.reading import Opened

_WHY = marked(
    "A backtest refits the model to the data up to several dates and forecasts what "
    "came next, without looking ahead; beside last year's values and Meridian's "
    "default baseline. It also refits without the last 4, 8 and 12 {periods} and says "
    "how far results move. It takes a few minutes and runs in the background."
)


def show(here: Opened, run: Run, units: fmt.Units, word: str) -> None:
    """The newest backtest: at work, or what it found; and a new one.

    Args:
        here: The project.
        run: The fit.
        units: Words for the units.
        word: What a period of the data is called.
    """
    studies = list_backtests(here.folder)
    newest = studies[0] if studies else None
    if newest is not None and newest.is_live:
        st.fragment(_progress, run_every="1s")(newest)
    _start(here, newest, word)
    if newest is None:
        layout.remark(_WHY, periods=fmt.periods(word))
        return
    current = next((study for study in studies if not study.is_live), newest)
    result = read_backtest(current, reading.result_json)
    _standing(here, current)
    for origin in evaluation.left_out(result):
        st.warning(plain(origin), icon=":material/warning:")
    if result.scores:
        _tiles(result, word)
        _figure(run, current, result, units)
        if not result.is_structural:
            layout.remark(scores.HELD_KNOT)
    if result.refresh:
        periods = fmt.periods(word)
        layout.remark(
            "Do results stay when the last {periods} are left out?", periods=periods
        )
        for place, table in enumerate(evaluation.refits_of(result.refresh, periods)):
            sections.table(table, "", f"backtest.refits.{place}")


def _start(here: Opened, newest: Backtest | None, word: str) -> None:
    live = newest is not None and newest.is_live
    with st.container(horizontal=True, vertical_alignment="bottom"):
        horizon = st.number_input(
            say("{periods} ahead", periods=fmt.periods_heading(word)),
            1,
            104,
            8,
            key="backtest.horizon",
            width=130,
        )
        folds = st.number_input(
            say("Forecasts to make"), 1, 12, 4, key="backtest.folds", width=140
        )
        wants = gated.button(
            say("Run backtest"),
            key="backtest.start",
            type="primary" if newest is None else "secondary",
            icon=":material/history:",
            disabled=live,
        )
        if live and gated.button(
            say("Cancel"), key="backtest.cancel", icon=":material/stop:"
        ):
            for part in newest.runs:
                if part.status.is_live:
                    runs.cancel(part)
            st.rerun()
    if wants:
        study = new_backtest(
            here.folder, folds=int(folds), horizon=int(horizon), refresh=True
        )
        for folder, error in runs.submit_all(study).items():
            why = reworded(error.message)
            state.note(f"{folder.name}: {why}", ":material/error:")
        st.rerun()


@guarded
def _progress(study: Backtest) -> None:
    now = [status(run.folder) for run in study.runs]
    ended = sum(not fold.is_live for fold in now)
    if ended == len(now):
        st.rerun()
    share = sum(fold.fraction if fold.is_live else 1.0 for fold in now) / len(now)
    st.progress(
        min(share, 1.0),
        say("{ended} of {n_now} fits done", ended=ended, n_now=len(now)),
    )


def _standing(here: Opened, study: Backtest) -> None:
    """When it was made, and whether it is of the model as it is."""
    parts = [say("Backtest {created}", created=words.ago(study.created))]
    folder = study.runs[0].folder
    stale = reading.out_of_date(here, folder)
    line = f":gray[:small[{' · '.join(parts)}]]"
    if stale:
        line += say(
            " :orange-badge[out of date: {stale}]",
            stale=plain(", ".join(map(reworded, stale))),
        )
    st.markdown(line)


def _tiles(result: BacktestRecord, word: str) -> None:
    cards = evaluation.backtest_of(result)
    for column, each, help_text in zip(st.columns(4), cards, _HELPS, strict=True):
        with layout.card(column):
            about = say(help_text, period=say(word), periods=fmt.periods(word))
            st.metric(each.label, each.value, help=navigation.explained(about))
            st.caption(each.ci)


#: What the numbers mean, in their order.
_HELPS = (
    marked("Errors of all test windows together, as a share of what came (wMAPE)."),
    marked(
        "How much smaller the error is than that of taking the same {period} a "
        "year earlier for a forecast (skill)."
    ),
    marked(
        "How much smaller the error is than that of Meridian's default model with its "
        "last knot held constant (skill)."
    ),
    marked(
        "Share of {periods} inside their forecast's interval: close to 90 % is right."
    ),
)


def _figure(
    run: Run, study: Backtest, result: BacktestRecord, units: fmt.Units
) -> None:
    make = partial(figures.forecasts, result, units)
    drawn.show("forecast.backtest", make, study.study, len(result.folds), run=run)
