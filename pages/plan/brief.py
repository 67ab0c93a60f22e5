"""The brief of a plan: its budget, how far channels may move, and the goal.

With the periods and Save these are all that a marketer needs; what else can be asked is
under Constraints.
"""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.service.records.fit import Run
from core.service.records.plan import DEFAULT_BOUNDS, ResponseCurves
from core.text.languages.language import say, say_count
from pages.plan import goal as plan_goal
from pages.plan import limits as plan_limits
from pages.plan import more as plan_more
from pages.plan.goal import Goal
from pages.ui import navigation, state
from pages.ui.fields.amount import amount_field

_USUAL = round(100 * (DEFAULT_BOUNDS[1] - 1))


@dataclass(frozen=True)
class Brief:
    """What the first layer of the form says.

    Attributes:
        budget: Currency; last year's spend where the budget is to be found.
        goal: The goal.
        budget_place: Where a budget that is found is shown; None for one that is typed.
    """

    budget: float
    goal: Goal
    budget_place: DeltaGenerator | None

    def objective(self) -> str:
        """What the plan maximises: the odds of the goal, where there is one."""
        return self.goal.objective or str(state.widget("plan.objective", "mean"))


def ask(run: Run, curves: ResponseCurves, units: fmt.Units) -> Brief:
    """The controls, beside that of the periods.

    Args:
        run: The fit.
        curves: Of the periods planned.
        units: Words for the units.
    """
    total = plan_limits.ran(curves)
    place = st.container(width=195, gap="xsmall")
    # Where the budget is to be found its place is filled once the plan is known.
    budget_place, budget = place, total
    if not plan_more.finds_budget():
        with place:
            budget_place, budget = None, _budget(total, curves, units)
    with st.container(width=150, gap="xsmall"):
        _limits(curves)
    with st.container(width=195, gap="xsmall"):
        goal = plan_goal.ask(run, curves, units)
    return Brief(budget, goal, budget_place)


def _budget(total: float, curves: ResponseCurves, units: fmt.Units) -> float:
    """The budget, exact to the cent; last year's spend unless it was typed."""
    budget = amount_field(
        fmt.titled(say("Budget"), units.symbol),
        "plan.budget",
        total,
        least=0.01,
        decimals=2,
        help=navigation.explained(
            say("For the whole plan, spent to the cent. You can type 75M or 75,000."),
            navigation.PLAN,
        ),
        currency=units.currency,
    )
    budget = float(budget or total)
    before = fmt.money(total, units.currency)
    ran = curves.horizon.as_it_ran
    same = say("as last year") if curves.horizon.has_last_year else ran
    same = same if budget == total else fmt.named(ran, before)
    st.caption(f"{fmt.money(budget, units.currency)}, {same}")
    return budget


def _limits(curves: ResponseCurves) -> None:
    """One limit for every channel."""
    if not state.has("plan.spread"):
        state.put("plan.spread", plan_limits.spread_of(curves, _USUAL))
    spread = st.number_input(
        say("Limits, ± %"),
        0,
        100,
        step=10,
        key="plan.spread",
        persist_state="session",
        on_change=lambda: plan_limits.rebase(
            plan_limits.default(curves, state.widget("plan.spread", _USUAL) / 100)
        ),
        help=navigation.explained(
            say(
                "How far every channel may move from what it spent ({ran}). "
                "Constraints has limits of single channels.",
                ran=curves.horizon.as_it_ran,
            ),
            navigation.PLAN,
        ),
    )
    own = plan_limits.of_their_own(curves, spread / 100)
    if own:
        st.caption(
            say_count(
                len(own),
                "{number} channel has limits of its own",
                "{number} channels have limits of their own",
                number=len(own),
            )
        )
