"""What moved the outcome now and then and is no column, as a table of options."""

import datetime

import pandas as pd
import streamlit as st

from core.service.records.model import Event, ModelSpec
from core.text.languages.language import say
from pages.model.scope import key
from pages.ui import layout, state
from pages.ui.fields import gated

_COLUMNS = ["name", "start", "end"]


def edit(spec: ModelSpec) -> tuple[Event, ...]:
    """Draw the card; returns the events of the rows that are filled in.

    Raises:
        SpecError: One ends before it starts.
    """
    st.markdown(say("**Events**"))
    layout.remark(
        "What may have moved the outcome and is no column: a promotion, a closed shop, "
        "a strike. Events of the same name share one effect; forecasts count those "
        "ahead."
    )
    day = {"format": "YYYY-MM-DD"}
    edited = gated.data_editor(
        _frame(spec.events),
        key=f"{key('events')}.{state.edition('events')}",
        num_rows="dynamic",
        hide_index=True,
        height="content",
        placeholder="",
        column_config={
            "name": st.column_config.TextColumn(say("Event")),
            "start": st.column_config.DateColumn(say("From"), **day),
            "end": st.column_config.DateColumn(say("To, inclusive"), **day),
        },
        alt=say("Events that may move the outcome"),
    )
    events = tuple(
        Event(str(name).strip(), str(start)[:10], str(end)[:10])
        for name, start, end in edited[_COLUMNS].dropna().itertuples(index=False)
        if str(name).strip()
    )
    if events != spec.events:
        state.start_afresh("events")
    return events


def _frame(events: tuple[Event, ...]) -> pd.DataFrame:
    rows = [
        (each.name, *map(datetime.date.fromisoformat, (each.start, each.end)))
        for each in events
    ]
    return pd.DataFrame(rows, columns=_COLUMNS).astype("object")
