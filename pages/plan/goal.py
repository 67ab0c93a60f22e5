"""The goal of the plan's periods, baseline and all: what is typed is what is pursued.

A plan with a goal maximises the odds of reaching it. Solvers know what paid media
bring, so the goal becomes what media must bring: what they bring at last year's spend,
and what the goal has above the forecast with last year's media.
"""

from dataclasses import dataclass

import numpy as np
import streamlit as st
import xarray as xr
from jaxtyping import Float

from core import text as fmt
from core.estimate import estimate
from core.service.planning.by_hand import in_all, plan_total
from core.service.records.fit import Run
from core.service.records.plan import Horizon, PlanRecord, ResponseCurves
from core.service.runs import result_files
from core.text.languages.language import marked, say
from core.view.advice import compared_with
from pages.ui import layout, navigation, reading, state
from pages.ui.fields.amount import amount_field
from pages.ui.findings import plain
from pages.ui.reader.once import once

#: Where the session keeps the goal, and what media must bring until it is one.
KEY, _NEEDED = "plan.goal", "goal.needed"


@dataclass(frozen=True)
class Goal:
    """The goal that the form has.

    Attributes:
        typed: All revenue (or the KPI) of the periods; of paid media where the fit has
            no forecast of them. None: nothing was typed.
        above: Mean outcome of the periods that is not from paid media.
        whole: The forecast of the periods together; None without one.
        view: The forecast of each period; None without one.
        curves: Of the periods planned.
    """

    typed: float | None
    above: float
    whole: xr.Dataset | None
    view: xr.Dataset | None
    curves: ResponseCurves

    @property
    def objective(self) -> str | None:
        """What the goal makes of the objective; None without a goal."""
        if self.typed is None:
            return None
        # The baseline alone may reach the goal; solvers need one above zero.
        return f"reach:{max(self.typed - self.above, 1.0):.0f}"


def ask(run: Run, curves: ResponseCurves, units: fmt.Units) -> Goal:
    """The field of the goal.

    Args:
        run: The fit.
        curves: Of the periods planned.
        units: Words for the units.
    """
    view = whole = None
    if "forecast.nc" in result_files(run.folder):
        view = reading.result_dataset(run.folder, "forecast")
        whole = _in_all(run, curves.horizon)
    media, above = float(curves.total(curves.spend[None]).mean()), 0.0
    if whole is not None:
        above = float(whole["outcome"].mean()) - media
    needed = state.draft(_NEEDED)
    # A loaded plan says what media must bring; the field says all, known only here.
    if needed is not None:
        state.keep(_NEEDED, None)
        state.put(KEY, round(needed + above, 2))
    name, kpi = units.outcome_name, units.kpi_in_text
    what = say("all {kpi}, baseline included", kpi=kpi)
    if whole is None:
        what = say("{outcome} from paid media", outcome=kpi)
    typed = amount_field(
        fmt.titled(
            say("{name} goal", name=name), units.symbol if units.is_money else ""
        ),
        KEY,
        None,
        least=1.0,
        placeholder=say("none"),
        help=navigation.explained(
            say(
                "What these periods should bring: {what}. The plan then maximises the "
                "odds of reaching it. Empty: it maximises what Constraints says.",
                what=what,
            ),
            navigation.PLAN,
        ),
        currency=units.currency,
    )
    return Goal(typed, above, whole, view, curves)


def put(needed: float | None, typed: float | None = None) -> None:
    """Set the goal by what media must bring, or as it was typed; None for no goal."""
    state.keep(_NEEDED, needed)
    state.put(KEY, typed)


def tile(goal: Goal, plan: PlanRecord | None, units: fmt.Units) -> None:
    """How likely the plan reaches the goal, or last year's total without one.

    Args:
        goal: What the form has.
        plan: The plan; None where there is none.
        units: Words for the units.
    """
    if plan is None:
        st.metric(say("Odds of the goal"), fmt.NONE)
    elif goal.whole is None:
        _of_media(goal, plan, units)
    else:
        _of_all(goal, plan, units)


def _of_all(goal: Goal, plan: PlanRecord, units: fmt.Units) -> None:
    """Odds of a goal for all that the periods bring."""
    planned, usual = totals(goal, plan)
    typed = goal.typed
    target = float(goal.whole["year_before"]) if typed is None else typed
    now, then = (
        fmt.probability(float((each >= target).mean())) for each in (usual, planned)
    )
    name = plain(units.kpi_in_text)
    brings = units.estimate(estimate(planned), bare=True)
    st.metric(
        _odds_of(plan, is_typed=typed is not None),
        then,
        help=navigation.tip(
            "All {name} of these periods, baseline included. Expected: {brings}.",
            name=name,
            brings=brings,
        ),
    )
    reach = (
        marked("to reach {wanted}, baseline included; {now} with last year's media")
        if plan.horizon.has_last_year
        else marked("to reach {wanted}, baseline included; {now} with media as it ran")
    )
    layout.remark(reach, wanted=units.show(target), now=now)


def _odds_of(plan: PlanRecord, *, is_typed: bool) -> str:
    """What the odds are of: of a goal, else of as much as a year earlier."""
    if is_typed:
        return say("Odds of the goal")
    if plan.horizon.has_last_year:
        return say("Odds of last year's total")
    return say("Odds of the total as it ran")


def _of_media(goal: Goal, plan: PlanRecord, units: fmt.Units) -> None:
    """Odds of a goal for what paid media bring, where there is no forecast."""
    if goal.typed is None or not plan.objective.name.startswith("reach:"):
        st.metric(say("Odds of the goal"), fmt.NONE)
        layout.remark("No goal is set.")
        return
    now, then = map(fmt.probability, (plan.objective.current, plan.objective.planned))
    st.metric(say("Odds of the goal"), then)
    layout.remark(
        "to reach {typed} from paid media; {now} with {plan}",
        typed=units.show(goal.typed),
        now=now,
        plan=compared_with(plan),
    )


def totals(
    goal: Goal, plan: PlanRecord
) -> tuple[Float[np.ndarray, " draw"], Float[np.ndarray, " draw"]]:
    """Outcome of the periods by the plan, and with last year's media."""
    planned = plan_total(plan, goal.view, goal.whole, goal.curves.frequencies)
    return planned + _between_geos(plan), goal.whole["outcome"].to_numpy()


def _between_geos(plan: PlanRecord) -> float:
    """What money that moves between geos adds on average, which a forecast lacks."""
    by_channel = plan.outcome.channels
    return 0.0 if by_channel is None else plan.outcome.planned.mean - by_channel.mean


@once(lambda run, horizon: (reading.result_sha(run.folder), horizon), most=8)
def _in_all(run: Run, horizon: Horizon) -> xr.Dataset | None:
    return in_all(reading.result_dataset(run.folder, "forecast"), horizon)
