"""Steps: what was typed into the plan, one after another, to undo and do again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.service.records.plan import goal_of
from core.text.languages.language import say
from pages.plan import goal as plan_goal
from pages.plan import limits as plan_limits
from pages.plan import more as plan_more
from pages.ui import state

#: Steps that are kept.
_MOST = 50


@dataclass(frozen=True)
class Track:
    """One form's steps.

    Attributes:
        name: Of the form: where its steps are kept, and where its keys begin.
        bring_back: Sets the form to a step.
    """

    name: str
    bring_back: Callable[[Any], None]

    def take(self, of: str, step: Any) -> None:
        """Keep what the form says now as a step, if it is another than the last.

        Args:
            of: What the amounts are about: other periods, or another fit, begin again.
            step: What the form says.
        """
        about, steps, at = self._kept()
        if about != of:
            # Steps of another fit, or of other periods, are amounts of another plan.
            steps = (step,)
        elif steps[at] == step:
            return
        else:
            # What was undone is gone once something else is typed.
            steps = (*steps[: at + 1], step)[-_MOST:]
        state.keep(f"{self.name}.steps", (of, steps, len(steps) - 1))

    def buttons(self) -> None:
        """Undo and redo."""
        _, steps, at = self._kept()
        for label, icon, by, shortcut, is_there in (
            (say("Undo"), ":material/undo:", -1, "Ctrl+Z", at > 0),
            (say("Redo"), ":material/redo:", 1, "Ctrl+Y", at + 1 < len(steps)),
        ):
            st.button(
                "",
                key=f"{self.name}.{label.lower()}",
                icon=icon,
                type="tertiary",
                shortcut=shortcut if is_there else None,
                disabled=not is_there,
                help=label,
                on_click=self._go,
                args=(by,),
            )

    def _kept(self) -> tuple[str, tuple[Any, ...], int]:
        return state.draft(f"{self.name}.steps", ("", (), -1))

    def _go(self, by: int) -> None:
        """Bring back the step before, or the one after."""
        of, steps, at = self._kept()
        state.keep(f"{self.name}.steps", (of, steps, at + by))
        self.bring_back(steps[at + by])


@dataclass(frozen=True)
class Step:
    """What is asked of the plan of some periods.

    Attributes:
        budget: Currency.
        objective: What is maximised where there is no goal.
        goal: The goal; None without one.
        limits: Of channels.
        more: Targets, groups, steps.
    """

    budget: float
    objective: str
    goal: float | None
    limits: plan_limits.Limits
    more: plan_more.More


def of_form(budget: float, limits: plan_limits.Limits, more: plan_more.More) -> Step:
    """What the form of the plan says now."""
    objective = str(state.widget("plan.objective", "mean"))
    goal = state.widget(plan_goal.KEY, None)
    return Step(budget, objective, goal, limits, more)


def put(step: Step) -> None:
    """Set the form of the plan to what a step, a saved plan or an address asks for."""
    plan_limits.rebase(step.limits)
    plan_more.put(step.more)
    state.put("plan.budget", step.budget)
    put_objective(step.objective, step.goal)


def put_objective(objective: str, goal: float | None = None) -> None:
    """Set the objective of the form, or the goal that makes it.

    Args:
        objective: By its name.
        goal: As it was typed; None for that of the objective, or none.
    """
    needed = goal_of(objective)
    plan_goal.put(needed, goal)
    if needed is None:
        state.put("plan.objective", objective)


#: The form of the plan.
FORM = Track("plan", put)
