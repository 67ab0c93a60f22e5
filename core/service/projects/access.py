"""Access: who acts, and whether anything may be changed."""

from core.team.gate import read_only
from core.team.settings import acting

__all__ = ["read_only", "who"]


def who() -> str:
    """The name of the one who acts."""
    return acting().name
