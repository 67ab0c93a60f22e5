"""What screens of results begin with: the fit they show, or what is missing."""

import streamlit as st

from core.errors import WorkspaceError
from core.service import runs
from core.service.records.fit import FitRecord, Run
from core.service.runs import has_result
from core.text.languages.language import marked, say, say_count
from core.text.languages.reworded import reworded
from pages.ui import layout, navigation, reading, state, words
from pages.ui.findings import plain, show_error
from pages.ui.reading import Opened

_BADGES = {
    "trustworthy": marked(":green-badge[:material/check: trustworthy]"),
    "doubtful": marked(":orange-badge[:material/warning: doubtful]"),
    "failed": marked(":red-badge[:material/error: failed]"),
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
        if st.button(say("Show the newest fit"), key="go.newest"):
            state.open_run(None)
            st.rerun()
        return None
    _say_if_deleted(here, run)
    if run is not None and (run.kind != "fit" or not has_result(run.folder)):
        layout.empty(
            say("This fit has no results"),
            say(
                "It is {state}.",
                state=words.state_of(run.status),
            ),
            navigation.FIT,
            say("Go to Fit"),
        )
        return None
    if run is None:
        live = any(r.status.is_live for r in runs.list_runs(here.folder, "fit"))
        layout.empty(
            say("A fit is running") if live else say("Not fitted yet"),
            say("{what} as soon as it is done.", what=what)
            if live
            else say("{what} once the model is fitted.", what=what),
            navigation.FIT,
            say("Watch it") if live else say("Go to Fit"),
        )
    return run


def _say_if_deleted(here: Opened, run: Run | None) -> None:
    """Say that somebody deleted the fit that was shown, whatever is shown instead."""
    before = state.draft("fit.shown")
    state.keep("fit.shown", None if run is None else run.run_id)
    if before is None or (here.folder / "runs" / before).exists():
        return
    text = say("The fit that was shown here was deleted meanwhile.")
    if run is not None:
        text += " " + say("This is the newest one.")
    text += " " + say("What you typed is kept, but not saved.")
    st.warning(text, icon=":material/delete:")


def standing(here: Opened, run: Run, fit: FitRecord) -> None:
    """One line about the fit: verdict, age, and whether it is out of date."""
    st.markdown(_stands(here, run, fit)[0])


def doubts(here: Opened, run: Run, fit: FitRecord, *, is_said: bool) -> None:
    """The same line, where something speaks against the fit; the side bar has the rest.

    Args:
        here: The open project.
        run: The fit.
        fit: What it says.
        is_said: Whether an advice beside it says the verdict.
    """
    text, is_current = _stands(here, run, fit)
    if not is_current or (fit.verdict != "trustworthy" and not is_said):
        st.markdown(text)


def _stands(here: Opened, run: Run, fit: FitRecord) -> tuple[str, bool]:
    """The line about a fit, and whether it is the newest, of the project as it is."""
    badge = say(_BADGES.get(fit.verdict, _BADGES["failed"]))
    parts = [say("Fit {created}", created=words.ago(run.created))]
    newest = runs.latest_fit(here.folder)
    if fit.diagnostics.reasons:
        n_reasons = len(fit.diagnostics.reasons)
        parts.append(
            say_count(
                n_reasons,
                "{number} warning on Fit",
                "{number} warnings on Fit",
                number=n_reasons,
            )
        )
    text = f"{badge} :gray[:small[{' · '.join(parts)}]]"
    stale = reading.out_of_date(here, run.folder)
    if stale:
        text += say(
            " :orange-badge[out of date: {stale}]",
            stale=plain(", ".join(map(reworded, stale))),
        )
    is_newest = newest is None or newest.run_id == run.run_id
    if not is_newest:
        text += say(" :blue-badge[not the newest fit]")
    return text, not stale and is_newest
