"""The fits of a project: when, how they ended, and which one is shown."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.service import runs
from core.service.fits import prune, pruning
from core.service.records.fit import Run
from core.text.languages.language import say
from pages.access import rights
from pages.ui import layout, navigation, reading, state, tables, words
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
            _pruning(here)


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


def _pruning(here: Opened) -> None:
    """Which to keep, what that deletes, and the button."""
    with st.popover(say("Delete old fits"), icon=":material/delete_sweep:"):
        left, right = st.columns(2)
        keep = left.number_input(
            say("Keep the newest"),
            min_value=1,
            value=10,
            step=1,
            key="fit.prune.keep",
            help=navigation.tip("This many fits, and as many prior checks."),
        )
        days = right.number_input(
            say("Keep fits newer than, days"),
            min_value=0,
            value=30,
            step=1,
            key="fit.prune.days",
        )
        unused = pruning(here.folder, keep=keep, older_than=timedelta(days=days))
        runs = fmt.count(len(unused.runs), "run")
        size = f"{unused.n_bytes / 1024**2:,.1f}\u00a0MB"
        if unused.runs:
            layout.remark(
                "{runs} would be deleted for good, {size}.", runs=runs, size=size
            )
        else:
            layout.remark("Nothing is old enough to be deleted.")
        layout.remark(
            "Fits behind a plan, running fits and the newest finished fit are "
            "always kept."
        )
        if st.button(
            say("Delete {runs}", runs=runs) if unused.runs else say("Delete"),
            key="fit.prune",
            icon=":material/delete_sweep:",
            **rights.of(here.folder, rights.Role.ADMIN, disabled=not unused.runs),
        ):
            deleted = prune(here.folder, unused.runs)
            run_ids = {run.run_id for run in unused.runs} & set(deleted)
            if state.run_id() in run_ids:
                state.open_run(None)
            state.start_afresh("runs")
            text = fmt.count(len(deleted), "run is", "runs are")
            state.note(say("{said} deleted", said=text), ":material/delete_sweep:")
            st.rerun()
