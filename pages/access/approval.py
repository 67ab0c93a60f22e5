"""Approval of a plan on screen: how it stands, what was said, and the next step."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.service.projects.access import acting, is_enforced
from core.service.projects.plans import (
    approve_plan,
    comment_plan,
    decline_plan,
    propose_plan,
)
from core.team import approval as steps
from core.text.escaping import plain
from core.text.languages.language import say
from core.text.languages.reworded import reworded
from pages.access import rights


def why_unmarked(project: Path, plan_id: str) -> str:
    """Why a plan cannot be the plan of record yet; empty where it can."""
    if not is_enforced(project):
        return ""
    if steps.approval_of(project, plan_id).approved is not None:
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
    approval = steps.approval_of(project, plan_id)
    number = steps.versions(project).get(plan_id, 1)
    st.caption(
        say(
            "Version {number}. {approval}",
            number=number,
            approval=plain(reworded(steps.said(approval))) or say("Not proposed yet."),
        )
    )
    for step in approval.steps:
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
            max_chars=steps.LONGEST,
            **rights.of(project, rights.Role.PLANNER),
        )
        with st.container(horizontal=True, gap="small"):
            chosen = [
                act
                for name, label, act, why in _steps(project, plan_id, approval)
                if st.button(
                    label,
                    key=f"{key}.{name}",
                    type="secondary" if why or name != "approve" else "primary",
                    **rights.of(
                        project, rights.Role.PLANNER, disabled=bool(why), help=why
                    ),
                )
            ]
        for act in chosen:
            try:
                act(project, plan_id, text)
            except MMMError as error:
                st.error(plain(f"{reworded(error.message)} {reworded(error.hint)}"))
            else:
                st.rerun()


def _steps(
    project: Path, plan_id: str, approval: steps.Approval
) -> list[tuple[str, str, Callable[[Path, str, str], None], str | None]]:
    """The steps that there are, by key: label, act, and why it cannot be taken now."""
    is_open = approval.status == "proposed"
    is_own = steps.has_saved(project, plan_id, acting(project).name)
    undecided = None if is_open else say("It has not been proposed.")
    why = (
        say("You saved or proposed this plan, so another planner decides.")
        if is_own
        else undecided
    )
    propose = ("propose", say("Propose"), propose_plan, None)
    return [
        ("approve", say("Approve"), approve_plan, why),
        ("decline", say("Decline"), decline_plan, why),
        *([] if is_open else [propose]),
        ("comment", say("Comment"), comment_plan, None),
    ]
