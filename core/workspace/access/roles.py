"""Roles: viewer, planner and admin, each with what the one before may do."""

from enum import IntEnum
from pathlib import Path

from core.workspace.access.identity import Person


class Role(IntEnum):
    """What somebody may do in a project."""

    NONE = 0
    VIEWER = 1
    PLANNER = 2
    ADMIN = 3

    @property
    def word(self) -> str:
        """Its name in the members file and on screen."""
        return self.name.lower()

    @property
    def article(self) -> str:
        """Its name in a sentence."""
        return "an admin" if self is Role.ADMIN else f"a {self.word}"


def is_enforced(project: Path | None) -> bool:
    """Whether roles hold here: only where sign-in is on."""
    del project
    return False


def role_of(person: Person, project: Path | None) -> Role:
    """The role of somebody in a project, or in the workspace."""
    del person, project
    return Role.ADMIN
