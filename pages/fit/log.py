"""The last lines of a run's log, read only when asked for."""

import streamlit as st

from core.service.records.fit import Run
from core.text.languages.language import say

_LINES = 200
_BYTES = 100_000


def show(run: Run) -> None:
    """The log, behind a switch."""
    if not st.toggle(say("Log"), key="fit.log"):
        return
    try:
        with open(run.folder / "log.txt", "rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        text = ""
    lines = text.splitlines()[-_LINES:]
    st.code("\n".join(lines) or say("The log is empty."), language=None, height=260)
