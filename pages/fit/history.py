"""The fits of a project: when, how they ended, and which one is shown."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.errors import MMMError
from core.service import runs
from core.service.records.fit import Run
from core.text.languages.language import say
from pages.access import rights
from pages.fit import pruning
from pages.ui import layout, reading, state, tables, words
from pages.ui.fields import sampler_form
from pages.ui.reading import Opened

_MOST = 100


def show(here: Opened, listed: Sequence[Run], current: Run | None) -> None:
    """The list; choosing a fit shows it on every screen."""
    listed = list(listed)[:_MOST]
    with st.expander(say("All fits ({n_listed})", n_listed=len(listed))):
        place = tables.chosen(
            [_run_row(run, current) for run in listed],
            say("Every fit of the project"),
            _columns(),
            key=f"fit.runs.{state.edition('runs')}",
            placeholder="",
        )
        if place is not None:
            _act(here, listed[place], current)
        else:
            layout.remark(
                "Choose a fit to show its results on every screen, or delete it."
            )
        if len(listed) > 1:
            pruning.show(here)


def _columns() -> dict[str, Any]:
    """Columns of the table."""
    return {
        "shown": st.column_config.TextColumn(say("Shown"), width=64),
        "when": st.column_config.TextColumn(say("Started"), width=110),
        "state": st.column_config.TextColumn(say("State"), width=120),
        "verdict": st.column_config.TextColumn(say("Verdict"), width=110),
        "rhat": st.column_config.NumberColumn("R-hat", format="%.3f", width=80),
        "ess": st.column_config.NumberColumn("ESS", format="%.0f", width=80),
        "time": st.column_config.TextColumn(say("Time"), width=70, alignment="right"),
        "seed": st.column_config.NumberColumn(say("Seed"), format="%d", width=70),
        "settings": st.column_config.TextColumn(say("Chains × (warm-up + draws)")),
    }


def _run_row(run: Run, current: Run | None) -> dict[str, object]:
    row: dict[str, object] = {
        "shown": "●" if current and current.run_id == run.run_id else "",
        "when": words.ago(run.created),
        "state": words.state_of(run.status),
        "verdict": "",
        "rhat": None,
        "ess": None,
        "time": "",
        "seed": run.seed,
        "settings": sampler_form.of_run(run.sampler),
    }
    if run.status.state != "done":
        return row
    try:
        about = reading.report(run.folder)
    except MMMError:
        return row | {"verdict": say("damaged")}
    check = about.diagnostics
    if check is None or about.total_seconds is None:
        return row | {"verdict": say("damaged")}
    return row | {
        "verdict": say(check.verdict),
        "rhat": check.rhat_max,
        "ess": check.ess_bulk_min,
        "time": words.clock(about.total_seconds),
    }


def _act(here: Opened, run: Run, current: Run | None) -> None:
    with st.container(horizontal=True):
        if st.button(
            say("Show this fit"),
            key="fit.open",
            disabled=current is not None and current.run_id == run.run_id,
        ):
            state.open_run(run.run_id)
            state.start_afresh("runs")
            st.rerun()
        if st.button(
            say("Delete this fit"),
            key="fit.delete",
            icon=":material/delete:",
            **rights.of(here.folder, rights.Role.ADMIN, disabled=run.status.is_live),
        ):
            runs.delete_run(here.folder, run.run_id)
            state.keep("fit.shown", None)  # whoever deletes it knows
            if state.run_id() == run.run_id:
                state.open_run(None)
            state.start_afresh("runs")
            state.note(say("The fit is in the trash"), ":material/delete:")
            st.rerun()
