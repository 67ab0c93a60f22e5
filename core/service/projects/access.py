"""Access: who acts, who may do what, and whether anything may be changed."""

from core.team.gate import (
    Role,
    check,
    denial,
    log_refusal,
    may,
    note,
    read_only,
    why_not,
)
from core.team.identity import (
    MIXWRIGHT,
    NOBODY,
    Person,
    acting_as,
    set_sign_in,
    tidy_name,
)
from core.team.identity import who as person
from core.team.members import FILE as MEMBERS_FILE
from core.team.members import Members, members_of, role_of
from core.team.membership import DEFAULT, change_members
from core.team.settings import Settings, acting, is_enforced, settings_of

__all__ = [
    "DEFAULT",
    "MEMBERS_FILE",
    "MIXWRIGHT",
    "Members",
    "NOBODY",
    "Person",
    "Role",
    "Settings",
    "acting",
    "acting_as",
    "change_members",
    "check",
    "denial",
    "is_enforced",
    "log_refusal",
    "may",
    "members_of",
    "note",
    "person",
    "read_only",
    "role_of",
    "set_sign_in",
    "settings_of",
    "tidy_name",
    "who",
    "why_not",
]


def who() -> str:
    """The name of the one who acts."""
    return acting().name
