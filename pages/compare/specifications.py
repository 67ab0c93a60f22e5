"""Specifications side by side: which fits, which forecasts, and what they say."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core import text as fmt
from core.service.projects.comparisons import compare_specifications
from core.service.records.comparison import Specification, Specifications
from core.service.records.fit import Run
from core.text.glossary import meaning
from core.text.languages.language import language, marked, say
from core.text.languages.reworded import reworded
from core.view.sections.comparing import of_specification
from pages.ui import layout, navigation, reading, state, tables
from pages.ui.findings import plain
from pages.ui.reader import tongue
from pages.ui.reader.once import once

_KEY = "compare.specifications"
_MOST = 6
#: What forecasts of backtests are held against, by its key.
_REFERENCES = {
    "seasonal_naive": marked("Against last year's values"),
    "knots": marked("Against Meridian's baseline"),
}
_SMALLER = marked("How much smaller the error of the backtest is (skill).")


def show(finished: Sequence[Run], labels: Mapping[str, str]) -> None:
    """The table, the judgement of each, ROI, and what differs.

    Args:
        finished: Fits with results, newest first.
        labels: What each is called, by run id.
    """
    by_id = {run.run_id: run for run in finished}
    still_there = [run_id for run_id in state.widget(_KEY, ()) or () if run_id in by_id]
    if not still_there:
        state.put(_KEY, list(by_id)[:2][::-1])
    chosen = st.multiselect(
        say("Fits"),
        list(by_id),
        format_func=labels.get,
        key=_KEY,
        max_selections=_MOST,
        persist_state="session",
        placeholder=say("Choose"),
    )
    if len(chosen) < 2:
        st.info(say("Choose two fits or more."), icon=":material/info:")
        return
    comparison = compared([by_id[run_id] for run_id in chosen])
    verdicts = [
        say(
            "- **{name}**, fit {partition}: {verdict}",
            name=row.name,
            partition=labels[row.run_id].partition(" ")[0],
            verdict=plain(row.verdict),
        )
        for row in comparison.rows
    ]
    st.markdown("\n".join(verdicts))
    _scores_table(comparison.rows)
    st.caption(reworded(comparison.note))
    for remark in comparison.remarks:
        st.caption(f":orange[:material/info:] {plain(reworded(remark))}")
    left, right = st.columns([6, 5], gap="medium")
    with left:
        _returns(comparison)
    with right:
        _options(comparison.rows)
    if any(row.forecast == "untested" for row in comparison.rows):
        navigation.go_button(navigation.FORECAST, say("Run a backtest"), primary=False)


def _about(runs: Sequence[Run]) -> tuple[object, ...]:
    """What tells comparisons apart: the fits, and backtests that the project has."""
    done = sum(1 for _ in runs[0].folder.parent.glob("*/result/part.json"))
    results = [(run.folder, reading.result_sha(run.folder)) for run in runs]
    return language(), results, done


@once(_about, most=16, wait=tongue.Later("Comparing the fits"), english=False)
def compared(runs: Sequence[Run]) -> Specifications:
    """The comparison, worked out once for the same results and backtests."""
    return compare_specifications(list(runs))


def _scores_table(fits: Sequence[Specification]) -> None:
    column = st.column_config.TextColumn
    right = {"alignment": "right"}
    tables.grid(
        [_score_row(row) for row in fits],
        say("Specifications side by side"),
        {
            "name": column("", pinned=True, width=40),
            "fit": column(
                say("elpd ± SE"), help=say("PSIS-LOO; higher is better."), **right
            ),
            "apart": column(
                say("Difference ± SE"), help=say("To the highest."), **right
            ),
            "k": column(
                say("Bad k"), help=say("Cells whose score cannot be trusted."), **right
            ),
            "check": column(say("Model check")),
            "wmape": column(say("Backtest error"), help=meaning("wMAPE"), **right),
            **{
                key: column(say(head), help=say(_SMALLER), **right)
                for key, head in _REFERENCES.items()
            },
            "rhat": column(say("Worst R-hat"), **right),
        },
        key="compare.specifications.table",
    )


def _score_row(row: Specification) -> dict[str, str]:
    heads = ("name", "fit", "apart", "k", "check", "wmape", *_REFERENCES, "rhat")
    return dict(zip(heads, (row.name, *of_specification(row)), strict=True))


def _returns(comparison: Specifications) -> None:
    fits = comparison.rows
    names = dict.fromkeys(name for row in fits for name in row.roi)
    if not names:
        return
    table = [
        {"channel": name}
        | {
            row.name: fmt.estimate(row.roi[name], "ratio")
            if name in row.roi
            else fmt.NONE
            for row in fits
        }
        for name in names
    ]
    column = st.column_config.TextColumn
    ends = {row.name: column(row.name, alignment="right") for row in fits}
    head = say("ROI, {roi}, 90 %", roi=comparison.units.roi)
    tables.grid(
        table,
        say("ROI by each specification"),
        {"channel": column(head, pinned=True)} | ends,
        key="compare.specifications.roi",
    )


def _options(fits: Sequence[Specification]) -> None:
    names = dict.fromkeys(name for row in fits for name in row.options)
    if not names:
        layout.remark("The fits assume the same: only sampler or data differ.")
        return
    table = [
        {"option": name} | {row.name: row.options.get(name, fmt.NONE) for row in fits}
        for name in names
    ]
    head = st.column_config.TextColumn(say("What differs"), pinned=True)
    tables.grid(
        table,
        say("Options that differ"),
        {"option": head},
        key="compare.specifications.options",
    )
