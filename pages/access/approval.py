"""Approval of a plan on screen: how it stands, what was said, and the next step."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from core.errors import MMMError
from core.project.plans.plan_approval import (
    approve_plan,
    comment_plan,
    decline_plan,
    propose_plan,
)
from core.team import approval as steps
from core.team.settings import acting, is_enforced
from pages.access import rights


def why_unmarked(project: Path, plan_id: str) -> str:
    """Why a plan cannot be the plan of record yet; empty where it can."""
    if not is_enforced(project):
        return ""
    if steps.approval_of(project, plan_id).approved is not None:
        return ""
    return "Another planner has to approve it first."


def show(project: Path, plan_id: str, *, key: str) -> None:
    """Where sign-in is on: how a saved plan stands, and the next step.

    Args:
        project: The project's folder.
        plan_id: The plan.
        key: Where the keys of the widgets begin.
    """
    if not is_enforced(project):
        return
    approval = steps.approval_of(project, plan_id)
    number = steps.versions(project).get(plan_id, 1)
    st.caption(f"Version {number}. {steps.said(approval) or 'Not proposed yet.'}")
    for step in approval.steps:
        if step.text:
            st.text(f"{step.who} {step.step} on {step.time[:10]}: {step.text}")
    with st.popover("Approval", icon=":material/approval:"):
        text = st.text_area(
            "Comment",
            key=f"{key}.text.{plan_id}",
            max_chars=steps.LONGEST,
            **rights.of(project, rights.Role.PLANNER),
        )
        for label, act, why in _steps(project, plan_id, approval):
            may = rights.of(project, rights.Role.PLANNER, disabled=bool(why), help=why)
            if st.button(label, key=f"{key}.{label.lower()}", **may):
                try:
                    act(project, plan_id, text)
                except MMMError as error:
                    st.error(f"{error.message} {error.hint}")
                else:
                    st.rerun()


def _steps(
    project: Path, plan_id: str, approval: steps.Approval
) -> list[tuple[str, Callable[[Path, str, str], None], str | None]]:
    """The steps, each with why it cannot be taken now."""
    is_open = approval.status == "proposed"
    is_own = steps.has_saved(project, plan_id, acting(project).name)
    undecided = None if is_open else "It has not been proposed."
    why = (
        "You saved or proposed this plan, so another planner decides."
        if is_own
        else undecided
    )
    return [
        ("Propose", propose_plan, "It has already been proposed." if is_open else None),
        ("Comment", comment_plan, None),
        ("Approve", approve_plan, why),
        ("Decline", decline_plan, why),
    ]
