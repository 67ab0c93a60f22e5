"""History: what came, what moved, and who did what?"""

import streamlit as st

from core.errors import MMMError
from core.service.runs import latest_fit
from pages.history import actuals, moved, new_rows, promises, timeline
from pages.ui import layout, navigation
from pages.ui.findings import show_error


def render() -> None:
    """Draw the screen."""
    layout.header(navigation.HISTORY)
    here = layout.begin()
    if layout.is_missing_data(here):
        return
    last = latest_fit(here.folder)
    left, right = st.columns([2, 3], gap="medium")
    below = st.container()
    with left:
        new_rows.show(here, last)
    with right:
        try:
            moved.show(here, last, below)
        except MMMError as error:
            show_error(error)
    for part in (actuals, promises, timeline):
        try:
            part.show(here)
        except MMMError as error:
            show_error(error)
