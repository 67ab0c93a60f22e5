"""Plans that were saved, whatever they are over, and back to the form."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import streamlit as st

from core import text as fmt
from core.errors import WorkspaceError
from core.service.horizons import own_curves
from core.service.projects.plans import load_plan, read_plans
from core.service.records.fit import Run
from core.service.records.plan import Horizon, HorizonRequest, PlanRecord
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.plan import limits as plan_limits
from pages.plan import more, steps
from pages.plan.geos import saved as geos_saved
from pages.plan.rare import dated
from pages.plan.weeks import saved as weeks_saved
from pages.ui import kept, layout, navigation, planning, reading, state
from pages.ui.findings import plain

#: Why a plan of another fit cannot be loaded.
_OTHER_CHANNELS = marked("It has other channels than this fit.")
_OVER_BY_NOW = marked("Its periods are already part of this fit's data.")


def follow_link(folder: Path, run: Run) -> None:
    """Bring back the plan that the address asks for, or say why that cannot be.

    Args:
        folder: The project.
        run: The fit that is shown.
    """
    plan_id = navigation.linked_plan()
    if plan_id is None:
        return
    try:
        plan = load_plan(folder, plan_id)
    except WorkspaceError as error:
        hint = error.hint and reworded(error.hint)
        hint = hint or say("It was deleted, or it belongs to another project.")
        _no_way(f"{reworded(error.message)} {hint}")
        return
    why_not, bring = _way_back(plan, run)
    if why_not:
        _no_way(
            say(
                "{title} cannot be opened with this fit. {why_not}",
                title=plan.title,
                why_not=why_not,
            )
        )
        return
    _bring_back(plan, run, bring)


def _no_way(why: str) -> None:
    text = say("The plan in this link cannot be shown. ")
    st.warning(
        text + plain(say("{why} Your draft is unchanged.", why=why)),
        icon=":material/link:",
    )


def show(folder: Path, run: Run, units: fmt.Units) -> None:
    """The list; choosing a plan and loading it brings its requests back."""
    saved, faults = read_plans(folder)

    def load(plan: PlanRecord) -> None:
        why_not, bring = _way_back(plan, run)
        st.button(
            say("Load {title}", title=plain(plan.title)),
            key="plan.load",
            icon=":material/history:",
            disabled=bool(why_not),
            help=why_not or None,
            on_click=_bring_back,
            args=(plan, run, bring),
        )
        with st.popover(say("Link"), icon=":material/link:", key="plan.link"):
            st.code(navigation.link_to_plan(plan.plan_id), language=None)
            layout.remark("Opens this plan for everyone who may see the project.")

    if saved:
        kept.shelf(folder, saved, units, load)
    for fault in faults:
        st.caption(f":orange[{plain(f'{fault.message} {fault.hint}')}]")


def _way_back(
    plan: PlanRecord, run: Run
) -> tuple[str, Callable[[], plan_limits.Limits]]:
    """Why a plan cannot come back, and what brings back the rest and its limits."""
    last = reading.fit(run.folder).end[:10]
    if not _has_channels_of(plan, run):
        return say(_OTHER_CHANNELS), dict
    if not plan.horizon.as_fitted and plan.horizon.start <= last:
        return say(_OVER_BY_NOW), dict
    if plan.over == "geos":
        return "", lambda: geos_saved.bring_back(plan, run)
    if plan.over == "weeks":
        return "", lambda: weeks_saved.bring_back(plan, run)
    return "", lambda: plan_limits.of_plan(plan)


def _has_channels_of(plan: PlanRecord, run: Run) -> bool:
    """Whether a plan is over the channels of a fit, as far as is known by now."""
    planned = {line.name for line in plan.channels if not line.is_belief}
    ahead = planning.curves_of_plan(run, plan)
    if ahead is not None:
        return planned == set(ahead.names)
    own = planning.curves_of(own_curves(run.folder))
    fitted = {*own.names, *own.idle}
    if plan.over == "weeks":  # does not say which channels rest
        return planned <= fitted
    return planned | {*plan.idle} == fitted


def _bring_back(
    plan: PlanRecord, run: Run, bring: Callable[[], plan_limits.Limits]
) -> None:
    """Set periods, budget, objective and limits to those of a plan."""
    navigation.link_plan(plan.plan_id)
    put_periods(plan.horizon)
    state.put("plan.over", plan.over.capitalize())
    current = {line.name: line.current for line in plan.channels}
    plan_limits.settle(run.run_id, current)
    names = [line.name for line in plan.channels if not line.is_belief]
    asked = more.of_scenario(plan.scenario, plan.horizon, names)
    steps.put(steps.Step(plan.budget, plan.objective.name, None, bring(), asked))


def put_periods(horizon: Horizon | HorizonRequest) -> None:
    """Set the periods of the form."""
    state.put("plan.horizon", "own" if horizon.as_fitted else "custom")
    if not horizon.as_fitted:
        state.put("plan.periods", horizon.periods)
        state.put("plan.start", date.fromisoformat(horizon.start).isoformat())
    if isinstance(horizon, Horizon):
        dated.put_values(dated.value_rows(horizon))
