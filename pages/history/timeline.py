"""Time line: who did what and when; an old state can be looked at."""

import pandas as pd
import streamlit as st

from core import text as fmt
from core.service.projects.access import is_enforced
from core.service.projects.history import Event, timeline
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.ui import layout, navigation, state, tables
from pages.ui.reading import Opened

_MOST = 200
#: Lines that are seen without scrolling in the list.
_AT_ONCE = 12
_ALL, _APPROVALS = marked("Everything"), marked("Approvals")
_KINDS = {
    _ALL: None,
    marked("Data"): "data",
    marked("Fits"): "fit",
    marked("Plans"): "plan",
    marked("Tests"): "test",
    _APPROVALS: "approval",
    marked("Reports"): "report",
}


def show(here: Opened) -> None:
    """The list, newest first; choosing a line shows the fit behind it."""
    chosen = st.segmented_control(
        say("Show"),
        _kinds(here),
        default=_ALL,
        format_func=say,
        required=True,
        key="history.kind",
        persist_state="session",
        label_visibility="collapsed",
    )
    kind = _KINDS[chosen]
    events = [event for event in timeline(here.folder) if kind in (None, event.kind)]
    if not events:
        layout.remark("Nothing here yet.")
        return
    newest = events[:_MOST]
    frame = pd.DataFrame([_event_row(event) for event in newest])
    if not frame["Who"].any():  # nobody signs in
        frame = frame.drop(columns="Who")
    place = tables.chosen(
        frame,
        say("What happened in the project"),
        {
            "Time (UTC)": st.column_config.TextColumn(say("Time (UTC)"), width=145),
            "What": st.column_config.TextColumn(say("What"), width="large"),
            "Who": st.column_config.TextColumn(say("Who"), width=80),
        },
        most=_AT_ONCE,
        key=f"history.events.{state.edition('history')}",
    )
    if len(events) > _MOST:
        layout.remark(
            "The newest {most} of {n_events}.", most=_MOST, n_events=len(events)
        )
    event = None if place is None else newest[place]
    if event is None or not event.run_id:
        if any(each.run_id for each in newest):
            layout.remark("Choose a line to see its fit as it was.")
    elif st.button(
        say("Show this state"), key="history.open", icon=":material/history:"
    ):
        state.open_run(event.run_id)
        navigation.go(navigation.CHANNELS)


def _kinds(here: Opened) -> list[str]:
    """What can be shown; approvals only where people sign in."""
    signs_in = is_enforced(here.folder)
    return [name for name in _KINDS if name != _APPROVALS or signs_in]


def _event_row(event: Event) -> dict[str, str]:
    return {
        "Time (UTC)": f"{fmt.date(event.time)}, {event.time[11:16]}",
        "What": reworded(event.text),
        "Who": event.who,
    }
