"""Dialogs of the project menu: new from a file, rename, duplicate, delete."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from core.errors import MMMError
from core.service.projects import shelf
from core.text.languages.language import marked, say
from pages.shell import members
from pages.ui import layout, navigation, state
from pages.ui.findings import plain, show_error
from pages.upload import uploads


def open_dialog(action: str, project: str) -> None:
    """Open the dialog of a menu entry.

    Args:
        action: `new`, `rename`, `duplicate`, `members` or `delete`.
        project: The project it is about.
    """
    if action == "new":
        _new()
    elif action == "rename":
        _rename(project)
    elif action == "duplicate":
        _duplicate(project)
    elif action == "members":
        members.show(project)
    elif action == "delete":
        _delete(project)


@layout.dialog(marked("New project from a file"), icon=":material/upload_file:")
def _new() -> None:
    uploads.uploader("dialog.upload")


@layout.dialog(marked("Rename project"), icon=":material/edit:")
def _rename(project: str) -> None:
    name = st.text_input(say("Name"), project, max_chars=64, key="dialog.rename")
    if _apply(say("Rename"), disabled=not name.strip()):
        _do(lambda: shelf.rename_project(project, name.strip()), project)


@layout.dialog(marked("Duplicate project"), icon=":material/content_copy:")
def _duplicate(project: str) -> None:
    name = st.text_input(
        say("Name of the copy"),
        say("{project} copy", project=project)[:64],
        max_chars=64,
        key="dialog.duplicate",
    )
    layout.remark(
        "Data and settings are copied; fits and plans stay with the original."
    )
    if _apply(say("Duplicate"), disabled=not name.strip()):
        _do(lambda: shelf.duplicate_project(project, name.strip()), None)


@layout.dialog(marked("Delete project"), icon=":material/delete:")
def _delete(project: str) -> None:
    st.markdown(
        say(
            "Delete **{project}** with its data, fits and plans? The folder moves to "
            "the workspace's trash.",
            project=plain(project),
        )
    )
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button(say("Keep it"), key="dialog.keep"):
            st.rerun()
        if st.button(say("Delete"), type="primary", key="dialog.delete"):
            try:
                shelf.delete_project(project)
            except MMMError as error:
                show_error(error)
                return
            if state.project_name() == project:
                state.open_project(None)
            state.note(
                say("{project} is in the trash", project=project), ":material/delete:"
            )
            navigation.go(navigation.START)


def _apply(label: str, *, disabled: bool) -> bool:
    with st.container(horizontal=True, horizontal_alignment="right"):
        return st.button(label, type="primary", key="dialog.apply", disabled=disabled)


def _do(action: Callable[[], Path], was_open: str | None) -> None:
    """Run a dialog's action; open the folder it made, or show why it failed."""
    try:
        made = action()
    except MMMError as error:
        show_error(error)
        return
    if was_open is None or state.project_name() == was_open:
        navigation.open_project(made.name)
    st.rerun()
