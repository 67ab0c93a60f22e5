"""Plan: how should the next budget be spent, and is it worth changing?

The first layer is the brief (periods, budget, limits, goal), the advice, its numbers, a
table and a chart. Constraints, charts for analysts, saved plans and files are one click
below.
"""

from dataclasses import dataclass

import streamlit as st

from core import text as fmt
from core.charts.data import channel_order
from core.errors import PlanError
from core.service.projects.plans import list_plans
from core.service.records.fit import Run
from core.service.records.plan import PlanRecord, ResponseCurves
from core.text.languages.language import marked, say
from core.view.sections import plan_tables
from pages.plan import analysts, brief, by_hand, constraints, edited, steps
from pages.plan import goal as plan_goal
from pages.plan import horizon as plan_horizon
from pages.plan import life as plan_life
from pages.plan import limits as plan_limits
from pages.plan import more as plan_more
from pages.plan import saved as plan_saved
from pages.plan import view as plan_view
from pages.plan.address import form as address
from pages.plan.brief import Brief
from pages.plan.geos import view as plan_geos
from pages.plan.horizon import Chosen
from pages.plan.more import More
from pages.plan.portfolio import panel as portfolio
from pages.plan.weeks import panel as weeks_panel
from pages.ui import fit_needed, layout, navigation, planning, reading, state
from pages.ui.findings import show_error
from pages.ui.planning import ChannelPlan
from pages.ui.reading import Opened

_CHANNELS, _GEOS, _WEEKS, _HAND = (
    marked("Channels"),
    marked("Geos"),
    marked("Weeks"),
    marked("By hand"),
)
_PORTFOLIO = marked("Portfolio")


@dataclass(frozen=True)
class _Form:
    """What a view of the plan begins with.

    Attributes:
        here: The project.
        run: The fit.
        chosen: The periods.
        curves: Of them.
        brief: Budget, limits and goal.
        units: Words for the units.
    """

    here: Opened
    run: Run
    chosen: Chosen
    curves: ResponseCurves
    brief: Brief
    units: fmt.Units


def render() -> None:
    """Draw the screen."""
    actions = layout.header(navigation.PLAN)
    here = layout.begin()
    run = fit_needed.fit_or_empty(here, say("A better split appears here"))
    if run is None:
        return
    units = reading.fit(run.folder).units
    plan_saved.follow_link(here.folder, run)
    address.take_periods()
    # The line stands on top, and says what only the plan below decides.
    line = st.container(horizontal=True, vertical_alignment="center")
    with st.container(horizontal=True, vertical_alignment="top", key="plan.brief"):
        chosen = plan_horizon.choose(run)
        if chosen is None:
            return
        curves = plan_more.paid(planning.curves_of(chosen.files))
        with line:
            over = _over(chosen)
        of_all = portfolio.ask(here) if over == _PORTFOLIO else None
        if of_all is None:
            address.take(run.run_id, curves)
            is_edited = over not in (_WEEKS, _HAND) and constraints.is_drawn()
            plan_limits.begin(run.run_id, curves, is_edited=is_edited)
            inputs = brief.ask(run, curves, units)
    if of_all is not None:
        periods = None if chosen.ahead is None else chosen.ahead.n
        portfolio.show(here, of_all, periods, actions)
        return
    form = _Form(here, run, chosen, curves, inputs, units)
    plan = _split(form, over, actions) if over in (_CHANNELS, _GEOS) else None
    if over in (_WEEKS, _HAND):
        plan = _of_totals(form, over, actions)
    plan_life.line(line, here, run, plan, list_plans(here.folder))
    plan_saved.show(here.folder, run, units)
    edited.upload(run, starts_run=over == _WEEKS)


def _over(chosen: Chosen) -> str:
    """What the plan is looked at by: one plan, three views."""
    views = [_CHANNELS]
    views += [_GEOS] if chosen.files.geos is not None else []
    views += [_WEEKS] if chosen.ahead is not None else []
    views += [_HAND]
    views += [_PORTFOLIO] if portfolio.is_possible() else []
    return navigation.view(say("View"), views, key="plan.over")


