"""Dialogs of the project menu: new from a file, rename, duplicate, delete.

Members of a project: who may see, plan and administer it.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.service.projects import shelf
from core.service.projects.access import (
    DEFAULT,
    Members,
    change_members,
    members_of,
    settings_of,
)
from core.service.projects.shelf import project_folder
from core.service.records.team import Role
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.access import rights
from pages.ui import layout, navigation, state, tables, words
from pages.ui.findings import plain, show_error
from pages.upload import uploads

_ROLES = {
    "viewer": marked("viewer: can see and download everything"),
    "planner": marked("planner: can also change data and model, fit and plan"),
    "admin": marked("admin: can also manage members, rename and delete"),
    "none": marked("none: cannot see the project"),
    "": marked("remove: same as everybody else"),
}

_LIST = "members.list"
#: Where the dialog keeps what became of a change until it is drawn again.
_OUTCOME = "members.outcome"
#: Roles in the list.
_WORDS = {
    Role.NONE: marked("no access"),
    Role.VIEWER: marked("viewer"),
    Role.PLANNER: marked("planner"),
    Role.ADMIN: marked("admin"),
}


@layout.dialog(marked("Members"), icon=":material/group:", on_dismiss="rerun")
def show(project: str) -> None:
    """The dialog.

    Args:
        project: The project's name.
    """
    folder = project_folder(project)
    members = members_of(folder)
    st.markdown(f"**{plain(project)}**")
    for problem in members.problems:
        st.warning(say("members.toml: {problem}", problem=plain(reworded(problem))))
    _list(members, settings_of(folder).default)
    admins = fmt.listed(sorted(settings_of(folder).admins))
    st.caption(
        plain(say("Admins of every project: {admins}.", admins=admins))
        if admins
        else say("Admins of the workspace are admins of every project.")
    )
    name = st.text_input(
        say("E-mail address"),
        key="members.name",
        max_chars=254,
        **rights.of(
            folder,
            Role.ADMIN,
            help=say(
                "Or {default}: everybody who can sign in and is not named.",
                default=DEFAULT,
            ),
        ),
    )
    role = st.selectbox(
        say("Role"),
        _ROLES,
        format_func=words.said(_ROLES),
        key="members.role",
        **rights.of(folder, Role.ADMIN),
    )
    st.button(
        say("Save"),
        type="primary",
        key="members.save",
        on_click=_save,
        args=(folder, name.strip(), role),
        **rights.of(folder, Role.ADMIN, disabled=not name.strip()),
    )
    _outcome()


def _save(folder: Path, name: str, role: str) -> None:
    """Change one member before the dialog is drawn again: it stays for the next one."""
    try:
        change_members(folder, {name: Role.named(role)})
    except MMMError as error:
        state.keep(_OUTCOME, error)
        return
    became = _word(Role.named(role)) if role else say("removed")
    state.keep(_OUTCOME, fmt.named(plain(name), became))
    state.put("members.name", "")


def _outcome() -> None:
    """What became of the change just made."""
    outcome = state.draft(_OUTCOME)
    state.keep(_OUTCOME, None)
    if isinstance(outcome, MMMError):
        show_error(outcome)
    elif outcome:
        st.success(outcome, icon=":material/group:")


def _list(members: Members, default: Role) -> None:
    """Who has which role; a line that is chosen stands in the fields below."""
    rest = members.default if members.default is not None else default
    roles = [*sorted(members.roles.items()), (DEFAULT, rest)]
    rows = [
        (say("everybody else who signs in") if name == DEFAULT else name, _word(role))
        for name, role in roles
    ]
    tables.grid(
        pd.DataFrame(rows, columns=[say("Name"), say("Role")]),
        say("Members"),
        key=_LIST,
        on_select=lambda: _choose(roles),
        selection_mode="single-row",
    )
    layout.remark("Choose a line to change it, or type an address to add somebody.")


def _choose(roles: Sequence[tuple[str, Role]]) -> None:
    """Put who was chosen, and their role, into the fields."""
    for row in state.widget(_LIST, None).selection.rows[:1]:
        name, role = roles[row]
        state.put("members.name", name)
        state.put("members.role", role.word)


def _word(role: Role) -> str:
    return say(_WORDS[role])


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
        show(project)
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
        folder = action()
    except MMMError as error:
        show_error(error)
        return
    if was_open is None or state.project_name() == was_open:
        navigation.open_project(folder.name)
    st.rerun()
