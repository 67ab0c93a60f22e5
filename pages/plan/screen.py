"""Plan: how should the next budget be split, and is it worth changing?"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.charts import format as fmt
from core.charts.data import channel_order
from core.errors import PlanError
from core.plan.plan import Plan
from core.plan.scenario.table import scenario_text
from core.workspace.plans import list_plans, save_plan
from core.workspace.runs import Run
from pages.plan import geos, geos_saved, next_money, saved
from pages.plan import limits as plan_limits
from pages.plan import more as plan_more
from pages.plan import view as plan_view
from pages.ui import fit_needed, layout, navigation, planning, reading, state, words
from pages.ui import kept as plan_kept
from pages.ui.findings import show_error
from pages.ui.reading import Opened

_OBJECTIVES = {
    "mean": "the expected outcome",
    "p25": "the outcome that 3 in 4 draws exceed",
    "p10": "the outcome that 9 in 10 draws exceed",
    "cvar10": "the mean of the worst tenth of draws",
    "reach": "the probability of reaching a goal",
}
_VIEWS = ("This plan", "The next money", "Other budgets")
_GEOS = "Geos"


def render() -> None:
    """Draw the screen."""
    actions = layout.header(navigation.PLAN)
    here = layout.begin()
    run = fit_needed.fit_or_empty(here, "A better split appears here")
    if run is None:
        return
    summary = reading.result_json(run.folder, "summary")
    units = fmt.units(summary)
    curves = planning.curves_of(run)
    plan_limits.begin(run.run_id, curves)
    columns = st.columns(4, gap="small")
    total = round(float(curves.spend.sum()), 2)
    window = words.window(summary)
    tile = columns[0].container(border=True, height="stretch", gap="xsmall")
    left, right = st.columns([6, 5], gap="medium")
    with left:
        unit, objective = _wishes(units, curves)
        editor = st.container()
        more = plan_more.choose(curves, units)
    with tile:
        budget = total if more.find else _budget(total, units, window)
    limits = plan_limits.now(curves, unit)
    verdict = reading.verdict(run.folder)
    made, error = _plan(run, curves, limits, (budget, objective, more), verdict)
    if more.find:
        plan_view.found_budget(tile, made, total, units, window)
    plan_view.tiles(columns[1:], made, units)
    with editor:
        plan_limits.table(curves, limits, unit, made, units.currency)
        _said(made, error, units)
    with left:
        fit_needed.standing(here, run, summary)
    is_of_geos, over_geos = False, None
    with right:
        if made is not None:
            n_geos = int(summary.get("n_geos") or 1)
            is_of_geos = _view(has_geos=n_geos > 1) == _GEOS
            over_geos = _beside(here, run, made, units)
    if over_geos is not None:
        with left:
            geos.table(over_geos, units)
    with actions:
        if is_of_geos:
            geos_saved.act(here.folder, run, over_geos, here.name)
        else:
            _act(here, run, made)
    saved.show(here.folder, curves.names, units)
    geos_saved.show(here.folder, run, curves.names, units)


def _said(made: Plan | None, error: PlanError | None, units: fmt.Units) -> None:
    """What is to be said of a plan below its limits, or why there is none."""
    if error is not None:
        show_error(error)
    if made is None:
        return
    plan_view.trust(made, fmt.exact(made.budget, units.symbol, decimals=2))
    plan_view.firmness(made, units)
    plan_view.goal(made, units)


def _view(*, has_geos: bool) -> str:
    """What stands beside the limits."""
    if not has_geos and state.widget("plan.view", None) == _GEOS:
        state.put("plan.view", _VIEWS[0])
    return st.segmented_control(
        "Beside the limits",
        (*_VIEWS, _GEOS) if has_geos else _VIEWS,
        default=_VIEWS[0],
        required=True,
        key="plan.view",
        persist_state="session",
        label_visibility="collapsed",
    )


def _beside(
    here: Opened, run: Run, made: Plan, units: fmt.Units
) -> dict[str, Any] | None:
    """The plan's charts, the next money, other budgets, or geos; the plan of geos."""
    order, view = channel_order(here.project.mapping), state.widget("plan.view", None)
    if view == _VIEWS[1]:
        next_money.moves(run, made, units)
    elif view == _VIEWS[2]:
        next_money.budgets(run, made, units)
    elif view == _GEOS:
        return geos.show(run, made, units, order)
    else:
        plan_view.charts(run, made, units, order)
    return None


