"""Plan: how should the next budget be spent, and is it worth changing?"""

import streamlit as st

from core import text as fmt
from core.charts.data import channel_order
from core.errors import PlanError
from core.plan.record.channels import Plan
from core.plan.record.plan_record import PlanRecord
from core.plan.response.curves import ResponseCurves
from core.plan.response.periods import Horizon
from core.project.fits.horizons import CurveFiles
from core.project.fits.runs import Run
from pages.plan import by_hand, edited, next_money, steps
from pages.plan import horizon as plan_horizon
from pages.plan import limits as plan_limits
from pages.plan import more as plan_more
from pages.plan import saved as plan_saved
from pages.plan import total as plan_total
from pages.plan import view as plan_view
from pages.plan.address import form as address
from pages.plan.geos import view as plan_geos
from pages.plan.horizon import Chosen
from pages.plan.weeks import panel as weeks_panel
from pages.ui import fit_needed, layout, navigation, planning, reading, state
from pages.ui.fields.amount import amount_field
from pages.ui.findings import show_error
from pages.ui.reading import Opened

_OBJECTIVES = {
    "mean": "expected {kpi}",
    "p25": "{kpi} reached in 3 of 4 cases",
    "p10": "{kpi} reached in 9 of 10 cases",
    "cvar10": "cautious: mean of the worst tenth",
    "reach": "odds of a goal",
}
_VIEWS = ("Plan", "Where the next {symbol} goes", "Limits", "Budgets")
_CHANNELS, _GEOS, _WEEKS, _HAND = "Channels", "Geos", "Weeks", "By hand"


def render() -> None:
    """Draw the screen."""
    actions = layout.header(navigation.PLAN)
    here = layout.begin()
    run = fit_needed.fit_or_empty(here, "A better split appears here")
    if run is None:
        return
    units = fmt.units(reading.result_json(run.folder, "summary"))
    plan_saved.follow_link(here.folder, run)
    address.take_periods()
    with st.container(horizontal=True, vertical_alignment="top"):
        chosen = plan_horizon.choose(run)
        if chosen is None:
            return
        curves = planning.curves_of(chosen.files)
        over = _over(chosen)
        address.take(run.run_id, curves)
        plan_limits.begin(run.run_id, curves, is_edited=over not in (_WEEKS, _HAND))
        objective = _objective(units, curves)
    if over in (_WEEKS, _HAND):
        channel_plan, error = _settled(run, chosen, curves, objective)
        if error is not None:
            show_error(error)
        elif over == _HAND:
            by_hand.show(f"{run.run_id}.{chosen.key}", curves, channel_plan, units)
        else:
            weeks_panel.show(here, run, channel_plan, chosen.ahead, actions)
    else:
        _split(here, run, chosen, curves, (over, objective, units), actions)
    plan_saved.show(here.folder, run, units)
    edited.upload(run, starts_run=over == _WEEKS)


def _over(chosen: Chosen) -> str:
    """What the plan is looked at by: one plan, three views."""
    views = [_CHANNELS]
    views += [_GEOS] if chosen.files.geos is not None else []
    views += [_WEEKS] if chosen.ahead is not None else []
    views += [_HAND]
    if state.widget("plan.over", None) not in views:
        state.put("plan.over", _CHANNELS)
    return st.segmented_control(
        "View",
        views,
        required=True,
        key="plan.over",
        bind="query-params",
        persist_state="session",
        help="The same plan by channel, by channel and geo, or week by week; by hand, "
        "a slider for each channel.",
    )


def _settled(
    run: Run, chosen: Chosen, curves, objective: str
) -> tuple[Plan | None, PlanError | None]:
    """The plan of channels as it stands, whose totals weeks spend."""
    more = state.draft("more.now", plan_more.More())
    limits = plan_limits.now(curves, state.widget("plan.unit", "%"))
    budget = float(state.widget("plan.budget", 0.0) or curves.spend.sum())
    wish = (budget, objective, more)
    return _plan(chosen, curves, limits, wish, reading.verdict(run.folder))


def _split(here: Opened, run: Run, chosen: Chosen, curves, wishes, actions) -> None:
    """The plan by channel, or by channel and geo."""
    over, objective, units = wishes
    claim = st.container()
    columns = st.columns(4, gap="small")
    total = round(float(curves.spend.sum()), 2)
    tile = columns[0].container(border=True, height="stretch", gap="xsmall")
    left, right = st.columns([4, 3], gap="medium")
    with left:
        with st.container(horizontal=True, vertical_alignment="top"):
            unit = _limits_in(units, curves)
        editor = st.container()
        more = plan_more.choose(curves, units)
    with tile:
        budget = total if more.find else _budget(total, units, curves.horizon)
    limits = plan_limits.now(curves, unit)
    asked = steps.of_form(budget, limits, more)
    address.keep(curves, asked)
    steps.FORM.take(f"{run.run_id}.{chosen.key}", asked)
    verdict = reading.verdict(run.folder)
    channel_plan, error = _plan(
        chosen, curves, limits, (budget, objective, more), verdict
    )
    if more.find:
        plan_view.found_budget(tile, channel_plan, total, units)
    elif error is not None and error.where == "budget":
        tile.caption(":red[The limits below do not allow this budget.]")
    with editor:
        plan_limits.table(curves, unit, channel_plan, error, units.symbol)
        _said(channel_plan, error, units)
        goal = st.container()
    plan = None
    with right:
        if channel_plan is not None:
            plan = _beside(here, run, chosen.files, channel_plan, (over, units))
    plan_view.tiles(columns[1:], plan, units)
    plan_view.claim(claim, plan, units)
    with claim:
        fit_needed.standing(here, run, reading.result_json(run.folder, "summary"))
    if plan is not None:
        with goal:
            plan_total.odds(run, plan, units)
    if plan is not None and over == _GEOS:
        with left:
            plan_geos.table(plan, units)
    with actions:
        steps.FORM.buttons()
        plan_saved.act(here, run, plan)


