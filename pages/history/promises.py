"""Promises: what forecasts, plans and tests said, and what came of it."""

import streamlit as st

from core.service.projects import promises
from core.view import promises as words
from pages.ui import sections
from pages.ui.reading import Opened


def show(here: Opened) -> None:
    """What came, and a click away what is open; nothing before the first promise."""
    settled = promises.record(here.folder).settled
    if not settled:
        return
    first, *others = words.sections(settled, "screen")
    with st.container(key="history.promises"):
        st.header(first.title, anchor=False)
        sections.blocks(first, first.blocks)
        sections.draw(others)
