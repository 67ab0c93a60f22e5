"""Plans of weeks that are kept: saved with a name and notes, and back to the form."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from core.workspace.derived import asked
from core.workspace.plans import WEEKS, list_plans, save_plan, weeks_to_keep
from core.workspace.runs import Run
from pages.access import rights
from pages.plan.limits import Limit, Limits
from pages.plan.weeks import booked, form
from pages.ui import kept as plan_kept
from pages.ui import state


def save(folder: Path, done: Run, told: Mapping[str, Any]) -> None:
    """Name, notes and Save; a plan that is kept never changes."""
    number = len(list_plans(folder, WEEKS)) + 1
    about = plan_kept.about("Weeks", number, key="flight")
    if st.button(
        "Save plan",
        key="flight.save",
        icon=":material/save:",
        shortcut="Ctrl+S",
        **rights.of(folder, rights.Role.PLANNER),
    ):
        fit, table = asked(done.folder)
        kept = weeks_to_keep(
            told, fit.name, table, about.name, notes=about.notes, by=about.by
        )
        save_plan(folder, kept)
        state.note(f"{about.name} is saved", ":material/save:")
        st.rerun()


def bring_back(plan: Mapping[str, Any], run: Run) -> Limits:
    """Bring a plan's wishes back to the form of weeks; its limits of channels.

    Args:
        plan: A plan of weeks.
        run: The fit that is shown.
    """
    scenario = plan.get("scenario") or {}
    form.put(scenario)
    days = [str(day)[:10] for day in plan["weeks"]]
    names = tuple(str(row["name"]) for row in plan["channels"])
    asked_rows = scenario.get("channel") or {}
    frame = booked.empty(names, days)
    for i, name in enumerate(names):
        row = asked_rows.get(name) or {}
        change = form.percent(row.get("change"))
        frame.loc[i, "change"] = np.nan if change is None else change
        cells = dict.fromkeys(row.get("dark") or [], 0.0) | dict(row.get("weeks") or {})
        for day, amount in cells.items():
            if day in days:
                frame.loc[i, day] = np.float64(amount)
    state.keep(booked.booked_key(run, len(days), days[0]), frame)
    state.start_afresh("booked")
    return {
        row["name"]: Limit(row["planned"], row["planned"]) for row in plan["channels"]
    }
