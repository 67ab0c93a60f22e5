"""Approval of a plan on screen: how it stands, what was said, and the next step."""

from pathlib import Path

import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.service.projects import approvals
from core.service.projects.access import is_enforced
from core.text.escaping import plain
from core.text.languages.language import say
from core.text.languages.reworded import reworded
from pages.access import rights


def why_unmarked(project: Path, plan_id: str) -> str:
    """Why a plan cannot be the plan of record yet; empty where it can."""
    if not is_enforced(project):
        return ""
    [plan] = approvals.listed(project, plan_id)
    if plan.status == "approved":
        return ""
    return say("Another planner has to approve it first.")


def show(project: Path, plan_id: str, *, key: str) -> None:
    """Where sign-in is on: how a saved plan stands, and the next step.

    Args:
        project: The project's folder.
        plan_id: The plan.
        key: Where the keys of the widgets begin.
    """
    if not is_enforced(project):
        return
    [plan] = approvals.listed(project, plan_id)
    st.caption(plain(reworded(plan.said)) or say("Not proposed yet."))
    for step in plan.steps:
        if step.text:
            st.text(
                say(
                    "{who} {step} on {time}: {text}",
                    who=step.who,
                    step=say(step.step),
                    time=fmt.date(step.time),
                    text=step.text,
                )
            )
    with st.popover(say("Approval"), icon=":material/approval:"):
        text = st.text_area(
            say("Comment"),
            key=f"{key}.text.{plan_id}",
            max_chars=approvals.LONGEST,
            **rights.of(project, rights.Role.PLANNER),
        )
        with st.container(horizontal=True, gap="small"):
            chosen = [
                step
                for step, label, why in _steps(project, plan)
                if st.button(
                    label,
                    key=f"{key}.{step}",
                    type="secondary" if why or step != "approve" else "primary",
                    **rights.of(
                        project, rights.Role.PLANNER, disabled=bool(why), help=why
                    ),
                )
            ]
        for step in chosen:
            try:
                approvals.take(project, step, plan_id, text)
            except MMMError as error:
                st.error(plain(f"{reworded(error.message)} {reworded(error.hint)}"))
            else:
                st.rerun()


def _steps(
    project: Path, plan: approvals.ListedPlan
) -> list[tuple[approvals.Step, str, str | None]]:
    """The steps that there are: label, and why it cannot be taken now."""
    is_open = plan.status == "proposed"
    undecided = None if is_open else say("It has not been proposed.")
    why = (
        say("You saved or proposed this plan, so another planner decides.")
        if approvals.has_a_hand_in(project, plan.plan_id)
        else undecided
    )
    steps: list[tuple[approvals.Step, str, str | None]]
    steps = [("approve", say("Approve"), why), ("decline", say("Decline"), why)]
    if not is_open:
        steps.append(("propose", say("Propose"), None))
    return [*steps, ("comment", say("Comment"), None)]
