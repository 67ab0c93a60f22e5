"""History: what came, what moved, and who did what?

One task at a time: new rows and what they changed, plans beside what came, and who did
what when.
"""

import streamlit as st

from core.errors import MMMError
from core.service.runs import latest_fit
from core.text.languages.language import marked, say
from pages.history import actuals, moved, new_rows, promises, timeline
from pages.ui import layout, navigation
from pages.ui.findings import show_error
from pages.ui.reading import Opened

_REFRESH, _ACTUALS, _TIMELINE = (
    marked("Refresh"),
    marked("Plan against actuals"),
    marked("Timeline"),
)


def render() -> None:
    """Draw the screen."""
    layout.header(navigation.HISTORY)
    here = layout.begin()
    if layout.is_missing_data(here):
        return
    views = (_REFRESH, _ACTUALS, _TIMELINE)
    view = navigation.view(say("View"), views, key="history.view")
    if view == _REFRESH:
        _refresh(here)
    for part in {_ACTUALS: (actuals, promises), _TIMELINE: (timeline,)}.get(view, ()):
        try:
            part.show(here)
        except MMMError as error:
            show_error(error)


def _refresh(here: Opened) -> None:
    """New rows, and what the newest fit moved."""
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
