"""Steps: what was typed into the plan, one after another, to undo and do again."""

from dataclasses import dataclass

import streamlit as st

from pages.plan import limits as plan_limits
from pages.plan import more as plan_more
from pages.ui import state

#: Steps that are kept.
_MOST = 50


@dataclass(frozen=True)
class Step:
    """What is asked of the plan of some periods.

    Attributes:
        periods: What tells these periods of this fit from others.
        budget: Currency.
        objective: As the control has it.
        goal: The goal of `reach`.
        limits: Of channels.
        more: Targets, groups, steps.
    """

    periods: str
    budget: float
    objective: str
    goal: float | None
    limits: plan_limits.Limits
    more: plan_more.More


def take(periods: str, budget: float, limits: plan_limits.Limits, more) -> None:
    """Keep what is asked now as a step, if it is another than the last.

    Other periods, or another fit, begin anew: their amounts mean something else.
    """
    objective = str(state.widget("plan.objective", "mean"))
    goal = state.widget("plan.goal", None) if objective == "reach" else None
    step = Step(periods, round(budget, 2), objective, goal, limits, more)
    steps, at = _kept()
    if steps and steps[at].periods == periods:
        if steps[at] == step:
            return
        steps = (*steps[: at + 1], step)[-_MOST:]
    else:
        steps = (step,)
    state.keep("plan.steps", (steps, len(steps) - 1))


def buttons() -> None:
    """Undo and redo."""
    steps, at = _kept()
    for label, icon, by, shortcut, is_there in (
        ("Undo", ":material/undo:", -1, "Ctrl+Z", at > 0),
        ("Redo", ":material/redo:", 1, "Ctrl+Y", at + 1 < len(steps)),
    ):
        st.button(
            "",
            key=f"plan.{label.lower()}",
            icon=icon,
            type="tertiary",
            shortcut=shortcut if is_there else None,
            disabled=not is_there,
            help=label,
            on_click=_go,
            args=(by,),
        )


def _kept() -> tuple[tuple[Step, ...], int]:
    return state.draft("plan.steps", ((), -1))


def _go(by: int) -> None:
    """Bring back the step before, or the one after."""
    steps, at = _kept()
    step = steps[at + by]
    state.keep("plan.steps", (steps, at + by))
    plan_limits.rebase(step.limits)
    plan_more.put(step.more)
    state.put("plan.budget", step.budget)
    if step.goal is not None:
        state.put("plan.goal", step.goal)
    state.put("plan.objective", step.objective)
