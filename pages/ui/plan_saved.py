"""Plans that were saved: what they were, and back to their limits."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.charts import format as fmt
from core.workspace.plans import mark_plan, plan_of_record
from pages.ui import plan_limits, plan_more, state, words
from pages.ui.findings import plain


def show(
    folder: Path,
    plans: Sequence[dict[str, Any]],
    names: Sequence[str],
    units: fmt.Units,
) -> None:
    """The list; choosing a plan and loading it brings its limits back."""
    record = plan_of_record(folder)
    with st.expander(f"Saved plans ({len(plans)})"):
        chosen = st.dataframe(
            pd.DataFrame(
                [_row(plan, units, plan["plan_id"] == record) for plan in plans]
            ),
            column_config={
                "name": st.column_config.TextColumn("Plan", width=180),
                "when": st.column_config.TextColumn("Saved", width=110),
                "budget": st.column_config.TextColumn("Budget", alignment="right"),
                "gain": st.column_config.TextColumn("Gain, 90 %", width=220),
                "odds": st.column_config.TextColumn("Beats it", width=80),
                "advice": st.column_config.TextColumn("Advice", width=80),
            },
            hide_index=True,
            on_select="rerun",
            selection_mode="single-row",
            key=f"plan.saved.{state.edition('limits')}",
            height="content" if len(plans) <= 6 else 240,
            alt="Saved plans",
        )
        rows = chosen.selection.rows if chosen else []
        if not rows or rows[0] >= len(plans):
            st.caption(
                "Choose a plan to bring its budget and limits back, edit them and save "
                "it under a new name, or mark it as the plan of record."
            )
            return
        plan = plans[rows[0]]
        with st.container(horizontal=True):
            _load(plan, names)
            is_record = plan["plan_id"] == record
            mark(folder, plan, is_record=is_record, key="plan.record")
        if plan.get("notes"):
            st.caption(plain(str(plan["notes"])))


def mark(folder: Path, plan: dict[str, Any], *, is_record: bool, key: str) -> None:
    """Make a plan the one that was decided on, or no longer."""
    st.button(
        "Unmark" if is_record else "Mark as plan of record",
        key=key,
        icon=":material/flag:",
        on_click=state.attempt,
        args=(mark_plan, folder, None if is_record else plan["plan_id"]),
    )


def _row(plan: dict[str, Any], units: fmt.Units, is_record: bool) -> dict[str, str]:
    kind = "money" if units.is_money else "number"
    unit = units.currency if units.is_money else units.outcome
    gain = plan["gain"]
    return {
        "name": str(plan.get("name") or plan["plan_id"])
        + (" (of record)" if is_record else ""),
        "when": words.ago(str(plan.get("created", ""))),
        "budget": fmt.money(plan["budget"], units.currency),
        "gain": fmt.estimate(gain, kind, unit, signed=True),
        "odds": fmt.probability(gain["probability_positive"]),
        "advice": str(plan.get("advice", "")),
    }


def _load(plan: dict[str, Any], names: Sequence[str]) -> None:
    limits = plan_limits.of_plan(plan)
    fits = set(limits) == set(names)
    st.button(
        f"Load {plain(str(plan.get('name') or 'it'))}",
        key="plan.load",
        icon=":material/history:",
        disabled=not fits,
        help=None if fits else "Its channels are not those of this fit.",
        on_click=_apply,
        args=(plan, limits),
    )


def _apply(plan: dict[str, Any], limits: plan_limits.Limits) -> None:
    plan_limits.rebase(limits)
    plan_more.load(plan.get("scenario") or {})
    state.put("plan.budget", float(plan["budget"]))
    objective = str((plan.get("objective") or {}).get("name", "mean"))
    if objective.startswith("reach:"):
        state.put("plan.goal", float(objective.removeprefix("reach:")))
        objective = "reach"
    state.put("plan.objective", objective)
