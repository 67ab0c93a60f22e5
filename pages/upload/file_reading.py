"""A file that is being read: how long it takes, and a way to stop it.

Another process reads it (`core.data.files.isolated`). Whatever ends this run of the
script, be it the button, a closed tab or another screen, ends that process, too.
"""

from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.service.tables import Look, sent
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
    try:
        table = sent(content, filename, watch=watch, part=part)
    except Exception:
        place.empty()
        raise
    place.empty()
    return table


class Progress:
    """A line and a button, drawn once reading takes longer than a moment."""

    def __init__(self, place: DeltaGenerator, filename: str, key: str, editor: str):
        self._place, self._filename = place, filename
        self._key, self._editor = key, editor
        self._line: DeltaGenerator | None = None

    def __call__(self, look: Look) -> None:
        """Show how far it is; a click on the button ends the script in here."""
        if look.seconds < _PATIENCE:
            return
        if self._line is None:
            self._draw()
        self._line.caption(
            say(
                "Reading {filename}: {seconds}\u00a0s",
                filename=plain(self._filename),
                seconds=f"{look.seconds:.0f}",
            )
        )

    def _draw(self) -> None:
        box = self._place.container()
        self._line = box.empty()
        box.button(
            say("Stop reading"),
            key=f"{self._key}.stop",
            icon=":material/stop_circle:",
            on_click=state.start_afresh,
            args=(self._editor,),
        )
