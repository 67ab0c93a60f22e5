"""Specifications side by side: which fits, which forecasts, and what they say."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.service.projects.comparisons import compare_specifications
from core.service.records.comparison import Specifications
from core.service.records.fit import Run
from core.text.languages.language import language, say
from core.text.languages.reworded import reworded
from core.view.sections import comparing
from pages.ui import layout, navigation, reading, sections, state
from pages.ui.findings import plain
from pages.ui.reader import tongue
from pages.ui.reader.once import once

_KEY = "compare.specifications"
_MOST = 6


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
    sections.table(comparing.scores_of(comparison.rows), "", f"{_KEY}.table")
    st.caption(say(comparison.note))
    for remark in comparison.remarks:
        st.caption(f":orange[:material/info:] {plain(reworded(remark))}")
    left, right = st.columns([6, 5], gap="medium")
    returns = comparing.returns_of(comparison)
    options = comparing.options_of(comparison.rows)
    if returns.rows:
        with left:
            sections.table(returns, "", f"{_KEY}.roi")
    with right:
        if options.rows:
            sections.table(options, "", f"{_KEY}.options")
        else:
            layout.remark("The fits assume the same: only sampler or data differ.")
    if any(row.forecast == "untested" for row in comparison.rows):
        navigation.go_button(navigation.FORECAST, say("Run a backtest"), primary=False)


def _about(runs: Sequence[Run]) -> tuple[object, ...]:
    """What tells comparisons apart: the fits, and backtests that the project has."""
    n_backtests = sum(1 for _ in runs[0].folder.parent.glob("*/result/part.json"))
    results = [(run.folder, reading.result_sha(run.folder)) for run in runs]
    return language(), results, n_backtests


@once(_about, most=16, wait=tongue.Later("Comparing the fits"), english=False)
def compared(runs: Sequence[Run]) -> Specifications:
    """The comparison, worked out once for the same results and backtests."""
    return compare_specifications(list(runs))