def _of_totals(form: _Form, over: str, actions) -> PlanRecord | None:
    """Weeks, which spend the totals of the plan of channels, or sliders beside it."""
    run, curves, units = form.run, form.curves, form.units
    more = state.draft("more.now", More())
    limits = plan_limits.now(curves, state.widget("plan.unit", "%"))
    channel_plan, error = _plan(form, limits, more)
    _found(form.brief, channel_plan, curves, units)
    if error is not None:
        show_error(error)
    elif over == _HAND:
        by_hand.show(f"{run.run_id}.{form.chosen.key}", curves, channel_plan, units)
    else:
        ahead = form.chosen.ahead
        return weeks_panel.show(form.here, run, channel_plan, ahead, actions)
    return None


def _split(form: _Form, over: str, actions) -> PlanRecord | None:
    """The plan by channel, or by channel and geo."""
    here, run, curves, units = form.here, form.run, form.curves, form.units
    claim = st.container(gap="xsmall")
    tiles = st.columns(3, gap="small")
    left, right = st.columns([9, 5] if over == _GEOS else [6, 5], gap="medium")
    below = st.container()
    with below:
        # Drawn first though it stands below: what is asked there decides the plan.
        chosen = constraints.choose(run, curves, units)
    limits = plan_limits.now(curves, chosen.unit)
    step = steps.of_form(form.brief.budget, limits, chosen.more)
    address.keep(curves, step)
    steps.FORM.take(f"{run.run_id}.{form.chosen.key}", step)
    channel_plan, error = _plan(form, limits, chosen.more)
    _found(form.brief, channel_plan, curves, units)
    # After the plan, which knows the limits that cannot be met.
    constraints.limits(chosen, curves, error, units)
    plan = None
    with left:
        if error is not None:
            show_error(error)
    if channel_plan is not None:
        plan = _answer(form, over, channel_plan, (left, right, below))
        with below:
            analysts.show(run, form.chosen.files, channel_plan, units)
    plan_view.tiles(tiles, plan, units)
    with layout.card(tiles[2]):
        plan_goal.tile(form.brief.goal, plan, units)
    plan_view.claim(claim, plan, units)
    with claim:
        fit_needed.doubts(here, run, reading.fit(run.folder), is_said=plan is not None)
    with actions:
        steps.FORM.buttons()
        plan_life.act(here, run, plan)
    return plan


def _answer(
    form: _Form, over: str, channel_plan: ChannelPlan, places
) -> PlanRecord | None:
    """The table and the chart of the plan.

    Returns:
        The plan that is shown; None where no plan over geos keeps to the limits.
    """
    left, right, below = places
    run, units, mapping = form.run, form.units, form.here.project.mapping
    order = channel_order(mapping)
    plan: PlanRecord | None = channel_plan.record
    if over == _GEOS:
        named = mapping.geo or say("Geo")
        named = named[:1].upper() + named[1:]
        slots = plan_geos.Places(left, right, below, named, order)
        plan = plan_geos.show(run, form.chosen.files, channel_plan, units, slots)
    else:
        with right:
            plan_view.spend(run, channel_plan, units, order)
        with left:
            plan_view.answer(plan_tables.at_a_glance(plan))
            plan_view.trust(channel_plan.record)
    with left:
        plan_view.of_budget(channel_plan.record, plan)
    return plan


def _found(
    inputs: Brief,
    channel_plan: ChannelPlan | None,
    curves: ResponseCurves,
    units: fmt.Units,
) -> None:
    """The budget that was found, in the place of one that is typed."""
    if inputs.budget_place is not None:
        plan_view.found_budget(inputs.budget_place, channel_plan, curves, units)


def _plan(
    form: _Form, limits: plan_limits.Limits, more: plan_more.More
) -> tuple[ChannelPlan | None, PlanError | None]:
    """The best plan, or why there is none."""
    parts = (form.brief.budget, form.brief.objective(), more)
    try:
        request = plan_limits.request(form.curves, limits, *parts)
        planning.check_prices(form.run, request)
        return planning.best(form.run, form.chosen.files, request), None
    except PlanError as error:
        return None, error
