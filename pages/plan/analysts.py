"""For analysts: where the next money goes, what limits cost, budgets, distributions."""

import streamlit as st

from core import text as fmt
from core.plan.record.channels import Plan
from core.project.fits.horizons import CurveFiles
from core.project.fits.runs import Run
from pages.plan import next_money
from pages.plan import view as plan_view
from pages.ui import navigation

_VIEWS = ("Where the next {symbol} goes", "Limits", "Budgets", "Distribution")


def show(run: Run, files: CurveFiles, plan: Plan, units: fmt.Units) -> None:
    """The box; its charts are worked out once it is open.

    Args:
        run: The fit.
        files: Response curves of the plan's periods.
        plan: The plan of channels.
        units: Words for the units.
    """
    box = st.expander(
        "For analysts",
        key="plan.analysts",
        icon=":material/query_stats:",
        expanded=navigation.asked("plan.view") is not None,
        on_change="rerun",
    )
    with box:
        shown = st.segmented_control(
            "Look at",
            _VIEWS,
            default=_VIEWS[0],
            required=True,
            format_func=lambda view: view.format(symbol=units.symbol or "unit"),
            key="plan.view",
            bind="query-params",
            persist_state="session",
            label_visibility="collapsed",
        )
        plan_view.firmness(plan, units)
        if not box.open:
            return
        if shown == _VIEWS[0]:
            next_money.moves(files, plan, units)
        elif shown == _VIEWS[1]:
            next_money.costs(files, plan, units)
        elif shown == _VIEWS[2]:
            next_money.budgets(run, files, plan, units)
        else:
            plan_view.distribution(run, plan, units)
