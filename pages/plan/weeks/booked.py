"""Booked spend, dark weeks and changes of single channels, as a table to edit."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core import text as fmt
from core.service.records.fit import Run
from core.text.languages.language import say
from pages.plan.weeks import edit
from pages.ui import layout, navigation, state, tables
from pages.ui.fields import folded


def booked(
    run: Run,
    names: tuple[str, ...],
    days: list[str],
    table: dict[str, Any],
    planned: np.ndarray | None,
) -> dict[str, Any]:
    """The table of booked spend; the request with what it holds.

    Args:
        run: The fit.
        names: Channels.
        days: First days of the weeks that are planned.
        table: The request so far.
        planned: Amounts of the plan shown for the same weeks, if there is one.
    """
    key = booked_key(run, days)
    entries = _typed_before(key)
    if entries is None:
        entries = empty(names, days)
    n_booked = int(entries[days].notna().to_numpy().sum())
    label = (
        say("Booked spend ({n_booked})", n_booked=n_booked)
        if n_booked
        else say("Booked spend")
    )
    box, has_content = folded.box(
        label, "flight.bookings", icon=":material/event_available:"
    )
    edited = entries
    if has_content:
        with box:
            edited = _content(names, days, key, entries, planned)
    state.keep(f"{key}.typed", (state.edition("booked"), edited))
    return table | _requests(table, names, days, edited)


def _content(
    names: tuple[str, ...],
    days: list[str],
    key: str,
    entries: pd.DataFrame,
    planned: np.ndarray | None,
) -> pd.DataFrame:
    """What the box has; what is typed into its table."""
    layout.remark(
        "A typed amount is fixed, 0 keeps the week dark, empty cells are planned."
    )
    is_wanted, some_days = _is_wanted(entries), days
    if is_wanted or planned is not None:
        some_days, entries = _part_and_buttons(names, days, key, entries, planned)
    is_drawn = is_wanted or _holds(entries)
    return _booked_table(entries, key, days, some_days) if is_drawn else entries


def _is_wanted(entries: pd.DataFrame) -> bool:
    """Whether to draw the table: with something in it, or where somebody types."""
    return _holds(entries) or st.toggle(
        say("Type amounts"),
        key="flight.books",
        persist_state="session",
        help=navigation.tip("A table of channels and weeks."),
    )


def _holds(entries: pd.DataFrame) -> bool:
    """Whether anything is booked or limited."""
    return bool(entries.drop(columns="channel").notna().to_numpy().any())


def _booked_table(
    entries: pd.DataFrame, key: str, days: list[str], some_days: list[str]
) -> pd.DataFrame:
    """The table to type in."""
    return tables.edit(
        entries,
        say("Booked spend per channel and week"),
        _columns(days),
        key=_editor(key),
        column_order=["channel", "change", *some_days],
        disabled=["channel"],
    )


def _part_and_buttons(
    names: tuple[str, ...],
    days: list[str],
    key: str,
    entries: pd.DataFrame,
    planned: np.ndarray | None,
) -> tuple[list[str], pd.DataFrame]:
    """The weeks that are shown, and what the table begins with after a button."""
    with st.container(horizontal=True, vertical_alignment="center"):
        some_days = edit.some_weeks("flight.part", days, _keep, key, entries)
        st.space("stretch")
        books = st.button(
            say("Book this plan"), key="flight.book", disabled=planned is None
        )
        frees = st.button(say("Free all"), key="flight.free")
    if books or frees:
        entries = empty(names, days)
        if books:
            entries[days] = planned
        state.keep(key, entries)
        state.start_afresh("booked")
    return some_days, entries


def _typed_before(key: str) -> pd.DataFrame | None:
    """What the editor begins with: after another view, what was typed into it."""
    edition, typed = state.draft(f"{key}.typed", (None, None))
    if edition == state.edition("booked") and not state.has(_editor(key)):
        state.keep(key, typed)
    return state.draft(key)


def _editor(key: str) -> str:
    """The key of the editor."""
    return f"{key}.{state.edition('booked')}"


def _keep(key: str, entries: pd.DataFrame) -> None:
    """Keep what was typed into the weeks that were shown, before others are."""
    entries = entries.copy()
    for row, changes in state.widget(_editor(key), {}).get("edited_rows", {}).items():
        for column, amount in changes.items():
            entries.loc[int(row), column] = np.nan if amount is None else float(amount)
    state.keep(key, entries)
    state.start_afresh("booked")


def _columns(days: list[str]) -> dict[str, Any]:
    """Channels, their changes, and a column per week."""
    columns = {
        "channel": st.column_config.TextColumn(say("Channel"), pinned=True),
        "change": st.column_config.NumberColumn(
            say("Change ±, %"),
            min_value=0.0,
            format="%.0f",
            width=112,
            pinned=True,
            help=say(
                "How far this channel's spend may move from one week to the next. "
                "Empty: as for all channels."
            ),
        ),
    }
    return columns | {
        day: st.column_config.NumberColumn(
            fmt.day_and_month(day), min_value=0.0, format="localized", width=84
        )
        for day in days
    }


def _requests(
    table: Mapping[str, Any],
    names: tuple[str, ...],
    days: list[str],
    edited: pd.DataFrame,
) -> dict[str, Any]:
    """What the table asks of channels, beside what is asked of them already."""
    channels = dict(table.get("channel", {}))
    for name, row in zip(names, edited.to_dict("records"), strict=True):
        cells = {day: float(row[day]) for day in days if pd.notna(row[day])}
        limits: dict[str, Any] = {"weeks": cells} if cells else {}
        if pd.notna(row["change"]):
            limits["change"] = f"{float(row['change']):g} %"
        if limits:
            channels[name] = channels.get(name, {}) | limits
    return {"channel": channels} if channels else {}


def booked_key(run: Run, days: Sequence[str]) -> str:
    """Where the session keeps booked spend of weeks."""
    return f"flight.booked.{run.run_id}.{len(days)}.{days[0]}"


def empty(names: tuple[str, ...], days: list[str]) -> pd.DataFrame:
    """A table of booked spend with nothing booked, and changes as for all."""
    frame = pd.DataFrame(np.nan, index=range(len(names)), columns=["change", *days])
    frame.insert(0, "channel", list(names))
    return frame
