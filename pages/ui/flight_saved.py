"""Plans of weeks that are kept: saved with a name and notes, and back to the form."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.charts import format as fmt
from core.workspace.flights import asked, to_keep
from core.workspace.plans import (
    WEEKS,
    list_plans,
    plan_of_record,
    save_plan,
)
from core.workspace.runs import Run
from pages.ui import flight_form, plan_saved, state, words
from pages.ui.findings import plain
from pages.ui.flight_weeks import Weeks


def save(folder: Path, done: Run, told: Mapping[str, Any]) -> None:
    """Name, notes and Save; a plan that is kept never changes."""
    number = len(list_plans(folder, WEEKS)) + 1
    name = st.text_input(
        "Name of the plan",
        f"Weeks {number}",
        key=f"flight.name.{number}",
        max_chars=60,
        label_visibility="collapsed",
        width=130,
    )
    with st.popover("Notes", icon=":material/edit_note:"):
        notes = st.text_area(
            "Notes, kept with the plan", key=f"flight.notes.{number}", max_chars=2000
        )
        by = st.text_input("Saved by", key="flight.by", max_chars=60)
    if st.button(
        "Save plan", key="flight.save", icon=":material/save:", shortcut="Ctrl+S"
    ):
        fit, table = asked(done.folder)
        kept = name.strip() or f"Weeks {number}"
        save_plan(folder, to_keep(told, fit.name, table, kept, notes=notes, by=by))
        state.note(f"{kept} is saved", ":material/save:")
        st.rerun()


def show(folder: Path, run: Run, weeks: Weeks, units: fmt.Units) -> None:
    """The list; a plan that is chosen goes back to the form, or is decided on."""
    saved = list_plans(folder, WEEKS)
    if not saved:
        return
    record = plan_of_record(folder)
    with st.expander(f"Saved plans of weeks ({len(saved)})"):
        chosen = st.dataframe(
            pd.DataFrame([_row(one, units, one["plan_id"] == record) for one in saved]),
            column_config={
                "name": st.column_config.TextColumn("Plan", width=180),
                "when": st.column_config.TextColumn("Saved", width=110),
                "weeks": st.column_config.TextColumn("Weeks", width=150),
                "budget": st.column_config.TextColumn("Budget", alignment="right"),
                "gain": st.column_config.TextColumn(
                    "Gain over last year's weeks, 90 %", width=240
                ),
                "odds": st.column_config.TextColumn("Beats them", width=90),
            },
            hide_index=True,
            on_select="rerun",
            selection_mode="single-row",
            key=f"flight.saved.{state.edition('flight.saved')}",
            height="content" if len(saved) <= 6 else 240,
            alt="Saved plans of weeks",
        )
        rows = chosen.selection.rows if chosen else []
        if not rows or rows[0] >= len(saved):
            st.caption(
                "Choose a plan to bring its weeks, budget, limits and booked spend "
                "back, or to mark it as the plan of record. Compare has them side by "
                "side."
            )
            return
        _act(folder, run, saved[rows[0]], weeks, record)


def _act(
    folder: Path, run: Run, plan: dict[str, Any], weeks: Weeks, record: str | None
) -> None:
    """Load or mark a plan."""
    days = [str(day) for day in weeks.starts]
    names = [row["name"] for row in plan["channels"]]
    fits = plan["weeks"][0] in days and names == list(weeks.names)
    is_record = plan["plan_id"] == record
    with st.container(horizontal=True):
        st.button(
            f"Load {plain(str(plan.get('name') or 'it'))}",
            key="flight.load",
            icon=":material/history:",
            disabled=not fits,
            help=None if fits else "Its weeks or channels are not those of this fit.",
            on_click=load,
            args=(plan, run, weeks),
        )
        plan_saved.mark(folder, plan, is_record=is_record, key="flight.record")
    if plan.get("notes"):
        st.caption(plain(str(plan["notes"])))


def _row(plan: dict[str, Any], units: fmt.Units, is_record: bool) -> dict[str, str]:
    kind = "money" if units.is_money else "number"
    unit = units.currency if units.is_money else units.outcome
    gain = plan["gain"]
    of_record = " (of record)" if is_record else ""
    return {
        "name": str(plan.get("name") or plan["plan_id"]) + of_record,
        "when": words.ago(str(plan.get("created", ""))),
        "weeks": f"{len(plan['weeks'])} from {fmt.date(plan['weeks'][0])}",
        "budget": fmt.money(plan["budget"], units.currency),
        "gain": fmt.estimate(gain, kind, unit, signed=True),
        "odds": fmt.probability(gain["probability_positive"]),
    }


def load(plan: dict[str, Any], run: Run, weeks: Weeks) -> None:
    """Bring a plan's wishes back to the form."""
    scenario = plan.get("scenario") or {}
    count, start = len(plan["weeks"]), str(plan["weeks"][0])
    state.put("flight.count", count)
    state.put("flight.start", start)
    state.put(f"flight.budget.{count}.{start}", float(plan["budget"]))
    flight_form.put(scenario)
    days = [str(day) for day in weeks.starts]
    days = days[days.index(start) :][:count]
    frame = flight_form.empty(weeks.names, days)
    for i, name in enumerate(weeks.names):
        row = (scenario.get("channel") or {}).get(name) or {}
        cells = dict.fromkeys(row.get("dark") or [], 0.0) | dict(row.get("weeks") or {})
        for day, amount in cells.items():
            if day in days:
                frame.loc[i, day] = np.float64(amount)
    state.keep(flight_form.booked_key(run, count, start), frame)
    state.start_afresh("booked")