def _budget(total: float, units: fmt.Units, window: str) -> float:
    """The budget, exact to the cent; what is spent now unless it was typed."""
    state.setdefault("plan.budget", total)
    budget = st.number_input(
        fmt.titled("Budget", units.symbol),
        min_value=0.01,
        step=max(1.0, float(round(total / 100))),
        format="%.2f",
        key="plan.budget",
        persist_state="session",
        help="For as many periods as the data have. It is spent to the cent.",
    )
    budget = float(budget or total)
    spent = fmt.money(budget, units.currency)
    now = "as now" if budget == total else f"now {fmt.money(total, units.currency)}"
    st.caption(f"{spent} over {window}, {now}")
    return budget


def _wishes(units: fmt.Units, curves) -> tuple[str, str]:
    """Unit of the limits, and what the plan is to make large."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        objective = st.selectbox(
            "Make large",
            list(dict.fromkeys([*_OBJECTIVES, state.widget("plan.objective", "mean")])),
            format_func=lambda name: _OBJECTIVES.get(name, name),
            key="plan.objective",
            persist_state="session",
            help="The expected outcome, or a cautious one that holds in most draws.",
        )
        if objective == "reach":
            objective = _reach(units)
        unit = st.segmented_control(
            "Limits in",
            plan_limits.UNITS,
            default="%",
            required=True,
            format_func=lambda name: "%" if name == "%" else units.symbol or "Amount",
            key="plan.unit",
            on_change=lambda: plan_limits.rebase(state.draft("limits.now")),
            persist_state="session",
            help="Percent of what the channel spends now, or money.",
        )
        spread = st.number_input(
            "All ±, %",
            0,
            100,
            30,
            10,
            key="plan.spread",
            width=120,
            on_change=lambda: plan_limits.rebase(
                plan_limits.default(curves, state.widget("plan.spread", 30) / 100)
            ),
            help="Set the limits of every channel at once.",
        )
        del spread
    return unit, objective


def _reach(units: fmt.Units) -> str:
    """The goal whose probability is to be large."""
    goal = st.number_input(
        fmt.titled("Goal", units.outcome),
        min_value=1.0,
        value=1_000_000.0,
        format="%.0f",
        key="plan.goal",
        persist_state="session",
        width=150,
    )
    return f"reach:{goal:.0f}"


def _plan(
    run: Run, curves, limits, asked: tuple[float, str, plan_more.More], verdict: str
) -> tuple[Plan | None, PlanError | None]:
    """The best plan, or why there is none."""
    try:
        wish = plan_limits.wish(curves, limits, *asked)
        return planning.best(run, wish, verdict), None
    except PlanError as error:
        return None, error


def _act(here: Opened, run: Run, made: Plan | None) -> None:
    """Name, downloads and Save at the top right."""
    about = plan_kept.about("Plan", len(list_plans(here.folder)) + 1, key="plan")
    kept = {}
    if made is not None:
        kept = planning.to_keep(made, run, about.name, about.notes, about.by)
        stem = f"{here.name} {about.name}"
        plan_kept.downloads(_files(kept, about.name), stem, key="plan")
    if st.button(
        "Save plan",
        key="plan.save",
        type="primary",
        icon=":material/save:",
        shortcut="Ctrl+S",
        disabled=made is None,
    ):
        save_plan(here.folder, kept)
        state.note(f"{about.name} is saved", ":material/save:")
        st.rerun()


def _files(
    content: dict[str, Any], name: str
) -> dict[str, tuple[Callable[[], bytes], str]]:
    """The plan as a workbook, as CSV and as a scenario file."""

    def book() -> bytes:
        from core.report.workbook import plan_workbook

        return plan_workbook(content, name=name)

    def table() -> bytes:
        from core.report.workbook import plan_csv

        return plan_csv(content).encode("utf-8-sig")

    return {
        "XLSX": (book, plan_kept.XLSX),
        "CSV": (table, "text/csv"),
        "TOML": (lambda: scenario_text(content).encode(), "application/toml"),
    }
