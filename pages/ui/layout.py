"""Layout: what every screen has in the same place."""

import functools
import html
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.charts.drawing import plotly_words, style
from core.errors import WorkspaceError
from core.service.projects.settings import differences, last_save
from core.service.projects.shelf import renamed_to
from core.text.languages.language import say
from pages.access import rights
from pages.ui import navigation, reading, state
from pages.ui.findings import plain, show_error
from pages.ui.navigation import Screen

_OFFICE = "application/vnd.openxmlformats-officedocument"
#: Media types of files, by their endings.
_MEDIA_TYPES = {
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/json",
    "nc": "application/x-netcdf",
    "pdf": "application/pdf",
    "pptx": f"{_OFFICE}.presentationml.presentation",
    "toml": "application/toml",
    "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
}


def header(screen: Screen) -> DeltaGenerator:
    """Title and question on the left; returns the place for actions on the right."""
    row = st.container(horizontal=True, vertical_alignment="bottom", key="header")
    with row.container(gap=None, width="stretch"):
        st.title(say(screen.title), anchor=False)
        st.caption(say(screen.question), help=_help_on(screen))
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


def _help_on(screen: Screen) -> str | None:
    """The tooltip beside a screen's question: the way to the part of Help about it."""
    if screen is navigation.HELP:
        return None
    title = say(screen.title)
    return f"[{say('Help on {screen}', screen=title)}]({navigation.help_on(screen)})"


def begin() -> reading.Opened | None:
    """The open project, as the screen shall be drawn from it.

    Where it was changed elsewhere since the screen was last drawn, that is once more
    what it was then: what was just typed is an edit of that, and saving it asks. After
    that, `settle` turns to what is on disk. None where no project is open; where the
    address names one that cannot be opened, it is said why.

    Raises:
        SpecError: The project's file holds something impossible.
    """
    try:
        here = reading.opened()
    except WorkspaceError as error:
        show_error(error)
        _lead_on()
        return None
    if here is None:
        return None
    told_before = state.draft_of_app("changed")
    if told_before:
        state.keep_of_app("changed", None)
        st.info(told_before, icon=":material/sync:")
    sha, project = state.seen() or (here.sha, here.project)
    if sha != here.sha and project != here.project:  # else only comments differ
        changed = [change.name for change in differences(project, here.project)]
        before = replace(here, project=project, sha=sha)
        if before.project.file == here.project.file:  # else its table is gone
            state.keep_of_app("overtaken", changed)
            rights.note_role(here.folder)
            return before
        _turn(here, changed)
    state.see(here.sha, here.project)
    rights.note_role(here.folder)
    return here


def _lead_on() -> None:
    """The way to the open project under the name that somebody gave it meanwhile."""
    name = renamed_to(state.project_name() or "")
    if name is not None:
        st.button(
            say("Go on in {name}, its new name", name=plain(name)),
            key="go.renamed",
            type="primary",
            icon=":material/folder_open:",
            on_click=state.follow,
            args=(name,),
        )


def hold_on() -> None:
    """Keep a draft that is not saved yet, although the project was changed."""
    changed = state.draft_of_app("overtaken")
    if changed:
        state.keep_of_app("overtaken", None)
        text = say(
            "Another window changed this project: {changed}.",
            changed=fmt.listed(changed),
        )
        st.info(
            plain(
                say(
                    "{text} Your draft is kept; accepting it asks what to do.",
                    text=text,
                )
            ),
            icon=":material/sync:",
        )


def settle() -> None:
    """After a screen: turn to what is on disk, if nothing was saved or held."""
    changed = state.draft_of_app("overtaken")
    here = reading.opened() if changed else None
    if here is not None:
        _turn(here, changed)
        st.rerun()


def _turn(here: reading.Opened, changed: list[str]) -> None:
    state.turn_to(here.sha, here.project)
    who, _ = last_save(here.folder)
    text = say(
        "{who} changed this project: {changed}. This is the current version.",
        who=who or say("Another window"),
        changed=fmt.listed(changed),
    )
    state.keep_of_app("changed", plain(text))


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
        st.header(title, anchor=False, text_alignment="center", width="content")
        st.caption(text, text_alignment="center", width="content")
        if screen is not None:
            navigation.go_button(screen, label)
    return box


def is_missing_data(here: reading.Opened | None) -> bool:
    """Whether there is no table to work on; says so, and where to go."""
    if here is None:
        empty(
            say("No project is open"),
            say("Open one, or make one from a file of media and sales."),
            navigation.START,
            say("See all projects"),
        )
    elif not here.has_data:
        empty(
            say("No data yet"),
            say("{name} has no table. Upload one on the Data screen.", name=here.name),
            navigation.DATA,
            say("Go to Data"),
        )
    return here is None or not here.has_data


def dialog(title: str, **look: Any) -> Callable[[Callable[..., Any]], Any]:
    """`st.dialog` with a title in the language of whoever opens it.

    Args:
        title: In English, marked.
        look: What else `st.dialog` takes.
    """

    def decorated(body: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(body)
        def opened(*args: Any, **keywords: Any) -> Any:
            return st.dialog(say(title), **look)(body)(*args, **keywords)

        return opened

    return decorated


def theme() -> style.Theme:
    """The reader's theme."""
    return "dark" if st.context.theme.type == "dark" else "light"


def chart(figure, key: str) -> None:
    """A figure of core/charts, in its own house style.

    Args:
        figure: The figure.
        key: Its name among the charts of the app.
    """
    st.plotly_chart(
        figure,
        theme=None,
        config=plotly_words.in_language(style.CONFIG),
        width="stretch",
        key=f"chart.{key}",
        alt=html.unescape(figure.layout.title.text or ""),
    )


def remark(text: str, /, **places: object) -> None:
    """A message in small type.

    Args:
        text: The message, as `say` has it.
        places: What stands in its places.
    """
    st.caption(say(text, **places))


def download(
    label: str,
    data: str | bytes | Callable[[], str | bytes],
    file: str,
    key: str,
    **how: Any,
) -> None:
    """A button for a file.

    Args:
        label: Of the button.
        data: What is in the file, or what makes it once the button is pressed.
        file: Its name, whose ending says what it is.
        key: Of the button.
        how: See `st.download_button`.
    """
    mime = _MEDIA_TYPES[file.rpartition(".")[2]]
    about = {"on_click": "ignore", "icon": ":material/download:"} | how
    st.download_button(label, data, file, mime, key, **about)


def card(place: DeltaGenerator) -> DeltaGenerator:
    """The box of one number, as high as those beside it.

    Args:
        place: A column.
    """
    return place.container(border=True, height="stretch", gap=None)


def estimate(
    label: str, text: str | None, about: str, screen: Screen, more: str = ""
) -> None:
    """An estimate, its interval below.

    Args:
        label: What is estimated.
        text: The estimate as text, interval in brackets; None where there is none.
        about: What it means.
        screen: The screen that it is on, which Help says more about.
        more: What follows the interval.
    """
    centre, _, interval = (text or fmt.NONE).partition(" (")
    # Nothing is said of what is not there.
    meaning = navigation.explained(about, screen) if about else None
    st.metric(label, centre, help=meaning)
    st.caption(f"90 % ({interval}{more}" if interval else fmt.NONE)
