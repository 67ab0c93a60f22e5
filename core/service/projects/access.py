"""Access: who acts, who may do what, and whether anything may be changed."""

from core.team.gate import check, denial, log_refusal, may, note, read_only, why_not
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
from core.team.roles import Role
from core.team.settings import Settings, acting, is_enforced, settings_of


def who() -> str:
    """The name of the one who acts."""
    return acting().name
