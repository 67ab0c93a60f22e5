"""A file that is being read: how long it takes, and a way to stop it.

Another process reads it (`core.data.files.isolated`). Whatever ends this run of the
script, be it the button, a closed tab or another screen, ends that process, too.
"""

from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.data.files.isolated import Look, load_table
from core.service.records.columns import READ_SECONDS
from core.text.languages.language import say
from pages.ui import state
from pages.ui.findings import plain

if TYPE_CHECKING:
    import pandas as pd

#: Seconds after which a reader wants to know what is going on.
_PATIENCE = 1.0


def loaded(
    content: bytes,
    filename: str,
    key: str,
    editor: str = "upload",
    part: str | None = None,
) -> "pd.DataFrame":
    """The table of an uploaded file, with its progress on the screen meanwhile.

    Args:
        content: The file.
        filename: Its name, for messages.
        key: Key of the widget that it was dropped on.
        editor: Of that widget; stopping makes it start afresh, without the file.
        part: The sheet of a workbook, or the file in a zip archive.

    Raises:
        MMMError: The file is not a table, or takes too much time or memory.
    """
    place = st.empty()
    watch = Progress(place, filename, key, editor)
    table = load_table(content, filename, watch=watch, part=part)
    place.empty()
    return table


class Progress:
    """A bar and a button, drawn once reading takes longer than a moment."""

    def __init__(self, place: DeltaGenerator, filename: str, key: str, editor: str):
        self._place, self._filename = place, filename
        self._key, self._editor = key, editor
        self._bar: DeltaGenerator | None = None

    def __call__(self, look: Look) -> None:
        """Show how far it is; a click on the button ends the script in here."""
        if look.seconds < _PATIENCE:
            return
        if self._bar is None:
            self._draw()
        words = say(
            "Reading {filename}: {seconds}\u00a0s",
            filename=plain(self._filename),
            seconds=f"{look.seconds:.0f}",
        )
        if look.n_bytes:
            words += say(
                ", {n_bytes}\u00a0MB", n_bytes=f"{look.n_bytes / 1024**2:,.0f}"
            )
        share = min(look.seconds / READ_SECONDS, 1.0)
        self._bar.progress(
            share,
            say(
                "{words} (at most {read_seconds}\u00a0s of work)",
                words=words,
                read_seconds=READ_SECONDS,
            ),
        )

    def _draw(self) -> None:
        box = self._place.container()
        self._bar = box.empty()
        box.button(
            say("Stop reading"),
            key=f"{self._key}.stop",
            icon=":material/stop_circle:",
            on_click=state.start_afresh,
            args=(self._editor,),
        )
