"""Plans that are kept, of every kind: name and notes, the list, the plan of record."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core import text as fmt
from core.service import reports
from core.service.plans import Standing, standing
from core.service.projects.plans import (
    LONGEST_NAME,
    LONGEST_NOTES,
    delete_plan,
    mark_plan,
    plan_of_record,
    rename_plan,
)
from core.service.records.plan import PlanRecord
from core.text.languages.language import say
from core.view import plan_words
from core.view.origin import advice_now, made_with, odds_now
from pages.access import approval
from pages.ui import layout, state, tables, words
from pages.ui.fields import gated
from pages.ui.findings import plain


def _own(key: str) -> int:
    """Number of a plan among those saved here; what is typed outlives others' saves."""
    return state.edition(f"{key}.kept") + 1


def begin_another() -> None:
    """Forget the name and the notes of a plan that was saved."""
    state.start_afresh("plan.kept")


def name(word: str, number: int, *, key: str) -> str:
    """The name of a plan that is about to be kept.

    Args:
        word: What it begins with, unless one is typed.
        number: Of the plan among its kind.
        key: Where the key of the field begins.
    """
    first = f"{word} {number}"
    typed = gated.text_input(
        say("Name of the plan"),
        key=f"{key}.name.{_own(key)}",
        max_chars=LONGEST_NAME,
        placeholder=first,
        label_visibility="collapsed",
        width=170,
    )
    return typed.strip() or first


def notes() -> tuple[str, str]:
    """Notes of a plan that is about to be kept, and who saves it."""
    text = gated.text_area(
        say("Notes, kept with the plan"),
        key=f"plan.notes.{_own('plan')}",
        max_chars=LONGEST_NOTES,
        height=90,
    )
    by = gated.text_input(
        say("Saved by"), key="plans.by", max_chars=60, persist_state="session"
    )
    return text, by.strip()


def shelf(
    folder: Path,
    plans: Sequence[PlanRecord],
    units: fmt.Units,
    load: Callable[[PlanRecord], None],
) -> None:
    """The list of saved plans; one that is chosen is loaded, or decided on.

    Args:
        folder: The project.
        plans: Newest first.
        units: Words for the units.
        load: Draws the button that brings a plan back.
    """
    record = plan_of_record(folder)
    stood = [standing(folder, plan) for plan in plans]
    columns = _columns(has_older=any(each.is_older for each in stood))
    title = say("Saved plans")
    with st.expander(f"{title} ({len(plans)})"):
        rows = [
            _kept_row(plan, units, each, is_record=plan.plan_id == record)
            for plan, each in zip(plans, stood, strict=True)
        ]
        place = tables.chosen(
            pd.DataFrame(rows, columns=list(columns)),
            title,
            columns,
            key=f"plan.saved.{state.edition('limits')}",
        )
        if place is None:
            layout.remark(
                "Select a plan to load its periods, budget and limits, or to mark it "
                "as the plan of record. Compare shows plans side by side."
            )
            return
        plan = plans[place]
        with st.container(horizontal=True):
            load(plan)
            _change(folder, plan, is_record=plan.plan_id == record)
        approval.show(folder, plan.plan_id, key="plan.approval")
        if plan.notes:
            st.caption(plain(plan.notes))


def _change(folder: Path, plan: PlanRecord, *, is_record: bool) -> None:
    """Mark a plan, rename it, delete it."""
    mark(folder, plan, is_record=is_record, key="plan.record")
    _rename(folder, plan)
    about_it = say("It moves to the trash of the workspace.")
    if is_record:
        about_it = say("It is the plan of record: unmark it first.")
    gated.button(
        say("Delete plan"),
        key="plan.delete",
        icon=":material/delete:",
        disabled=is_record,
        help=about_it,
        on_click=_delete,
        args=(folder, plan),
    )


