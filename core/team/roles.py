"""Roles: viewer, planner and admin, each with what the one before may do."""

from enum import IntEnum

from core.text.languages.language import marked


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

    @staticmethod
    def named(word: object) -> "Role | None":
        """The role of that name; None where there is none."""
        return next((role for role in Role if role.word == word), None)

    @staticmethod
    def choices() -> str:
        """The roles in a sentence."""
        return marked("use viewer, planner, admin or none.")
