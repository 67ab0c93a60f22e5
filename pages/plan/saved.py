"""Plans that were saved, whatever they are over, and back to the form."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import streamlit as st

from core import text as fmt
from core.charts import plan_words
from core.plan.plan import Plan
from core.plan.scenario.table import scenario_text
from core.workspace.plans import (
    CHANNELS,
    GEOS,
    WEEKS,
    kind_of,
    list_plans,
    save_plan,
)
from core.workspace.runs import Run
from pages.access import rights
from pages.plan import geos_saved, more
from pages.plan import limits as plan_limits
from pages.plan.weeks import saved as weeks_saved
from pages.ui import kept, planning, reading, state
from pages.ui.reading import Opened

_SHELF = kept.Shelf(
    "Saved plans",
    "plan",
    "limits",
    "Choose a plan to bring its periods, budget and limits back, edit them and save "
    "it under a new name, or mark it as the plan of record. Compare has them side by "
    "side.",
    more=(("over", "Over", 90), ("periods", "Plan for", 190)),
)
_OVER = {CHANNELS: "channels", GEOS: "geos", WEEKS: "weeks"}
#: Why a plan of another fit cannot be loaded.
_OTHER_CHANNELS = "Its channels are not those of this fit."
_OVER_BY_NOW = "Its periods are over by now: this fit has seen them."


def act(here: Opened, run: Run, made: Plan | None) -> None:
    """Name, downloads and Save at the top right."""
    about = kept.about("Plan", len(list_plans(here.folder)) + 1, key="plan")
    content = {}
    if made is not None:
        content = planning.to_keep(made, run, about.name, about.notes, about.by)
        stem = f"{here.name} {about.name}"
        kept.downloads(_files(content, about.name), stem, key="plan")
    if st.button(
        "Save plan",
        key="plan.save",
        type="primary",
        icon=":material/save:",
        shortcut="Ctrl+S",
        **rights.of(here.folder, rights.Role.PLANNER, disabled=made is None),
    ):
        save_plan(here.folder, content)
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
        "XLSX": (book, kept.XLSX),
        "CSV": (table, "text/csv"),
        "TOML": (lambda: scenario_text(content).encode(), "application/toml"),
    }


def show(folder: Path, run: Run, names: Sequence[str], units: fmt.Units) -> None:
    """The list; choosing a plan and loading it brings its wishes back."""
    saved = list_plans(folder, None)
    last = str(reading.result_json(run.folder, "summary").get("end"))[:10]

    def load(plan: dict[str, Any]) -> None:
        why_not, bring = _way_back(plan, run)
        channels = {str(row["name"]) for row in plan["channels"]}
        if channels != set(names):
            why_not = _OTHER_CHANNELS
        elif not plan["horizon"]["as_fitted"] and plan["horizon"]["start"] <= last:
            why_not = _OVER_BY_NOW
        kept.load_button(
            plan,
            key="plan.load",
            why_not=why_not,
            on_click=_bring_back,
            args=(plan, bring),
        )

    if saved:
        kept.shelf(folder, saved, _SHELF, units, row=_row, load=load)


def _row(plan: Mapping[str, Any]) -> dict[str, str]:
    return {"over": _OVER[kind_of(plan)], "periods": plan_words.horizon(plan)}


def _way_back(
    plan: Mapping[str, Any], run: Run
) -> tuple[str, Callable[[], plan_limits.Limits]]:
    """Why a plan cannot come back, and what brings back the rest and its limits."""
    if kind_of(plan) == GEOS:
        return geos_saved.way_back(plan, run)
    if kind_of(plan) == WEEKS:
        return "", lambda: weeks_saved.bring_back(plan, run)
    return "", lambda: plan_limits.of_plan(plan)


def _bring_back(
    plan: Mapping[str, Any], bring: Callable[[], plan_limits.Limits]
) -> None:
    """Set periods, budget, objective and limits to those of a plan."""
    horizon = plan["horizon"]
    state.put("plan.horizon", "own" if horizon["as_fitted"] else "custom")
    if not horizon["as_fitted"]:
        state.put("plan.periods", int(horizon["periods"]))
        state.put("plan.start", date.fromisoformat(horizon["start"]).isoformat())
    state.put("plan.over", _OVER[kind_of(plan)].capitalize())
    current = {str(row["name"]): float(row["current"]) for row in plan["channels"]}
    state.keep("limits.spend", current)
    plan_limits.rebase(bring())
    more.load(plan.get("scenario") or {})
    state.put("plan.budget", float(plan["budget"]))
    objective = str((plan.get("objective") or {}).get("name", "mean"))
    if objective.startswith("reach:"):
        state.put("plan.goal", float(objective.removeprefix("reach:")))
        objective = "reach"
    state.put("plan.objective", objective)
