"""Members of a project: members.toml, read entry by entry and believed with care.

    default = "viewer"             # of whoever is not named; else the workspace's

    [members]
    "anna@example.com" = "planner"

A name with a mistake beside it has no role, and a file with any mistake gives none to
whoever it does not name: a typo lets nobody in. The workspace's admins are admins of
every project, whatever the file says: a typo locks no admin out.
"""

import functools
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from core.store.stored import read_regular
from core.team.identity import Person, same_name
from core.team.roles import Role
from core.team.settings import is_keeper, role_at, settings_of
from core.toml.table import TableReader

FILE = "members.toml"
_MOST = 1024**2


@dataclass(frozen=True)
class Members:
    """What members.toml says.

    Attributes:
        roles: Role by name, as names are compared.
        default: The role of whoever is not named; None for the workspace's.
        problems: What is wrong with the file.
    """

    roles: dict[str, Role] = field(default_factory=dict)
    default: Role | None = None
    problems: tuple[str, ...] = ()


def role_of(person: Person, project: Path | None = None) -> Role:
    """The role of somebody in a project; None for the workspace itself."""
    settings = settings_of(project)
    if settings.sign_in == "off" or person.source == "mixwright":
        return Role.ADMIN
    if person.source == "system" and is_keeper(project):
        return Role.ADMIN
    name = same_name(person.name)
    if not name or person.source == "nobody":
        return Role.NONE
    if name in settings.admins:
        return Role.ADMIN
    if project is None:
        return settings.default
    members = members_of(project)
    default = settings.default if members.default is None else members.default
    return members.roles.get(name, default)


def members_of(project: Path) -> Members:
    """The members of a project."""
    path = project / FILE
    try:
        stat = os.lstat(path)
    except FileNotFoundError:
        return Members()
    except OSError as error:
        return _broken(f"It cannot be read: {error.strerror}.")
    return _read(path, stat.st_mtime_ns, stat.st_size, stat.st_ino)


@functools.lru_cache(maxsize=256)
def _read(path: Path, *_looks: int) -> Members:
    try:
        if path.is_symlink():
            return _broken("It is a link.")
        return parse_members(read_regular(path, most=_MOST).decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        return _broken(f"It cannot be read: {error}.")


def parse_members(text: str) -> Members:
    """The members that a text names; mistakes are in `problems`."""
    try:
        root = TableReader(tomllib.loads(text), (), [])
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return _broken(f"It is not TOML: {error}.")
    default, members = role_at(root, "default"), root.child("members")
    roles: dict[str, Role] = {}
    for name in members.table:
        role = role_at(members, name) or Role.NONE
        earlier = roles.get(same_name(name))
        if earlier is not None and earlier != role:
            members.problem(f"{name} is named twice, with different roles.")
        roles[same_name(name)] = role if earlier is None else min(role, earlier)
    root.finish()
    return Members(roles, Role.NONE if root.problems else default, root.in_words())


def _broken(problem: str) -> Members:
    return Members(default=Role.NONE, problems=(problem,))
