"""members: who may do what in a project."""

import argparse
from pathlib import Path

from core.cli.answer import AT_FAULT, DONE, Answer, table
from core.service.places import project_folder
from core.service.projects.access import (
    DEFAULT,
    MEMBERS_FILE,
    acting,
    change_members,
    members_of,
    role_of,
    settings_of,
)
from core.service.records.team import Role


def members_command(options: argparse.Namespace) -> Answer:
    """The members of a project, after the changes that are asked for."""
    folder = project_folder(options.project)
    changes: dict[str, Role | None] = dict(options.set)
    changes |= dict.fromkeys(options.remove)
    if changes:
        change_members(folder, changes)
    return _answer(folder)


def _answer(folder: Path) -> Answer:
    members, settings, person = members_of(folder), settings_of(folder), acting(folder)
    default = settings.default if members.default is None else members.default
    problems = [f"{MEMBERS_FILE}: {text}" for text in members.problems]
    problems += [f"access.toml: {text}" for text in settings.problems]
    access = {
        "project": str(folder),
        "sign_in": settings.sign_in,
        "you": {"name": person.name, "role": role_of(person, folder).word},
        "members": {name: role.word for name, role in members.roles.items()},
        "default": default.word,
        "admins": sorted(settings.admins),
        "problems": problems,
    }
    listed = [(name, "admin (of the workspace)") for name in sorted(settings.admins)]
    listed += [(name, role.word) for name, role in members.roles.items()]
    listed.append((f"({DEFAULT}: everybody else)", default.word))
    text = table(("Name", "Role"), listed, texts=2)
    if settings.sign_in == "off":
        text += "\nSign-in is off: everybody may do everything (docs/team.md)."
    remarks = tuple(f"Warning: {problem}" for problem in problems)
    return Answer(access, text, AT_FAULT if problems else DONE, remarks)
