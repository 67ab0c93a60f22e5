"""Old fits and prior checks, deleted for good to give their disk space back."""

from datetime import timedelta

import streamlit as st

from core import text as fmt
from core.service.fits import prune, pruning
from core.text.languages.language import say
from pages.access import rights
from pages.ui import layout, navigation, state
from pages.ui.reading import Opened


def show(here: Opened) -> None:
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
