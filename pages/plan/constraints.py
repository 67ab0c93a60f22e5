"""Constraints: what else can be asked of a plan, one click below the answer."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.errors import PlanError
from core.service.records.fit import Run
from core.service.records.plan import Horizon, ResponseCurves
from core.text.languages.language import marked, say
from pages.plan import limits as plan_limits
from pages.plan import more as plan_more
from pages.plan.goal import KEY as GOAL
from pages.plan.more import More
from pages.plan.rare import dated as plan_dated
from pages.ui import navigation, state
from pages.ui.fields import folded

_OBJECTIVES = {
    "mean": marked("expected {kpi}"),
    "p25": marked("{kpi} reached in 3 of 4 cases"),
    "p10": marked("{kpi} reached in 9 of 10 cases"),
    "cvar10": marked("cautious: mean of the worst tenth"),
}
#: The box; why there was no plan when it was last drawn; for what it was opened.
_BOX, _REFUSED, _SHOWN = "plan.constraints", "constraints.refused", "constraints.shown"


@dataclass(frozen=True)
class Constraints:
    """What the box says.

    Attributes:
        unit: Of the limits: `%` or `money`.
        more: Targets, groups, steps.
        editor: Where the limits are edited; None while the box is folded.
    """

    unit: str
    more: More
    editor: DeltaGenerator | None


def is_drawn() -> bool:
    """Whether the box is drawn with what is in it: its editors take a while."""
    return folded.is_drawn(_BOX)


def choose(run: Run, curves: ResponseCurves, units: fmt.Units) -> Constraints:
    """Draw the box; its table of limits is drawn later, by `limits`.

    Args:
        run: The fit.
        curves: Of the periods planned.
        units: Words for the units.
    """
    _open_where_wrong(curves)
    count = state.draft("more.now", More()).count
    label = say("Constraints") + (f" ({count})" if count else "")
    box, has_content = folded.box(
        label, _BOX, icon=":material/tune:", bind="query-params"
    )
    if not has_content:
        unit = state.widget("plan.unit", "%")
        return Constraints(unit, plan_more.kept(curves), None)
    with box:
        with st.container(horizontal=True, vertical_alignment="top", key="plan.asked"):
            _objective(units)
            unit = _unit(units, curves.horizon)
            if not curves.horizon.as_fitted:
                plan_dated.edit_values()
        editor, right = st.columns([3, 2], gap="medium")
        more = plan_more.choose(run, curves, units, right)
    return Constraints(unit, more, editor)


def limits(
    chosen: Constraints,
    curves: ResponseCurves,
    error: PlanError | None,
    units: fmt.Units,
) -> None:
    """The table of limits; the box opens where they cannot be met.

    Args:
        chosen: What `choose` returned.
        curves: Of the periods planned.
        error: Why there is no plan.
        units: Words for the units.
    """
    if chosen.editor is not None:
        with chosen.editor:
            plan_limits.table(curves, chosen.unit, error, units.symbol)
    # The budget stands in the brief: opening this box would not show what is wrong.
    refused = "" if error is None or error.where == "budget" else str(error)
    state.keep(_REFUSED, refused)


def _open_where_wrong(curves: ResponseCurves) -> None:
    """Open the box, once for each fault in it."""
    typed = plan_limits.now(curves, state.widget("plan.unit", "%"))
    crossed = [name for name, limit in typed.items() if limit.low > limit.high]
    about = fmt.listed(crossed) if crossed else state.draft(_REFUSED, "")
    if about != state.draft(_SHOWN, ""):
        state.keep(_SHOWN, about)
        if about:
            state.put(_BOX, True)


def _objective(units: fmt.Units) -> None:
    """What the plan maximises where there is no goal."""
    kpi = units.kpi_in_text
    has_goal = state.widget(GOAL, None) is not None
    st.selectbox(
        say("Maximise"),
        # A plan that is loaded may have one that is not offered, such as p5.
        list(dict.fromkeys([*_OBJECTIVES, state.widget("plan.objective", "mean")])),
        format_func=lambda name: say(_OBJECTIVES.get(name, name), kpi=kpi),
        key="plan.objective",
        persist_state="session",
        width=270,
        disabled=has_goal,
        help=navigation.explained(
            say("The goal decides: the plan maximises the odds of reaching it.")
            if has_goal
            else say("The expected value, or a cautious one that holds in most cases.")
        ),
    )


def _unit(units: fmt.Units, horizon: Horizon) -> str:
    """Unit of the limits."""
    return st.segmented_control(
        say("Limits in"),
        plan_limits.UNITS,
        default="%",
        required=True,
        format_func=lambda name: "%" if name == "%" else units.symbol or say("Amount"),
        key="plan.unit",
        on_change=lambda: plan_limits.rebase(state.draft("limits.now")),
        persist_state="session",
        help=navigation.tip(
            "Percent of what the channel spent ({ran}), or money.",
            ran=horizon.as_it_ran,
        ),
    )
