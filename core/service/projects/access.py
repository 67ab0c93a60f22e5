"""Access: who acts, who may do what, and whether anything may be changed."""

from core.team.gate import read_only
from core.team.membership import DEFAULT, change_members
from core.team.settings import acting

__all__ = ["DEFAULT", "change_members", "read_only", "who"]


def who() -> str:
    """The name of the one who acts."""
    return acting().name