def _said(channel_plan: Plan | None, error: PlanError | None, units: fmt.Units) -> None:
    """What is to be said of a plan below its limits, or why there is none."""
    if error is not None:
        show_error(error)
    if channel_plan is None:
        return
    plan_view.trust(
        channel_plan, fmt.exact(channel_plan.budget, units.symbol, decimals=2)
    )
    plan_view.firmness(channel_plan, units)
    plan_view.goal(channel_plan, units)


def _beside(
    here: Opened,
    run: Run,
    files: CurveFiles,
    channel_plan: Plan,
    view: tuple[str, fmt.Units],
) -> PlanRecord | None:
    """The plan's charts, where the next money goes, other budgets, or geos.

    Returns:
        The plan that is shown; None where no plan over geos keeps to the limits.
    """
    over, units = view
    order = channel_order(here.project.mapping)
    if over == _GEOS:
        return plan_geos.show(run, files, channel_plan, units, order)
    shown = st.segmented_control(
        "Beside the limits",
        _VIEWS,
        default=_VIEWS[0],
        required=True,
        format_func=lambda view: view.format(symbol=units.symbol or "unit"),
        key="plan.view",
        bind="query-params",
        persist_state="session",
        label_visibility="collapsed",
    )
    if shown == _VIEWS[1]:
        next_money.moves(files, channel_plan, units)
    elif shown == _VIEWS[2]:
        next_money.costs(files, channel_plan, units)
    elif shown == _VIEWS[3]:
        next_money.budgets(run, files, channel_plan, units)
    else:
        plan_view.charts(run, channel_plan, units, order)
    return channel_plan.record


def _budget(total: float, units: fmt.Units, horizon: Horizon) -> float:
    """The budget, exact to the cent; today's spend unless it was typed."""
    budget = amount_field(
        fmt.titled("Budget", units.symbol),
        "plan.budget",
        total,
        least=0.01,
        decimals=2,
        help="For the whole plan, spent to the cent. You can type 75M or 75,000.",
        currency=units.currency,
    )
    budget = float(budget or total)
    before = fmt.money(total, units.currency)
    ran = horizon.short_heading.lower()
    same = f"as {ran}" if ran == "last year" else ran
    same = same if budget == total else f"{ran}: {before}"
    st.caption(f"{fmt.money(budget, units.currency)}, {same}")
    return budget


def _objective(units: fmt.Units, curves: ResponseCurves) -> str:
    """What the plan is to make large."""
    kpi = units.outcome_name.lower() if units.is_money else units.outcome_name
    objective = st.selectbox(
        "Maximise",
        list(dict.fromkeys([*_OBJECTIVES, state.widget("plan.objective", "mean")])),
        format_func=lambda name: _OBJECTIVES.get(name, name).format(kpi=kpi),
        key="plan.objective",
        persist_state="session",
        width=230,
        help="The expected value, or a cautious one that holds in most cases.",
    )
    return _reach(units, curves) if objective == "reach" else objective


def _limits_in(units: fmt.Units, curves: ResponseCurves) -> str:
    """Unit of the limits, and one limit for every channel."""
    unit = st.segmented_control(
        "Limits in",
        plan_limits.UNITS,
        default="%",
        required=True,
        format_func=lambda name: "%" if name == "%" else units.symbol or "Amount",
        key="plan.unit",
        on_change=lambda: plan_limits.rebase(state.draft("limits.now")),
        persist_state="session",
        help="Percent of what the channel spent in the same weeks last year, or money.",
    )
    st.number_input(
        "Limit for every channel, ± %",
        0,
        100,
        30,
        10,
        key="plan.spread",
        width=200,
        on_change=lambda: plan_limits.rebase(
            plan_limits.default(curves, state.widget("plan.spread", 30) / 100)
        ),
        help="Set the limits of every channel at once.",
    )
    return unit


def _reach(units: fmt.Units, curves: ResponseCurves) -> str:
    """The goal whose probability is to be large."""
    today = float(curves.total(curves.spend[None]).mean())
    goal = amount_field(
        fmt.titled("Goal", units.outcome),
        "plan.goal",
        max(1.0, float(f"{today:.2g}")),
        least=1.0,
        help="What media should bring in these periods. It starts at what they "
        "brought last year.",
        currency=units.currency,
    )
    return f"reach:{goal:.0f}"


def _plan(
    chosen: Chosen,
    curves,
    limits,
    parts: tuple[float, str, plan_more.More],
    verdict: str,
) -> tuple[Plan | None, PlanError | None]:
    """The best plan, or why there is none."""
    try:
        wish = plan_limits.wish(curves, limits, *parts)
        return planning.best(chosen.files, wish, verdict), None
    except PlanError as error:
        return None, error
