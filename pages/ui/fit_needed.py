"""What screens of results begin with: the fit they show, or what is missing."""

import streamlit as st

from core.errors import WorkspaceError
from core.project.fits import runs
from core.project.fits.runs import Run
from core.service.records.fit import FitRecord
from core.store.results import has_result
from pages.ui import layout, navigation, reading, state, words
from pages.ui.findings import plain, show_error
from pages.ui.reading import Opened

_BADGES = {
    "trustworthy": ":green-badge[:material/check: trustworthy]",
    "doubtful": ":orange-badge[:material/warning: doubtful]",
    "failed": ":red-badge[:material/error: failed]",
}


def fit_or_empty(here: Opened | None, what: str) -> Run | None:
    """The fit whose results are shown; None, and what is missing is said.

    Args:
        here: The open project.
        what: What the screen would show, for the message.
    """
    if layout.is_missing_data(here):
        return None
    try:
        run = reading.shown_fit(here)
    except WorkspaceError as error:
        show_error(error)
        if st.button("Show the newest fit", key="go.newest"):
            state.open_run(None)
            st.rerun()
        return None
    if run is not None and (run.kind != "fit" or not has_result(run.folder)):
        layout.empty(
            "This fit has no results",
            f"It is {words.STATES.get(run.status.state, run.status.state)}.",
            navigation.FIT,
            "Go to Fit",
        )
        return None
    if run is None:
        live = any(r.status.is_live for r in runs.list_runs(here.folder, "fit"))
        layout.empty(
            "A fit is running" if live else "Not fitted yet",
            f"{what} as soon as it is done."
            if live
            else f"{what} once the model is fitted.",
            navigation.FIT,
            "Watch it" if live else "Go to Fit",
        )
    return run


def standing(here: Opened, run: Run, fit: FitRecord) -> None:
    """One line about the fit: verdict, age, and whether it is out of date."""
    st.markdown(_stands(here, run, fit)[0])


def doubts(here: Opened, run: Run, fit: FitRecord) -> None:
    """The same line, where something speaks against the fit; the side bar has the rest.

    Args:
        here: The open project.
        run: The fit.
        fit: What it says.
    """
    text, is_sound = _stands(here, run, fit)
    if not is_sound:
        st.markdown(text)


def _stands(here: Opened, run: Run, fit: FitRecord) -> tuple[str, bool]:
    """The line about a fit, and whether nothing speaks against it."""
    badge = _BADGES.get(fit.verdict, _BADGES["failed"])
    parts = [f"Fit {words.ago(run.created)}"]
    newest = runs.latest_fit(here.folder)
    if fit.verdict != "trustworthy":
        parts += [plain(reason) for reason in fit.diagnostics.reasons[:2]]
    text = f"{badge} :gray[:small[{' · '.join(parts)}]]"
    stale = reading.out_of_date(here, run.folder)
    if stale:
        text += f" :orange-badge[out of date: {plain(', '.join(stale))}]"
    is_newest = newest is None or newest.run_id == run.run_id
    if not is_newest:
        text += " :blue-badge[not the newest fit]"
    return text, fit.verdict == "trustworthy" and not stale and is_newest
