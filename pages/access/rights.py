"""Rights: what a role does not allow is disabled on screen, and says why."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from core.service.projects.access import Role, is_enforced, may, why_not
from core.text.languages.language import say

#: What an entry of a project's menu needs, by what it does.
_ENTRIES = {"rename": Role.ADMIN, "delete": Role.ADMIN, "members": Role.VIEWER}


def of(
    project: Path | None,
    needs: Role,
    *,
    disabled: bool = False,
    help: str | None = None,  # Streamlit's own name
) -> dict[str, Any]:
    """`disabled` and `help` of a button that needs a role.

    Args:
        project: The project's folder; None for the workspace.
        needs: The least role.
        disabled: Whether it is disabled anyway.
        help: What the button says where the role allows it.
    """
    why = why_not(project, needs)
    return {"disabled": disabled or bool(why), "help": why or help}


def note_role(project: Path) -> None:
    """Say once on top of a screen what this person cannot do here."""
    if not is_enforced(project) or not why_not(project, Role.PLANNER):
        return
    st.caption(
        say(
            ":material/visibility: You can see and download everything in this "
            "project. To change data, fit or save plans, you need the planner role: "
            "ask one of its admins."
        ),
    )


def of_project(
    project: Path | None, menu: Mapping[str, str], *, is_damaged: bool = False
) -> list[str]:
    """The entries of a menu that this person may choose.

    Args:
        project: The project that the menu is about; None where none is open.
        menu: What each entry does, by its label.
        is_damaged: Whether the project can only be deleted.
    """
    allowed = {"list": True, "new": may(None, Role.PLANNER)}
    if project is not None:
        allowed |= {what: may(project, needs) for what, needs in _ENTRIES.items()}
        allowed["duplicate"] = allowed["new"] and not is_damaged
        allowed["rename"] &= not is_damaged
        allowed["members"] &= is_enforced(project)
    return [label for label, what in menu.items() if allowed.get(what)]
