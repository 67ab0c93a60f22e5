"""Plans of weeks that are kept: saved with a name and notes, and back to the form."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from core.charts import format as fmt
from core.workspace.flights import asked, to_keep
from core.workspace.plans import WEEKS, list_plans, save_plan
from core.workspace.runs import Run
from pages.flighting import booked, form
from pages.flighting.weeks import Weeks
from pages.ui import kept as plan_kept
from pages.ui import state

_SHELF = plan_kept.Shelf(
    "Saved plans of weeks",
    "flight",
    "flight.saved",
    "Choose a plan to bring its weeks, budget, limits and booked spend back, or to "
    "mark it as the plan of record. Compare has them side by side.",
    gain="Gain over last year's weeks, 90 %",
    more=(("weeks", "Weeks", 150),),
)


def save(folder: Path, done: Run, told: Mapping[str, Any]) -> None:
    """Name, notes and Save; a plan that is kept never changes."""
    number = len(list_plans(folder, WEEKS)) + 1
    about = plan_kept.about("Weeks", number, key="flight")
    if st.button(
        "Save plan", key="flight.save", icon=":material/save:", shortcut="Ctrl+S"
    ):
        fit, table = asked(done.folder)
        kept = to_keep(
            told, fit.name, table, about.name, notes=about.notes, by=about.by
        )
        save_plan(folder, kept)
        state.note(f"{about.name} is saved", ":material/save:")
        st.rerun()


def show(folder: Path, run: Run, weeks: Weeks, units: fmt.Units) -> None:
    """The list; a plan that is chosen goes back to the form, or is decided on."""
    saved = list_plans(folder, WEEKS)
    days = [str(day) for day in weeks.starts]

    def load_one(plan: dict[str, Any]) -> None:
        names = [row["name"] for row in plan["channels"]]
        fits = plan["weeks"][0] in days and names == list(weeks.names)
        plan_kept.load_button(
            plan,
            key="flight.load",
            why_not="" if fits else "Its weeks or channels are not those of this fit.",
            on_click=load,
            args=(plan, run, weeks),
        )

    if saved:
        plan_kept.shelf(folder, saved, _SHELF, units, row=_span, load=load_one)


def _span(plan: Mapping[str, Any]) -> dict[str, str]:
    return {"weeks": f"{len(plan['weeks'])} from {fmt.date(plan['weeks'][0])}"}


def load(plan: dict[str, Any], run: Run, weeks: Weeks) -> None:
    """Bring a plan's wishes back to the form."""
    scenario = plan.get("scenario") or {}
    count, start = len(plan["weeks"]), str(plan["weeks"][0])
    state.put("flight.count", count)
    state.put("flight.start", start)
    state.put(f"flight.budget.{count}.{start}", float(plan["budget"]))
    form.put(scenario)
    days = [str(day) for day in weeks.starts]
    days = days[days.index(start) :][:count]
    frame = booked.empty(weeks.names, days)
    for i, name in enumerate(weeks.names):
        row = (scenario.get("channel") or {}).get(name) or {}
        change = form.percent(row.get("change"))
        frame.loc[i, "change"] = np.nan if change is None else change
        cells = dict.fromkeys(row.get("dark") or [], 0.0) | dict(row.get("weeks") or {})
        for day, amount in cells.items():
            if day in days:
                frame.loc[i, day] = np.float64(amount)
    state.keep(booked.booked_key(run, count, start), frame)
    state.start_afresh("booked")