def _rename(folder: Path, plan: PlanRecord) -> None:
    """Another name and other notes, in a popover."""
    with st.popover(say("Rename"), icon=":material/edit:", key="plan.rename"):
        name = st.text_input(
            say("Name of the plan"),
            plan.title,
            key=f"plan.rename.name.{plan.plan_id}",
            max_chars=LONGEST_NAME,
        )
        notes = st.text_area(
            say("Notes, kept with the plan"),
            plan.notes,
            key=f"plan.rename.notes.{plan.plan_id}",
            max_chars=LONGEST_NOTES,
        )
        gated.button(
            say("Save name and notes"),
            key="plan.rename.save",
            disabled=not name.strip(),
            on_click=state.attempt,
            args=(rename_plan, folder, plan.plan_id, name, notes),
        )


def _delete(folder: Path, plan: PlanRecord) -> None:
    state.attempt(delete_plan, folder, plan.plan_id)
    state.start_afresh("limits")


def mark(folder: Path, plan: PlanRecord, *, is_record: bool, key: str) -> None:
    """Make a plan the one that was decided on, or no longer."""
    why = approval.why_unmarked(folder, plan.plan_id) or None
    gated.button(
        say("Unmark") if is_record else say("Mark as plan of record"),
        key=key,
        icon=":material/flag:",
        disabled=bool(why and not is_record),
        help=why,
        on_click=state.attempt,
        args=(mark_plan, folder, None if is_record else plan.plan_id),
    )


def plan_files(
    plan: Callable[[], PlanRecord], *kinds: str
) -> dict[str, Callable[[], bytes]]:
    """What makes each file of a plan, in the locale in force.

    Args:
        plan: The plan, asked for when a file is made.
        kinds: Endings of the files.
    """
    how = fmt.locale().name  # a download's thread does not know the project

    def file(kind: str) -> bytes:
        with fmt.written_in(how):
            return reports.plan_file(plan(), f".{kind.lower()}")

    return {kind: partial(file, kind) for kind in kinds}


def downloads(
    files: Mapping[str, Callable[[], bytes]],
    stem: str,
    *,
    key: str,
    is_rare: bool = False,
) -> None:
    """Files of a plan, each made when its button is pressed.

    Args:
        files: What makes each kind.
        stem: Of the files' names.
        key: Where the keys of the buttons begin.
        is_rare: Whether few need them: then they look like links.
    """
    look = "tertiary" if is_rare else "secondary"
    for label, make in files.items():
        ending = label.lower()
        layout.download(label, make, f"{stem}.{ending}", f"{key}.{ending}", type=look)


def _columns(*, has_older: bool) -> dict[str, Any]:
    """Columns of the list; those of the newest fit only where a plan is of another."""
    text = st.column_config.TextColumn
    older = {
        "fit": text(say("Fit"), width=110),
        "now": text(say("By the newest fit"), width=110),
    }
    return {
        "name": text(say("Plan"), width=150),
        "when": text(say("Saved"), width=150),
        "over": text(say("Over"), width=75),
        "periods": text(say("Plan for"), width=170),
        "budget": text(say("Budget"), alignment="right", width=80),
        "gain": text(say("Gain, 90 %"), width=165),
        "odds": text(say("Odds of a gain"), width=100),
        **(older if has_older else {}),
        "advice": text(say("Advice"), width=105),
    }


def saved_when(plan: PlanRecord) -> str:
    """When a plan was saved, and by whom where that was said."""
    return words.ago(plan.created) + (say(" by {by}", by=plan.by) if plan.by else "")


def _kept_row(
    plan: PlanRecord, units: fmt.Units, stood: Standing, *, is_record: bool
) -> dict[str, str]:
    gain = plan.gain
    of_record = say(" (of record)") if is_record else ""
    return {
        "name": plan.title + of_record,
        "when": saved_when(plan),
        "over": say(plan.over),
        "periods": plan_words.horizon_in_brief(plan),
        "budget": fmt.money(plan.budget, units.currency),
        "gain": units.estimate(gain, signed=True),
        "odds": fmt.probability(gain.probability_positive),
        "fit": made_with(plan, stood),
        "now": odds_now(plan, stood),
        "advice": advice_now(plan, stood),
    }
