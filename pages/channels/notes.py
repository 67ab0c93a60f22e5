"""Notes: what happened at a date, typed once and shown on every time chart."""

from pathlib import Path

import streamlit as st
import xarray as xr

from core import text as fmt
from core.service.projects.history import (
    LONGEST,
    Annotation,
    annotate,
    annotations,
    delete_annotation,
)
from core.text.languages.language import say
from pages.ui import state
from pages.ui.fields import gated
from pages.ui.findings import plain


def edit(folder: Path, weeks: xr.Dataset) -> tuple[Annotation, ...]:
    """The notes of the project, with what adds and deletes one.

    Args:
        folder: The project.
        weeks: weeks.nc, whose dates are offered.
    """
    notes = annotations(folder)
    label = say("Notes ({n_notes})", n_notes=len(notes)) if notes else say("Notes")
    with st.popover(label, icon=":material/sticky_note_2:", key="channels.notes"):
        days = [str(day) for day in weeks["time"].values.astype("datetime64[D]")]
        edition = state.edition("note")
        day = gated.selectbox(
            say("Date"),
            days,
            len(days) - 1,
            format_func=fmt.date,
            key="channels.note.date",
        )
        text = gated.text_input(
            say("What happened"),
            key=f"channels.note.text.{edition}",
            max_chars=LONGEST,
            placeholder=say("TV strike"),
        )
        gated.button(
            say("Add note"),
            key="channels.note.add",
            icon=":material/add:",
            disabled=not text.strip(),
            on_click=state.attempt,
            args=(_add, folder, day, text),
        )
        for i, note in enumerate(notes):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(fmt.named(fmt.date(note.date), plain(note.text)))
                gated.button(
                    say("Delete"),
                    key=f"channels.note.delete.{i}",
                    type="tertiary",
                    on_click=state.attempt,
                    args=(_delete, folder, note),
                )
        _undo(folder)
    return notes


def _add(folder: Path, day: str, text: str) -> None:
    annotate(folder, day, text)
    state.start_afresh("note")


def _delete(folder: Path, note: Annotation) -> None:
    delete_annotation(folder, note)
    state.keep("note.deleted", note)


def _undo(folder: Path) -> None:
    """Bring back the note that was deleted last."""
    note: Annotation | None = state.draft("note.deleted")
    if note is not None:
        gated.button(
            say("Bring back {text}", text=plain(note.text)),
            key="channels.note.undo",
            icon=":material/undo:",
            on_click=state.attempt,
            args=(_bring_back, folder, note),
        )


def _bring_back(folder: Path, note: Annotation) -> None:
    annotate(folder, *note)
    state.keep("note.deleted", None)
