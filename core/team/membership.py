"""Membership: giving and taking roles in a project."""

from collections.abc import Mapping
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from core.errors import AccessError
from core.store.atomic import write_text
from core.store.locks import alone
from core.store.rewritten import bytes_before, set_aside
from core.team.gate import gate
from core.team.identity import same_name
from core.team.members import FILE, Members, members_of, role_of
from core.team.roles import Role
from core.team.settings import acting, is_enforced

#: In place of a name: whoever is not named.
DEFAULT = "default"


def change_members(project: Path, changes: Mapping[str, Role | None]) -> Members:
    """Give people roles in a project; comments of the file are kept.

    Args:
        project: The project's folder.
        changes: New role by name, None to forget the name; `default` is whoever is
            not named.

    Returns:
        The members now.

    Raises:
        AccessError: The one who acts is no admin, or would leave the project without
            one.
        WorkspaceError: The file cannot be read or written.
    """
    text = ", ".join(
        f"{name} {role.word if role is not None else 'forgotten'}"
        for name, role in changes.items()
    )
    with gate("members changed", project, Role.ADMIN, subject=text), alone(project):
        _check(project, changes)
        path = project / FILE
        write_text(path, _changed(_document(path), changes))
        return members_of(project)


def _check(project: Path, changes: Mapping[str, Role | None]) -> None:
    names = {same_name(name): role for name, role in changes.items()}
    if "" in names:
        raise AccessError("A member needs a name.", hint="Use an e-mail address.")
    roles = members_of(project).roles | names
    is_admin_anyway = role_of(acting(project)) == Role.ADMIN
    if Role.ADMIN not in roles.values() and not is_admin_anyway:
        raise AccessError(
            f"{project.name} would have no admin.",
            hint="Make somebody else admin first.",
            where=project.name,
        )


def _document(path: Path) -> tomlkit.TOMLDocument:
    """What the file says; one that is no TOML is set aside, and a new one begun.

    Raises:
        WorkspaceError: It cannot be read, or not be set aside.
    """
    content = bytes_before(path)
    try:
        return tomlkit.parse(content.decode())
    except (TOMLKitError, UnicodeDecodeError):
        set_aside(path)
        return tomlkit.document()


def _changed(document: tomlkit.TOMLDocument, changes: Mapping[str, Role | None]) -> str:
    """The file's text with these roles."""
    members = document.get("members")
    if not isinstance(members, dict):
        members = document["members"] = tomlkit.table()
    for name, role in changes.items():
        table = document if name == DEFAULT else members
        for spelling in [key for key in table if same_name(key) == same_name(name)]:
            del table[spelling]
        if role is not None:
            table[same_name(name)] = role.word
    return tomlkit.dumps(document)


def found(project: Path) -> None:
    """Make whoever creates a project its admin, unless they are that anyway.

    Args:
        project: The folder that becomes the project.
    """
    person = acting(project)
    if is_enforced(project) and role_of(person, project) < Role.ADMIN:
        founder = {person.name: Role.ADMIN}
        write_text(project / FILE, _changed(tomlkit.document(), founder))
