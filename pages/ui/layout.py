"""Layout: what every screen has in the same place."""

import html

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.charts import style
from pages.access import rights
from pages.ui import navigation, reading, state
from pages.ui.findings import plain, show_error
from pages.ui.navigation import Screen

#: Editors that let go of what was typed when the project was changed elsewhere.
_EDITORS = ("mapping", *state.MODEL_EDITORS, "sampler", "limits", "experiments")


def header(screen: Screen) -> DeltaGenerator:
    """Title and question on the left; returns the place for actions on the right."""
    row = st.container(horizontal=True, vertical_alignment="bottom", key="header")
    with row.container(gap=None, width="stretch"):
        st.title(screen.title, anchor=False)
        st.caption(screen.question)
    actions = row.container(
        horizontal=True,
        horizontal_alignment="right",
        vertical_alignment="bottom",
        width="content",
        key="actions",
    )
    error = state.failed()
    if error is not None:
        show_error(error)
    for note in state.notes():
        st.toast(plain(note.text), icon=note.icon)
    return actions


def begin() -> reading.Opened | None:
    """The open project, read afresh; editors let go of what was changed elsewhere.

    Raises:
        MMMError: There is no such project, or it is damaged.
    """
    here = reading.opened()
    if here is None:
        return None
    seen = state.seen_sha()
    if seen is not None and seen != here.sha:
        state.start_afresh(*_EDITORS)
        st.info(
            "The project was changed in another window or by hand. What you see is how "
            "it is now; repeat your last change if it is missing.",
            icon=":material/sync:",
        )
    state.see(here.sha)
    rights.note_role(here.folder)
    return here


def empty(
    title: str, text: str, screen: Screen | None = None, label: str = ""
) -> DeltaGenerator:
    """What is missing here and where to go; returns the box for more."""
    box = st.container(
        border=True,
        horizontal_alignment="center",
        vertical_alignment="center",
        height=320,
        key="empty",
    )
    with box:
        st.subheader(title, anchor=False, text_alignment="center", width="content")
        st.caption(text, text_alignment="center", width="content")
        if screen is not None:
            navigation.go_button(screen, label)
    return box


def is_missing_data(here: reading.Opened | None) -> bool:
    """Whether there is no table to work on; says so, and where to go."""
    if here is None:
        empty(
            "No project is open",
            "Open one, or make one from a file of media and sales.",
            navigation.START,
            "See all projects",
        )
    elif not here.has_data:
        empty(
            "No data yet",
            f"{here.name} has no table. Upload one on the Data screen.",
            navigation.DATA,
            "Go to Data",
        )
    return here is None or not here.has_data


def theme() -> style.Theme:
    """The reader's theme."""
    return "dark" if st.context.theme.type == "dark" else "light"


def chart(figure, key: str, most: int | None = None) -> None:
    """A figure of core/charts, in its own house style.

    Args:
        figure: The figure.
        key: Its name among the charts of the app.
        most: Height in pixels above which it scrolls in a box.
    """
    is_tall = most is not None and (figure.layout.height or 0) > most
    box = st.container(height=most, border=False) if is_tall else st.container()
    box.plotly_chart(
        figure,
        theme=None,
        config=style.CONFIG,
        width="stretch",
        key=f"chart.{key}",
        alt=html.unescape(figure.layout.title.text or ""),
    )
